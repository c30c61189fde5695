// How loops that execute code go from one instruction to the next: from handler to handler where the compiler can (labels as values, a
// GNU extension), otherwise through a switch.
//
// The file that includes it defines before: DISPATCH_OP, the enumeration of its instructions, and DISPATCH_AT, the pointer to the one
// that is executed. Its loop has a table `labels` if THREADED, and a label `dispatch` before the switch if not.
#if defined(__GNUC__) && !defined(__wasm__) && !defined(BRAID_SWITCH_DISPATCH)
#define THREADED 1
#define DISPATCH() goto* labels[static_cast<unsigned>(DISPATCH_AT->op)]
#define HANDLER(name) handler_##name:
#define FALL_INTO_NEXT() static_cast<void>(0)
#else
#define THREADED 0
#define DISPATCH() goto dispatch
#define HANDLER(name) case DISPATCH_OP::name:
#define FALL_INTO_NEXT() [[fallthrough]]
#endif

#define NEXT(count)         \
  do {                      \
    DISPATCH_AT += (count); \
    DISPATCH();             \
  } while (false)
