// Whether to write colours to a stream.
#pragma once

#include <cstdio>

namespace braid {

/// True if the stream is a terminal, TERM does not call it `dumb`, and the environment does not set NO_COLOR
/// (https://no-color.org: not empty).
bool colour_wanted(std::FILE* stream);

}  // namespace braid
