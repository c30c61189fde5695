#include "dessa/block_order.h"

#include <algorithm>

#include "flow/reducible.h"
#include "ir/graph_view.h"

namespace braid::dessa {

using ir::BlockId;
using ir::EdgeId;

/// So many, which the caller writes next.
template <class T>
static void make(Stack<T>& stack, uint32_t count) {
  stack.clear();
  stack.reserve(count);
  stack.add(count);
}

BlockOrder::BlockOrder(const ir::Function& f) {
  is_forward_ = find_dominators(f);
  if (has_dead_edges_) {
    is_forward_ = false;
    is_out_of_order_ = true;
    return;
  }
  if (is_forward_) {
    number();
    is_forward_ = are_heads_dominators();
  }
  if (!is_forward_)
    take_general(f);
  else if (!heads_.empty())
    find_loops();
}

uint32_t BlockOrder::common_dominator(uint32_t a, uint32_t b) const {
  const Place* places = places_.data();
  if (places[a].level < places[b].level) std::swap(a, b);
  for (uint32_t level = places[b].level; places[a].level > level;)
    a = places[places[a].jump].level >= level ? places[a].jump : places[a].idom;
  // At equal levels jumps are of equal length.
  while (a != b) {
    bool jumps = places[a].jump != places[b].jump;
    a = jumps ? places[a].jump : places[a].idom;
    b = jumps ? places[b].jump : places[b].idom;
  }
  return a;
}

/// From edges that lead to later blocks alone; the others do not matter if they lead to dominators. Whether each block has
/// such an edge. The lists of edges are read this once: they are scattered over memory.
bool BlockOrder::find_dominators(const ir::Function& f) {
  const uint32_t count = f.block_count();
  make(places_, count);
  make(first_pred_, count + 1);
  make(preds_, f.edge_count());
  places_[0] = {no_block, 0, 0};
  bool is_complete = true;
  uint32_t* next = preds_.data();
  for (uint32_t b = 0; b < count; ++b) {
    uint32_t idom = no_block;
    bool is_head = false;
    first_pred_[b] = static_cast<uint32_t>(next - preds_.data());
    for (EdgeId e = f.block(static_cast<BlockId>(b)).first_pred; !is_none(e);) {
      const ir::Edge& edge = f.edge(e);
      const uint32_t from = index(edge.from);
      e = edge.next_pred;
      has_dead_edges_ |= edge.dead;
      *next++ = from;
      if (from >= b)
        is_head = true;
      else if (idom == no_block)
        idom = from;
      else if (idom != from)
        idom = common_dominator(idom, from);
    }
    if (is_head) heads_.push_back(b);
    if (b == 0) continue;
    if (idom == no_block) {
      is_complete = false;
      idom = 0;
    }
    const Place& above = places_[idom];
    const Place& jumped = places_[above.jump];
    bool equal_jumps = above.level - jumped.level == jumped.level - places_[jumped.jump].level;
    places_[b] = {idom, above.level + 1, equal_jumps ? jumped.jump : idom};
  }
  first_pred_[count] = static_cast<uint32_t>(next - preds_.data());
  return is_complete;
}

/// A dominator has a smaller number than what it dominates: sizes add up from the back, places are given out from the front.
void BlockOrder::number() {
  const uint32_t count = places_.size();
  make(spans_, count);
  make(preorder_, count);
  make(last_reached_, count);
  for (uint32_t b = 0; b < count; ++b) {
    spans_[b] = {0, 1};
    last_reached_[b] = b;
  }
  for (uint32_t b = count; b-- > 1;) {
    spans_[places_[b].idom].size += spans_[b].size;
    for (uint32_t from : preds(b))
      if (from < b) last_reached_[from] = std::max(last_reached_[from], last_reached_[b]);
  }
  Stack<uint32_t> next_free;
  make(next_free, count);
  next_free[0] = 1;
  preorder_[0] = 0;
  for (uint32_t b = 1; b < count; ++b) {
    uint32_t& free = next_free[places_[b].idom];
    spans_[b].first = free;
    free += spans_[b].size;
    next_free[b] = spans_[b].first + 1;
    preorder_[spans_[b].first] = b;
  }
}

/// Of the blocks where their back edges begin.
bool BlockOrder::are_heads_dominators() const {
  for (uint32_t head : heads_)
    for (uint32_t from : preds(head))
      if (from >= head && !dominates(head, from)) return false;
  return true;
}

/// Inner heads have higher numbers than outer ones.
void BlockOrder::find_loops() {
  const uint32_t count = places_.size();
  loops_.assign(count, {no_block, no_block});
  std::vector<uint32_t> folded(count);  // union-find: the head that a block was folded into
  for (uint32_t b = 0; b < count; ++b) folded[b] = b;
  auto topmost = [&](uint32_t b) {
    while (folded[b] != b) b = folded[b] = folded[folded[b]];
    return b;
  };
  std::vector<uint32_t> work;
  for (size_t i = heads_.size(); i-- != 0;) {
    const uint32_t head = heads_[i];
    loops_[head].head = head;
    auto add = [&](uint32_t b) {
      b = topmost(b);
      if (b == head) return;
      // It is a member from now on; what leads to it has still to be looked at.
      folded[b] = head;
      (loops_[b].head == b ? loops_[b].around : loops_[b].head) = head;
      work.push_back(b);
    };
    for (uint32_t from : preds(head))
      if (from >= head) add(from);
    while (!work.empty()) {
      uint32_t b = work.back();
      work.pop_back();
      for (uint32_t from : preds(b)) add(from);
    }
  }
}

void BlockOrder::take_general(const ir::Function& f) {
  ir::BlockDominance dominance(f);
  const flow::Dominators& tree = dominance.tree();
  is_out_of_order_ =
      tree.preorder().size() != f.block_count() || flow::is_reducible(dominance.graph(), tree);
  const uint32_t count = f.block_count();
  make(places_, count);
  make(spans_, count);
  for (uint32_t b = 0; b < count; ++b) {
    flow::Node n = static_cast<flow::Node>(b);
    places_[b] = {b == 0 ? no_block : index(tree.idom(n)), tree.level(n), 0};
    spans_[b] = {tree.preorder_number(n), static_cast<uint32_t>(tree.dominated_by(n).size())};
  }
  preorder_.clear();
  for (flow::Node n : tree.preorder()) preorder_.push(index(n));
}

}  // namespace braid::dessa
