// The second half of scheduling: the order inside the blocks.
#include "sea/schedule.h"

#include <algorithm>
#include <utility>

#include "base/bit_set.h"
#include "base/csr.h"
#include "sea/effects.h"
#include "sea/place_nodes.h"

namespace braid::sea {

using ir::Op;

namespace {

class OrderNodes {
 public:
  OrderNodes(const Graph& graph, const PlaceNodes& placed, Schedule& to)
      : graph_(graph),
        placed_(placed),
        to_(to),
        done_(graph.size()) {
    stack_.reserve(16);
  }

  void run() {
    uint32_t count = to_.control.size();
    to_.first_node.reserve(count + 1);
    to_.nodes.reserve(graph_.live_count());
    auto members = Csr<NodeId>::build(count, [&](auto&& emit) {
      for (uint32_t k = 0; k < graph_.size(); ++k) {
        NodeId n = static_cast<NodeId>(k);
        if (to_.block_of[k] != Schedule::nowhere && !is_terminator(n)) emit(to_.block_of[k], n);
      }
    });
    for (block_ = 0; block_ < count; ++block_) {
      to_.first_node.push_back(static_cast<uint32_t>(to_.nodes.size()));
      order_block(members.row(block_));
    }
    to_.first_node.push_back(static_cast<uint32_t>(to_.nodes.size()));
  }

 private:
  bool is_terminator(NodeId n) const {
    return is_table_op(graph_.op(n)) && ir::is_terminator(table_op(graph_.op(n)));
  }
  bool is_phi(NodeId n) const { return graph_.is(n, Op::phi) || graph_.is(n, Op::phi_c); }
  bool is_reader(NodeId n) const {
    return takes_effect(graph_, n) && !is_none(graph_.input(n, 1)) && !graph_.is(n, Op::save_state) && !is_link(graph_, n);
  }
  bool is_in_chain(NodeId n) const { return takes_effect(graph_, n) && is_link(graph_, n); }

  void order_block(std::span<const NodeId> members) {
    for (NodeId n : members)
      if (is_phi(n)) emit(n);
    find_readers(members);
    for (NodeId n : members)
      if (is_in_chain(n)) emit_with_inputs(n);
    NodeId last = to_.control.blocks[block_].last;
    auto is_asked_last = [&](NodeId n) {
      if (is_none(last)) return false;
      for (uint32_t i = first_value(graph_, last); i < graph_.input_count(last); ++i)
        if (graph_.input(last, i) == n) return true;
      return false;
    };
    for (NodeId n : members)
      if (!is_asked_last(n)) emit_with_inputs(n);
    for (NodeId n : members) emit_with_inputs(n);
  }

  /// The reads of this block that a link of this block must come behind: a list for each such link, which is the first behind the
  /// read's effect that ends what the read sees.
  void find_readers(std::span<const NodeId> members) {
    if (std::none_of(members.begin(), members.end(), [&](NodeId n) { return is_reader(n); })) return;
    if (reader_of_.empty()) {
      reader_of_.resize(graph_.size(), no_node);
      next_reader_.resize(graph_.size(), no_node);
    }
    links_.clear();
    for (NodeId n : members)
      if (is_in_chain(n)) links_.push_back(n);
    std::sort(links_.begin(), links_.end(), [&](NodeId a, NodeId b) { return position(a) < position(b); });
    ends_.assign(placed_.classes().count() + 1, {});
    for (size_t i = members.size(); i-- > 0;) {
      NodeId n = members[i];
      if (!is_reader(n)) continue;
      NodeId effect = graph_.input(n, 1);
      const uint32_t from = effect != graph_.start && to_.block_of[index(effect)] == block_ ? position(effect) : 0;
      std::span<const NodeId> ends = ends_of(placed_.classes().of_read(n));
      auto end = std::upper_bound(ends.begin(), ends.end(), from, [&](uint32_t p, NodeId link) { return p < position(link); });
      if (end == ends.end()) continue;
      next_reader_[index(n)] = reader_of_[index(*end)];
      reader_of_[index(*end)] = n;
    }
  }
  uint32_t position(NodeId link) const { return placed_.position[index(link)]; }
  /// Links of this block that end what reads of the class see, in their order.
  std::span<const NodeId> ends_of(uint8_t read_class) {
    if (read_class == AliasClasses::any) return links_;
    Ends& ends = ends_[read_class];
    if (!ends.known)
      for (NodeId link : links_)
        if (placed_.classes().ends(link, read_class)) ends.links.push_back(link);
    ends.known = true;
    return ends.links;
  }

  struct Frame {
    NodeId node;
    uint32_t next;  ///< 0: the effect before it; 1: the reads that it ends; then its values
    NodeId reader;
  };

  /// Emits what a node needs in this block, deepest first, and then the node.
  void emit_with_inputs(NodeId root) {
    enter(root);
    while (!stack_.empty()) {
      Frame& top = stack_.back();
      NodeId n = top.node;
      bool takes = takes_effect(graph_, n);
      if (top.next == 0) {
        top.next = 1;
        if (takes && !is_none(graph_.input(n, 1))) enter(graph_.input(n, 1));
        continue;
      }
      if (!is_none(top.reader)) {
        NodeId reader = top.reader;
        top.reader = next_reader_[index(reader)];
        enter(reader);
        continue;
      }
      uint32_t i = first_value(graph_, n) + top.next - 1;
      if (placed_.need[index(n)] == Need::value && i < graph_.input_count(n)) {
        ++top.next;
        if (!is_none(graph_.input(n, i))) enter(graph_.input(n, i));
        continue;
      }
      stack_.pop_back();
      emit(n);
    }
  }
  void enter(NodeId n) {
    if (to_.block_of[index(n)] != block_ || is_terminator(n) || is_phi(n) || !done_.insert(index(n))) return;
    stack_.push_back({n, 0, reader_of_.empty() ? no_node : reader_of_[index(n)]});
  }
  void emit(NodeId n) {
    bool is_silent = placed_.need[index(n)] != Need::value || graph_.op(n) == NodeOp::effect_entry ||
                     (graph_.is(n, Op::phi) && graph_.type(n) == void_type);
    if (!is_silent) to_.nodes.push_back(n);
  }

  const Graph& graph_;
  const PlaceNodes& placed_;
  Schedule& to_;
  uint32_t block_ = 0;
  BitSet done_;
  // Empty as long as there are no reads.
  std::vector<NodeId> reader_of_;    ///< by link: the first read of its block that it must come behind
  std::vector<NodeId> next_reader_;  ///< by read
  struct Ends {
    std::vector<NodeId> links;
    bool known = false;
  };
  std::vector<NodeId> links_;  ///< of this block, in their order
  std::vector<Ends> ends_;     ///< of this block, by class
  std::vector<Frame> stack_;
};

}  // namespace

Schedule::Schedule(const Graph& graph) : control(graph) {
  PlaceNodes placed(graph, control);
  block_of = std::move(placed.block_of);
  OrderNodes(graph, placed, *this).run();
}

}  // namespace braid::sea
