// The dispatch loop. Handlers of pure operations are the functions of ir/eval_op.h, one per op and width.
//
// Dispatch jumps from handler to handler where the compiler can (labels as values, a GNU extension), so that each
// instruction has its own indirect branch to predict; otherwise it is a switch.
#include "interp/machine.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "ir/eval_op.h"

#define DISPATCH_OP Opcode
#define DISPATCH_AT ip
#include "base/threaded_dispatch.h"
#include "interp/machine_steps.h"

namespace braid::interp {

using ir::ErrorKind;
using ir::Op;

namespace {

template <typename Word>
uint64_t load(const uint8_t* from) {
  Word word;
  std::memcpy(&word, from, sizeof(Word));
  return static_cast<uint64_t>(word);
}
template <typename Word>
void store(uint8_t* to, uint64_t value) {
  Word word = static_cast<Word>(value);
  std::memcpy(to, &word, sizeof(Word));
}

/// Read as half a register, so that nothing remains to be cut off.
uint32_t low_half(const uint64_t& word) {
  if constexpr (std::endian::native != std::endian::little) return static_cast<uint32_t>(word);
  uint32_t half;
  std::memcpy(&half, &word, sizeof(half));
  return half;
}

/// Out of the way: an object is found once, and then held.
[[gnu::noinline]] heap::Heap::Object* hold(heap::Heap::Object* object, uint32_t held, uint64_t* base) {
  base[held] = reinterpret_cast<uintptr_t>(object);
  return object;
}

const Code* callee_of(const Instr* call) {
  return reinterpret_cast<const Code*>(static_cast<uintptr_t>(call[1].constant()));
}

int32_t find_target(const SwitchTable& table, int64_t value) {
  if (!table.dense.empty()) {
    uint64_t number = static_cast<uint64_t>(value) - static_cast<uint64_t>(table.low);
    return number < table.dense.size() ? table.dense[static_cast<size_t>(number)] : table.otherwise;
  }
  auto found = std::lower_bound(table.cases.begin(), table.cases.end(), value,
                                [](const SwitchTable::Case& c, int64_t v) { return c.value < v; });
  return found != table.cases.end() && found->value == value ? found->target : table.otherwise;
}

}  // namespace

void Machine::execute() {
#if THREADED
  static const void* const labels[] = {
#define INT_BINARY(id, W) &&handler_##id##_##W##_rr, &&handler_##id##_##W##_ri,
#define OVERFLOWING(id, W) &&handler_##id##_##W##_rr, &&handler_##id##_##W##_ri,
#define INT_UNARY(id, W) &&handler_##id##_##W,
#define INT_COMPARE(id)                                                                                   \
  &&handler_##id##_rr, &&handler_##id##_ri, &&handler_branch_##id##_rr, &&handler_branch_##id##_ri,      \
      &&handler_add_branch_##id##_rr, &&handler_add_branch_##id##_ri,
#define FLOAT_BINARY(id, F) &&handler_##id##_##F,
#define FLOAT_UNARY(id, F) &&handler_##id##_##F,
#define FLOAT_COMPARE(id, F) \
  &&handler_##id##_##F, &&handler_branch_##id##_##F, &&handler_branch_not_##id##_##F,
#define NARROW(id, W) &&handler_##id##_##W,
#define EXTEND(id, W) &&handler_##id##_##W,
#define INT_TO_FLOAT(id, W, F) &&handler_##id##_##W##_##F,
#define FLOAT_TO_INT(id, F, W) &&handler_##id##_##F##_##W,
#define PLAIN(name) &&handler_##name,
#define CHAIN(first, W, form, second, form2) &&handler_##first##_##W##_##form##_then_##second##_##form2,
#define CHAIN_BRANCH(first, W, form, id, form2) &&handler_##first##_##W##_##form##_chain_branch_##id##_##form2,
#define THEN_BRANCH(first, W, form, id, form2) &&handler_##first##_##W##_##form##_then_branch_##id##_##form2,
#define CHAIN_STORE(first, W, form, size) &&handler_##first##_##W##_##form##_chain_held_store_##size,
#define CHAIN_LOAD(element, W, op, form) &&handler_held_load_##element##_then_##op##_##W##_##form,
#define LOAD_STORE(element, W, op, form) &&handler_held_load_##element##_then_##op##_##W##_##form##_then_store,
#define THEN(first, W, form, name) &&handler_##first##_##W##_##form##_then_##name,
#include "interp/opcodes.def"
  };
#endif
  const Code* code = activations_.back().code;
  const Instr* ip = code->instrs.data();
  uint64_t* base = activations_.back().base;
  int64_t fuel = fuel_;

#if THREADED
  DISPATCH();
#else
dispatch:
  switch (ip->op) {
#endif

  // ---- what computes ----
#include "interp/machine_computes.def"
  HANDLER(sdiv_power) {
    // What is negative is rounded towards zero.
    const uint64_t value = B, most = (uint64_t{1} << ip->c) - 1;
    const uint64_t up = static_cast<uint64_t>(static_cast<int64_t>(value) >> 63) & most;
    A = static_cast<uint64_t>(static_cast<int64_t>(value + up) >> ip->c);
    NEXT(1);
  }
  HANDLER(srem_power) {
    const uint64_t value = B, most = (uint64_t{1} << ip->c) - 1;
    const uint64_t up = static_cast<uint64_t>(static_cast<int64_t>(value) >> 63) & most;
    A = ((value + up) & most) - up;
    NEXT(1);
  }
  HANDLER(fpext) { A = ir::eval_fpext(B); NEXT(1); }
  HANDLER(fptrunc) { A = ir::eval_fptrunc(B); NEXT(1); }
  HANDLER(low_half) { A = ir::canonical(Kind::f32, B); NEXT(1); }
  HANDLER(ptr_index) { A = ir::eval_ptr_index(B, C, ip[1].a); NEXT(2); }
  HANDLER(select) { A = B != 0 ? C : base[ip[1].a]; NEXT(2); }

  // ---- moving values ----
  HANDLER(move) { A = B; NEXT(1); }
  HANDLER(move_many) { std::memmove(&A, &B, ip->c * sizeof(uint64_t)); NEXT(1); }
  HANDLER(load_constant) { A = ip->constant(); NEXT(1); }
  HANDLER(select_many) {
    std::memmove(&A, B != 0 ? &C : &base[ip[1].a], ip[1].b * sizeof(uint64_t));
    NEXT(2);
  }
  HANDLER(to_mixed) {
    uint64_t bits = B;
    (&A)[0] = ip->c;
    (&A)[1] = bits;
    NEXT(1);
  }
  HANDLER(from_mixed) {
    if (B != ip->c) {
      stop(OutcomeKind::trap, "a mixed value is not of the type that it is known to be of");
      goto end;
    }
    A = (&B)[1];
    NEXT(1);
  }
  HANDLER(convert) { SLOW(convert(code->conversions[ip->b], base)); }
  HANDLER(element) { SLOW(element(code->conversions[ip->b], ip->c, base)); }
  HANDLER(dynamic) { SLOW(dynamic(code->dynamics[ip->b], base)); }
  HANDLER(copy_or_zero) {
    const uint64_t* from = C != 0 ? &B : code->zeros.data() + ip[1].a;
    std::memmove(&A, from, ip[1].b * sizeof(uint64_t));
    NEXT(2);
  }
  HANDLER(get_or_throw) {
    if (C == 0) {
      if (raise(ErrorKind::undefined, code->messages[ip[1].a]) == Flow::raise) goto raise;
      goto end;
    }
    std::memmove(&A, &B, ip[1].b * sizeof(uint64_t));
    NEXT(2);
  }
  HANDLER(get_or_trap) {
    if (C == 0) {
      stop(OutcomeKind::trap, "undefined variable '" + code->messages[ip[1].a] + "'");
      goto end;
    }
    std::memmove(&A, &B, ip[1].b * sizeof(uint64_t));
    NEXT(2);
  }
  HANDLER(box) { SLOW(box(code->types[ip->c], &A, &B)); }
  HANDLER(unbox) { SLOW(unbox(code->types[ip->c], &A, B)); }

  // ---- control ----
  HANDLER(jump) DO_jump();
  HANDLER(charge) {
    fuel -= static_cast<int32_t>(ip->a);
    if (fuel < 0) goto out_of_steps;
    NEXT(1);
  }
  HANDLER(branch_true) { BRANCH_IF(A != 0, 1); }
  HANDLER(branch_false) { BRANCH_IF(A == 0, 1); }
  HANDLER(switch_) {
    PAY();
    ip += find_target(code->switches[ip->b], static_cast<int64_t>(A));
    DISPATCH();
  }
  HANDLER(call_one) DO_call_one();
  HANDLER(call) {
    PAY();
  call:  // paid
    const Code* callee = callee_of(ip);
    const CallSite& site = code->calls[ip->a];
    if (uint64_t* frame = base + code->frame_size; is_ready(*callee, frame)) {
      const uint32_t* registers = code->argument_registers.data() + site.first_argument;
      for (uint32_t i = 0; i < site.argument_words; ++i) frame[i] = base[registers[i]];
      ENTER(callee, frame);
    }
    if (!callee->is_lowered) interpreter_.lower_function(site.function);
    callee_ = callee;
    goto call_slowly;
  }
  HANDLER(call_indirect) {
    PAY();
    const CallSite& site = code->calls[ip->a];
    ir::FuncId id = ir::Memory::function_at(interpreter_.module_, base[site.address]);
    if (is_none(id) || interpreter_.module_.function(id).signature_id() != site.signature) {
      if (failed_check(ErrorKind::bad_call, site.cannot_throw) == Flow::raise) goto raise_paid;
      goto done;
    }
    if (interpreter_.module_.function(id).is_external()) {
      CallSite direct = site;
      direct.function = id;
      direct.cannot_throw |= (interpreter_.module_.function(id).external_traits & ir::throws) == 0;
      SLOW_CALL(2, call_host(*code, direct, base));
    }
    callee_ = interpreter_.code(id);
    goto call_slowly;
  }
  HANDLER(call_host) {
    PAY();
    SLOW_CALL(1, call_host(*code, code->calls[ip->a], base));
  }
  HANDLER(call_intrinsic) {
    PAY();
    const CallSite& site = code->calls[ip->a];
    const bool has_raw = index(site.intrinsic) < raw_intrinsics_.size() && raw_intrinsics_[index(site.intrinsic)] != nullptr;
    if (!has_raw || site.argument_words > ir::most_raw_operands) SLOW_CALL(1, call_intrinsic(*code, site, base));
    const uint32_t* registers = code->argument_registers.data() + site.first_argument;
    uint64_t operands[ir::most_raw_operands];
    for (uint32_t i = 0; i < site.argument_words; ++i) operands[i] = base[registers[i]];
    uint64_t result = 0;
    if (raw_intrinsics_[index(site.intrinsic)](runtime_, operands, result)) {
      if (site.result.type != void_type) base[site.result.first] = result;
      NEXT(1);
    }
    pending_ = runtime_.raised();
    if (pending_ == 0) out_of_memory();
    else if (thrown_by_raw(site) == Flow::raise) goto raise_paid;
    goto done;
  }
  HANDLER(ret) {
    PAY();
    Activation done_with = activations_.back();
    pop(done_with);
    if (activations_.empty()) goto done;
    code = activations_.back().code;
    base = activations_.back().base;
    ip = done_with.return_to;
    DISPATCH();
  }
  HANDLER(ret_one) DO_ret_one();
  HANDLER(ret_one_kept) {
    // What it keeps goes now, the activation with what it returns.
    const Activation left = activations_.back();
    pop(left);
    activations_.add() = left;
    DO_ret_one();
  }
  HANDLER(ret_many) {
    PAY();
    const uint64_t* from = &A;
    uint32_t count = ip->b;
    Activation done_with = activations_.back();
    pop(done_with);
    if (activations_.empty()) {
      outcome_.value = read_value(layouts_, tuples_, code->result, from);
      goto done;
    }
    code = activations_.back().code;
    base = activations_.back().base;
    if (count != 0) std::memmove(base + done_with.call().b, from, count * sizeof(uint64_t));
    ip = done_with.return_to;
    DISPATCH();
  }
  HANDLER(enter) {
    A = exceptions_.size();
    handlers_.push_back({ip->c == no_register ? nullptr : code->instrs.data() + ip->c});
    NEXT(1);
  }
  HANDLER(leave) {
    if (handlers_.size() - activations_.back().handlers < ip->a) {
      stop(OutcomeKind::trap, "leave without a handler to pop");
      goto end;
    }
    handlers_.resize(handlers_.size() - ip->a);
    NEXT(1);
  }
  HANDLER(the_exception) {
    if (exceptions_.empty()) {
      stop(OutcomeKind::trap, "no exception is being handled");
      goto end;
    }
    A = exceptions_.back();
    NEXT(1);
  }
  HANDLER(pop_exception) {
    if (A < exceptions_.size()) exceptions_.resize(static_cast<size_t>(A));
    NEXT(1);
  }
  HANDLER(throw_) {
    PAY();
    pending_ = A;
    goto raise_paid;
  }
  HANDLER(throw_undef) {
    if (A != 0) NEXT(1);
    if (failed_check(ErrorKind::undefined, ip->c != 0, code->messages[ip->b]) == Flow::raise) goto raise;
    goto end;
  }
  HANDLER(trap) {
    stop(OutcomeKind::trap, code->messages[ip->a] + " in " + code->name);
    goto end;
  }
  HANDLER(trap_undef) {
    if (A != 0) NEXT(1);
    stop(OutcomeKind::trap, code->messages[ip->b] + " in " + code->name);
    goto end;
  }
  HANDLER(deopt) {
    PAY();
    if (leave_to(ip->a) == Flow::resume) goto resume;
    goto done;
  }
  HANDLER(guard) {
    if (A != 0) NEXT(1);
    PAY();
    if (leave_to(ip->b) == Flow::resume) goto resume;
    goto done;
  }
  HANDLER(stop_point) { SLOW(stop_point(*code, ip->a, ip->b != 0, base)); }

  // ---- checks ----
  HANDLER(check_null) { CHECK(A != 0, null_); }
  HANDLER(check_zero) { CHECK(A != 0, zero); }
  HANDLER(check_negative) { CHECK(static_cast<int64_t>(A) >= 0, negative); }
  HANDLER(check_negative_bit) { CHECK(A == 0, negative); }
  HANDLER(check_bounds) { CHECK(static_cast<int64_t>(A) >= 0 && static_cast<int64_t>(A) < static_cast<int64_t>(C), bounds); }
  HANDLER(check_overflow) { CHECK(A == 0, overflow); }
  HANDLER(check_true) { CHECK(A != 0, assertion); }

  // ---- memory ----
  HANDLER(stack_slot) {
    std::optional<uint64_t> address = memory_.allocate(ip->b, ip->c);
    if (!address) {
      out_of_memory();
      goto end;
    }
    A = *address;
    fuel -= ip->b >> 6;
    NEXT(1);
  }
  HANDLER(global_addr) { A = memory_.global_address(static_cast<ir::GlobalId>(ip->b)); NEXT(1); }
  LOAD(load_1, 1, *at & 1)
  LOAD(load_8, 1, load<int8_t>(at))
  LOAD(load_16, 2, load<int16_t>(at))
  LOAD(load_32, 4, load<int32_t>(at))
  LOAD(load_64, 8, load<uint64_t>(at))
  LOAD(load_f32, 4, load<uint32_t>(at))
  STORE(store_8, uint8_t)
  STORE(store_16, uint16_t)
  STORE(store_32, uint32_t)
  STORE(store_64, uint64_t)
  HANDLER(mem_copy) {
    uint64_t size = C;
    if (size != 0) {
      const uint8_t* from = memory_.readable(B, size);
      uint8_t* to = memory_.writable(A, size);
      if (from == nullptr || to == nullptr) goto bad_address;
      std::memmove(to, from, static_cast<size_t>(size));
      fuel -= static_cast<int64_t>(size >> 6);
    }
    NEXT(1);
  }
  HANDLER(mem_fill) {
    uint64_t size = C;
    if (size != 0) {
      uint8_t* to = memory_.writable(A, size);
      if (to == nullptr) goto bad_address;
      std::memset(to, static_cast<uint8_t>(B), static_cast<size_t>(size));
      fuel -= static_cast<int64_t>(size >> 6);
    }
    NEXT(1);
  }

  // ---- the heap ----
  HANDLER(heap_length) {
    FIND(any_array);
    A = object->length;
    NEXT(2);
  }
  HANDLER(held_length) {
    HOLD(any_array);
    A = object->length;
    NEXT(2);
  }
  HEAP_LOAD(load_i8, int8_t, bits8)
  HEAP_LOAD(load_u8, uint8_t, bits8)
  HEAP_LOAD(load_i16, int16_t, bits16)
  HEAP_LOAD(load_u16, uint16_t, bits16)
  HEAP_LOAD(load_i32, int32_t, bits32)
  HEAP_LOAD(load_u32, uint32_t, bits32)
  HEAP_LOAD(load_64, uint64_t, bits64)
  HEAP_LOAD(load_ref, uint64_t, reference)
  HEAP_STORE(store_8, uint8_t, bits8)
  HEAP_STORE(store_16, uint16_t, bits16)
  HEAP_STORE(store_32, uint32_t, bits32)
  HEAP_STORE(store_64, uint64_t, bits64)
#define FIELD(name, find, does)                                                          \
  HANDLER(name) {                                                                        \
    find(plain_object);                                                                  \
    if (ip->c >= object->length) [[unlikely]] GO_SLOWLY();                               \
    uint64_t& field = static_cast<uint64_t*>(object->data())[ip->c];                     \
    does;                                                                                \
    NEXT(2);                                                                             \
  }
  FIELD(heap_get, FIND, A = field)
  FIELD(held_get, HOLD, A = field)
  FIELD(heap_put, FIND, field = A)
  FIELD(held_put, HOLD, field = A)
#undef FIELD
  HANDLER(trace) {
    PAY();
    trace(*code, code->trace_points[ip->a], base);
    NEXT(1);
  }
#if !THREADED
  }
#endif

return_first: {
  const uint64_t value = A;
  activations_.pop_back();
  outcome_.value = read_value(layouts_, tuples_, code->result, &value);
  goto done;
}
call_slowly: {
  const uint64_t from = static_cast<uint64_t>(base - stack_.data()), to = from + code->frame_size;
  if (Flow flow = push(callee_, ip + 2, &code->calls[ip->a], to); flow != Flow::next) {
    if (flow == Flow::raise) goto raise_paid;
    if (flow == Flow::resume) goto resume;
    goto done;
  }
  const CallSite& site = code->calls[ip->a];
  const uint32_t* registers = code->argument_registers.data() + site.first_argument;
  base = stack_.data() + from;
  uint64_t* frame = stack_.data() + to;
  for (uint32_t i = 0; i < site.argument_words; ++i) frame[i] = base[registers[i]];
  base = frame;
  code = callee_;
  ip = code->instrs.data();
  DISPATCH();
}
raise:
  PAY();
raise_paid:
  if (!unwind(ip)) goto done;
resume:
  code = activations_.back().code;
  base = activations_.back().base;
  ip = resume_at_;
  DISPATCH();
bad_address:
  stop(OutcomeKind::trap, "bad address in " + code->name);
end:  // in the middle of a block
  PAY();
  goto done;
out_of_steps:
  stop(OutcomeKind::limit, "more than " + std::to_string(options_.max_steps) + " steps");
done:
  if (outcome_.kind != OutcomeKind::value && outcome_.kind != OutcomeKind::exception) trace_stop(*code, ip);
  fuel_ = fuel;
}

}  // namespace braid::interp
