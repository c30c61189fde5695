// Text in quotes, as `.braid` text and outputs have it: `"` and `\\` behind a `\\`, what is no visible ASCII as two hex digits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace braid {

void append_quoted(std::string& out, std::string_view text);

/// At a `\\`: moves behind the escape and answers its character; `end` is the end of the text. Nothing if it is none.
std::optional<char> take_escape(const char*& at, const char* end);

/// The text in quotes that is all of `text`; nothing if it is not that.
std::optional<std::string> parse_quoted(std::string_view text);

}  // namespace braid
