// Reading a whole input: a file, or standard input for `-`.
#pragma once

#include <braid/expected.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/source_file.h"

namespace braid::driver {

/// Some editors put a byte order mark in front of a text. In UTF-8 it says nothing, and no column counts it; but where bytes are
/// what a language is made of, it is text.
enum class ByteOrderMark : uint8_t { dropped, kept };

/// The text of a file; `-` is standard input, which is called `<stdin>` in messages. O(size).
Expected<SourceFile> load(const std::string& path, ByteOrderMark mark = ByteOrderMark::dropped);

/// Writes a whole file; `-` is standard output.
Expected<void> save(const std::string& path, std::string_view text);

}  // namespace braid::driver
