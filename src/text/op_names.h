// The op with a given name: a hash table over the op table, made by the compiler. A few characters of the name decide
// where it stands, so that a lookup costs one comparison.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "ir/op.h"

namespace braid::text {

class OpNames {
 public:
  static constexpr uint32_t none = 0xffff;

  constexpr OpNames() {
    slots_.fill(none);
    uint32_t number = 0;
#define SECTION(title)
#define OP(id, text, operands, rule, traits, shown, doc) add(text, number++);
#include "ir/ops.def"
#undef OP
#undef SECTION
  }

  /// The number of the op, or `none`.
  constexpr uint32_t find(std::string_view name) const {
    if (name.size() < 2) return none;
    for (uint32_t slot = hash(name);; slot = (slot + 1) % slot_count) {
      uint32_t number = slots_[slot];
      if (number == none || same(names_[number], name)) return number;
    }
  }
  constexpr std::span<const std::string_view> all() const { return names_; }
  /// Slots looked at by the worst lookup of an op.
  constexpr uint32_t longest_probe() const { return longest_; }

 private:
  static constexpr uint32_t slot_count = 1024;
  static_assert(ir::op_count * 4 < slot_count);

  /// Names are short: a loop beats a call.
  static constexpr bool same(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) return false;
    return true;
  }
  static constexpr uint32_t hash(std::string_view name) {
    auto at = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(name[i])); };
    size_t last = name.size() - 1;
    uint32_t key = at(0) | at(1) << 8 | at(last) << 16 | (at(last / 2) ^ static_cast<uint32_t>(last << 3)) << 24;
    // The factor was searched for: with it hardly any op shares its slot.
    return (key * 0x055455e9u) >> 22;
  }
  constexpr void add(std::string_view name, uint32_t number) {
    names_[number] = name;
    uint32_t slot = hash(name), probe = 1;
    for (; slots_[slot] != none; slot = (slot + 1) % slot_count) ++probe;
    slots_[slot] = static_cast<uint16_t>(number);
    if (probe > longest_) longest_ = probe;
  }

  std::array<uint16_t, slot_count> slots_{};
  std::array<std::string_view, ir::op_count> names_{};
  uint32_t longest_ = 0;
};

inline constexpr OpNames op_names;
static_assert(op_names.longest_probe() <= 4);

}  // namespace braid::text
