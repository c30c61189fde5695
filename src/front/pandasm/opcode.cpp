#include "front/pandasm/opcode.h"

#include <algorithm>
#include <array>

namespace braid::pandasm {

namespace {

constexpr OpcodeInfo table[opcode_count] = {
#define OPCODE(id, text, operands, acc_in, acc_out, traits) {text, operands, acc_in, acc_out, traits},
#include "front/pandasm/opcodes.def"
#undef OPCODE
};

constexpr auto sorted = [] {
  std::array<uint16_t, opcode_count> numbers{};
  for (uint16_t i = 0; i < opcode_count; ++i) numbers[i] = i;
  std::sort(numbers.begin(), numbers.end(), [](uint16_t a, uint16_t b) { return table[a].text < table[b].text; });
  return numbers;
}();

}  // namespace

const OpcodeInfo& info(Opcode opcode) { return table[static_cast<uint16_t>(opcode)]; }

std::optional<Opcode> find_opcode(std::string_view text) {
  auto found = std::lower_bound(sorted.begin(), sorted.end(), text,
                                [](uint16_t number, std::string_view wanted) { return table[number].text < wanted; });
  if (found == sorted.end() || table[*found].text != text) return std::nullopt;
  return static_cast<Opcode>(*found);
}

}  // namespace braid::pandasm
