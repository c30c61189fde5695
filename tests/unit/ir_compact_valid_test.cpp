// Random valid functions under edits that keep them valid, outside of a walk and inside: the finished part verifies at
// every step, the result verifies, and comes to rest. What exactly the result is, ir_compact_random_test.cpp knows.
#include <gtest/gtest.h>

#include <map>

#include "ir/verify.h"
#include "ir_edit_driver.h"

namespace braid::ir {
namespace {

using model::Random;

std::string listing(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += "[" + std::string(finding.rule) + "] " + finding.message + "\n";
  return text;
}

/// A function of i64 whose blocks all can be reached: block i is entered from some block before it, so that all its
/// dominators come first, and from anywhere else.
class ValidFunction {
 public:
  explicit ValidFunction(uint64_t seed) : random(seed), f(module.add_function(module.symbol("f"), {{i64, i64, i1}, i64})) {
    count = 1 + random.below(12);
    std::vector<std::vector<uint32_t>> targets(count);
    for (uint32_t b = 1; b < count; ++b) {
      uint32_t from = random.below(b);
      for (uint32_t tries = 0; targets[from].size() == 2 && tries < b; ++tries) from = (from + 1) % b;
      targets[from].push_back(b);
    }
    for (uint32_t b = 0; b < count; ++b) {
      f.new_block();
      while (count > 1 && targets[b].size() < 2 && random.chance(40)) targets[b].push_back(1 + random.below(count - 1));
    }
    find_dominators(targets);
    own.resize(count);
    for (uint32_t b = 0; b < count; ++b) fill(b, targets[b]);
    // The columns of the phis.
    for (uint32_t b = 0; b < count; ++b)
      for (Operand phi : phis[b]) f.for_each_pred(BlockId{b}, [&](EdgeId e) {
        f.set_operand(phi, f.edge(e).pred_index, available(index(f.edge(e).from)));
      });
  }

  Module module;
  Random random;
  Function& f;
  uint32_t count = 0;
  std::vector<std::vector<Operand>> own;              ///< the values of each block that others may use
  std::map<uint32_t, std::vector<Operand>> phis;
  std::vector<std::vector<uint32_t>> dominators;      ///< of each block, strict ones

  Operand leaf() { return random.chance(50) ? Operand::param(random.below(2)) : module.constant(i64, random.below(9)); }
  /// A value at the end of a block, or at the start of what it dominates.
  Operand available(uint32_t b) {
    if (!own[b].empty() && random.chance(60)) return random.pick(own[b]);
    return above(b);
  }
  /// A value at the start of a block.
  Operand above(uint32_t b) {
    if (dominators[b].empty()) return leaf();
    uint32_t d = random.pick(dominators[b]);
    return own[d].empty() ? leaf() : random.pick(own[d]);
  }

 private:
  void find_dominators(const std::vector<std::vector<uint32_t>>& targets) {
    dominators.resize(count);
    for (uint32_t d = 0; d < count; ++d) {
      std::vector<bool> reached(count);
      std::vector<uint32_t> work;
      auto reach = [&](uint32_t b) {
        if (b != d && !reached[b]) reached[b] = true, work.push_back(b);
      };
      reach(0);
      while (!work.empty()) {
        uint32_t b = work.back();
        work.pop_back();
        for (uint32_t to : targets[b]) reach(to);
      }
      for (uint32_t b = 0; b < count; ++b)
        if (b != d && !reached[b]) dominators[b].push_back(d);
    }
  }
  void fill(uint32_t b, const std::vector<uint32_t>& targets) {
    BlockId block{b};
    for (uint32_t i = b > 0 ? random.below(3) : 0; i > 0; --i) {
      std::vector<uint32_t> none_yet(f.block(block).pred_count, Operand::undef().word());
      phis[b].push_back(f.append(block, f.make(Op::phi, i64, none_yet)));
      own[b].push_back(phis[b].back());
    }
    for (uint32_t i = random.below(6); i > 0; --i)
      own[b].push_back(f.append(block, f.make(Op::add, i64, {available(b), available(b)})));
    if (targets.empty()) return f.ret(block, available(b));
    if (targets.size() == 1) return f.jump(block, BlockId{targets[0]});
    f.branch(block, random.chance(30) ? module.constant(i1, random.below(2)) : Operand::param(2), BlockId{targets[0]},
             BlockId{targets[1]});
  }
};

/// Edits of a function at rest. Values of a block may be used below it still.
void edit(ValidFunction& v) {
  Function& f = v.f;
  uint32_t b = v.random.below(v.count);
  BlockId block{b};
  switch (v.random.below(5)) {
    case 0: {
      NewRef made = f.insert(f.at_end(block), f.make(Op::add, i64, {v.available(b), v.available(b)}));
      v.own[b].push_back(made);
      break;
    }
    case 1: f.insert(f.at_start(block), f.make(Op::mul, i64, {v.above(b), v.above(b)})); break;
    case 2: {
      if (v.own[b].empty()) break;
      // Only by what stands above: no ring of replacements can come about.
      uint32_t which = v.random.below(v.own[b].size());
      Operand gone = v.own[b][which], value = v.above(b);
      v.own[b].erase(v.own[b].begin() + which);
      f.replace(gone, value);
      break;
    }
    case 3: {
      uint32_t e = v.random.below(f.edge_count() + 1);
      if (e < f.edge_count() && !f.edge(EdgeId{e}).dead && v.random.chance(40)) f.remove_edge(EdgeId{e});
      break;
    }
    default: {
      uint32_t e = v.random.below(f.edge_count() + 1);
      if (e < f.edge_count() && !f.edge(EdgeId{e}).dead) f.split_edge(EdgeId{e});
    }
  }
}

/// One walk with edits at each step. What is emitted is known by `Ref`, per block.
struct EditedWalk {
  ValidFunction& v;
  Compact walk;
  std::vector<std::vector<Operand>> own;
  uint32_t edits = 0;

  EditedWalk(ValidFunction& v, CompactOptions options) : v(v), walk(v.f, options), own(v.count) {}

  /// An emitted value that dominates the place in the block; blocks that edits made use nothing.
  Operand value(BlockId b, bool from_here) {
    uint32_t number = index(b);
    if (number >= v.count) return v.leaf();
    if (from_here && !own[number].empty() && v.random.chance(60)) return v.random.pick(own[number]);
    if (v.dominators[number].empty()) return v.leaf();
    uint32_t d = v.random.pick(v.dominators[number]);
    return own[d].empty() ? v.leaf() : v.random.pick(own[d]);
  }
  void step(Ref r) {
    BlockId b = walk.block_here();
    bool plain = walk.op(r) == Op::add || walk.op(r) == Op::mul, keeps = true;
    if (v.random.chance(50)) ++edits, keeps = change(r, b, plain);
    if (keeps && index(b) < v.count && (plain || walk.op(r) == Op::phi)) own[index(b)].push_back(r);
  }
  /// False if the statement must not be used any more.
  bool change(Ref r, BlockId b, bool plain) {
    uint32_t words[] = {value(b, false).word(), value(b, false).word()};
    Draft draft{Op::add, i64, words};
    switch (v.random.below(8)) {
      case 0:
        if (!plain) break;
        words[0] = Operand(r).word();
        walk.insert_here(draft);
        break;
      case 1:
        if (plain) walk.set_operand(r, v.random.below(2), walk.insert_before(r, draft));
        break;
      case 2:
        if (plain) walk.insert_after(walk.insert_after(r, draft), draft);
        break;
      case 3: {
        if (!plain && walk.op(r) != Op::phi) break;
        walk.replace(r, value(b, false));
        return false;
      }
      case 4:
        if (plain) walk.set_operand(r, v.random.below(2), value(b, true));
        break;
      case 5: {
        uint32_t e = v.random.below(v.f.edge_count() + 1);
        if (e == v.f.edge_count() || v.f.edge(EdgeId{e}).dead) break;
        if (v.random.chance(70))
          walk.split_edge(EdgeId{e});
        else
          walk.remove_edge(EdgeId{e});
        break;
      }
      case 6:
        if (plain) walk.insert_after(walk.old_here(), draft);
        break;
      default:
        if (walk.op(r) != Op::ret || !v.random.chance(30)) break;
        words[0] = value(b, true).word();
        walk.overwrite(r, {Op::ret, void_type, std::span<const uint32_t>(words, 1)});
    }
    return true;
  }
};

TEST(CompactValid, EditsThatKeepAFunctionValid) {
  uint32_t edits = 0, moved = 0, dropped = 0;
  for (uint64_t seed = 1; seed <= 1500 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ValidFunction v(seed);
    ASSERT_EQ(listing(verify(v.f)), "");
    // A walk goes over the names that the function was built with, or else edits have made new ones.
    if (v.random.chance(50)) {
      for (uint32_t i = v.random.below(10); i > 0; --i) edit(v);
      ASSERT_EQ(listing(verify(v.f)), "");
      compact(v.f, {.count_uses = v.random.chance(50), .remove_dead = v.random.chance(30), .fold_branches = v.random.chance(30)});
    } else {
      EditedWalk w(v, {.count_uses = v.random.chance(50), .remove_dead = v.random.chance(30), .fold_branches = v.random.chance(30)});
      uint32_t blocks = v.f.block_count();
      for (Ref r : w.walk) {
        w.step(r);
        if (seed % 8 != 0) continue;
        EXPECT_EQ(listing(verify(w.walk.finished_part())), "") << "in the walk";
      }
      w.walk.finish();
      edits += w.edits;
      moved += w.walk.moved() != 0;
      dropped += v.f.block_count() < blocks;
    }
    EXPECT_EQ(listing(verify(v.f)), "");
    for (int i = 0; i < 3; ++i) {
      compact(v.f);
      EXPECT_EQ(listing(verify(v.f)), "") << "compaction " << i;
    }
    EXPECT_TRUE(v.f.is_at_rest());
    uint32_t size = v.f.size();
    compact(v.f);
    EXPECT_EQ(v.f.size(), size);
  }
  EXPECT_GE(edits, 3000u);
  EXPECT_GE(moved, 20u);
  EXPECT_GE(dropped, 50u);
}

}  // namespace
}  // namespace braid::ir
