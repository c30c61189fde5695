// Repair: blocks of random programs are copied and edges led to the copies; the result verifies and runs as
// before. The work does not depend on the rest of the function.
#include "ssa/repair.h"

#include <cstdio>
#include <map>
#include <random>

#include "ir/compact.h"
#include "ir/graph_view.h"
#include "messy_programs.h"
#include "opt_testing.h"
#include "ssa/construct.h"
#include "ssa/redundant_phis.h"
#include "text/print.h"

namespace braid::ssa {
namespace {

using namespace ir;
using opt::Program;

/// Leads the edge to another block whose phis get the operands that those of the old target had for it.
EdgeId lead(Function& f, EdgeId e, BlockId to, std::span<const NewDefinition> copies) {
  uint32_t column = f.edge(e).pred_index;
  BlockId old = f.edge(e).to;
  EdgeId moved = f.redirect_edge(e, to);
  for (const NewDefinition& copy : copies)
    if (f.op(copy.original) == Op::phi && f.block_of(copy.original) == old && f.block_of(copy.value) == to)
      f.set_operand(copy.value, f.edge(moved).pred_index, f.operand(copy.original, column));
  return moved;
}

bool is_handler(const Function& f, BlockId b) {
  bool found = false;
  f.for_each_pred(b, [&](EdgeId e) { found |= f.edge(e).kind == EdgeKind::exceptional; });
  return found;
}

/// Copies some blocks and leads some of the edges into them to the copies.
std::vector<NewDefinition> copy_blocks(Function& f, std::mt19937& random, uint32_t most) {
  auto pick = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
  std::vector<BlockId> blocks;
  // Handlers stay: their phi_cs would need all their upsilons copied with them.
  for (uint32_t b = 1; b < f.block_count() && blocks.size() < most; ++b)
    if (pick(3) == 0 && !is_handler(f, static_cast<BlockId>(b))) blocks.push_back(static_cast<BlockId>(b));
  std::vector<BlockId> copies = f.clone_blocks(blocks);
  std::vector<NewDefinition> definitions = definitions_of_copies(f, blocks, copies);
  for (size_t i = 0; i < blocks.size(); ++i) {
    std::vector<EdgeId> incoming;
    f.for_each_pred(blocks[i], [&](EdgeId e) { incoming.push_back(e); });
    for (EdgeId e : incoming)
      if (pick(2)) lead(f, e, copies[i], definitions);
  }
  return definitions;
}

RepairReport duplicate(Function& f, std::mt19937& random, uint32_t most) {
  Uses uses(f);
  std::vector<NewDefinition> definitions = copy_blocks(f, random, most);
  return repair(f, definitions, uses);
}

TEST(Repair, CopiesOfRandomBlocksRunAlike) {
  RepairReport total;
  uint32_t runs = 0, values = 0;
  for (uint32_t seed = 0; seed < 2000 && !HasFailure(); ++seed) {
    std::string source = MessyProgram(seed, {.most_blocks = 16}).text();
    Program before(source), after(source);
    construct(after.function());
    std::string constructed = after.text();
    std::mt19937 random(seed);
    for (int round = 0; round < 2; ++round) {
      RepairReport report = duplicate(after.function(), random, 1 + seed % 8);
      total.phis += report.phis;
      total.phi_cs += report.phi_cs;
      after.expect_valid("before compaction, seed " + std::to_string(seed) + "\n" + constructed);
      compact(after.function());
      after.expect_valid("after compaction, seed " + std::to_string(seed) + "\n" + constructed);
    }
    for (int64_t n : {0, 1, 3, 6}) {
      std::string expected = before.run({Value(n)}, 20'000);
      ++runs;
      values += !expected.starts_with("stops") && !expected.starts_with("throws");
      EXPECT_EQ(after.run({Value(n)}, 20'000), expected) << "seed " << seed << "\n"
                                                         << constructed << after.text();
    }
  }
  std::printf("%u runs, %u with a value; %u phis and %u phi_cs inserted\n", runs, values, total.phis,
              total.phi_cs);
  EXPECT_GE(total.phis, 4000u);
  EXPECT_GE(total.phi_cs, 250u);
  EXPECT_GE(values, runs / 2);
}

/// The same by construction: a value with several definitions becomes a variable that each of them assigns and each use
/// reads. False if a definition is none that a variable can hold.
bool construct_anew(Function& f, std::span<const NewDefinition> definitions) {
  std::map<uint32_t, VarId> variable_of;  // by the word of a definition
  auto assign = [&](VarId variable, Operand value) {
    variable_of[value.word()] = variable;
    uint32_t words[] = {index(variable), value.word()};
    Point place = is_phi_like(f.op(value)) ? f.at_start(f.block_of(value)) : Function::after(value);
    f.insert(place, f.make(Op::set, void_type, words));
  };
  uint32_t old_size = f.size();
  for (const NewDefinition& definition : definitions) {
    Operand original = definition.original;
    if (f.op(original) == Op::upsilon) continue;
    if (is_terminator(f.op(original)) || f.type(original) == void_type) return false;
    if (!variable_of.contains(original.word())) {
      f.variables.push({none_id<Symbol>, f.type(original), UndefMeaning::reject});
      assign(static_cast<VarId>(f.variables.size() - 1), original);
    }
    assign(variable_of[original.word()], definition.value);
  }
  auto read = [&](Operand user, uint32_t i, Point place) {
    auto found = variable_of.find(f.operand(user, i).word());
    if (found == variable_of.end()) return;
    uint32_t words[] = {index(found->second)};
    f.set_operand(user, i, f.insert(place, f.make(Op::get, f.variables[found->second].type, words)));
  };
  for (uint32_t r = 0; r < old_size; ++r) {
    Operand user = static_cast<Ref>(r);
    if (f.op(user) == Op::phi) {
      f.for_each_pred(f.block_of(user), [&](EdgeId e) { read(user, f.edge(e).pred_index, f.at_end(f.edge(e).from)); });
      continue;
    }
    if (f.op(user) == Op::phi_c) continue;
    const OpInfo& op = info(f.op(user));
    for (uint32_t i = 0; i < f.operand_count(f.stmt(user)); ++i)
      if (op.kind_of(i) == OperandKind::value)
        read(user, i, is_terminator(f.op(user)) ? f.at_end(f.block_of(user)) : Function::before(user));
  }
  compact(f);
  construct(f);
  remove_redundant_phis(f);
  return true;
}

uint32_t count_phis(const Function& f) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < f.size(); ++i) count += is_phi_like(f.op(static_cast<Ref>(i)));
  return count;
}

TEST(Repair, PhisAreThoseOfAFreshConstruction) {
  uint32_t compared = 0, phis = 0;
  for (uint32_t seed = 0; seed < 2000 && !HasFailure(); ++seed) {
    Program p(MessyProgram(seed, {.undefined = false, .most_blocks = 16}).text());
    Function& f = p.function();
    construct(f);
    remove_redundant_phis(f);
    std::mt19937 random(seed);
    Uses uses(f);
    std::vector<NewDefinition> definitions = copy_blocks(f, random, 1 + seed % 8);
    Function fresh = f;
    RepairReport report = repair(f, definitions, uses);
    compact(f);
    if (!construct_anew(fresh, definitions)) continue;
    // Edges that were led elsewhere may have left old phis with one value.
    remove_redundant_phis(f);
    EXPECT_EQ(count_phis(f), count_phis(fresh)) << "seed " << seed << "\n" << p.text() << text::to_text(fresh);
    ++compared;
    phis += report.phis + report.phi_cs;
  }
  std::printf("%u repairs compared, %u phis inserted\n", compared, phis);
  EXPECT_GE(compared, 1000u);
  EXPECT_GE(phis, 1000u);
}

/// Inserts copies of values at random places where they are known, each as a new definition: nothing may
/// change.
RepairReport scatter(Function& f, std::mt19937& random) {
  auto pick = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
  Uses uses(f);
  BlockDominance dominance(f);
  std::vector<NewDefinition> definitions;
  for (uint32_t tries = 0; tries < 60; ++tries) {
    Ref original = static_cast<Ref>(pick(f.size()));
    BlockId b = static_cast<BlockId>(pick(f.block_count())), home = f.block_of(original);
    if (f.type(original) != i64 || f.op(original) == Op::upsilon || b == home ||
        !dominance.dominates(home, b))
      continue;
    Ref anchor = static_cast<Ref>(f.block(b).first + pick(f.block(b).end - f.block(b).first));
    Point place = f.at_end(b);
    if (pick(4) == 0)
      place = f.at_start(b);
    else if (!definitions.empty() && pick(4) == 0 && definitions.back().original == Operand(original))
      place =
          pick(2) ? Function::before(definitions.back().value) : Function::after(definitions.back().value);
    else if (!is_phi_like(f.op(anchor)) && !is_terminator(f.op(anchor)))
      place = pick(2) ? Function::before(anchor) : Function::after(anchor);
    Inst copy = f.make(Op::add, i64, {original, f.module().constant(i64, 0)});
    definitions.push_back({original, f.insert(place, copy)});
  }
  return repair(f, definitions, uses);
}

TEST(Repair, CopiesOfRandomValuesChangeNothing) {
  uint32_t phis = 0;
  for (uint32_t seed = 0; seed < 1500 && !HasFailure(); ++seed) {
    std::string source = MessyProgram(seed, {.most_blocks = 16}).text();
    Program before(source), after(source);
    construct(after.function());
    std::string constructed = after.text();
    std::mt19937 random(seed);
    RepairReport report = scatter(after.function(), random);
    phis += report.phis;
    after.expect_valid("before compaction, seed " + std::to_string(seed) + "\n" + constructed);
    compact(after.function());
    after.expect_valid("after compaction, seed " + std::to_string(seed) + "\n" + constructed);
    for (int64_t n : {0, 1, 3, 6})
      EXPECT_EQ(after.run({Value(n)}, 50'000), before.run({Value(n)}, 50'000)) << "seed " << seed << "\n"
                                                                               << constructed << after.text();
  }
  std::printf("%u phis inserted\n", phis);
  EXPECT_GE(phis, 4000u);
}

constexpr const char* diamond = R"(
func @f(c: i1, n: i64) -> i64 {
entry:
  branch %c, a, b
a:
  jump d
b:
  jump d
d:
  %v = add i64 %n, 1
  jump e
e:
  %w = mul i64 %v, %v
  ret %w
}
)";

TEST(Repair, OneCopyNeedsOnePhi) {
  Program p(diamond);
  Function& f = p.function();
  Uses uses(f);
  BlockId d{3};
  std::vector<BlockId> copies = f.clone_blocks({&d, 1});
  std::vector<NewDefinition> definitions = definitions_of_copies(f, {&d, 1}, copies);
  ASSERT_EQ(definitions.size(), 1u);
  EdgeId from_b = static_cast<EdgeId>(f.arg(f.stmt(f.terminator(BlockId{2})), 0));
  lead(f, from_b, copies[0], definitions);
  RepairReport report = repair(f, definitions, uses);
  EXPECT_EQ(report.phis, 1u);
  EXPECT_EQ(report.uses, 2u);
  EXPECT_EQ(report.blocks, 1u);
  p.expect_valid("after repair");
  compact(f);
  EXPECT_EQ(p.text(),
            "func @f(c: i1, n: i64) -> i64 {\nentry:\n  branch %c, a, b\na:\n  jump d\nd:\n  %2 = add i64 "
            "%n, 1\n  jump e\nb:\n"
            "  jump b4\nb4:\n  %5 = add i64 %n, 1\n  jump e\ne:\n  %7 = phi i64 [d: %2, b4: %5]\n  %8 = mul "
            "i64 %7, %7\n  ret %8\n}\n");
}

TEST(Repair, DefinitionsInOneBlockCountInTheirOrder) {
  Program p(
      "func @f(n: i64) -> i64 {\nentry:\n  %0 = add i64 %n, 1\n  %1 = mul i64 %0, 2\n  %2 = mul i64 %0, 3\n"
      "  %3 = sub i64 %1, %2\n  jump next\nnext:\n  %5 = add i64 %0, %3\n  ret %5\n}\n");
  Function& f = p.function();
  Uses uses(f);
  Operand n = Operand::param(0), hundred = p.module->constant(i64, 100);
  // Between the two products, and, made first, behind the second one; each waits in the buffer and hangs on
  // another.
  NewRef last = f.insert(Function::after(Ref{3}), f.make(Op::add, i64, {n, p.module->constant(i64, 1000)}));
  NewRef anchor = f.insert(Function::before(Ref{2}), f.make(Op::add, i64, {Ref{0}, hundred}));
  NewRef middle = f.insert(Function::after(anchor), f.make(Op::add, i64, {n, hundred}));
  std::vector<NewDefinition> definitions = {{Ref{0}, last}, {Ref{0}, middle}};
  RepairReport report = repair(f, definitions, uses);
  EXPECT_EQ(report.phis, 0u);
  p.expect_valid("after repair");
  EXPECT_EQ(f.operand(Ref{1}, 0), Operand(Ref{0}));
  EXPECT_EQ(f.operand(anchor, 0), Operand(Ref{0})) << "it stands before the new definition";
  EXPECT_EQ(f.operand(Ref{2}, 0), Operand(middle));
  EXPECT_EQ(f.operand(Ref{5}, 0), Operand(last));
}

TEST(Repair, ALoopThatRedefinesAValueGetsAPhiAtItsHead) {
  Program p(R"(
func @f(n: i64) -> i64 {
entry:
  %v = add i64 %n, 0
  jump head
head:
  %c = slt i64 %v, 10
  branch %c, body, done
body:
  jump head
done:
  ret %v
}
)");
  Function& f = p.function();
  Uses uses(f);
  Operand v = Ref{0};
  NewRef more = f.insert(f.at_start(BlockId{2}), f.make(Op::add, i64, {v, p.module->constant(i64, 3)}));
  std::vector<NewDefinition> definitions = {{v, more}};
  RepairReport report = repair(f, definitions, uses);
  EXPECT_EQ(report.phis, 1u);
  p.expect_valid("after repair");
  compact(f);
  EXPECT_EQ(p.run({Value(int64_t{1})}), "10");
  EXPECT_EQ(p.run({Value(int64_t{12})}), "12");
}

TEST(Repair, ATokenAndAValueMeetAtTheHandler) {
  Program p(R"(
func @f(c: i1, n: i64) -> i64 {
entry:
  branch %c, a, b
a:
  jump try
b:
  jump try
try:
  %v = add i64 %n, 1
  %t = enter handler, body
body:
  %x = check_zero i64 %n
  leave %t
  ret %x
handler:
  pop_exception %t
  ret %v
}
)");
  Function& f = p.function();
  Uses uses(f);
  BlockId block{3};
  std::vector<BlockId> copies = f.clone_blocks({&block, 1});
  std::vector<NewDefinition> definitions = definitions_of_copies(f, {&block, 1}, copies);
  ASSERT_EQ(definitions.size(), 2u);
  lead(f, static_cast<EdgeId>(f.arg(f.stmt(f.terminator(BlockId{2})), 0)), copies[0], definitions);
  RepairReport report = repair(f, definitions, uses);
  EXPECT_EQ(report.phi_cs, 2u);
  p.expect_valid("after repair");
  compact(f);
  p.expect_valid("after compaction");
  for (bool c : {false, true}) {
    EXPECT_EQ(p.run({Value(c), Value(int64_t{0})}), "1");
    EXPECT_EQ(p.run({Value(c), Value(int64_t{7})}), "7");
  }
}

TEST(Repair, NothingNewNothingDone) {
  Program p(diamond);
  Uses uses(p.function());
  EXPECT_EQ(repair(p.function(), {}, uses).work(), 0u);
  EXPECT_EQ(p.function().pending_count(), 0u);
}

TEST(Repair, OldStatementsThatBecameUsersAreNamed) {
  Program p(diamond);
  Function& f = p.function();
  Uses uses(f);
  Operand v = Ref{3}, w = Ref{5};
  NewRef other = f.insert(f.at_start(BlockId{4}), f.make(Op::add, i64, {v, v}));
  NewRef third = f.insert(Function::after(w), f.make(Op::add, i64, {w, w}));
  // The return reads %v now, which it did not when the uses were found.
  Operand ret = f.terminator(BlockId{4});
  f.set_operand(ret, 0, v);
  std::vector<NewDefinition> definitions = {{v, other}, {w, third}};
  repair(f, definitions, uses, {&ret, 1});
  p.expect_valid("after repair");
  EXPECT_EQ(f.operand(ret, 0), Operand(other));
}

/// A diamond in the middle of a function with much before it, behind it and beside it.
std::string surrounded(size_t size) {
  std::string text = "func @f(c: i1, n: i64) -> i64 {\nentry:\n  jump p0\n";
  auto part = [&](const std::string& p, const std::string& last) {
    for (size_t i = 0; i < size; ++i) {
      std::string s = p + std::to_string(i), next = i + 1 == size ? last : p + std::to_string(i + 1);
      text += s + ":\n  %" + s + " = add i64 %n, " + std::to_string(i) + "\n  branch %c, " + s + "x, " +
              next + "\n" + s + "x:\n  jump " + next + "\n";
    }
  };
  part("p", "top");
  text +=
      "top:\n  branch %c, a, beside\nbeside:\n  jump s0\na:\n  branch %c, l, r\nl:\n  jump d\nr:\n  jump "
      "d\nd:\n"
      "  %v = add i64 %n, 1\n  jump e\ne:\n  %w = mul i64 %v, %v\n  jump q0\n";
  part("s", "out");
  part("q", "out");
  return text + "out:\n  ret %n\n}\n";
}

TEST(Repair, TheWorkIsThatOfTheChange) {
  uint64_t work[2];
  size_t sizes[2] = {10, 10'000};
  for (int i = 0; i < 2; ++i) {
    Program p(surrounded(sizes[i]));
    Function& f = p.function();
    Uses uses(f);
    BlockId d = none_id<BlockId>;
    for (uint32_t b = 0; b < f.block_count(); ++b) {
      Symbol name = f.block(static_cast<BlockId>(b)).name;
      if (!is_none(name) && p.module->name(name) == "d") d = static_cast<BlockId>(b);
    }
    std::vector<BlockId> copies = f.clone_blocks({&d, 1});
    std::vector<NewDefinition> definitions = definitions_of_copies(f, {&d, 1}, copies);
    lead(f, f.block(d).first_pred, copies[0], definitions);
    RepairReport report = repair(f, definitions, uses);
    work[i] = report.work();
    EXPECT_EQ(report.phis, 1u);
    p.expect_valid("after repair");
  }
  std::printf("work: %llu\n", static_cast<unsigned long long>(work[0]));
  EXPECT_EQ(work[0], work[1]);
  EXPECT_LE(work[0], 10u);
}

}  // namespace
}  // namespace braid::ssa
