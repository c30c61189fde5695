#include "base/quoted.h"

namespace braid {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

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

std::optional<char> take_escape(const char*& at, const char* end) {
  if (end - at < 2) return std::nullopt;
  int high = hex_digit(at[1]);
  int low = high < 0 || end - at < 3 ? -1 : hex_digit(at[2]);
  if (low >= 0) {
    at += 3;
    return static_cast<char>(high * 16 + low);
  }
  char c = at[1];
  if (c != '"' && c != '\\' && c != 'n' && c != 't' && c != 'r') return std::nullopt;
  at += 2;
  return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
}

std::optional<std::string> parse_quoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"') return std::nullopt;
  std::string out;
  const char* end = text.data() + text.size();
  for (const char* at = text.data() + 1; at != end;) {
    if (*at == '"') return at + 1 == end ? std::optional(out) : std::nullopt;
    if (*at != '\\') {
      out += *at++;
    } else if (std::optional<char> c = take_escape(at, end)) {
      out += *c;
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace braid
