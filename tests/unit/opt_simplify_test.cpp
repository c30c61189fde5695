// The pass that applies the rewrite rules: valid programs, the same results, never more statements.
#include "opt/simplify.h"

#include <random>

#include "opt_testing.h"

namespace braid::opt {
namespace {

/// Straight code over all integer operations, with few parameters and many constants, so that rules apply.
class RandomCode {
 public:
  explicit RandomCode(uint64_t seed) : random_(seed) {}

  std::string text() {
    static constexpr const char* kinds[] = {"i8", "i16", "i32", "i64"};
    const std::string kind = kinds[pick(4)];
    std::string body;
    words_ = {"%x", "%y"};
    flags_ = {"%c"};
    for (int i = 0; i < 25; ++i) {
      const std::string name = "%v" + std::to_string(i);
      if (pick(4) == 0) {
        static constexpr const char* compares[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                                   "sge", "ult", "ule", "ugt", "uge"};
        body += "  " + name + " = " + compares[pick(10)] + " " + kind + " " + word() + ", " + word() + "\n";
        flags_.push_back(name);
      } else if (pick(6) == 0) {
        static constexpr const char* logic[] = {"and", "or", "xor"};
        body += pick(3) == 0 ? "  " + name + " = not i1 " + flag() + "\n"
                             : "  " + name + " = " + logic[pick(3)] + " i1 " + flag() + ", " + flag() + "\n";
        flags_.push_back(name);
      } else if (pick(5) == 0) {
        body += "  " + name + " = select " + kind + " " + flag() + ", " + word() + ", " + word() + "\n";
        words_.push_back(name);
      } else if (pick(6) == 0) {
        static constexpr const char* unary[] = {"neg", "not", "clz", "ctz", "popcount", "bswap"};
        body += "  " + name + " = " + unary[pick(6)] + " " + kind + " " + word() + "\n";
        words_.push_back(name);
      } else if (pick(8) == 0) {
        body += "  " + name + " = " + (pick(2) ? "zext" : "sext") + " i1 " + flag() + " to " + kind + "\n";
        words_.push_back(name);
      } else {
        static constexpr const char* binary[] = {"add",  "sub",  "mul",  "sdiv", "udiv", "srem",  "urem",
                                                 "and",  "or",   "xor",  "shl",  "lshr", "ashr",  "rotl",
                                                 "rotr", "smin", "smax", "umin", "umax", "smulh", "umulh"};
        body += "  " + name + " = " + binary[pick(21)] + " " + kind + " " + word() + ", " + word() + "\n";
        words_.push_back(name);
      }
    }
    return "func @f(x: " + kind + ", y: " + kind + ", c: i1) -> " + kind + " {\nentry:\n" + body +
           "  %last = select " + kind + " " + flags_.back() + ", " + words_.back() + ", " +
           words_[words_.size() - 2] + "\n  ret %last\n}\n";
  }

 private:
  uint32_t pick(uint32_t count) { return static_cast<uint32_t>(random_() % count); }
  std::string word() {
    static constexpr const char* numbers[] = {"0", "1", "-1", "2",  "-2",   "3",
                                              "4", "7", "8",  "64", "-128", "127"};
    if (pick(3) == 0) return numbers[pick(12)];
    return words_[pick(2)
                      ? words_.size() - 1 - pick(std::min<uint32_t>(3, static_cast<uint32_t>(words_.size())))
                      : pick(static_cast<uint32_t>(words_.size()))];
  }
  std::string flag() {
    if (pick(8) == 0) return pick(2) ? "true" : "false";
    return flags_[pick(static_cast<uint32_t>(flags_.size()))];
  }

  std::mt19937_64 random_;
  std::vector<std::string> words_, flags_;
};

TEST(Simplify, RandomCodeKeepsItsResults) {
  uint64_t before_count = 0, after_count = 0;
  for (uint64_t seed = 0; seed < 2000 && !HasFailure(); ++seed) {
    const std::string source = RandomCode(seed).text();
    Program before(source), after(source);
    if (HasFailure()) return;
    simplify(after.function());
    after.expect_valid("after simplify");
    ASSERT_LE(after.function().size(), before.function().size()) << source << after.text();
    before_count += before.function().size();
    after_count += after.function().size();
    std::mt19937_64 random(seed);
    for (int i = 0; i < 6; ++i) {
      auto draw = [&] {
        return Value(static_cast<int64_t>(static_cast<int8_t>(random() % 3 ? random() % 5 : random())));
      };
      std::vector<Value> arguments = {draw(), draw(), Value(bool(random() % 2))};
      ASSERT_EQ(after.run(arguments), before.run(arguments)) << "seed " << seed << "\n"
                                                             << source << after.text();
    }
  }
  EXPECT_LT(after_count * 10, before_count * 8) << "hardly anything was simplified";
}

TEST(Simplify, WhatIsKnownOfAStatementIsKept) {
  Program p(
      "func @f(x: i64) -> i64 {\nentry:\n  %a = add i64 %x, 1\n  %b = add i64[0..9] %a, 2\n  ret %b\n}\n");
  simplify(p.function());
  EXPECT_EQ(p.text(), "func @f(x: i64) -> i64 {\nentry:\n  %0 = add i64[0..9] %x, 3\n  ret %0\n}\n");
}

TEST(Simplify, UndefinedOperandsAreLeftAlone) {
  Program p(
      "func @f(c: i1) -> i64 {\nentry:\n  branch %c, a, b\na:\n  jump b\nb:\n"
      "  %p = phi i64 [entry: undef, a: 3]\n  %d = sub i64 %p, %p\n  ret %d\n}\n");
  simplify(p.function());
  p.expect_valid("after simplify");
  EXPECT_EQ(p.run({Value(true)}), "0");
}

}  // namespace
}  // namespace braid::opt
