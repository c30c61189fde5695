// Diagnostics: errors, warnings and notes with a position, collected several at once and rendered with the
// source line and a caret under the column. Rendering costs O(length of the source line).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace braid {

enum class Severity : uint8_t { error, warning, note };

/// One finding. Lines and columns count from 1, columns count bytes; 0 means unknown.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
  std::string message;      // lower case, no full stop
  std::string source_line;  // the whole line, without its end; may be empty
  std::string rule;         // the name of the broken rule; may be empty
};

/// `file:line:column: error: message [rule]`, then the source line, then the caret, each ended by a newline.
/// What is unknown is left out. Long source lines are cut around the column, control characters are shown as
/// `?`.
std::string render(const Diagnostic& diagnostic, bool colour = false);

/// Diagnostics in the order in which they were found. Of each severity only the first `limit` are kept, so
/// that one fault with a million consequences stays readable; the rest is counted. A note belongs to the
/// error or warning before it and is dropped with it.
class Diagnostics {
 public:
  static constexpr size_t default_limit = 100;

  explicit Diagnostics(size_t limit = default_limit) : limit_(limit) {}
  explicit Diagnostics(Diagnostic diagnostic) { add(std::move(diagnostic)); }

  void add(Diagnostic diagnostic);
  void error(std::string message, std::string file = {}, uint32_t line = 0, uint32_t column = 0,
             std::string source_line = {}, std::string rule = {});
  void warning(std::string message, std::string file = {}, uint32_t line = 0, uint32_t column = 0,
               std::string source_line = {}, std::string rule = {});
  void note(std::string message, std::string file = {}, uint32_t line = 0, uint32_t column = 0,
            std::string source_line = {}, std::string rule = {});
  /// Appends all of `other`, within this object's limit.
  void merge(Diagnostics other);
  void clear();

  bool has_errors() const { return error_count() != 0; }
  /// All that were added, kept or not.
  size_t count() const { return found_[0] + found_[1] + found_[2]; }
  size_t count(Severity severity) const { return found_[static_cast<size_t>(severity)]; }
  size_t error_count() const { return count(Severity::error); }
  /// How many were counted but not kept.
  size_t dropped() const { return count() - kept_.size(); }
  size_t limit() const { return limit_; }
  /// True once further errors would only be counted: a parser can stop here.
  bool full() const { return error_count() >= limit_; }

  size_t size() const { return kept_.size(); }
  bool empty() const { return kept_.empty(); }
  const Diagnostic& operator[](size_t i) const { return kept_[i]; }
  auto begin() const { return kept_.begin(); }
  auto end() const { return kept_.end(); }

 private:
  void add_one(Severity severity, std::string message, std::string file, uint32_t line, uint32_t column,
               std::string source_line, std::string rule);

  std::vector<Diagnostic> kept_;
  size_t found_[3] = {0, 0, 0};
  size_t limit_ = default_limit;
  bool last_was_kept_ = true;
};

/// All of them, and a last line that says how many more there were.
std::string render(const Diagnostics& diagnostics, bool colour = false);

/// Prints to standard error and ends the process with exit code 70 (internal error).
[[noreturn]] void exit_with(const Diagnostics& diagnostics);

}  // namespace braid
