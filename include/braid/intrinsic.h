// Intrinsics: operations that an embedding program adds, without rebuilding Braid.
#pragma once

#include <braid/type.h>
#include <braid/value.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace braid {

/// The refined types of a module; what can be done with it is in braid/lattice.h.
class TypeTable;

/// What an intrinsic does beside computing its result, as a set.
enum class Effects : uint32_t {
  pure = 0,
  reads_memory = 1,
  writes_memory = 2,
  may_throw = 4,  ///< without it, `IntrinsicResult::raise` ends the run with a trap
  host = 8,  ///< input, output, anything outside of the program
};
constexpr Effects operator|(Effects a, Effects b) {
  return static_cast<Effects>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));
}
constexpr bool has(Effects set, Effects part) {
  return (static_cast<uint32_t>(set) & static_cast<uint32_t>(part)) != 0;
}

/// Answer of an evaluation: a value, or the name of an exception that is thrown.
struct IntrinsicResult {
  Value value;
  std::string thrown;  ///< empty: nothing is thrown
  IntrinsicResult(Value v) : value(std::move(v)) {}
  static IntrinsicResult raise(std::string name) {
    IntrinsicResult result{Value{}};
    result.thrown = std::move(name);
    return result;
  }
};

using IntrinsicEval = std::function<IntrinsicResult(std::span<const Value> operands)>;
/// Narrows the result type by the operand types, with the functions of braid/lattice.h; what it answers is met with the
/// signature's result, and a type of another module says nothing. It is asked again where operands became narrower: then its answer must be as narrow, or narrower.
using IntrinsicType = std::function<Type(TypeTable& types, std::span<const Type> operands)>;

struct IntrinsicDef {
  std::string name;  ///< dotted, as in `sat.add`: it stands in the text like an op
  std::vector<Type> params;
  Type result = void_type;
  Effects effects = Effects::pure;
  IntrinsicEval evaluate = {};
  IntrinsicType refine = {};
};

}  // namespace braid
