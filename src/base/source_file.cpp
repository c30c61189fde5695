#include "base/source_file.h"

#include <algorithm>
#include <cstring>

namespace braid {

const std::vector<size_t>& SourceFile::line_starts() const {
  if (!line_starts_.empty()) return line_starts_;
  line_starts_.push_back(0);
  const char* begin = text_.data();
  const char* end = begin + text_.size();
  for (const char* at = begin; at != end;) {
    const char* newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<size_t>(end - at)));
    if (!newline) break;
    at = newline + 1;
    line_starts_.push_back(static_cast<size_t>(at - begin));
  }
  return line_starts_;
}

uint32_t SourceFile::line_count() const { return static_cast<uint32_t>(line_starts().size()); }

LineColumn SourceFile::line_column(size_t offset) const {
  const std::vector<size_t>& starts = line_starts();
  offset = std::min(offset, text_.size());
  auto behind = std::upper_bound(starts.begin(), starts.end(), offset);
  size_t start = *(behind - 1);
  return {static_cast<uint32_t>(behind - starts.begin()), static_cast<uint32_t>(offset - start + 1)};
}

std::string_view SourceFile::line_text(uint32_t line) const {
  const std::vector<size_t>& starts = line_starts();
  if (line == 0 || line > starts.size()) return {};
  size_t begin = starts[line - 1];
  size_t end = line < starts.size() ? starts[line] - 1 : text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

Diagnostic SourceFile::diagnostic(Severity severity, size_t offset, std::string message,
                                  std::string rule) const {
  LineColumn at = line_column(offset);
  // What stands far behind the column is never shown; leaving it out keeps a file of one endless line cheap.
  constexpr size_t kept_behind_column = 512;
  std::string_view line = line_text(at.line).substr(0, at.column + kept_behind_column);
  return {severity, name_, at.line, at.column, std::move(message), std::string(line), std::move(rule)};
}

}  // namespace braid
