// The lattice of types: what is known of a value beyond its kind. A plain type is a set of kinds (braid/type.h); a refined one
// adds a constant, a range, a class or the elements of a tuple, and belongs to its module: elsewhere it is none, or another one.
#pragma once

#include <braid/expected.h>
#include <braid/module.h>
#include <braid/type.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace braid {

/// The text of a type, as in a listing: `i64[0..9]`, `i64|null`, `(i64, i1)`.
std::string to_text(const Module& m, Type type);
Expected<Type> parse_type(Module& m, std::string_view text);

/// The kinds of its values.
KindSet kinds(const Module& m, Type type);
/// The least type that has the values of both; the greatest that has only common ones.
Type join(Module& m, Type a, Type b);
Type meet(Module& m, Type a, Type b);
/// Every value of `a` is a value of `b`.
bool is_within(const Module& m, Type a, Type b);

/// Integers from `low` to `high`. One that says nothing is the plain type, one without values is `none`.
Type int_range(Module& m, Kind kind, int64_t low, int64_t high);
Type tuple_of(Module& m, std::span<const Type> elements);
/// The least and the greatest integer of this kind in the type; nothing if it has none.
std::optional<std::pair<int64_t, int64_t>> range_of(const Module& m, Type type, Kind kind);

// The same where there is a table of types and no module: in `IntrinsicDef::refine`.
KindSet kinds(const TypeTable& types, Type type);
Type join(TypeTable& types, Type a, Type b);
Type meet(TypeTable& types, Type a, Type b);
bool is_within(const TypeTable& types, Type a, Type b);
Type int_range(TypeTable& types, Kind kind, int64_t low, int64_t high);
Type tuple_of(TypeTable& types, std::span<const Type> elements);
std::optional<std::pair<int64_t, int64_t>> range_of(const TypeTable& types, Type type, Kind kind);

/// The type of a statement, by its number in the listing; `void_type` if it has no value, `none` if there is no such statement.
Type type_of(const Func& f, uint32_t statement);
/// As narrow a type as follows from the operation and the types of its operands, constants and ranges included.
Type narrow_type_of(const Func& f, uint32_t statement);
Type result_type(const Func& f);

}  // namespace braid
