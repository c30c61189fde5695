// Whether a lifted graph has the form that sea/node.h promises.
#pragma once

#include <string>
#include <vector>

#include "flow/dominators.h"
#include "sea/control_blocks.h"
#include "sea/effects.h"
#include "sea/graph.h"

namespace braid::sea {

/// Names the first fault; empty if all is well. O(graph).
inline std::string shape_fault(const Graph& graph) {
  auto fault = [](NodeId n, const char* what) { return "node " + std::to_string(index(n)) + ": " + what; };
  std::vector<bool> hangs_on_stop(graph.size());
  std::vector<NodeId> work = {graph.stop};
  hangs_on_stop[index(graph.stop)] = true;
  while (!work.empty()) {
    NodeId n = work.back();
    work.pop_back();
    for (uint32_t i = 0; i < graph.input_count(n); ++i) {
      NodeId input = graph.input(n, i);
      if (is_none(input) || hangs_on_stop[index(input)]) continue;
      hangs_on_stop[index(input)] = true;
      work.push_back(input);
    }
  }
  ControlBlocks blocks(graph);
  flow::Dominators tree(blocks.flow_graph());
  for (uint32_t k = 0; k < graph.size(); ++k) {
    NodeId n = static_cast<NodeId>(k);
    NodeOp op = graph.op(n);
    if (op == NodeOp::dead) continue;
    bool is_control = is_region(op) || op == NodeOp::projection;
    if (is_control && !hangs_on_stop[k] && blocks.of(n) != ControlBlocks::nowhere)
      return fault(n, "does not hang on stop");
    if (is_table_op(op) && op != ir::Op::phi && is_link(graph, n)) {
      if (!hangs_on_stop[k]) return fault(n, "an effect that does not hang on stop");
      if (is_none(graph.input(n, 0)) || is_none(graph.input(n, 1)))
        return fault(n, "an effect without control or effect");
    }
    if (op != NodeOp::loop) continue;
    auto inside = [&](uint32_t i) {
      return tree.dominates(static_cast<flow::Node>(blocks.of(n)),
                            static_cast<flow::Node>(blocks.of(graph.input(n, i))));
    };
    if (inside(0)) return fault(n, "a loop whose first way in is a back edge");
    for (uint32_t i = 1; i < graph.input_count(n); ++i)
      if (!inside(i)) return fault(n, "a loop with two ways in");
  }
  return {};
}

}  // namespace braid::sea
