// The grammar of docs/pandasm.md against the parser of pandasm.
#include "front/pandasm/lexer.h"
#include "front/pandasm/literal.h"
#include "front/pandasm/opcode.h"
#include "front/pandasm/pandasm.h"
#include "grammar_testing.h"

namespace braid::grammar {
namespace {

/// The lexer's own tokens; lines that hold nothing have no end of their own.
std::vector<Token> cut(std::string_view text) {
  std::vector<Token> tokens;
  for (pandasm::Lexer lexer(text); lexer.token() != pandasm::Token::end; lexer.next()) {
    const bool is_line = lexer.token() == pandasm::Token::line;
    if (is_line && (tokens.empty() || tokens.back().text == line_end_token)) continue;
    std::string one(lexer.text());
    if (lexer.token() == pandasm::Token::text || lexer.token() == pandasm::Token::unclosed_text) one = '"' + one + '"';
    tokens.push_back({std::move(one), !is_line});
  }
  return tokens;
}

bool is_token(std::string_view words, const std::string& token) {
  const bool is_line = token == line_end_token, is_text = token[0] == '"';
  const bool is_sign = token.size() == 1 && std::string_view(",:{}()<>=[]").find(token[0]) != std::string_view::npos;
  const bool is_word = !is_line && !is_text && !is_sign;
  if (words == "the end of a line, and lines with nothing in them") return is_line;
  if (words == "a text in quotes") return is_text;
  if (words == "what stands between blanks and signs") return is_word;
  if (words == "letters, digits, _, $ and -, in parts with dots between them") return is_word && pandasm::is_name(token);
  if (words == "a0, a1, … in their order") return is_word && token[0] == 'a' && token.size() > 1;
  if (words == "the number of literals") return is_word && pandasm::parse_integer(token).has_value();
  if (words == "an instruction") return is_word && pandasm::find_opcode(token).has_value();
  ADD_FAILURE() << "the page says '" << words << "', and this test does not know what it means";
  return false;
}

bool parses(const std::string& text) { return pandasm::parse(SourceFile("test", text)).has_value(); }

GrammarCheck& check() {
  static GrammarCheck made(ebnf_of_page(BRAID_SOURCE_DIR "/docs/pandasm.md"), "unit", {cut, is_token, {}, nullptr, {}}, parses);
  return made;
}

TEST(PandasmGrammar, GivesEveryProgramThatParses) {
  ASSERT_TRUE(check().is_sound());
  uint32_t count = 0, refused = 0, made = 0;
  for (const auto& file : files_below("tests/files/pandasm", ".pa")) {
    const std::string text = read_all(file);
    if (!check().parses(text)) continue;
    check().expect_accepted(text, file.filename().string());
    refused += check().expect_no_refusal_of_mutants(text, 20, ++count, file.filename().string());
    made += 20;
  }
  // What no golden file has.
  const std::string rare = R"(.language PandaAssembly
.record R[] <external>
.record Q <external>
.function any f(any a0) <external>
.array A i32 3
{
  1
  2 3 }
.array B
{
  i32 1
  panda.String "x"
}
.record S
{
}
.function void g()
{
a: b: return.void
c:
d:
  return.void
.catch Q, a, c, d, d
.catchall a, c, c, d
e: f:
}
)";
  EXPECT_TRUE(parses(rare));
  check().expect_accepted(rare, "rare");
  EXPECT_GE(count, 20u);
  EXPECT_GE(refused, made / 3) << "of " << made;
  check().expect_all_used();
}

TEST(PandasmGrammar, RefusesWhatTheParserRefuses) {
  ASSERT_TRUE(check().is_sound());
  for (const char* text : {".function f() {\n return.void\n}", ".function void f( {\n}", ".function void f() {\n return.void",
                           ".function void f() {\n frob\n}", ".record",
                           ".function void f(i32) {\n}", ".record R {\n i32\n}", ".record R <final {\n}", ".array A i32 {\n 1\n}",
                           ".function void f() {\n .catch b, e, h\n}", "lda v0", ".function void f() {\n movi v0 1\n}"}) {
    EXPECT_FALSE(parses(text)) << text;
    EXPECT_FALSE(check().accepts(text)) << text;
  }
}

}  // namespace
}  // namespace braid::grammar
