#include "front/pandasm/lexer.h"

namespace braid::pandasm {

namespace {
constexpr std::string_view signs = ",:{}()<>=[]";
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }
bool ends_word(char c) { return is_blank(c) || c == '\n' || c == '#' || c == '"' || signs.find(c) != std::string_view::npos; }
}  // namespace

void Lexer::next() {
  last_end_ = at_;
  while (at_ < source_.size() && is_blank(source_[at_])) ++at_;
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
  } else if (signs.find(first) != std::string_view::npos) {
    token_ = Token::sign;
    ++at_;
  } else {
    token_ = Token::word;
    while (at_ < source_.size() && !ends_word(source_[at_])) ++at_;
  }
  text_ = source_.substr(start_, at_ - start_);
}

void Lexer::skip_line() {
  while (!ends_line()) next();
  if (token_ == Token::line) next();
}

}  // namespace braid::pandasm
