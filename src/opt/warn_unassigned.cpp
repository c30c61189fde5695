#include "opt/warn_unassigned.h"

#include <algorithm>

#include "base/csr.h"
#include "flow/bypass.h"
#include "ir/graph_view.h"
#include "ir/order.h"
#include "ssa/regions.h"

namespace braid::opt {

using namespace ir;

namespace {

/// A statement that mentions a variable.
struct Event {
  Operand id;
  BlockId block;
};
/// In smaller functions, and for variables that are mentioned more often than in one of so many blocks, all blocks are walked
/// where the variable is live.
constexpr uint32_t few_blocks = 64, rare = 4;

/// An assignment inside of a protected region, as its handler sees it.
struct Thrown {
  BlockId handler;
  Event assignment;
};

class Search {
 public:
  Search(const Function& f, const IdSet<flow::Node>& reached)
      : f_(f), reached_(reached), regions_(f), notes_(f.block_count()), mentioned_(f.block_count()) {
    collect();
    if (f.block_count() < few_blocks) return;
    BlockDominance dominance(f);
    bypass_ = flow::Bypass(dominance.graph(), dominance.tree());
    bypass_.set_barriers(dominance.tree(), regions_.barriers(bypass_));
  }

  std::vector<UnassignedUse> run() {
    for (uint32_t v = 0; v < f_.variables.size(); ++v) {
      variable_ = static_cast<VarId>(v);
      if (f_.variables[variable_].undef == UndefMeaning::zero) continue;  // such a read has a meaning
      search(events_.row(v), thrown_.row(v));
    }
    return std::move(found_);
  }

 private:
  enum Mark : uint8_t { live = 1, unassigned = 2, assigned = 4, has_events = 8, behind_test = 16 };
  struct Note {
    uint8_t marks = 0;
    BlockId from = none_id<BlockId>;  ///< the block before it on the path where the variable is unassigned
    Operand unset;                    ///< where that path begins, for its first block
    bool jumped = false;              ///< on the path from there
    uint32_t hops = nobody;           ///< a list
  };
  static constexpr uint32_t nobody = 0xffffffffu;
  /// From a block on to one where the variable is live: an edge, or round all blocks that do not mention the variable.
  struct Hop {
    BlockId to;
    EdgeId edge;  ///< none for a way round
    uint32_t next;
  };

  bool is_unset(Operand set) const { return f_.resolve(f_.operand(set, 1)).is_undef(); }
  bool is_reached(BlockId b) const { return reached_.test(node(b)); }

  void collect() {
    PendingLists lists(f_);
    auto visit_all = [&](auto&& on_event, auto&& on_thrown) {
      reached_.for_each([&](flow::Node n) {
        uint32_t region = regions_.at_start(block(n));
        for_each_statement(f_, lists, block(n), [&](Operand id) {
          Op op = f_.op(id);
          if (op == Op::leave) region = regions_.left(region, f_.operand_count(f_.stmt(id)));
          if (op != Op::get && op != Op::set && op != Op::is_defined) return;
          uint32_t variable = f_.arg(f_.stmt(id), 0);
          on_event(variable, Event{id, block(n)});
          if (op != Op::set) return;
          for (uint32_t r = region; r != ssa::Regions::outside; r = regions_[r].outer)
            if (!is_none(regions_[r].handler)) on_thrown(variable, Thrown{regions_[r].handler, {id, block(n)}});
        });
      });
    };
    auto ignore = [](auto&&...) {};
    events_.build_again(f_.variables.size(), [&](auto&& emit) { visit_all(emit, ignore); });
    thrown_.build_again(f_.variables.size(), [&](auto&& emit) { visit_all(ignore, emit); });
  }

  /// What a block makes of the variable.
  struct Effect {
    Operand last_set;           ///< `undef` if there is none
    bool reads_before = false;  ///< a read before any assignment
    bool reads_last = false;    ///< a read since the last assignment
  };
  Effect effect_of(std::span<const Event> events) const {
    Effect effect;
    for (const Event& event : events) {
      if (f_.op(event.id) == Op::set) {
        effect.last_set = event.id;
        effect.reads_last = false;
      } else if (f_.op(event.id) == Op::get) {
        effect.reads_before |= effect.last_set.is_undef();
        effect.reads_last = true;
      }
    }
    return effect;
  }
  struct Mentions {
    std::span<const Event> events;
    Effect effect;
  };
  Effect effect(BlockId b) const { return is(b, has_events) ? mentioned_[b].effect : Effect(); }
  std::span<const Event> mentions(BlockId b) const {
    return is(b, has_events) ? mentioned_[b].events : std::span<const Event>();
  }
  /// On the edge to the true side of a branch on `is_defined`, the variable is defined.
  bool is_tested(EdgeId e) const {
    BlockId from = f_.edge(e).from;
    Operand t = f_.terminator(from);
    if (f_.op(t) != Op::branch || f_.edge(e).slot != 1) return false;
    Operand condition = f_.resolve(f_.operand(t, 0));
    std::span<const Event> events = mentions(from);
    for (size_t i = events.size(); i > 0 && f_.op(events[i - 1].id) != Op::set; --i)
      if (events[i - 1].id == condition) return true;
    return false;
  }

  void search(std::span<const Event> events, std::span<const Thrown> thrown) {
    if (events.empty()) return;
    std::vector<BlockId> blocks, exposed;
    for (size_t i = 0, end = 0; i < events.size(); i = end) {
      BlockId b = events[i].block;
      while (end < events.size() && events[end].block == b) ++end;
      blocks.push_back(b);
      mark(b, has_events);
      mentioned_[b] = {events.subspan(i, end - i), effect_of(events.subspan(i, end - i))};
      if (effect(b).reads_before) exposed.push_back(b);
    }
    if (!exposed.empty()) {
      is_rare_ = f_.block_count() >= few_blocks && rare * blocks.size() < f_.block_count();
      if (is_rare_) find_stops(blocks);
      find_live(exposed);
      find_unassigned(blocks, thrown);
      find_assigned(blocks, thrown);
    }
    for (BlockId b : blocks) report(b);
    for (BlockId b : touched_) notes_[b] = {};
    touched_.clear();
    hops_.clear();
  }

  /// Blocks that no way round leads over: those that mention the variable, and those that a test of it leads to.
  void find_stops(const std::vector<BlockId>& blocks) {
    stops_.clear();
    for (BlockId b : blocks) {
      stops_.push_back(bypass_.number(node(b)));
      std::span<const Event> events = mentions(b);
      if (std::none_of(events.begin(), events.end(), [&](const Event& e) { return f_.op(e.id) == Op::is_defined; })) continue;
      f_.for_each_succ(b, [&](EdgeId e) {
        mark(f_.edge(e).to, behind_test);
        stops_.push_back(bypass_.number(node(f_.edge(e).to)));
      });
    }
    std::sort(stops_.begin(), stops_.end());
  }
  /// `visit(block, edge)` for what comes before a block where the variable is live.
  template <typename Visit>
  void for_each_before(BlockId b, Visit&& visit) {
    flow::Node above = is_rare_ && !is(b, behind_test) ? bypass_.above(node(b), stops_) : none_id<flow::Node>;
    if (!is_none(above)) return visit(block(above), none_id<EdgeId>);
    f_.for_each_pred(b, [&](EdgeId e) { visit(f_.edge(e).from, e); });
  }
  template <typename Visit>
  void for_each_next(BlockId b, Visit&& visit) {
    if (!is_rare_) return f_.for_each_succ(b, [&](EdgeId e) { visit(f_.edge(e).to, e); });
    for (uint32_t hop = notes_[b].hops; hop != nobody; hop = hops_[hop].next) visit(hops_[hop].to, hops_[hop].edge);
  }

  void mark(BlockId b, Mark mark) {
    if (notes_[b].marks == 0) touched_.push_back(b);
    notes_[b].marks |= mark;
  }
  bool is(BlockId b, Mark mark) const { return (notes_[b].marks & mark) != 0; }

  void find_live(const std::vector<BlockId>& exposed) {
    std::vector<BlockId> work = exposed;
    for (BlockId b : exposed) mark(b, live);
    while (!work.empty()) {
      BlockId b = work.back();
      work.pop_back();
      for_each_before(b, [&](BlockId from, EdgeId e) {
        if (!is_reached(from)) return;
        if (is_rare_) {
          hops_.push_back({b, e, notes_[from].hops});
          notes_[from].hops = static_cast<uint32_t>(hops_.size() - 1);
        }
        if (is(from, live) || !effect(from).last_set.is_undef()) return;
        mark(from, live);
        work.push_back(from);
      });
    }
  }

  void find_unassigned(const std::vector<BlockId>& blocks, std::span<const Thrown> thrown) {
    std::vector<BlockId> work;
    auto reach = [&](BlockId b, BlockId from, Operand unset, bool jumped) {
      if (!is(b, live) || is(b, unassigned)) return;
      mark(b, unassigned);
      notes_[b].from = from;
      notes_[b].unset = unset;
      notes_[b].jumped = jumped;
      work.push_back(b);
    };
    auto go_on = [&](BlockId b, Operand unset) {
      for_each_next(b, [&](BlockId to, EdgeId e) {
        if (is_none(e) || !is_tested(e)) reach(to, b, unset, is_none(e));
      });
    };
    reach(Function::entry(), none_id<BlockId>, {}, false);
    for (BlockId b : blocks) {
      Effect made = effect(b);
      if (!made.last_set.is_undef() && !made.reads_last && is_unset(made.last_set)) go_on(b, made.last_set);
    }
    for (const Thrown& t : thrown)
      if (is_unset(t.assignment.id)) reach(t.handler, t.assignment.block, t.assignment.id, false);
    for (size_t at = 0; at < work.size(); ++at) {
      Effect made = effect(work[at]);
      if (made.last_set.is_undef() && !made.reads_last) go_on(work[at], {});
    }
  }

  void find_assigned(const std::vector<BlockId>& blocks, std::span<const Thrown> thrown) {
    std::vector<BlockId> work;
    auto reach = [&](BlockId b) {
      if (!is(b, live) || is(b, assigned)) return;
      mark(b, assigned);
      work.push_back(b);
    };
    auto go_on = [&](BlockId b, bool only_tested) {
      for_each_next(b, [&](BlockId to, EdgeId e) {
        if (!only_tested || (!is_none(e) && is_tested(e))) reach(to);
      });
    };
    for (BlockId b : blocks) {
      Operand set = effect(b).last_set;
      go_on(b, set.is_undef() || is_unset(set));
    }
    for (const Thrown& t : thrown)
      if (!is_unset(t.assignment.id)) reach(t.handler);
    for (size_t at = 0; at < work.size(); ++at)
      if (effect(work[at]).last_set.is_undef()) go_on(work[at], false);
  }

  /// The first faulty read of the block, and those behind an assignment of `undef` in it.
  void report(BlockId b) {
    bool is_incoming = true;
    Operand unset;
    for (const Event& event : mentions(b)) {
      if (f_.op(event.id) == Op::set) {
        is_incoming = false;
        unset = is_unset(event.id) ? event.id : Operand::undef();
      } else if (f_.op(event.id) == Op::get) {
        if (is_incoming && is(b, unassigned))
          report_path(b, event.id);
        else if (!unset.is_undef())
          found_.push_back({variable_, b, event.id, true, unset, {{b, false}}});
        is_incoming = false;
        unset = Operand::undef();
      }
    }
  }
  void report_path(BlockId b, Operand get) {
    UnassignedUse use{variable_, b, get, !is(b, assigned), {}, {}};
    for (BlockId at = b;; at = notes_[at].from) {
      use.path.push_back({at, notes_[at].jumped});
      use.unset = notes_[at].unset;
      if (is_none(notes_[at].from)) break;
      if (use.unset.is_undef()) continue;
      use.path.push_back({notes_[at].from, false});
      break;
    }
    std::reverse(use.path.begin(), use.path.end());
    found_.push_back(std::move(use));
  }

  const Function& f_;
  const IdSet<flow::Node>& reached_;
  ssa::Regions regions_;
  Csr<Event> events_;   ///< by variable, in the order of the blocks
  Csr<Thrown> thrown_;  ///< by variable
  VarId variable_{};
  flow::Bypass bypass_;
  bool is_rare_ = false;                ///< the variable at hand goes round the blocks that do not mention it
  std::vector<uint32_t> stops_;         ///< numbers of those where it does not
  std::vector<Hop> hops_;
  IdMap<BlockId, Note> notes_;          ///< of the variable at hand
  IdMap<BlockId, Mentions> mentioned_;  ///< the same, where `has_events`
  std::vector<BlockId> touched_;
  std::vector<UnassignedUse> found_;
};

}  // namespace

std::vector<UnassignedUse> unassigned_uses(const Function& f, const IdSet<flow::Node>& reached) {
  if (f.variables.size() == 0) return {};
  return Search(f, reached).run();
}

}  // namespace braid::opt
