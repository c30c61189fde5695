#include "ssa/promote.h"

#include <optional>
#include <string>
#include <vector>

#include "ir/compact.h"
#include "ssa/tracks.h"

namespace braid::ssa {

using ir::Op;
using ir::Operand;
using ir::Ref;

namespace {

/// Bytes of a kind that memory holds; 0 for others.
uint32_t bytes_of(Storage storage) {
  switch (storage) {
    case Storage::i1:
    case Storage::i8: return 1;
    case Storage::i16: return 2;
    case Storage::i32:
    case Storage::f32: return 4;
    case Storage::i64:
    case Storage::f64:
    case Storage::ptr: return 8;
    default: return 0;
  }
}

class Promotion {
 public:
  explicit Promotion(ir::Function& f) : f_(f), slot_at_(f.size(), no_slot) {
    for (uint32_t i = 0; i < f.size(); ++i)
      if (f.op(static_cast<Ref>(i)) == Op::stack_slot) {
        slot_at_[i] = static_cast<uint32_t>(slots_.size());
        slots_.push_back({static_cast<Ref>(i)});
      }
  }

  uint32_t run() {
    if (slots_.empty()) return 0;
    for (uint32_t i = 0; i < f_.size(); ++i) look_at(static_cast<Ref>(i));
    uint32_t promoted = 0;
    for (Slot& slot : slots_) {
      if (slot.escapes || !slot.storage) continue;
      slot.zero = zero_of(f_, *slot.storage);
      std::string name = "slot" + std::to_string(promoted++);
      slot.variable =
          f_.variables.push({f_.module().symbol(name), f_.type_of(slot.zero), ir::UndefMeaning::zero});
    }
    if (promoted == 0) return 0;
    // What is inserted waits in the buffer, so that positions hold.
    for (uint32_t i = 0, end = f_.size(); i < end; ++i) rewrite(static_cast<Ref>(i));
    return promoted;
  }

 private:
  static constexpr uint32_t no_slot = 0xffffffffu;
  struct Slot {
    Ref place;
    std::optional<Type> storage = std::nullopt;  ///< the type of the first access
    bool escapes = false;
    Operand zero = {};
    ir::VarId variable = none_id<ir::VarId>;
  };

  Slot* slot_of(Operand value) {
    if (!value.is_stmt() || slot_at_[value.number()] == no_slot) return nullptr;
    return &slots_[slot_at_[value.number()]];
  }

  void look_at(Ref r) {
    const ir::Stmt& s = f_.stmt(r);
    std::span<const uint32_t> words = f_.args(s);
    for (uint32_t i = 0; i < words.size(); ++i) {
      if (!ir::info(s.op).is_value(i)) continue;
      Slot* slot = slot_of(f_.resolve(Operand::from_word(words[i])));
      if (slot == nullptr) continue;
      if (s.op == Op::load)
        access(*slot, f_.type(r));
      else if (s.op == Op::store && i == 1)
        access(*slot, f_.type_of(f_.resolve(f_.operand(r, 0))));
      else
        slot->escapes = true;
    }
  }

  void access(Slot& slot, Type type) {
    Storage storage = f_.module().types.storage(type);
    uint32_t bytes = bytes_of(storage);
    if (bytes == 0 || bytes > f_.arg(f_.stmt(slot.place), 0)) slot.escapes = true;
    if (slot.storage && f_.module().types.storage(*slot.storage) != storage) slot.escapes = true;
    if (!slot.storage) slot.storage = type;
  }

  void rewrite(Ref r) {
    Op op = f_.op(r);
    Slot* slot = nullptr;
    if (op == Op::stack_slot)
      slot = slot_of(r);
    else if (op == Op::load || op == Op::store)
      slot = slot_of(f_.resolve(f_.operand(r, op == Op::store)));
    if (slot == nullptr || is_none(slot->variable)) return;
    if (op == Op::load)
      read(r, *slot);
    else
      assign(r, *slot, op == Op::store ? f_.operand(r, 0) : slot->zero);
  }

  void assign(Ref r, const Slot& slot, Operand value) {
    uint32_t words[] = {index(slot.variable), value.word()};
    f_.overwrite(r, f_.make(Op::set, void_type, words, f_.loc(r)));
  }

  /// A load of a narrower type knows more of the value than the variable: that is a pi.
  void read(Ref r, const Slot& slot) {
    uint32_t words[] = {index(slot.variable)};
    Type type = f_.type_of(slot.zero);
    ir::Inst get = f_.make(Op::get, type, words, f_.loc(r));
    if (f_.type(r) == type)
      f_.overwrite(r, get);
    else
      f_.overwrite(r, f_.make(Op::pi, f_.type(r), {f_.insert(ir::Function::before(r), get)}, f_.loc(r)));
  }

  ir::Function& f_;
  std::vector<uint32_t> slot_at_;  ///< by position: number in slots_
  std::vector<Slot> slots_;
};

}  // namespace

uint32_t promote(ir::Function& f) {
  ir::Analyses analyses(f);
  return promote(f, analyses);
}

uint32_t promote(ir::Function& f, ir::Analyses& analyses) {
  if (!f.is_at_rest()) analyses.keep(ir::compact(f));
  if (f.pending_count() != 0) return 0;
  uint32_t promoted = Promotion(f).run();
  if (promoted == 0) return 0;
  analyses.keep(ir::Analysis::graph);
  analyses.keep(ir::compact(f));
  return promoted;
}

}  // namespace braid::ssa
