#include "text/outline.h"

#include "text/names.h"

namespace braid::text {
namespace {

/// `name:`, or `b7 "any name":` for a block whose name cannot stand as it is.
bool is_label(const char* at) {
  const char* first = at;
  while (is(*at, name_part)) ++at;
  if (*at == ':') return true;
  if (*first != 'b' || !is(*at, blank)) return false;
  if (number_behind(block_prefix, {first, static_cast<size_t>(at - first)}) < 0) return false;
  while (is(*at, blank)) ++at;
  return *at == '"';
}

}  // namespace

Outline make_outline(Cursor cursor) {
  Outline outline;
  bool in_body = false;
  uint32_t lines = 0;
  auto close_body = [&] {
    Outline::Body& body = outline.bodies.back();
    body.end = cursor.offset();
    body.label_count = static_cast<uint32_t>(outline.labels.size()) - body.first_label;
    body.line_count = lines;
    in_body = false;
  };
  for (; !cursor.at_end(); cursor.next_line(), ++lines) {
    // Most lines define a value.
    if (in_body && cursor.at[0] == ' ' && cursor.at[1] == ' ' && cursor.at[2] == '%') continue;
    cursor.blanks();
    char c = *cursor.at;
    if (in_body) {
      if (c == '}') {
        close_body();
        continue;
      }
      if (!is(c, name_start)) continue;
      if (is_label(cursor.at)) {
        outline.labels.push_back(cursor.offset());
        continue;
      }
      // A function that nobody closed ends where the next one begins.
      if (c != 'f' || cursor.peek_name() != "func") continue;
      close_body();
    }
    if (c == '\n' || c == ';' || cursor.at_end()) continue;
    std::string_view word = cursor.peek_name();
    if (word == "class") {
      outline.classes.push_back(cursor.offset());
    } else if (word == "global" || word == "extern" || word == "intrinsic") {
      outline.declarations.push_back(cursor.offset());
    } else if (word == "func") {
      outline.declarations.push_back(cursor.offset());
      Cursor behind = cursor;
      behind.next_line();
      outline.bodies.push_back({cursor.offset(), behind.offset(), behind.offset(),
                                static_cast<uint32_t>(outline.labels.size()), 0, 0});
      in_body = true;
      lines = 0;
    } else {
      cursor.fail("expected 'func', 'extern', 'global', 'intrinsic' or 'class', found " + cursor.shown_token());
    }
  }
  if (in_body) close_body();
  return outline;
}

}  // namespace braid::text
