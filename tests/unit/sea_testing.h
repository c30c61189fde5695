// Graphs by hand, for tests that need shapes which no parser makes.
#pragma once

#include <vector>

#include "sea/graph.h"

namespace braid::sea {

/// Start, stop and parameters; shorthands for the rest. Comparisons are of type i64, as languages without
/// booleans have them.
class HandGraph {
 public:
  explicit HandGraph(ir::Module& module, uint32_t parameters = 1) : g(module) {
    g.start = g.make(NodeOp::start, control_type, {});
    g.stop = g.make(NodeOp::stop, control_type, {});
    g.keep(g.stop);
    control = g.make(NodeOp::projection, control_type, {g.start}, 0);
    for (uint32_t i = 0; i < parameters; ++i)
      this->parameters.push_back(g.make(NodeOp::parameter, i64, {g.start}, i));
    for (NodeId n : this->parameters) g.keep(n);
  }

  NodeId number(int64_t value) { return g.make_constant(i64, static_cast<uint64_t>(value)); }
  NodeId op(ir::Op op, NodeId a, NodeId b) { return g.make(op, i64, {a, b}); }
  NodeId add(NodeId a, NodeId b) { return op(ir::Op::add, a, b); }
  NodeId branch(NodeId condition) { return g.make(ir::Op::branch, control_type, {control, condition}); }
  NodeId way(NodeId from, uint32_t which) { return g.make(NodeOp::projection, control_type, {from}, which); }
  NodeId region(std::initializer_list<NodeId> ways) { return g.make(NodeOp::region, control_type, ways); }
  NodeId loop(NodeId entry) { return g.make(NodeOp::loop, control_type, {entry, no_node}); }
  NodeId phi(NodeId region, std::initializer_list<NodeId> values) {
    std::vector<NodeId> inputs{region};
    inputs.insert(inputs.end(), values.begin(), values.end());
    return g.make(node_op(ir::Op::phi), i64, inputs);
  }
  NodeId call(ir::FuncId callee, NodeId effect, std::initializer_list<NodeId> arguments) {
    std::vector<NodeId> inputs{control, effect};
    inputs.insert(inputs.end(), arguments.begin(), arguments.end());
    uint32_t word[] = {index(callee)};
    return g.make(node_op(ir::Op::call), i64, inputs, g.payload_of(word));
  }
  void ret(NodeId value, NodeId effect = no_node) {
    g.add_input(g.stop, g.make(ir::Op::ret, control_type, {control, effect, value}));
  }

  Graph g;
  NodeId control;  ///< where what comes next stands
  std::vector<NodeId> parameters;
};

}  // namespace braid::sea
