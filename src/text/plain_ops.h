// The ops that stand in nearly every line, by their names packed into a word: a hash table made by the compiler.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "ir/op.h"

namespace braid::text {

/// A word of up to eight bytes as one number; of a longer one, the last eight bytes.
constexpr uint64_t packed(std::string_view word) {
  uint64_t bytes = 0;
  for (char c : word) bytes = bytes << 8 | static_cast<unsigned char>(c);
  return bytes;
}

struct PlainOp {
  enum class Form : uint8_t {
    none,
    result,      ///< shows its own type; the operands are values
    comparison,  ///< shows the type of its operands
    phi,
    jump,
    branch,
    ret,
  };
  uint64_t name = 0;
  ir::Op op{};
  Form form = Form::none;
  uint8_t count = 0;      ///< operands
  bool literals = false;  ///< a literal operand has the type that is shown
};

class PlainOps {
 public:
  constexpr PlainOps() {
    uint32_t number = 0;
#define SECTION(title)
#define OP(id, text, operands, rule, traits, shown, doc) \
  add(static_cast<ir::Op>(number++), text, operands, ir::TypeRule::rule);
#include "ir/ops.def"
#undef OP
#undef SECTION
  }

  /// The entry of a name, or one of form `none`.
  constexpr const PlainOp& find(uint64_t name) const {
    uint32_t slot = hash(name);
    while (slots_[slot].name != name && slots_[slot].name != 0) slot = (slot + 1) % slot_count;
    return slots_[slot];
  }

 private:
  static constexpr uint32_t slot_count = 256;
  static constexpr size_t most_letters = 7;  // so that a longer word, packed, is none of these

  static constexpr uint32_t hash(uint64_t name) { return static_cast<uint32_t>((name * 0x9e3779b97f4a7c15u) >> 56); }

  constexpr void add(ir::Op op, std::string_view text, std::string_view operands, ir::TypeRule rule) {
    using Form = PlainOp::Form;
    PlainOp entry{0, op, Form::none, static_cast<uint8_t>(operands.size()), true};
    switch (rule) {
      case ir::TypeRule::int_binary:
      case ir::TypeRule::int_unary:
      case ir::TypeRule::float_binary:
      case ir::TypeRule::float_unary:
      case ir::TypeRule::check_int:
      case ir::TypeRule::check_bounds: entry.form = Form::result; break;
      case ir::TypeRule::load:
        entry.form = Form::result;
        entry.literals = false;
        break;
      case ir::TypeRule::equality:
      case ir::TypeRule::signed_compare:
      case ir::TypeRule::unsigned_compare:
      case ir::TypeRule::float_compare: entry.form = Form::comparison; break;
      case ir::TypeRule::phi: entry.form = Form::phi; break;
      case ir::TypeRule::branch: entry.form = Form::branch; break;
      case ir::TypeRule::ret: entry.form = Form::ret; break;
      default:
        if (op == ir::Op::jump) entry.form = Form::jump;
    }
    if (entry.form == Form::none || text.size() > most_letters) return;
    entry.name = packed(text);
    uint32_t slot = hash(entry.name);
    while (slots_[slot].name != 0) slot = (slot + 1) % slot_count;
    slots_[slot] = entry;
    ++used_;
  }

  std::array<PlainOp, slot_count> slots_{};
  uint32_t used_ = 0;

 public:
  constexpr uint32_t used() const { return used_; }
};

inline constexpr PlainOps plain_ops;
static_assert(plain_ops.used() * 3 < 256 && plain_ops.find(packed("add")).op == ir::Op::add);

}  // namespace braid::text
