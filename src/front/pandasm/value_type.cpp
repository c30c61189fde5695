#include "front/pandasm/value_type.h"

#include <algorithm>

#include "front/pandasm/pandasm.h"

namespace braid::pandasm {

using Kind = ValueType::Kind;

ValueTypes::ValueTypes(const Program& program, const Links& links)
    : program_(program), links_(links), object_(known("panda.Object").type) {}

ValueType ValueTypes::holding(const Type& type) {
  if (type.dimensions != 0) return reference(type);
  switch (type.primitive) {
    case Primitive::void_:
    case Primitive::any: return {};
    case Primitive::i64:
    case Primitive::u64: return of(Kind::i64);
    case Primitive::f32: return of(Kind::f32);
    case Primitive::f64: return of(Kind::f64);
    case Primitive::record: return reference(type);
    default: return of(Kind::i32);
  }
}

ValueType ValueTypes::known(std::string_view name) const {
  return reference({Primitive::record, 0, program_.symbols.find(name)});
}

Symbol ValueTypes::above(Symbol record) const {
  const uint32_t above = links_.extends[links_.records[index(record)]];
  return above == unlinked ? none_id<Symbol> : program_.records[above].name;
}

bool ValueTypes::is_subtype(const Type& a, const Type& b) const {
  if (a == b || b == object_) return true;
  // An array of arrays is an array of objects.
  if (b.primitive == Primitive::record && b.record == object_.record && b.dimensions != 0)
    return a.dimensions > b.dimensions || (a.dimensions == b.dimensions && a.primitive == Primitive::record);
  if (a.dimensions != b.dimensions || a.primitive != Primitive::record || b.primitive != Primitive::record) return false;
  Symbol at = a.record;
  while (!is_none(at) && at != b.record) at = above(at);
  return !is_none(at);
}

/// The nearest type that both are.
Type ValueTypes::common(const Type& a, const Type& b) const {
  if (is_subtype(a, b)) return b;
  if (is_subtype(b, a)) return a;
  if (a.dimensions != b.dimensions || a.primitive != Primitive::record || b.primitive != Primitive::record) {
    // As many dimensions as both have in common, of objects.
    Type type = object_;
    const uint8_t least = std::min(a.dimensions, b.dimensions);
    auto inner_is_object = [&](const Type& t) { return t.dimensions > least || t.primitive == Primitive::record; };
    if (least == 0) return type;
    type.dimensions = inner_is_object(a) && inner_is_object(b) ? least : static_cast<uint8_t>(least - 1);
    return type;
  }
  Type type = a;
  while (!is_subtype(b, type)) type.record = above(type.record);
  return type;
}

ValueType ValueTypes::join(const ValueType& a, const ValueType& b) const {
  if (a == b) return a;
  if (a.kind == Kind::undefined || b.kind == Kind::undefined) return {};
  if (!a.is_reference() || !b.is_reference()) return of(Kind::mixed);
  if (a.kind == Kind::null) return b;
  if (b.kind == Kind::null) return a;
  return reference(common(a.type, b.type));
}

bool ValueTypes::fits(const ValueType& value, const Type& wanted) const {
  const ValueType place = holding(wanted);
  if (!place.is_reference()) return value.kind == place.kind && value.kind != Kind::undefined;
  return value.kind == Kind::null || (value.kind == Kind::reference && is_subtype(value.type, wanted));
}

std::string ValueTypes::text(const ValueType& value) const {
  constexpr std::string_view names[] = {"nothing", "different things", "i32", "i64", "f32", "f64", "null"};
  if (value.kind != Kind::reference) return std::string(names[static_cast<size_t>(value.kind)]);
  std::string out;
  append_type(out, program_, value.type);
  return out;
}

}  // namespace braid::pandasm
