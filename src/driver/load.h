// Reading a whole input: a file, or standard input for `-`.
#pragma once

#include <braid/expected.h>

#include <string>
#include <string_view>

#include "base/source_file.h"

namespace braid::driver {

/// The text of a file; `-` is standard input, which is called `<stdin>` in messages. O(size).
Expected<SourceFile> load(const std::string& path);

/// Writes a whole file; `-` is standard output.
Expected<void> save(const std::string& path, std::string_view text);

}  // namespace braid::driver
