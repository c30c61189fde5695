// The operations on managed values that a module of pandasm has as intrinsics: intrinsics.def.
#pragma once

#include <cstdint>
#include <string_view>

#include "ir/module.h"

namespace braid::pandasm {

enum class Managed : uint8_t {
#define INTRINSIC(id, text, parameters, result, traits) id,
#include "front/pandasm/intrinsics.def"
#undef INTRINSIC
};
inline constexpr uint32_t managed_count = 0
#define INTRINSIC(id, text, parameters, result, traits) +1
#include "front/pandasm/intrinsics.def"
#undef INTRINSIC
    ;

struct ManagedInfo {
  std::string_view text, parameters;  ///< one letter for each parameter
  char result;
  ir::Traits traits;
};
const ManagedInfo& info(Managed operation);

/// The type that a letter of the table stands for.
braid::Type type_of_letter(char letter);

}  // namespace braid::pandasm
