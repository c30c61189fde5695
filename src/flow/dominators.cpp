#include "flow/dominators.h"

#include "flow/depth_first_walk.h"

namespace braid::flow {
namespace {

constexpr uint32_t unreached = 0xffffffffu;

/// Nobody watches: nothing is left of it in the code.
struct NoSteps {
  void add(DominatorStep::Kind, Node, Node, Node) {}
};
struct StepList {
  std::vector<DominatorStep>& list;
  void add(DominatorStep::Kind kind, Node node, Node other, Node value) { list.push_back({kind, node, other, value}); }
};

/// The depth-first tree. From here on a node is its number in preorder: ancestors have smaller numbers.
struct Tree {
  std::vector<Node> node_of;
  std::vector<uint32_t> parent;
  IdMap<Node, uint32_t> number;
};

template <class Steps>
Tree depth_first_tree(const Graph& graph, Steps& steps) {
  Tree tree;
  tree.node_of.reserve(graph.node_count());
  tree.parent.reserve(graph.node_count());
  tree.number.assign(graph.node_count(), unreached);
  depth_first_walk(
      graph,
      [&](Node n, Node parent) {
        if (tree.number[n] != unreached) return false;
        tree.number[n] = static_cast<uint32_t>(tree.node_of.size());
        tree.node_of.push_back(n);
        tree.parent.push_back(is_none(parent) ? 0 : tree.number[parent]);
        steps.add(DominatorStep::Kind::reached, n, none_id<Node>, parent);
        return true;
      },
      [](Node) {});
  return tree;
}

/// The forest of the nodes whose semidominator is known, with the smallest semidominator on the way up.
class LinkedForest {
 public:
  explicit LinkedForest(const std::vector<uint32_t>& parent) : ancestor_(parent), least_(parent.size()) {
    for (uint32_t n = 0; n < least_.size(); ++n) least_[n] = n;
  }

  void set_semidominator(uint32_t n, uint32_t semidominator) { least_[n] = semidominator; }

  /// The smallest semidominator of `n` and its ancestors numbered `first_linked` or more; those are the ones
  /// in the forest. A node outside of it answers with its own number. Shortens the path it walked. (With two users, one
  /// of whom records steps, the compiler would not see that it belongs into the loop.)
  [[gnu::always_inline]] uint32_t least_above(uint32_t n, uint32_t first_linked) {
    if (ancestor_[n] < first_linked) return least_[n];
    path_.clear();
    do {
      path_.push_back(n);
      n = ancestor_[n];
    } while (ancestor_[n] >= first_linked);
    uint32_t top = ancestor_[n];
    uint32_t least = least_[n];
    for (size_t i = path_.size(); i-- > 0;) {
      uint32_t at = path_[i];
      ancestor_[at] = top;
      if (least < least_[at]) {
        least_[at] = least;
      } else {
        least = least_[at];
      }
    }
    return least;
  }

 private:
  std::vector<uint32_t> ancestor_;
  std::vector<uint32_t> least_;
  std::vector<uint32_t> path_;
};

template <class Steps>
std::vector<uint32_t> semidominators(const Graph& graph, const Tree& tree, Steps& steps) {
  uint32_t count = static_cast<uint32_t>(tree.node_of.size());
  LinkedForest forest(tree.parent);
  std::vector<uint32_t> semidominator(count);
  for (uint32_t n = count; n-- > 1;) {
    uint32_t least = tree.parent[n];
    for (Node from : graph.predecessors.row(tree.node_of[n])) {
      uint32_t number = tree.number[from];
      if (number == unreached) continue;
      uint32_t candidate = number < n ? number : forest.least_above(number, n + 1);
      steps.add(DominatorStep::Kind::candidate, tree.node_of[n], from, tree.node_of[candidate]);
      if (candidate < least) least = candidate;
    }
    steps.add(DominatorStep::Kind::semidominator, tree.node_of[n], none_id<Node>, tree.node_of[least]);
    semidominator[n] = least;
    forest.set_semidominator(n, least);
  }
  return semidominator;
}

/// A node in the dominator tree, by preorder number.
struct Place {
  uint32_t idom;
  uint32_t level;
  uint32_t jump;  // an ancestor further up, so placed that a search along the path takes O(log level) steps
};

/// Immediate dominators: the nearest ancestor in the tree built so far that is not below the semidominator.
template <class Steps>
std::vector<Place> dominator_tree(const Tree& tree, const std::vector<uint32_t>& semidominator, Steps& steps) {
  const std::vector<uint32_t>& parent = tree.parent;
  std::vector<Place> places(parent.size());
  for (uint32_t n = 1; n < places.size(); ++n) {
    uint32_t idom = parent[n];
    while (idom > semidominator[n]) {
      const Place& at = places[idom];
      uint32_t above = at.jump >= semidominator[n] ? at.jump : at.idom;
      steps.add(DominatorStep::Kind::climb, tree.node_of[n], tree.node_of[idom], tree.node_of[above]);
      idom = above;
    }
    steps.add(DominatorStep::Kind::idom, tree.node_of[n], none_id<Node>, tree.node_of[idom]);
    const Place& above = places[idom];
    const Place& jumped = places[above.jump];
    bool equal_jumps = above.level - jumped.level == jumped.level - places[jumped.jump].level;
    places[n] = {idom, above.level + 1, equal_jumps ? jumped.jump : idom};
  }
  return places;
}

}  // namespace

Dominators::Dominators(const Graph& graph) {
  NoSteps steps;
  build(graph, steps);
}

Dominators::Dominators(const Graph& graph, std::vector<DominatorStep>& steps) {
  StepList list{steps};
  build(graph, list);
}

template <class Steps>
void Dominators::build(const Graph& graph, Steps& steps) {
  idom_.assign(graph.node_count(), none_id<Node>);
  level_.assign(graph.node_count(), 0);
  interval_.assign(graph.node_count(), {});
  Tree tree = depth_first_tree(graph, steps);
  std::vector<uint32_t> semidominator = semidominators(graph, tree, steps);
  std::vector<Place> places = dominator_tree(tree, semidominator, steps);
  uint32_t count = static_cast<uint32_t>(places.size());

  for (uint32_t n = 1; n < count; ++n) {
    Node node = tree.node_of[n];
    idom_[node] = tree.node_of[places[n].idom];
    level_[node] = places[n].level;
  }
  children_.build_again(graph.node_count(), [&](auto&& emit) {
    for (uint32_t n = 1; n < count; ++n) emit(index(tree.node_of[places[n].idom]), tree.node_of[n]);
  });

  // A dominator has a smaller number than what it dominates, so sizes add up from the back and places are
  // given out from the front, without a walk over the tree.
  std::vector<uint32_t>& size = semidominator;
  size.assign(count, 1);
  for (uint32_t n = count; n-- > 1;) size[places[n].idom] += size[n];
  std::vector<uint32_t>& next_free = tree.parent;
  preorder_.resize(count);
  for (uint32_t n = 0; n < count; ++n) {
    uint32_t first = 0;
    if (n != 0) {
      first = next_free[places[n].idom];
      next_free[places[n].idom] += size[n];
    }
    next_free[n] = first + 1;
    interval_[tree.node_of[n]] = {first, size[n]};
    preorder_[first] = tree.node_of[n];
  }
}

}  // namespace braid::flow
