// Arithmetic, comparisons and conversions.
#include <bit>

#include "interp/emitter.h"

namespace braid::interp {

using ir::Op;
using ir::TypeRule;

namespace {

/// A true i1 is -1 as a signed number: the order is that of unsigned numbers turned round.
Op for_i1(Op op) {
  switch (op) {
    case Op::slt: return Op::ugt;
    case Op::sle: return Op::uge;
    case Op::sgt: return Op::ult;
    case Op::sge: return Op::ule;
    default: return op;
  }
}

const OpcodeTable::CompareForms& int_compare(Op op) { return opcode_table.int_compare[static_cast<unsigned>(op)]; }

constexpr Type scalar_type(Storage storage) {
  constexpr Type types[] = {void_type, i1, i8, i16, i32, i64, f32, f64, ptr, ref};
  return storage <= Storage::ref ? types[static_cast<unsigned>(storage)] : none;
}

}  // namespace

void Emitter::emit_int_binary(Operand id, const Stmt& s) {
  Operand left = f_.operand(s, 0), right = f_.operand(s, 1);
  if (resolve(left).is_constant() && ir::has(s.op, ir::commutes)) std::swap(left, right);
  Storage storage = storage_of(left);
  std::optional<unsigned> width = width_index(storage);
  if (!width) {
    use(left);
    return trap("an integer operation on something else");
  }
  const OpcodeTable::Forms& forms = opcode_table.by_width[static_cast<unsigned>(s.op)][*width];
  uint32_t a = use(left);
  int32_t immediate = 0;
  Type natural = scalar_type(storage);
  if (ir::info(s.op).rule == TypeRule::overflow) {
    Type elements[] = {natural, i1};
    natural = f_.module().types.tuple(elements);
  }
  if (as_immediate(right, immediate)) {
    Result result = result_for(id, natural);
    const bool is_power = immediate > 1 && std::has_single_bit(static_cast<uint32_t>(immediate)) && storage != Storage::i1;
    if (is_power && (s.op == Op::sdiv || s.op == Op::srem))
      emit(s.op == Op::sdiv ? Opcode::sdiv_power : Opcode::srem_power, result.first, a,
           static_cast<uint32_t>(std::countr_zero(static_cast<uint32_t>(immediate))));
    else
      emit(forms.immediate, result.first, a, static_cast<uint32_t>(immediate), analysis_.is_for_next(f_.dense(id)));
    return finish(id, result);
  }
  uint32_t b = use(right);
  Result result = result_for(id, natural);
  emit(forms.plain, result.first, a, b, analysis_.is_for_next(f_.dense(id)));
  finish(id, result);
}

void Emitter::emit_unary(Operand id, Opcode op, const Stmt& s, Type natural) {
  uint32_t a = use(f_.operand(s, 0));
  if (op == OpcodeTable::absent) return trap("an operation on a value of the wrong kind");
  Result result = result_for(id, natural);
  emit(op, result.first, a);
  finish(id, result);
}

Emitter::IntCompare Emitter::int_compare_of(const Stmt& s) {
  Operand left = f_.operand(s, 0), right = f_.operand(s, 1);
  Op op = storage_of(left) == Storage::i1 ? for_i1(s.op) : s.op;
  if (resolve(left).is_constant()) {
    std::swap(left, right);
    op = ir::swapped_comparison(op);
  }
  uint32_t a = use(left);
  int32_t immediate = 0;
  if (as_immediate(right, immediate)) return {op, a, static_cast<uint32_t>(immediate), true};
  return {op, a, use(right), false};
}

void Emitter::emit_compare(Operand id, const Stmt& s) {
  Result result = result_for(id, i1);
  if (ir::info(s.op).rule == TypeRule::float_compare) {
    Operand left = f_.operand(s, 0);
    uint32_t a = use(left), b = use(f_.operand(s, 1));
    std::optional<unsigned> number = float_index(storage_of(left));
    if (!number) return trap("a float comparison of something else");
    emit(opcode_table.float_compare[static_cast<unsigned>(s.op)][*number].plain, result.first, a, b);
    return finish(id, result);
  }
  const IntCompare compare = int_compare_of(s);
  const OpcodeTable::CompareForms& forms = int_compare(compare.op);
  emit(compare.has_immediate ? forms.immediate : forms.plain, result.first, compare.a, compare.b);
  finish(id, result);
}

Emitter::Condition Emitter::compare_condition(Operand id) {
  const Stmt& s = f_.stmt(id);
  if (ir::info(s.op).rule == TypeRule::float_compare) {
    Operand left = f_.operand(s, 0);
    uint32_t a = use(left), b = use(f_.operand(s, 1));
    std::optional<unsigned> number = float_index(storage_of(left));
    if (!number) {
      trap("a float comparison of something else");
      return {Opcode::branch_true, Opcode::branch_false, a};
    }
    const auto& forms = opcode_table.float_compare[static_cast<unsigned>(s.op)][*number];
    return {forms.branch, forms.branch_not, a, b};
  }
  const IntCompare compare = int_compare_of(s);
  const OpcodeTable::CompareForms& forms = int_compare(compare.op);
  const OpcodeTable::CompareForms& others = int_compare(*ir::opposite_comparison(compare.op));
  if (compare.has_immediate)
    return {forms.branch_immediate, others.branch_immediate, compare.a, compare.b,
            forms.add_branch_immediate, others.add_branch_immediate};
  return {forms.branch, others.branch, compare.a, compare.b, forms.add_branch, others.add_branch};
}

void Emitter::emit_convert(Operand id, const Stmt& s) {
  if (!analysis_.owns_registers(f_.dense(id))) {
    use(f_.operand(s, 0));
    return;
  }
  unsigned number = static_cast<unsigned>(s.op);
  Storage from = storage_of(f_.operand(s, 0)), to = layouts_.of(f_.type(id)).storage;
  std::optional<unsigned> from_width = width_index(from), to_width = width_index(to);
  std::optional<unsigned> from_float = float_index(from), to_float = float_index(to);
  Opcode op = OpcodeTable::absent;
  switch (ir::info(s.op).rule) {
    case TypeRule::int_narrow:
      if (to_width) op = opcode_table.by_width[number][*to_width].plain;
      break;
    case TypeRule::int_extend:
      if (from_width) op = opcode_table.by_width[number][*from_width].plain;
      break;
    case TypeRule::int_to_float:
      if (from_width && to_float) op = opcode_table.by_float_and_width[number][*to_float][*from_width];
      break;
    case TypeRule::float_to_int:
      if (from_float && to_width) op = opcode_table.by_float_and_width[number][*from_float][*to_width];
      break;
    case TypeRule::float_extend: op = Opcode::fpext; break;
    case TypeRule::float_narrow: op = Opcode::fptrunc; break;
    case TypeRule::bitcast:
      if (from == to) op = Opcode::move;
      else if (from == Storage::i32) op = Opcode::low_half;
      else op = opcode_table.by_width[static_cast<unsigned>(Op::trunc)][*width_index(Storage::i32)].plain;
      break;
    default: break;
  }
  emit_unary(id, op, s, f_.type(id));
}

bool Emitter::emit_arithmetic(Operand id, const Stmt& s) {
  unsigned number = static_cast<unsigned>(s.op);
  switch (ir::info(s.op).rule) {
    case TypeRule::int_binary:
    case TypeRule::overflow: emit_int_binary(id, s); break;
    case TypeRule::int_unary: {
      std::optional<unsigned> width = width_index(storage_of(f_.operand(s, 0)));
      Opcode op = width ? opcode_table.by_width[number][*width].plain : OpcodeTable::absent;
      emit_unary(id, op, s, scalar_type(storage_of(f_.operand(s, 0))));
      break;
    }
    case TypeRule::float_unary: {
      std::optional<unsigned> kind = float_index(storage_of(f_.operand(s, 0)));
      emit_unary(id, kind ? opcode_table.by_float[number][*kind] : OpcodeTable::absent, s,
                 scalar_type(storage_of(f_.operand(s, 0))));
      break;
    }
    case TypeRule::float_binary: {
      Storage storage = storage_of(f_.operand(s, 0));
      uint32_t a = use(f_.operand(s, 0)), b = use(f_.operand(s, 1));
      std::optional<unsigned> kind = float_index(storage);
      if (!kind) {
        trap("a float operation on something else");
        break;
      }
      Result result = result_for(id, scalar_type(storage));
      emit(opcode_table.by_float[number][*kind], result.first, a, b);
      finish(id, result);
      break;
    }
    case TypeRule::equality:
    case TypeRule::signed_compare:
    case TypeRule::unsigned_compare:
    case TypeRule::float_compare: emit_compare(id, s); break;
    case TypeRule::int_narrow:
    case TypeRule::int_extend:
    case TypeRule::int_to_float:
    case TypeRule::float_to_int:
    case TypeRule::float_extend:
    case TypeRule::float_narrow:
    case TypeRule::bitcast:
    case TypeRule::ptr_to_int:
    case TypeRule::int_to_ptr: emit_convert(id, s); break;
    default: return false;
  }
  return true;
}

}  // namespace braid::interp
