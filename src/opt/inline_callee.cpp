#include "opt/inline_callee.h"

#include <algorithm>
#include <vector>

namespace braid::opt {

using namespace ir;

namespace {

/// Whether a function may return while it handles an exception. An activation that ends forgets them; the
/// middle of another one does not. Over blocks, one bit each, which only grows.
class ReturnsHandling {
 public:
  explicit ReturnsHandling(const Function& f)
      : f_(f), at_start_(f.block_count(), 0), at_end_(f.block_count(), 0) {}

  bool run() {
    while (!flow_once()) {
    }
    for (uint32_t b = 0; b < f_.block_count(); ++b)
      if (at_end_[b] != 0 && f_.op(f_.terminator(static_cast<BlockId>(b))) == Op::ret) return true;
    return false;
  }

 private:
  /// True if nothing has changed.
  bool flow_once() {
    bool is_stable = true;
    auto raise = [&](uint8_t& bit, bool to) {
      is_stable = is_stable && (bit != 0 || !to);
      bit = static_cast<uint8_t>(bit | to);
    };
    for (uint32_t b = 0; b < f_.block_count(); ++b) {
      const Block& block = f_.block(static_cast<BlockId>(b));
      bool handles = at_start_[b] != 0;
      for (uint32_t i = block.first; i < block.end; ++i)
        if (f_.columns().stmt(i).op == Op::pop_exception)
          handles = handled_at(f_.operand(f_.columns().stmt(i), 0));
      raise(at_end_[b], handles);
      f_.for_each_succ(static_cast<BlockId>(b), [&](EdgeId e) {
        const Edge& edge = f_.edge(e);
        raise(at_start_[index(edge.to)], handles || edge.kind == EdgeKind::exceptional);
      });
    }
    return is_stable;
  }

  /// Whether an exception was being handled when one of the regions that a token may stand for was entered.
  bool handled_at(Operand token) {
    seen_.assign(1, token);
    for (size_t k = 0; k < seen_.size(); ++k) {
      const Operand at = f_.resolve(seen_[k]);
      if (!at.is_stmt()) continue;
      const Stmt& s = f_.stmt(at);
      if (s.op == Op::enter) {
        if (at_end_[index(f_.block_of(at))] != 0) return true;
        continue;
      }
      for (uint32_t word : f_.args(s))
        if (Operand operand = Operand::from_word(word);
            std::find(seen_.begin(), seen_.end(), operand) == seen_.end())
          seen_.push_back(operand);
    }
    return false;
  }

  const Function& f_;
  std::vector<uint8_t> at_start_, at_end_;  ///< by block: an exception may be being handled
  std::vector<Operand> seen_;
};

}  // namespace

Callee look_at_callee(const Function& callee, uint32_t most_statements) {
  Callee found;
  if (callee.is_external() || callee.block_count() == 0 || callee.size() > most_statements || callee.frames != 1 ||
      !callee.is_at_rest())
    return found;
  bool has_handlers = false;
  for (uint32_t i = 0; i < callee.size(); ++i) {
    switch (callee.columns().stmt(i).op) {
      case Op::get:
      case Op::set:
      case Op::is_defined:
      case Op::stack_slot: return found;
      case Op::save_state: found.has_states = true; break;
      case Op::enter: has_handlers = true; break;
      default: break;
    }
  }
  found.can_be_inlined = !has_handlers || !ReturnsHandling(callee).run();
  return found;
}

}  // namespace braid::opt
