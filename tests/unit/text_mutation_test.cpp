// Input that was damaged: it is read or rejected, never more, and what is read can be printed and read again. Lines as the
// printer writes them have a reader of their own, which must say what the general one says.
#include <random>

#include "text/print_julia.h"
#include "text_testing.h"

namespace braid::text {
namespace {

using namespace ir;

/// The text with one more blank before every line, so that none is as the printer writes it.
std::string moved(const std::string& text) {
  std::string result = " ";
  for (char c : text) {
    result += c;
    if (c == '\n') result += ' ';
  }
  return result;
}

/// The same errors as for the text itself, one column further.
void expect_moved(const Diagnostics& found, const Diagnostics& of_moved, const std::string& text) {
  ASSERT_EQ(found.size(), of_moved.size()) << render(found) << "\n----\n" << render(of_moved) << "\n----\n" << text;
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].message, of_moved[i].message) << text;
    ASSERT_EQ(found[i].line, of_moved[i].line) << found[i].message << "\n" << text;
    ASSERT_EQ(found[i].column + (found[i].column != 0), of_moved[i].column) << found[i].message << "\n" << text;
  }
}

/// Reads the text; whatever comes of it must be sound.
void survive(const std::string& text) {
  Expected<ParsedModule> result = parse_module(SourceFile("damaged", text));
  Expected<ParsedModule> other = parse_module(SourceFile("moved", moved(text)));
  ASSERT_EQ(result.has_value(), other.has_value()) << text;
  if (!result) {
    ASSERT_NO_FATAL_FAILURE(expect_moved(result.error(), other.error(), text));
  }
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
  ASSERT_TRUE(ir_equal(*result->module, *other->module, &difference)) << difference << "\n" << text;
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

/// Everything that the reader of plain lines knows.
constexpr std::string_view plain_text =
    "func @f(a: i64, b: i64, p: ptr, x: f64) -> i64 {\n"
    "b0:\n"
    "  %0 = add i64 %a, 12\n"
    "  %1 = slt i64 %0, %b\n"
    "  %2 = load i32 %p\n"
    "  %3 = mul i32 %2, -7\n"
    "  %4 = fadd f64 %x, %x\n"
    "  %5 = neg i64 %0\n"
    "  branch %1, b1, b4\n"
    "b1:\n"
    "  %7 = phi i64 [b0: %0, b2: %12]\n"
    "  %8 = phi i64 [b0: -3, b2: %7]\n"
    "  %9 = eq i32 %3, %2\n"
    "  branch %9, b2, b3\n"
    "b2:\n"
    "  %11 = flt f64 %4, %x\n"
    "  %12 = xor i64 %7, %8\n"
    "  jump b1\n"
    "b3:\n"
    "  %14 = check_bounds i64 %7, %12\n"
    "  %ab = ult ptr %p, %p\n"
    "  ret 5\n"
    "b4:\n"
    "  %17 = phi i64 [b0: %5]\n"
    "  ret %17\n"
    "}\n";

TEST(Damaged, PlainLines) {
  ASSERT_NE(parsed(std::string(plain_text)), nullptr);
  Damage damage(std::string(plain_text), 77);
  for (int i = 0; i < 20000; ++i) ASSERT_NO_FATAL_FAILURE(survive(damage.make()));
}

/// What is nearly a plain line, each way on its own.
TEST(Damaged, NearlyPlainLines) {
  constexpr std::pair<std::string_view, std::string_view> changes[] = {
      {"%12 = xor", "%12a = xor"},    {"%7, %8", "%7ab, %8"},        {"%7, %8", "%07, %8"},       {"%7, %8", "%7, %99"},
      {"xor", "xxxxxxor"},            {"neg", "popcount"},           {"neg", "xpopcount"},        {"xor i64", "xor  i64"},
      {"%0, %b\n", "%0, %b !1:2\n"}, {"%a, 12", "%a, 12345678901"}, {"%a, 12", "%a, 123456789"}, {"-7", "-0"},
      {"%a, 12", "%a, 1e5"},          {"%a, 12", "%a, 0x10"},        {"slt i64", "slt i32"},      {"branch %9", "branch %10"},
      {"b2, b3", "b2, b9"},           {"b2, b3", "b2, b03"},         {"b2, b3", "b2, b3x"},       {"jump b1", "jump b1, b2"},
      {"b2: %12", "b3: %12"},         {"b2: %12", "b2: %ab"},        {"b2: %12", "b2: %120"},     {"b2: %12", "b2: %012"},
      {"b2: %12", "b2: %erased"},     {"[b0: %5]", "[]"},            {"[b0: %5]", "[b0: %5, ]"},  {"ret 5", "ret"},
      {"ret 5", "ret %p"},            {"%14 =", "%9 ="},             {"%14 =", "%erased ="},      {"b3:", "b3 :"},
      {"b3:", "b2:"},                 {"b3:", "b003:"},              {"b3:", "b3: ; three"},      {"-> i64", "-> i32"},
      {"ret 5", "ret 5\n  %15 = add i64 %a, 1"}, {"%5 = neg i64 %0", "neg i64 %0"}, {"  jump", "  %13 = jump"},
      {"%7 = phi", "phi"},            {"x: f64", "i1: f64"},         {"[b0: -3", "[b0: - 3"},     {"b0:\n", "b0:\n  +< %+0 = neg i64 1\n"},
  };
  for (auto [from, to] : changes) {
    std::string text(plain_text);
    size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    ASSERT_NO_FATAL_FAILURE(survive(text.replace(at, from.size(), to))) << from << " as " << to;
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
