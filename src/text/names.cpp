#include "text/names.h"

#include "text/chars.h"

namespace braid::text {

bool is_name(std::string_view text) {
  if (text.empty() || !is(text[0], name_start)) return false;
  for (char c : text)
    if (!is(c, name_part)) return false;
  return true;
}

int64_t number_behind(std::string_view prefix, std::string_view text) {
  constexpr size_t most_digits = 9;
  if (!text.starts_with(prefix)) return -1;
  text.remove_prefix(prefix.size());
  if (text.empty() || text.size() > most_digits || (text[0] == '0' && text.size() > 1)) return -1;
  int64_t number = 0;
  for (char c : text) {
    if (!is(c, decimal)) return -1;
    number = number * 10 + (c - '0');
  }
  return number;
}

void append_number(std::string& out, uint64_t number) {
  char digits[20];
  char* at = digits + sizeof digits;
  do {
    *--at = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  out.append(at, static_cast<size_t>(digits + sizeof digits - at));
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (char c : text) {
    unsigned char code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (code >= 0x20 && code < 0x7f) {
      out += c;
    } else {
      out += '\\';
      out += "0123456789abcdef"[code >> 4];
      out += "0123456789abcdef"[code & 15];
    }
  }
  out += '"';
}

void append_global_name(std::string& out, std::string_view name) {
  out += '@';
  if (is_name(name))
    out += name;
  else
    append_quoted(out, name);
}

}  // namespace braid::text
