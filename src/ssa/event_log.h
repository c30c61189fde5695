// The event log of a construction: what a constructor did, in the order in which it did it. The trace table,
// the JSON of the explorer and tests render it; nothing is worked out again afterwards.
//
// Constructors are templates over the log. With `NoLog` the calls are empty and nothing is left of them; with
// `EventLog` each is O(1) and appends one event of 44 bytes, except for the frontiers, which are listed in
// full (they may be quadratic).
//
// Versions are numbered by track in the order of the definitions; 0 is "not assigned yet". Blocks and
// statements are those of the input.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flow/dominators.h"
#include "ir/operand.h"
#include "ssa/tracks.h"

namespace braid::ssa {

/// What happened. The comment says which members of the event count beside `track`, where there is one.
enum class EventKind : uint8_t {
  post_order,     ///< list: blocks
  reached,        ///< depth-first search finds `block`; `other` is its parent, none for the entry
  candidate,      ///< `value` may be the semidominator of `block`, by the edge from `other`
  semidominator,  ///< of `block` it is `value`
  climb,          ///< on the way to the immediate dominator of `block`, from `other` up to `value`
  idom,           ///< of `block` it is `value`
  frontier,       ///< of `block`; list
  live_in,        ///< list: the blocks at whose start the track is live
  skip,           ///< the track gets no phis; reason
  work,           ///< the search for phis begins; list: the work list W
  take,           ///< X = `block` is taken off W
  look,           ///< from X = `block` an edge leads to Y = `other`; reason; F and W grow if it is new
  phi,            ///< `phi` is placed in `block`; `other` is the X it came from, if any; reason
  visit,          ///< renaming comes to `block`
  define,  ///< a definition in `block`: `version`, by `phi` or by `statement`; `before` was current (cytron)
  use,     ///< a use: `version` reaches it; reason says by what
  undo,    ///< renaming leaves what `version` dominates; `before` is current again
  live,    ///< `phi` is needed; reason
  prune,   ///< `phi` is taken out again; reason
};

enum class Reason : uint8_t {
  none,
  // skip
  local,         ///< no block reads it before assigning it
  not_assigned,  ///< nothing assigns it
  // look
  is_new,          ///< Y is new to F, and goes to W
  is_new_no_work,  ///< Y is new to F, but not to W: it was there, or it has no frontier
  is_known,        ///< Y is in F
  // phi
  frontier,       ///< in the frontier of `other`
  handler,        ///< a handler may see any assignment in its region
  values_differ,  ///< paths meet with different values
  loop,           ///< a path into the block is not known yet
  demanded,       ///< a read comes to this block, and the value is not known here
  // use
  read,         ///< by `get`, at `statement`
  asked,        ///< by `is_defined`, at `statement`
  phi_operand,  ///< by `phi` of block `other`, on the edge from `block`
  upsilon,      ///< by the phi_c `phi` of the handler `other`
  // live
  is_read,  ///< `statement` reads it
  feeds,    ///< it is an operand of a phi that is live, `value`
  // prune
  dead,          ///< its value reaches no statement that reads it
  one_value,     ///< all its operands are `version`
  always_true,   ///< the variable is always defined here
  always_false,  ///< the variable is never defined here
};

std::string_view name(EventKind kind);
std::string_view name(Reason reason);

struct Event {
  static constexpr uint32_t no_number = 0xffffffffu;

  EventKind kind;
  Reason reason = Reason::none;
  uint32_t track = no_number;
  ir::BlockId block = none_id<ir::BlockId>;
  ir::BlockId other = none_id<ir::BlockId>;
  uint32_t value = no_number;  ///< a block, or a phi
  uint32_t phi = no_number;
  uint32_t statement = no_number;  ///< its position in the input
  uint32_t version = no_number, before = no_number;
  uint32_t first = 0, count = 0;  ///< of a list
};

static_assert(sizeof(Event) == 44);

/// Nobody listens.
struct NoLog {
  static constexpr bool is_on = false;

  void tracks(const Tracks&) {}
  void skip(uint32_t, Reason) {}
  void work(uint32_t, std::span<const flow::Node>) {}
  void take(flow::Node) {}
  void look(flow::Node, flow::Node, bool, bool) {}
  void phi(uint32_t, ir::BlockId, uint32_t, Reason) {}
  void visit(ir::BlockId) {}
  void define(uint32_t, uint32_t, uint32_t) {}
  void undo(uint32_t) {}
  void use(uint32_t, Reason, uint32_t) {}
  void use_at_edge(uint32_t, Reason, uint32_t, ir::BlockId) {}
  void live(uint32_t, Reason, uint32_t) {}
  void prune(uint32_t, Reason, uint32_t) {}
};

class EventLog {
 public:
  static constexpr bool is_on = true;
  static constexpr uint32_t no_number = Event::no_number;

  struct TrackInfo {
    ir::VarId variable;
    bool is_flag;
  };

  std::span<const Event> events() const { return events_; }
  std::span<const uint32_t> list(const Event& event) const {
    return std::span(items_).subspan(event.first, event.count);
  }
  /// By track: the variable that it belongs to.
  std::span<const TrackInfo> track_list() const { return tracks_; }

  // ---- the graph ----
  void post_order(std::span<const flow::Node> nodes);
  void dominator_steps(std::span<const flow::DominatorStep> steps);
  void frontier(flow::Node n, std::span<const flow::Node> nodes);
  void live_in(uint32_t track, std::span<const flow::Node> nodes);

  // ---- placing phis ----
  void tracks(const Tracks& tracks);
  void skip(uint32_t track, Reason reason);
  void work(uint32_t track, std::span<const flow::Node> nodes);
  void take(flow::Node x);
  void look(flow::Node x, flow::Node y, bool is_new, bool goes_to_work);
  /// The phi with this number. One that the search found knows from where.
  void phi(uint32_t track, ir::BlockId block, uint32_t phi, Reason reason);

  // ---- renaming by a walk over the dominator tree: the current version of each track ----
  void visit(ir::BlockId block);
  /// By a phi, or by a statement; the other is `no_number`.
  void define(uint32_t track, uint32_t phi, uint32_t statement);
  void undo(uint32_t track);
  void use(uint32_t track, Reason reason, uint32_t statement);
  /// By a phi of another block, at the end of this one; or by a phi_c.
  void use_at_edge(uint32_t track, Reason reason, uint32_t phi, ir::BlockId block);

  // ---- the same without such a walk: versions are known by the word of their value ----
  /// Equal values are one version, defined in several places.
  void define_word(uint32_t track, uint32_t word, uint32_t phi, uint32_t statement, ir::BlockId block);
  void use_word(uint32_t track, uint32_t word, Reason reason, uint32_t statement);
  /// On the edge from `from`, by a phi or phi_c of `to`.
  void use_word_at_edge(uint32_t track, uint32_t word, Reason reason, uint32_t phi, ir::BlockId from,
                        ir::BlockId to);
  void start_words(const Tracks& tracks);
  bool knows_word(uint32_t track, uint32_t word) const { return version_of_word_.contains(key(track, word)); }
  uint32_t version_of_word(uint32_t track, uint32_t word) const;

  // ---- pruning ----
  void live(uint32_t phi, Reason reason, uint32_t by);
  /// `version`: what it stands for, if it does.
  void prune(uint32_t phi, Reason reason, uint32_t version);

 private:
  static uint64_t key(uint32_t track, uint32_t word) { return uint64_t{track} << 32 | word; }
  Event& add(EventKind kind) { return events_.emplace_back(Event{kind}); }
  void set_list(Event& event, std::span<const flow::Node> nodes);
  uint32_t current(uint32_t track) const { return stacks_[track].empty() ? 0 : stacks_[track].back(); }

  std::vector<Event> events_;
  std::vector<uint32_t> items_;
  std::vector<TrackInfo> tracks_;
  std::vector<uint32_t> last_version_;         ///< by track
  std::vector<std::vector<uint32_t>> stacks_;  ///< by track: the versions that are current, innermost last
  std::vector<uint32_t> track_of_phi_;
  std::unordered_map<uint64_t, uint32_t> version_of_word_;  ///< never iterated
  std::unordered_map<uint32_t, uint32_t> found_from_;  ///< by block: the X of the search that is under way
  uint32_t track_ = no_number;                         ///< whose phis are being placed
  ir::BlockId block_ = none_id<ir::BlockId>;           ///< that renaming is at
};

}  // namespace braid::ssa
