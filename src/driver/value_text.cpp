#include "driver/value_text.h"

#include <optional>

#include "base/number_text.h"
#include "base/quoted.h"
#include "driver/golden_file.h"
#include "ir/bits.h"
#include "ir/strings.h"
#include "type/type_text.h"

namespace braid::driver {

using namespace ir;

namespace {

/// What is wrong with a text, most helpful last.
enum class Fault : uint8_t { none, not_one, out_of_range };

std::optional<uint64_t> integer_bits(Kind kind, std::string_view text, Fault& fault) {
  if (kind == Kind::i1 && (text == "true" || text == "false")) return text == "true";
  bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  ParsedNumber<uint64_t> magnitude = parse_u64(text);
  if (magnitude) {
    bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if (auto bits = literal_bits(kind, is_negative, is_hexadecimal, *magnitude)) return *bits;
  }
  fault = magnitude || magnitude.status == NumberStatus::out_of_range ? Fault::out_of_range : Fault::not_one;
  return std::nullopt;
}

std::optional<Value> value_of_kind(Kind kind, std::string_view text, Fault& fault) {
  auto check = [&](auto number) -> std::optional<Value> {
    if (number) return Value(*number);
    fault = number.status == NumberStatus::out_of_range ? Fault::out_of_range : Fault::not_one;
    return std::nullopt;
  };
  switch (kind) {
    case Kind::i1:
    case Kind::i8:
    case Kind::i16:
    case Kind::i32:
    case Kind::i64:
      if (auto bits = integer_bits(kind, text, fault)) return Value(of(kind), *bits);
      return std::nullopt;
    case Kind::f32: return check(parse_f32(text));
    case Kind::f64: return check(parse_f64(text));
    case Kind::ptr:
      if (auto number = parse_u64(text)) return Value(ptr, *number);
      [[fallthrough]];
    case Kind::ref:
    case Kind::null_:
      if (text == "null") return Value(of(kind), 0);
      break;
    default: break;
  }
  fault = Fault::not_one;
  return std::nullopt;
}

/// As the text form begins a function: `@f(n: i64) -> i64`.
std::string signature_text(const Function& f) {
  const Module& module = f.module();
  std::string text = "@" + std::string(f.name_text()) + "(";
  for (uint32_t i = 0; i < f.param_count(); ++i) {
    if (i != 0) text += ", ";
    if (i < f.param_names.size() && !is_none(f.param_names[i])) text += std::string(module.name(f.param_names[i])) + ": ";
    text += to_string(module.types, f.param_type(i));
  }
  return text + ") -> " + to_string(module.types, f.result_type());
}

}  // namespace

Expected<Value> parse_value(Module& module, Type type, std::string_view text) {
  auto fail = [&](std::string why) {
    Diagnostic diagnostic;
    diagnostic.message = "'" + std::string(text) + "' is " + why + " " + to_string(module.types, type);
    return diagnostic;
  };
  if (text.starts_with('(') && text.ends_with(')') && module.types.has_elements(type)) {
    std::vector<std::string> parts = split_arguments(text.substr(1, text.size() - 2));
    std::span<const Type> elements = module.types.elements(type);
    if (parts.size() != elements.size()) return fail("not of the type");
    Value tuple(tuple_type, 0);
    for (size_t i = 0; i < parts.size(); ++i) {
      Expected<Value> element = parse_value(module, elements[i], parts[i]);
      if (!element) return element;
      tuple.elements.push_back(*element);
    }
    return tuple;
  }
  Fault worst = Fault::not_one;
  for (int kind = 0; kind < kind_count; ++kind) {
    if ((module.types.kinds(type) & kind_bit(static_cast<Kind>(kind))) == 0) continue;
    if (static_cast<Kind>(kind) == Kind::string) {
      if (std::optional<std::string> string = parse_quoted(text))
        return Value(string_type, string_literal(module.symbol(*string)));
      continue;
    }
    Fault fault = Fault::none;
    std::optional<Value> value = value_of_kind(static_cast<Kind>(kind), text, fault);
    if (value && is_integer(static_cast<Kind>(kind))) {
      auto [low, high] = module.types.range(type, static_cast<Kind>(kind));
      if (value->as_i64() < low || value->as_i64() > high) fault = Fault::out_of_range;
    }
    if (value && fault == Fault::none) return *value;
    if (fault == Fault::out_of_range) worst = fault;
  }
  return fail(worst == Fault::out_of_range ? "out of range for" : "not of the type");
}

Expected<std::vector<Value>> parse_values(const Function& f, std::span<const std::string> texts) {
  Diagnostics errors;
  std::string name = "'@" + std::string(f.name_text()) + "'";
  if (texts.size() != f.param_count()) {
    errors.error(name + " takes " + std::to_string(f.param_count()) +
                 (f.param_count() == 1 ? " argument" : " arguments") + ", not " + std::to_string(texts.size()) + ": " +
                 signature_text(f));
    return errors;
  }
  std::vector<Value> values;
  for (uint32_t i = 0; i < texts.size(); ++i) {
    Expected<Value> value = parse_value(f.module(), f.param_type(i), texts[i]);
    if (value)
      values.push_back(std::move(*value));
    else
      errors.error("argument " + std::to_string(i + 1) + " of " + name + ": " + value.error()[0].message);
  }
  if (errors.has_errors()) return errors;
  return values;
}

}  // namespace braid::driver
