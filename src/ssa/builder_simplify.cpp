// Simplification while building: the rewrite rules over the function under construction.
#include <braid/builder.h>

#include <array>

#include "rules/operand_view.h"
#include "ssa/builder_impl.h"

namespace braid {

using ir::Op;
using ir::Operand;

/// Nobody knows yet who else will use a value, and a value that waits for its phi is one without inputs.
class Builder::Impl::View : public rules::OperandView<View> {
 public:
  explicit View(Impl& impl) : OperandView(impl.f->module()), impl_(impl), f_(*impl.f) {}

  Op op(Operand v) const { return v.is_stmt() ? f_.op(v) : Op::nothing; }
  Type type_of(Operand v) const { return f_.type_of(v); }
  Operand input(Operand v, uint32_t i) const { return f_.operand(v, i); }
  uint64_t immediate(Operand v) const { return f_.arg(f_.stmt(v), op(v) == Op::extract ? 1 : 2); }
  bool once(Operand) const { return false; }
  Operand place(Op op, Type type, std::span<const uint32_t> words) {
    return f_.append(impl_.at.block, f_.make(op, type, words, impl_.at.loc));
  }

 private:
  Impl& impl_;
  ir::Function& f_;
};

Maybe<Operand> Builder::Impl::simpler(Op op, Type result, std::span<const uint32_t> words) {
  if (!simplifies || !rules::can_simplify(op) || words.size() > 3) return std::nullopt;
  std::array<Operand, 3> inputs;
  size_t count = 0;
  uint64_t immediate = 0;
  for (uint32_t i = 0; i < words.size(); ++i) {
    if (!ir::info(op).is_value(i)) {
      immediate = words[i];
      continue;
    }
    inputs[count] = Operand::from_word(words[i]);
    if (inputs[count].is_undef()) return std::nullopt;
    ++count;
  }
  open();
  View view(*this);
  Maybe<Operand> made =
      rules::simplify(view, op, view.kind_of(result), std::span<const Operand>(inputs).first(count), immediate);
  at.resume();
  return made;
}

void Builder::simplify(bool on) {
  impl_->simplifies = on;
  // Rules look at the types of values, also of phis that have no place yet.
  if (on && !impl_->ssa) impl_->go_on_otherwise();
  // Without a writer every operator takes the way on which the rules are asked.
  ssa::BlockEnd& at = impl_->at;
  at.pause();
  at.is_watched = on;
  if (at.is_open) at.resume();
}

}  // namespace braid
