// The languages. PHP: version 8, without the warnings that it prints (leading-numeric strings, lost fractions).
#include "ir/language.h"

namespace braid::ir {
namespace {

constexpr KindSet references = (string_type | array_type | object_type | ref).bits;

constexpr Language php = {
    .name = "php",
    .values = (null_type | i1 | i64 | f64).bits | references,
    .numbers = (null_type | i1 | i64 | f64 | string_type).bits,
    .overflow = Language::Overflow::to_float,
    .division = Language::Division::exact_or_float,
    .string_numbers = Language::StringNumbers::leading,
    .strings_compare_as_numbers = true,
    .bitwise_on_strings = true,
    .zero_string_is_false = true,
    .float_digits = 14,
    .division_by_zero_throws = true,
};

constexpr const Language* languages[] = {nullptr, &php};

}  // namespace

const Language* language(LanguageId id) {
  size_t number = static_cast<size_t>(id);
  return number < std::size(languages) ? languages[number] : nullptr;
}

LanguageId find_language(std::string_view name) {
  for (size_t i = 1; i < std::size(languages); ++i)
    if (languages[i]->name == name) return static_cast<LanguageId>(i);
  return LanguageId::none;
}

}  // namespace braid::ir
