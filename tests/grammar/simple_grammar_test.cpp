// The two grammars of docs/simple.md against the parsers of Simple.
#include "front/simple/simple.h"
#include "grammar_testing.h"

namespace braid::grammar {
namespace {

using simple::Language;

bool is_in_name(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The longest sign of the language; `#showGraph` is one, too. Lines mean nothing.
std::vector<Token> cut(std::string_view text, Language language) {
  static constexpr std::string_view signs[] = {">>>=", ">>>", ">>=", "<<=", ">>", "<<", "+=", "-=", "*=", "/=", "%=", "&=",
                                               "|=",   "^=",  "++",  "--",  "->", "&&", "||", "#showGraph"};
  static constexpr std::string_view signs8[] = {"==", "!=", "<=", ">=", "#showGraph"};
  const bool is_today = language == Language::simple;
  std::vector<Token> tokens;
  bool spaced = false;
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    size_t length = 1;
    if (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\n' || rest[0] == '\r') {
      ++at;
      spaced = true;
      continue;
    }
    if (is_today && (rest.starts_with("//") || rest.starts_with("/*"))) {
      const size_t end = rest[1] == '/' ? rest.find('\n') : rest.find("*/", 2);
      at = end == rest.npos ? text.size() : at + end + (rest[1] == '/' ? 0 : 2);
      spaced = true;
      continue;
    }
    for (std::string_view sign : signs)
      if (is_today && rest.starts_with(sign)) length = std::max(length, sign.size());
    for (std::string_view sign : signs8)
      if (rest.starts_with(sign)) length = std::max(length, sign.size());
    bool (*part)(char) = is_digit(rest[0]) ? is_digit : is_in_name;
    while (part(rest[0]) && length < rest.size() && part(rest[length])) ++length;
    tokens.push_back({std::string(rest.substr(0, length)), spaced});
    at += length;
    spaced = false;
  }
  return tokens;
}

bool is_token(std::string_view words, const std::string& token) {
  static const std::set<std::string> keywords = {"break", "continue", "else", "false", "for", "if",
                                                 "int",   "return",   "true", "val",   "var", "while"};
  if (words == "decimal digits") return is_digit(token[0]);
  if (words == "a name that is no keyword") return is_in_name(token[0]) && !is_digit(token[0]) && keywords.count(token) == 0;
  ADD_FAILURE() << "the page says '" << words << "', and this test does not know what it means";
  return false;
}

bool parses(const std::string& text, Language language) {
  ir::Module module;
  simple::ParseOptions options;
  options.language = language;
  return simple::parse(module, SourceFile("test", text), options).has_value();
}

GrammarCheck check_of(Language language) {
  const bool is_today = language == Language::simple;
  Lexicon lexicon;
  lexicon.cut = [language](std::string_view text) { return cut(text, language); };
  lexicon.is = is_token;
  return GrammarCheck(ebnf_of_page(BRAID_SOURCE_DIR "/docs/simple.md", is_today ? "Today's Simple" : "Chapter 8"), "program",
                      std::move(lexicon),
                      is_today ? [](const std::string& text) { return parses(text, Language::simple); }
                               : [](const std::string& text) { return parses(text, Language::simple8); });
}

/// The program of a golden file: directives stand in lines of their own.
std::string program_in(const std::string& golden) {
  std::istringstream in(golden);
  std::string program, line;
  while (std::getline(in, line))
    if (!line.starts_with("; ")) program += line + "\n";
  return program;
}

TEST(SimpleGrammars, StandUnderTheirHeadings) {
  const std::string page = BRAID_SOURCE_DIR "/docs/simple.md";
  EXPECT_EQ(ebnf_of_page(page), ebnf_of_page(page, "Today's Simple") + ebnf_of_page(page, "Chapter 8"));
}

class SimpleGrammar : public testing::TestWithParam<Language> {};

TEST_P(SimpleGrammar, GivesWhatParses) {
  GrammarCheck check = check_of(GetParam());
  ASSERT_TRUE(check.is_sound());
  uint32_t count = 0, refused = 0, made = 0;
  for (const auto& file : files_below("tests/files/simple", ".smp")) {
    const std::string golden = read_all(file), text = program_in(golden);
    if ((golden.find("; language simple8") != golden.npos) != (GetParam() == Language::simple8)) continue;
    refused += check.expect_no_refusal_of_mutants(text, 50, ++count, file.filename().string());
    made += text.empty() ? 0 : 50;
    if (check.parses(text)) check.expect_accepted(text, file.filename().string());
  }
  EXPECT_GE(count, 30u);
  EXPECT_GE(refused, made / 3) << "of " << made;
  check.expect_all_used();
}

/// An assignment anywhere: what it may stand behind is easily got wrong.
TEST_P(SimpleGrammar, GivesAssignmentsThatParse) {
  GrammarCheck check = check_of(GetParam());
  ASSERT_TRUE(check.is_sound());
  uint32_t refused = 0;
  for (const auto& file : files_below("tests/files/simple", ".smp")) {
    const std::string golden = read_all(file), text = program_in(golden);
    if ((golden.find("; language simple8") != golden.npos) != (GetParam() == Language::simple8) || text.size() > 400) continue;
    refused += check.expect_no_refusal_with("arg =", text, file.filename().string());
  }
  EXPECT_GE(refused, 500u);
}

TEST_P(SimpleGrammar, RefusesWhatTheParserRefuses) {
  GrammarCheck check = check_of(GetParam());
  ASSERT_TRUE(check.is_sound());
  for (const char* text : {"return 1", "return;", "int = 1;", "if arg return 1;", "if(arg return 1;", "while() return 1;", "{ return 1;",
                           "return (1;", "return 1 +;", "arg = ;", "int a 1;", "break", "return 1 = 2;", "else return 1;", "+;"}) {
    EXPECT_FALSE(check.parses(text)) << text;
    EXPECT_FALSE(check.accepts(text)) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Both, SimpleGrammar, testing::ValuesIn(simple::all_languages),
                         [](const auto& info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace braid::grammar
