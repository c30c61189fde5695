// The rewrite rules as data: their numbers, names, texts and how each is proved.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace braid::rules {

/// Names of rules. The first three are no patterns: operations on constants, also those that report overflow,
/// and fields of a tuple that is made in place.
enum class RuleId : uint16_t {
  none,
  fold,
  fold_overflow,
  field_of_tuple,
#define RULE(name) name,
#include "rules/rule_ids.inc"
#undef RULE
};

inline constexpr uint16_t first_pattern_rule = 4;

enum class Proof : uint8_t {
  full,     ///< by a solver, at every width
  partial,  ///< by a solver but for widths that the text names: a million random cases at each of these
};

struct RuleInfo {
  std::string_view name;
  std::string_view text;  ///< the line of the rule file
  std::string_view file;
  uint32_t line;
  Proof proof;
  bool once;  ///< asks `View::once`
};

/// Of all rules, by number; those that are no patterns have no text.
std::span<const RuleInfo> all_rules();
inline const RuleInfo& info(RuleId id) { return all_rules()[static_cast<uint16_t>(id)]; }

}  // namespace braid::rules
