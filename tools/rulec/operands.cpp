// Which operands the rules look for, as tables: most operations have none of them, and need not be matched.
//
// For every operation of two values that a pattern begins with: the pairs of operands that some pattern takes, each by what it is
// (a constant, an operation that stands at this place in some pattern, anything else).
#include <cstdlib>
#include <map>
#include <set>

#include "variant.h"

namespace braid::rulec {
namespace {

using ir::Op;

constexpr uint32_t constant = 1, first_op = 2, most_classes = 64;  // 0 is for all else

struct Operands {
  std::vector<uint64_t> taken = std::vector<uint64_t>(most_classes);  ///< by the class of the left one: classes of the right one
  KindSet open = 0;  ///< kinds for which some pattern takes any two
};

class Table {
 public:
  explicit Table(const std::vector<Rule>& rules) {
    std::set<Op> inner;
    for_each_pair(rules, [&](const Rule& rule, NodeId left, NodeId right) {
      for (NodeId id : {left, right})
        if (is_op(rule, id)) inner.insert(rule[id].op);
    });
    for (Op op : inner) classes_.emplace(op, first_op + static_cast<uint32_t>(classes_.size()));
    if (classes_.size() + first_op > most_classes) std::abort();  // then a row needs another word
    for_each_pair(rules, [&](const Rule& rule, NodeId left, NodeId right) { add(rule, left, right); });
    // Constants are folded whatever the rules say.
    for (auto& [op, operands] : roots_) operands.taken[constant] |= uint64_t{1} << constant;
  }

  std::string text() const {
    const size_t count = classes_.size() + first_op;
    std::string rows = "inline constexpr std::array<TakenOperands<" + std::to_string(count) + ">, " +
                       std::to_string(roots_.size() + 1) + "> taken{{\n    {{0, " + std::to_string(1u << constant) + "}, 0},\n";
    std::string row_of = "constexpr uint8_t row_of(Op op) {\n  switch (op) {\n", class_of = "constexpr uint8_t class_of(Op op) {\n  switch (op) {\n";
    uint32_t row = 0;
    for (auto& [op, operands] : roots_) {
      row_of += "    case " + name(op) + ": return " + std::to_string(++row) + ";\n";
      rows += "    {{";
      for (size_t i = 0; i < count; ++i) rows += (i == 0 ? "" : ", ") + std::to_string(operands.taken[i]) + "u";
      rows += "}, " + std::to_string(operands.open) + "u},\n";
    }
    for (auto& [op, number] : classes_) class_of += "    case " + name(op) + ": return " + std::to_string(number) + ";\n";
    const std::string end = "    default: return 0;\n  }\n}\n";
    return class_of + end + row_of + end + rows + "}};\n";
  }

 private:
  static std::string name(Op op) { return "Op::" + std::string(ir::info(op).id); }
  static bool is_op(const Rule& rule, NodeId id) { return !is_constant(rule, id) && rule[id].kind == NodeKind::op; }

  template <typename F>
  static void for_each_pair(const std::vector<Rule>& rules, F&& f) {
    for (const Rule& rule : rules)
      for (const Variant& variant : variants_of(rule)) {
        std::vector<NodeId> inputs = variant.inputs(rule.pattern);
        if (inputs.size() == 2 && !rule[inputs[0]].is_immediate && !rule[inputs[1]].is_immediate) f(rule, inputs[0], inputs[1]);
      }
  }

  /// The classes of operands that a place of a pattern takes.
  uint64_t taken_by(const Rule& rule, NodeId id) const {
    if (is_constant(rule, id)) return uint64_t{1} << constant;
    return is_op(rule, id) ? uint64_t{1} << classes_.at(rule[id].op) : ~uint64_t{0};
  }
  void add(const Rule& rule, NodeId left, NodeId right) {
    Operands& operands = roots_[rule[rule.pattern].op];
    const uint64_t of_left = taken_by(rule, left), of_right = taken_by(rule, right);
    if (of_left == ~uint64_t{0} && of_right == ~uint64_t{0}) {
      // Two equal operands are always matched.
      if (rule[left].name != rule[right].name) operands.open |= rule.domains[index(rule[left].type)];
      return;
    }
    for (uint32_t i = 0; i < most_classes; ++i)
      if ((of_left >> i & 1) != 0) operands.taken[i] |= of_right;
  }

  std::map<Op, uint32_t> classes_;
  std::map<Op, Operands> roots_;
};

}  // namespace

std::string emit_operands(const std::vector<Rule>& rules) {
  return "// Written by rulec from src/rules/*.rules; see docs/rules.md.\n" + Table(rules).text();
}

}  // namespace braid::rulec
