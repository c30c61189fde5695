#include "front/pandasm/static_values.h"

#include "front/pandasm/link.h"
#include "front/pandasm/literal.h"

namespace braid::pandasm {

std::optional<uint64_t> static_value(const Program& program, const Field& field) {
  const Attribute* value = find_attribute(program, field.attributes, "value");
  if (value == nullptr || is_none(value->value)) return std::nullopt;
  const std::string_view text = program.symbols.view(value->value);
  const bool is_f64 = field.type.primitive == Primitive::f64;
  if (is_f64 || field.type.primitive == Primitive::f32) return parse_real(text, is_f64);
  const std::optional<uint64_t> number = parse_integer(text);
  return number ? narrow(*number, integer_bits(field.type.primitive)) : std::nullopt;
}

}  // namespace braid::pandasm
