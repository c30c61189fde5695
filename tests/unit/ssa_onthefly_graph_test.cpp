// Random programs in goto form, reducible and not, filled in any order: the phis are those of minimal pruned SSA by its
// definition, and running the SSA gives what running the program over variables gives.
#include <braid/braid.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>

#include "flow/dominators.h"
#include "flow/orders.h"
#include "flow/reducible.h"
#include "ir/function.h"
#include "ssa_flow_oracle.h"

namespace braid {
namespace {

enum class Meaning : uint8_t { param, zero, throws };

/// One step of a block. `number` makes every assigned value a statement of its own.
struct Step {
  enum class Kind : uint8_t { read, write, compute, copy, unset } kind;
  uint32_t variable, other;
  int64_t number;
};

struct ProgramBlock {
  std::vector<Step> steps;
  enum class End : uint8_t { ret, jump, branch, switch_ } end = End::ret;
  uint32_t condition = 0;            ///< a variable, or the log if it is `variables.size()`
  uint32_t shift = 0;
  std::vector<uint32_t> successors;  ///< of a switch: the default first, then cases 0, 1, …
  uint32_t way_out = 0;              ///< the successor to take when the fuel is used up
};

struct Program {
  std::vector<Meaning> variables;
  std::vector<ProgramBlock> blocks;
};

struct Shape {
  uint32_t max_blocks = 200;
  bool equal_values = false;  ///< with copies and unset, which the oracle does not know
  uint32_t max_variables = 6;
};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  Program make(const Shape& shape) {
    Program program;
    uint32_t variables = 1 + below(shape.max_variables);
    for (uint32_t v = 0; v < variables; ++v) program.variables.push_back(static_cast<Meaning>(below(3)));
    uint32_t count = 1 + below(below(4) == 0 ? shape.max_blocks : 20);
    program.blocks.resize(count);
    uint32_t style = below(3), density = 1 + below(4);
    for (uint32_t b = 0; b < count; ++b) {
      ProgramBlock& block = program.blocks[b];
      for (uint32_t i = below(density + 1); i > 0; --i) block.steps.push_back(step(program, shape));
      block.condition = below(2) == 0 ? variables : below(variables);
      block.shift = below(20);
      using End = ProgramBlock::End;
      uint32_t kind = below(24);
      block.end = kind == 0 || b + 1 == count ? End::ret : kind < 6 ? End::jump : kind < 19 ? End::branch : End::switch_;
      uint32_t counts[] = {0, 1, 2, 1 + below(6)};
      uint32_t successors = counts[static_cast<uint32_t>(block.end)];
      for (uint32_t i = 0; i < successors; ++i) block.successors.push_back(target(b, count, style));
    }
    find_ways_out(program);
    return program;
  }
  uint32_t below(uint32_t n) { return std::uniform_int_distribution<uint32_t>(0, n - 1)(random_); }

 private:
  Step step(const Program& program, const Shape& shape) {
    uint32_t variables = static_cast<uint32_t>(program.variables.size()), variable = below(variables);
    // A parameter that is not assigned is not allowed.
    uint32_t kind = below(!shape.equal_values ? 5 : program.variables[variable] == Meaning::param ? 7 : 8);
    Step::Kind kinds[] = {Step::Kind::read,  Step::Kind::read, Step::Kind::write, Step::Kind::compute,
                          Step::Kind::write, Step::Kind::copy, Step::Kind::copy,  Step::Kind::unset};
    return {kinds[kind], variable, below(variables), ++number_};
  }
  uint32_t target(uint32_t b, uint32_t count, uint32_t style) {
    if (style == 0) return below(count);                                             // anywhere
    if (style == 1) return std::min(count - 1, (b + below(7)) - std::min(b + 3, 3u));  // near
    return below(6) == 0 ? below(b + 1) : std::min(count - 1, b + 1 + below(4));     // mostly forward
  }
  /// For each block the successor that is nearest to a return.
  static void find_ways_out(Program& program) {
    std::vector<uint32_t> distance(program.blocks.size(), 1000000);
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t b = 0; b < program.blocks.size(); ++b) {
        ProgramBlock& block = program.blocks[b];
        uint32_t best = block.successors.empty() ? 0 : 1000000;
        for (uint32_t i = 0; i < block.successors.size(); ++i)
          if (distance[block.successors[i]] + 1 < best) {
            best = distance[block.successors[i]] + 1;
            block.way_out = i;
          }
        changed |= best < distance[b];
        distance[b] = std::min(distance[b], best);
      }
    }
  }

  std::mt19937_64 random_;
  int64_t number_ = 1000;
};

std::string name_of(uint32_t variable) { return "v" + std::to_string(variable); }

// ---- through the Builder ----

class Driver {
 public:
  Driver(Module& m, const Program& program, Generator& random)
      : program_(program), random_(random), b_(m, "f", params(program), i64) {
    m.add_global("log", 8);
    m.add_global("fuel", 8);
    log_ = b_.global("log");
    fuel_ = b_.global("fuel");
    b_.store(b_.param("fuel"), *fuel_);
    b_.store(b_.param("log"), *log_);
    for (uint32_t v = 0; v < program.variables.size(); ++v) {
      if (program.variables[v] == Meaning::param)
        variables_.push_back(std::unique_ptr<Var>(new Var(b_.param(name_of(v)))));
      else
        variables_.push_back(std::unique_ptr<Var>(new Var(b_.var(
            name_of(v), i64, program.variables[v] == Meaning::zero ? Undefined::zero : Undefined::throws))));
    }
    for (uint32_t i = 0; i < program.blocks.size(); ++i) labels_.push_back(b_.label("n" + std::to_string(i)));
    b_.jump(labels_[0]);
  }

  /// Fills the blocks piece by piece, in any order.
  Expected<Func*> build() {
    std::vector<uint32_t> open, next(program_.blocks.size(), 0);
    for (uint32_t i = 0; i < program_.blocks.size(); ++i) open.push_back(i);
    while (!open.empty()) {
      uint32_t at = random_.below(static_cast<uint32_t>(open.size()));
      uint32_t block = open[at];
      b_.at(labels_[block]);
      const std::vector<Step>& steps = program_.blocks[block].steps;
      for (uint32_t n = 1 + random_.below(4); n > 0 && next[block] < steps.size(); --n) step(steps[next[block]++]);
      if (next[block] < steps.size()) continue;
      end(program_.blocks[block]);
      open[at] = open.back();
      open.pop_back();
    }
    return b_.try_done();
  }

 private:
  static std::vector<Param> params(const Program& program) {
    std::vector<Param> list = {{"log", i64}, {"fuel", i64}};
    for (uint32_t v = 0; v < program.variables.size(); ++v)
      if (program.variables[v] == Meaning::param) list.push_back({name_of(v), i64});
    return list;
  }
  Var& variable(uint32_t v) { return *variables_[v]; }
  void note(Val value) { b_.store(b_.load(i64, *log_) * 31 + value, *log_); }
  void step(const Step& s) {
    switch (s.kind) {
      case Step::Kind::read: note(variable(s.variable)); break;
      case Step::Kind::write: variable(s.variable) = b_.load(i64, *log_) ^ s.number; break;
      case Step::Kind::compute: variable(s.variable) = variable(s.other) + s.number; break;
      case Step::Kind::copy: variable(s.variable) = variable(s.other); break;
      case Step::Kind::unset: b_.unset(variable(s.variable)); break;
    }
  }
  void end(const ProgramBlock& block) {
    using End = ProgramBlock::End;
    if (block.end == End::ret) return b_.ret(b_.load(i64, *log_));
    if (block.end == End::jump) return b_.jump(labels_[block.successors[0]]);
    Val left = b_.load(i64, *fuel_);
    b_.store(left - 1, *fuel_);
    Val source = block.condition == program_.variables.size() ? b_.load(i64, *log_) : variable(block.condition).get();
    if (block.end == End::branch) {
      Val bit = b_.convert("trunc", source >> block.shift, i1);
      b_.branch(b_.select(left > 0, bit, block.way_out == 0), labels_[block.successors[0]], labels_[block.successors[1]]);
      return;
    }
    std::vector<Builder::Case> cases;
    for (uint32_t i = 1; i < block.successors.size(); ++i)
      cases.push_back({static_cast<int64_t>(i - 1), labels_[block.successors[i]]});
    int64_t out = static_cast<int64_t>(block.way_out) - 1;
    b_.switch_(b_.select(left > 0, (source >> block.shift) & 7, out), labels_[block.successors[0]], cases);
  }

  const Program& program_;
  Generator& random_;
  Builder b_;
  std::optional<Val> log_, fuel_;
  std::vector<std::unique_ptr<Var>> variables_;
  std::vector<Label> labels_;
};

// ---- over variables ----

std::optional<std::string> execute(const Program& program, int64_t log, int64_t fuel, std::span<const int64_t> params) {
  std::vector<std::optional<int64_t>> values;
  for (Meaning meaning : program.variables) {
    if (meaning == Meaning::param) {
      values.push_back(params.front());
      params = params.subspan(1);
    } else {
      values.push_back(meaning == Meaning::zero ? std::optional<int64_t>(0) : std::nullopt);
    }
  }
  auto add = [](int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); };
  std::string thrown;
  auto read = [&](uint32_t v) {
    if (!values[v] && thrown.empty()) thrown = "throws undefined '" + name_of(v) + "'";
    return values[v].value_or(0);
  };
  uint32_t at = 0;
  for (int steps = 0; steps < 5000; ++steps) {
    const ProgramBlock& block = program.blocks[at];
    for (const Step& s : block.steps) {
      switch (s.kind) {
        case Step::Kind::read: log = add(static_cast<int64_t>(static_cast<uint64_t>(log) * 31), read(s.variable)); break;
        case Step::Kind::write: values[s.variable] = log ^ s.number; break;
        case Step::Kind::compute: values[s.variable] = add(read(s.other), s.number); break;
        case Step::Kind::copy: values[s.variable] = read(s.other); break;
        case Step::Kind::unset:
          values[s.variable] = program.variables[s.variable] == Meaning::zero ? std::optional<int64_t>(0) : std::nullopt;
          break;
      }
      if (!thrown.empty()) return thrown;
    }
    if (block.end == ProgramBlock::End::ret) return std::to_string(log);
    if (block.end == ProgramBlock::End::jump) {
      at = block.successors[0];
      continue;
    }
    bool has_fuel = fuel-- > 0;
    int64_t source = block.condition == program.variables.size() ? log : read(block.condition);
    if (!thrown.empty()) return thrown;
    uint32_t taken = block.way_out;
    if (has_fuel && block.end == ProgramBlock::End::branch) taken = (source >> block.shift & 1) ? 0 : 1;
    if (has_fuel && block.end == ProgramBlock::End::switch_) {
      uint32_t number = static_cast<uint32_t>((source >> block.shift & 7) + 1);
      taken = number < block.successors.size() ? number : 0;
    }
    at = block.successors[taken];
  }
  return std::nullopt;
}

// ---- as the oracle sees it ----

FlowModel model_of(const Program& program) {
  FlowModel model;
  model.variable_count = static_cast<uint32_t>(program.variables.size());
  model.blocks.push_back({{}, {1}});
  for (const ProgramBlock& block : program.blocks) {
    FlowModel::Block& made = model.blocks.emplace_back();
    for (const Step& s : block.steps) {
      if (s.kind == Step::Kind::read) made.accesses.push_back({false, s.variable});
      if (s.kind == Step::Kind::compute) made.accesses.push_back({false, s.other});
      if (s.kind == Step::Kind::write || s.kind == Step::Kind::compute) made.accesses.push_back({true, s.variable});
    }
    if (block.successors.size() > 0 && block.end != ProgramBlock::End::jump && block.condition < model.variable_count)
      made.accesses.push_back({false, block.condition});
    for (uint32_t s : block.successors) made.successors.push_back(s + 1);
  }
  return model;
}

bool is_reducible(const FlowModel& model, bool& has_loops) {
  std::vector<flow::Edge> edges;
  for (uint32_t b = 0; b < model.blocks.size(); ++b)
    for (uint32_t s : model.blocks[b].successors)
      edges.push_back({static_cast<flow::Node>(b), static_cast<flow::Node>(s)});
  flow::Graph graph = flow::Graph::from_edges(model.blocks.size(), flow::Node{0}, edges);
  flow::DepthFirst search = flow::depth_first(graph);
  has_loops = std::any_of(edges.begin(), edges.end(), [&](flow::Edge e) { return search.is_ancestor(e.to, e.from); });
  return flow::is_reducible(graph, flow::Dominators(graph));
}

/// Phis of type i64 by the name of their block; those of definedness are of type i1.
std::map<std::string, uint32_t> phis_by_block(const Func& f, Type type) {
  std::map<std::string, uint32_t> counts;
  for (uint32_t b = 0; b < f.block_count(); ++b) {
    ir::BlockId block = static_cast<ir::BlockId>(b);
    f.for_each_range(block, [&](uint32_t first, uint32_t end) {
      for (uint32_t i = first; i < end; ++i)
        if (f.columns().stmt(i).op == ir::Op::phi && f.columns().type(i) == type)
          ++counts[std::string(f.module().name(f.block(block).name))];
    });
  }
  return counts;
}

void expect_minimal_phis(int programs, const Shape& shape) {
  double irreducible = 0, loops = 0, unreachable = 0, phis = 0, blocks = 0, large = 0;
  for (int seed = 0; seed < programs; ++seed) {
    Generator random(static_cast<uint64_t>(seed));
    Program program = random.make(shape);
    Module m;
    Expected<Func*> f = Driver(m, program, random).build();
    ASSERT_TRUE(f) << "seed " << seed << "\n" << render(f.error());

    FlowModel model = model_of(program);
    std::vector<std::vector<bool>> expected = model.minimal_phis();
    std::map<std::string, uint32_t> wanted, of_throwing;
    for (uint32_t b = 1; b < model.blocks.size(); ++b)
      for (uint32_t v = 0; v < model.variable_count; ++v)
        if (expected[b][v]) {
          ++wanted["n" + std::to_string(b - 1)];
          if (program.variables[v] == Meaning::throws) ++of_throwing["n" + std::to_string(b - 1)];
        }
    ASSERT_EQ(phis_by_block(**f, i64), wanted) << "seed " << seed << "\n" << to_text(**f);
    // Whether a variable is assigned: at most where the variable itself needs a phi, since `assigned` is one value.
    for (const auto& [name, count] : phis_by_block(**f, i1)) ASSERT_LE(count, of_throwing[name]) << "seed " << seed;

    bool has_loops = false;
    irreducible += !is_reducible(model, has_loops);
    loops += has_loops;
    std::vector<bool> reachable = model.reachable();
    unreachable += std::count(reachable.begin(), reachable.end(), false) > 0;
    for (const auto& [name, count] : wanted) phis += count;
    blocks += static_cast<double>(model.blocks.size());
    large += model.blocks.size() > 100;
  }
  std::printf("irreducible %.0f%%, with loops %.0f%%, with unreachable blocks %.0f%%, more than 100 blocks %.0f%%, "
              "%.1f blocks and %.1f phis each\n",
              100 * irreducible / programs, 100 * loops / programs, 100 * unreachable / programs, 100 * large / programs,
              blocks / programs, phis / programs);
  EXPECT_GT(irreducible / programs, 0.25);
  EXPECT_GT(loops / programs, 0.5);
  EXPECT_GT(unreachable / programs, 0.3);
  EXPECT_GT(large / programs, 0.05);
  EXPECT_GT(phis / programs, 8);
}

TEST(OnTheFlyGraph, PhisAreThoseOfMinimalPrunedSsa) { expect_minimal_phis(5000, {}); }
TEST(OnTheFlyGraph, PhisOfManyVariablesAreThoseOfMinimalPrunedSsa) { expect_minimal_phis(1000, {.max_variables = 60}); }

void expect_same_runs(int programs, const Shape& shape) {
  constexpr int runs = 4;
  double ended = 0, undefined = 0, irreducible = 0, values = 0;
  for (int seed = 0; seed < programs; ++seed) {
    Generator random(1000000 + static_cast<uint64_t>(seed));
    Program program = random.make(shape);
    Module m;
    Expected<Func*> f = Driver(m, program, random).build();
    ASSERT_TRUE(f) << "seed " << seed << "\n" << render(f.error());
    bool has_loops = false;
    irreducible += !is_reducible(model_of(program), has_loops);
    for (int r = 0; r < runs; ++r) {
      int64_t log = random.below(1u << 30), fuel = random.below(60);
      std::vector<int64_t> params;
      std::vector<Value> arguments = {Value(log), Value(fuel)};
      for (Meaning meaning : program.variables)
        if (meaning == Meaning::param) {
          params.push_back(static_cast<int64_t>(random.below(1u << 31)) - (1 << 30));
          arguments.push_back(Value(params.back()));
        }
      std::optional<std::string> expected = execute(program, log, fuel, params);
      if (!expected) continue;
      ++ended;
      undefined += expected->starts_with("throws");
      values += !expected->starts_with("throws");
      ASSERT_EQ(run(**f, arguments).message, *expected) << "seed " << seed << "\n" << to_text(**f);
    }
  }
  std::printf("ended %.0f%%, with a value %.0f%%, undefined %.0f%%; irreducible %.0f%%\n", 100 * ended / (programs * runs),
              100 * values / (programs * runs), 100 * undefined / (programs * runs), 100 * irreducible / programs);
  EXPECT_GT(ended / (programs * runs), 0.6);
  EXPECT_GT(values / (programs * runs), 0.2);
  EXPECT_GT(undefined / (programs * runs), 0.1);
  EXPECT_GT(irreducible / programs, 0.2);
}

TEST(OnTheFlyGraph, RunsAsTheProgramOverVariables) { expect_same_runs(4000, {60, true}); }
TEST(OnTheFlyGraph, RunsOfManyVariables) { expect_same_runs(1000, {60, true, 60}); }

}  // namespace
}  // namespace braid
