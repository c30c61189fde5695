#include "front/simple/lexer.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace braid::simple {
namespace {

struct Spelling {
  Token token;
  std::string_view text;
};

/// Those that begin with the same character stand together, here and below.
constexpr Spelling keyword_table[] = {
    {Token::break_, "break"},   {Token::continue_, "continue"}, {Token::else_, "else"}, {Token::false_, "false"},
    {Token::for_, "for"},       {Token::if_, "if"},             {Token::int_, "int"},   {Token::return_, "return"},
    {Token::true_, "true"},     {Token::val, "val"},            {Token::var, "var"},    {Token::while_, "while"},
};

/// The longer ones first.
constexpr Spelling sign_table[] = {
    {Token::shift_right_logical_assign, ">>>="},
    {Token::shift_right_logical, ">>>"},
    {Token::shift_right_assign, ">>="},
    {Token::shift_right, ">>"},
    {Token::greater_equal, ">="},
    {Token::greater, ">"},
    {Token::shift_left_assign, "<<="},
    {Token::shift_left, "<<"},
    {Token::less_equal, "<="},
    {Token::less, "<"},
    {Token::equal, "=="},
    {Token::assign, "="},
    {Token::not_equal, "!="},
    {Token::not_, "!"},
    {Token::plus_assign, "+="},
    {Token::increment, "++"},
    {Token::plus, "+"},
    {Token::minus_assign, "-="},
    {Token::arrow, "->"},
    {Token::decrement, "--"},
    {Token::minus, "-"},
    {Token::times_assign, "*="},
    {Token::times, "*"},
    {Token::over_assign, "/="},
    {Token::over, "/"},
    {Token::modulo_assign, "%="},
    {Token::modulo, "%"},
    {Token::and_assign, "&="},
    {Token::and_and, "&&"},
    {Token::and_, "&"},
    {Token::or_assign, "|="},
    {Token::or_or, "||"},
    {Token::or_, "|"},
    {Token::xor_assign, "^="},
    {Token::xor_, "^"},
    {Token::open, "("},
    {Token::close, ")"},
    {Token::open_brace, "{"},
    {Token::close_brace, "}"},
    {Token::semicolon, ";"},
    {Token::comma, ","},
    {Token::question, "?"},
    {Token::colon, ":"},
};

/// Where the spellings that begin with a character stand; their number if there is none.
struct FirstOf {
  uint8_t of[256];
};
constexpr FirstOf first_of(std::span<const Spelling> spellings) {
  FirstOf table{};
  for (uint8_t& place : table.of) place = static_cast<uint8_t>(spellings.size());
  for (size_t i = spellings.size(); i-- > 0;) table.of[static_cast<uint8_t>(spellings[i].text[0])] = static_cast<uint8_t>(i);
  return table;
}
constexpr FirstOf first_keyword = first_of(keyword_table), first_sign = first_of(sign_table);

/// Signs of one character, and which characters are the second or a later one of a longer sign.
struct Characters {
  Token alone[256];
  bool goes_on[256];
};
constexpr Characters characters = [] {
  Characters table{};
  for (Token& token : table.alone) token = Token::bad;
  for (const Spelling& sign : sign_table) {
    if (sign.text.size() == 1) table.alone[static_cast<uint8_t>(sign.text[0])] = sign.token;
    for (char c : sign.text.substr(1)) table.goes_on[static_cast<uint8_t>(c)] = true;
  }
  return table;
}();

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
    } else if (text_[at_] != '/') {
      return;
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
  if (at_ < text_.size() && (static_cast<uint8_t>(text_[at_]) <= ' ' || text_[at_] == '/')) skip_blanks();
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
  if (name.size() < 2 || name.size() > 8) return Token::name;
  for (uint32_t i = first_keyword.of[static_cast<uint8_t>(name[0])]; i < std::size(keyword_table); ++i) {
    const Spelling& keyword = keyword_table[i];
    if (name[0] != keyword.text[0]) break;
    if (name == keyword.text) return keyword.token;
  }
  return Token::name;
}

Token Lexer::read_sign() {
  const Token alone = characters.alone[static_cast<uint8_t>(text_[at_])];
  if (alone != Token::bad && (at_ + 1 == text_.size() || !characters.goes_on[static_cast<uint8_t>(text_[at_ + 1])])) {
    ++at_;
    return alone;
  }
  constexpr std::string_view show = "#showGraph";
  if (text_[at_] == show[0] && text_.substr(at_, show.size()) == show) {
    at_ += show.size();
    return Token::show_graph;
  }
  for (uint32_t i = first_sign.of[static_cast<uint8_t>(text_[at_])]; i < std::size(sign_table); ++i) {
    std::string_view sign = sign_table[i].text;
    if (sign[0] != text_[at_]) break;
    size_t length = 1;
    while (length < sign.size() && at_ + length < text_.size() && text_[at_ + length] == sign[length]) ++length;
    if (length < sign.size()) continue;
    at_ += length;
    return sign_table[i].token;
  }
  ++at_;
  return Token::bad;
}

}  // namespace braid::simple
