// Values as text on a command line and in golden files: what `to_string(Value)` prints, and hex.
#pragma once

#include <braid/expected.h>
#include <braid/value.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/function.h"

namespace braid::driver {

/// A value of this type, by the rules for literals in the text form: `5`, `-1`, `0xff` (the bits of an i8 -1), `true`, `1.5`,
/// `0x1.8p+0`, `nan`, `-inf`, `null`; also a tuple of them, `(1, true)`, and a pointer as a number. Where a type has several
/// kinds, the first that fits is taken.
Expected<Value> parse_value(ir::Module& module, Type type, std::string_view text);

/// One text per parameter.
Expected<std::vector<Value>> parse_values(const ir::Function& f, std::span<const std::string> texts);

}  // namespace braid::driver
