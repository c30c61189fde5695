// Value operands: what a statement reads, as one tagged 32-bit word.
//
// Three id types name statements, and none converts into another: `Ref` is a position now, `OldRef` a position before the
// compaction that is under way, `NewRef` an entry of the insertion buffer.
#pragma once

#include <cassert>
#include <cstdint>
#include <functional>

#include "base/id.h"

namespace braid::ir {

enum class Ref : uint32_t {};      ///< a statement, by its position
enum class OldRef : uint32_t {};   ///< a statement of the function that is being compacted; behind the last one, its insertion buffer
enum class NewRef : uint32_t {};   ///< a statement that waits in the insertion buffer
enum class BlockId : uint32_t {};
enum class EdgeId : uint32_t {};
enum class VarId : uint32_t {};
enum class FuncId : uint32_t {};
enum class GlobalId : uint32_t {};
enum class IntrinsicId : uint32_t {};
enum class SigId : uint32_t {};
enum class Loc : uint32_t {};      ///< a source location in the module's table; 0 is "none"

class Operand {
 public:
  enum class Tag : uint32_t {
    stmt,           ///< a statement of the same function
    pending,        ///< a statement in the insertion buffer
    param,          ///< a parameter; the last numbers are `undef` and `erased`
    constant,       ///< an entry of the module's constant table
    small,          ///< an integer constant that fits in the word
    old,            ///< only while compacting, in finished statements: not emitted yet
    final_stmt,     ///< only while compacting, in waiting statements: already emitted
    final_pending,  ///< only while compacting, in waiting statements: inserted behind the walk
  };
  static constexpr uint32_t index_bits = 29;
  static constexpr uint32_t max_index = (1u << index_bits) - 1;

  constexpr Operand() : word_(undef().word_) {}
  constexpr Operand(Ref r) : word_(index_of(index(r), Tag::stmt)) {}
  constexpr Operand(NewRef r) : word_(index_of(index(r), Tag::pending)) {}
  constexpr Operand(OldRef r) : word_(index_of(index(r), Tag::old)) {}
  static constexpr Operand make(Tag tag, uint32_t index) { return from_word(index_of(index, tag)); }
  static constexpr Operand from_word(uint32_t word) {
    Operand result{Private{}};
    result.word_ = word;
    return result;
  }
  static constexpr Operand param(uint32_t number) { return make(Tag::param, number); }
  /// Not defined here. May flow only through phi, phi_c, upsilon, pi, same, set and save states.
  static constexpr Operand undef() { return make(Tag::param, max_index); }
  /// A use whose statement was erased. The verifier rejects it.
  static constexpr Operand erased() { return make(Tag::param, max_index - 1); }

  constexpr uint32_t word() const { return word_; }
  constexpr Tag tag() const { return static_cast<Tag>(word_ >> index_bits); }
  constexpr uint32_t number() const { return word_ & max_index; }

  constexpr bool is_undef() const { return *this == undef(); }
  constexpr bool is_erased() const { return *this == erased(); }
  constexpr bool is_stmt() const { return tag() == Tag::stmt; }
  constexpr bool is_pending() const { return tag() == Tag::pending; }
  constexpr bool is_param() const { return tag() == Tag::param && number() < max_index - 1; }
  constexpr bool is_constant() const { return tag() == Tag::constant || tag() == Tag::small; }
  constexpr bool is_old() const { return tag() == Tag::old; }

  constexpr Ref ref() const {
    assert(is_stmt());
    return static_cast<Ref>(number());
  }
  constexpr NewRef new_ref() const {
    assert(is_pending());
    return static_cast<NewRef>(number());
  }
  constexpr OldRef old_ref() const {
    assert(is_old());
    return static_cast<OldRef>(number());
  }

  friend constexpr bool operator==(Operand, Operand) = default;

 private:
  struct Private {};
  explicit constexpr Operand(Private) : word_(0) {}
  static constexpr uint32_t index_of(uint32_t index, Tag tag) {
    return (static_cast<uint32_t>(tag) << index_bits) | index;
  }
  uint32_t word_;
};

static_assert(sizeof(Operand) == 4);

}  // namespace braid::ir

template <>
struct std::hash<braid::ir::Operand> {
  size_t operator()(braid::ir::Operand operand) const noexcept { return operand.word() * 0x9e3779b97f4a7c15ull; }
};
