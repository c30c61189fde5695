#include "bytecode/order.h"

#include "flow/orders.h"

namespace braid::bytecode {

using flow::Node;

BuildOrder build_order(const Code& code, const Blocks& blocks, BlockId start) {
  const uint32_t block_count = static_cast<uint32_t>(blocks.size());
  const auto list_node = [&](HandlerListId list) { return static_cast<Node>(block_count + index(list)); };
  const flow::Graph graph =
      flow::Graph::build(block_count + blocks.list_count(), static_cast<Node>(index(start)), [&](auto&& emit) {
        for (uint32_t b = 0; b < block_count; ++b) {
          const BlockId id = static_cast<BlockId>(b);
          for (BlockId to : blocks.successors(id)) emit(static_cast<Node>(b), static_cast<Node>(index(to)));
          if (blocks[id].may_throw && blocks[id].handlers != no_handlers)
            emit(static_cast<Node>(b), list_node(blocks[id].handlers));
        }
        for (uint32_t list = 0; list < blocks.list_count(); ++list) {
          if (!blocks.is_thrown_to(static_cast<HandlerListId>(list))) continue;
          for (uint32_t range : blocks.ranges(static_cast<HandlerListId>(list))) {
            const BlockId handler = blocks.block_of(code.tries()[range].handler);
            if (!is_none(handler)) emit(static_cast<Node>(block_count + list), static_cast<Node>(index(handler)));
          }
        }
      });
  const std::vector<Node> nodes = flow::reverse_post_order(graph);
  BuildOrder order;
  order.list_is_reached.assign(blocks.list_count(), false);
  order.is_header.assign(block_count, false);
  order.is_reached.assign(block_count, false);
  std::vector<uint32_t> place(graph.node_count(), 0);
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    const uint32_t n = index(nodes[i]);
    place[n] = i;
    const bool is_list = n >= block_count;
    order.steps.push_back({is_list, is_list ? n - block_count : n});
    (is_list ? order.list_is_reached[n - block_count] : order.is_reached[n]) = true;
  }
  // An edge that goes back heads a loop; where it leads to a list, its handlers do.
  for (Node from : nodes)
    for (Node to : graph.successors.row(from)) {
      if (place[index(to)] > place[index(from)]) continue;
      if (index(to) < block_count) {
        order.is_header[index(to)] = true;
        continue;
      }
      for (Node handler : graph.successors.row(to)) order.is_header[index(handler)] = true;
    }
  return order;
}

}  // namespace braid::bytecode
