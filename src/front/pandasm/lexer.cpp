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
  last_end_ = at_;
  while (at_ < source_.size() && letter(source_[at_]) == Letter::blank) ++at_;
  if (at_ < source_.size() && source_[at_] == '#')
    while (at_ < source_.size() && source_[at_] != '\n') ++at_;
  start_ = at_;
  if (at_ == source_.size()) {
    token_ = Token::end;
    text_ = {};
    return;
  }
  const char first = source_[at_];
  if (first == '\n') {
    token_ = Token::line;
    ++at_;
  } else if (first == '"') {
    ++at_;
    while (at_ < source_.size() && source_[at_] != '"' && source_[at_] != '\n')
      at_ += source_[at_] == '\\' && at_ + 1 < source_.size() && source_[at_ + 1] != '\n' ? 2 : 1;
    const bool closed = at_ < source_.size() && source_[at_] == '"';
    token_ = closed ? Token::text : Token::unclosed_text;
    text_ = source_.substr(start_ + 1, at_ - start_ - 1);
    at_ += closed;
    return;
  } else if (letter(first) == Letter::sign) {
    token_ = Token::sign;
    ++at_;
  } else {
    token_ = Token::word;
    while (at_ < source_.size() && letter(source_[at_]) == Letter::of_word) ++at_;
  }
  text_ = source_.substr(start_, at_ - start_);
}

void Lexer::skip_line() {
  while (!ends_line()) next();
  if (token_ == Token::line) next();
}

}  // namespace braid::pandasm
