// Input that was damaged: it is read or rejected, never more, and what is read can be printed and read again.
#include <random>

#include "text/print_julia.h"
#include "text_testing.h"

namespace braid::text {
namespace {

using namespace ir;

/// Reads the text; whatever comes of it must be sound.
void survive(const std::string& text) {
  Expected<ParsedModule> result = parse_module(SourceFile("damaged", text));
  if (!result) {
    ASSERT_TRUE(result.error().has_errors());
    ASSERT_FALSE(render(result.error()).empty());
    return;
  }
  std::string printed = to_text(*result->module);
  Expected<ParsedModule> again = parse_module(SourceFile("printed", printed));
  ASSERT_TRUE(again) << render(again.error()) << text << "\n----\n" << printed;
  std::string difference;
  ASSERT_TRUE(ir_equal(*result->module, *again->module, &difference)) << difference << "\n" << text << "\n----\n" << printed;
  ASSERT_EQ(to_text(*again->module), printed) << text;
  for (uint32_t i = 0; i < result->module->function_count(); ++i)
    to_julia(result->module->function(static_cast<FuncId>(i)), true);
}

class Damage {
 public:
  explicit Damage(std::string text, uint32_t seed) : text_(std::move(text)), random_(seed) {}

  std::string make() {
    std::string damaged = text_;
    for (uint32_t count = 1 + below(3); count > 0; --count) apply(damaged);
    return damaged;
  }

 private:
  uint32_t below(size_t limit) { return static_cast<uint32_t>(random_() % std::max<size_t>(limit, 1)); }

  void apply(std::string& text) {
    if (text.empty()) return;
    static constexpr std::string_view words[] = {
        "%",    "@",     "i64",  "(",     ")",     "[",       "]",        ",",    ":",      "!",     "+>",
        "+<",   "+phi",  "+end", "undef", "null",  "nan",     "0x",       "-",    "\"",     "\\",    "phi ",
        "same", "tuple", "none", "void",  "}",     "{",       "func @x(", "\n",   "%+0",    "b0",    "%0",
        "var ", "entry", " = ",  ";",     "\x80",  "extract", "leave ",   "!1:2", "ref:A!", "i64=5", "99999999999",
    };
    size_t at = below(text.size());
    switch (below(9)) {
      case 0: text[at] = static_cast<char>(random_()); break;
      case 1: text[at] = static_cast<char>(text[at] ^ (1 << below(8))); break;
      case 2: text.erase(at, 1 + below(8)); break;
      case 3: text.resize(at); break;
      case 4: text.insert(at, words[below(std::size(words))]); break;
      case 5: text.insert(at, text.substr(below(text.size()), below(20))); break;
      case 6: swap_lines(text); break;
      case 7: text.insert(line_start(text, at), line(text, below(text.size()))); break;
      default: text.erase(line_start(text, at), line(text, at).size()); break;
    }
  }

  static size_t line_start(const std::string& text, size_t at) {
    size_t newline = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    return newline == std::string::npos ? 0 : newline + 1;
  }
  static std::string line(const std::string& text, size_t at) {
    size_t start = line_start(text, at), end = text.find('\n', at);
    return text.substr(start, end == std::string::npos ? end : end + 1 - start);
  }
  void swap_lines(std::string& text) {
    std::vector<std::string> lines;
    for (size_t at = 0; at < text.size();) {
      lines.push_back(line(text, at));
      at += lines.back().size();
    }
    std::swap(lines[below(lines.size())], lines[below(lines.size())]);
    text.clear();
    for (const std::string& one : lines) text += one;
  }

  std::string text_;
  std::mt19937 random_;
};

TEST(Damaged, RandomChanges) {
  uint32_t seed = 1;
  for (const auto& path : sample_files()) {
    SCOPED_TRACE(path.string());
    Damage damage(read_all(path), seed++);
    for (int i = 0; i < 400; ++i) ASSERT_NO_FATAL_FAILURE(survive(damage.make()));
  }
}

TEST(Damaged, EveryTruncation) {
  for (const auto& path : sample_files()) {
    std::string text = read_all(path);
    for (size_t size = 0; size < text.size(); size += 3) ASSERT_NO_FATAL_FAILURE(survive(text.substr(0, size)));
  }
}

TEST(Damaged, EveryLineMissing) {
  for (const auto& path : sample_files()) {
    std::string text = read_all(path);
    for (size_t start = 0; start < text.size();) {
      size_t end = text.find('\n', start) + 1;
      ASSERT_NO_FATAL_FAILURE(survive(text.substr(0, start) + text.substr(end)));
      start = end;
    }
  }
}

}  // namespace
}  // namespace braid::text
