// Writing JSON, straight into a string: no tree in between. The writer puts commas, and a line break behind
// each element of an array or object that asks for it; names and nesting are the caller's.
#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

/// In quotes. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

class JsonWriter {
 public:
  enum class Layout : uint8_t { line, lines };

  explicit JsonWriter(std::string& out) : out_(out) {}

  void begin_object(Layout layout = Layout::line) { begin('{', layout); }
  void end_object() { end('}'); }
  void begin_array(Layout layout = Layout::line) { begin('[', layout); }
  void end_array() { end(']'); }

  /// The name of the next value in an object.
  void key(std::string_view name) {
    separate();
    append_json_string(out_, name);
    out_ += ": ";
    after_key_ = true;
  }
  void value(std::string_view text) {
    separate();
    append_json_string(out_, text);
  }
  void value(const char* text) { value(std::string_view(text)); }
  void value(uint64_t number) {
    separate();
    out_ += std::to_string(number);
  }
  void value(uint32_t number) { value(uint64_t{number}); }
  void value(bool truth) {
    separate();
    out_ += truth ? "true" : "false";
  }
  void null() {
    separate();
    out_ += "null";
  }
  template <typename T>
  void field(std::string_view name, const T& of) {
    key(name);
    value(of);
  }

 private:
  struct Open {
    Layout layout;
    bool is_empty = true;
  };

  void begin(char bracket, Layout layout) {
    separate();
    out_ += bracket;
    open_.push_back({layout});
  }
  void end(char bracket) {
    assert(!open_.empty() && !after_key_);
    Open closed = open_.back();
    open_.pop_back();
    if (closed.layout == Layout::lines && !closed.is_empty) break_line();
    out_ += bracket;
    if (open_.empty()) out_ += '\n';
  }
  void separate() {
    if (after_key_) {
      after_key_ = false;
      return;
    }
    if (open_.empty()) return;
    if (!open_.back().is_empty) out_ += open_.back().layout == Layout::line ? ", " : ",";
    open_.back().is_empty = false;
    if (open_.back().layout == Layout::lines) break_line();
  }
  void break_line() {
    out_ += '\n';
    for (const Open& open : open_)
      if (open.layout == Layout::lines) out_ += "  ";
  }

  std::string& out_;
  std::vector<Open> open_;
  bool after_key_ = false;
};

}  // namespace braid
