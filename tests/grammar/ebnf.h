// Grammars as the pages of docs/ write them, in EBNF after ISO 14977, with commas left out:
//
//   name = alternative | alternative      "text" or 'text'      [ at most once ]      { as often as you like }
//   ( group )      ? what words say ?      (* comment *)      ; at the end of a production may stand or not
//
// What stands in brackets becomes a production without a name, so that nothing is left but sequences.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace braid::grammar {

struct Symbol {
  enum class Kind : uint8_t { text, words, production };
  Kind kind;
  std::string text;         ///< of text and words
  uint32_t production = 0;  ///< of a production
};

struct Alternative {
  uint32_t production;
  std::vector<Symbol> symbols;
  std::string source;       ///< how the page writes it; empty of the "nothing" of a bracket
};

class Grammar {
 public:
  /// Reads the text of one or more blocks. What is wrong with it is in `mistakes`: malformed, used and not defined, defined
  /// twice, not used by any other (but for `start`).
  Grammar(std::string_view ebnf, std::string_view start);

  std::vector<std::string> mistakes;

  uint32_t production_count() const { return static_cast<uint32_t>(names_.size()); }
  /// Empty for what stood in brackets.
  const std::string& name(uint32_t production) const { return names_[production]; }
  /// Answers `none` if there is no such production.
  uint32_t find(std::string_view name) const;
  const std::vector<Alternative>& alternatives() const { return alternatives_; }
  /// The numbers of the alternatives of a production.
  std::span<const uint32_t> of(uint32_t production) const { return of_[production]; }
  /// Whether it may be nothing at all.
  bool is_nullable(uint32_t production) const { return nullable_[production]; }
  /// The named production that a part in brackets belongs to; of a named one itself.
  uint32_t owner(uint32_t production) const { return owner_[production]; }

  static constexpr uint32_t none = 0xffffffffu;

 private:
  friend class EbnfReader;
  uint32_t add(std::string name, uint32_t owner);
  void find_nullable();

  std::vector<std::string> names_;
  std::vector<uint32_t> owner_;
  std::vector<Alternative> alternatives_;
  std::vector<std::vector<uint32_t>> of_;
  std::vector<bool> nullable_;
};

/// The `ebnf` blocks of a page, all of them or those under one heading (`## Heading`), one behind the other.
std::string ebnf_of_page(const std::string& path, std::string_view heading = {});

}  // namespace braid::grammar
