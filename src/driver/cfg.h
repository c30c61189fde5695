// The control-flow graph of a function for people and for other programs: as text, for Graphviz, and as JSON.
#pragma once

#include <braid/expected.h>

#include <cstdint>
#include <span>
#include <string>

#include "driver/flow_facts.h"
#include "ir/function.h"

namespace braid::driver {

/// Version of the schema of `cfg_json`. A change that an old reader would misread raises it.
inline constexpr uint32_t cfg_schema_version = 1;

// All of these are errors if a list would have more than `most_entries` entries.

/// A paragraph per block: its edges and what `shown` asks for.
Expected<std::string> cfg_text(const ir::Function& f, const ShownFacts& shown);
/// A digraph: blocks with their statements, true and false edges in two colours, exceptional edges dotted,
/// impossible ones dashed. Dominators are edges of their own, loops are clusters, frontiers and liveness
/// stand in the blocks.
Expected<std::string> cfg_dot(const ir::Function& f, const ShownFacts& shown);
/// For a quoted string of the dot language. Other control characters become visible: a label shows `\x1b`.
std::string dot_escaped(std::string_view text);
/// The graphs and what `shown` asks for; all facts if it asks for none.
Expected<std::string> cfg_json(std::span<const ir::Function* const> functions, const ShownFacts& shown);

/// Every analysis of the room `flow`: orders, dominators, post-dominators, frontiers, the iterated frontier
/// of each variable, control dependence, loops, liveness, and whether the graph is reducible.
Expected<std::string> analysis_text(const ir::Function& f);

}  // namespace braid::driver
