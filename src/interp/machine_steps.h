// The steps that handlers of the machine are made of. They are macros, because a handler ends by jumping to the next one;
// they know what the loop in machine.cpp keeps at hand: ip, base, code and fuel.
#pragma once

#define A base[ip->a]
#define B base[ip->b]
#define C base[ip->c]
#define SIGNED(field) static_cast<uint64_t>(int64_t{static_cast<int32_t>(field)})
#define IMMEDIATE SIGNED(ip->c)
// Distances count bytes: one step less on the way to the next instruction.
#define GO(distance) ip = reinterpret_cast<const Instr*>(reinterpret_cast<const char*>(ip) + static_cast<int32_t>(distance))
// For the statements of the block since the last payment: at its end, and before whatever it calls, so that nobody outside is
// asked for more than the limit allows. An end in the middle of a block pays for what came before it.
#define PAY()                              \
  do {                                     \
    fuel -= ip->cost;                      \
    if (fuel < 0) goto out_of_steps;       \
  } while (false)
// Two ways on, not one with a computed distance: the processor then predicts where it goes and need not wait for the test.
#define BRANCH_IF(condition, words)        \
  do {                                     \
    PAY();                                 \
    if (condition) {                       \
      GO(ip->c);                           \
      DISPATCH();                          \
    }                                      \
    NEXT(words);                           \
  } while (false)
/// Runs a slow instruction, then goes on, throws or ends.
#define SLOW(call) SLOW_OF(1, call, raise, end)
/// The same, of what has paid.
#define SLOW_CALL(words, call) SLOW_OF(words, call, raise_paid, done)
#define SLOW_OF(words, call, raised, ended) \
  do {                                      \
    Flow flow = (call);                     \
    if (flow == Flow::raise) goto raised;   \
    if (flow != Flow::next) goto ended;     \
    NEXT(words);                            \
  } while (false)
#define CHECK(ok, kind)                                                       \
  do {                                                                        \
    if (ok) NEXT(1);                                                          \
    if (failed_check(ErrorKind::kind, ip->b != 0, A, C) == Flow::raise) goto raise; \
    goto end;                                                                 \
  } while (false)
#define LOAD(name, size, value)                                  \
  HANDLER(name) {                                                \
    const uint8_t* at = memory_.readable(B, size);               \
    if (at == nullptr) goto bad_address;                         \
    A = (value);                                                 \
    NEXT(1);                                                     \
  }
#define STORE(name, Word)                                        \
  HANDLER(name) {                                                \
    uint8_t* at = memory_.writable(B, sizeof(Word));             \
    if (at == nullptr) goto bad_address;                         \
    store<Word>(at, A);                                          \
    NEXT(1);                                                     \
  }
#define GO_SLOWLY()                        \
  do {                                     \
    GO(ip[1].a);                           \
    DISPATCH();                            \
  } while (false)
/// `object` is what B refers to, and found anew; or what B holds, once it was found.
#define FIND(ask)                                                                        \
  heap::Heap::Object* object = heap_->ask(B);                                      \
  if (object == nullptr) [[unlikely]] GO_SLOWLY()
#define HOLD(ask)                                                                        \
  heap::Heap::Object* object = reinterpret_cast<heap::Heap::Object*>(static_cast<uintptr_t>(B)); \
  if (object == nullptr) [[unlikely]] {                                                  \
    object = hold(heap_->ask(base[ip[1].b]), ip->b, base);                               \
    if (object == nullptr) GO_SLOWLY();                                                  \
  }
#define ELEMENT()                                                                        \
  const uint32_t number = low_half(C);                                                   \
  if (number >= object->length) [[unlikely]] GO_SLOWLY()
#define HEAP_LOAD(name, Stored, kind)                                                    \
  HANDLER(heap_##name) {                                                                 \
    FIND(array<heap::Element::kind>);                                                    \
    ELEMENT();                                                                           \
    A = static_cast<uint64_t>(static_cast<const Stored*>(object->data())[number]);       \
    NEXT(2);                                                                             \
  }                                                                                      \
  HANDLER(held_##name) {                                                                 \
    HOLD(array<heap::Element::kind>);                                                    \
    ELEMENT();                                                                           \
    A = static_cast<uint64_t>(static_cast<const Stored*>(object->data())[number]);       \
    NEXT(2);                                                                             \
  }
#define HEAP_STORE(name, Stored, kind)                                                   \
  HANDLER(heap_##name) {                                                                 \
    FIND(array<heap::Element::kind>);                                                    \
    ELEMENT();                                                                           \
    static_cast<Stored*>(object->data())[number] = static_cast<Stored>(A);               \
    NEXT(2);                                                                             \
  }                                                                                      \
  HANDLER(held_##name) DO_STORE(Stored, kind, A);
#define DO_STORE(Stored, kind, value)                                                    \
  do {                                                                                   \
    HOLD(array<heap::Element::kind>);                                                    \
    ELEMENT();                                                                           \
    static_cast<Stored*>(object->data())[number] = static_cast<Stored>(value);           \
    NEXT(2);                                                                             \
  } while (false)
/// Starts a function whose arguments are in its frame.
#define ENTER(callee, frame)                                                             \
  do {                                                                                   \
    for (const Code::InitialConstant& constant : callee->constants) frame[constant.reg] = constant.bits; \
    Activation& entered = activations_.add();                                            \
    entered.code = callee;                                                               \
    entered.return_to = ip + 2;                                                          \
    entered.base = frame;                                                                \
    base = frame;                                                                        \
    code = callee;                                                                       \
    ip = callee->instrs.data();                                                          \
    DISPATCH();                                                                          \
  } while (false)
#define DO_call_one()                                                                    \
  do {                                                                                   \
    PAY();                                                                               \
    const Code* callee = callee_of(ip);                                                  \
    uint64_t* frame = base + code->frame_size;                                           \
    if (!is_ready(*callee, frame)) [[unlikely]] goto call;                               \
    frame[0] = C;                                                                        \
    ENTER(callee, frame);                                                                \
  } while (false)
#define DO_ret_one()                                                                     \
  do {                                                                                   \
    PAY();                                                                               \
    const uint64_t value = A;                                                            \
    const Instr* return_to = activations_.back().return_to;                              \
    if (return_to == nullptr) [[unlikely]] goto return_first;                            \
    activations_.pop_back();                                                             \
    const Activation& caller = activations_.back();                                      \
    code = caller.code;                                                                  \
    base = caller.base;                                                                  \
    base[return_to[-2].b] = value;                                                       \
    ip = return_to;                                                                      \
    DISPATCH();                                                                          \
  } while (false)
#define DO_jump()                                                                        \
  do {                                                                                   \
    PAY();                                                                               \
    GO(ip->a);                                                                           \
    DISPATCH();                                                                          \
  } while (false)
