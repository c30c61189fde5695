#include <braid/diagnostic.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/colour.h"
#include "base/number_text.h"
#include "base/utf8.h"

namespace braid {
namespace {

constexpr size_t longest_source_line = 160;  // bytes shown of one source line
constexpr size_t shown_before_column = 60;   // of a line that is cut

struct Look {
  std::string_view name;
  std::string_view colour;
};

Look look_of(Severity severity) {
  switch (severity) {
    case Severity::error: return {"error", "\x1b[1;31m"};
    case Severity::warning: return {"warning", "\x1b[1;35m"};
    case Severity::note: return {"note", "\x1b[1;36m"};
  }
  return {"error", ""};
}

constexpr std::string_view bold = "\x1b[1m";
constexpr std::string_view green = "\x1b[1;32m";
constexpr std::string_view plain = "\x1b[0m";

/// Source text may hold anything, also escape sequences that would take over the reader's terminal.
void append_printable(std::string& out, std::string_view text, bool allow_newline) {
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    unsigned char byte = static_cast<unsigned char>(c);
    bool control = (byte < 0x20 && c != '\t' && !(allow_newline && c == '\n')) || byte == 0x7f;
    // U+0080 to U+009F: some terminals take them for what begins with an escape.
    const bool is_high = byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) - 0x80u < 0x20;
    i += is_high;
    out += control || is_high ? '?' : c;
  }
}

void append_position(std::string& out, const Diagnostic& d) {
  if (d.file.empty() && d.line == 0) return;
  append_printable(out, d.file.empty() ? std::string_view("<input>") : std::string_view(d.file), false);
  if (d.line != 0) {
    out += ':';
    append_u64(out, d.line);
    if (d.column != 0) {
      out += ':';
      append_u64(out, d.column);
    }
  }
  out += ": ";
}

/// A piece of the source line, with the offset of the caret in it.
struct Window {
  std::string_view text;
  size_t caret;
  bool cut_front;
  bool cut_back;
};

Window window_around(std::string_view line, size_t caret) {
  if (line.size() <= longest_source_line) return {line, caret, false, false};
  size_t first = caret > shown_before_column ? utf8_start(line, caret - shown_before_column) : 0;
  if (line.size() - first <= longest_source_line) first = utf8_start(line, line.size() - longest_source_line);
  first = std::min(first, caret);
  size_t last = utf8_start(line, std::min(line.size(), first + longest_source_line));
  return {line.substr(first, last - first), caret - first, first > 0, last < line.size()};
}

void append_source(std::string& out, const Diagnostic& d, bool colour) {
  if (d.source_line.empty()) return;
  std::string_view line = d.source_line;
  size_t caret = d.column == 0 ? 0 : std::min<size_t>(d.column - 1, line.size());
  Window window = window_around(line, utf8_start(line, caret));
  constexpr std::string_view dots = "...";
  if (window.cut_front) out += dots;
  append_printable(out, window.text, false);
  if (window.cut_back) out += dots;
  out += '\n';
  if (d.column == 0) return;

  if (window.cut_front) out.append(dots.size(), ' ');
  for (char c : window.text.substr(0, window.caret)) {
    if (c == '\t') {
      out += '\t';
    } else if (!is_utf8_continuation(c)) {
      out += ' ';
    }
  }
  if (colour) out += green;
  out += '^';
  if (colour) out += plain;
  out += '\n';
}

void append_rendered(std::string& out, const Diagnostic& d, bool colour) {
  Look look = look_of(d.severity);
  if (colour) out += bold;
  append_position(out, d);
  if (colour) out += look.colour;
  out += look.name;
  out += ": ";
  if (colour) {
    out += plain;
    out += bold;
  }
  append_printable(out, d.message, true);
  if (colour) out += plain;
  if (!d.rule.empty()) {
    out += " [";
    append_printable(out, d.rule, false);
    out += ']';
  }
  out += '\n';
  append_source(out, d, colour);
}

}  // namespace

std::string render(const Diagnostic& diagnostic, bool colour) {
  std::string out;
  append_rendered(out, diagnostic, colour);
  return out;
}

std::string render(const Diagnostics& diagnostics, bool colour) {
  std::string out;
  for (const Diagnostic& d : diagnostics) append_rendered(out, d, colour);
  if (diagnostics.dropped() != 0) {
    out += "... and ";
    append_u64(out, diagnostics.dropped());
    out += " more\n";
  }
  return out;
}

void exit_with(const Diagnostics& diagnostics) {
  std::string text = render(diagnostics, colour_wanted(stderr));
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::exit(70);
}

void Diagnostics::add(Diagnostic diagnostic) {
  size_t& found = found_[static_cast<size_t>(diagnostic.severity)];
  bool keep = found < limit_;
  if (diagnostic.severity == Severity::note) {
    keep = keep && last_was_kept_;
  } else {
    last_was_kept_ = keep;
  }
  ++found;
  if (keep) kept_.push_back(std::move(diagnostic));
}

void Diagnostics::add_one(Severity severity, std::string message, std::string file, uint32_t line,
                          uint32_t column, std::string source_line, std::string rule) {
  add({severity, std::move(file), line, column, std::move(message), std::move(source_line), std::move(rule)});
}

void Diagnostics::error(std::string message, std::string file, uint32_t line, uint32_t column,
                        std::string source_line, std::string rule) {
  add_one(Severity::error, std::move(message), std::move(file), line, column, std::move(source_line),
          std::move(rule));
}

void Diagnostics::warning(std::string message, std::string file, uint32_t line, uint32_t column,
                          std::string source_line, std::string rule) {
  add_one(Severity::warning, std::move(message), std::move(file), line, column, std::move(source_line),
          std::move(rule));
}

void Diagnostics::note(std::string message, std::string file, uint32_t line, uint32_t column,
                       std::string source_line, std::string rule) {
  add_one(Severity::note, std::move(message), std::move(file), line, column, std::move(source_line),
          std::move(rule));
}

void Diagnostics::merge(Diagnostics other) {
  size_t unseen[3] = {other.found_[0], other.found_[1], other.found_[2]};
  for (Diagnostic& d : other.kept_) {
    --unseen[static_cast<size_t>(d.severity)];
    add(std::move(d));
  }
  for (size_t severity = 0; severity < 3; ++severity) found_[severity] += unseen[severity];
  last_was_kept_ = last_was_kept_ && other.last_was_kept_;
}

void Diagnostics::clear() {
  kept_.clear();
  for (size_t& found : found_) found = 0;
  last_was_kept_ = true;
}

}  // namespace braid
