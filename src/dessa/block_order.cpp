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
  if (is_forward_) {
    number(f);
    for (uint32_t e : back_edges_) {
      const ir::Edge& edge = f.edge(static_cast<EdgeId>(e));
      is_forward_ &= dominates(index(edge.to), index(edge.from));
    }
  }
  if (!is_forward_)
    take_general(f);
  else if (!back_edges_.empty())
    find_loops(f);
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
/// such an edge.
bool BlockOrder::find_dominators(const ir::Function& f) {
  const uint32_t count = f.block_count();
  make(places_, count);
  places_[0] = {no_block, 0, 0};
  for (uint32_t b = 0; b < count; ++b) {
    uint32_t idom = no_block;
    for (EdgeId e = f.block(static_cast<BlockId>(b)).first_pred; !is_none(e); e = f.edge(e).next_pred) {
      uint32_t from = index(f.edge(e).from);
      if (from >= b)
        back_edges_.push_back(index(e));
      else if (idom == no_block)
        idom = from;
      else if (idom != from)
        idom = common_dominator(idom, from);
    }
    if (b == 0) continue;
    if (idom == no_block) return false;
    const Place& above = places_[idom];
    const Place& jumped = places_[above.jump];
    bool equal_jumps = above.level - jumped.level == jumped.level - places_[jumped.jump].level;
    places_[b] = {idom, above.level + 1, equal_jumps ? jumped.jump : idom};
  }
  return true;
}

/// A dominator has a smaller number than what it dominates: sizes add up from the back, places are given out from the front.
void BlockOrder::number(const ir::Function& f) {
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
    for (EdgeId e = f.block(static_cast<BlockId>(b)).first_pred; !is_none(e); e = f.edge(e).next_pred)
      if (uint32_t from = index(f.edge(e).from); from < b)
        last_reached_[from] = std::max(last_reached_[from], last_reached_[b]);
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

/// Inner heads have higher numbers than outer ones.
void BlockOrder::find_loops(const ir::Function& f) {
  const uint32_t count = f.block_count();
  loops_.assign(count, {no_block, no_block});
  std::vector<uint32_t> folded(count);  // union-find: the head that a block was folded into
  for (uint32_t b = 0; b < count; ++b) folded[b] = b;
  auto topmost = [&](uint32_t b) {
    while (folded[b] != b) b = folded[b] = folded[folded[b]];
    return b;
  };
  std::vector<uint32_t> work;
  // Back edges are listed by their heads.
  for (size_t i = back_edges_.size(); i != 0;) {
    uint32_t head = index(f.edge(static_cast<EdgeId>(back_edges_[i - 1])).to);
    loops_[head].head = head;
    auto add = [&](uint32_t b) {
      b = topmost(b);
      if (b == head) return;
      // It is a member from now on; what leads to it has still to be looked at.
      folded[b] = head;
      (loops_[b].head == b ? loops_[b].around : loops_[b].head) = head;
      work.push_back(b);
    };
    for (; i != 0; --i) {
      const ir::Edge& edge = f.edge(static_cast<EdgeId>(back_edges_[i - 1]));
      if (index(edge.to) != head) break;
      add(index(edge.from));
    }
    while (!work.empty()) {
      BlockId b = static_cast<BlockId>(work.back());
      work.pop_back();
      f.for_each_pred(b, [&](EdgeId e) { add(index(f.edge(e).from)); });
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
