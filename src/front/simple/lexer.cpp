#include "front/simple/lexer.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/letters.h"

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

/// Those that begin with the same character stand together, the longer ones first.
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

/// What each character is the beginning of.
constexpr Token blank = Token::end;
constexpr std::array<Token, 256> beginnings = [] {
  std::array<Token, 256> table{};
  for (size_t c = 0; c < table.size(); ++c) {
    const size_t letter = c | 32;
    if (c >= '0' && c <= '9')
      table[c] = Token::number;
    else if ((letter >= 'a' && letter <= 'z') || c == '_' || c >= 0x80)
      table[c] = Token::name;  // perhaps: a letter of another script, in UTF-8
    else
      table[c] = c <= ' ' ? blank : Token::bad;
  }
  table[0] = Token::bad;  // it may be the end
  for (const Spelling& sign : sign_table)
    if (sign.text.size() == 1) table[static_cast<uint8_t>(sign.text[0])] = sign.token;
  return table;
}();
Token beginning(char c) { return beginnings[static_cast<uint8_t>(c)]; }
bool is_in_name(char c) { return beginning(c) == Token::name || beginning(c) == Token::number; }
bool is_blank(char c) { return static_cast<uint8_t>(c) <= ' '; }

/// Characters behind the first one of a longer sign or of what begins a comment.
constexpr std::array<bool, 256> in_signs = [] {
  std::array<bool, 256> table{};
  for (const Spelling& sign : sign_table)
    for (char c : sign.text.substr(1)) table[static_cast<uint8_t>(c)] = true;
  table['/'] = table['*'] = true;
  return table;
}();

/// Where the signs that begin with a character stand; their number if there is none.
constexpr std::array<uint8_t, 256> first_sign = [] {
  std::array<uint8_t, 256> table{};
  table.fill(static_cast<uint8_t>(std::size(sign_table)));
  for (size_t i = std::size(sign_table); i-- > 0;) table[static_cast<uint8_t>(sign_table[i].text[0])] = static_cast<uint8_t>(i);
  return table;
}();

constexpr uint64_t pack(std::string_view text) {
  uint64_t packed = 0;
  for (char c : text) packed = packed << 8 | static_cast<uint8_t>(c);
  return packed;
}
struct Keyword {
  uint64_t packed;
  Token token;
};
constexpr auto keywords = [] {
  std::array<Keyword, std::size(keyword_table)> table{};
  for (size_t i = 0; i < table.size(); ++i) table[i] = {pack(keyword_table[i].text), keyword_table[i].token};
  return table;
}();
/// Eight characters at once.
bool is_all_ascii(std::string_view text) {
  uint64_t all = 0, word;
  size_t at = 0;
  for (; at + sizeof word <= text.size(); at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    all |= word;
  }
  for (; at < text.size(); ++at) all |= static_cast<uint8_t>(text[at]);
  return (all & 0x8080808080808080u) == 0;
}

/// A name unless it is a keyword.
Token token_of(uint64_t packed) {
  for (const Keyword& keyword : keywords)
    if (keyword.packed == packed) return keyword.token;
  return Token::name;
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

Lexer::Lexer(const SourceFile& source)
    : begin_(source.text().data()), end_(begin_ + source.size()), at_(begin_), start_(begin_), last_end_(begin_) {
  is_ascii_ = is_all_ascii(source.text());
  next();
}

void Lexer::next() {
  const char* at = last_end_ = at_;
  Token token = beginning(*at);
  while (token == blank) token = beginning(*++at);
  start_ = at;
  if (token == Token::name) return read_name();
  if (token == Token::number) return read_number();
  if (token < Token::open || (token > Token::colon && in_signs[static_cast<uint8_t>(at[1])])) return read_closely();
  at_ = at + 1;
  token_ = token;
}

/// Letters in it are an error of their own. Behind the text stands a NUL, where every number ends, and every name.
void Lexer::read_number() {
  const char* at = start_ + 1;
  while (is_in_name(*at)) ++at;
  at_ = is_ascii_ ? at : end_of_letters(at);
  token_ = Token::number;
}

/// How far letters, digits and marks go from the token's beginning.
const char* Lexer::end_of_letters(const char* end) const {
  const char* at = start_;
  while (at != end) {
    const Utf8Character c = first_character({at, static_cast<size_t>(end - at)});
    const bool belongs = c.code < 0x80 || (at == start_ ? begins_name(c.code) : continues_name(c.code));
    if (c.length == 0 || !belongs) break;
    at += c.length;
  }
  return at;
}

void Lexer::read_name() {
  const char* at = start_;
  Packed packed = 0;
  do packed = packed << 8 | static_cast<uint8_t>(*at++);
  while (is_in_name(*at));
  at_ = at;
  Word& word = place_of(packed);
  const bool is_packed = static_cast<size_t>(at - start_) <= longest_packed;
  if (word.packed == packed && is_packed) {
    token_ = word.token;
    symbol_ = word.symbol;
    return;
  }
  if (!is_ascii_) return read_foreign_name(at);
  token_ = is_packed ? token_of(packed) : Token::name;
  symbol_ = none_id<Symbol>;
  if (token_ != Token::name) word = {packed, symbol_, token_};
}

/// What goes on to `end` and may have letters of other scripts in it, or what is none.
void Lexer::read_foreign_name(const char* end) {
  at_ = end_of_letters(end);
  symbol_ = none_id<Symbol>;
  if (at_ != start_) {
    token_ = text().size() <= longest_packed ? token_of(pack(text())) : Token::name;
    return;
  }
  at_ += std::max(1u, first_character({start_, static_cast<size_t>(end - start_)}).length);
  token_ = Token::bad;
}

bool Lexer::is_invalid_utf8() const { return token_ == Token::bad && first_character(text()).length == 0; }

void Lexer::remember(Symbol symbol) {
  symbol_ = symbol;
  if (text().size() > longest_packed) return;
  const Packed packed = pack(text());
  place_of(packed) = {packed, symbol, Token::name};
}

void Lexer::go_to(size_t offset) {
  last_end_ = start_ = begin_ + offset;
  unclosed_comment_ = false;
  read_closely();
}

/// What stands at `start_`, be it a blank, a comment or the end.
void Lexer::read_closely() {
  while (start_ != end_ && (is_blank(*start_) || *start_ == '/')) {
    if (*start_ != '/')
      ++start_;
    else if (!skip_comment())
      break;
  }
  at_ = start_;
  if (start_ == end_) {
    token_ = Token::end;
  } else if (unclosed_comment_) {
    at_ = end_;
    token_ = Token::bad;
  } else if (beginning(*start_) == Token::name) {
    read_name();
  } else if (beginning(*start_) == Token::number) {
    read_number();
  } else {
    token_ = read_sign();
  }
}

/// False if there is none, or if it does not end.
bool Lexer::skip_comment() {
  if (start_[1] == '/') {
    const void* newline = std::memchr(start_, '\n', static_cast<size_t>(end_ - start_));
    start_ = newline == nullptr ? end_ : static_cast<const char*>(newline);
    return true;
  }
  if (start_[1] != '*') return false;
  const std::string_view behind(start_ + 2, static_cast<size_t>(end_ - start_ - 2));
  const size_t length = behind.find("*/");
  unclosed_comment_ = length == std::string_view::npos;
  if (!unclosed_comment_) start_ = behind.data() + length + 2;
  return !unclosed_comment_;
}

Token Lexer::read_sign() {
  constexpr std::string_view show = "#showGraph";
  const std::string_view rest(start_, static_cast<size_t>(end_ - start_));
  if (rest.starts_with(show)) {
    at_ += show.size();
    return Token::show_graph;
  }
  for (uint32_t i = first_sign[static_cast<uint8_t>(*start_)]; i < std::size(sign_table); ++i) {
    std::string_view sign = sign_table[i].text;
    if (sign[0] != *start_) break;
    size_t length = 1;
    while (length < sign.size() && start_[length] == sign[length]) ++length;
    if (length < sign.size()) continue;
    at_ += length;
    return sign_table[i].token;
  }
  ++at_;
  return Token::bad;
}

}  // namespace braid::simple
