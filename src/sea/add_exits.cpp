#include "sea/add_exits.h"

#include <vector>

#include "flow/dominators.h"
#include "flow/endless_parts.h"
#include "flow/iterated_frontier.h"
#include "sea/control_blocks.h"
#include "sea/effects.h"

namespace braid::sea {

using ir::Op;

namespace {

/// The effect at the end of each block: of its last link, or of the phi at its start, or that of the block above. Where nothing
/// behind it used the chain, the phis in which links meet are gone, and are made again.
class EffectsAtEnds {
 public:
  EffectsAtEnds(Graph& graph, const ControlBlocks& blocks, const flow::Graph& flow)
      : graph_(graph), blocks_(blocks), flow_(flow), tree_(flow), last_(blocks.size(), no_node), phi_(blocks.size(), no_node) {}

  std::vector<NodeId> run() {
    for (uint32_t k = 0; k < graph_.size(); ++k) look_at(static_cast<NodeId>(k));
    make_phis();
    std::vector<NodeId> effects(blocks_.size(), graph_.start);
    for (uint32_t b = 0; b < blocks_.size(); ++b) {
      if (b > 0) effects[b] = effects[index(tree_.idom(static_cast<flow::Node>(b)))];
      if (!is_none(phi_[b])) effects[b] = phi_[b];
      if (!is_none(last_[b])) effects[b] = last_[b];
    }
    for (uint32_t b : made_) fill(b, effects);
    return effects;
  }
  /// Phis that nothing needed after all.
  void remove_unused() {
    for (size_t i = made_.size(); i-- > 0;) graph_.kill_unused(phi_[made_[i]]);
  }

 private:
  bool leads_on(NodeId n) const { return !is_table_op(graph_.op(n)) || !ir::is_terminator(table_op(graph_.op(n))); }

  void look_at(NodeId n) {
    const bool is_phi = graph_.is(n, Op::phi) && graph_.type(n) == void_type;
    if (!is_phi && !(leads_on(n) && takes_effect(graph_, n) && is_link(graph_, n))) return;
    const uint32_t b = blocks_.of(graph_.input(n, 0));
    if (b == ControlBlocks::nowhere) return;
    if (is_phi) {
      phi_[b] = n;
      return;
    }
    bool is_last = true;
    graph_.for_each_use(n, [&](NodeId user, uint32_t i) {
      const bool is_next = is_effect_input(graph_, user, i) && !graph_.is(user, Op::phi) && leads_on(user) && is_link(graph_, user) &&
                           blocks_.of(graph_.input(user, 0)) == b;
      is_last = is_last && !is_next;
    });
    if (is_last) last_[b] = n;
  }

  void make_phis() {
    std::vector<flow::Node> set;
    for (uint32_t b = 0; b < blocks_.size(); ++b)
      if (!is_none(last_[b])) set.push_back(static_cast<flow::Node>(b));
    flow::IteratedFrontier frontier(flow_, tree_);
    for (flow::Node n : frontier.of(set))
      if (is_none(phi_[index(n)])) made_.push_back(index(n));
    for (uint32_t b : made_) {
      const NodeId region = blocks_.blocks[b].head;
      std::vector<NodeId> inputs(graph_.input_count(region) + 1, graph_.start);
      inputs[0] = region;
      phi_[b] = graph_.make(node_op(Op::phi), void_type, inputs);
    }
  }
  void fill(uint32_t b, const std::vector<NodeId>& effects) {
    const NodeId region = blocks_.blocks[b].head;
    for (uint32_t i = 0; i < graph_.input_count(region); ++i)
      if (const uint32_t from = blocks_.of(graph_.input(region, i)); from != ControlBlocks::nowhere)
        graph_.set_input(phi_[b], i + 1, effects[from]);
  }

  Graph& graph_;
  const ControlBlocks& blocks_;
  const flow::Graph& flow_;
  const flow::Dominators tree_;
  std::vector<NodeId> last_, phi_;  ///< by block: the last link, the phi
  std::vector<uint32_t> made_;      ///< blocks that have a new phi
};

void add_exit(Graph& graph, const ControlBlocks& blocks, uint32_t b, NodeId effect) {
  const ControlBlocks::Block& block = blocks.blocks[b];
  const NodeId never = graph.make(NodeOp::never, control_type, {block.control});
  const NodeId onwards = graph.make(NodeOp::projection, control_type, {never}, 0);
  if (is_none(block.last)) {
    const ControlBlocks::Target target = blocks.targets_of(b)[0];
    graph.set_input(blocks.blocks[target.block].head, target.way, onwards);
  } else {
    graph.set_input(block.last, 0, onwards);
  }
  const NodeId out = graph.make(NodeOp::projection, control_type, {never}, 1);
  graph.add_input(graph.stop, graph.make(Op::unreachable, control_type, {out, effect}));
}

}  // namespace

void add_exits(Graph& graph, bool has_effects) {
  bool has_loops = false;
  std::vector<NodeId> known_exits;
  for (uint32_t k = 0; k < graph.size(); ++k) {
    const NodeOp op = graph.op(static_cast<NodeId>(k));
    has_loops = has_loops || op == NodeOp::loop;
    if (op == NodeOp::never) known_exits.push_back(static_cast<NodeId>(k));
  }
  if (!has_loops) return;
  const ControlBlocks blocks(graph);
  const flow::Graph flow = blocks.flow_graph();
  std::vector<flow::Node> order, ends;
  for (uint32_t b = 0; b < blocks.size(); ++b) order.push_back(static_cast<flow::Node>(b));
  for (NodeId never : known_exits)
    if (uint32_t b = blocks.of(never); b != ControlBlocks::nowhere) ends.push_back(static_cast<flow::Node>(b));
  const std::vector<flow::Node> needed = flow::exits_of_endless_parts(flow, order, ends);
  if (needed.empty()) return;
  if (!has_effects) {
    for (flow::Node n : needed) add_exit(graph, blocks, index(n), no_node);
    return;
  }
  EffectsAtEnds ends_of_chains(graph, blocks, flow);
  const std::vector<NodeId> effects = ends_of_chains.run();
  for (flow::Node n : needed) add_exit(graph, blocks, index(n), effects[index(n)]);
  ends_of_chains.remove_unused();
}

}  // namespace braid::sea
