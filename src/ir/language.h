// What the dynamic operations mean: a table of rules per language. The evaluator (ir/dynamic.h) and the types of dynamic
// operations (ir/dynamic_types.h) both read it, and nothing else decides what a language means.
#pragma once

#include <braid/type.h>

#include <cstdint>
#include <string_view>

#include "ir/runtime.h"

namespace braid::ir {

struct Language {
  /// What an integer result that does not fit becomes.
  enum class Overflow : uint8_t { to_float, wraps };
  /// The quotient of two integers: an integer if it is exact, or a float always.
  enum class Division : uint8_t { exact_or_float, always_float };
  /// Which strings arithmetic takes as numbers: none; those that are one, with white space around; what a string begins with.
  enum class StringNumbers : uint8_t { none, whole, leading };

  std::string_view name;
  KindSet values;                  ///< the kinds that a value may have
  KindSet numbers;                 ///< the kinds that arithmetic takes as numbers; any other throws `type`
  Overflow overflow;
  Division division;
  StringNumbers string_numbers;
  bool strings_compare_as_numbers; ///< two strings that are both numbers are compared as such, and a number with a string
  bool bitwise_on_strings;         ///< and, or, xor of two strings, not of one, work byte by byte
  bool zero_string_is_false;       ///< the string "0" is false, as the empty one is
  int float_digits;                ///< significant digits of a float that becomes a string
  bool division_by_zero_throws;    ///< `zero`; otherwise a float quotient is an infinity or NaN
};

/// By LanguageId; null for `none`.
const Language* language(LanguageId id);
/// `LanguageId::none` if there is none of this name.
LanguageId find_language(std::string_view name);

}  // namespace braid::ir
