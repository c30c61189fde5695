// Which nodes share a variable.
//
// At first all that copies connect are put together, as if nothing interfered: for functions that come straight from
// variables that is the answer. One walk over the dominator tree finds out where it is not: with the last member of each class
// on the way from the entry at hand, each new member is compared with that one alone, because of values in an order of
// dominance the nearest ones interfere if any do (Z. Budimlić et al., Fast Copy Coalescing and Live-Range Identification,
// 2002; Boissinot et al. 2009 for values that are copies). Classes with interference are taken apart and put together again:
// small ones by trying several orders with a table of all pairs, large ones by leaving out the member with fewer copies
// whenever two interfere, and starting over with what was left out. Slots of handlers come last, pair by pair.
//
// Cost: O(statements + phi operands) for each of at most four walks, and a constant for each member of a small class.
#pragma once

#include <cstdint>
#include <vector>

#include "dessa/interference.h"
#include "dessa/live_ranges.h"
#include "dessa/webs.h"
#include "ir/graph_view.h"

namespace braid::dessa {

class Coalescing {
 public:
  Coalescing(const Webs& webs, const LiveRanges& live, const ir::BlockDominance& dominance);

  /// The same for nodes that share a variable.
  uint32_t class_of(uint32_t node) const { return class_[node]; }

 private:
  enum class Mode : uint8_t {
    detect,  ///< marks classes in which members interfere
    evict,   ///< leaves members out of the marked classes
  };
  static constexpr int rounds = 4;

  bool may_share(uint32_t a, uint32_t b) const;
  uint32_t find(uint32_t node);
  void unite(uint32_t a, uint32_t b);
  template <class Visit>
  void for_each_affinity(Visit&& visit) const;

  void walk(Mode mode);
  void visit_value(uint32_t node, Mode mode);
  void visit_edge(ir::EdgeId id, Mode mode);
  template <class IsLive>
  uint32_t conflict_with(uint32_t top, uint32_t value, IsLive&& is_live) const;
  uint32_t top_of(uint32_t root) const;
  /// Two members interfere; whether the second one stays in its class for now.
  bool settle(uint32_t other, uint32_t node, Mode mode);

  void take_apart();
  void evict();
  void join_slots();
  void try_join(uint32_t a, uint32_t b);

  struct Undo {
    uint32_t root, top;
  };
  struct Written {
    uint32_t edge = nothing, web = nothing, value = 0;
  };

  const Webs& webs_;
  const LiveRanges& live_;
  const ir::BlockDominance& dominance_;
  Interference interfere_;
  std::vector<uint32_t> class_;        ///< union-find while it is made
  std::vector<uint8_t> is_active_;     ///< by node: takes part in this round, and was not left out
  std::vector<uint8_t> is_bad_;        ///< by class: members interfere
  bool any_bad_ = false;
  std::vector<uint32_t> top_;          ///< by class: the last member on the way from the entry
  std::vector<uint32_t> below_;        ///< by node: the one before it
  std::vector<Undo> undo_;
  std::vector<Written> written_;       ///< by class: the last copy on an edge
  std::vector<uint32_t> degree_;       ///< by node: copies that connect it with others
  std::vector<uint32_t> evicted_;
  std::vector<uint32_t> next_, size_;  ///< rings of members, for slots
};

}  // namespace braid::dessa
