// The event log: what it says agrees with the analyses and with the result, recording changes nothing, and it
// is the same every time.
#include "ssa/event_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "flow/frontiers.h"
#include "flow/orders.h"
#include "ir/graph_view.h"
#include "ir/verify.h"
#include "random_variable_programs.h"
#include "ssa/construct.h"
#include "text/parse.h"
#include "text/print.h"

namespace braid {
namespace {

using ssa::Algorithm;
using ssa::Event;
using ssa::EventKind;
using ssa::EventLog;
using ssa::Prune;
using ssa::Reason;

std::unique_ptr<ir::Module> parsed(const std::string& text) {
  Expected<text::ParsedModule> module = text::parse_module(SourceFile("test", text));
  EXPECT_TRUE(module) << (module ? "" : render(module.error())) << text;
  return module ? std::move(module->module) : nullptr;
}

ir::Function& only(ir::Module& module) { return module.function(ir::FuncId{0}); }

struct Recorded {
  std::unique_ptr<ir::Module> module;
  EventLog log;
};

Recorded record(const std::string& text, Algorithm algorithm, Prune prune = Prune::pruned) {
  Recorded result{parsed(text), {}};
  ssa::construct(only(*result.module), {algorithm, prune, &result.log});
  return result;
}

/// As text, so that a difference shows.
std::string lines(const EventLog& log) {
  std::string out;
  for (const Event& e : log.events()) {
    out += std::string(name(e.kind)) + " " + std::string(name(e.reason));
    for (uint32_t n :
         {e.track, index(e.block), index(e.other), e.value, e.phi, e.statement, e.version, e.before})
      out += n == Event::no_number ? " -" : " " + std::to_string(n);
    for (uint32_t item : log.list(e)) out += " " + std::to_string(item);
    out += "\n";
  }
  return out;
}

uint32_t count(const EventLog& log, EventKind kind) {
  return static_cast<uint32_t>(std::ranges::count(log.events(), kind, &Event::kind));
}

uint32_t count_ops(const ir::Function& f, ir::Op op) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < f.size(); ++i) n += f.columns().stmt(i).op == op;
  return n;
}

constexpr const char* diamond = R"(func @f(c: i1) -> i64 {
  var x: i64 zero
  var local: i64 zero
entry:
  set x, 1
  branch %c, left, right
left:
  set x, 2
  set local, 5
  %l = get local
  jump join
right:
  jump join
join:
  %r = get x
  ret %r
}
)";

TEST(EventLog, Diamond) {
  Recorded run = record(diamond, Algorithm::cytron);
  // Track 0 is x, track 1 local; blocks: entry 0, left 1, right 2, join 3.
  std::string text = lines(run.log);
  auto says = [&](const char* line) { return text.find(std::string(line) + "\n") != std::string::npos; };
  EXPECT_TRUE(says("post_order  - - - - - - - - 3 1 2 0")) << text;
  EXPECT_TRUE(says("idom  - 3 - 0 - - - -")) << text;
  EXPECT_TRUE(says("frontier  - 1 - - - - - - 3")) << text;
  EXPECT_TRUE(says("work  0 - - - - - - - 1")) << text;
  EXPECT_TRUE(says("take  0 1 - - - - - -")) << text;
  EXPECT_TRUE(says("look new_no_work 0 1 3 - - - - -")) << text;
  EXPECT_TRUE(says("phi frontier 0 3 1 - 0 - - -")) << text;
  EXPECT_TRUE(says("skip local 1 - - - - - - -")) << text;
  EXPECT_TRUE(says("define  0 1 - - - 2 2 1")) << text;
  EXPECT_TRUE(says("use phi_operand 0 1 3 - 0 - 2 -")) << text;
  EXPECT_TRUE(says("undo  0 - - - - - 2 1")) << text;
  EXPECT_TRUE(says("use phi_operand 0 2 3 - 0 - 1 -")) << text;
  EXPECT_TRUE(says("define  0 3 - - 0 - 3 1")) << text;
  EXPECT_TRUE(says("live is_read 0 - - - 0 7 - -")) << text;
}

TEST(EventLog, PruningHasAReason) {
  std::string text = diamond;
  text.replace(text.find("%r = get x\n  ret %r"), 19, "ret 0");
  Recorded run = record(text, Algorithm::cytron, Prune::minimal);
  EXPECT_EQ(count(run.log, EventKind::phi), 2u);  // local, too
  EXPECT_EQ(count(run.log, EventKind::prune), 0u);
  run = record(text, Algorithm::cytron);
  EXPECT_EQ(count(run.log, EventKind::phi), 0u);
  EXPECT_EQ(count(run.log, EventKind::skip), 2u);
  // Read only where it is assigned again before: the phi is placed, and pruned.
  text = R"(func @f(c: i1) -> i64 {
  var x: i64 zero
entry:
  set x, 1
  branch %c, left, join
left:
  %l = get x
  set x, %l
  jump join
join:
  ret 0
}
)";
  run = record(text, Algorithm::cytron);
  EXPECT_EQ(count(run.log, EventKind::phi), 1u);
  EXPECT_NE(lines(run.log).find("prune dead 0 - - - 0 - - -"), std::string::npos) << lines(run.log);
}

TEST(EventLog, NothingIsRecordedOfAFunctionWithoutVariables) {
  for (Algorithm algorithm : ssa::all_algorithms) {
    Recorded run = record("func @f() -> i64 {\nentry:\n  ret 1\n}\n", algorithm);
    EXPECT_EQ(
        count(run.log, EventKind::define) + count(run.log, EventKind::use) + count(run.log, EventKind::phi),
        0u);
  }
}

/// The versions that reach uses, by replaying the definitions and undos.
void check_versions(const EventLog& log) {
  std::vector<std::vector<uint32_t>> current(log.track_list().size());
  std::vector<uint32_t> last(log.track_list().size(), 0);
  for (const Event& e : log.events()) {
    if (e.kind == EventKind::define) {
      EXPECT_EQ(e.version, ++last[e.track]);
      EXPECT_EQ(e.before, current[e.track].empty() ? 0 : current[e.track].back());
      current[e.track].push_back(e.version);
    } else if (e.kind == EventKind::undo) {
      ASSERT_FALSE(current[e.track].empty());
      EXPECT_EQ(e.version, current[e.track].back());
      current[e.track].pop_back();
      EXPECT_EQ(e.before, current[e.track].empty() ? 0 : current[e.track].back());
    } else if (e.kind == EventKind::use) {
      EXPECT_EQ(e.version, current[e.track].empty() ? 0 : current[e.track].back());
    }
  }
}

/// Every use is dominated by the definition that reaches it.
void check_dominance(const EventLog& log, const ir::BlockDominance& dominance) {
  std::vector<std::vector<ir::BlockId>> home(log.track_list().size());
  for (const Event& e : log.events()) {
    if (e.kind == EventKind::define) {
      home[e.track].resize(e.version);
      home[e.track][e.version - 1] = e.block;
    }
    if (e.kind != EventKind::use || e.version == 0) continue;
    EXPECT_TRUE(dominance.dominates(home[e.track][e.version - 1], e.block));
  }
}

void check_graph(const EventLog& log, const ir::BlockDominance& dominance) {
  flow::Frontiers frontiers(dominance.graph(), dominance.tree());
  std::vector<flow::Node> order = flow::post_order(dominance.graph());
  uint32_t idoms = 0, rows = 0;
  for (const Event& e : log.events()) {
    if (e.kind == EventKind::post_order) {
      ASSERT_EQ(e.count, order.size());
      for (uint32_t i = 0; i < e.count; ++i) EXPECT_EQ(log.list(e)[i], index(order[i]));
    } else if (e.kind == EventKind::idom) {
      ++idoms;
      EXPECT_EQ(e.value, index(dominance.idom(e.block)));
    } else if (e.kind == EventKind::frontier) {
      ++rows;
      std::span<const flow::Node> wanted = frontiers.of(ir::node(e.block));
      ASSERT_EQ(e.count, wanted.size());
      for (uint32_t i = 0; i < e.count; ++i) EXPECT_EQ(log.list(e)[i], index(wanted[i]));
    }
  }
  EXPECT_EQ(idoms + 1, order.size());
  EXPECT_EQ(rows, order.size());
}

/// W and F, replayed: what is taken was in W, and F is where the phis are, handlers aside.
void check_work(const EventLog& log) {
  std::set<uint32_t> work, found, assigned;
  uint32_t track = EventLog::no_number;
  for (const Event& e : log.events()) {
    if (e.kind == EventKind::work) {
      EXPECT_TRUE(work.empty()) << "W is worked off";
      track = e.track;
      work.clear();
      found.clear();
      for (uint32_t b : log.list(e)) work.insert(b);
    } else if (e.kind == EventKind::take) {
      EXPECT_EQ(e.track, track);
      EXPECT_EQ(work.erase(index(e.block)), 1u);
    } else if (e.kind == EventKind::look) {
      bool is_new = e.reason != Reason::is_known;
      EXPECT_EQ(found.insert(index(e.other)).second, is_new);
      if (e.reason == Reason::is_new) {
        EXPECT_TRUE(work.insert(index(e.other)).second);
      }
    } else if (e.kind == EventKind::phi && e.reason == Reason::frontier) {
      EXPECT_EQ(e.track, track);
      EXPECT_TRUE(found.contains(index(e.block)));
      EXPECT_FALSE(is_none(e.other));
    }
  }
  EXPECT_TRUE(work.empty());
}

TEST(EventLog, RandomPrograms) {
  uint32_t undone = 0, pruned = 0, handlers = 0, folded = 0, replaced = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::string text = RandomVariableProgram(seed).make();
    SCOPED_TRACE(text);
    for (Prune prune : ssa::all_prunings) {
      std::unique_ptr<ir::Module> input = parsed(text);
      ir::BlockDominance dominance(only(*input));
      Recorded run = record(text, Algorithm::cytron, prune);
      check_versions(run.log);
      check_dominance(run.log, dominance);
      check_graph(run.log, dominance);
      check_work(run.log);
      undone += count(run.log, EventKind::undo);
      for (const Event& e : run.log.events()) {
        pruned += e.kind == EventKind::prune && e.reason == Reason::dead;
        folded += e.kind == EventKind::prune && e.reason != Reason::dead;
        handlers += e.kind == EventKind::use && e.reason == Reason::upsilon;
      }
    }
    for (Algorithm algorithm : ssa::all_algorithms) {
      // Recording changes nothing, and says the same every time.
      Recorded first = record(text, algorithm), second = record(text, algorithm);
      EXPECT_EQ(lines(first.log), lines(second.log));
      std::unique_ptr<ir::Module> silent = parsed(text);
      ssa::construct(only(*silent), {algorithm, Prune::pruned, nullptr});
      EXPECT_EQ(text::to_text(*first.module), text::to_text(*silent)) << name(algorithm);
      // Phis of the result are those that were placed and not pruned, and those of tokens, which the program brings.
      const ir::Function& f = only(*first.module);
      uint32_t of_tokens = 0;
      for (uint32_t i = 0; i < f.size(); ++i)
        of_tokens += f.columns().stmt(i).op == ir::Op::phi && f.columns().type(i) == token_type;
      uint32_t left = count(first.log, EventKind::phi) - count(first.log, EventKind::prune);
      EXPECT_EQ(left + of_tokens, count_ops(f, ir::Op::phi) + count_ops(f, ir::Op::phi_c)) << name(algorithm);
      for (const Event& e : first.log.events()) {
        replaced += e.kind == EventKind::prune && e.reason == Reason::one_value;
        if (e.kind != EventKind::use) continue;
        EXPECT_NE(e.version, Event::no_number) << name(algorithm);
      }
    }
    if (testing::Test::HasFailure()) return;
  }
  printf("undone %u, pruned %u, upsilons %u, flags folded %u, phis of one value %u\n", undone, pruned,
         handlers, folded, replaced);
  EXPECT_GT(undone, 10'000u);
  EXPECT_GT(pruned, 1'000u);
  EXPECT_GT(handlers, 500u);
  EXPECT_GT(folded, 10u);
  EXPECT_GT(replaced, 100u);
}

}  // namespace
}  // namespace braid
