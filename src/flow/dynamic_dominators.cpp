#include "flow/dynamic_dominators.h"

#include "flow/dominators.h"

namespace braid::flow {

DynamicDominators::DynamicDominators(const Graph& graph, uint32_t first_budget)
    : graph_(graph),
      first_budget_(first_budget),
      tree_(graph.node_count()),
      note_(graph.node_count()),
      top_(graph.node_count()),
      moving_(graph.node_count()),
      doomed_(graph.node_count()),
      interval_(graph.node_count()) {
  Dominators dominators(graph);
  // Each child is put before those already there, so backwards.
  std::span<const Node> preorder = dominators.preorder();
  for (size_t i = preorder.size(); i-- > 1;) attach(preorder[i], dominators.idom(preorder[i]));
}

Node DynamicDominators::add_node() {
  tree_.push({});
  interval_.push({});
  for (NodeNotes* notes : {&note_, &top_, &moving_, &doomed_}) notes->add_node();
  return graph_.add_node();
}

void DynamicDominators::attach(Node n, Node idom) {
  Node behind = tree_[idom].first_child;
  tree_[n].idom = idom;
  tree_[n].next_sibling = behind;
  tree_[n].previous_sibling = none_id<Node>;
  tree_[idom].first_child = n;
  if (!is_none(behind)) tree_[behind].previous_sibling = n;
  is_numbered_ = false;
}

void DynamicDominators::detach(Node n) {
  const Place& place = tree_[n];
  Node before = place.previous_sibling, behind = place.next_sibling;
  (is_none(before) ? tree_[place.idom].first_child : tree_[before].next_sibling) = behind;
  if (!is_none(behind)) tree_[behind].previous_sibling = before;
  is_numbered_ = false;
}

void DynamicDominators::move(Node n, Node idom) {
  detach(n);
  attach(n, idom);
}

Node DynamicDominators::next_behind_subtree(Node n, Node root) const {
  while (n != root) {
    if (!is_none(tree_[n].next_sibling)) return tree_[n].next_sibling;
    n = tree_[n].idom;
  }
  return none_id<Node>;
}

Node DynamicDominators::next_in_subtree(Node n, Node root) const {
  Node child = tree_[n].first_child;
  return is_none(child) ? next_behind_subtree(n, root) : child;
}

bool DynamicDominators::dominates(Node a, Node b) const {
  if (!is_numbered_) {
    if (!is_reachable(a) || !is_reachable(b)) return false;
    if (query_steps_ < tree_.size()) {
      Node n = b;
      for (; n != a && !is_none(n); n = idom(n)) ++query_steps_;
      return n == a;
    }
    renumber();
  }
  return interval_[b].first - interval_[a].first < interval_[a].size;
}

void DynamicDominators::renumber() const {
  is_numbered_ = true;
  query_steps_ = 0;
  interval_.assign(tree_.size(), {});
  uint32_t next = 0;
  for (Node n = graph_.entry();;) {
    interval_[n].first = next++;
    if (!is_none(tree_[n].first_child)) {
      n = tree_[n].first_child;
      continue;
    }
    for (;; n = tree_[n].idom) {
      interval_[n].size = next - interval_[n].first;
      if (n == graph_.entry()) return;
      if (!is_none(tree_[n].next_sibling)) break;
    }
    n = tree_[n].next_sibling;
  }
}

}  // namespace braid::flow
