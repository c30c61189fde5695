// The tokens of today's Simple. One token ahead; the parser may go back to any offset, as `for` needs it.
//
// One table says what a character begins. Words of up to eight bytes are numbers, and a small cache knows the keyword or
// the symbol behind most of them. Letters of other scripts are looked at only if the text has any: then words that are not in the
// cache end where something else begins.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/id.h"
#include "base/source_file.h"
#include "base/symbol_table.h"

namespace braid::simple {

enum class Token : uint8_t {
  end, name, number, bad,
  // keywords
  break_, continue_, else_, false_, for_, if_, int_, return_, true_, val, var, while_, show_graph,
  // signs that begin no longer one
  open, close, open_brace, close_brace, semicolon, comma, question, colon,
  // other signs
  arrow,
  assign, plus_assign, minus_assign, times_assign, over_assign, modulo_assign, and_assign, or_assign, xor_assign,
  shift_left_assign, shift_right_assign, shift_right_logical_assign,
  increment, decrement,
  or_or, and_and, and_, or_, xor_,
  equal, not_equal, less, less_equal, greater, greater_equal,
  shift_left, shift_right, shift_right_logical,
  plus, minus, times, over, modulo, not_,
};
inline constexpr size_t token_count = static_cast<size_t>(Token::not_) + 1;

/// How the parser calls a token in a message.
std::string_view spelling(Token token);

class Lexer {
 public:
  explicit Lexer(const SourceFile& source);

  Token token() const { return token_; }
  size_t offset() const { return static_cast<size_t>(start_ - begin_); }
  std::string_view text() const { return {start_, static_cast<size_t>(at_ - start_)}; }
  /// Where the token before ended, which is where something is missing.
  size_t end_of_last() const { return static_cast<size_t>(last_end_ - begin_); }
  void next();
  void go_to(size_t offset);
  bool unclosed_comment() const { return unclosed_comment_; }
  /// The token is bad, and no character at all.
  bool is_invalid_utf8() const;

  /// Of a name: what it was remembered by, or none.
  Symbol symbol() const { return symbol_; }
  /// The symbol of the name that is the token now, for the next time.
  void remember(Symbol symbol);

 private:
  /// Of up to eight bytes, none of them 0, the last one lowest.
  using Packed = uint64_t;
  struct Word {
    Packed packed = 0;
    Symbol symbol{};
    Token token{};
  };
  static constexpr size_t longest_packed = sizeof(Packed);
  static constexpr unsigned word_bits = 6;

  Word& place_of(Packed packed) { return words_[packed * 0x9e3779b97f4a7c15u >> (64 - word_bits)]; }
  void read_name();
  void read_foreign_name(const char* end);
  void read_number();
  const char* end_of_letters(const char* end) const;
  void read_closely();
  Token read_sign();
  bool skip_comment();

  const char* begin_;
  const char* end_;  ///< a NUL stands there
  const char* at_;
  const char* start_;
  const char* last_end_;
  Symbol symbol_ = none_id<Symbol>;
  Token token_ = Token::end;
  bool unclosed_comment_ = false;
  bool is_ascii_ = true;
  std::array<Word, size_t{1} << word_bits> words_{};  ///< what was asked for last has the place
};

}  // namespace braid::simple
