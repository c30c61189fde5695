// Random programs before and after the passes: valid, and with the same results.
#include <random>

#include "opt/dce.h"
#include "opt/simplify.h"
#include "opt/simplify_edges.h"
#include "opt_testing.h"

namespace braid::opt {
namespace {

/// A graph of blocks over three registers. Blocks with phis have one per register and edge; blocks without can only jump,
/// on constants and parameters. Register 2 may be undefined and only flows, with register 3 as its flag.
class RandomProgram {
 public:
  explicit RandomProgram(uint32_t seed) : random_(seed) {}

  std::string text() {
    blocks_.resize(3 + pick(8));
    for (size_t b = 0; b < blocks_.size(); ++b) make_block(b);
    for (size_t b = 0; b < blocks_.size(); ++b)
      for (size_t to : blocks_[b].targets) blocks_[to].sources.push_back(b);
    std::string text = "func @f(x: i64, y: i64) -> i64 {\n";
    for (size_t b = 0; b < blocks_.size(); ++b) text += block_text(b);
    return text + "}\n";
  }

 private:
  struct Block {
    bool with_phis = true;
    std::vector<std::string> lines;
    std::vector<size_t> targets;
    std::vector<size_t> sources;
    std::string values[4];
    std::string terminator;
  };

  uint32_t pick(uint32_t count) { return random_() % count; }
  std::string number() { return std::to_string(static_cast<int>(pick(7)) - 2); }
  std::string leaf() { return pick(2) ? "%x" : pick(2) ? "%y" : number(); }

  void make_block(size_t b) {
    Block& block = blocks_[b];
    std::string name = std::to_string(b);
    block.with_phis = b != 0 && pick(4) != 0;
    if (block.with_phis) {
      for (int r = 0; r < 4; ++r) block.values[r] = "%p" + std::to_string(r) + "_" + name;
    } else {
      for (int r = 0; r < 2; ++r) block.values[r] = leaf();
      bool defined = pick(2);
      block.values[2] = defined ? leaf() : "undef";
      block.values[3] = defined ? "true" : "false";
    }
    constexpr const char* ops[] = {"add", "sub", "mul", "xor", "smin"};
    for (uint32_t i = b == 0 || block.with_phis ? pick(3) : 0; i > 0; --i) {
      std::string value = "%v" + std::to_string(i) + "_" + name;
      int target = static_cast<int>(pick(2));
      block.lines.push_back(value + " = " + ops[pick(5)] + " i64 " + block.values[pick(2)] + ", " +
                            (pick(2) ? block.values[pick(2)] : number()));
      if (pick(3) != 0) block.values[target] = value;
    }
    make_terminator(b);
  }

  void make_terminator(size_t b) {
    Block& block = blocks_[b];
    auto go = [&] {
      block.targets.push_back(1 + pick(static_cast<uint32_t>(blocks_.size() - 1)));
      return "b" + std::to_string(block.targets.back());
    };
    uint32_t kind = pick(10);
    if (kind == 0 || b + 1 == blocks_.size()) {
      block.terminator = "ret " + block.values[0];
    } else if (kind <= 4 || (b != 0 && !block.with_phis)) {
      block.terminator = "jump " + go();
    } else if (kind == 5) {
      std::string first = go(), second = go();
      block.terminator = std::string("branch ") + (pick(2) ? "true" : "false") + ", " + first + ", " + second;
    } else if (kind == 6) {
      std::string text = "switch i64 " + block.values[0] + ", " + go() + ", [";
      for (uint32_t i = 0, count = pick(4); i < count; ++i) text += (i ? ", " : "") + std::to_string(i) + ": " + go();
      block.terminator = text + "]";
    } else {
      std::string condition = "%c_" + std::to_string(b);
      block.lines.push_back(condition + " = slt i64 " + block.values[0] + ", " + block.values[1]);
      std::string first = go(), second = go();
      block.terminator = "branch " + condition + ", " + first + ", " + second;
    }
  }

  std::string block_text(size_t b) {
    const Block& block = blocks_[b];
    std::string text = b == 0 ? "entry:\n" : "b" + std::to_string(b) + ":\n";
    if (block.with_phis) {
      for (int r = 0; r < 4; ++r) {
        text += "  %p" + std::to_string(r) + "_" + std::to_string(b) + " = phi " + (r == 3 ? "i1" : "i64") + " [";
        bool first = true;
        for (size_t from : block.sources) {
          text += (first ? "" : ", ") + (from == 0 ? "entry" : "b" + std::to_string(from)) + ": " + blocks_[from].values[r];
          first = false;
        }
        text += "]\n";
      }
    }
    for (const std::string& line : block.lines) text += "  " + line + "\n";
    return text + "  " + block.terminator + "\n";
  }

  std::mt19937 random_;
  std::vector<Block> blocks_;
};

void check(uint32_t seed, void (*pass)(ir::Function&), const char* name) {
  std::string source = RandomProgram(seed).text();
  Program before(source), after(source);
  if (::testing::Test::HasFailure()) return;
  pass(after.function());
  after.expect_valid(std::string("after ") + name);
  constexpr uint64_t steps = 2000;
  for (int64_t x : {-2, 0, 1, 3}) {
    std::vector<Value> arguments = {Value(x), Value(int64_t{1})};
    std::string expected = before.run(arguments, steps);
    if (expected.starts_with("stops")) continue;
    // A branch that was folded costs no step any more, and a block that was merged counts with its neighbour.
    EXPECT_EQ(after.run(arguments, 10 * steps), expected) << "seed " << seed << " after " << name << "\n" << source << after.text();
  }
}

TEST(Random, PassesKeepResults) {
  for (uint32_t seed = 0; seed < 1000 && !HasFailure(); ++seed) {
    check(seed, dce, "dce");
    check(seed, simplify_edges, "simplify_edges");
    check(seed, simplify, "simplify");
    check(seed, [](ir::Function& f) {
      simplify_edges(f);
      dce(f);
      simplify_edges(f);
    }, "simplify_edges, dce, simplify_edges");
  }
}

}  // namespace
}  // namespace braid::opt
