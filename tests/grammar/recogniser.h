// Whether a grammar gives a text: Earley's algorithm, with nothing thrown away, so that it can say which alternatives the
// text has used. Any grammar will do. O(length) for what a parser would read from left to right without looking ahead,
// O(length³) at worst; no recursion over the text.
#pragma once

#include <cstdint>
#include <vector>

#include "ebnf.h"

namespace braid::grammar {

/// A text, cut into pieces: characters or tokens.
class Input {
 public:
  virtual ~Input() = default;
  virtual uint32_t size() const = 0;
  /// How many pieces from `at` on the symbol stands for; 0 if it is not there. Of productions only those that the input
  /// `reads` are asked for. `alternative` is where the symbol stands, and `symbol` the how manieth it is there.
  virtual uint32_t match(const Alternative& alternative, uint32_t symbol, uint32_t at) const = 0;
  virtual bool reads(uint32_t /*production*/) const { return false; }
};

struct Recognition {
  bool accepted = false;
  uint32_t furthest = 0;       ///< up to there everything could be read
  std::vector<bool> used;      ///< by alternative, if it is accepted
};
Recognition recognise(const Grammar& grammar, uint32_t production, const Input& input);

/// The characters of a text; `words` says whether a character is what they stand for.
bool spells(const Grammar& grammar, uint32_t production, std::string_view text,
            bool (*words)(std::string_view words, unsigned char c));

}  // namespace braid::grammar
