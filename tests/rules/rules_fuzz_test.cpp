// The fuzz run of the rules: random functions made of their patterns, random Simple programs and random functions with
// handlers, all of them simplified and optimised. Every rule and every rewrite of a graph fires in it, and none changes a
// result.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "engines_agree.h"
#include "generator.h"
#include "interp/interpreter.h"
#include "ir/bits.h"
#include "ir/verify.h"
#include "opt/simplify.h"
#include "pattern_nodes.h"
#include "program_runs.h"
#include "project_rules.h"
#include "rules/rule.h"
#include "sea/evaluate.h"
#include "sea/land.h"
#include "sea/lift.h"
#include "sea/optimise.h"
#include "ssa/construct.h"
#include "text/parse.h"
#include "text/print.h"

namespace braid::rulec {
namespace {

using ir::Op;

constexpr Kind kinds_of_values[] = {Kind::i1,  Kind::i8,  Kind::i16, Kind::i32, Kind::i64,
                                    Kind::f32, Kind::f64, Kind::ptr, Kind::ref};
constexpr uint32_t parameters_per_kind = 2;

/// A graph without effects: patterns of random rules in conditions and loops, and a number that depends on all of them.
class PatternFunction {
 public:
  /// `fired`, by rule: how often it has, so that those that did least are tried more often.
  PatternFunction(ir::Module& module, std::mt19937_64& random, std::span<const uint64_t> fired)
      : g(module), random_(random), fired_(fired) {
    g.start = g.make(sea::NodeOp::start, sea::control_type, {});
    g.stop = g.make(sea::NodeOp::stop, void_type, {});
    g.keep(g.start);
    g.keep(g.stop);
    control_ = g.make(sea::NodeOp::projection, sea::control_type, {g.start}, 0);
    uint32_t number = 0;
    for (Kind kind : kinds_of_values)
      for (uint32_t i = 0; i < parameters_per_kind; ++i)
        add(kind, g.make(sea::NodeOp::parameter, of(kind), {g.start}, number++));
    result_ = constant(0);
    for (size_t pieces = 2 + pick(4); pieces > 0; --pieces) piece(2);
    g.add_input(g.stop, g.make(Op::ret, void_type, {control_, g.start, result_}));
  }

  static ir::Signature signature() {
    ir::Signature signature{{}, i64};
    for (Kind kind : kinds_of_values) signature.params.insert(signature.params.end(), parameters_per_kind, of(kind));
    return signature;
  }

  sea::Graph g;

 private:
  size_t pick(size_t count) { return random_() % count; }
  void add(Kind kind, sea::NodeId n) { values_[static_cast<size_t>(kind)].push_back(n); }
  sea::NodeId any(Kind kind) {
    const std::vector<sea::NodeId>& all = values_[static_cast<size_t>(kind)];
    return all[pick(2) ? pick(parameters_per_kind) : pick(all.size())];
  }
  sea::NodeId constant(uint64_t bits) { return g.unify(g.make_constant(i64, bits)); }

  void piece(size_t depth) {
    switch (depth > 0 ? pick(12) : 0) {
      case 6:
      case 7:
      case 8: return condition(depth - 1);
      case 9:
      case 10: return loop(depth - 1);
      case 11: return undefined();
      default: return patterns(1 + pick(6));
    }
  }

  /// Makes the result depend on it.
  void use(Kind kind, sea::NodeId n) {
    result_ = g.make(Op::add, i64, {g.make(Op::mul, i64, {result_, constant(31)}), as_number(kind, n)});
  }

  void patterns(size_t count) {
    if (pick(8) == 0) field();
    for (; count > 0; --count) {
      const Rule& rule = rare_rule();
      const Kinds& kinds = rule.assignments[pick(rule.assignments.size())];
      RuleRunner runner(rule, kinds);
      int tries = 0;
      while (tries < 300 && !(runner.try_once(random_) == RuleRunner::Outcome::holds && can_be_written(rule, kinds, runner)))
        ++tries;
      if (tries == 300) continue;
      sea::NodeId made = make_pattern(g, rule, kinds, runner, [&](Kind kind, uint64_t) { return any(kind); });
      Kind kind = kinds[index(rule[rule.pattern].type)];
      if (kind == Kind::tuple) {
        const uint32_t field[] = {static_cast<uint32_t>(pick(2))};
        kind = field[0] == 1 ? Kind::i1 : *g.module().types.single_kind(g.type(g.input(made, 0)));
        made = g.make(Op::extract, of(kind), {made}, g.payload_of(field));
      }
      add(kind, made);
      use(kind, made);
    }
  }

  /// A field of a tuple of two values.
  void field() {
    const Kind kinds[] = {any_kind(), any_kind()};
    const Type types[] = {of(kinds[0]), of(kinds[1])};
    const uint32_t words[] = {static_cast<uint32_t>(pick(2))};
    sea::NodeId tuple = g.make(Op::tuple, g.module().types.tuple(types), {any(kinds[0]), any(kinds[1])});
    use(kinds[words[0]], g.make(Op::extract, types[words[0]], {tuple}, g.payload_of(words)));
  }

  /// A value that is not defined on one way, and is used where control never comes: no square is 3 modulo 4.
  void undefined() {
    const Kind kind = any_kind();
    sea::NodeId x = any(Kind::i64);
    sea::NodeId always = g.make(Op::eq, i1, {g.make(Op::and_, i64, {x, constant(0)}), constant(0)});
    sea::NodeId which = pick(2) ? always : any(Kind::i1);
    Join choice = begin(which);
    control_ = end(choice);
    sea::NodeId none = g.make(sea::NodeOp::undef, of(kind), {});
    sea::NodeId phi = g.make(Op::phi, of(kind), {control_, none, any(kind)});
    Join guard = begin(g.make(Op::eq, i1, {g.make(Op::mul, i64, {x, x}), constant(3)}));
    const sea::NodeId before = result_;
    use(kind, g.make(Op::pi, of(kind), {guard.ways[0], phi}));
    control_ = end(guard);
    result_ = g.make(Op::phi, i64, {control_, result_, before});
  }

  const Rule& rare_rule() {
    size_t rarest = pick(fired_.size());
    for (int others = 0; others < 4; ++others)
      if (size_t other = pick(fired_.size()); fired_[other] < fired_[rarest]) rarest = other;
    return all_rules()[rarest];
  }

  /// The one reference that is a constant is null.
  static bool can_be_written(const Rule& rule, const Kinds& kinds, const RuleRunner& runner) {
    bool can = true;
    for_each_below(rule, rule.pattern, [&](NodeId id) {
      can = can && !(is_constant(rule, id) && kinds[index(rule[id].type)] == Kind::ref && runner.bits(id) != 0);
    });
    return can;
  }

  sea::NodeId as_number(Kind kind, sea::NodeId n) {
    switch (kind) {
      case Kind::i64: return n;
      case Kind::f32: return g.make(Op::zext, i64, {g.make(Op::bitcast, i32, {n})});
      case Kind::f64: return g.make(Op::bitcast, i64, {n});
      case Kind::ptr: return g.make(Op::ptrtoint, i64, {n});
      case Kind::ref: return g.make(Op::zext, i64, {g.make(Op::eq, i1, {n, values_[static_cast<size_t>(kind)][0]})});
      default: return g.make(Op::zext, i64, {n});
    }
  }

  struct Join {
    sea::NodeId ways[2];
  };
  Join begin(sea::NodeId condition) {
    sea::NodeId branch = g.make(Op::branch, sea::control_type, {control_, condition});
    return {{g.make(sea::NodeOp::projection, sea::control_type, {branch}, 0),
             g.make(sea::NodeOp::projection, sea::control_type, {branch}, 1)}};
  }
  sea::NodeId end(const Join& join) {
    return g.make(sea::NodeOp::region, sea::control_type, {join.ways[0], join.ways[1]});
  }

  /// What is known now, to be gone back to.
  struct Known {
    size_t sizes[32];
    sea::NodeId result;
  };
  Known known() const {
    Known now{{}, result_};
    for (size_t k = 0; k < std::size(values_); ++k) now.sizes[k] = values_[k].size();
    return now;
  }
  void forget(const Known& known) {
    for (size_t k = 0; k < std::size(values_); ++k) values_[k].resize(known.sizes[k]);
    result_ = known.result;
  }
  Kind any_kind() { return kinds_of_values[pick(std::size(kinds_of_values))]; }

  void condition(size_t depth) {
    Join join = begin(any(Kind::i1));
    const Known before = known();
    const Kind kinds[] = {any_kind(), any_kind()};
    sea::NodeId values[2][2], results[2];
    for (uint32_t side : {0u, 1u}) {
      control_ = join.ways[side];
      if (side == 0 || pick(2)) piece(depth);
      for (size_t k : {0, 1}) values[side][k] = any(kinds[k]);
      join.ways[side] = control_;
      results[side] = result_;
      forget(before);
    }
    control_ = end(join);
    for (size_t k : {0, 1})
      add(kinds[k], g.make(Op::phi, of(kinds[k]), {control_, values[0][k], values[1][k]}));
    result_ = g.make(Op::phi, i64, {control_, results[0], results[1]});
  }

  void loop(size_t depth) {
    const sea::NodeId loop = g.make(sea::NodeOp::loop, sea::control_type, {control_, sea::no_node});
    const Kind kinds[] = {any_kind(), any_kind()};
    sea::NodeId counter = g.make(Op::phi, i64, {loop, constant(0), sea::no_node});
    sea::NodeId phis[2];
    for (size_t k : {0, 1}) phis[k] = g.make(Op::phi, of(kinds[k]), {loop, any(kinds[k]), sea::no_node});
    sea::NodeId result = result_ = g.make(Op::phi, i64, {loop, result_, sea::no_node});
    for (size_t k : {0, 1}) add(kinds[k], phis[k]);
    add(Kind::i64, counter);
    sea::NodeId more = g.make(Op::slt, i1, {counter, constant(1 + pick(3))});
    control_ = loop;
    const Join ways = begin(more);
    control_ = ways.ways[0];
    const Known head = known();
    piece(depth);
    g.set_input(loop, 1, control_);
    g.set_input(counter, 2, g.make(Op::add, i64, {counter, constant(1)}));
    for (size_t k : {0, 1}) g.set_input(phis[k], 2, pick(4) ? any(kinds[k]) : phis[k]);
    g.set_input(result, 2, result_);
    forget(head);
    control_ = ways.ways[1];
  }

  std::mt19937_64& random_;
  std::span<const uint64_t> fired_;
  std::vector<sea::NodeId> values_[32];  ///< by kind; parameters first
  sea::NodeId control_, result_;
};

class RulesFuzz : public ::testing::Test {
 protected:
  sea::RewriteCounts counts_;                                                ///< in graphs
  std::vector<uint64_t> in_code_ = std::vector<uint64_t>(rules::all_rules().size());  ///< in linear SSA

  uint64_t count(rules::RuleId rule) const {
    const uint32_t number = static_cast<uint32_t>(rule);
    return in_code_[number] + counts_.count(static_cast<sea::Rewrite>(sea::first_rule_rewrite + number));
  }
  sea::OptimiseOptions optimise_options() {
    sea::OptimiseOptions options;
    options.observer = &counts_;
    return options;
  }

  /// As it is, landed, simplified as code, optimised as a graph, and landed again.
  std::string check_patterns(uint64_t seed) {
    std::mt19937_64 random(seed);
    ir::Module module;
    // In the order of the rule files, as rules::RuleId.
    for (size_t k = 0; k < all_rules().size(); ++k)
      fired_[k] = count(static_cast<rules::RuleId>(k + rules::first_pattern_rule));
    PatternFunction function(module, random, fired_);
    ir::Function& f = module.add_function(module.symbol("f"), PatternFunction::signature());
    std::vector<std::vector<Value>> lists(3);
    std::vector<std::string> expected;
    evaluator_.reset(function.g);
    for (std::vector<Value>& list : lists) {
      for (Type type : f.signature().params) {
        const Kind kind = *module.types.single_kind(type);
        list.push_back({type, ir::canonical(kind, &list == &lists[0] ? 0 : random() >> random() % 64)});
      }
      expected.push_back(sea::to_string(evaluator_.run(std::span<const Value>(list))));
    }
    interp::Interpreter interpreter(module);
    std::string wrong;
    auto compare = [&](const char* what) {
      interpreter.invalidate(f.id());
      for (const ir::Finding& finding : ir::verify(f)) wrong += std::string(what) + ": " + finding.message + "\n";
      for (size_t i = 0; i < lists.size() && wrong.empty(); ++i)
        if (std::string found = interp::to_string(interpreter.run(f, lists[i])); found != expected[i])
          wrong = std::string(what) + ": " + found + " instead of " + expected[i] + "\n";
    };
    sea::land(function.g, f);
    const std::string text = text::to_text(f);
    compare("landed");
    sea::Graph lifted = sea::lift(f);
    opt::simplify(f, in_code_);
    compare("simplified");
    sea::OptimiseOptions options = optimise_options();
    options.constants_are_nodes = false;
    sea::optimise(lifted, options);
    evaluator_.reset(lifted);
    for (size_t i = 0; i < lists.size(); ++i)
      if (std::string found = sea::to_string(evaluator_.run(std::span<const Value>(lists[i]))); found != expected[i])
        wrong += "optimised: " + found + " instead of " + expected[i] + "\n";
    sea::land(lifted, f);
    compare("optimised and landed");
    return wrong.empty() ? wrong : wrong + text;
  }

  /// With handlers, variables that may be undefined, calls.
  std::string check_handlers(uint32_t seed) {
    RandomVariableProgram program(seed);
    Expected<text::ParsedModule> parsed = text::parse_module(SourceFile("random", program.make()));
    if (!parsed) return render(parsed.error());
    ir::Function& f = parsed->module->function(ir::FuncId{0});
    std::vector<ProgramRuns::Run> expected = runs_.run_all(*parsed->module, program);
    ssa::construct(f, {ssa::Algorithm::cytron, ssa::Prune::minimal});
    sea::Graph graph = sea::lift(f);
    sea::optimise(graph, optimise_options());
    sea::land(graph, f);
    for (const ir::Finding& finding : ir::verify(f)) return finding.message + "\n" + text::to_text(f);
    std::string different = ProgramRuns::compare(expected, runs_.run_all(*parsed->module, program));
    return different.empty() ? different : different + "\n" + text::to_text(f);
  }

 private:
  std::vector<uint64_t> fired_ = std::vector<uint64_t>(all_rules().size());
  sea::Evaluator evaluator_;
  ProgramRuns runs_;
};

TEST_F(RulesFuzz, EveryRuleAndEveryRewriteFires) {
  for (size_t k = 0; k < all_rules().size(); ++k)
    ASSERT_EQ(all_rules()[k].name, rules::all_rules()[k + rules::first_pattern_rule].name);
  for (uint64_t seed = 0; seed < 3'000; ++seed) if (std::string wrong = check_patterns(seed); !wrong.empty()) FAIL() << "seed " << seed << ": " << wrong;
  for (uint32_t seed = 0; seed < 300; ++seed) if (std::string wrong = check_handlers(seed); !wrong.empty()) FAIL() << "seed " << seed << ": " << wrong;
  using simple_testing::Dialect;
  simple_testing::EnginesAgree engines({.dialect = Dialect::simple, .back_edges = 100, .observer = &counts_});
  for (uint64_t seed = 0; seed < 5'000; ++seed) {
    simple_testing::Choices choices(seed);
    simple_testing::Generator generator(choices, {.dialect = Dialect::simple, .valid = true, .statements = 12});
    ASSERT_EQ(engines.check(generator.program()), "") << "seed " << seed;
  }

  struct Row {
    std::string_view name;
    uint64_t count;
  };
  std::vector<Row> rows;
  for (uint32_t k = 0; k < sea::listed_rewrite_count; ++k)
    rows.push_back({sea::name_of(static_cast<sea::Rewrite>(k)), counts_.count(static_cast<sea::Rewrite>(k))});
  for (size_t k = 1; k < rules::all_rules().size(); ++k)
    rows.push_back({rules::all_rules()[k].name, count(static_cast<rules::RuleId>(k))});
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.count < b.count; });
  std::printf("%zu rules and rewrites; the rarest:", rows.size());
  for (size_t i = 0; i < 20; ++i)
    std::printf(" %s %llu", std::string(rows[i].name).c_str(), static_cast<unsigned long long>(rows[i].count));
  std::printf("\n");
  for (const Row& row : rows) EXPECT_GE(row.count, 1u) << row.name << " never fires";
}

}  // namespace
}  // namespace braid::rulec
