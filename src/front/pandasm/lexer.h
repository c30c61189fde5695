// The tokens of pandasm. Lines matter: each one ends in a token of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace braid::pandasm {

/// A word is whatever stands between blanks and signs: a name with dots, a number, a directive.
enum class Token : uint8_t { end, line, word, text, unclosed_text, sign };

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) { next(); }

  Token token() const { return token_; }
  size_t offset() const { return start_; }
  /// As it is written; of a text without its quotes.
  std::string_view text() const { return text_; }
  bool is(char sign) const { return token_ == Token::sign && text_[0] == sign; }
  bool ends_line() const { return token_ == Token::line || token_ == Token::end; }
  /// Where the token before ended, which is where something is missing.
  size_t end_of_last() const { return last_end_; }
  void next();
  /// Whether the sign is the next token.
  bool is_before(char sign) const;
  /// Behind the end of this line.
  void skip_line();

 private:
  std::string_view source_, text_;
  size_t at_ = 0, start_ = 0, last_end_ = 0;
  Token token_ = Token::end;
};

}  // namespace braid::pandasm
