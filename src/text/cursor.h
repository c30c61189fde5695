// A place in the text, and what is read there without knowing what it means.
//
// The text ends in a zero byte that belongs to no class of characters, so that no step looks for the end.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/chars.h"

namespace braid::text {

struct Problem {
  uint32_t offset;
  std::string message;
};

/// The errors found so far: the first of them, and how many there are.
class Problems {
 public:
  explicit Problems(uint32_t limit) : limit_(limit) {}

  /// Always false, so that a reader can return it.
  bool add(uint32_t offset, std::string message) {
    ++count_;
    if (list_.size() < limit_) list_.push_back({offset, std::move(message)});
    return false;
  }
  /// So many beyond the limit are counted; then it is time to stop.
  static constexpr size_t most_counted = 10'000;
  bool full() const { return count_ >= limit_ + most_counted; }
  bool empty() const { return count_ == 0; }
  size_t size() const { return count_; }
  size_t dropped() const { return count_ - list_.size(); }
  std::vector<Problem>& list() { return list_; }

 private:
  std::vector<Problem> list_;
  size_t count_ = 0;
  uint32_t limit_;
};

class Cursor {
 public:
  Cursor(std::string_view text, Problems& problems)
      : at(text.data()), begin_(text.data()), end_(text.data() + text.size()), problems_(&problems) {}

  const char* at;

  std::string_view text() const { return {begin_, static_cast<size_t>(end_ - begin_)}; }
  uint32_t offset() const { return static_cast<uint32_t>(at - begin_); }
  uint32_t offset_of(const char* place) const { return static_cast<uint32_t>(place - begin_); }
  void go_to(uint32_t offset) { at = begin_ + offset; }
  bool at_end() const { return at == end_; }

  bool fail(std::string message) { return problems_->add(offset(), std::move(message)); }
  bool fail_at(uint32_t offset, std::string message) { return problems_->add(offset, std::move(message)); }
  bool fail_at(const char* place, std::string message) { return fail_at(offset_of(place), std::move(message)); }
  bool stopped() const { return problems_->full(); }

  void blanks() {
    while (is(*at, blank)) ++at;
  }
  /// Whether only blanks and a comment remain in the line.
  bool line_ends() {
    blanks();
    return *at == '\n' || *at == ';' || at == end_;
  }
  void next_line() {
    const void* newline = std::memchr(at, '\n', static_cast<size_t>(end_ - at));
    at = newline ? static_cast<const char*>(newline) + 1 : end_;
  }
  /// To the first character of the next line that has any, apart from a comment.
  void skip_empty_lines() {
    while (line_ends() && at != end_) next_line();
  }

  bool take(char c) {
    blanks();
    if (*at != c) return false;
    ++at;
    return true;
  }
  /// Like `take`, with an error that says what is missing.
  bool need(char c, const char* where) { return take(c) || fail(std::string("expected '") + c + "' " + where); }

  /// A name, or nothing.
  std::string_view name() {
    blanks();
    const char* first = at;
    if (!is(*at, name_start)) return {};
    while (is(*at, name_part)) ++at;
    return {first, static_cast<size_t>(at - first)};
  }
  /// The name that comes next behind blanks, without moving behind it.
  std::string_view peek_name() {
    blanks();
    const char* here = at;
    std::string_view found = name();
    at = here;
    return found;
  }
  bool take_word(std::string_view word) {
    if (peek_name() != word) return false;
    at += word.size();
    return true;
  }
  bool take_arrow() {
    blanks();
    if (at[0] != '-' || at[1] != '>') return false;
    at += 2;
    return true;
  }

  /// A number without a sign, decimal or hexadecimal, up to `most`.
  bool number(uint64_t& value, uint64_t most, const char* what);
  /// Text in quotes, decoded into `out`.
  bool quoted(std::string& out);
  /// `@name` or `@"text"`; the view lasts until `scratch` changes.
  bool global_name(std::string_view& out, std::string& scratch);

  /// What stands here, to be shown in an error.
  std::string shown_token() const;

 private:
  const char* begin_;
  const char* end_;
  Problems* problems_;
};

}  // namespace braid::text
