// The tokens of today's Simple. One token ahead; the parser may go back to any offset, as `for` needs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace braid::simple {

enum class Token : uint8_t {
  end, name, number, bad,
  // keywords
  break_, continue_, else_, false_, for_, if_, int_, return_, true_, val, var, while_, show_graph,
  // signs
  open, close, open_brace, close_brace, semicolon, comma, question, colon, arrow,
  assign, plus_assign, minus_assign, times_assign, over_assign, modulo_assign, and_assign, or_assign, xor_assign,
  shift_left_assign, shift_right_assign, shift_right_logical_assign,
  increment, decrement,
  or_or, and_and, and_, or_, xor_,
  equal, not_equal, less, less_equal, greater, greater_equal,
  shift_left, shift_right, shift_right_logical,
  plus, minus, times, over, modulo, not_,
};

/// How the parser calls a token in a message.
std::string_view spelling(Token token);

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { next(); }

  Token token() const { return token_; }
  size_t offset() const { return start_; }
  std::string_view text() const { return text_.substr(start_, at_ - start_); }
  /// Where the token before ended, which is where something is missing.
  size_t end_of_last() const { return last_end_; }
  void next();
  void go_to(size_t offset) {
    at_ = offset;
    next();
  }
  bool unclosed_comment() const { return unclosed_comment_; }

 private:
  void skip_blanks();
  Token read_name();
  Token read_sign();

  std::string_view text_;
  size_t at_ = 0, start_ = 0, last_end_ = 0;
  Token token_ = Token::end;
  bool unclosed_comment_ = false;
};

}  // namespace braid::simple
