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
// small class. Looks at slots are limited to a multiple of the statements; slots that are left then keep variables of their own.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "dessa/block_order.h"
#include "dessa/interference.h"
#include "dessa/live_ranges.h"
#include "dessa/webs.h"

namespace braid::dessa {

class Coalescing {
 public:
  /// Adds nodes for webs that part from the values of their phis, and for values that are copied where they are made.
  Coalescing(Webs& webs, LiveRanges& live, const BlockOrder& order);

  /// The same for nodes that share a variable.
  uint32_t class_of(uint32_t node) const { return class_[node]; }
  /// Whether a value is copied to the variable of a web where it is made, once for all edges along which it comes there. The
  /// copy is good for the webs that shared the variable before slots joined them, and for nothing else.
  bool is_copied_to(uint32_t node, uint32_t web) const {
    if (!webs_.is_hub(node)) return false;
    for (const Copied& copied : copies_of(node))
      if (copied.to == class_without_slots_[web]) return true;
    return false;
  }
  struct Copied {
    uint32_t node, to;  ///< to a class, named by a member
    auto operator<=>(const Copied&) const = default;
  };
  bool has_copied() const { return !copied_.empty(); }
  std::span<const Copied> copies_of(uint32_t node) const {
    if (copied_.empty()) return {};
    return {copied_.data() + first_copied_[node], first_copied_[node + 1] - first_copied_[node]};
  }

 private:
  enum class Mode : uint8_t {
    first,   ///< like `detect`, while everything takes part and no web has parted from its phi
    detect,  ///< marks classes in which members interfere
    evict,   ///< leaves members out of the marked classes
  };
  static constexpr int rounds = 4;
  /// Edges side by side along which a hub comes to a web.
  struct HubOperands {
    uint32_t web, hub;
    uint32_t first, count;  ///< columns
  };
  /// Edges along which a hub comes to webs of a class.
  struct HubUses {
    uint32_t hub, root;
    uint32_t first, count;  ///< in hub_blocks_: where these edges begin
  };

  bool may_share(uint32_t a, uint32_t b) const {
    return webs_.has_one_type || webs_.nodes[a].type == webs_.nodes[b].type || have_one_storage(a, b);
  }
  bool have_one_storage(uint32_t a, uint32_t b) const;
  uint32_t find(uint32_t node);
  uint32_t unite(uint32_t a, uint32_t b);
  void add_hub_operands(uint32_t web, uint32_t hub, uint32_t column, uint32_t count);
  void unite_all();
  void flatten();
  template <class Visit>
  void for_each_affinity(Visit&& visit) const;

  template <Mode mode>
  void walk();
  template <Mode mode>
  void visit_value(uint32_t node);
  template <Mode mode>
  void visit_edge(const WebEdge& edge);
  template <Mode mode>
  bool is_passed_over(uint32_t root) const {
    return (is_bad_[root] != 0) != (mode == Mode::evict);
  }
  template <Mode mode, class IsLive>
  uint32_t conflict_with(uint32_t root, uint32_t value, IsLive&& is_live);
  template <Mode mode>
  uint32_t skip_inactive(uint32_t& start);
  void undo_to(uint32_t mark);
  /// Two members interfere; whether the second one stays in its class for now.
  bool settle(uint32_t other, uint32_t node, Mode mode);

  void part_webs();
  void take_apart();
  void evict();
  void join_slots();
  bool may_compare(uint32_t a, uint32_t b);
  void try_join(uint32_t a, uint32_t b);
  void join(uint32_t a, uint32_t b);
  void chain_members();

  // coalesce_hubs.cpp
  void join_hubs();
  std::vector<HubUses> find_hub_uses();
  void join_hub(std::span<HubUses> classes);
  bool is_in_use_where_made(uint32_t hub, uint32_t root);
  bool is_free(uint32_t hub, uint32_t root);
  void sort_copied();
  void forget_work();

  struct Written {
    uint32_t edge = nothing, web = nothing, value = 0;
  };

  Webs& webs_;
  LiveRanges& live_;
  const BlockOrder& order_;
  Interference interfere_;
  std::vector<uint32_t> class_;     ///< union-find while it is made
  std::vector<uint8_t> is_active_;  ///< by node: takes part in this round, and was not left out
  std::vector<uint8_t> is_bad_;     ///< by class: members interfere
  bool any_bad_ = false;
  std::vector<uint32_t> top_;    ///< by class: the last member on the way from the entry
  Stack<uint32_t> below_;        ///< by node: the one before it
  Stack<uint32_t> path_;         ///< the members on the way from the entry, of all classes
  std::vector<Written> written_;  ///< by class: the last copy on an edge
  std::vector<uint32_t> degree_;  ///< by node: copies that connect it with others
  std::vector<uint32_t> evicted_;
  std::vector<Copied> copied_;  ///< by node; while they are found, `to` is the node of the copy
  std::vector<uint32_t> first_copied_;
  std::vector<uint32_t> class_without_slots_;  ///< if something is copied
  Stack<HubOperands> hub_operands_;  ///< in the order of the webs
  std::vector<uint32_t> hub_blocks_;
  size_t hub_budget_ = 0;
  uint64_t looks_left_ = 0;  ///< at upsilons, when slots join
  std::vector<uint32_t> next_, size_;  ///< rings of members, once classes are only joined
};

}  // namespace braid::dessa
