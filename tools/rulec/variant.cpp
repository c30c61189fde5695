#include "variant.h"

#include <algorithm>
#include <set>

namespace braid::rulec {
namespace {

/// The text of a rule with variables numbered as they come, so that equal forms have equal texts.
class Text {
 public:
  explicit Text(const Variant& variant) : variant_(variant), rule_(*variant.rule) {}

  std::string run() {
    std::string text = pattern(rule_.pattern);
    if (rule_.condition != no_node) text += " if " + sorted(rule_.condition);
    return text + " => " + sorted(rule_.result);
  }

 private:
  std::string leaf(const Node& node) {
    bool is_variable = node.kind == NodeKind::value || node.kind == NodeKind::constant;
    if (is_variable) return std::to_string(numbers_.emplace(node.name, numbers_.size()).first->second) + "'";
    return std::to_string(static_cast<int>(node.kind)) + ":" + std::to_string(node.integer) + ":" +
           std::to_string(node.real);
  }
  std::string pattern(NodeId id) {
    const Node& node = rule_[id];
    if (node.kind != NodeKind::op) return leaf(node);
    std::string text = std::string(ir::info(node.op).text) + "(";
    for (NodeId input : variant_.inputs(id)) text += pattern(input) + ",";
    return text + ")";
  }
  /// Operands of commutative operations in the order of their texts.
  std::string sorted(NodeId id) {
    const Node& node = rule_[id];
    std::vector<std::string> inputs;
    for (NodeId input : node.inputs) inputs.push_back(sorted(input));
    if (node.kind == NodeKind::op && ir::has(node.op, ir::commutes)) std::sort(inputs.begin(), inputs.end());
    std::string text = node.kind == NodeKind::op ? std::string(ir::info(node.op).text) : leaf(node);
    text += "(";
    for (const std::string& input : inputs) text += input + ",";
    return text + ")";
  }

  const Variant& variant_;
  const Rule& rule_;
  std::map<std::string, size_t> numbers_;
};

}  // namespace

std::vector<NodeId> Variant::inputs(NodeId id) const {
  std::vector<NodeId> order = (*rule)[id].inputs;
  if (std::find(turned.begin(), turned.end(), id) != turned.end()) std::reverse(order.begin(), order.end());
  return order;
}

std::vector<Variant> variants_of(const Rule& rule) {
  std::vector<NodeId> can_turn;
  for_each_below(rule, rule.pattern, [&](NodeId id) {
    const Node& node = rule[id];
    if (node.kind != NodeKind::op || !ir::has(node.op, ir::commutes)) return;
    if (is_constant(rule, node.inputs[0]) || is_constant(rule, node.inputs[1])) return;
    can_turn.push_back(id);
  });
  std::vector<Variant> found;
  std::set<std::string> texts;
  for (uint32_t set = 0; set < 1u << can_turn.size(); ++set) {
    Variant variant{&rule, {}};
    for (size_t i = 0; i < can_turn.size(); ++i)
      if (set >> i & 1) variant.turned.push_back(can_turn[i]);
    if (texts.insert(Text(variant).run()).second) found.push_back(std::move(variant));
  }
  return found;
}

}  // namespace braid::rulec
