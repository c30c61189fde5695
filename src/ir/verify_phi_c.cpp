// Rules of phi_c and upsilon: places, operands, and that every slot is written before it can be read.
//
// A slot is settled if the block of each `enter` of its handler holds an upsilon for it: that is where constructors put
// them. For the slots that are not, a forward data flow of 64 slots at a time finds what was written on all paths, and
// every statement that may throw is checked. O(statements + edges), for every 64 slots that are not settled again.
#include "ir/verify_phi_c.h"

#include <bit>
#include <vector>

#include "flow/orders.h"

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
    for (size_t first = 0; first < unsettled_.size() && !c.full(); first += slots_at_once) check_slots(first);
  }

 private:
  static constexpr uint32_t none = 0xffffffffu;
  static constexpr size_t slots_at_once = 64;

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

  void find_unsettled() {
    std::vector<uint32_t> written_in(f.dense_count(), none);  // by phi_c: the last block seen that writes it
    BitSet unsettled(f.dense_count());
    std::vector<std::vector<uint32_t>> by_handler(c.block_count);
    for (uint32_t phi_c : phi_cs_) by_handler[index(c.block_of_dense[phi_c])].push_back(phi_c);
    for (uint32_t number = 0; number < c.block_count; ++number) {
      BlockId b = static_cast<BlockId>(number);
      if (!c.is_reachable(b) || f.op(f.terminator(b)) != Op::enter) continue;
      BlockId handler = flow_->handler_of(b);
      if (is_none(handler) || by_handler[index(handler)].empty()) continue;
      c.for_each_in(b, [&](Operand, uint32_t dense, const Stmt& stmt) {
        if (stmt.op == Op::upsilon && phi_c_of_[dense] != none) written_in[phi_c_of_[dense]] = number;
      });
      for (uint32_t phi_c : by_handler[index(handler)])
        if (written_in[phi_c] != number && unsettled.insert(phi_c)) unsettled_.push_back(phi_c);
    }
  }

  void check_slots(size_t first) {
    size_t count = std::min(slots_at_once, unsettled_.size() - first);
    bit_of_.resize(f.dense_count());
    needed_.assign(c.block_count, 0);
    for (size_t i = 0; i < count; ++i) {
      uint32_t phi_c = unsettled_[first + i];
      bit_of_[phi_c] = uint64_t{1} << i;
      needed_[index(c.block_of_dense[phi_c])] |= uint64_t{1} << i;
    }
    flow_written();
    for (uint32_t b = 0; b < c.block_count; ++b)
      if (c.is_reachable(static_cast<BlockId>(b))) check_block(static_cast<BlockId>(b), first);
    for (size_t i = 0; i < count; ++i) bit_of_[unsettled_[first + i]] = 0;
  }

  uint64_t slot_of(uint32_t upsilon) const { return phi_c_of_[upsilon] == none ? 0 : bit_of_[phi_c_of_[upsilon]]; }

  /// What is written on all paths to the start of each block.
  void flow_written() {
    std::vector<uint64_t> writes(c.block_count, 0);
    c.for_each_reachable([&](Operand id, uint32_t dense, const Stmt& stmt) {
      if (stmt.op == Op::upsilon) writes[index(c.block_of(id))] |= slot_of(dense);
    });
    written_.assign(c.block_count, ~uint64_t{0});
    written_[index(Function::entry())] = 0;
    std::vector<flow::Node> work = flow::post_order(c.block_tree().graph());
    BitSet waiting(c.block_count);
    for (flow::Node n : work) waiting.set(index(n));
    while (!work.empty()) {
      flow::Node n = work.back();
      work.pop_back();
      waiting.reset(index(n));
      uint64_t out = written_[index(n)] | writes[index(n)];
      for (flow::Node to : c.block_tree().graph().successors.row(n)) {
        uint64_t& in = written_[index(to)];
        if ((in & ~out) == 0) continue;
        in &= out;
        if (waiting.insert(index(to))) work.push_back(to);
      }
    }
  }

  void check_block(BlockId b, size_t first) {
    HandlerFlow::List list = flow_->at_start(b);
    uint64_t written = written_[index(b)];
    c.for_each_in(b, [&](Operand id, uint32_t dense, const Stmt& stmt) {
      if (stmt.op == Op::upsilon) written |= slot_of(dense);
      if (stmt.op == Op::leave) list = flow_->pop(list, f.operand_count(stmt));
      if ((f.traits(id) & throws) == 0) return;
      BlockId handler = flow_->region(list).handler;
      if (is_none(handler)) return;
      uint64_t missing = needed_[index(handler)] & ~written;
      if (missing == 0) return;
      Operand phi_c = f.from_dense(unsettled_[first + static_cast<size_t>(std::countr_zero(missing))]);
      c.report(Rule::phi_c_written, id, b,
               say(info(stmt.op).text, " may throw to ", c.name(handler), ", but the slot of ", c.name(phi_c),
                   " is not written on every path to it"));
      written |= missing;  // one report per block is enough
    });
  }

  VerifyContext& c;
  const Function& f;
  const HandlerFlow* flow_;
  std::vector<uint32_t> phi_c_of_;  ///< by dense id of an upsilon
  std::vector<uint32_t> phi_cs_;    ///< in reachable blocks
  std::vector<uint32_t> unsettled_;
  std::vector<uint64_t> bit_of_, needed_, written_;
};

}  // namespace

void check_phi_cs(VerifyContext& c, const HandlerFlow* flow) {
  if (c.present[static_cast<unsigned>(Op::phi_c)] || c.present[static_cast<unsigned>(Op::upsilon)])
    PhiCCheck(c, flow).run();
}

}  // namespace braid::ir
