#include "prove.h"

#include <algorithm>
#include <bit>

#include "evaluate.h"
#include "smt.h"
#include "solver.h"

namespace braid::rulec {
namespace {

using ir::Op;

/// Milliseconds for one query, by each of its two strategies: some twenty times what the slowest proof needs,
/// and more for the last try, so that a busy machine does not refute a rule.
constexpr int first_limit = 5000;
constexpr int case_limit = 30000;

/// For a form of the question in which the answer is obvious, if it has such a form.
constexpr int form_limit = 1000;
/// For what is said to be out of reach: only to see whether that is nonsense.
constexpr int glance_limit = 200;

struct Task {
  const Rule* rule;
  const Kinds* kinds;
  FloatFormat format;
  std::string text;                ///< definitions and assertions
  std::vector<std::string> forms;  ///< others that are no weaker: `unsat` of one of them is a proof, too
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
/// Polynomials, and functions that nothing is known of.
std::string check_form(int limit) {
  return "(check-sat-using (try-for (then (! simplify :som true :sort_sums true) propagate-values solve-eqs"
         " (! simplify :som true :sort_sums true) smt) " +
         std::to_string(limit) + "))\n";
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
bool is_random(const Rule& rule, const Kinds& kinds) {
  return std::count(rule.random_widths.begin(), rule.random_widths.end(),
                    static_cast<uint32_t>(widest(kinds))) != 0;
}

/// One way to fix constants: each declaration and what stands in its place.
using Case = std::vector<std::pair<std::string, std::string>>;

struct Cases {
  std::vector<Case> all;
  std::string others;  ///< an assertion that it is none of these; nothing if that is clear
};

/// The cases of one constant, all numbers of 8 bits or the powers of two; or of the counts of the first
/// shifts (the bits above stay open).
Cases cases(const Rule& rule, const Kinds& kinds, FloatFormat format, size_t most_counts) {
  std::vector<const Node*> counts;
  const Node *any = nullptr, *value = nullptr;
  auto width_of = [&](const Node& node) {
    const SmtKind kind = smt_kind(kinds[index(node.type)]);
    return kind.is_float && format == FloatFormat::narrow ? smt_f8.width : kind.width;
  };
  for_each_below(rule, rule.pattern, [&](NodeId id) {
    const Node& node = rule[id];
    if (node.kind == NodeKind::constant && any == nullptr && !node.is_immediate) any = &node;
    if (node.kind == NodeKind::value && value == nullptr) value = &node;
    if (node.kind != NodeKind::op || is_constant(rule, id)) return;
    bool is_shift = node.op == Op::shl || node.op == Op::lshr || node.op == Op::ashr || node.op == Op::rotl ||
                    node.op == Op::rotr;
    if (!is_shift) return;
    const Node& count = rule[node.inputs[1]];
    bool is_new =
        std::none_of(counts.begin(), counts.end(), [&](const Node* c) { return c->name == count.name; });
    if (is_new && !count.name.empty() && width_of(count) > 1 && counts.size() < most_counts)
      counts.push_back(&count);
  });
  const std::string& text = rule.text;
  auto declaration = [&](const Node& node) {
    return "(declare-const " + node.name + " (_ BitVec " + std::to_string(width_of(node)) + "))\n";
  };
  auto fixed = [&](const Node& node, const std::string& bits) {
    return std::pair(declaration(node), "(define-fun " + node.name + " () (_ BitVec " +
                                            std::to_string(width_of(node)) + ") " + bits + ")\n");
  };
  Cases made;
  if (!counts.empty()) {
    made.all.emplace_back();
    for (const Node* count : counts) {
      const uint32_t width = width_of(*count);
      const uint32_t bits = static_cast<uint32_t>(std::bit_width(width - 1));
      const std::string high = "high." + count->name;
      std::vector<Case> more;
      for (const Case& before : made.all)
        for (uint32_t k = 0; k < width; ++k) {
          std::string low = "#b";
          for (uint32_t at = bits; at-- > 0;) low += k >> at & 1 ? '1' : '0';
          auto one = fixed(*count, "(concat " + high + " " + low + ")");
          one.second.insert(0,
                            "(declare-const " + high + " (_ BitVec " + std::to_string(width - bits) + "))\n");
          more.push_back(before);
          more.back().push_back(one);
        }
      made.all = std::move(more);
    }
    return made;
  }
  if (any == nullptr) any = value;
  if (any == nullptr) return made;
  const uint32_t width = width_of(*any);
  if (width == 8) {
    for (uint32_t k = 0; k < 256; ++k) made.all.push_back({fixed(*any, smt_bits(8, k))});
  } else {
    const bool is_power = text.find("is_power_of_two(" + any->name + ")") != std::string::npos;
    const bool is_negated = text.find("is_power_of_two(-" + any->name + ")") != std::string::npos;
    if (!is_power && !is_negated) return made;
    made.others = "(assert (not (or false";
    for (uint32_t k = 0; k < width; ++k) {
      const std::string bits = smt_bits(width, is_power ? uint64_t{1} << k : ~uint64_t{0} << k);
      made.all.push_back({fixed(*any, bits)});
      made.others += " (= " + any->name + " " + bits + ")";
    }
    made.others += ")))\n";
  }
  return made;
}

class Prover {
 public:
  explicit Prover(const std::vector<Rule>& rules) : rules_(rules) {}

  ProofReport prove(uint64_t random_cases) {
    for (const Rule& rule : rules_) plan(rule);
    const std::vector<bool> is_proved = ask(first_limit, case_limit);
    for (size_t i = 0; i < tasks_.size(); ++i)
      if (!is_proved[i] && !refuted_[i])
        fail(*tasks_[i].rule, "is not proved for " + at(tasks_[i]) +
                                  "; if that is too hard, say 'proof=cases' or 'proof=random:" +
                                  std::to_string(widest(*tasks_[i].kinds)) + "'");
    for (const Rule& rule : rules_)
      for (uint32_t width : rule.random_widths) try_at_random(rule, width, random_cases);
    return std::move(report_);
  }

  ProofReport find_stale(bool thorough) {
    for (const Rule& rule : rules_)
      for (const Kinds& kinds : rule.assignments)
        if (is_random(rule, kinds)) add(rule, kinds, FloatFormat::full);
    const std::vector<bool> is_proved =
        thorough ? ask(first_limit, first_limit) : ask(glance_limit, glance_limit);
    for (const Rule& rule : rules_)
      for (uint32_t width : rule.random_widths) {
        bool is_stale = true;
        for (size_t i = 0; i < tasks_.size(); ++i)
          if (tasks_[i].rule == &rule && widest(*tasks_[i].kinds) == static_cast<int>(width))
            is_stale &= is_proved[i];
        if (is_stale)
          fail(rule,
               "is proved at " + std::to_string(width) + " bits; 'proof=random' must not name that width");
      }
    return std::move(report_);
  }

 private:
  void plan(const Rule& rule) {
    bool is_narrow = rule.random_widths.empty();
    for (const Kinds& kinds : rule.assignments) {
      is_narrow |= widest(kinds) == 8;
      if (!is_random(rule, kinds)) {
        add(rule, kinds, FloatFormat::full);
      } else if (has_float(kinds) && !is_narrow) {
        add(rule, kinds, FloatFormat::narrow);  // f32 and f64 are one format of 8 bits
        is_narrow = true;
      }
    }
    if (!is_narrow) fail(rule, "has no proof at 8 bits");
    for (uint32_t width : rule.random_widths)
      if (std::none_of(rule.assignments.begin(), rule.assignments.end(),
                       [&](const Kinds& kinds) { return widest(kinds) == static_cast<int>(width); }))
        fail(rule, "does not apply at " + std::to_string(width) + " bits");
  }
  static std::string question(const Rule& rule, const Kinds& kinds, FloatFormat format, Form form) {
    std::vector<std::string> definitions;
    std::string query = smt_query(rule, kinds, format, form, definitions), text;
    for (const std::string& definition : definitions) text += definition;
    return text + query;
  }
  /// Shifts alone are not worth the algebra; rotations are if their counts are known.
  static bool may_help(const Rule& rule, Form form, const std::string& text) {
    return form != Form::algebra || text.find("(mul.") != std::string::npos ||
           (rule.proof_cases && text.find("(rot") != std::string::npos);
  }
  void add(const Rule& rule, const Kinds& kinds, FloatFormat format) {
    Task task{&rule, &kinds, format, question(rule, kinds, format, Form::plain), {}};
    for (Form form : other_forms) {
      std::string text = question(rule, kinds, format, form);
      if (text != task.text && may_help(rule, form, text)) task.forms.push_back(std::move(text));
    }
    tasks_.push_back(std::move(task));
  }
  void fail(const Rule& rule, const std::string& message) {
    report_.failures.push_back(failure(rule, message));
  }
  static std::string at(const Task& task) { return kinds_text(*task.rule, *task.kinds); }

  /// Asks in order. Nothing if the solver did not answer all of it.
  std::vector<Answer> ask_all(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) all += "(push)\n" + text + "(pop)\n";
    SolverRun run = ask_solver(all);
    if (run.error.empty() && run.answers.size() == texts.size()) return run.answers;
    report_.failures.push_back("z3: " + (run.error.empty() ? "answers are missing" : run.error));
    return std::vector<Answer>(texts.size(), Answer::unknown);
  }

  /// Which of the tasks are proved: in another form; as they are; case by case.
  std::vector<bool> ask(int limit, int limit_of_case) {
    refuted_.assign(tasks_.size(), false);
    std::vector<bool> is_proved(tasks_.size());
    std::vector<std::string> texts;
    std::vector<size_t> asked;
    auto ask_these = [&](bool plain) {
      const std::vector<Answer> answers = ask_all(texts);
      for (size_t i = 0; i < asked.size(); ++i) {
        if (answers[i] == Answer::unsat) is_proved[asked[i]] = true;
        if (plain && answers[i] == Answer::sat) refute(asked[i]);
      }
      texts.clear();
      asked.clear();
    };
    // The hard ones would only use up their time before they are asked case by case.
    auto is_hard = [](const Task& task) {
      return task.rule->proof_cases && widest(*task.kinds) >= 8 &&
             !cases(*task.rule, *task.kinds, task.format, 1).all.empty();
    };
    for (size_t i = 0; i < tasks_.size(); ++i)
      for (const std::string& form : tasks_[i].forms) {
        if (is_hard(tasks_[i])) break;
        texts.push_back(form + check_form(std::min(limit, form_limit)));
        asked.push_back(i);
      }
    ask_these(false);
    for (size_t i = 0; i < tasks_.size(); ++i) {
      if (is_proved[i] || is_hard(tasks_[i])) continue;
      texts.push_back(tasks_[i].text + check_for(tasks_[i], limit));
      asked.push_back(i);
    }
    ask_these(true);
    // What was asked before stirs the order in which the solver looks at things: some proofs want a solver of
    // their own.
    for (size_t i = 0; i < tasks_.size(); ++i) {
      if (is_proved[i] || refuted_[i] || is_hard(tasks_[i]) || limit_of_case < case_limit) continue;
      texts.push_back(tasks_[i].text + check_for(tasks_[i], limit));
      asked.push_back(i);
      ask_these(true);
    }
    report_.queries += static_cast<uint32_t>(std::count(is_proved.begin(), is_proved.end(), true));
    for (size_t i = 0; i < tasks_.size(); ++i) {
      if (is_proved[i] || refuted_[i] || !ask_by_cases(i, limit_of_case)) continue;
      is_proved[i] = true;
      ++report_.queries;
      ++report_.split;
    }
    return is_proved;
  }
  void refute(size_t task) {
    refuted_[task] = true;
    fail(*tasks_[task].rule, "is wrong for " + at(tasks_[task]));
  }

  bool ask_by_cases(size_t number, int limit) {
    const Task& task = tasks_[number];
    std::vector<Cases> ways = {cases(*task.rule, *task.kinds, task.format, 1)};
    Cases finer = cases(*task.rule, *task.kinds, task.format, 2);
    if (finer.all.size() != ways[0].all.size()) ways.push_back(std::move(finer));
    for (const std::string& form : task.forms)
      for (const Cases& way : ways)
        if (ask_cases(number, way, form, check_form(std::min(limit, form_limit)), false)) return true;
    for (const Cases& way : ways)
      if (ask_cases(number, way, task.text, check_for(task, limit), true)) return true;
    return false;
  }
  bool ask_cases(size_t number, const Cases& split, const std::string& text, const std::string& check,
                 bool plain) {
    if (split.all.empty() || refuted_[number]) return false;
    auto in_case = [&](std::string query, const Case& fixed) {
      for (const auto& [declaration, definition] : fixed)
        if (size_t at = query.find(declaration); at != std::string::npos)
          query.replace(at, declaration.size(), definition);
      return query;
    };
    auto ask_some = [&](size_t first, size_t end) {
      std::vector<std::string> texts;
      for (size_t i = first; i < end; ++i) texts.push_back(in_case(text, split.all[i]) + check);
      if (!split.others.empty()) texts.push_back(text + split.others + check);
      const std::vector<Answer> answers = ask_all(texts);
      auto count = [&](Answer answer) { return std::count(answers.begin(), answers.end(), answer); };
      if (plain && count(Answer::sat) != 0) refute(number);
      return count(Answer::unsat) == static_cast<int64_t>(answers.size());
    };
    // One case says whether the others are worth the time.
    const size_t middle = split.all.size() / 2;
    return ask_some(middle, middle + 1) && ask_some(0, split.all.size());
  }

  void try_at_random(const Rule& rule, uint32_t width, uint64_t random_cases) {
    std::vector<RuleRunner> runners;
    for (const Kinds& kinds : rule.assignments)
      if (widest(kinds) == static_cast<int>(width)) runners.emplace_back(rule, kinds);
    if (runners.empty()) return;
    std::mt19937_64 random(rule.line);
    uint64_t applied = 0;
    for (uint64_t tries = 0; applied < random_cases; ++tries) {
      RuleRunner& runner = runners[tries % runners.size()];
      RuleRunner::Outcome outcome = runner.try_once(random);
      applied += outcome == RuleRunner::Outcome::holds;
      if (outcome == RuleRunner::Outcome::fails) return fail(rule, "is wrong for " + runner.values());
      if (tries > 100 * random_cases) return fail(rule, "applies too rarely to random values");
    }
    report_.random_cases += applied;
  }

  const std::vector<Rule>& rules_;
  std::vector<Task> tasks_;
  std::vector<bool> refuted_;  ///< of each task
  ProofReport report_;
};

}  // namespace

ProofReport prove(const std::vector<Rule>& rules, uint64_t random_cases) {
  return Prover(rules).prove(random_cases);
}
ProofReport find_stale(const std::vector<Rule>& rules, bool thorough) {
  return Prover(rules).find_stale(thorough);
}

}  // namespace braid::rulec
