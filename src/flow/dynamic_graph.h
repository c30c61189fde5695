// A directed graph whose edges come and go: each edge is in a list of its source and in one of its target.
// O(1) to insert and to remove; the numbers of removed edges are used again. Parallel edges and self loops
// are legal.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "base/id.h"
#include "base/id_map.h"
#include "flow/graph.h"

namespace braid::flow {

enum class EdgeId : uint32_t {};

class DynamicGraph {
 public:
  DynamicGraph(size_t node_count, Node entry) : entry_(entry), nodes_(node_count) {}
  /// Edges are numbered as in `graph.successors.items()`.
  explicit DynamicGraph(const Graph& graph) : DynamicGraph(graph.node_count(), graph.entry) {
    edges_.reserve(graph.edge_count());
    for (uint32_t n = 0; n < graph.node_count(); ++n) {
      for (Node to : graph.successors.row(n)) insert_edge(Node{n}, to);
    }
  }

  Node entry() const { return entry_; }
  size_t node_count() const { return nodes_.size(); }
  Node add_node() { return nodes_.push({}); }

  /// The edge becomes the last of both lists.
  EdgeId insert_edge(Node from, Node to) {
    EdgeId e = free_;
    if (is_none(e)) {
      e = edges_.push({});
    } else {
      free_ = edges_[e].next_out;
    }
    Ends& source = nodes_[from];
    Ends& target = nodes_[to];
    edges_[e] = {from, to, none_id<EdgeId>, source.last_out, none_id<EdgeId>, target.last_in};
    (is_none(source.last_out) ? source.first_out : edges_[source.last_out].next_out) = e;
    (is_none(target.last_in) ? target.first_in : edges_[target.last_in].next_in) = e;
    source.last_out = e;
    target.last_in = e;
    return e;
  }

  void remove_edge(EdgeId e) {
    Link& edge = edges_[e];
    assert(!is_none(edge.from) && "edge removed twice");
    Ends& source = nodes_[edge.from];
    Ends& target = nodes_[edge.to];
    (is_none(edge.previous_out) ? source.first_out : edges_[edge.previous_out].next_out) = edge.next_out;
    (is_none(edge.next_out) ? source.last_out : edges_[edge.next_out].previous_out) = edge.previous_out;
    (is_none(edge.previous_in) ? target.first_in : edges_[edge.previous_in].next_in) = edge.next_in;
    (is_none(edge.next_in) ? target.last_in : edges_[edge.next_in].previous_in) = edge.previous_in;
    edge.from = none_id<Node>;
    edge.next_out = free_;
    free_ = e;
  }

  /// None if there is no such edge. O(the smaller of the two lists).
  EdgeId find_edge(Node from, Node to) const {
    EdgeId out = first_out(from), in = first_in(to);
    for (; !is_none(out) && !is_none(in); out = next_out(out), in = next_in(in)) {
      if (edges_[out].to == to) return out;
      if (edges_[in].from == from) return in;
    }
    return none_id<EdgeId>;
  }

  Node from(EdgeId e) const { return edges_[e].from; }
  Node to(EdgeId e) const { return edges_[e].to; }
  EdgeId first_out(Node n) const { return nodes_[n].first_out; }
  EdgeId next_out(EdgeId e) const { return edges_[e].next_out; }
  EdgeId first_in(Node n) const { return nodes_[n].first_in; }
  EdgeId next_in(EdgeId e) const { return edges_[e].next_in; }

  Graph snapshot() const {
    return Graph::build(nodes_.size(), entry_, [&](auto&& emit) {
      for (uint32_t n = 0; n < nodes_.size(); ++n) {
        for (EdgeId e = first_out(Node{n}); !is_none(e); e = next_out(e)) emit(Node{n}, to(e));
      }
    });
  }

 private:
  struct Link {
    Node from = none_id<Node>;  // none if the edge was removed; `next_out` then is the next such
    Node to = none_id<Node>;
    EdgeId next_out = none_id<EdgeId>;
    EdgeId previous_out = none_id<EdgeId>;
    EdgeId next_in = none_id<EdgeId>;
    EdgeId previous_in = none_id<EdgeId>;
  };
  struct Ends {
    EdgeId first_out = none_id<EdgeId>;
    EdgeId last_out = none_id<EdgeId>;
    EdgeId first_in = none_id<EdgeId>;
    EdgeId last_in = none_id<EdgeId>;
  };

  Node entry_;
  IdMap<Node, Ends> nodes_;
  IdMap<EdgeId, Link> edges_;
  EdgeId free_ = none_id<EdgeId>;
};

}  // namespace braid::flow
