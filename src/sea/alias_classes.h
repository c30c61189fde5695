// Which part of memory an effect is about: the one place that decides it.
//
// A stack slot whose address goes nowhere - all its uses are loads and stores at a constant distance inside of it - is a class
// of its own: nothing but its own stores changes it, no call and no other address reaches it (`ssa/promote.h` relies on the
// same). Everything else is the class `rest`. So that tables by class stay small, only the first slots get classes; the others
// are part of the rest, which is always right.
//
// O(nodes + uses of addresses).
#pragma once

#include <cstdint>
#include <vector>

#include "sea/graph.h"

namespace braid::sea {

class AliasClasses {
 public:
  static constexpr uint32_t most = 16;
  static constexpr uint8_t rest = 0;
  static constexpr uint8_t any = 255;  ///< of a read of something other than memory: every link may end its state

  explicit AliasClasses(const Graph& graph);

  /// How many there are, the rest included.
  uint32_t count() const { return count_; }
  /// Of a read: what it reads.
  uint8_t of_read(NodeId n) const { return graph_.is(n, ir::Op::load) ? of(n) : any; }
  /// Of a link: what it changes; a slot changes its class when it is made.
  uint8_t of_link(NodeId n) const { return of(n); }
  /// Whether a link is the end of the state that a read of this class sees.
  bool ends(NodeId link, uint8_t read_class) const { return read_class == any || of_link(link) == read_class; }

 private:
  uint8_t of(NodeId n) const { return index(n) < of_.size() ? of_[index(n)] : rest; }
  bool claim(NodeId slot, uint8_t number);

  const Graph& graph_;
  uint32_t count_ = 1;
  std::vector<uint8_t> of_;  ///< by node; empty if everything is the rest
  struct Address {
    NodeId node;
    uint64_t distance;
  };
  std::vector<Address> work_;
  std::vector<NodeId> claimed_;
};

}  // namespace braid::sea
