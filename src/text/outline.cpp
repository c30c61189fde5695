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

/// A line of the body that begins with two blanks and is neither a label nor the next function's header. It may say no
/// where that is so all the same.
bool is_plain_statement(const char* at) {
  if (at[0] != ' ' || at[1] != ' ') return false;
  if (at[2] == '%') return true;
  const char* word = at + 2;
  if (!is(*word, name_start) || *word == 'f' || (*word == 'b' && is(word[1], decimal))) return false;
  while (is(*word, name_part)) ++word;
  return *word == ' ';
}

/// A label that is alone in its line; moves to the next line then. `number` is that of `b7:`.
bool take_plain_label(const char*& at, uint32_t& number) {
  if (!is(*at, name_start)) return false;
  const char* last = at + 1;
  uint32_t value = 0;
  for (; is(*last, decimal); ++last) value = value * 10 + static_cast<uint32_t>(*last - '0');
  ptrdiff_t length = last - at - 1;
  constexpr ptrdiff_t safe_length = 9;  // up to here the number fits
  bool is_number = *at == 'b' && length != 0 && length <= safe_length && (at[1] != '0' || length == 1);
  if (*last != ':') is_number = false;
  while (is(*last, name_part)) ++last;
  if (last[0] != ':' || last[1] != '\n') return false;
  number = is_number ? value : Outline::no_number;
  at = last + 2;
  return true;
}

/// Goes to the next line of a body that needs a closer look, and notes the labels on the way.
void skip_plain_lines(Cursor& cursor, Outline& outline, uint32_t& lines) {
  std::string_view text = cursor.text();
  const char* end = text.data() + text.size();
  for (const char* at = cursor.at;; cursor.at = at, ++lines) {
    uint32_t offset = cursor.offset();
    if (is_plain_statement(at)) {
      const void* newline = std::memchr(at, '\n', static_cast<size_t>(end - at));
      if (newline == nullptr) return;
      at = static_cast<const char*>(newline) + 1;
    } else if (uint32_t number = 0; take_plain_label(at, number)) {
      outline.labels.push_back({offset, number, cursor.offset_of(at)});
    } else {
      return;
    }
  }
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
    if (in_body) skip_plain_lines(cursor, outline, lines);
    cursor.blanks();
    char c = *cursor.at;
    if (in_body) {
      if (c == '}') {
        close_body();
        continue;
      }
      if (!is(c, name_start)) continue;
      if (is_label(cursor.at)) {
        outline.labels.push_back({cursor.offset(), Outline::no_number, 0});
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
    } else if (word == "global" || word == "extern" || word == "intrinsic" || word == "language") {
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
      cursor.fail("expected 'func', 'extern', 'global', 'intrinsic', 'class' or 'language', found " + cursor.shown_token());
    }
  }
  if (in_body) close_body();
  return outline;
}

}  // namespace braid::text
