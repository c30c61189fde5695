// The loop of the direct interpreter: what every instruction does. Pure operations are the functions of
// ir/eval_op.h, everything
// managed is a method of the Vm.
#include "front/pandasm/interpret.h"
#include "ir/eval_op.h"

#define DISPATCH_OP DenseOp
#define DISPATCH_AT ip
#include "base/threaded_dispatch.h"

namespace braid::pandasm {

namespace {

using ir::Op;

constexpr uint64_t sign_extended(uint32_t word) { return ir::canonical_int<32>(word); }

template <typename Number>
uint64_t compare(Number a, Number b) {
  return static_cast<uint64_t>(int64_t{a > b} - int64_t{a < b});
}

/// -1, 0 or 1; `if_nan` if one of them is NaN.
template <typename Float>
uint64_t compare_floats(uint64_t a, uint64_t b, int64_t if_nan) {
  const Float x = ir::as_float<Float>(a), y = ir::as_float<Float>(b);
  return x != x || y != y ? static_cast<uint64_t>(if_nan) : compare(x, y);
}

}  // namespace

#define A registers[ip->a]
#define B registers[ip->b]
#define SIGNED(word) sign_extended(ip->word)
#define SET(place, value) \
  do {                    \
    place = (value);      \
    NEXT(1);              \
  } while (false)
// Whoever may throw or collect finds the frame as it is.
#define SAVE()                                                      \
  do {                                                              \
    frame->pc = static_cast<bytecode::Pc>(ip - frame->code->code.data()); \
    frame->accumulator = acc;                                       \
  } while (false)
#define RELOAD()                                  \
  do {                                            \
    frame = &activations_.back();                 \
    registers = stack_.data() + frame->base;      \
    ip = frame->code->code.data() + frame->pc;    \
    acc = frame->accumulator;                     \
  } while (false)
#define TRY(call)                 \
  SAVE();                         \
  const Outcome outcome = (call); \
  if (outcome.threw) goto raise
#define TRY_SET(place, call) \
  do {                       \
    TRY(call);               \
    SET(place, outcome.value); \
  } while (false)
#define TRY_DO(call) \
  do {               \
    TRY(call);       \
    NEXT(1);         \
  } while (false)
// The instruction is executed again when the record is initialised.
#define INITIALISED(number)                                          \
  do {                                                               \
    if (const uint32_t record = (number); record != unlinked && !vm_.is_initialised(record)) { \
      SAVE();                                                        \
      if (begin_initialising(record) == Flow::raise) goto raise;     \
      RELOAD();                                                      \
      DISPATCH();                                                    \
    }                                                                \
  } while (false)
// The distance counts from the instruction that is `at` places further, which is the one that jumps.
#define JUMP(at, distance)                             \
  do {                                                 \
    const int32_t far = static_cast<int32_t>(distance); \
    ip += (at) + far;                                  \
    if (far <= 0 && --budget_ <= 0) goto looked_at;    \
    DISPATCH();                                        \
  } while (false)
#define JUMP_IF(condition, at, distance)               \
  do {                                                 \
    if (condition) JUMP(at, distance);                 \
    NEXT((at) + 1);                                    \
  } while (false)

RunResult::Kind Interpreter::execute(size_t base) {
#if THREADED
  static const void* const labels[] = {
#define OPCODE(id, text, operands, acc_in, acc_out, traits) &&handler_##id,
#include "front/pandasm/opcodes.def"
#undef OPCODE
#define PAIR(first, second) &&handler_##first##_##second,
#include "front/pandasm/pairs.def"
#undef PAIR
      &&handler_watched,
  };
#else
  DenseOp op;
#endif
  // What these frames hold when they end is kept; others end in a hurry.
  const size_t slowly = options_.keeps_registers ? activations_.size() : base + 1;
  Activation* frame;
  uint64_t* registers;
  const DenseInstruction* ip;
  uint64_t acc;
  Flow told;
  RELOAD();
  DISPATCH();

#if !THREADED
dispatch:
  op = ip->op;
dispatch_op:
  switch (op) {
#endif

  HANDLER(watched) {
    const DenseOp replaced = frame->code->replaced[static_cast<size_t>(ip - frame->code->code.data())];
    if (!is_counted_ && throws_in_ != 0 && --throws_in_ == 0) {
      if (options_.watch_at != 0) goto asked;
      SAVE();
      vm_.throw_new(Thrown::illegal_state, "thrown on request");
      goto raise;
    }
    is_counted_ = false;
#if THREADED
    goto* labels[static_cast<unsigned>(replaced)];
#else
    op = replaced;
    goto dispatch_op;
#endif
  }

  // ---- moves and constants ----
  HANDLER(nop) NEXT(1);
  HANDLER(mov) HANDLER(mov_64) HANDLER(mov_obj) SET(A, B);
  HANDLER(movi) SET(A, SIGNED(b));
  HANDLER(movi_64) HANDLER(fmovi_64) SET(A, ip->wide());
  HANDLER(fmovi) SET(A, ip->b);
  HANDLER(mov_null) SET(A, heap::null);
  HANDLER(lda) HANDLER(lda_64) HANDLER(lda_obj) SET(acc, A);
  HANDLER(ldai) SET(acc, SIGNED(a));
  HANDLER(ldai_64) HANDLER(fldai_64) SET(acc, ip->wide());
  HANDLER(fldai) SET(acc, ip->a);
  HANDLER(lda_null) SET(acc, heap::null);
  HANDLER(sta) HANDLER(sta_64) HANDLER(sta_obj) SET(A, acc);
  HANDLER(lda_str) TRY_SET(acc, vm_.string_constant(static_cast<Symbol>(ip->a)));
  HANDLER(lda_type) TRY_SET(acc, vm_.type_object(vm_.classes()[static_cast<ClassId>(ip->a)].type));
  HANDLER(lda_const) TRY_SET(A, vm_.constant_array(ip->b));

  // ---- comparisons and jumps ----
  HANDLER(cmp_64) SET(acc, compare(static_cast<int64_t>(acc), static_cast<int64_t>(A)));
  HANDLER(ucmp) SET(acc, compare(static_cast<uint32_t>(acc), static_cast<uint32_t>(A)));
  HANDLER(ucmp_64) SET(acc, compare(acc, A));
  HANDLER(fcmpl) SET(acc, compare_floats<float>(acc, A, -1));
  HANDLER(fcmpl_64) SET(acc, compare_floats<double>(acc, A, -1));
  HANDLER(fcmpg) SET(acc, compare_floats<float>(acc, A, 1));
  HANDLER(fcmpg_64) SET(acc, compare_floats<double>(acc, A, 1));
  HANDLER(jmp) JUMP(0, ip->a);
  HANDLER(jeqz_obj) JUMP_IF(acc == heap::null, 0, ip->a);
  HANDLER(jnez_obj) JUMP_IF(acc != heap::null, 0, ip->a);
  HANDLER(jeq_obj) JUMP_IF(acc == A, 0, ip->b);
  HANDLER(jne_obj) JUMP_IF(acc != A, 0, ip->b);
#define CONDITION(name, op)                                                        \
  HANDLER(name##z) JUMP_IF(ir::eval_int_compare<Op::op>(acc, 0), 0, ip->a);        \
  HANDLER(name) JUMP_IF(ir::eval_int_compare<Op::op>(acc, A), 0, ip->b);           \
  HANDLER(lda_##name) {                                                            \
    acc = A;                                                                       \
    JUMP_IF(ir::eval_int_compare<Op::op>(acc, registers[ip[1].a]), 1, ip[1].b);    \
  }
  CONDITION(jeq, eq)
  CONDITION(jne, ne)
  CONDITION(jlt, slt)
  CONDITION(jgt, sgt)
  CONDITION(jle, sle)
  CONDITION(jge, sge)
#undef CONDITION
  HANDLER(lda_jeqz) {
    acc = A;
    JUMP_IF(acc == 0, 1, ip[1].a);
  }
  HANDLER(lda_jnez) {
    acc = A;
    JUMP_IF(acc != 0, 1, ip[1].a);
  }

  // ---- arithmetic ----
#define UNARY(name, id, op)                                     \
  HANDLER(name) SET(acc, (ir::eval_int_unary<Op::op, 32>(acc))); \
  HANDLER(id##_64) SET(acc, (ir::eval_int_unary<Op::op, 64>(acc)));
  UNARY(neg, neg, neg)
  UNARY(not_, not, not_)
#undef UNARY
  HANDLER(fneg) SET(acc, (ir::eval_float_unary<Op::fneg, float>(acc)));
  HANDLER(fneg_64) SET(acc, (ir::eval_float_unary<Op::fneg, double>(acc)));

#define TOTAL(name, op)                                                          \
  HANDLER(name##2) SET(acc, (ir::eval_int_binary<Op::op, 32>(acc, A)));          \
  HANDLER(name##2_64) SET(acc, (ir::eval_int_binary<Op::op, 64>(acc, A)));       \
  HANDLER(name##2v) SET(A, (ir::eval_int_binary<Op::op, 32>(acc, B)));           \
  HANDLER(name##2v_64) SET(A, (ir::eval_int_binary<Op::op, 64>(acc, B)));        \
  HANDLER(name##_) SET(acc, (ir::eval_int_binary<Op::op, 32>(A, B)));            \
  HANDLER(name##v) SET(A, (ir::eval_int_binary<Op::op, 32>(A, B)));              \
  HANDLER(name##i) SET(acc, (ir::eval_int_binary<Op::op, 32>(acc, SIGNED(a))));  \
  HANDLER(name##iv) SET(A, (ir::eval_int_binary<Op::op, 32>(B, SIGNED(c))));
  TOTAL(add, add)
  TOTAL(sub, sub)
  TOTAL(mul, mul)
  TOTAL(and, and_)
  TOTAL(or, or_)
  TOTAL(xor, xor_)
  TOTAL(shl, shl)
  TOTAL(shr, lshr)
  TOTAL(ashr, ashr)
#undef TOTAL
#define DIVIDE(place, op, width, dividend, divisor)                                          \
  do {                                                                                       \
    const uint64_t by = (divisor);                                                           \
    if (by == 0) goto zero;                                                                  \
    SET(place, (ir::eval_int_binary<Op::op, width>(dividend, by)));                          \
  } while (false)
#define PARTIAL(name, op)                              \
  HANDLER(name##2) DIVIDE(acc, op, 32, acc, A);        \
  HANDLER(name##2_64) DIVIDE(acc, op, 64, acc, A);     \
  HANDLER(name##2v) DIVIDE(A, op, 32, acc, B);         \
  HANDLER(name##2v_64) DIVIDE(A, op, 64, acc, B);
#define PARTIAL_SIGNED(name, op)                       \
  PARTIAL(name, op)                                    \
  HANDLER(name##_) DIVIDE(acc, op, 32, A, B);          \
  HANDLER(name##v) DIVIDE(A, op, 32, A, B);            \
  HANDLER(name##i) DIVIDE(acc, op, 32, acc, SIGNED(a)); \
  HANDLER(name##iv) DIVIDE(A, op, 32, B, SIGNED(c));
  PARTIAL_SIGNED(div, sdiv)
  PARTIAL_SIGNED(mod, srem)
  PARTIAL(divu, udiv)
  PARTIAL(modu, urem)
#undef PARTIAL_SIGNED
#undef PARTIAL
#undef DIVIDE
#define FLOAT(name, op)                                                                \
  HANDLER(name##2) SET(acc, (ir::eval_float_binary<Op::op, float>(acc, A)));           \
  HANDLER(name##2_64) SET(acc, (ir::eval_float_binary<Op::op, double>(acc, A)));       \
  HANDLER(name##2v) SET(A, (ir::eval_float_binary<Op::op, float>(acc, B)));            \
  HANDLER(name##2v_64) SET(A, (ir::eval_float_binary<Op::op, double>(acc, B)));
  FLOAT(fadd, fadd)
  FLOAT(fsub, fsub)
  FLOAT(fmul, fmul)
  FLOAT(fdiv, fdiv)
  FLOAT(fmod, frem)
#undef FLOAT
  HANDLER(inci) SET(A, (ir::eval_int_binary<Op::add, 32>(A, SIGNED(b))));
  HANDLER(inci_jmp) {
    A = ir::eval_int_binary<Op::add, 32>(A, SIGNED(b));
    JUMP(1, ip[1].a);
  }
#define PAIRED(name, op)                                                  \
  HANDLER(lda_##name##2) {                                                \
    acc = ir::eval_int_binary<Op::op, 32>(A, registers[ip[1].a]);         \
    NEXT(2);                                                              \
  }                                                                       \
  HANDLER(name##2_sta) {                                                  \
    registers[ip[1].a] = acc = ir::eval_int_binary<Op::op, 32>(acc, A);   \
    NEXT(2);                                                              \
  }
  PAIRED(add, add)
  PAIRED(sub, sub)
  PAIRED(mul, mul)
#undef PAIRED

  // ---- casts ----
#define TO_FLOATS(from, op, width)                                                        \
  HANDLER(from##_to_f32) SET(acc, (ir::eval_int_to_float<Op::op, width, float>(acc)));    \
  HANDLER(from##_to_f64) SET(acc, (ir::eval_int_to_float<Op::op, width, double>(acc)));
  TO_FLOATS(i32, sitofp, 32)
  TO_FLOATS(u32, uitofp, 32)
  TO_FLOATS(i64, sitofp, 64)
  TO_FLOATS(u64, uitofp, 64)
#undef TO_FLOATS
#define TO_INTEGERS(from, type)                                                      \
  HANDLER(from##_to_i32) SET(acc, (ir::eval_float_to_int<Op::fptosi, type, 32>(acc))); \
  HANDLER(from##_to_i64) SET(acc, (ir::eval_float_to_int<Op::fptosi, type, 64>(acc))); \
  HANDLER(from##_to_u32) SET(acc, (ir::eval_float_to_int<Op::fptoui, type, 32>(acc))); \
  HANDLER(from##_to_u64) SET(acc, (ir::eval_float_to_int<Op::fptoui, type, 64>(acc)));
  TO_INTEGERS(f32, float)
  TO_INTEGERS(f64, double)
#undef TO_INTEGERS
  HANDLER(f32_to_f64) SET(acc, ir::eval_fpext(acc));
  HANDLER(f64_to_f32) SET(acc, ir::eval_fptrunc(acc));
  HANDLER(i32_to_u1) HANDLER(u32_to_u1) HANDLER(i64_to_u1) HANDLER(u64_to_u1) SET(acc, acc != 0);
  HANDLER(i32_to_i64) NEXT(1);
  HANDLER(u32_to_i64) SET(acc, ir::eval_zext<32>(acc));
  HANDLER(i32_to_i16) HANDLER(u32_to_i16) SET(acc, ir::canonical_int<16>(acc));
  HANDLER(i32_to_u16) HANDLER(u32_to_u16) SET(acc, ir::eval_zext<16>(acc));
  HANDLER(i32_to_i8) HANDLER(u32_to_i8) SET(acc, ir::canonical_int<8>(acc));
  HANDLER(i32_to_u8) HANDLER(u32_to_u8) SET(acc, ir::eval_zext<8>(acc));
  HANDLER(i64_to_i32) HANDLER(u64_to_i32) HANDLER(u64_to_u32) SET(acc, ir::canonical_int<32>(acc));

  // ---- arrays ----
  HANDLER(newarr) TRY_SET(A, vm_.new_array(static_cast<ClassId>(ip->c), static_cast<int32_t>(B)));
  HANDLER(lenarr) TRY_SET(acc, vm_.array_length(A));
  HANDLER(ldarr) TRY_SET(acc, vm_.load_element_as<int32_t>(A, acc));
  HANDLER(ldarr_8) TRY_SET(acc, vm_.load_element_as<int8_t>(A, acc));
  HANDLER(ldarr_16) TRY_SET(acc, vm_.load_element_as<int16_t>(A, acc));
  HANDLER(ldarr_64) HANDLER(fldarr_64) TRY_SET(acc, vm_.load_element_as<uint64_t>(A, acc));
  HANDLER(ldarr_obj) TRY_SET(acc, vm_.load_reference(A, acc));
  HANDLER(ldarru_8) TRY_SET(acc, vm_.load_element_as<uint8_t>(A, acc));
  HANDLER(ldarru_16) TRY_SET(acc, vm_.load_element_as<uint16_t>(A, acc));
  HANDLER(fldarr_32) TRY_SET(acc, vm_.load_element_as<uint32_t>(A, acc));
  HANDLER(starr) HANDLER(fstarr_32) TRY_DO(vm_.store_element_as<uint32_t>(A, B, acc));
  HANDLER(starr_8) TRY_DO(vm_.store_element_as<uint8_t>(A, B, acc));
  HANDLER(starr_16) TRY_DO(vm_.store_element_as<uint16_t>(A, B, acc));
  HANDLER(starr_64) HANDLER(fstarr_64) TRY_DO(vm_.store_element_as<uint64_t>(A, B, acc));
  HANDLER(starr_obj) TRY_DO(vm_.store_reference(A, B, acc));

  // ---- objects ----
  HANDLER(newobj) {
    INITIALISED(vm_.classes()[static_cast<ClassId>(ip->b)].record);
    TRY_SET(A, vm_.new_object(static_cast<ClassId>(ip->b)));
  }
  HANDLER(ldobj) HANDLER(ldobj_64) HANDLER(ldobj_obj) TRY_SET(acc, vm_.load_field(A, static_cast<FieldId>(ip->b)));
  HANDLER(stobj) HANDLER(stobj_64) HANDLER(stobj_obj) TRY_DO(vm_.store_field(A, static_cast<FieldId>(ip->b), acc));
  HANDLER(ldobj_v) HANDLER(ldobj_v_64) HANDLER(ldobj_v_obj) TRY_SET(A, vm_.load_field(B, static_cast<FieldId>(ip->c)));
  HANDLER(stobj_v) HANDLER(stobj_v_64) HANDLER(stobj_v_obj) TRY_DO(vm_.store_field(B, static_cast<FieldId>(ip->c), A));
  HANDLER(ldstatic) HANDLER(ldstatic_64) HANDLER(ldstatic_obj) {
    INITIALISED(vm_.classes()[static_cast<FieldId>(ip->a)].record);
    SET(acc, vm_.load_static(static_cast<FieldId>(ip->a)));
  }
  HANDLER(ststatic) HANDLER(ststatic_64) HANDLER(ststatic_obj) {
    INITIALISED(vm_.classes()[static_cast<FieldId>(ip->a)].record);
    vm_.store_static(static_cast<FieldId>(ip->a), acc);
    NEXT(1);
  }
  HANDLER(checkcast) TRY_SET(acc, vm_.check_cast(acc, static_cast<ClassId>(ip->a), true));
  HANDLER(checkcast_nonnull) TRY_SET(acc, vm_.check_cast(acc, static_cast<ClassId>(ip->a), false));
  HANDLER(isinstance) SET(acc, vm_.is_instance(acc, static_cast<ClassId>(ip->a)));

  // ---- calls and ends ----
  HANDLER(initobj) HANDLER(initobj_short) HANDLER(initobj_range) HANDLER(call) HANDLER(call_short) HANDLER(call_range)
  HANDLER(call_acc) HANDLER(call_acc_short) HANDLER(call_virt) HANDLER(call_virt_short) HANDLER(call_virt_range)
  HANDLER(call_virt_acc) HANDLER(call_virt_acc_short) {
    SAVE();
    CallSite& site = frame->code->calls[ip->a];
    if (site.direct != nullptr && enter(site)) {
      RELOAD();
      DISPATCH();
    }
    switch (call(site)) {
      case Flow::raise: goto raise;
      case Flow::done: return RunResult::Kind::stopped;
      default: break;
    }
    RELOAD();
    DISPATCH();
  }
  HANDLER(return_void) {
    acc = 0;
    goto leave;
  }
  HANDLER(return_) HANDLER(return_64) HANDLER(return_obj) goto leave;
  HANDLER(throw_) {
    SAVE();
    vm_.throw_object(A);
    goto raise;
  }

#if !THREADED
  }
#endif

zero:
  SAVE();
  vm_.throw_zero();
raise:
  if (!unwind(base)) return RunResult::Kind::threw;
  if (--budget_ <= 0 && !pay()) return RunResult::Kind::stopped;
  RELOAD();
  DISPATCH();

leave:
  if (activations_.size() > slowly && frame->initialises == unlinked) {
    const uint64_t value = acc;
    activations_.pop_back();
    RELOAD();
    if (!frame->code->calls[ip->a].makes_object) acc = value;
    NEXT(1);
  }
  if (!leave(base, acc)) return RunResult::Kind::returned;
  RELOAD();
  DISPATCH();

asked:  // before an instruction that may throw
  SAVE();
  told = ask(base, 0);
  goto do_as_told;
looked_at:  // a backward jump, and `ip` is where it leads
  SAVE();
  told = look(base);
do_as_told:
  switch (told) {
    case Flow::raise: goto raise;
    case Flow::done: return ended_;
    default: break;
  }
  RELOAD();
  DISPATCH();
}

}  // namespace braid::pandasm
