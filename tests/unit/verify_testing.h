// What the tests of the verifier share: a function to break, surgery on its insides, and a record of the rules broken.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "ir/verify.h"

namespace braid::ir {

/// A friend of Function: makes what its own interface cannot.
struct FunctionSurgery {
  static Block& block(Function& f, BlockId b) { return f.blocks_[b]; }
  static Edge& edge(Function& f, EdgeId e) { return f.edges_[e]; }
  static Stmt& stmt(Function& f, Operand id) { return f.stmt_mut(id); }
  static std::vector<uint32_t>& pool(Function& f) { return f.pool_; }
  static std::vector<Point>& points(Function& f) { return f.points_; }
  static uint32_t range_count(const Function& f) { return static_cast<uint32_t>(f.ranges_.size()); }
  static void set_range(Function& f, uint32_t r, uint32_t first, uint32_t end, uint32_t next) {
    f.ranges_[r] = {first, end, next, f.ranges_[r].last};
  }
};

namespace testing_verify {

/// Rules that some test of this binary has broken.
inline std::set<std::string, std::less<>>& broken_rules() {
  static std::set<std::string, std::less<>> rules;
  return rules;
}

inline std::string listing(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    broken_rules().emplace(finding.rule);
    text += "[";
    text += finding.rule;
    text += "] " + finding.message + "\n";
  }
  return text;
}

/// A module with one function `@f` and short ways to fill it.
class Fixture : public ::testing::Test {
 protected:
  Module m;
  Function* f = nullptr;

  Function& make(std::vector<Type> params = {}, Type result = void_type) {
    f = &m.add_function(m.symbol("f" + (f == nullptr ? std::string() : std::to_string(m.function_count()))),
                        {std::move(params), result});
    return *f;
  }
  BlockId block(std::string_view name) { return f->new_block(m.symbol(name)); }
  Operand c(Type type, int64_t value) { return m.constant(type, value); }
  Operand add(BlockId b, Op op, Type type, std::initializer_list<Operand> operands = {}) {
    return f->append(b, f->make(op, type, operands));
  }
  /// With operand words as the op table says.
  Operand add_words(BlockId b, Op op, Type type, std::vector<uint32_t> words) {
    return f->append(b, f->make(op, type, words));
  }
  Operand phi(BlockId b, Type type, std::initializer_list<Operand> operands) { return add(b, Op::phi, type, operands); }
  static uint32_t w(Operand operand) { return operand.word(); }
  Operand insert(Point point, Op op, Type type, std::initializer_list<Operand> operands = {}) {
    return f->insert(point, f->make(op, type, operands));
  }

  /// The findings in the function, one per line: `[rule] message`.
  std::string found() { return listing(verify(*f)); }
  std::string found_in_module() { return listing(verify(m)); }
  FunctionSurgery surgery;
};

}  // namespace testing_verify
}  // namespace braid::ir
