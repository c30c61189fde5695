// Which nodes share a variable.
//
// At first all that copies connect are put together, as if nothing interfered: for functions that come
// straight from variables that is the answer. One walk over the dominator tree finds out where it is not:
// with the last member of each class on the way from the entry at hand, each new member is compared with that
// one alone, because of values in an order of dominance the nearest ones interfere if any do (Z. Budimlić et
// al., Fast Copy Coalescing and Live-Range Identification, 2002; Boissinot et al. 2009 for values that are
// copies). Classes with interference are taken apart and put together again: small ones by trying several
// orders with a table of all pairs, large ones by leaving out the member with fewer copies whenever two
// interfere, and starting over with what was left out.
//
// Parameters, and values that come to several phis of one block, would tie together what does not belong
// together: these *hubs* join a class afterwards. Where one cannot, but comes to phis of a class along
// several edges, it is copied once where it is made, if nothing interferes with that copy
// (dessa/coalesce_hubs.cpp). Slots of handlers come last, pair by pair.
//
// Cost: O(statements + phi operands) for each of at most four walks, and a constant for each member of a
// small class.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "dessa/interference.h"
#include "dessa/live_ranges.h"
#include "dessa/webs.h"
#include "ir/graph_view.h"

namespace braid::dessa {

class Coalescing {
 public:
  /// Adds nodes for values that are copied where they are made.
  Coalescing(Webs& webs, LiveRanges& live, const ir::BlockDominance& dominance);

  /// The same for nodes that share a variable.
  uint32_t class_of(uint32_t node) const { return class_[node]; }
  /// Whether a value is copied to the variable of a class where it is made, once for all edges.
  bool is_copied_to(uint32_t node, uint32_t of) const {
    return is_hub_[node] && std::binary_search(copied_.begin(), copied_.end(), Copied{node, of});
  }
  struct Copied {
    uint32_t node, to;  ///< to a class
    auto operator<=>(const Copied&) const = default;
  };
  /// In the order of the nodes.
  std::span<const Copied> copied() const { return copied_; }

 private:
  enum class Mode : uint8_t {
    detect,  ///< marks classes in which members interfere
    evict,   ///< leaves members out of the marked classes
  };
  static constexpr int rounds = 4;
  /// A hub that comes to a web of a class.
  struct HubUse {
    uint32_t hub, root, block;  ///< where the edge begins
    auto operator<=>(const HubUse&) const = default;
  };

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
  void join(uint32_t a, uint32_t b);
  void chain_members();

  // coalesce_hubs.cpp
  void find_hubs();
  void join_hubs();
  void join_hub(uint32_t hub, std::span<const HubUse> uses);
  bool is_free(uint32_t hub, uint32_t root, const LiveRanges::Range& range);

  struct Undo {
    uint32_t root, top;
  };
  struct Written {
    uint32_t edge = nothing, web = nothing, value = 0;
  };

  Webs& webs_;
  LiveRanges& live_;
  const ir::BlockDominance& dominance_;
  Interference interfere_;
  std::vector<uint32_t> class_;     ///< union-find while it is made
  std::vector<uint8_t> is_active_;  ///< by node: takes part in this round, and was not left out
  std::vector<uint8_t> is_bad_;     ///< by class: members interfere
  bool any_bad_ = false;
  std::vector<uint32_t> top_;    ///< by class: the last member on the way from the entry
  std::vector<uint32_t> below_;  ///< by node: the one before it
  std::vector<Undo> undo_;
  std::vector<Written> written_;  ///< by class: the last copy on an edge
  std::vector<uint32_t> degree_;  ///< by node: copies that connect it with others
  std::vector<uint32_t> evicted_;
  std::vector<uint8_t> is_hub_;  ///< by node
  std::vector<uint32_t> hubs_;
  std::vector<Copied> copied_;  ///< while they are found, `to` is the node of the copy
  size_t hub_budget_ = 0;
  std::vector<uint32_t> next_, size_;  ///< rings of members, once classes are only joined
};

}  // namespace braid::dessa
