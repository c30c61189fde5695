// The patterns of rules as nodes of a graph.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "evaluate.h"
#include "sea/graph.h"

namespace braid::rulec {

/// The pattern of a rule, with the constants of the last try of `runner`. `value(kind, bits)` gives the node of each variable,
/// which was `bits` in that try. Rules that ask for float arithmetic get some.
template <typename F>
sea::NodeId make_pattern(sea::Graph& g, const Rule& rule, const Kinds& kinds, const RuleRunner& runner, F&& value) {
  std::map<std::string, sea::NodeId> bound;
  std::map<NodeId, sea::NodeId> made;
  const bool wants_computed = rule.text.find("computed") != std::string::npos;
  for_each_below(rule, rule.pattern, [&](NodeId id) {
    const Node& node = rule[id];
    const Kind kind = kinds[index(node.type)];
    if (is_constant(rule, id)) {
      made[id] = g.unify(g.make_constant(of(kind), runner.bits(id)));
    } else if (node.kind == NodeKind::value) {
      auto [found, is_new] = bound.emplace(node.name, sea::no_node);
      if (is_new) {
        found->second = value(kind, runner.bits(id));
        if (wants_computed) found->second = g.make(ir::Op::fadd, of(kind), {found->second, found->second});
      }
      made[id] = found->second;
    } else {
      std::vector<sea::NodeId> inputs;
      std::vector<uint32_t> words;
      for (NodeId input : node.inputs)
        if (rule[input].is_immediate)
          words.push_back(static_cast<uint32_t>(runner.bits(input)));
        else
          inputs.push_back(made[input]);
      Type type = of(kind);
      if (kind == Kind::tuple) {
        // Not the type of the operand, which may be a number: the result is another one.
        const Type elements[] = {Type{g.module().types.kinds(g.type(inputs[0]))}, i1};
        type = g.module().types.tuple(elements);
      }
      made[id] = g.make(sea::node_op(node.op), type, inputs, g.payload_of(words));
    }
  });
  return made[rule.pattern];
}

}  // namespace braid::rulec
