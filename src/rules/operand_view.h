// What the views of linear SSA have in common: values are operands, types come from the module.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "ir/function.h"
#include "rules/simplify.h"

namespace braid::rules {

/// A view of operands, but for what depends on where statements stand. `Derived` has
///   op(v), input(v, i), immediate(v), once(v)    as every view
///   type_of(v)                                   the type of an operand
///   place(op, type, words)                       a new statement here, as an operand
template <typename Derived>
class OperandView {
 public:
  using Value = ir::Operand;

  explicit OperandView(ir::Module& module) : module_(module) {}

  Kind kind(Value v) const { return kind_of(self().type_of(v)); }
  Maybe<uint64_t> constant_of(Value v) const {
    if (!v.is_constant()) return std::nullopt;
    return module_.constants.value(v).bits;
  }
  bool same(Value a, Value b) const { return a == b; }
  Value constant(Kind kind, uint64_t bits) { return module_.constants.get(of(kind), bits); }

  Value make(ir::Op op, Kind kind, std::span<const Value> inputs) {
    std::array<Value, 3> kept;  // `inputs` may be gone when rules within rules are done
    std::copy(inputs.begin(), inputs.end(), kept.begin());
    inputs = {kept.data(), inputs.size()};
    if (depth_ < deepest) {
      ++depth_;
      Maybe<Value> simpler = simplify(self(), op, kind, inputs);
      --depth_;
      if (simpler) return *simpler;
    }
    std::array<uint32_t, 3> words;
    for (size_t i = 0; i < inputs.size(); ++i) words[i] = inputs[i].word();
    return self().place(op, type_for(op, kind, inputs), std::span<const uint32_t>(words).first(inputs.size()));
  }

  Kind kind_of(Type type) const {
    if (std::optional<Kind> kind = module_.types.single_kind(type)) return *kind;
    return module_.types.storage(type) == Storage::ref ? Kind::ref : Kind::void_;
  }

 private:
  /// Rules within rules; far more than the longest chain that the rules' tests have met.
  static constexpr int deepest = 24;

  Type type_for(ir::Op op, Kind kind, std::span<const Value> inputs) {
    if (op == ir::Op::select) return module_.types.join(self().type_of(inputs[1]), self().type_of(inputs[2]));
    if (kind != Kind::tuple) return of(kind);
    const Type elements[] = {of(this->kind(inputs[0])), i1};
    return module_.types.tuple(elements);
  }

  Derived& self() { return static_cast<Derived&>(*this); }
  const Derived& self() const { return static_cast<const Derived&>(*this); }

  ir::Module& module_;
  int depth_ = 0;
};

}  // namespace braid::rules
