#include "evaluate.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "ir/eval_op.h"
#include "rules/constants.h"

namespace braid::rulec {

using ir::Op;

RuleRunner::RuleRunner(const Rule& rule, const Kinds& kinds)
    : rule_(rule), kinds_(kinds), bits_(rule.nodes.size()) {
  for (NodeId root : {rule.pattern, rule.condition, rule.result}) add_steps(root);
  std::map<std::string, std::vector<NodeId>> by_name;
  for (NodeId id : steps_) {
    const Node& node = rule_[id];
    bool is_variable = node.kind == NodeKind::value || node.kind == NodeKind::constant;
    if (is_variable && node.name != "result") by_name[node.name].push_back(id);
  }
  for (auto& [name, nodes] : by_name) variables_.push_back(nodes);
}

void RuleRunner::add_steps(NodeId root) {
  for_each_below(rule_, root, [&](NodeId id) {
    if (std::find(steps_.begin(), steps_.end(), id) == steps_.end()) steps_.push_back(id);
  });
}

RuleRunner::Outcome RuleRunner::try_once(std::mt19937_64& random) {
  for (const std::vector<NodeId>& nodes : variables_) {
    const Node& first = rule_[nodes[0]];
    uint64_t bits = draw(kind(nodes[0]), first.kind == NodeKind::constant, random);
    for (NodeId id : nodes) bits_[index(id)] = bits;
  }
  for (NodeId id : steps_) {
    const Node& node = rule_[id];
    if (node.kind != NodeKind::value && node.kind != NodeKind::constant) bits_[index(id)] = evaluate(id);
  }
  if (rule_.condition != no_node && bits_[index(rule_.condition)] == 0) return Outcome::does_not_apply;
  bool holds = bits_[index(rule_.pattern)] == bits_[index(rule_.result)];
  for (auto& [less, more] : rule_.decreasing) {
    KindSet narrow = kind_bit(kind(less));
    uint64_t mask = bit_width(kind(less)) == 64 ? ~uint64_t{0} : (uint64_t{1} << bit_width(kind(less))) - 1;
    holds = holds && narrow != 0 && (bits_[index(less)] & mask) < (bits_[index(more)] & mask);
  }
  return holds ? Outcome::holds : Outcome::fails;
}

uint64_t RuleRunner::evaluate(NodeId id) const {
  const Node& node = rule_[id];
  auto input = [&](uint32_t i) { return bits_[index(node.inputs[i])]; };
  switch (node.kind) {
    case NodeKind::integer:
      return node.is_immediate ? static_cast<uint64_t>(node.integer) : rules::literal(kind(id), node.integer);
    case NodeKind::real: return rules::real_literal(kind(id), std::bit_cast<uint64_t>(node.real));
    case NodeKind::width:
      return rules::literal(kind(id), bit_width(node.inputs.empty() ? kind(id) : kind(node.inputs[0])));
    case NodeKind::minimum: return rules::min_signed(kind(id));
    case NodeKind::maximum: return rules::max_signed(kind(id));
    case NodeKind::inverse: return rules::inverse(kind(id), input(0));
    case NodeKind::narrower: return bit_width(kind(node.inputs[0])) < bit_width(kind(node.inputs[1]));
    case NodeKind::same_type: return kind(node.inputs[0]) == kind(node.inputs[1]);
    case NodeKind::computed: {
      uint64_t bits = input(0);
      if (kind(node.inputs[0]) == Kind::f32)
        return ir::as_float<float>(bits) == ir::as_float<float>(bits) || bits == ir::canonical_nan_f32;
      return ir::as_float<double>(bits) == ir::as_float<double>(bits) || bits == ir::canonical_nan_f64;
    }
    default: break;
  }
  uint64_t words[3] = {};
  const size_t count = std::min<size_t>(node.inputs.size(), 3);
  for (uint32_t i = 0; i < count; ++i) words[i] = input(i);
  if (node.op == Op::extract) {
    const Node& source = rule_[node.inputs[0]];
    const uint64_t pair[] = {bits_[index(source.inputs[0])], bits_[index(source.inputs[1])]};
    auto answer = ir::fold_overflow(source.op, kind(source.inputs[0]), pair);
    return rule_[node.inputs[1]].integer == 0 ? answer->value : uint64_t{answer->overflow};
  }
  if (ir::info(node.op).rule == ir::TypeRule::overflow) {
    // The tuple as one number: the value, and the flag as its parity.
    auto answer = ir::fold_overflow(node.op, kind(node.inputs[0]), std::span<const uint64_t>(words, 2));
    return answer->value * 2 + answer->overflow;
  }
  return ir::fold(node.op, kind(node.inputs[node.op == Op::select ? 2 : 0]), kind(id),
                  std::span<const uint64_t>(words, count))
      .value_or(0);
}

uint64_t RuleRunner::draw(Kind kind, bool is_constant, std::mt19937_64& random) const {
  const uint64_t choice = random();
  const uint64_t bits = random();
  const int width = std::max(bit_width(kind), kind == Kind::ptr || kind == Kind::ref ? 64 : 1);
  const uint64_t one = uint64_t{1} << (bits % static_cast<uint64_t>(width));
  uint64_t drawn = bits;
  switch (choice % (is_constant ? 10 : 14)) {
    case 0: drawn = one; break;
    case 1: drawn = 0 - one; break;
    case 2: drawn = one - 1; break;
    case 3: drawn = bits % 5 - 2; break;
    case 4: drawn = bits >> (choice >> 8) % 64; break;
    case 5: drawn = bits % static_cast<uint64_t>(width); break;
    case 6: drawn = (uint64_t{1} << (width - 1)) + bits % 5 - 2; break;
    default: break;
  }
  if (kind == Kind::f64 && choice % 3 == 0) {
    constexpr double corners[] = {0.0,   -0.0,   1.0,    -1.0, 0.5,  2.0,
                                  1e308, -1e308, 5e-324, 1.5,  -2.5, 4503599627370496.5};
    return std::bit_cast<uint64_t>(corners[bits % std::size(corners)]);
  }
  if (kind == Kind::f32 && choice % 3 == 0) {
    constexpr float corners[] = {0.0f,  -0.0f,  1.0f,   -1.0f, 0.5f,  2.0f,
                                 3e38f, -3e38f, 1e-45f, 1.5f,  -2.5f, 8388608.5f};
    return std::bit_cast<uint32_t>(corners[bits % std::size(corners)]);
  }
  if (kind == Kind::f64 && choice % 16 == 1) return 0x7ff0'0000'0000'0000u | (bits & 0x8008'0000'0000'0003u);
  if (kind == Kind::f32 && choice % 16 == 1) return 0x7f80'0000u | (bits & 0x8040'0003u);
  return ir::canonical(kind, drawn);
}

std::string RuleRunner::values() const {
  std::ostringstream text;
  for (const std::vector<NodeId>& nodes : variables_)
    text << rule_[nodes[0]].name << " = 0x" << std::hex << bits_[index(nodes[0])] << " ("
         << kind_name(kind(nodes[0])) << ") ";
  return text.str();
}

}  // namespace braid::rulec
