// The characters of chapter 8's Simple: the original looks at bytes as if they were signed, and takes many of those that
// make up letters of other scripts for letters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace braid::simple {

class Lexer8 {
 public:
  explicit Lexer8(std::string_view text) : text_(text) {}

  size_t offset() const { return at_; }
  bool at_end() const { return at_ >= text_.size(); }
  void skip_blanks() {
    while (at_ < text_.size() && static_cast<uint8_t>(text_[at_]) <= ' ') ++at_;
  }
  char peek() {
    skip_blanks();
    return at_end() ? '\0' : text_[at_];
  }
  bool at_digit() const { return at_ < text_.size() && is_digit(text_[at_]); }

  /// Skips the character if it comes next.
  bool match(char c) {
    skip_blanks();
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  /// Skips the character without looking for blanks before it.
  bool match_here(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  /// Skips `syntax` if it comes next.
  bool match(std::string_view syntax) {
    skip_blanks();
    if (text_.size() - at_ < syntax.size()) return false;
    for (size_t i = 0; i < syntax.size(); ++i)
      if (text_[at_ + i] != syntax[i]) return false;
    at_ += syntax.size();
    return true;
  }
  /// The same, unless a letter or digit follows.
  bool match_word(std::string_view syntax) {
    if (!match(syntax)) return false;
    if (at_end() || !is_name_part(text_[at_])) return true;
    at_ -= syntax.size();
    return false;
  }
  /// A name, or nothing.
  std::string_view match_name() {
    skip_blanks();
    if (at_end() || !is_name_start(text_[at_])) return {};
    return take_name();
  }
  std::string_view match_digits() {
    size_t start = at_;
    while (at_digit()) ++at_;
    return text_.substr(start, at_ - start);
  }
  /// What stands here, for an error; does not go on.
  std::string any_token() const;

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_foreign_letter(uint8_t c);
  static bool is_name_start(char c) {
    uint8_t byte = static_cast<uint8_t>(c);
    return static_cast<uint8_t>((byte | 32) - 'a') < 26 || c == '_' || (byte >= 0x80 && is_foreign_letter(byte));
  }
  static bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }
  std::string_view take_name() {
    size_t start = at_;
    while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace braid::simple
