// Arithmetic, casts and comparisons of pandasm. Its integers wrap, its shifts mask their counts, and its floats
// saturate when they become integers, as those of the IR do; only a division by zero is checked.
#include "front/pandasm/translate_function.h"

namespace braid::pandasm {

using ir::Op;
using ir::Operand;

namespace {

/// What a family of instructions computes.
struct Binary {
  Op op = Op::nothing;
  braid::Type type = none;
  bool divides = false;
};

Binary binary_of(Opcode opcode) {
  switch (opcode) {
#define BINARY(name, op, divides)                               \
  case Opcode::name##2: case Opcode::name##2v: return {op, i32, divides}; \
  case Opcode::name##2_64: case Opcode::name##2v_64: return {op, i64, divides};
#define INTEGER(name, op, divides)                              \
  BINARY(name, op, divides)                                     \
  case Opcode::name##_: case Opcode::name##v: case Opcode::name##i: case Opcode::name##iv: return {op, i32, divides};
#define FLOAT(name, op)                                         \
  case Opcode::name##2: case Opcode::name##2v: return {op, f32, false}; \
  case Opcode::name##2_64: case Opcode::name##2v_64: return {op, f64, false};
    INTEGER(add, Op::add, false)
    INTEGER(sub, Op::sub, false)
    INTEGER(mul, Op::mul, false)
    INTEGER(and, Op::and_, false)
    INTEGER(or, Op::or_, false)
    INTEGER(xor, Op::xor_, false)
    INTEGER(shl, Op::shl, false)
    INTEGER(shr, Op::lshr, false)
    INTEGER(ashr, Op::ashr, false)
    INTEGER(div, Op::sdiv, true)
    INTEGER(mod, Op::srem, true)
    BINARY(divu, Op::udiv, true)
    BINARY(modu, Op::urem, true)
    FLOAT(fadd, Op::fadd)
    FLOAT(fsub, Op::fsub)
    FLOAT(fmul, Op::fmul)
    FLOAT(fdiv, Op::fdiv)
    FLOAT(fmod, Op::frem)
#undef FLOAT
#undef INTEGER
#undef BINARY
    case Opcode::inci: return {Op::add, i32, false};
    default: return {};
  }
}

/// A cast: an extension of what was cut off first, where the target is narrower than a register.
struct Cast {
  Op op = Op::nothing;
  braid::Type to = none;
  braid::Type through = none;
};

Cast cast_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::i32_to_f32: case Opcode::i64_to_f32: return {Op::sitofp, f32};
    case Opcode::i32_to_f64: case Opcode::i64_to_f64: return {Op::sitofp, f64};
    case Opcode::u32_to_f32: case Opcode::u64_to_f32: return {Op::uitofp, f32};
    case Opcode::u32_to_f64: case Opcode::u64_to_f64: return {Op::uitofp, f64};
    case Opcode::f32_to_i32: case Opcode::f64_to_i32: return {Op::fptosi, i32};
    case Opcode::f32_to_i64: case Opcode::f64_to_i64: return {Op::fptosi, i64};
    case Opcode::f32_to_u32: case Opcode::f64_to_u32: return {Op::fptoui, i32};
    case Opcode::f32_to_u64: case Opcode::f64_to_u64: return {Op::fptoui, i64};
    case Opcode::f32_to_f64: return {Op::fpext, f64};
    case Opcode::f64_to_f32: return {Op::fptrunc, f32};
    case Opcode::i32_to_u1: case Opcode::u32_to_u1: case Opcode::i64_to_u1: case Opcode::u64_to_u1: return {Op::zext, i32, i1};
    case Opcode::i32_to_i64: return {Op::sext, i64};
    case Opcode::u32_to_i64: return {Op::zext, i64};
    case Opcode::i32_to_i16: case Opcode::u32_to_i16: return {Op::sext, i32, i16};
    case Opcode::i32_to_u16: case Opcode::u32_to_u16: return {Op::zext, i32, i16};
    case Opcode::i32_to_i8: case Opcode::u32_to_i8: return {Op::sext, i32, i8};
    case Opcode::i32_to_u8: case Opcode::u32_to_u8: return {Op::zext, i32, i8};
    case Opcode::i64_to_i32: case Opcode::u64_to_i32: case Opcode::u64_to_u32: return {Op::trunc, i32};
    default: return {};
  }
}

}  // namespace

/// The first operand is the accumulator if the instruction reads it, the second one a register or a constant.
void FunctionTranslator::binary(const Instruction& instruction, Op op, braid::Type type, bool divides) {
  const OpcodeInfo& about = info(instruction.opcode);
  Operand operands[2];
  uint32_t count = 0, next = 0, to = acc();
  if (about.acc_in != '-') operands[count++] = read_acc();
  for (uint32_t i = 0; i < about.operand_count(); ++i) {
    switch (about.what(i)) {
      case 'D': to = instruction.registers[next++]; break;
      case 'S': operands[count++] = read(instruction.registers[next++]); break;
      case 'X':
        to = instruction.registers[next++];
        operands[count++] = read(to);
        break;
      default: operands[count++] = emitter_->constant(type, static_cast<int64_t>(instruction.immediate)); break;
    }
  }
  if (divides) operands[1] = emit(Op::check_zero, type, {operands[1]});
  emitter_->write(to, type, emit(op, type, {operands[0], operands[1]}));
}

bool FunctionTranslator::arithmetic(const Instruction& instruction) {
  if (const Binary found = binary_of(instruction.opcode); found.op != Op::nothing) {
    binary(instruction, found.op, found.type, found.divides);
    return true;
  }
  auto unary = [&](Op op, braid::Type type) {
    write_acc(type, emit(op, type, {read_acc()}));
    return true;
  };
  switch (instruction.opcode) {
    case Opcode::neg: return unary(Op::neg, i32);
    case Opcode::neg_64: return unary(Op::neg, i64);
    case Opcode::not_: return unary(Op::not_, i32);
    case Opcode::not_64: return unary(Op::not_, i64);
    case Opcode::fneg: return unary(Op::fneg, f32);
    case Opcode::fneg_64: return unary(Op::fneg, f64);
    default: return cast(instruction) || comparison(instruction);
  }
}

bool FunctionTranslator::cast(const Instruction& instruction) {
  const Cast cast = cast_of(instruction.opcode);
  if (cast.op == Op::nothing) return false;
  Operand value = read_acc();
  const braid::Type from = emitter_->type(acc());
  if (cast.through == i1)
    value = emit(Op::ne, i1, {value, emitter_->constant(from, 0)});
  else if (cast.through != none)
    value = emit(Op::trunc, cast.through, {value});
  write_acc(cast.to, emit(cast.op, cast.to, {value}));
  return true;
}

/// -1, 0 or 1. What is neither less nor greater is equal, so that both are asked for numbers without NaN.
Operand FunctionTranslator::three_way(Op less, Op greater, Operand a, Operand b) {
  const Operand is_greater = emit(Op::zext, i32, {emit(greater, i1, {a, b})});
  return emit(Op::select, i32, {emit(less, i1, {a, b}), emitter_->constant(i32, -1), is_greater});
}

bool FunctionTranslator::comparison(const Instruction& instruction) {
  Op op = Op::nothing;
  switch (instruction.opcode) {
    case Opcode::cmp_64: op = Op::slt; break;
    case Opcode::ucmp: case Opcode::ucmp_64: op = Op::ult; break;
    case Opcode::fcmpl: case Opcode::fcmpl_64: op = Op::fgt; break;
    case Opcode::fcmpg: case Opcode::fcmpg_64: op = Op::flt; break;
    default: return false;
  }
  const Operand a = read_acc(), b = read(instruction.registers[0]);
  compared_ = {emitter_->pc(), op, a, b, emitter_->function().size(), 0};
  if (op == Op::slt || op == Op::ult) {
    write_acc(i32, three_way(op, op == Op::slt ? Op::sgt : Op::ugt, a, b));
    compared_.end = emitter_->function().size();
    return true;
  }
  // With a NaN neither test holds, and the answer is that of the third way: 1 for fcmpg, -1 for fcmpl.
  const int tested = op == Op::flt ? -1 : 1;
  const Operand equal = emit(Op::feq, i1, {a, b});
  const Operand otherwise = emit(Op::select, i32, {equal, emitter_->constant(i32, 0), emitter_->constant(i32, -tested)});
  write_acc(i32, emit(Op::select, i32, {emit(op, i1, {a, b}), emitter_->constant(i32, tested), otherwise}));
  compared_.end = emitter_->function().size();
  return true;
}

void FunctionTranslator::jump_on_sign(Op op) {
  const Operand sign = read_acc();
  // The comparison stands right before, in the same block: otherwise the accumulator would have been read from its
  // variable.
  const bool is_compared = compared_.pc != bytecode::no_pc && compared_.pc + 1 == emitter_->pc() &&
                           compared_.end == emitter_->function().size();
  if (!is_compared || emitter_->is_live_at_end(acc())) return jump_if(op, sign, emitter_->constant(i32, 0));
  ir::Function& f = emitter_->function();
  for (uint32_t i = compared_.first; i < compared_.end; ++i) f.erase(static_cast<ir::Ref>(i));
  struct Way {
    Op sign, with_slt, with_ult, with_flt, with_fgt;
    bool not_flt, not_fgt;  ///< a NaN goes the other way
  };
  constexpr Way ways[] = {
      {Op::eq, Op::eq, Op::eq, Op::feq, Op::feq, false, false},    {Op::ne, Op::ne, Op::ne, Op::fne, Op::fne, false, false},
      {Op::slt, Op::slt, Op::ult, Op::flt, Op::fge, false, true},  {Op::sgt, Op::sgt, Op::ugt, Op::fle, Op::fgt, true, false},
      {Op::sle, Op::sle, Op::ule, Op::fle, Op::fgt, false, true},  {Op::sge, Op::sge, Op::uge, Op::flt, Op::fge, true, false},
  };
  const Way* way = ways;
  while (way->sign != op) ++way;
  const Op less = compared_.less;
  const Op test = less == Op::slt ? way->with_slt : less == Op::ult ? way->with_ult : less == Op::flt ? way->with_flt : way->with_fgt;
  const bool negate = less == Op::flt ? way->not_flt : less == Op::fgt && way->not_fgt;
  const Operand holds = emit(test, i1, {compared_.a, compared_.b});
  emitter_->branch(negate ? emit(Op::xor_, i1, {holds, emitter_->constant(i1, 1)}) : holds);
}

}  // namespace braid::pandasm
