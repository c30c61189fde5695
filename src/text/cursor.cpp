#include "text/cursor.h"

#include "base/quoted.h"

namespace braid::text {

bool Cursor::number(uint64_t& value, uint64_t most, const char* what) {
  blanks();
  const char* first = at;
  if (!is(*at, decimal)) return fail(std::string("expected ") + what);
  bool hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
  uint64_t base = hex ? 16 : 10;
  if (hex) at += 2;
  const char* digits = at;
  bool fits = true;
  value = 0;
  for (;; ++at) {
    int digit = hex ? hex_value(*at) : is(*at, decimal) ? *at - '0' : -1;
    if (digit < 0) break;
    fits = fits && value <= (~uint64_t{0} - static_cast<uint64_t>(digit)) / base;
    value = value * base + static_cast<uint64_t>(digit);
  }
  if (at == digits || is(*at, name_part)) return fail_at(first, std::string("expected ") + what);
  if (!fits || value > most) return fail_at(first, std::string("too large for ") + what);
  return true;
}

bool Cursor::quoted(std::string& out) {
  blanks();
  const char* first = at;
  out.clear();
  if (*at != '"') return fail("expected text in quotes");
  for (++at; *at != '"';) {
    if (at == end_ || *at == '\n') return fail_at(first, "this text has no closing quote");
    if (*at != '\\') {
      out += *at++;
      continue;
    }
    std::optional<char> c = take_escape(at, end_);
    if (!c) return fail("expected \\\", \\\\, \\n, \\t, \\r or \\ and two hexadecimal digits");
    out += *c;
  }
  ++at;
  return true;
}

bool Cursor::global_name(std::string_view& out, std::string& scratch) {
  blanks();
  if (*at != '@') return fail("expected a name with '@'");
  ++at;
  if (*at == '"') {
    const char* first = at;
    if (!quoted(scratch)) return false;
    if (scratch.empty()) return fail_at(first, "a name is not empty");
    out = scratch;
    return true;
  }
  if (!is(*at, name_start)) return fail("expected a name behind '@'");
  out = name();
  return true;
}

std::string Cursor::shown_token() const {
  if (at == end_) return "the end of the file";
  if (*at == '\n' || *at == ';') return "the end of the line";
  const char* last = at;
  while (is(*last, name_part) && last - at < 40) ++last;
  if (last == at) {
    unsigned char code = static_cast<unsigned char>(*at);
    if (code < 0x20 || code == 0x7f) return "a control character";
    ++last;
  }
  return "'" + std::string(at, last) + "'";
}

}  // namespace braid::text
