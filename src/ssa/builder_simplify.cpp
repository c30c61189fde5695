// Simplification while building: the rewrite rules over the function under construction.
#include <braid/builder.h>

#include <algorithm>
#include <array>
#include <optional>

#include "rules/simplify.h"
#include "ssa/builder_impl.h"

namespace braid {

using ir::Op;
using ir::Operand;

namespace {

/// Rules within rules; far more than the longest chain that the rules' tests have met.
constexpr int deepest = 24;

}  // namespace

/// Nobody knows yet who else will use a value, and a value that waits for its phi is one without inputs.
class Builder::Impl::View {
 public:
  using Value = Operand;
  static constexpr bool may_grow = false;

  explicit View(Impl& impl) : impl_(impl), f_(*impl.f) {}

  Op op(Operand v) const { return v.is_stmt() ? f_.op(v) : Op::nothing; }
  Kind kind(Operand v) const { return kind_of(f_.type_of(v)); }
  Operand input(Operand v, uint32_t i) const { return f_.operand(v, i); }
  uint64_t immediate(Operand v) const { return f_.arg(f_.stmt(v), op(v) == Op::extract ? 1 : 2); }
  std::optional<uint64_t> constant_of(Operand v) const {
    if (!v.is_constant()) return std::nullopt;
    return f_.module().constants.value(v).bits;
  }
  bool same(Operand a, Operand b) const { return a == b; }
  bool once(Operand) const { return false; }
  Operand constant(Kind kind, uint64_t bits) { return f_.module().constants.get(of(kind), bits); }
  Operand make(Op op, Kind kind, std::span<const Operand> inputs) {
    std::array<Operand, 3> kept;  // `inputs` may be gone when rules within rules are done
    std::copy(inputs.begin(), inputs.end(), kept.begin());
    inputs = {kept.data(), inputs.size()};
    if (depth_ < deepest) {
      ++depth_;
      std::optional<Operand> simpler = rules::simplify(*this, op, kind, inputs);
      --depth_;
      if (simpler) return *simpler;
    }
    std::array<uint32_t, 3> words;
    for (size_t i = 0; i < inputs.size(); ++i) words[i] = inputs[i].word();
    ir::Inst inst = f_.make(op, type_for(op, kind, inputs),
                            std::span<const uint32_t>(words).first(inputs.size()), impl_.at.loc);
    return f_.append(impl_.at.block, inst);
  }

  Kind kind_of(Type type) const {
    const TypeTable& types = f_.module().types;
    if (std::optional<Kind> kind = types.single_kind(type)) return *kind;
    return types.storage(type) == Storage::ref ? Kind::ref : Kind::void_;
  }

 private:
  Type type_for(Op op, Kind kind, std::span<const Operand> inputs) const {
    TypeTable& types = f_.module().types;
    if (op == Op::select) return types.join(f_.type_of(inputs[1]), f_.type_of(inputs[2]));
    if (kind != Kind::tuple) return of(kind);
    const Type elements[] = {of(this->kind(inputs[0])), i1};
    return types.tuple(elements);
  }

  Impl& impl_;
  ir::Function& f_;
  int depth_ = 0;
};

std::optional<Operand> Builder::Impl::simpler(Op op, Type result, std::span<const uint32_t> words) {
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
  std::optional<Operand> made = rules::simplify(view, op, view.kind_of(result),
                                                std::span<const Operand>(inputs).first(count), immediate);
  at.resume();
  return made;
}

void Builder::simplify(bool on) {
  // Without heads every operator takes the way on which the rules are asked.
  static constexpr std::array<uint32_t, 32> none{};
  impl_->simplifies = on;
  // Rules look at the types of values, also of phis that have no place yet.
  if (on && !impl_->ssa) impl_->go_on_otherwise();
  writer_.heads = on ? none.data() : Impl::operator_heads();
}

}  // namespace braid
