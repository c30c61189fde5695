// Which handlers are on the handler stack at each point, and how many exceptions are being handled: what the verifier's
// rules of exceptions stand on.
//
// A region is known by its token. Tokens that meet in a phi, or in a phi_c through upsilons, are one (union-find), so that
// regions which several `enter`s open can be left through one token. Lists of regions are interned, so that equal lists are
// equal numbers. Where two different regions with the same handler meet, the list holds that handler without a token:
// throwing there is fine, leaving it is not. Lists with the same handlers are one list when all tokens are taken off.
//
// Forward data flow with a work list; each place in each block's list changes at most once, and none changes twice where
// each loop is left through the tokens that it was entered with. What two lists have in common is found once for both and
// for all that is outside of them. O(blocks + edges + tokens + pairs of lists that meet). The count of exceptions is a
// search for shortest paths: O(blocks + edges + pops).
#pragma once

#include <unordered_map>
#include <vector>

#include "base/csr.h"
#include "ir/verify_context.h"

namespace braid::ir {

class HandlerFlow {
 public:
  using List = uint32_t;
  static constexpr List empty = 0;
  static constexpr uint32_t no_token = 0xffffffffu;
  static constexpr uint32_t not_reached = 0xffffffffu;

  struct Region {
    List outer;
    uint32_t token;   ///< the representative of its tokens, or no_token
    BlockId handler;  ///< none if it has none
    uint32_t depth;
    List bare;        ///< the same handlers without tokens; not_reached until it is asked for
  };

  /// Statements that matter here, in order, by block: leave, the_exception, pop_exception.
  struct Event {
    Operand id;
    Op op;
  };

  explicit HandlerFlow(VerifyContext& context);

  /// The list at the start of a reachable block.
  List at_start(BlockId b) const { return start_[index(b)]; }
  /// At its end; an `enter` has not pushed yet.
  List at_end(BlockId b) const { return end_[index(b)]; }
  List along(EdgeId e);
  List pop(List list, uint32_t count) const {
    for (; count > 0 && list != empty; --count) list = regions_[list].outer;
    return list;
  }
  const Region& region(List list) const { return regions_[list]; }
  uint32_t depth(List list) const { return regions_[list].depth; }
  /// The same handlers in the same order, whatever the tokens.
  bool same_handlers(List a, List b) {
    return a == b || (regions_[a].depth == regions_[b].depth && bare(a) == bare(b));
  }

  /// The least number of exceptions on the exception stack at the start of a block that were not there at the start of
  /// the activation.
  uint32_t exceptions_at_start(BlockId b) const { return exceptions_[index(b)]; }
  /// After the event, if before it there were so many.
  uint32_t exceptions_after(const Event& event, uint32_t exceptions);

  std::span<const Event> events(BlockId b) const { return events_.row(b); }
  /// The representative of a token; no_token if the operand is no statement of that type.
  uint32_t token(Operand operand);
  bool is_token(Operand id) const { return c.is_statement(id) && f.type(id) == token_type && !c.is_bad(f.dense(id)); }
  /// The block to which the enter at the end of `b` leads when its body throws; none if there is no such edge.
  BlockId handler_of(BlockId b) const;

 private:
  void unite_tokens();
  void find_events();
  void flow_lists();
  void flow_exceptions();
  List behind_leaves(BlockId b) const;
  List push(List outer, uint32_t token, BlockId handler);
  List bare(List list);
  List meet(List a, List b);

  VerifyContext& c;
  const Function& f;
  std::vector<uint32_t> parent_;  ///< of the union-find, by dense id; empty without tokens
  std::vector<Region> regions_;
  std::unordered_map<uint64_t, List> interned_;
  std::unordered_map<uint64_t, List> met_;  ///< by two lists, the smaller number first
  std::vector<List> start_, end_;
  std::vector<uint32_t> exceptions_;
  std::unordered_map<uint32_t, uint32_t> exceptions_at_enter_;  ///< by token: the least over its enters
  Csr<Event> events_;
};

}  // namespace braid::ir
