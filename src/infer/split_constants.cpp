#include "infer/split_constants.h"

#include "ir/bits.h"
#include "ir/transfer.h"
#include "type/type_text.h"

namespace braid::infer {

using ir::Operand;
using ir::TypeRule;

namespace {

Type parameter(const ir::Signature& signature, uint32_t i) {
  return i < signature.params.size() ? signature.params[i] : none;
}

/// What the text shows behind the op: the type of the result, or of another operand.
Type shown_type(const ir::Function& f, Operand id, const ir::Stmt& s, uint32_t i) {
  const ir::OpInfo& op = ir::info(s.op);
  if (op.shown == ir::TypeShown::result) return f.type(id);
  if (op.rule == TypeRule::float_to_int) return f64;
  if (op.shown != ir::TypeShown::operand) return none;
  for (uint32_t k = 0; k < f.operand_count(s); ++k)
    if (k != i && op.is_value(k) && !f.operand(s, k).is_constant()) return f.type_of(f.operand(s, k));
  // Constants alone: one that has a type.
  for (uint32_t k = 0; k < f.operand_count(s); ++k)
    if (k != i && op.is_value(k) && f.operand(s, k).is_constant())
      if (const Type type = f.module().constants.value(f.operand(s, k)).type; type != i64) return type;
  return op.rule == TypeRule::float_compare ? f64 : none;
}

class Splitting {
 public:
  explicit Splitting(ir::Function& f) : f_(f), table_(f.module().types) {}

  SplitConstants run() {
    for (uint32_t d = 0; d < f_.dense_count(); ++d) {
      const Operand id = f_.from_dense(d);
      const ir::OpInfo& op = ir::info(f_.op(id));
      for (uint32_t i = 0; i < f_.operand_count(f_.stmt(id)); ++i)
        if (op.is_value(i)) look_at(id, i);
    }
    return std::move(out_);
  }

 private:
  void look_at(Operand id, uint32_t i) {
    const Operand operand = f_.operand(id, i);
    if (!operand.is_constant()) return;
    const ir::Constant constant = f_.module().constants.value(operand);
    if (constant.type != i64) return;
    const Type needed = needed_type(f_, id, i);
    const KindSet kinds = table_.kinds(needed);
    if (kinds == 0 || (kinds & i64.bits) != 0) return;
    const Operand split = constant_as(f_.module(), constant.bits, needed);
    if (split.is_undef()) {
      out_.conflicts.push_back({"operand-type", f_.id(), f_.block_of(id), id,
                                "the constant " + std::to_string(static_cast<int64_t>(constant.bits)) +
                                    " is used as a value of type " + to_string(table_, needed)});
      return;
    }
    f_.set_operand(id, i, split);
    ++out_.operands;
  }

  ir::Function& f_;
  TypeTable& table_;
  SplitConstants out_;
};

}  // namespace

SplitConstants split_constants(ir::Function& f) { return Splitting(f).run(); }

Type needed_type(const ir::Function& f, Operand id, uint32_t i) {
  const ir::Stmt& s = f.stmt(id);
  switch (ir::info(s.op).rule) {
    case TypeRule::call: return parameter(f.module().function(static_cast<ir::FuncId>(f.arg(s, 0))).signature(), i - 1);
    case TypeRule::ret: return f.result_type();
    case TypeRule::set: return f.variables[static_cast<ir::VarId>(f.arg(s, 0))].type;
    case TypeRule::phi:
    case TypeRule::pi:
    case TypeRule::upsilon: return f.type(id);
    default: break;
  }
  return ir::literal_type(f, s.op, shown_type(f, id, s, i), f.args(s), i);
}

Operand constant_as(ir::Module& module, uint64_t bits, Type type) {
  constexpr KindSet references = (ref | object_type | array_type | string_type | null_type).bits;
  const KindSet kinds = module.types.kinds(type);
  if ((kinds & references) != 0) {
    const Type null = (kinds & null_type.bits) != 0 ? null_type : ref;
    return bits == 0 && (kinds & null.bits) != 0 ? module.constants.get(null, 0) : Operand::undef();
  }
  const std::optional<Kind> kind = module.types.single_kind(Type{kinds});
  if (!kind) return Operand::undef();
  return module.constants.get(of(*kind), ir::canonical(*kind, bits));
}

}  // namespace braid::infer
