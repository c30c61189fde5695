#include "flow/loops.h"

#include "flow/depth_first_walk.h"

namespace braid::flow {
namespace {

constexpr uint32_t none = 0xffffffffu;

/// From here on a node is its number in preorder.
class Search {
 public:
  explicit Search(const Graph& graph)
      : parent_(graph.node_count()),
        number_(graph.node_count(), none),
        folded_(graph.node_count()),
        first_back_(graph.node_count(), none),
        first_cross_(graph.node_count(), none) {
    node_of_.reserve(graph.node_count());
    sort_edges(graph);
    if (has_back_edges()) find_loops();
  }

  const std::vector<Node>& node_of() const { return node_of_; }
  /// Without any there are no loops, and the rest is not to be asked.
  bool has_back_edges() const { return !back_.empty(); }
  bool is_header(uint32_t n) const { return is_header_[n]; }
  /// The header of the innermost loop around `n`, for a header that of the next one.
  uint32_t header(uint32_t n) const { return header_[n]; }

 private:
  struct BackEdge {
    uint32_t from;
    uint32_t next;
  };
  struct CrossEdge {
    uint32_t from;
    uint32_t to;
    uint32_t next;
  };

  uint32_t topmost(uint32_t n) {
    while (folded_[n] != n) {
      folded_[n] = folded_[folded_[n]];
      n = folded_[n];
    }
    return n;
  }

  /// Back edges stay with their targets. Forward and cross edges wait at the nearest common ancestor of their
  /// ends: when the search looks at such an edge it stands below that ancestor, and the target is finished
  /// with all that is below the ancestor on its side; finished nodes are folded into their parents.
  void sort_edges(const Graph& graph) {
    std::vector<bool> is_open(graph.node_count(), true);
    depth_first_walk(
        graph,
        [&](Node n, Node parent) {
          uint32_t from = is_none(parent) ? none : number_[parent];
          uint32_t to = number_[n];
          if (to == none) {
            to = number_[n] = static_cast<uint32_t>(node_of_.size());
            node_of_.push_back(n);
            parent_[to] = from;
            folded_[to] = to;
            return true;
          }
          if (is_open[to]) {
            back_.push_back({from, first_back_[to]});
            first_back_[to] = static_cast<uint32_t>(back_.size() - 1);
          } else {
            uint32_t ancestor = to > from ? from : topmost(to);
            cross_.push_back({from, to, first_cross_[ancestor]});
            first_cross_[ancestor] = static_cast<uint32_t>(cross_.size() - 1);
          }
          return false;
        },
        [&](Node n) {
          uint32_t at = number_[n];
          is_open[at] = false;
          if (at != 0) folded_[at] = parent_[at];
        });
  }

  void find_loops() {
    uint32_t count = static_cast<uint32_t>(node_of_.size());
    for (uint32_t n = 0; n < count; ++n) folded_[n] = n;
    first_joined_.assign(count, none);
    header_.assign(count, none);
    is_header_.assign(count, false);
    for (uint32_t n = count; n-- > 0;) {
      // From here on these edges lie among the nodes below n: they count.
      for (uint32_t e = first_cross_[n]; e != none;) {
        CrossEdge& edge = cross_[e];
        uint32_t next = edge.next;
        uint32_t to = topmost(edge.to);
        edge.next = first_joined_[to];
        first_joined_[to] = e;
        e = next;
      }
      gather_loop(n);
    }
  }

  /// Folds the loop of header `n`, if there is one, into `n`.
  void gather_loop(uint32_t n) {
    if (first_back_[n] == none) return;
    is_header_[n] = true;
    body_.clear();
    // A member has its header at once; that also marks it as found.
    auto add = [&](uint32_t member) {
      member = topmost(member);
      if (member == n || header_[member] == n) return;
      header_[member] = n;
      body_.push_back(member);
    };
    for (uint32_t e = first_back_[n]; e != none; e = back_[e].next) add(back_[e].from);
    for (size_t i = 0; i < body_.size(); ++i) {
      uint32_t member = body_[i];
      add(parent_[member]);
      for (uint32_t e = first_joined_[member]; e != none; e = cross_[e].next) add(cross_[e].from);
    }
    for (uint32_t member : body_) folded_[member] = n;
  }

  std::vector<Node> node_of_;
  std::vector<uint32_t> parent_;
  IdMap<Node, uint32_t> number_;
  std::vector<uint32_t> folded_;  // union-find: where a node was folded into
  std::vector<BackEdge> back_;
  std::vector<CrossEdge> cross_;
  std::vector<uint32_t> first_back_;    // by target
  std::vector<uint32_t> first_cross_;   // by common ancestor
  std::vector<uint32_t> first_joined_;  // by what the target is folded into
  std::vector<uint32_t> header_;
  std::vector<bool> is_header_;
  std::vector<uint32_t> body_;
};

}  // namespace

Loops::Loops(const Graph& graph)
    : innermost_(graph.node_count(), none_id<Loop>), position_(graph.node_count(), unreached) {
  Search search(graph);
  const std::vector<Node>& node_of = search.node_of();
  uint32_t count = static_cast<uint32_t>(node_of.size());
  if (!search.has_back_edges()) {
    for (Node n : node_of) position_[n] = outside;
    return;
  }
  // A header has a smaller number than the nodes of its loop: loops and depths from the front, sizes from the
  // back, places from the front.
  uint32_t member_total = 0;
  for (uint32_t n = 0; n < count; ++n) {
    Loop around = search.header(n) == none ? none_id<Loop> : innermost_[node_of[search.header(n)]];
    Loop own = around;
    if (search.is_header(n)) own = loops_.push({0, 0, around, is_none(around) ? 1 : depth(around) + 1, true});
    innermost_[node_of[n]] = own;
    if (is_none(own)) continue;
    ++loops_[own].member_count;
    ++member_total;
  }
  for (uint32_t l = static_cast<uint32_t>(loops_.size()); l-- > 0;) {
    const Shape& shape = loops_[Loop{l}];
    if (!is_none(shape.parent)) loops_[shape.parent].member_count += shape.member_count;
  }
  members_.resize(member_total);
  IdMap<Loop, uint32_t> next_free(loops_.size());
  uint32_t next_outermost = 0;
  for (uint32_t n = 0; n < count; ++n) {
    Node node = node_of[n];
    Loop loop = innermost_[node];
    if (is_none(loop)) {
      position_[node] = outside;
      continue;
    }
    if (search.is_header(n)) {
      Shape& shape = loops_[loop];
      uint32_t& place = is_none(shape.parent) ? next_outermost : next_free[shape.parent];
      shape.first_member = place;
      place += shape.member_count;
      next_free[loop] = shape.first_member;
    }
    position_[node] = next_free[loop];
    members_[next_free[loop]++] = node;
  }
  mark_irreducible(graph);
}

/// An edge to a node other than the header makes each loop irreducible that it enters: those around the node
/// from the inside out, until one contains the source. Loops that are known to be irreducible are passed over
/// by union-find.
void Loops::mark_irreducible(const Graph& graph) {
  IdMap<Loop, Loop> next(loops_.size());
  for (uint32_t l = 0; l < loops_.size(); ++l) next[Loop{l}] = Loop{l};
  auto find = [&](Loop l) {
    while (!is_none(l) && next[l] != l) {
      if (!is_none(next[l])) next[l] = next[next[l]];
      l = next[l];
    }
    return l;
  };
  for (Node n : members_) {
    Loop at = innermost_[n];
    if (header(at) == n) at = parent(at);
    for (Node from : graph.predecessors.row(n)) {
      if (position_[from] == unreached) continue;
      for (at = find(at); !is_none(at) && !contains(at, from); at = find(at)) {
        loops_[at].is_reducible = false;
        next[at] = parent(at);
      }
    }
  }
}

std::vector<Node> Loops::other_entries(const Graph& graph, Loop l) const {
  std::vector<Node> entries;
  for (Node n : members(l).subspan(1)) {
    for (Node from : graph.predecessors.row(n)) {
      if (position_[from] == unreached || contains(l, from)) continue;
      entries.push_back(n);
      break;
    }
  }
  return entries;
}

}  // namespace braid::flow
