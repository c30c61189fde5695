#include "sea/control_blocks.h"

#include <algorithm>
#include <utility>

#include "flow/depth_first_walk.h"

namespace braid::sea {

using ir::Op;

class ControlBlocks::Finder {
 public:
  Finder(const Graph& graph, ControlBlocks& to) : graph_(graph), to_(to) {}

  void run() {
    to_.block_of.assign(graph_.size(), nowhere);
    to_.blocks.reserve(16);
    to_.targets.reserve(16);
    add(graph_.start);
    for (uint32_t b = 0; b < to_.blocks.size(); ++b) follow(b);
    number();
  }

 private:
  uint32_t add(NodeId head) {
    uint32_t& b = to_.block_of[index(head)];
    if (b != nowhere) return b;
    b = to_.size();
    to_.blocks.push_back({head, head});
    return b;
  }

  struct Onward {
    NodeId node = no_node;
    uint32_t input = 0;
  };
  /// The node that takes control on, and by which of its inputs.
  Onward onward(NodeId control) const {
    Onward found;
    graph_.for_each_use(control, [&](NodeId user, uint32_t i) {
      if (is_none(found.node) && takes_control_on(user, i)) found = {user, i};
    });
    return found;
  }
  bool takes_control_on(NodeId user, uint32_t i) const {
    NodeOp op = graph_.op(user);
    if (is_region(op)) return true;
    if (i != 0) return false;
    if (op == NodeOp::projection) return graph_.type(user) == control_type && graph_.payload(user) == 0;
    return op == NodeOp::never || (is_table_op(op) && ir::is_terminator(table_op(op)));
  }
  NodeId projection(NodeId of, uint32_t number) const {
    NodeId found = no_node;
    graph_.for_each_use(of, [&](NodeId user, uint32_t i) {
      if (i == 0 && graph_.op(user) == NodeOp::projection && graph_.payload(user) == number) found = user;
    });
    return found;
  }

  void follow(uint32_t b) {
    NodeId control = to_.blocks[b].head;
    Onward next = onward(control);
    while (!is_none(next.node) &&
           (graph_.op(next.node) == NodeOp::never || graph_.op(next.node) == NodeOp::projection)) {
      to_.block_of[index(next.node)] = b;
      if (graph_.op(next.node) == NodeOp::never) {
        NodeId goes_on = projection(next.node, 0);
        if (is_none(goes_on)) break;
        control = goes_on;
      } else {
        control = next.node;
      }
      to_.block_of[index(control)] = b;
      next = onward(control);
    }
    to_.blocks[b].control = control;
    to_.blocks[b].first_target = static_cast<uint32_t>(to_.targets.size());
    if (is_none(next.node) || graph_.op(next.node) == NodeOp::never) return;
    if (is_region(graph_.op(next.node))) {
      to_.targets.push_back({add(next.node), next.input});
    } else {
      to_.blocks[b].last = next.node;
      to_.block_of[index(next.node)] = b;
      add_ways_out(b, next.node);
    }
    to_.blocks[b].target_count = static_cast<uint32_t>(to_.targets.size()) - to_.blocks[b].first_target;
  }

  void add_ways_out(uint32_t b, NodeId last) {
    uint32_t count = 0;
    if (graph_.is(last, Op::branch) || graph_.is(last, Op::enter)) count = 2;
    if (graph_.is(last, Op::switch_)) count = 1 + static_cast<uint32_t>(graph_.words(last).size());
    uint32_t first = static_cast<uint32_t>(to_.targets.size());
    to_.targets.resize(first + count);
    ways_.clear();
    graph_.for_each_use(last, [&](NodeId user, uint32_t i) {
      if (i == 0 && graph_.op(user) == NodeOp::projection && graph_.payload(user) < count)
        ways_.push_back(user);
    });
    std::sort(ways_.begin(), ways_.end(),
              [&](NodeId x, NodeId y) { return graph_.payload(x) < graph_.payload(y); });
    for (NodeId way : ways_) {
      uint32_t number = graph_.payload(way);
      if (graph_.is(last, Op::enter) && number == 0) {
        Onward handler = onward(way);
        to_.block_of[index(way)] = b;
        if (!is_none(handler.node)) to_.targets[first] = {add(handler.node), handler.input};
      } else {
        to_.targets[first + number] = {add(way), 0};
      }
    }
  }

  /// Reverse post-order. Of two ways out of a branch the blocks of the first come first, so that the last one
  /// is walked first.
  void number() {
    constexpr uint32_t open = nowhere - 1;
    const uint32_t count = to_.size(), way_count = static_cast<uint32_t>(to_.targets.size());
    std::vector<uint32_t> new_number(count, nowhere);
    uint32_t numbers_left = count;
    flow::depth_first_walk(
        flow::Node{0},
        [&](flow::Node b) {
          const Block& block = to_.blocks[index(b)];
          const uint32_t end = way_count - block.first_target;
          return std::pair(end - block.target_count, end);
        },
        [&](uint32_t way) { return static_cast<flow::Node>(to_.targets[way_count - 1 - way].block); },
        [&](flow::Node b, flow::Node) {
          if (index(b) == nowhere || new_number[index(b)] != nowhere) return false;
          new_number[index(b)] = open;
          return true;
        },
        [&](flow::Node b) { new_number[index(b)] = --numbers_left; });
    std::vector<Block> blocks(count);
    for (uint32_t b = 0; b < count; ++b) blocks[new_number[b]] = to_.blocks[b];
    to_.blocks = std::move(blocks);
    for (Target& target : to_.targets)
      if (target.block != nowhere) target.block = new_number[target.block];
    for (uint32_t& b : to_.block_of)
      if (b != nowhere) b = new_number[b];
  }

  const Graph& graph_;
  ControlBlocks& to_;
  std::vector<NodeId> ways_;
};

ControlBlocks::ControlBlocks(const Graph& graph) { Finder(graph, *this).run(); }

flow::Graph ControlBlocks::flow_graph() const {
  return flow::Graph::build(size(), flow::Node{0}, [&](auto&& emit) {
    for (uint32_t b = 0; b < size(); ++b)
      for (const Target& target : targets_of(b))
        if (target.block != nowhere) emit(static_cast<flow::Node>(b), static_cast<flow::Node>(target.block));
  });
}

}  // namespace braid::sea
