#include "front/pandasm/opcode.h"

#include <array>

namespace braid::pandasm {

namespace {

/// Open addressing; half of the places are free.
constexpr uint32_t place_count = 1024;
constexpr uint16_t no_opcode = 0xffff;
static_assert(2 * opcode_count <= place_count);

constexpr uint32_t place_of(std::string_view text) {
  uint32_t hash = 0;
  for (char c : text) hash = hash * 31 + static_cast<unsigned char>(c);
  return (hash ^ hash >> 10) % place_count;
}

constexpr auto places = [] {
  std::array<uint16_t, place_count> numbers{};
  for (uint16_t& number : numbers) number = no_opcode;
  for (uint16_t i = 0; i < opcode_count; ++i) {
    uint32_t place = place_of(opcode_table[i].text);
    while (numbers[place] != no_opcode) place = (place + 1) % place_count;
    numbers[place] = i;
  }
  return numbers;
}();

}  // namespace

std::optional<Opcode> find_opcode(std::string_view text) {
  for (uint32_t place = place_of(text); places[place] != no_opcode; place = (place + 1) % place_count)
    if (opcode_table[places[place]].text == text) return static_cast<Opcode>(places[place]);
  return std::nullopt;
}

}  // namespace braid::pandasm
