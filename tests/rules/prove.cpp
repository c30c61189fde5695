#include "prove.h"

#include <algorithm>
#include <map>

#include "evaluate.h"
#include "smt.h"
#include "solver.h"

namespace braid::rulec {
namespace {

using ir::Op;

/// Milliseconds for one query of the first round, by each of its two strategies.
constexpr int first_limit = 1500;
constexpr int case_limit = 4000;

struct Task {
  const Rule* rule;
  const Kinds* kinds;
  FloatFormat format;
  std::string text;  ///< definitions and assertions
};

std::string check(int limit) {
  // Products fall to normal forms of polynomials, everything else to bit-blasting.
  const std::string ms = " " + std::to_string(limit) + ")";
  return "(check-sat-using (or-else (try-for (then simplify propagate-values solve-eqs elim-uncnstr simplify bit-blast sat)" + ms +
         " (try-for (then (! simplify :som true :sort_sums true) propagate-values solve-eqs"
         " (! simplify :som true :sort_sums true) bit-blast sat)" + ms + "))\n";
}
/// Float theory has its own way to bits.
std::string check_floats(int limit) {
  return "(check-sat-using (try-for (then simplify fpa2bv simplify propagate-values solve-eqs bit-blast sat) " +
         std::to_string(limit) + "))\n";
}
std::string check_for(const Task& task, int limit) {
  return task.text.find("fp.") == std::string::npos ? check(limit) : check_floats(limit);
}

std::string kinds_text(const Rule& rule, const Kinds& kinds) {
  std::string text;
  for_each_below(rule, rule.pattern, [&](NodeId id) {
    const Node& node = rule[id];
    if (node.kind != NodeKind::value && node.kind != NodeKind::constant) return;
    std::string part = node.name + ": " + std::string(kind_name(kinds[index(node.type)]));
    if (text.find(part) == std::string::npos) text += (text.empty() ? "" : ", ") + part;
  });
  return text;
}
std::string failure(const Rule& rule, const std::string& message) {
  return rule.file + ":" + std::to_string(rule.line) + ":1: error: rule '" + rule.name + "' " + message;
}

/// The widest of the kinds that are numbers.
int widest(const Kinds& kinds) {
  int width = 0;
  for (Kind kind : kinds)
    if (kind != Kind::tuple) width = std::max(width, static_cast<int>(smt_kind(kind).width));
  return width;
}
bool has_float(const Kinds& kinds) {
  return std::any_of(kinds.begin(), kinds.end(), [](Kind kind) { return is_float(kind); });
}
bool depends_on_width(const Rule& rule) {
  if (!rule.limits.empty()) return true;
  return std::any_of(rule.nodes.begin(), rule.nodes.end(), [](const Node& node) {
    return node.kind == NodeKind::width || node.kind == NodeKind::minimum || node.kind == NodeKind::maximum;
  });
}

/// One value per case of a constant: all of 8 bits, the counts of a shift, the powers of two.
std::vector<std::string> cases(const Rule& rule, const Kinds& kinds) {
  std::string shift, any;
  uint32_t shift_width = 0, any_width = 0;
  for_each_below(rule, rule.pattern, [&](NodeId id) {
    const Node& node = rule[id];
    if (node.kind == NodeKind::constant && any.empty() && !node.is_immediate) {
      any = node.name;
      any_width = smt_kind(kinds[index(node.type)]).width;
    }
    if (node.kind != NodeKind::op || is_constant(rule, id)) return;
    bool is_shift = node.op == Op::shl || node.op == Op::lshr || node.op == Op::ashr || node.op == Op::rotl || node.op == Op::rotr;
    if (is_shift && shift.empty() && rule[node.inputs[1]].kind != NodeKind::op && !rule[node.inputs[1]].name.empty()) {
      shift = rule[node.inputs[1]].name;
      shift_width = smt_kind(kinds[index(rule[node.inputs[1]].type)]).width;
    }
  });
  std::vector<std::string> texts;
  if (!shift.empty()) {
    for (uint32_t k = 0; k < shift_width; ++k)
      texts.push_back("(assert (= (bvand " + shift + " " + smt_bits(shift_width, shift_width - 1) + ") " + smt_bits(shift_width, k) + "))\n");
  } else if (any_width == 8) {
    for (uint32_t k = 0; k < 256; ++k) texts.push_back("(assert (= " + any + " " + smt_bits(8, k) + "))\n");
  } else if (!any.empty() && rule.text.find("is_power_of_two") != std::string::npos) {
    for (uint32_t k = 0; k < any_width; ++k)
      texts.push_back("(assert (= " + any + " " + smt_bits(any_width, uint64_t{1} << k) + "))\n");
    std::string none = "(assert (not (or";
    for (uint32_t k = 0; k < any_width; ++k) none += " (= " + any + " " + smt_bits(any_width, uint64_t{1} << k) + ")";
    texts.push_back(none + ")))\n");
  }
  return texts;
}

class Prover {
 public:
  Prover(const std::vector<Rule>& rules, uint64_t random_cases) : rules_(rules), random_cases_(random_cases) {}

  ProofReport run() {
    for (const Rule& rule : rules_) plan(rule);
    ask();
    for (const Rule& rule : rules_)
      if (rule.proof_8bit) try_at_random(rule);
    return std::move(report_);
  }

 private:
  void plan(const Rule& rule) {
    uint32_t planned = 0;
    const bool all_widths = depends_on_width(rule);
    for (const Kinds& kinds : rule.assignments) {
      const bool is_narrow = widest(kinds) <= 8;
      if (rule.proof_8bit && has_float(kinds)) {
        if (planned != 0) continue;  // f32 and f64 are one format of 8 bits
      } else if (rule.proof_8bit && !is_narrow) {
        continue;
      } else if (!all_widths && widest(kinds) == 16) {
        continue;
      }
      add(rule, kinds, rule.proof_8bit && has_float(kinds) ? FloatFormat::narrow : FloatFormat::full);
      ++planned;
    }
    if (planned == 0) report_.failures.push_back(failure(rule, "has no proof at 8 bits"));
  }
  void add(const Rule& rule, const Kinds& kinds, FloatFormat format) {
    Task task{&rule, &kinds, format, {}};
    std::vector<std::string> definitions;
    std::string query = smt_query(rule, kinds, format, definitions);
    for (const std::string& definition : definitions) task.text += definition;
    task.text += query;
    tasks_.push_back(std::move(task));
  }

  void ask() {
    std::string text;
    for (const Task& task : tasks_) text += "(push)\n" + task.text + check_for(task, first_limit) + "(pop)\n";
    const SolverRun run = ask_solver(text);
    if (!run.error.empty() || run.answers.size() != tasks_.size()) {
      report_.failures.push_back("z3: " + (run.error.empty() ? "answers are missing" : run.error));
      return;
    }
    for (size_t i = 0; i < tasks_.size(); ++i) {
      if (run.answers[i] == Answer::unsat) ++report_.queries;
      else if (run.answers[i] == Answer::sat) report_.failures.push_back(failure(*tasks_[i].rule, "is wrong for " + at(tasks_[i])));
      else ask_by_cases(tasks_[i]);
    }
  }
  static std::string at(const Task& task) { return kinds_text(*task.rule, *task.kinds); }

  void ask_by_cases(const Task& task) {
    std::vector<std::string> all = cases(*task.rule, *task.kinds);
    std::string text = "(push)\n" + task.text;
    for (const std::string& part : all) text += "(push)\n" + part + check_for(task, case_limit) + "(pop)\n";
    const SolverRun run = ask_solver(text);
    auto count = [&](Answer answer) { return std::count(run.answers.begin(), run.answers.end(), answer); };
    if (count(Answer::sat) != 0) {
      report_.failures.push_back(failure(*task.rule, "is wrong for " + at(task)));
    } else if (all.empty() || count(Answer::unsat) != static_cast<int64_t>(all.size())) {
      report_.failures.push_back(failure(*task.rule, "is not proved for " + at(task) + "; if that is too hard, say 'proof=8bit+random'"));
    } else {
      ++report_.queries;
      ++report_.split;
    }
  }

  void try_at_random(const Rule& rule) {
    std::vector<RuleRunner> runners;
    for (const Kinds& kinds : rule.assignments)
      if (widest(kinds) > 8) runners.emplace_back(rule, kinds);
    std::mt19937_64 random(rule.line);
    uint64_t applied = 0;
    for (uint64_t tries = 0; applied < random_cases_; ++tries) {
      RuleRunner& runner = runners[tries % runners.size()];
      RuleRunner::Outcome outcome = runner.try_once(random);
      applied += outcome == RuleRunner::Outcome::holds;
      if (outcome == RuleRunner::Outcome::fails) {
        report_.failures.push_back(failure(rule, "is wrong for " + runner.values()));
        return;
      }
      if (tries > 100 * random_cases_) {
        report_.failures.push_back(failure(rule, "applies too rarely to random values"));
        return;
      }
    }
    report_.random_cases += applied;
  }

  const std::vector<Rule>& rules_;
  uint64_t random_cases_;
  std::vector<Task> tasks_;
  ProofReport report_;
};

}  // namespace

ProofReport prove(const std::vector<Rule>& rules, uint64_t random_cases) { return Prover(rules, random_cases).run(); }

}  // namespace braid::rulec
