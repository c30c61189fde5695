#include "text/names.h"


namespace braid::text {

bool is_name(std::string_view text) {
  if (text.empty() || !is(text[0], name_start)) return false;
  for (char c : text)
    if (!is(c, name_part)) return false;
  return true;
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

void append_global_name(std::string& out, std::string_view name) {
  out += '@';
  if (is_name(name))
    out += name;
  else
    append_quoted(out, name);
}

}  // namespace braid::text
