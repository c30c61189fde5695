// The grammar of docs/rules.md against what `rulec` reads.
#include "grammar_testing.h"
#include "ir/op.h"
#include "rule.h"

namespace braid::grammar {
namespace {

bool is_in_word(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }

bool is_kind(std::string_view name) {
  for (int k = 0; k < kind_count; ++k)
    if (kind_name(static_cast<Kind>(k)) == name) return true;
  return false;
}

/// A rule is a line; `#` begins a comment.
std::vector<Token> cut(std::string_view text) {
  static constexpr std::string_view signs[] = {"=>", "||", "&&", "==", "!=", ".."};
  std::vector<Token> tokens;
  bool spaced = false;
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    size_t length = 1;
    if (rest[0] == ' ' || rest[0] == '#') {
      at += rest[0] == '#' ? std::min(rest.find('\n'), rest.size()) : 1;
      spaced = true;
      continue;
    }
    if (rest[0] == '\n') {
      if (!tokens.empty() && tokens.back().text != line_end_token) tokens.push_back({"\n"});
      ++at;
      spaced = false;
      continue;
    }
    for (std::string_view sign : signs)
      if (rest.starts_with(sign)) length = 2;
    const bool is_number = rest[0] >= '0' && rest[0] <= '9';
    auto goes_on = [&](size_t i) {
      return i < rest.size() && (is_in_word(rest[i]) || (is_number && rest[i] == '.' && rest.substr(i, 2) != ".."));
    };
    if (is_in_word(rest[0]))
      while (goes_on(length)) ++length;
    tokens.push_back({std::string(rest.substr(0, length)), spaced});
    at += length;
    spaced = false;
  }
  return tokens;
}

bool is_token(std::string_view words, const std::string& token) {
  const char c = token[0];
  if (words == "the end of the line") return token == line_end_token;
  if (words == "letters, digits and _") return is_in_word(c) && !(c >= '0' && c <= '9');
  if (words == "a name that begins with a small letter") return c >= 'a' && c <= 'z';
  if (words == "a name that begins with a capital letter") return c >= 'A' && c <= 'Z';
  if (words == "an operation of ir.md") return ir::find_op(token).has_value();
  if (words == "a kind of one storage") return is_kind(token);
  if (words == "digits, perhaps with a point and digits") return c >= '0' && c <= '9';
  ADD_FAILURE() << "the page says '" << words << "', and this test does not know what it means";
  return false;
}

bool parses(const std::string& text) {
  std::vector<rulec::Rule> rules;
  rulec::Errors errors;
  rulec::parse("test", text, rules, errors);
  return errors.empty();
}

GrammarCheck& check() {
  static GrammarCheck made(ebnf_of_page(BRAID_SOURCE_DIR "/docs/rules.md"), "rules", {cut, is_token, {}, nullptr, {}}, parses);
  return made;
}

TEST(RulesGrammar, GivesEveryRule) {
  ASSERT_TRUE(check().is_sound());
  uint32_t count = 0, refused = 0, made = 0;
  for (const auto& file : files_below("src/rules", ".rules")) {
    std::istringstream lines(read_all(file));
    for (std::string line; std::getline(lines, line);) {
      if (cut(line).empty()) continue;
      ASSERT_TRUE(parses(line)) << line;
      check().expect_accepted(line, file.filename().string());
      refused += check().expect_no_refusal_of_mutants(line, 20, ++count, file.filename().string());
      made += 20;
    }
  }
  // What no rule has needed so far.
  const std::string rare = "rare: add(x, C) if !(C == 0) || C == all_ones => x";
  EXPECT_TRUE(parses(rare));
  check().expect_accepted(rare, "rare");
  EXPECT_GE(count, 300u);
  EXPECT_GE(refused, made / 3) << "of " << made;
  check().expect_all_used();
}

TEST(RulesGrammar, RefusesWhatTheParserRefuses) {
  ASSERT_TRUE(check().is_sound());
  for (const char* rule : {"add(x, 0) => x", "r: add(x, 0) = x", "r: add(x, 0) =>", "r: add x => x", "r: add(x, => x", "r: => x",
                           "r: add(x, 0) if => x", "r: add(x, 0) => x for", "r: add(x, 0) => x for i128", "r: add(x, 0) => x twice",
                           "r: add(x, 0) => x proof=hope", "r: frob(x) => x", "r: add(x, 0 => x", "r: add(x, 1 +) => x"}) {
    EXPECT_FALSE(parses(rule)) << rule;
    EXPECT_FALSE(check().accepts(rule)) << rule;
  }
}

}  // namespace
}  // namespace braid::grammar
