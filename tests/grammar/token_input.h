// A text as tokens, for the recogniser. How a language cuts its text into tokens is its test's affair; a text of the grammar
// stands for the tokens that it is cut into itself, without space between them.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "recogniser.h"

namespace braid::grammar {

struct Token {
  std::string text;
  bool spaced = false;  ///< there is space before it
};
inline constexpr std::string_view line_end_token = "\n";

/// What a grammar means for the tokens of a language.
struct Lexicon {
  std::function<std::vector<Token>(std::string_view)> cut;
  /// Whether a token is what words of the grammar, or of a production of tokens, stand for.
  std::function<bool(std::string_view words, const std::string& token)> is;
  /// Productions for single tokens, which their characters must spell; `character` explains the words in them.
  std::set<std::string> spelled;
  bool (*character)(std::string_view words, unsigned char c) = nullptr;
  /// Productions without space in them.
  std::set<std::string> tight;
};

class TokenInput : public Input {
 public:
  TokenInput(const Grammar& grammar, const Lexicon& lexicon) : g_(grammar), lexicon_(lexicon) {
    for (uint32_t i = 0; i < grammar.production_count(); ++i) {
      is_spelled_.push_back(lexicon.spelled.count(grammar.name(i)) > 0);
      is_tight_.push_back(lexicon.tight.count(grammar.name(grammar.owner(i))) > 0);
    }
    for (const Alternative& a : grammar.alternatives())
      for (const Symbol& s : a.symbols)
        if (s.kind == Symbol::Kind::text) texts_.emplace(s.text, lexicon.cut(s.text));
  }

  std::vector<Token> tokens;

  uint32_t size() const override { return static_cast<uint32_t>(tokens.size()); }
  bool reads(uint32_t production) const override { return is_spelled_[production]; }
  uint32_t match(const Alternative& alternative, uint32_t symbol, uint32_t at) const override {
    const Symbol& s = alternative.symbols[symbol];
    if (symbol > 0 && is_tight_[alternative.production] && tokens[at].spaced) return 0;
    if (s.kind == Symbol::Kind::words) return lexicon_.is(s.text, tokens[at].text);
    if (s.kind == Symbol::Kind::production) return is_spelled(s.production, tokens[at].text);
    const std::vector<Token>& wanted = texts_.at(s.text);
    if (at + wanted.size() > tokens.size()) return 0;
    for (size_t i = 0; i < wanted.size(); ++i)
      if (tokens[at + i].text != wanted[i].text || (i > 0 && tokens[at + i].spaced)) return 0;
    return static_cast<uint32_t>(wanted.size());
  }

 private:
  bool is_spelled(uint32_t production, const std::string& text) const {
    auto [known, is_new] = spelled_.try_emplace({production, text}, false);
    if (is_new) known->second = text != line_end_token && spells(g_, production, text, lexicon_.character);
    return known->second;
  }

  const Grammar& g_;
  const Lexicon& lexicon_;
  std::vector<bool> is_spelled_, is_tight_;
  std::map<std::string, std::vector<Token>> texts_;
  mutable std::map<std::pair<uint32_t, std::string>, bool> spelled_;
};

}  // namespace braid::grammar
