// The grammar of docs/text.md against the parser of `.braid` text.
#include "grammar_testing.h"
#include "ir/op.h"
#include "text/parse.h"

namespace braid::grammar {
namespace {

bool is_in(char c, char first, char last) { return c >= first && c <= last; }
bool is_digit(char c) { return is_in(c, '0', '9'); }
bool is_hex(char c) { return is_digit(c) || is_in(c, 'a', 'f') || is_in(c, 'A', 'F'); }
bool is_letter(char c) { return is_in(c, 'a', 'z') || is_in(c, 'A', 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80; }

bool is_character(std::string_view words, unsigned char c) {
  if (words == "A to Z") return c >= 'A' && c <= 'Z';
  if (words == "a to z") return c >= 'a' && c <= 'z';
  if (words == "A to F") return c >= 'A' && c <= 'F';
  if (words == "a to f") return c >= 'a' && c <= 'f';
  if (words == "0 to 9") return c >= '0' && c <= '9';
  if (words == "a byte from 0x80") return c >= 0x80;
  if (words == "any byte but a quote, a backslash and a newline") return c != '"' && c != '\\' && c != '\n';
  ADD_FAILURE() << "the page says '" << words << "', and this test does not know what it means";
  return false;
}

bool is_token(std::string_view words, const std::string& token) {
  if (words == "the end of the line, and lines with nothing in them") return token == line_end_token;
  if (words == "the name of any other operation in ir.md") {
    std::optional<ir::Op> op = ir::find_op(token);
    return op && ir::info(*op).shown != ir::TypeShown::special;
  }
  ADD_FAILURE() << "the page says '" << words << "', and this test does not know what it means";
  return false;
}

/// The longest number, name or sign; lines that hold nothing have no end of their own.
class Cutter {
 public:
  explicit Cutter(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
        spaced_ = true;
      } else if (c == ';') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '\n') {
        ++at_;
        if (!tokens_.empty() && tokens_.back().text != line_end_token) tokens_.push_back({"\n"});
        spaced_ = false;
      } else {
        const size_t first = at_;
        take();
        tokens_.push_back({std::string(text_.substr(first, at_ - first)), spaced_});
        spaced_ = false;
      }
    }
    return std::move(tokens_);
  }

 private:
  char look(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void take_while(bool (*is)(char)) {
    while (at_ < text_.size() && is(text_[at_])) ++at_;
  }
  void take_name() {
    take_while([](char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '$'; });
  }
  void take_text() {
    for (++at_; at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n'; ++at_)
      if (text_[at_] == '\\' && look(1) != '\n') ++at_;
    if (look() == '"') ++at_;
    at_ = std::min(at_, text_.size());
  }
  void take_number() {
    const bool hex = look() == '0' && (look(1) == 'x' || look(1) == 'X');
    if (hex) at_ += 2;
    auto digits = [&] { take_while(hex ? is_hex : is_digit); };
    digits();
    if (look() == '.' && look(1) != '.') ++at_, digits();
    const char exponent = static_cast<char>(look() | 0x20);
    const size_t sign = look(1) == '+' || look(1) == '-';
    if (exponent != (hex ? 'p' : 'e') || !is_digit(look(1 + sign))) return;
    at_ += 1 + sign;
    take_while(is_digit);
  }
  void take() {
    const char c = text_[at_];
    if (c == '"') return take_text();
    if (is_letter(c)) return take_name();
    if (is_digit(c) || (c == '.' && is_digit(look(1)))) return take_number();
    ++at_;
    if (c == '+' && is_letter(look())) return take_name();
    if (c == '%' && look() == '+') ++at_;
    if (c == '%') return take_name();
    const std::string_view two = text_.substr(at_ - 1, 2);
    if (two == "->" || two == ".." || two == "+>" || two == "+<") ++at_;
  }

  std::string_view text_;
  size_t at_ = 0;
  bool spaced_ = false;
  std::vector<Token> tokens_;
};

bool parses(const std::string& text) { return text::parse_module(SourceFile("test", text)).has_value(); }

GrammarCheck& check() {
  static GrammarCheck made(ebnf_of_page(BRAID_SOURCE_DIR "/docs/text.md"), "module",
                           {[](std::string_view text) { return Cutter(text).run(); }, is_token,
                            {"name", "text", "number", "decimal", "hexadecimal", "value_name", "buffered_name",
                             "decimal_float", "hex_float"},
                            is_character,
                            {"global_name", "type", "part", "int", "float", "signed", "integer", "float_literal", "location"}},
                           parses);
  return made;
}

TEST(TextGrammar, GivesEveryProgramThatParses) {
  ASSERT_TRUE(check().is_sound());
  uint32_t count = 0;
  for (const auto& file : files_below("tests/files", ".braid")) {
    const std::string text = read_all(file);
    if (!check().parses(text)) continue;
    check().expect_accepted(text, file.filename().string());
    ++count;
  }
  EXPECT_GE(count, 200u);
  check().expect_all_used();
}

TEST(TextGrammar, GivesDamagedProgramsThatParse) {
  ASSERT_TRUE(check().is_sound());
  uint32_t seed = 0, refused = 0, made = 0;
  for (const auto& file : files_below("tests/files", ".braid")) {
    const std::string text = read_all(file);
    if (text.size() > 2000) continue;
    refused += check().expect_no_refusal_of_mutants(text, 20, ++seed, file.filename().string());
    made += 20;
  }
  // Most damage is to the syntax.
  EXPECT_GE(refused, made / 2) << "of " << made;
}

/// In a function with a parameter; the parser and the grammar refuse each for the same reason.
TEST(TextGrammar, RefusesWhatTheParserRefuses) {
  ASSERT_TRUE(check().is_sound());
  auto in_function = [](std::string_view line) {
    return "func @f(n: i64) -> i64 {\nentry:\n  %0 = add i64 %n, 1\n  " + std::string(line) + "\n  ret %0\n}\n";
  };
  EXPECT_TRUE(check().accepts(in_function("%1 = mul i64 %0, 2")));
  for (std::string_view line : {
           "%1 = mul i64 %0 2", "%1 = mul i64 %0,, 2", "%1 mul i64 %0, 2", "%1 = mul i64 %0, 2 !", "%1 = mul i64 %0, 2 !1",
           "%1 = mul i64 %0, 2 !1:", "%1 = mul i64 %0, 2 !1:2@", "= mul i64 %0, 2", "%1 = ", "%1 = frobnicate i64 %0, 2",
           "%1 = pi i64[0 ..9] %0", "%1 = pi i64 [0..9] %0", "%1 = pi i64[0..] %0", "%1 = pi i64| %0", "%1 = pi |i64 %0",
           "%1 = phi i64 [entry 1]", "%1 = phi i64 entry: 1", "%1 = phi i64 [entry: 1", "%1 = tuple %0", "%1 = tuple (%0",
           "%1 = call f(%0)", "%1 = call @f %0", "%1 = call @f(%0", "%1 = load i64 %0 : ", "+% = neg i64 %0", "+",
           "+>( %+1 = neg i64 %0", "%1 = mul i64 %0, \"a", "%1 = mul i64 % 0, 2", "%1 = mul i64 %0, 2 2", "}}", "entry"}) {
    EXPECT_FALSE(check().parses(in_function(line))) << line;
    EXPECT_FALSE(check().accepts(in_function(line))) << line;
  }
  for (std::string_view text : {
           "func @f() {\n", "func f() {\nentry:\n  ret\n}\n", "func @f( {\nentry:\n  ret\n}\n", "func @f() -> {\nentry:\n  ret\n}\n",
           "func @f() { entry:\n  ret\n}\n", "func @f() {\nentry: ret\n}\n", "func @f()\n{\nentry:\n  ret\n}\n", "class Dog\n",
           "class @A :\n", "global @g\n", "global @g: 8 align\n", "global @g: 8 const =\n", "intrinsic a.b(i64) pure\n",
           "extern @f(i64) -> i64 quickly\n", "extern @f(i64,) -> i64\n", "language\n", "module\n", "extern @f(\"a\": i64)\n",
           "func @f() {\n  var : i64\nentry:\n  ret\n}\n", "func @f() {\n  var x i64\nentry:\n  ret\n}\n",
           "func @f() {\n  var x: i64 never\nentry:\n  ret\n}\n", "func @f() closed {\nentry:\n  ret\n}\n"}) {
    EXPECT_FALSE(check().parses(std::string(text))) << text;
    EXPECT_FALSE(check().accepts(std::string(text))) << text;
  }
}

}  // namespace
}  // namespace braid::grammar
