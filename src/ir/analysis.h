// Sets of analyses: how a pass says what it needs, and an edit what it leaves as it was.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace braid::ir {

enum class Analysis : uint8_t {
  none = 0,
  cfg = 1,         ///< the blocks as a graph
  dominators = 2,  ///< dominance among blocks
  uses = 4,        ///< users of each value
  graph = cfg | dominators,  ///< all that looks at blocks and edges alone
  all = graph | uses,
};
constexpr Analysis operator|(Analysis a, Analysis b) {
  return static_cast<Analysis>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}
constexpr Analysis operator&(Analysis a, Analysis b) {
  return static_cast<Analysis>(static_cast<uint8_t>(a) & static_cast<uint8_t>(b));
}
/// What is in the first set alone.
constexpr Analysis operator-(Analysis a, Analysis b) {
  return static_cast<Analysis>(static_cast<uint8_t>(a) & ~static_cast<uint8_t>(b));
}
constexpr bool contains(Analysis set, Analysis part) { return (set & part) == part; }

/// Each alone, in the order in which they are listed.
struct NamedAnalysis {
  Analysis analysis;
  std::string_view name;
};
inline constexpr NamedAnalysis each_analysis[] = {
    {Analysis::cfg, "cfg"}, {Analysis::dominators, "dominators"}, {Analysis::uses, "uses"}};

/// `cfg uses`; `-` of none.
inline std::string to_string(Analysis set) {
  std::string text;
  for (const auto& [analysis, name] : each_analysis)
    if (contains(set, analysis)) text += (text.empty() ? "" : " ") + std::string(name);
  return text.empty() ? "-" : text;
}

}  // namespace braid::ir
