// Which record, field, function or array every name of a program is.
#pragma once

#include <braid/expected.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/source_file.h"
#include "front/pandasm/program.h"

namespace braid::pandasm {

inline constexpr uint32_t unlinked = 0xffffffffu;

struct FieldLink {
  uint32_t record = unlinked, field = unlinked;
};

/// By symbol: nothing is linked that is not named so. Numbers are positions in the program's vectors.
struct Links {
  std::vector<uint32_t> records, arrays;
  std::vector<FieldLink> fields;               ///< of `R.f`
  std::vector<uint32_t> extends;               ///< by record: what it extends, or unlinked
  std::vector<std::vector<uint32_t>> callees;  ///< by function, then as it names them
};

/// Adds the records that every program knows and that this one does not declare. Errors: names that nothing has, functions and
/// fields that are there twice, calls that fit several functions, records that extend themselves. O(size).
Expected<Links> link(const SourceFile& source, Program& program);

/// Nothing if there is none with this key.
const Attribute* find_attribute(const Program& program, std::span<const Attribute> attributes, std::string_view key);

}  // namespace braid::pandasm
