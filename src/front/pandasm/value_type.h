// What the verifier knows of a register: the storage of its value, and of a reference which record or array it is.
#pragma once

#include <string>

#include "front/pandasm/link.h"

namespace braid::pandasm {

struct ValueType {
  enum class Kind : uint8_t {
    undefined,  ///< not assigned on some path
    mixed,      ///< different storage on different paths
    i32, i64, f32, f64,
    null,       ///< the reference that points to nothing
    reference,
  };
  Kind kind = Kind::undefined;
  Type type = {};  ///< of a reference

  bool is_reference() const { return kind == Kind::null || kind == Kind::reference; }
  bool operator==(const ValueType&) const = default;
};

/// Types of values over the records of a program.
class ValueTypes {
 public:
  ValueTypes(const Program& program, const Links& links);

  static ValueType of(ValueType::Kind kind) { return {kind, {}}; }
  static ValueType reference(const Type& type) { return {ValueType::Kind::reference, type}; }
  /// What a register holds that has a value of this declared type; undefined for void and any.
  static ValueType holding(const Type& type);
  /// A record that every program knows.
  ValueType known(std::string_view name) const;

  /// What is true of both.
  ValueType join(const ValueType& a, const ValueType& b) const;
  /// Whether the value may stand where a value of the declared type is wanted.
  bool fits(const ValueType& value, const Type& wanted) const;
  bool is_subtype(const Type& a, const Type& b) const;
  /// For messages: `i32`, `panda.String`, `null`.
  std::string text(const ValueType& value) const;

 private:
  Type common(const Type& a, const Type& b) const;
  Symbol above(Symbol record) const;

  const Program& program_;
  const Links& links_;
  Type object_;
};

}  // namespace braid::pandasm
