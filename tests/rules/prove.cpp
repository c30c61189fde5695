#include "prove.h"

#include <algorithm>
#include <bit>

#include "evaluate.h"
#include "smt.h"
#include "solver.h"

namespace braid::rulec {
namespace {

using ir::Op;

/// Milliseconds for one query, by each of its two strategies: some twenty times what the slowest proof needs, and more for
/// the last try, so that a busy machine does not refute a rule.
constexpr int first_limit = 5000;
constexpr int case_limit = 30000;

struct Task {
  const Rule* rule;
  const Kinds* kinds;
  FloatFormat format;
  std::string text;  ///< definitions and assertions
};

/// Products fall to normal forms of polynomials, everything else to bits.
std::string check(int limit, bool has_product) {
  const std::string ms = " " + std::to_string(limit) + ")";
  const std::string bits =
      "(try-for (then simplify propagate-values solve-eqs elim-uncnstr simplify bit-blast sat)" + ms;
  const std::string normal_form =
      "(try-for (then (! simplify :som true :sort_sums true) propagate-values solve-eqs"
      " (! simplify :som true :sort_sums true) bit-blast sat)" +
      ms;
  return "(check-sat-using (or-else " + (has_product ? normal_form + " " + bits : bits + " " + normal_form) +
         "))\n";
}
/// Float theory has its own way to bits.
std::string check_floats(int limit) {
  const std::string ms = " " + std::to_string(limit) + ")";
  return "(check-sat-using (or-else (try-for (then simplify fpa2bv simplify propagate-values solve-eqs "
         "bit-blast sat)" +
         ms + " (try-for smt" + ms + "))\n";
}
std::string check_for(const Task& task, int limit) {
  if (task.text.find("fp.") != std::string::npos) return check_floats(limit);
  return check(limit, task.text.find("(mul.") != std::string::npos);
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

/// One way to fix a constant, in place of its declaration.
struct Case {
  std::string declaration, fixed;
};

/// The cases of one constant: the counts of a shift (the bits above stay open), all numbers of 8 bits, the
/// powers of two.
std::vector<Case> cases(const Rule& rule, const Kinds& kinds, FloatFormat format) {
  const Node *shift = nullptr, *any = nullptr, *value = nullptr;
  for_each_below(rule, rule.pattern, [&](NodeId id) {
    const Node& node = rule[id];
    if (node.kind == NodeKind::constant && any == nullptr && !node.is_immediate) any = &node;
    if (node.kind == NodeKind::value && value == nullptr) value = &node;
    if (node.kind != NodeKind::op || is_constant(rule, id)) return;
    bool is_shift = node.op == Op::shl || node.op == Op::lshr || node.op == Op::ashr || node.op == Op::rotl ||
                    node.op == Op::rotr;
    if (is_shift && shift == nullptr && !rule[node.inputs[1]].name.empty()) shift = &rule[node.inputs[1]];
  });
  std::vector<Case> all;
  auto width_of = [&](const Node& node) {
    const SmtKind kind = smt_kind(kinds[index(node.type)]);
    return kind.is_float && format == FloatFormat::narrow ? smt_f8.width : kind.width;
  };
  auto add = [&](const Node& node, const std::string& before, const std::string& bits) {
    const std::string sort = "(_ BitVec " + std::to_string(width_of(node)) + ")";
    all.push_back({"(declare-const " + node.name + " " + sort + ")\n",
                   before + "(define-fun " + node.name + " () " + sort + " " + bits + ")\n"});
  };
  if (shift != nullptr) {
    const uint32_t width = width_of(*shift);
    const uint32_t bits = static_cast<uint32_t>(std::bit_width(width - 1));
    for (uint32_t k = 0; k < width && bits > 0; ++k) {
      std::string low = "#b";
      for (uint32_t at = bits; at-- > 0;) low += k >> at & 1 ? '1' : '0';
      add(*shift, "(declare-const high (_ BitVec " + std::to_string(width - bits) + "))\n",
          "(concat high " + low + ")");
    }
  } else if (any != nullptr) {
    const uint32_t width = width_of(*any);
    if (width == 8)
      for (uint32_t k = 0; k < 256; ++k) add(*any, "", smt_bits(8, k));
    else if (rule.text.find("if is_power_of_two(" + any->name + ")") != std::string::npos &&
             rule.text.find("||") == std::string::npos)
      for (uint32_t k = 0; k < width; ++k) add(*any, "", smt_bits(width, uint64_t{1} << k));
  }
  if (all.empty() && value != nullptr && width_of(*value) == 8)
    for (uint32_t k = 0; k < 256; ++k) add(*value, "", smt_bits(8, k));
  return all;
}

class Prover {
 public:
  Prover(const std::vector<Rule>& rules, uint64_t random_cases)
      : rules_(rules), random_cases_(random_cases) {}

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
    // The hard ones would only use up their time before they are asked case by case.
    auto is_hard = [](const Task& task) { return task.rule->proof_cases && widest(*task.kinds) >= 8; };
    for (const Task& task : tasks_)
      if (is_hard(task)) ask_by_cases(task);
    std::erase_if(tasks_, is_hard);
    for (const Task& task : tasks_) text += "(push)\n" + task.text + check_for(task, first_limit) + "(pop)\n";
    const SolverRun run = ask_solver(text);
    if (!run.error.empty() || run.answers.size() != tasks_.size()) {
      report_.failures.push_back("z3: " + (run.error.empty() ? "answers are missing" : run.error));
      return;
    }
    for (size_t i = 0; i < tasks_.size(); ++i) {
      if (run.answers[i] == Answer::unsat)
        ++report_.queries;
      else if (run.answers[i] == Answer::sat)
        report_.failures.push_back(failure(*tasks_[i].rule, "is wrong for " + at(tasks_[i])));
      else
        ask_by_cases(tasks_[i]);
    }
  }
  static std::string at(const Task& task) { return kinds_text(*task.rule, *task.kinds); }

  void ask_by_cases(const Task& task) {
    std::vector<Case> all = cases(*task.rule, *task.kinds, task.format);
    auto ask_some = [&](size_t first, size_t end) {
      std::string text;
      for (size_t i = first; i < end; ++i) {
        std::string query = task.text;
        size_t at = query.find(all[i].declaration);
        if (at != std::string::npos) query.replace(at, all[i].declaration.size(), all[i].fixed);
        text += "(push)\n" + query + check_for(task, case_limit) + "(pop)\n";
      }
      return ask_solver(text).answers;
    };
    // One case says whether the others are worth the time.
    const size_t middle = all.size() / 2;
    std::vector<Answer> answers;
    if (!all.empty()) answers = ask_some(middle, middle + 1);
    if (answers == std::vector<Answer>{Answer::unsat}) answers = ask_some(0, all.size());
    auto count = [&](Answer answer) { return std::count(answers.begin(), answers.end(), answer); };
    if (count(Answer::sat) != 0) {
      report_.failures.push_back(failure(*task.rule, "is wrong for " + at(task)));
    } else if (all.empty() || count(Answer::unsat) != static_cast<int64_t>(all.size())) {
      report_.failures.push_back(
          failure(*task.rule, "is not proved for " + at(task) +
                                  "; if that is too hard, say 'proof=cases' or 'proof=8bit+random'"));
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

ProofReport prove(const std::vector<Rule>& rules, uint64_t random_cases) {
  return Prover(rules, random_cases).run();
}

}  // namespace braid::rulec
