// Warnings: exact texts and places, random programs against a naive analysis and against runs, growth.
#include "opt/warnings.h"

#include <map>
#include <set>

#include "flow/orders.h"
#include "growth.h"
#include "ir/graph_view.h"
#include "messy_programs.h"
#include "opt/shortest_ways.h"
#include "opt/warn_unassigned.h"
#include "opt_testing.h"
#include "small_stack.h"
#include "ssa/regions.h"

namespace braid::opt {
namespace {

using namespace ir;

std::string warned(const Function& f) {
  Diagnostics found;
  warnings(f, found);
  return render(found);
}

TEST(Warnings, PositionsAreTheLocationsOfTheFrontEnd) {
  Program p(R"(
func @f(c: i1) -> i64 {
  var x: i64
entry:
  branch %c, then, else !"a.c":2:7
then:
  ret 1 !"a.c":3:5 !impossible dead
dead:
  %0 = add i64 1, 2
  %1 = add i64 1, 2 !"a.c":4:5
  jump else
else:
  %2 = get x !"a.c":6:10
  ret %2 !"a.c":6:3
}
)");
  EXPECT_EQ(warned(p.function()),
            "a.c:4:5: warning: code will never be executed [unreachable-code]\n"
            "a.c:3:5: note: control does not go on behind this\n"
            "a.c:6:10: warning: variable 'x' is used uninitialised [uninitialised]\n"
            "a.c:2:7: note: nothing is assigned to it at the start of the function\n"
            "a.c:2:7: note: control goes from here to block 'else'\n");
}

TEST(Warnings, BlocksWithoutTerminatorsAreEndsOfTheFunction) {
  Module module;
  Function& f = module.add_function(module.symbol("main"), {{i1}, i64});
  Function& g = module.add_function(module.symbol("g"), {{}, void_type});
  BlockId entry = f.new_block(), open = f.new_block(), dead = f.new_block();
  f.branch(entry, Operand::param(0), open, open, module.location(module.symbol("a.c"), 1, 2));
  f.append(open, f.make(Op::check_zero, i64, {module.constant(i64, 1)},
                        module.location(module.symbol("a.c"), 7, 3)));
  f.append(open, f.make(Op::check_zero, i64, {module.constant(i64, 1)},
                        module.location(module.symbol("a.c"), 8, 3)));
  f.append(dead, f.make(Op::check_zero, i64, {module.constant(i64, 1)},
                        module.location(module.symbol("a.c"), 9, 3)));
  std::string before = text::to_text(g);
  EXPECT_EQ(warned(f),
            "a.c:8:3: warning: control reaches the end of non-void function 'main' [end-of-function]\n"
            "a.c:9:3: warning: code will never be executed [unreachable-code]\n");
  EXPECT_TRUE(f.terminator(open).is_undef()) << "the function is only looked at";
  g.new_block();
  EXPECT_EQ(warned(g), "warning: control reaches the open end of function 'g' [end-of-function]\n");
  EXPECT_EQ(warned(module.add_function(module.symbol("e"), {{}, i64}, true)), "");
}

TEST(Warnings, LongPathsAreCut) {
  std::string text = "func @f(c: i1) -> i64 {\n  var x: i64\nentry:\n  jump d0\n";
  for (int i = 0; i < 20; ++i) {
    std::string n = std::to_string(i), next = std::to_string(i + 1);
    text += "d" + n + ":\n  branch %c, d" + next + ", e" + n + "\ne" + n + ":\n  ret 0\n";
  }
  Program p(text + "d20:\n  %0 = get x\n  ret %0\n}\n");
  std::vector<Warning> found = find_warnings(p.function());
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0].notes.size(), 10u);
  EXPECT_EQ(found[0].notes[1].message, "control goes on over 12 more branches");
  EXPECT_EQ(found[0].notes[2].message, "control goes from here to block 'd13'");
  EXPECT_EQ(found[0].notes[9].message, "control goes from here to block 'd20'");
}

// ---- against a naive analysis ----

/// What may be the case for each variable: bit 1 unassigned, bit 2 assigned.
using State = std::vector<uint8_t>;

class Naive {
 public:
  explicit Naive(const Function& f)
      : f_(f),
        regions_(f),
        start_(f.block_count(), State(f.variables.size(), 0)),
        reached_(f.block_count(), false) {
    start_[0].assign(f.variables.size(), 1);
    reached_[0] = true;
    do {
      changed_ = false;
      for (uint32_t b = 0; b < f.block_count(); ++b)
        if (reached_[b]) walk(static_cast<BlockId>(b), [](auto&&...) {});
    } while (changed_);
  }
  /// (statement, certain)
  std::map<uint32_t, bool> faults() {
    std::map<uint32_t, bool> found;
    for (uint32_t b = 0; b < f_.block_count(); ++b)
      if (reached_[b])
        walk(static_cast<BlockId>(b), [&](Ref get, bool certain) { found[index(get)] = certain; });
    return found;
  }

 private:
  template <typename F>
  void walk(BlockId b, F&& on_fault) {
    // Reads end what is unassigned, not what nothing was assigned to: both are followed.
    State state = start_[index(b)];
    uint32_t region = regions_.at_start(b);
    for (uint32_t i = f_.block(b).first; i < f_.block(b).end; ++i) {
      Ref r = static_cast<Ref>(i);
      const Stmt& s = f_.stmt(r);
      if (s.op == Op::leave) region = regions_.left(region, f_.operand_count(s));
      if (s.op == Op::get) {
        bool has_meaning = f_.variables[static_cast<VarId>(s.arg[0])].undef == UndefMeaning::zero;
        if ((state[s.arg[0]] & 1) && !has_meaning) on_fault(r, (state[s.arg[0]] & 2) == 0);
        state[s.arg[0]] &= 2;
      }
      if (s.op == Op::set) {
        state[s.arg[0]] = f_.operand(r, 1).is_undef() ? 1 : 2;
        for (uint32_t outer = region; outer != ssa::Regions::outside; outer = regions_[outer].outer)
          join(regions_[outer].handler, s.arg[0], state[s.arg[0]]);
      }
    }
    f_.for_each_succ(b, [&](EdgeId e) {
      State out = state;
      if (uint32_t v = tested(e); v != none) out[v] = 2;
      BlockId to = f_.edge(e).to;
      changed_ |= !reached_[index(to)];
      reached_[index(to)] = true;
      for (uint32_t v = 0; v < out.size(); ++v) join(to, v, out[v]);
    });
  }
  void join(BlockId to, uint32_t variable, uint8_t state) {
    uint8_t& at = start_[index(to)][variable];
    changed_ |= (at | state) != at;
    at |= state;
  }
  static constexpr uint32_t none = 0xffffffffu;
  uint32_t tested(EdgeId e) const {
    Operand t = f_.terminator(f_.edge(e).from);
    if (f_.op(t) != Op::branch || f_.edge(e).slot != 1) return none;
    Operand c = f_.operand(t, 0);
    if (!c.is_stmt() || f_.op(c) != Op::is_defined || f_.block_of(c) != f_.edge(e).from) return none;
    uint32_t v = f_.arg(f_.stmt(c), 0);
    for (uint32_t i = c.number(); i < t.number(); ++i)
      if (const Stmt& s = f_.stmt(static_cast<Ref>(i)); s.op == Op::set && s.arg[0] == v) return none;
    return v;
  }

  const Function& f_;
  ssa::Regions regions_;
  std::vector<State> start_;
  std::vector<bool> reached_;
  bool changed_ = false;
};

/// The path leads from where the variable is unassigned to the read, and nothing is assigned on it.
void check_path(const Function& f, const UnassignedUse& use) {
  std::vector<BlockId> path;
  ShortestWays ways(f);
  for (size_t i = use.path.size(); i-- > 0;) {
    path.push_back(use.path[i].block);
    for (; use.path[i].jumped && ways.before(path.back()) != use.path[i - 1].block;) path.push_back(ways.before(path.back()));
  }
  std::reverse(path.begin(), path.end());
  ASSERT_FALSE(path.empty());
  EXPECT_EQ(path.back(), use.block);
  if (use.unset.is_undef())
    EXPECT_EQ(path.front(), Function::entry());
  else
    EXPECT_EQ(path.front(), f.block_of(use.unset));
  for (size_t i = 0; i < path.size(); ++i) {
    const Block& block = f.block(path[i]);
    bool begins = i == 0 && !use.unset.is_undef();
    uint32_t first = begins ? use.unset.number() + 1 : block.first;
    bool into_handler = false;
    if (i + 1 < path.size()) {
      bool connected = false;
      f.for_each_succ(path[i], [&](EdgeId e) { connected |= f.edge(e).to == path[i + 1]; });
      f.for_each_pred(path[i + 1],
                      [&](EdgeId e) { into_handler |= begins && f.edge(e).kind == EdgeKind::exceptional; });
      EXPECT_TRUE(connected || into_handler);
    }
    uint32_t end = i + 1 == path.size() ? use.get.number() : block.end;
    for (uint32_t s = first; s < end && !into_handler; ++s) {
      const Stmt& stmt = f.stmt(static_cast<Ref>(s));
      bool mentions = (stmt.op == Op::set || stmt.op == Op::get) && stmt.arg[0] == index(use.variable);
      EXPECT_FALSE(mentions);
    }
  }
}

TEST(Warnings, UnassignedReadsAreThoseOfANaiveAnalysis) {
  uint32_t certain = 0, possible = 0, threw = 0, from_unset = 0, jumped = 0;
  for (uint32_t seed = 0; seed < 6600 && !HasFailure(); ++seed) {
    MessyOptions options;
    if (seed >= 6000) options.most_blocks = 300, options.most_variables = 100;
    std::string source = MessyProgram(seed, options).text();
    Program p(source);
    const Function& f = p.function();
    std::map<uint32_t, bool> found;
    std::set<std::string> names;
    for (const UnassignedUse& use : unassigned_uses(f, flow::reachable(block_graph(f)))) {
      found[use.get.number()] = use.certain;
      names.insert(std::string(p.module->name(f.variables[use.variable].name)));
      (use.certain ? certain : possible) += 1;
      from_unset += !use.unset.is_undef();
      check_path(f, use);
      for (const UnassignedUse::Step& step : use.path) jumped += step.jumped;
    }
    EXPECT_EQ(found, Naive(f).faults()) << source;
    for (int64_t n : {0, 1, 5, 6}) {
      std::string result = p.run({Value(n)}, 5000);
      if (!result.starts_with("throws undefined")) continue;
      ++threw;
      size_t quote = result.find('\'');
      EXPECT_TRUE(names.contains(result.substr(quote + 1, result.rfind('\'') - quote - 1)))
          << result << source;
    }
  }
  std::printf("%u certain, %u possible (%u from an assignment of undef), %u runs threw, %u ways round blocks\n", certain,
              possible, from_unset, threw, jumped);
  for (uint32_t count : {certain, possible, from_unset, threw}) EXPECT_GE(count, 700u);
  EXPECT_GE(jumped, 500u);
}

/// Regions by their definition: what begins a region reaches everything that reaches it.
struct DeadRegions {
  explicit DeadRegions(const Function& f)
      : reaches(f.block_count(), std::vector<bool>(f.block_count(), false)) {
    IdSet<flow::Node> live = flow::reachable(block_graph(f));
    uint32_t count = f.block_count();
    for (uint32_t b = 0; b < count; ++b) {
      if (live.test(static_cast<flow::Node>(b))) continue;
      dead.push_back(b);
      std::vector<uint32_t> work = {b};
      reaches[b][b] = true;
      while (!work.empty()) {
        BlockId at = static_cast<BlockId>(work.back());
        work.pop_back();
        auto visit = [&](BlockId to) {
          if (is_none(to) || live.test(node(to)) || reaches[b][index(to)]) return;
          reaches[b][index(to)] = true;
          work.push_back(index(to));
        };
        f.for_each_succ(at, [&](EdgeId e) { visit(f.edge(e).to); });
        visit(f.impossible(at));
      }
    }
    for (uint32_t b : dead) {
      bool begins = true;
      for (uint32_t a : dead) begins &= !reaches[a][b] || reaches[b][a];
      bool is_first = begins;  // of those that reach each other
      for (uint32_t a : dead) is_first &= a >= b || !(reaches[a][b] && reaches[b][a]);
      if (is_first) starts.push_back(b);
      bool bare = f.op(static_cast<Ref>(f.block(static_cast<BlockId>(b)).first)) == Op::jump;
      if (!bare) code.push_back(b);
    }
  }
  std::vector<std::vector<bool>> reaches;
  std::vector<uint32_t> dead, code, starts;
};

TEST(Warnings, EveryRegionOfDeadCodeIsReportedOnce) {
  uint32_t reported = 0, several = 0;
  for (uint32_t seed = 0; seed < 1000 && !HasFailure(); ++seed) {
    std::string source = MessyProgram(seed).text();
    Program p(source);
    DeadRegions regions(p.function());
    std::set<uint32_t> warned_blocks;
    for (const Warning& warning : find_warnings(p.function())) {
      if (warning.kind != WarningKind::unreachable_code) continue;
      EXPECT_TRUE(warned_blocks.insert(index(warning.block)).second) << source;
    }
    reported += static_cast<uint32_t>(warned_blocks.size());
    several += warned_blocks.size() > 1;
    EXPECT_LE(warned_blocks.size(), regions.starts.size()) << source;
    for (uint32_t b : warned_blocks)
      EXPECT_NE(std::find(regions.code.begin(), regions.code.end(), b), regions.code.end());
    for (uint32_t b : regions.code) {
      bool covered = false;
      for (uint32_t start : regions.starts)
        for (uint32_t w : warned_blocks) covered |= regions.reaches[start][b] && regions.reaches[start][w];
      EXPECT_TRUE(covered) << "block " << b << "\n" << source;
    }
    size_t with_code = 0;
    for (uint32_t start : regions.starts)
      with_code += std::find(regions.code.begin(), regions.code.end(), start) != regions.code.end();
    EXPECT_GE(warned_blocks.size(), with_code) << source;
  }
  std::printf("%u regions reported, several of them in %u programs\n", reported, several);
  EXPECT_GE(reported, 1500u);
  EXPECT_GE(several, 300u);
}

TEST(Warnings, TimeGrowsWithTheInput) {
  // Many variables, each in a part of its own, and one that is read at the end of it all.
  auto program = [](size_t size) {
    std::string text = "func @f(c: i1) -> i64 {\n  var x: i64\n";
    for (size_t i = 0; i < size; ++i) text += "  var v" + std::to_string(i) + ": i64\n";
    text += "entry:\n  jump d0\n";
    for (size_t i = 0; i < size; ++i) {
      std::string n = std::to_string(i);
      text += "d" + n + ":\n  set v" + n + ", undef\n  branch %c, l" + n + ", r" + n + "\nl" + n +
              ":\n  set v" + n + ", 1\n  jump j" + n + "\nr" + n + ":\n  jump j" + n + "\nj" + n + ":\n  %g" +
              n + " = get v" + n + "\n  jump d" + std::to_string(i + 1) + "\ndead" + n + ":\n  %h" + n +
              " = add i64 1, 2\n  jump j" + n + "\n";
    }
    return std::move(Program(text + "d" + std::to_string(size) + ":\n  %g = get x\n  ret %g\n}\n").module);
  };
  run_on_small_stack([&] {
    auto large = program(20'000);
    EXPECT_EQ(find_warnings(large->function(FuncId{0})).size(), 40'001u);
  });
  EXPECT_LT(growth_ratio(2'000, program, [](auto& module) { find_warnings(module->function(FuncId{0})); }),
            3.0);
}

TEST(Warnings, VariablesThatAreUnassignedAllTheWayCostWhatTheyAreMentioned) {
  // All variables are live through all of the function: some never assigned, some in the entry, some on one side late.
  auto program = [](size_t size) {
    std::string text = "func @f(c: i1) -> i64 {\n", start = "entry:\n";
    for (size_t i = 0; i < size; ++i) {
      text += "  var v" + std::to_string(i) + ": i64\n";
      if (i % 3 == 1) start += "  set v" + std::to_string(i) + ", 1\n";
    }
    text += start + "  jump d0\n";
    for (size_t i = 0; i < size; ++i) {
      std::string n = std::to_string(i);
      text += "d" + n + ":\n  branch %c, l" + n + ", r" + n + "\nl" + n + ":\n" +
              (i % 3 == 2 ? "  set v" + n + ", 1\n" : "") + "  jump j" + n + "\nr" + n + ":\n  jump j" + n + "\nj" + n +
              ":\n  %g" + n + " = get v" + n + "\n  jump d" + std::to_string(i + 1) + "\n";
    }
    return std::move(Program(text + "d" + std::to_string(size) + ":\n  ret 0\n}\n").module);
  };
  auto large = program(9'000);
  std::vector<Warning> found = find_warnings(large->function(FuncId{0}));
  ASSERT_EQ(found.size(), 6'000u);
  EXPECT_EQ(found.back().message, "variable 'v8999' may be used uninitialised");
  ASSERT_EQ(found.back().notes.size(), 10u);
  EXPECT_EQ(found.back().notes[1].message, "control goes on over 8992 more branches");
  EXPECT_EQ(found.back().notes[9].message, "control goes from here to block 'r8999'");
  EXPECT_LT(growth_ratio(2'000, program, [](auto& module) { find_warnings(module->function(FuncId{0})); }), 3.0);
}

}  // namespace
}  // namespace braid::opt
