// A number for some of the nodes, all forgotten in O(1): what a local search keeps without a pass over the
// whole graph.
#pragma once

#include <cstdint>

#include "base/id_map.h"
#include "flow/graph.h"

namespace braid::flow {

class NodeNotes {
 public:
  explicit NodeNotes(size_t node_count) : notes_(node_count) {}

  void add_node() { notes_.push({}); }
  void clear() {
    if (++round_ != 0) return;
    notes_.assign(notes_.size(), {});
    round_ = 1;
  }
  bool has(Node n) const { return notes_[n].round == round_; }
  uint32_t operator[](Node n) const { return notes_[n].value; }
  void set(Node n, uint32_t value = 0) { notes_[n] = {round_, value}; }

 private:
  struct Note {
    uint32_t round = 0;
    uint32_t value = 0;
  };

  IdMap<Node, Note> notes_;
  uint32_t round_ = 1;
};

}  // namespace braid::flow
