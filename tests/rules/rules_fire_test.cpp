// The compiled rules at work on random expressions: every rule fires, none changes a value, rewriting ends.
//
// Random operations alone would hardly ever be what a rule looks for. So patterns of randomly drawn rules are
// put together, with values of the graph for their variables and constants that meet their conditions.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "evaluate.h"
#include "project_rules.h"
#include "rule_graph.h"
#include "rules/simplify.h"

namespace braid::rulec {
namespace {

using ir::Op;
using rules::RuleGraph;
using rules::RuleId;
using Value = RuleGraph::Value;

constexpr uint32_t parameters_per_kind = 3;
constexpr Kind word_kinds[] = {Kind::i1,  Kind::i8,  Kind::i16, Kind::i32, Kind::i64,
                               Kind::f32, Kind::f64, Kind::ptr, Kind::ref};

uint64_t random_word(Kind kind, std::mt19937_64& random) {
  uint64_t bits = random();
  switch (random() % 5) {
    case 0: bits = bits % 5 - 2; break;
    case 1: bits = uint64_t{1} << (bits % 64); break;
    case 2: bits >>= random() % 64; break;
    default: break;
  }
  if (is_float(kind) && random() % 2) {
    double value = static_cast<double>(static_cast<int64_t>(bits % 9)) - 4;
    return kind == Kind::f64 ? ir::bits_of(value / 2) : ir::bits_of(static_cast<float>(value / 2));
  }
  return ir::canonical(kind, bits);
}

/// The same expressions twice: as they are, and simplified.
class Pair {
 public:
  explicit Pair(uint64_t seed) : random_(seed) {
    uint64_t number = 0;
    for (Kind kind : word_kinds)
      for (uint32_t i = 0; i < parameters_per_kind; ++i, ++number) {
        Value a = plain.parameter(kind, number), b = simple.parameter(kind, number);
        add(kind, a, b);
        kinds_.push_back(kind);
      }
  }

  struct Both {
    Value plain, simple;
  };
  Both any(Kind kind) {
    const std::vector<Both>& all = values_[kind];
    // Recent values more often, so that expressions get deep.
    return random_() % 2 ? all[all.size() - 1 - random_() % std::min<size_t>(all.size(), 4)]
                         : all[random_() % all.size()];
  }

  /// The pattern of a rule, with values of this graph; nothing if no constants were found that meet its
  /// condition.
  bool add_pattern(const Rule& rule, const Kinds& kinds) {
    RuleRunner runner(rule, kinds);
    for (int tries = 0; tries < 300; ++tries) {
      if (runner.try_once(random_) == RuleRunner::Outcome::does_not_apply) continue;
      bound_.clear();
      Both root = build(rule, kinds, runner, rule.pattern);
      if (kinds[index(rule[rule.pattern].type)] != Kind::tuple)
        add(kinds[index(rule[rule.pattern].type)], root.plain, root.simple);
      return true;
    }
    return false;
  }
  /// A field of a tuple of two values.
  void add_field() {
    const Kind kinds[] = {word_kinds[random_() % std::size(word_kinds)],
                          word_kinds[random_() % std::size(word_kinds)]};
    const Both first = any(kinds[0]), second = any(kinds[1]);
    const uint64_t field = random_() % 2;
    const Value a[] = {first.plain, second.plain}, b[] = {first.simple, second.simple};
    const Value tuple_a[] = {plain.plain(Op::tuple, Kind::tuple, a)},
                tuple_b[] = {simple.operation(Op::tuple, Kind::tuple, b, 0)};
    add(kinds[field], plain.plain(Op::extract, kinds[field], tuple_a, field),
        simple.operation(Op::extract, kinds[field], tuple_b, field));
  }
  void add(Kind kind, Value a, Value b) { values_[kind].push_back({a, b}); }

  /// Whether all values are the same for these parameters.
  ::testing::AssertionResult agree() {
    std::vector<uint64_t> words;
    for (Kind kind : kinds_) words.push_back(random_word(kind, random_));
    for (auto& [kind, all] : values_)
      for (const Both& both : all)
        if (plain.evaluate(both.plain, words) != simple.evaluate(both.simple, words))
          return ::testing::AssertionFailure() << "after rule " << rules::info(simple.last).name;
    return ::testing::AssertionSuccess();
  }

  RuleGraph plain, simple;

 private:
  Both build(const Rule& rule, const Kinds& kinds, const RuleRunner& runner, NodeId id) {
    const Node& node = rule[id];
    const Kind kind = kinds[index(node.type)];
    if (is_constant(rule, id)) {
      uint64_t bits = runner.bits(id);
      return {plain.constant(kind, bits), simple.constant(kind, bits)};
    }
    if (node.kind == NodeKind::value) {
      auto [found, is_new] = bound_.emplace(node.name, Both{});
      if (is_new) found->second = any(kind);
      return found->second;
    }
    std::vector<Value> a, b;
    uint64_t immediate = 0;
    for (NodeId input : node.inputs) {
      if (rule[input].is_immediate) {
        immediate = runner.bits(input);
        continue;
      }
      Both both = build(rule, kinds, runner, input);
      a.push_back(both.plain);
      b.push_back(both.simple);
    }
    return {plain.plain(node.op, kind, a, immediate), simple.operation(node.op, kind, b, immediate)};
  }

  std::mt19937_64 random_;
  std::vector<Kind> kinds_;
  std::map<Kind, std::vector<Both>> values_;
  std::map<std::string, Both> bound_;
};

/// Each rule's own pattern, inner operations as they are: the rule itself fires for some operands, and is not
/// hidden behind others for all of them.
TEST(RulesFire, EachAtItsOwnPattern) {
  std::mt19937_64 random(3);
  uint64_t checked = 0;
  for (const Rule& rule : all_rules()) {
    bool fired = false;
    std::map<std::string, int> others;
    for (int tries = 0; tries < 3000 && !fired; ++tries) {
      const Kinds& kinds = rule.assignments[random() % rule.assignments.size()];
      RuleRunner runner(rule, kinds);
      if (runner.try_once(random) == RuleRunner::Outcome::does_not_apply) continue;
      RuleGraph graph;
      std::vector<uint64_t> words;
      std::map<std::string, Value> bound;
      std::map<NodeId, Value> made;
      uint64_t root_immediate = 0;
      std::vector<Value> root_inputs;
      for_each_below(rule, rule.pattern, [&](NodeId id) {
        const Node& node = rule[id];
        const Kind kind = kinds[index(node.type)];
        if (is_constant(rule, id)) {
          made[id] = graph.constant(kind, runner.bits(id));
        } else if (node.kind == NodeKind::value) {
          auto [found, is_new] = bound.emplace(node.name, 0);
          if (is_new) {
            // What a rule wants computed is computed from two parameters.
            found->second = graph.parameter(kind, words.size());
            words.push_back(runner.bits(id));
            if (rule.text.find("computed") != std::string::npos) {
              const Value twice[] = {found->second, found->second};
              found->second = graph.plain(Op::fadd, kind, twice);
            }
          }
          made[id] = found->second;
        } else {
          std::vector<Value> inputs;
          uint64_t immediate = 0;
          for (NodeId input : node.inputs)
            if (rule[input].is_immediate)
              immediate = runner.bits(input);
            else
              inputs.push_back(made[input]);
          made[id] = graph.plain(node.op, kind, inputs, immediate);
          if (id == rule.pattern) root_inputs = inputs, root_immediate = immediate;
        }
      });
      RuleId which = RuleId::none;
      const Kind kind = kinds[index(rule[rule.pattern].type)];
      graph.counts_uses = false;
      auto answer = rules::simplify(graph, rule[rule.pattern].op, kind, std::span<const Value>(root_inputs),
                                    root_immediate, &which);
      ASSERT_TRUE(answer.has_value()) << rule.name << " finds nothing at its own pattern";
      fired = rules::info(which).name == rule.name;
      ++others[std::string(rules::info(which).name)];
      if (kind == Kind::tuple) continue;
      ++checked;
      ASSERT_EQ(graph.kind(*answer), kind) << rule.name << " by " << rules::info(which).name;
      ASSERT_EQ(graph.evaluate(*answer, words), graph.evaluate(made[rule.pattern], words))
          << rule.name << " by " << rules::info(which).name;
    }
    std::string instead;
    for (auto& [name, count] : others) instead += " " + name;
    EXPECT_TRUE(fired) << rule.file << ":" << rule.line << ": " << rule.name
                       << " never fires; instead:" << instead;
  }
  EXPECT_GT(checked, all_rules().size());
}

/// Random graphs to a fixpoint. A step makes others; if they never ended the limit would be met.
TEST(RulesFire, RandomGraphsKeepTheirValues) {
  std::mt19937_64 random(11);
  std::vector<uint64_t> fired(rules::all_rules().size());
  uint64_t most_steps = 0, operations = 0, left = 0;
  for (int round = 0; round < 1500; ++round) {
    Pair pair(random());
    pair.simple.counts_uses = random() % 2;
    for (int i = 0; i < 40; ++i) {
      if (random() % 16 == 0) pair.add_field();
      const Rule& rule = all_rules()[random() % all_rules().size()];
      const uint64_t before = pair.simple.steps;
      pair.add_pattern(rule, rule.assignments[random() % rule.assignments.size()]);
      most_steps = std::max(most_steps, pair.simple.steps - before);
      ASSERT_FALSE(pair.simple.is_endless) << "at rule " << rule.name;
    }
    operations += pair.plain.size();
    left += pair.simple.size();
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(pair.agree()) << "round " << round;
    for (size_t i = 0; i < fired.size(); ++i) fired[i] += pair.simple.fired[i];
  }
  size_t never = 0;
  std::string names;
  for (size_t i = 1; i < fired.size(); ++i)
    if (fired[i] == 0) ++never, names += " " + std::string(rules::all_rules()[i].name);
  std::printf("%llu operations, %llu after; at most %llu steps for one pattern; rules that never fired:%s\n",
              static_cast<unsigned long long>(operations), static_cast<unsigned long long>(left),
              static_cast<unsigned long long>(most_steps), names.c_str());
  EXPECT_EQ(never, 0u) << names;
  EXPECT_LT(most_steps, 200u);
}

}  // namespace
}  // namespace braid::rulec
