// Operations: the enumeration, and what the op table says of each.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace braid::ir {

enum class Op : uint16_t {
#define SECTION(title)
#define OP(id, text, operands, rule, traits, shown, doc) id,
#include "ir/ops.def"
#undef OP
#undef SECTION
};

inline constexpr unsigned op_count = 0
#define SECTION(title)
#define OP(id, text, operands, rule, traits, shown, doc) +1
#include "ir/ops.def"
#undef OP
#undef SECTION
    ;

/// What an operand slot holds.
enum class OperandKind : uint8_t { value, block, variable, function, global, intrinsic, symbol, signature, type, immediate };

/// How operand types and the result type hang together; `transfer` computes by it, the verifier checks by it.
enum class TypeRule : uint8_t {
  none, same, int_binary, int_unary, overflow, float_binary, float_unary, equality, signed_compare,
  unsigned_compare, float_compare, int_narrow, int_extend, int_to_float, float_to_int, float_extend,
  float_narrow, bitcast, ptr_to_int, int_to_ptr, select, tuple, extract, box, unbox, call, call_indirect,
  func_addr, intrinsic, stack_slot, global_addr, load, store, mem_copy, mem_fill, ptr_add, ptr_diff, get, set,
  is_defined, phi, pi, upsilon, phi_c, leave, the_exception, pop_exception, throw_undef, check_null, check_int,
  check_bounds, check_overflow, check_true, save_state, state_use, guard, branch, switch_, ret, throw_, enter,
  deopt, dynamic, kind_test, variant_make, variant_tag, variant_get
};

/// Which type the text form shows behind the op.
enum class TypeShown : uint8_t { nothing, result, operand, convert, special };

/// Effects and properties, as a set.
using Traits = uint32_t;
inline constexpr Traits no_traits = 0;
inline constexpr Traits commutes = 1u << 0;          ///< its two operands may be swapped
inline constexpr Traits terminator = 1u << 1;        ///< ends a block
inline constexpr Traits identity = 1u << 2;          ///< each execution gives a new thing: may be removed, not merged
inline constexpr Traits reads_memory = 1u << 3;
inline constexpr Traits writes_memory = 1u << 4;
inline constexpr Traits reads_variable = 1u << 5;
inline constexpr Traits writes_variable = 1u << 6;
inline constexpr Traits reads_exception = 1u << 7;   ///< depends on the exception being handled
inline constexpr Traits handlers = 1u << 8;          ///< changes the handler or the exception stack
inline constexpr Traits throws = 1u << 9;            ///< may throw an exception
inline constexpr Traits traps = 1u << 10;            ///< may end the program (bad address); not an exception
inline constexpr Traits host_effect = 1u << 11;      ///< input, output, anything outside
inline constexpr Traits safepoint_effect = 1u << 12; ///< the runtime may look at and change the frame here
inline constexpr Traits deoptimises = 1u << 13;      ///< may leave the compiled code
inline constexpr Traits allocates = identity;        ///< a new object: removable when unused
inline constexpr Traits idempotent = 1u << 14;       ///< doing it again changes nothing: may stand behind a state
inline constexpr Traits declared_effect = 1u << 15;  ///< the effects stand in the intrinsic's declaration
inline constexpr Traits any_effect =
    reads_memory | writes_memory | throws | traps | host_effect | safepoint_effect;
/// What keeps an unused statement alive. A throwing operation is an effect: never dead code.
inline constexpr Traits keeps_alive = terminator | writes_memory | writes_variable | handlers | throws | traps |
                                      host_effect | safepoint_effect | deoptimises;

struct OpInfo {
  std::string_view id;        ///< the enumerator, as C++ spells it
  std::string_view text;      ///< the name in `.braid` text
  std::string_view operands;  ///< the operand letters of the table
  TypeRule rule;
  Traits traits;
  TypeShown shown;
  std::string_view section;
  std::string_view doc;

  uint8_t fixed_count;        ///< operands before the repeating group
  uint8_t group_count;        ///< operands in the repeating group, 0 if there is none
  uint8_t value_mask;         ///< bit i: operand i < 8 is a value, taking the group as often as needed
  OperandKind fixed[8];
  OperandKind group[2];

  constexpr OperandKind kind_of(uint32_t operand) const {
    return operand < fixed_count ? fixed[operand] : group[(operand - fixed_count) % group_count];
  }
  constexpr bool is_value(uint32_t operand) const {
    if (operand < 8) return (value_mask >> operand & 1) != 0;
    return group[(operand - fixed_count) % group_count] == OperandKind::value;
  }
  /// Whether this many operands fit the table.
  constexpr bool arity_ok(uint32_t count) const {
    if (count < fixed_count) return false;
    return group_count == 0 ? count == fixed_count : (count - fixed_count) % group_count == 0;
  }
};

extern const OpInfo op_table[op_count];

inline const OpInfo& info(Op op) { return op_table[static_cast<unsigned>(op)]; }
inline bool has(Op op, Traits traits) { return (info(op).traits & traits) != 0; }
inline bool is_terminator(Op op) { return has(op, terminator); }
inline bool is_phi_like(Op op) { return op == Op::phi || op == Op::phi_c; }

/// The op with this text name. O(log ops).
std::optional<Op> find_op(std::string_view text);

/// The comparison that holds exactly if this one does not. Orders of floats have none: both fail on a NaN.
std::optional<Op> opposite_comparison(Op op);
/// The comparison with its operands the other way round; the same op if it is none, or if that changes nothing.
Op swapped_comparison(Op op);

}  // namespace braid::ir
