// Running passes.
#pragma once

#include <braid/expected.h>
#include <braid/module.h>

#include <string_view>

namespace braid {

/// Runs passes by name, separated by commas, as `braid opt --passes=` does; verifies after each.
Expected<void> optimize(Func& f, std::string_view passes);

}  // namespace braid
