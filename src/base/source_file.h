// The text of one input with its name; byte offsets become lines and columns through a table of line starts
// that is built on the first question (one scan of the text), each question is O(log lines).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <braid/diagnostic.h>

namespace braid {

/// Both count from 1; the column counts bytes.
struct LineColumn {
  uint32_t line;
  uint32_t column;

  bool operator==(const LineColumn&) const = default;
};

/// Lines end at `\n`; a `\r` before it is not part of the line's text. Not safe to share between threads
/// before the first question, because it builds the table.
class SourceFile {
 public:
  SourceFile(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {}

  const std::string& name() const { return name_; }
  /// A NUL stands behind it.
  std::string_view text() const { return text_; }
  size_t size() const { return text_.size(); }

  uint32_t line_count() const;
  /// The position of a byte; an offset behind the end is taken as the end.
  LineColumn line_column(size_t offset) const;
  /// The text of a line (counted from 1) without its end; empty if there is no such line.
  std::string_view line_text(uint32_t line) const;

  Diagnostic diagnostic(Severity severity, size_t offset, std::string message, std::string rule = {}) const;
  Diagnostic error(size_t offset, std::string message, std::string rule = {}) const {
    return diagnostic(Severity::error, offset, std::move(message), std::move(rule));
  }

 private:
  const std::vector<size_t>& line_starts() const;

  std::string name_;
  std::string text_;
  mutable std::vector<size_t> line_starts_;
};

}  // namespace braid
