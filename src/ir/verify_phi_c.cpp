// Rules of phi_c and upsilon: places, operands, and that every slot is written before it can be read.
//
// A slot is settled if the block of each `enter` of its handler holds an upsilon for it: that is where constructors put
// them. For those that are not, the statements that may throw to the handler are asked whether the slot is written on all
// paths to them. O(statements + edges), and for each slot that is not settled what slot_paths.h says.
#include "ir/verify_phi_c.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ir/slot_paths.h"

namespace braid::ir {
namespace {

class PhiCCheck {
 public:
  PhiCCheck(VerifyContext& context, const HandlerFlow* flow) : c(context), f(context.f), flow_(flow) {}

  void run() {
    phi_c_of_.assign(f.dense_count(), none);
    find_phi_cs();
    check_uses();
    if (flow_ == nullptr || phi_cs_.empty()) return;
    find_unsettled();
    if (!unsettled_.empty() && !c.full()) check_unsettled();
  }

 private:
  static constexpr uint32_t none = 0xffffffffu;
  struct Unsettled {
    uint32_t phi_c;
    uint32_t enter;  ///< the first block that enters the region and holds no upsilon for it
  };
  struct Throw {
    SlotPaths::Place place;
    Operand id;
  };

  bool is_upsilon(Operand operand) const {
    return c.is_statement(operand) && f.op(operand) == Op::upsilon && !c.is_bad(f.dense(operand));
  }
  bool is_handler(BlockId b) const {
    bool exceptional = false;
    f.for_each_pred(b, [&](EdgeId e) { exceptional = exceptional || f.edge(e).kind == EdgeKind::exceptional; });
    return exceptional;
  }

  // ---- form ----

  /// All of them, also in unreachable blocks: an upsilon for one of those is not astray.
  void find_phi_cs() {
    std::vector<bool> handlers(c.block_count);
    for (uint32_t b = 0; b < c.block_count; ++b) handlers[b] = is_handler(static_cast<BlockId>(b));
    for (uint32_t number = 0; number < c.block_count; ++number) {
      BlockId b = static_cast<BlockId>(number);
      bool at_start = handlers[number], reachable = c.is_reachable(b);
      c.for_each_in(b, [&](Operand id, uint32_t dense, const Stmt& stmt) {
        if (stmt.op == Op::same || stmt.op == Op::nothing) return;
        if (stmt.op != Op::phi_c) {
          at_start = false;
          return;
        }
        if (!at_start && reachable)
          c.report(Rule::phi_c_place, id, b,
                   handlers[number] ? "phi_c behind another statement" : "phi_c in a block that is no handler");
        if (reachable) phi_cs_.push_back(dense);
        check_operands(id, dense, stmt, reachable);
      });
    }
  }

  void check_operands(Operand id, uint32_t dense, const Stmt& stmt, bool reachable) {
    for (uint32_t i = 0; i < f.operand_count(stmt); ++i) {
      Operand operand = c.operand(stmt, i);
      if (!is_upsilon(operand)) {
        if (reachable)
          c.report(Rule::phi_c_operands, id, say("operand ", i, " of this phi_c, ", c.name(operand), ", is not an upsilon"));
        continue;
      }
      uint32_t& feeds = phi_c_of_[f.dense(operand)];
      if (feeds == none)
        feeds = dense;
      else
        c.report(Rule::upsilon_feeds, operand,
                 say(c.name(operand), " is an operand of ", c.name(f.from_dense(feeds)), " and of ", c.name(id)));
    }
  }

  void check_uses() {
    c.for_each_reachable([&](Operand id, uint32_t dense, const Stmt& stmt) {
      if (stmt.op == Op::upsilon && phi_c_of_[dense] == none)
        c.report(Rule::upsilon_feeds, id, say(c.name(id), " is an operand of no phi_c"));
      if (stmt.op == Op::phi_c || stmt.op == Op::same) return;
      c.for_each_operand(stmt, c.block_of(id), [&](uint32_t, Operand operand) {
        if (is_upsilon(operand))
          c.report(Rule::phi_c_operands, id, say(info(stmt.op).text, " uses the upsilon ", c.name(operand)));
      });
    });
  }

  // ---- slots are written ----

  bool is_of(uint32_t upsilon, BlockId handler) const {
    return phi_c_of_[upsilon] != none && c.block_of_dense[phi_c_of_[upsilon]] == handler;
  }

  /// In the order of the first `enter` without an upsilon.
  void find_unsettled() {
    Csr<uint32_t> enters = Csr<uint32_t>::build(c.block_count, [&](auto&& emit) {
      for (uint32_t number = 0; number < c.block_count; ++number) {
        BlockId b = static_cast<BlockId>(number);
        if (!c.is_reachable(b) || f.op(f.terminator(b)) != Op::enter) continue;
        BlockId handler = flow_->handler_of(b);
        if (!is_none(handler)) emit(index(handler), number);
      }
    });
    std::vector<uint32_t> settled(f.dense_count());  // by phi_c: so many enters, the first ones, have an upsilon
    uint32_t handler_before = none;
    for (uint32_t phi_c : phi_cs_) {
      uint32_t handler = index(c.block_of_dense[phi_c]);
      std::span<const uint32_t> row = enters.row(handler);
      for (size_t i = 0; handler != handler_before && i < row.size(); ++i)
        c.for_each_in(static_cast<BlockId>(row[i]), [&](Operand, uint32_t dense, const Stmt& stmt) {
          if (stmt.op != Op::upsilon || !is_of(dense, static_cast<BlockId>(handler))) return;
          uint32_t& count = settled[phi_c_of_[dense]];
          if (count == i) ++count;
        });
      handler_before = handler;
      if (settled[phi_c] < row.size()) unsettled_.push_back({phi_c, row[settled[phi_c]]});
    }
    auto place = [&](const Unsettled& slot) { return std::pair(slot.enter, c.order_of(slot.phi_c)); };
    std::sort(unsettled_.begin(), unsettled_.end(),
              [&](const Unsettled& a, const Unsettled& b) { return place(a) < place(b); });
  }

  void check_unsettled() {
    SlotPaths paths(c.block_tree());
    std::vector<uint32_t> slot_of(f.dense_count(), none);  // by phi_c: its place in `unsettled_`
    for (uint32_t i = 0; i < unsettled_.size(); ++i) slot_of[unsettled_[i].phi_c] = i;
    auto place = [&](BlockId b, uint32_t dense) { return SlotPaths::Place{paths.block_number(b), c.order_of(dense)}; };
    Csr<SlotPaths::Place> writes = Csr<SlotPaths::Place>::build(unsettled_.size(), [&](auto&& emit) {
      c.for_each_reachable([&](Operand id, uint32_t dense, const Stmt& stmt) {
        if (stmt.op != Op::upsilon || phi_c_of_[dense] == none) return;
        uint32_t slot = slot_of[phi_c_of_[dense]];
        if (slot != none) emit(slot, place(c.block_of(id), dense));
      });
    });
    find_throws(paths);
    std::vector<SlotPaths::Place> written;
    for (uint32_t i = 0; i < unsettled_.size(); ++i) {
      written.assign(writes.row(i).begin(), writes.row(i).end());
      paths.take(written);
      check_slot(paths, unsettled_[i].phi_c);
    }
    report_missing(paths);
  }

  /// By handler, in preorder of the blocks: what may throw there, the first statement of each block. What holds for that one
  /// holds for the others.
  void find_throws(const SlotPaths& paths) {
    BitSet asked(c.block_count);
    for (const Unsettled& slot : unsettled_) asked.set(index(c.block_of_dense[slot.phi_c]));
    std::vector<uint32_t> last(c.block_count, none);  // by handler: where the last one is
    std::vector<uint32_t> handlers;
    std::vector<Throw> found;
    for (uint32_t number = 0; number < paths.block_count(); ++number) {
      BlockId b = paths.block_at(number);
      HandlerFlow::List list = flow_->at_start(b);
      c.for_each_in(b, [&](Operand id, uint32_t dense, const Stmt& stmt) {
        if (stmt.op == Op::leave) list = flow_->pop(list, f.operand_count(stmt));
        if (list == HandlerFlow::empty || (f.traits(id) & throws) == 0) return;
        BlockId handler = flow_->region(list).handler;
        if (is_none(handler) || !asked.test(index(handler)) || last[index(handler)] == number) return;
        last[index(handler)] = number;
        handlers.push_back(index(handler));
        found.push_back({{number, c.order_of(dense)}, id});
      });
    }
    throws_ = Csr<Throw>::from_arrays(c.block_count, handlers, found);
    missing_.assign(found.size(), none);
    next_.resize(found.size() + 1);
    for (uint32_t i = 0; i < next_.size(); ++i) next_[i] = i;
  }

  /// The first throw from here on for which nothing is missing yet: one slot is enough.
  uint32_t next_throw(uint32_t i) {
    while (next_[i] != i) i = next_[i] = next_[next_[i]];
    return i;
  }

  void check_slot(SlotPaths& paths, uint32_t phi_c) {
    BlockId handler = c.block_of_dense[phi_c];
    uint32_t end = throws_.start(index(handler)) + static_cast<uint32_t>(throws_.row(handler).size());
    const std::vector<Throw>& items = throws_.items();
    for (uint32_t i = next_throw(throws_.start(index(handler))); i < end; i = next_throw(i)) {
      SlotPaths::Answer answer = paths.is_written(items[i].place);
      if (answer.written) {
        auto behind = std::partition_point(items.begin() + i, items.begin() + end,
                                           [&](const Throw& t) { return t.place.block < answer.end; });
        i = static_cast<uint32_t>(behind - items.begin());
      } else {
        missing_[i] = phi_c;
        next_[i] = i + 1;
      }
    }
  }

  void report_missing(const SlotPaths& paths) {
    std::vector<uint32_t> found;
    for (uint32_t i = 0; i < missing_.size(); ++i)
      if (missing_[i] != none) found.push_back(i);
    auto place = [&](uint32_t i) {
      SlotPaths::Place at = throws_.items()[i].place;
      return std::pair(index(paths.block_at(at.block)), at.order);
    };
    std::sort(found.begin(), found.end(), [&](uint32_t a, uint32_t b) { return place(a) < place(b); });
    for (uint32_t i : found) {
      const Throw& at = throws_.items()[i];
      c.report(Rule::phi_c_written, at.id, paths.block_at(at.place.block),
               say(info(f.op(at.id)).text, " may throw to ", c.name(c.block_of_dense[missing_[i]]), ", but the slot of ",
                   c.name(f.from_dense(missing_[i])), " is not written on every path to it"));
    }
  }

  VerifyContext& c;
  const Function& f;
  const HandlerFlow* flow_;
  std::vector<uint32_t> phi_c_of_;  ///< by dense id of an upsilon
  std::vector<uint32_t> phi_cs_;    ///< in reachable blocks
  std::vector<Unsettled> unsettled_;
  Csr<Throw> throws_;
  std::vector<uint32_t> missing_;  ///< by throw: a phi_c whose slot may not be written
  std::vector<uint32_t> next_;     ///< by throw: itself while nothing is missing, then one behind it
};

}  // namespace

void check_phi_cs(VerifyContext& c, const HandlerFlow* flow) {
  if (c.present[static_cast<unsigned>(Op::phi_c)] || c.present[static_cast<unsigned>(Op::upsilon)])
    PhiCCheck(c, flow).run();
}

}  // namespace braid::ir
