// The meaning of dynamic operations: the one place, as ir/eval_op.h is for plain ones. What differs between languages stands
// in the table of ir/language.h.
//
// Every operation has an answer for every value: a value, an error, or that there is no room for a new string.
#pragma once

#include <braid/type.h>

#include <cstdint>
#include <string_view>

#include "ir/language.h"
#include "ir/op.h"

namespace braid::ir {

/// A value with its kind at this moment. A null reference is `null`; a reference to anything but a string is `ref`.
struct Dynamic {
  Kind kind = Kind::null_;
  uint64_t bits = 0;
};

/// Where the text of strings comes from and goes to: the runtime in an engine, the module's symbols in the constant folder.
class DynamicStrings {
 public:
  virtual ~DynamicStrings() = default;
  /// Valid until the next `make`.
  virtual std::string_view text(uint64_t reference) const = 0;
  /// 0 if there is no room.
  virtual uint64_t make(std::string_view text) = 0;
};

struct DynamicResult {
  enum class State : uint8_t { value, throws, no_room };
  State state = State::value;
  ErrorKind error = ErrorKind::type;
  Dynamic value{};

  static DynamicResult of(Kind kind, uint64_t bits) { return {State::value, ErrorKind::type, {kind, bits}}; }
  static DynamicResult raise(ErrorKind error) { return {State::throws, error, {}}; }
};

/// The result of an operation of rule `dynamic`. `b` is read by those with two operands.
DynamicResult eval_dynamic(const Language& language, Op op, Dynamic a, Dynamic b, DynamicStrings& strings);

}  // namespace braid::ir
