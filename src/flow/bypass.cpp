#include "flow/bypass.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "flow/loops.h"
#include "flow/orders.h"

namespace braid::flow {

namespace {
/// So many loops around a node are looked at to find the outermost one without its dominator; beyond it, the outermost of all
/// is taken. Irreducible nests could make each node look at all of them.
constexpr int loop_limit = 32;

/// The greatest end of any row of barriers, in O(1): by two overlapping rows whose lengths are powers of two.
class Ends {
 public:
  explicit Ends(std::vector<uint32_t> ends) : levels_{std::move(ends)} {
    for (size_t length = 1; 2 * length <= levels_[0].size(); length *= 2) {
      const std::vector<uint32_t>& shorter = levels_.back();
      std::vector<uint32_t> level(shorter.size() - length);
      for (size_t i = 0; i < level.size(); ++i) level[i] = std::max(shorter[i], shorter[i + length]);
      levels_.push_back(std::move(level));
    }
  }
  uint32_t greatest(size_t first, size_t end) const {
    size_t level = static_cast<size_t>(std::bit_width(end - first)) - 1;
    return std::max(levels_[level][first], levels_[level][end - (size_t{1} << level)]);
  }

 private:
  std::vector<std::vector<uint32_t>> levels_;
};

}  // namespace

Bypass::Bypass(const Graph& graph, const Dominators& tree) : places_(graph.node_count()) {
  number_nodes(graph, tree);
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

void Bypass::set_barriers(const Dominators& tree, std::span<const Barrier> barriers) {
  struct Numbered {
    uint32_t number, last;
  };
  std::vector<Numbered> sorted;
  for (const Barrier& barrier : barriers)
    if (tree.is_reachable(barrier.node)) sorted.push_back({places_[barrier.node].number, barrier.last});
  if (sorted.empty()) return;
  std::sort(sorted.begin(), sorted.end(), [](const Numbered& a, const Numbered& b) { return a.number < b.number; });
  std::vector<uint32_t> lasts;
  for (const Numbered& barrier : sorted) lasts.push_back(barrier.last);
  Ends ends(std::move(lasts));
  auto first_behind = [&](uint32_t number) {
    auto at = std::upper_bound(sorted.begin(), sorted.end(), number,
                               [](uint32_t wanted, const Numbered& barrier) { return wanted < barrier.number; });
    return static_cast<size_t>(at - sorted.begin());
  };
  for (Node n : tree.preorder()) {
    Place& place = places_[n];
    if (is_none(place.idom)) continue;
    size_t first = first_behind(places_[place.idom].number), end = first_behind(std::max(place.last, place.number));
    if (first < end) place.last = std::max(place.last, ends.greatest(first, end));
  }
  add_jumps(tree);
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
