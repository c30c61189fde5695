#include "flow/bypass.h"

#include <algorithm>
#include <vector>

#include "flow/loops.h"
#include "flow/orders.h"

namespace braid::flow {

namespace {
/// So many loops around a node are looked at to find the outermost one without its dominator; beyond it, the outermost of all
/// is taken. Irreducible nests could make each node look at all of them.
constexpr int loop_limit = 32;
}  // namespace

Bypass::Bypass(const Graph& graph, const Dominators& tree, std::span<const Node> barriers) : places_(graph.node_count()) {
  number_nodes(graph, tree);
  close(tree, barriers);
  add_jumps(tree);
}

/// A header comes before the other nodes of its loop in any reverse post-order: when it is met, room for all is set aside.
void Bypass::number_nodes(const Graph& graph, const Dominators& tree) {
  Loops loops(graph);
  std::vector<uint32_t> next(loops.size() + 1, 0), last(loops.size());
  std::vector<Loop> outermost(loops.size());
  auto place_in = [&](Loop l) -> uint32_t& { return next[is_none(l) ? loops.size() : index(l)]; };
  std::vector<Node> order = reverse_post_order(graph);
  for (Node n : order) {
    Loop l = loops.innermost(n);
    if (!loops.is_header(n)) {
      places_[n].number = place_in(l)++;
      continue;
    }
    Loop parent = loops.parent(l);
    uint32_t first = place_in(parent);
    place_in(parent) += static_cast<uint32_t>(loops.members(l).size());
    places_[n].number = first;
    next[index(l)] = first + 1;
    last[index(l)] = place_in(parent) - 1;
    outermost[index(l)] = is_none(parent) ? l : outermost[index(parent)];
  }
  for (Node n : order) {
    Node idom = tree.idom(n);
    places_[n].idom = idom;
    if (is_none(idom)) continue;
    places_[n].last = places_[n].number - 1;
    Loop l = loops.innermost(n);
    int looked_at = 0;
    for (; !is_none(l) && !loops.contains(l, idom); l = loops.parent(l)) {
      if (++looked_at > loop_limit) l = outermost[index(l)];
      places_[n].last = last[index(l)];
    }
  }
}

/// What an exception brings may be assigned anywhere: no interval with a barrier in it ends.
void Bypass::close(const Dominators& tree, std::span<const Node> barriers) {
  std::vector<uint32_t> numbers;
  for (Node n : barriers)
    if (tree.is_reachable(n)) numbers.push_back(places_[n].number);
  if (numbers.empty()) return;
  std::sort(numbers.begin(), numbers.end());
  for (Node n : tree.preorder()) {
    Place& place = places_[n];
    if (is_none(place.idom)) continue;
    auto behind = std::upper_bound(numbers.begin(), numbers.end(), places_[place.idom].number);
    if (behind != numbers.end() && *behind <= std::max(place.last, place.number)) place.last = unbounded;
  }
}

void Bypass::add_jumps(const Dominators& tree) {
  for (Node n : tree.preorder()) {
    Place& place = places_[n];
    place.jump = n;
    if (is_none(place.idom)) continue;
    const Place& above = places_[place.idom];
    const Place& jumped = places_[above.jump];
    uint32_t level = tree.level(place.idom), jumped_level = tree.level(above.jump);
    bool equal_jumps = level - jumped_level == jumped_level - tree.level(jumped.jump);
    place.jump = equal_jumps ? jumped.jump : place.idom;
    place.jump_last = equal_jumps ? std::max({place.last, above.jump_last, jumped.jump_last}) : place.last;
  }
}

Node Bypass::above(Node n, std::span<const uint32_t> assignments) const {
  Node found = n;
  auto comes_through = [&](Node to, uint32_t last) {
    auto behind = std::upper_bound(assignments.begin(), assignments.end(), places_[to].number);
    return behind == assignments.end() || *behind > last;
  };
  for (;;) {
    const Place& place = places_[found];
    if (is_none(place.idom)) break;
    uint32_t own = found == n ? 0 : place.number;  // what it assigns itself is behind its own start
    if (comes_through(place.jump, std::max(place.jump_last, own)))
      found = place.jump;
    else if (comes_through(place.idom, std::max(place.last, own)))
      found = place.idom;
    else
      break;
  }
  return found == n ? none_id<Node> : found;
}

}  // namespace braid::flow
