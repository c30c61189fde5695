#include "front/pandasm/lexer.h"

#include <array>

namespace braid::pandasm {

namespace {

enum class Letter : uint8_t { of_word, blank, sign, other };

constexpr auto letters = [] {
  std::array<Letter, 256> table{};
  for (char c : std::string_view(" \t\r\f\v")) table[static_cast<unsigned char>(c)] = Letter::blank;
  for (char c : std::string_view(",:{}()<>=[]")) table[static_cast<unsigned char>(c)] = Letter::sign;
  for (char c : std::string_view("\n#\"")) table[static_cast<unsigned char>(c)] = Letter::other;
  return table;
}();
Letter letter(char c) { return letters[static_cast<unsigned char>(c)]; }

}  // namespace

void Lexer::next() {
  const char* const begin = source_.data();
  const char* const end = begin + source_.size();
  const char* at = begin + at_;
  last_end_ = at_;
  while (at != end && letter(*at) == Letter::blank) ++at;
  if (at != end && *at == '#')
    while (at != end && *at != '\n') ++at;
  const char* const start = at;
  start_ = static_cast<size_t>(start - begin);
  if (at == end) {
    at_ = start_;
    token_ = Token::end;
    text_ = {};
    return;
  }
  if (letter(*at) == Letter::of_word) {
    token_ = Token::word;
    do ++at;
    while (at != end && letter(*at) == Letter::of_word);
  } else if (*at != '"') {
    token_ = *at == '\n' ? Token::line : Token::sign;
    ++at;
  } else {
    ++at;
    while (at != end && *at != '"' && *at != '\n') at += *at == '\\' && at + 1 != end && at[1] != '\n' ? 2 : 1;
    const bool closed = at != end && *at == '"';
    token_ = closed ? Token::text : Token::unclosed_text;
    text_ = {start + 1, static_cast<size_t>(at - start) - 1};
    at_ = static_cast<size_t>(at - begin) + closed;
    return;
  }
  at_ = static_cast<size_t>(at - begin);
  text_ = {start, static_cast<size_t>(at - start)};
}

bool Lexer::is_before(char sign) const {
  size_t at = at_;
  while (at < source_.size() && letter(source_[at]) == Letter::blank) ++at;
  return at < source_.size() && source_[at] == sign;
}

void Lexer::skip_line() {
  while (!ends_line()) next();
  if (token_ == Token::line) next();
}

}  // namespace braid::pandasm
