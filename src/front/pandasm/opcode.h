// The instructions of static pandasm, and what the table says of each.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace braid::pandasm {

enum class Opcode : uint16_t {
#define OPCODE(id, text, operands, acc_in, acc_out, traits) id,
#include "front/pandasm/opcodes.def"
#undef OPCODE
};

inline constexpr uint32_t opcode_count = 0
#define OPCODE(id, text, operands, acc_in, acc_out, traits) +1
#include "front/pandasm/opcodes.def"
#undef OPCODE
    ;

using OpcodeTraits = uint8_t;
inline constexpr OpcodeTraits no_traits = 0;
inline constexpr OpcodeTraits throws = 1;  ///< may throw an exception
inline constexpr OpcodeTraits jumps = 2;   ///< goes to its label, always or under a condition
inline constexpr OpcodeTraits ends = 4;    ///< what stands behind it is not executed next
inline constexpr OpcodeTraits calls = 8;   ///< its result is that of a function

/// Letters of opcodes.def.
struct OpcodeInfo {
  std::string_view text;
  std::string_view operands;  ///< two letters for each
  char acc_in, acc_out;
  OpcodeTraits traits;

  uint32_t operand_count() const { return static_cast<uint32_t>(operands.size() / 2); }
  char what(uint32_t operand) const { return operands[2 * operand]; }
  char holds(uint32_t operand) const { return operands[2 * operand + 1]; }
};

inline constexpr OpcodeInfo opcode_table[opcode_count] = {
#define OPCODE(id, text, operands, acc_in, acc_out, traits) {text, operands, acc_in, acc_out, traits},
#include "front/pandasm/opcodes.def"
#undef OPCODE
};
inline const OpcodeInfo& info(Opcode opcode) { return opcode_table[static_cast<uint16_t>(opcode)]; }
inline bool has(Opcode opcode, OpcodeTraits traits) { return (info(opcode).traits & traits) != 0; }

/// Its result is a new object, and the function that it calls is the constructor.
constexpr bool makes_object(Opcode opcode) {
  return opcode == Opcode::initobj || opcode == Opcode::initobj_short || opcode == Opcode::initobj_range;
}

/// O(length).
std::optional<Opcode> find_opcode(std::string_view text);

}  // namespace braid::pandasm
