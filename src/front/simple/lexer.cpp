#include "front/simple/lexer.h"

#include <iterator>

namespace braid::simple {
namespace {

struct Spelling {
  Token token;
  std::string_view text;
};

constexpr Spelling keyword_table[] = {
    {Token::break_, "break"},   {Token::continue_, "continue"}, {Token::else_, "else"}, {Token::false_, "false"},
    {Token::for_, "for"},       {Token::if_, "if"},             {Token::int_, "int"},   {Token::return_, "return"},
    {Token::true_, "true"},     {Token::val, "val"},            {Token::var, "var"},    {Token::while_, "while"},
};

/// Longer ones come before those they begin with.
constexpr Spelling sign_table[] = {
    {Token::shift_right_logical_assign, ">>>="}, {Token::shift_right_logical, ">>>"}, {Token::shift_right_assign, ">>="},
    {Token::shift_left_assign, "<<="}, {Token::shift_right, ">>"}, {Token::shift_left, "<<"}, {Token::greater_equal, ">="},
    {Token::less_equal, "<="}, {Token::equal, "=="}, {Token::not_equal, "!="}, {Token::plus_assign, "+="},
    {Token::minus_assign, "-="}, {Token::times_assign, "*="}, {Token::over_assign, "/="}, {Token::modulo_assign, "%="},
    {Token::and_assign, "&="}, {Token::or_assign, "|="}, {Token::xor_assign, "^="}, {Token::increment, "++"},
    {Token::arrow, "->"}, {Token::decrement, "--"}, {Token::and_and, "&&"}, {Token::or_or, "||"}, {Token::greater, ">"},
    {Token::less, "<"}, {Token::assign, "="}, {Token::not_, "!"}, {Token::plus, "+"}, {Token::minus, "-"}, {Token::times, "*"},
    {Token::over, "/"}, {Token::modulo, "%"}, {Token::and_, "&"}, {Token::or_, "|"}, {Token::xor_, "^"}, {Token::open, "("},
    {Token::close, ")"}, {Token::open_brace, "{"}, {Token::close_brace, "}"}, {Token::semicolon, ";"}, {Token::comma, ","},
    {Token::question, "?"}, {Token::colon, ":"},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// Letters of all scripts, in UTF-8.
bool is_name_start(char c) {
  uint8_t byte = static_cast<uint8_t>(c);
  return static_cast<uint8_t>((byte | 32) - 'a') < 26 || c == '_' || byte >= 0x80;
}

}  // namespace

std::string_view spelling(Token token) {
  for (const Spelling& keyword : keyword_table)
    if (keyword.token == token) return keyword.text;
  for (const Spelling& sign : sign_table)
    if (sign.token == token) return sign.text;
  switch (token) {
    case Token::end: return "the end";
    case Token::name: return "a name";
    case Token::number: return "a number";
    case Token::show_graph: return "#showGraph";
    default: return "a character that means nothing";
  }
}

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    if (static_cast<uint8_t>(text_[at_]) <= ' ') {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (text_.substr(at_, 2) == "/*") {
      size_t end = text_.find("*/", at_ + 2);
      unclosed_comment_ = end == std::string_view::npos;
      if (unclosed_comment_) return;
      at_ = end + 2;
    } else {
      return;
    }
  }
}

void Lexer::next() {
  last_end_ = at_;
  skip_blanks();
  start_ = at_;
  if (at_ == text_.size()) {
    token_ = Token::end;
  } else if (unclosed_comment_) {
    at_ = text_.size();
    token_ = Token::bad;
  } else if (is_digit(text_[at_])) {
    while (at_ < text_.size() && (is_digit(text_[at_]) || is_name_start(text_[at_]))) ++at_;
    token_ = Token::number;
  } else if (is_name_start(text_[at_])) {
    token_ = read_name();
  } else {
    token_ = read_sign();
  }
}

Token Lexer::read_name() {
  while (at_ < text_.size() && (is_name_start(text_[at_]) || is_digit(text_[at_]))) ++at_;
  std::string_view name = text();
  for (const Spelling& keyword : keyword_table)
    if (name == keyword.text) return keyword.token;
  return Token::name;
}

Token Lexer::read_sign() {
  constexpr std::string_view show = "#showGraph";
  if (text_.substr(at_, show.size()) == show) {
    at_ += show.size();
    return Token::show_graph;
  }
  for (const Spelling& sign : sign_table) {
    if (text_.substr(at_, sign.text.size()) != sign.text) continue;
    at_ += sign.text.size();
    return sign.token;
  }
  ++at_;
  return Token::bad;
}

}  // namespace braid::simple
