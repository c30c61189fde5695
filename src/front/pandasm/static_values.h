// What static fields hold before anything runs: `<static, value=5>`.
#pragma once

#include <cstdint>
#include <optional>

#include "front/pandasm/program.h"

namespace braid::pandasm {

/// The canonical bits of the attribute `value` of a field that is no reference; nothing if it is not there or no such number.
std::optional<uint64_t> static_value(const Program& program, const Field& field);

}  // namespace braid::pandasm
