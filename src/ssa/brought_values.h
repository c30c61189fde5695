// What jumps bring to blocks with phis by hand: values with their types, and numbers, which take the types of their phis;
// and mistakes with them.
#pragma once

#include <braid/builder.h>

#include <cstdint>
#include <vector>

#include "ssa/block_end.h"

namespace braid::ssa {

using detail::TypedWord;

class BroughtValues {
 public:
  /// The word of a number of this type.
  using WordOfNumber = uint32_t (*)(void* context, const Arg& number, Type type);

  BroughtValues(WordOfNumber word_of_number, void* context) : word_of_number_(word_of_number), context_(context) {}

  /// What no value has for a type.
  static constexpr Type number{0xffffffffu};
  TypedWord add_number(const Arg& value) {
    numbers_.push_back(value);
    return TypedWord::of(static_cast<uint32_t>(numbers_.size()) - 1, number);
  }
  /// What is written as the operand of a phi, which has this type, of the block with this label.
  uint32_t word(const BlockEnd& at, uint32_t label, TypedWord value, Type type) {
    if (value.type() == type) [[likely]] return value.word();
    if (value.type() == number) return word_of_number_(context_, numbers_[value.word()], type);
    if (!at.f->module().types.leq(value.type(), type)) mistakes.push_back({label, at.loc, 0, 0, type, value.type()});
    return value.word();
  }

  /// Wrong numbers or types of values.
  struct Mistake {
    uint32_t label;
    ir::Loc loc;
    uint32_t phis, values;
    Type phi_type = none, type = none;  ///< if the types are wrong

    bool is_count() const { return phi_type == none; }
  };
  void wrong_count(const BlockEnd& at, uint32_t label, uint32_t phis, uint32_t values) {
    mistakes.push_back({label, at.loc, phis, values});
  }
  std::vector<Mistake> mistakes;

 private:
  WordOfNumber word_of_number_;
  void* context_;
  std::vector<Arg> numbers_;
};

}  // namespace braid::ssa
