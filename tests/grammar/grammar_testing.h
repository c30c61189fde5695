// What the tests of grammars share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "token_input.h"

namespace braid::grammar {

inline std::string read_all(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The files below a folder with this ending, in the order of their names.
inline std::vector<std::filesystem::path> files_below(const std::string& folder, std::string_view ending) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(BRAID_SOURCE_DIR "/") + folder))
    if (entry.path().extension() == ending) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// A grammar of a page, with the language that it is about.
class GrammarCheck {
 public:
  using Parses = bool (*)(const std::string& text);

  GrammarCheck(std::string ebnf, std::string_view start, Lexicon lexicon, Parses parses)
      : grammar_(ebnf, start), lexicon_(std::move(lexicon)), parses_(parses), start_(grammar_.find(start)),
        used_(grammar_.alternatives().size()) {
    EXPECT_FALSE(ebnf.empty()) << "there is no grammar";
    for (const std::string& mistake : grammar_.mistakes) ADD_FAILURE() << mistake;
    is_sound_ = grammar_.mistakes.empty() && start_ != Grammar::none;
    if (is_sound_) input_.emplace_back(grammar_, lexicon_);
  }
  bool is_sound() const { return is_sound_; }
  bool parses(const std::string& text) const { return parses_(text); }

  bool accepts(const std::string& text) { return recognised(cut(text)).accepted; }

  /// The grammar gives the text, which the parser reads. What it uses of the grammar is noted.
  void expect_accepted(const std::string& text, const std::string& name) {
    Recognition result = recognised(cut(text));
    if (!result.accepted) {
      const std::vector<Token>& tokens = input_[0].tokens;
      std::string around;
      for (size_t i = result.furthest < 12 ? 0 : result.furthest - 12; i < std::min<size_t>(result.furthest + 4, tokens.size()); ++i)
        around += (i == result.furthest ? " <here> " : tokens[i].spaced ? " " : "") + tokens[i].text;
      ADD_FAILURE() << name << ": the parser reads it, the grammar does not: " << around;
      return;
    }
    for (size_t i = 0; i < used_.size(); ++i) used_[i] = used_[i] || result.used[i];
  }

  /// Nothing stands on the page that no program has needed so far.
  void expect_all_used() const {
    for (size_t i = 0; i < used_.size(); ++i) {
      const Alternative& a = grammar_.alternatives()[i];
      // What spells single tokens is not noted.
      if (a.source.empty() || used_[i] || is_of_tokens(grammar_.owner(a.production))) continue;
      ADD_FAILURE() << "no program has used '" << a.source << "' of '" << grammar_.name(grammar_.owner(a.production)) << "'";
    }
  }

  /// Damages the tokens of a program, again and again: what the parser reads nevertheless, the grammar must give. Answers
  /// how many the grammar has refused.
  uint32_t expect_no_refusal_of_mutants(const std::string& text, uint32_t count, uint32_t seed, const std::string& name) {
    const std::vector<Token> whole = cut(text);
    std::mt19937 random(seed);
    uint32_t refused = 0;
    auto any = [&] { return random() % whole.size(); };
    for (uint32_t i = 0; i < count && !whole.empty(); ++i) {
      std::vector<Token> tokens = whole;
      const size_t at = any();
      switch (random() % 4) {
        case 0: tokens.erase(tokens.begin() + static_cast<long>(at)); break;
        case 1: tokens.insert(tokens.begin() + static_cast<long>(at), whole[any()]); break;
        case 2: tokens[at] = whole[any()]; break;
        default: std::swap(tokens[at], tokens[any()]); break;
      }
      refused += expect_no_refusal(tokens, name);
    }
    return refused;
  }

  /// The same with `text` in front of each token, one after the other.
  uint32_t expect_no_refusal_with(const std::string& inserted, const std::string& text, const std::string& name) {
    const std::vector<Token> whole = cut(text);
    uint32_t refused = 0;
    for (size_t at = 0; at < whole.size(); ++at) {
      std::vector<Token> tokens = whole;
      tokens.insert(tokens.begin() + static_cast<long>(at), Token{" " + inserted + " ", true});
      refused += expect_no_refusal(tokens, name);
    }
    return refused;
  }

 private:
  /// Answers whether the grammar refuses it.
  bool expect_no_refusal(const std::vector<Token>& tokens, const std::string& name) {
    std::string damaged;
    for (const Token& token : tokens) damaged += (token.spaced ? " " : "") + token.text;
    if (accepts(damaged)) return false;
    EXPECT_FALSE(parses_(damaged)) << name << ": the parser reads it, the grammar does not:\n" << damaged;
    return true;
  }

  bool is_of_tokens(uint32_t production) const {
    // What only productions of tokens are made of, too.
    if (lexicon_.spelled.count(grammar_.name(production)) > 0) return true;
    for (const Alternative& a : grammar_.alternatives()) {
      if (lexicon_.spelled.count(grammar_.name(grammar_.owner(a.production))) == 0) continue;
      for (const Symbol& s : a.symbols)
        if (s.kind == Symbol::Kind::production && s.production == production) return true;
    }
    return false;
  }

  /// The last line of a file ends with it.
  std::vector<Token> cut(const std::string& text) const { return lexicon_.cut(text + "\n"); }

  Recognition recognised(std::vector<Token> tokens) {
    input_[0].tokens = std::move(tokens);
    return recognise(grammar_, start_, input_[0]);
  }

  Grammar grammar_;
  Lexicon lexicon_;
  Parses parses_;
  uint32_t start_;
  bool is_sound_ = false;
  std::vector<TokenInput> input_;  ///< one, which keeps what it has spelled
  std::vector<bool> used_;
};

}  // namespace braid::grammar
