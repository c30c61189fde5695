// Floats as text that keeps every bit: C's hexadecimal form, written and read without the C library, so that
// neither locale nor platform shows. `0x1.8p+1`, `-0x0p+0`, `inf`, `-inf`, `nan:0x7ff8000000000000` (all bits
// of the NaN).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <braid/type.h>

namespace braid {

void append_float(std::string& out, Kind kind, uint64_t bits);

/// Reads a float at `pos` and moves `pos` behind it. What the kind cannot hold exactly is an error: then
/// `pos` is where the fault is and `error` says what it is.
std::optional<uint64_t> parse_float(Kind kind, std::string_view text, size_t& pos, std::string& error);

}  // namespace braid
