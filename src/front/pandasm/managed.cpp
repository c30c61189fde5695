#include "front/pandasm/managed.h"

namespace braid::pandasm {

namespace {

// The words of the table are traits of statements, not of opcodes.
namespace traits_of_ir {
using ir::any_effect;
using ir::host_effect;
using ir::idempotent;
using ir::identity;
using ir::no_traits;
using ir::reads_memory;
using ir::throws;
using ir::writes_memory;

constexpr ManagedInfo table[managed_count] = {
#define INTRINSIC(id, text, parameters, result, traits) {text, parameters, result, traits},
#include "front/pandasm/intrinsics.def"
#undef INTRINSIC
};
}  // namespace traits_of_ir

}  // namespace

const ManagedInfo& info(Managed operation) { return traits_of_ir::table[static_cast<uint32_t>(operation)]; }

braid::Type type_of_letter(char letter) {
  switch (letter) {
    case 'i': case 'n': return i32;
    case 'l': return i64;
    case 'f': return f32;
    case 'd': return f64;
    case 'r': return ref;
    case 'b': return i1;
    case 'p': return ptr;
    default: return void_type;
  }
}

}  // namespace braid::pandasm
