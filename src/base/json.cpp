#include "base/json.h"

namespace braid {
namespace {

/// The length of the UTF-8 sequence at `at`; 0 if there is none.
size_t sequence_at(std::string_view text, size_t at) {
  unsigned char first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return 1;
  size_t length = first >= 0xf0 && first < 0xf5   ? 4
                  : first >= 0xe0 && first < 0xf0 ? 3
                  : first >= 0xc2 && first < 0xe0 ? 2
                                                  : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[at + i]) & 0xc0) != 0x80) return 0;
  unsigned char second = static_cast<unsigned char>(text[at + 1]);
  bool is_overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  bool is_no_character = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
  return is_overlong || is_no_character ? 0 : length;
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  constexpr char hex[] = "0123456789abcdef";
  out += '"';
  for (size_t i = 0; i < text.size();) {
    size_t length = sequence_at(text, i);
    unsigned char c = static_cast<unsigned char>(text[i]);
    if (length == 0) {
      out += "\xef\xbf\xbd";
      length = 1;
    } else if (length > 1) {
      out += text.substr(i, length);
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += text[i];
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c < 0x20) {
      out += "\\u00";
      out += hex[c >> 4];
      out += hex[c & 15];
    } else {
      out += text[i];
    }
    i += length;
  }
  out += '"';
}

}  // namespace braid
