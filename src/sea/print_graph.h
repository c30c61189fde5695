// Whole graphs for people and programs: as a table, for Graphviz, as JSON. print_text.h has the one-line
// form.
//
// All three show nodes by their numbers (Graph::number), are iterative and deterministic, and cost O(graph).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sea/graph.h"
#include "sea/build.h"

namespace braid::sea {

/// What kind of thing a node is, where edges and nodes are told apart.
enum class NodeRole : uint8_t { control, effect, value };
NodeRole role_of(const Graph& graph, NodeId n);
/// `Add`, `Loop`, `Phi_x`, `True`, `#5`; the names of chapter 8 of Simple where it has one, otherwise that of
/// the op table.
std::string label_of(const Graph& graph, NodeId n);
/// `Ctrl` and `~Ctrl` for control, otherwise the text form of the type.
std::string type_label(const Graph& graph, NodeId n);

/// Everything that hangs together with start, stop and `roots`: reverse postorder over uses, control first,
/// so that a block stands before those it leads to and a value behind its inputs, back edges apart.
std::vector<NodeId> print_order(const Graph& graph, std::span<const NodeId> roots = {});

/// One node a line, in the layout of the original's IRPrinter: number, label, inputs, uses, type. Control
/// stands apart, with its projections or phis directly below it.
std::string print_table(const Graph& graph);

/// What a name stands for: a node, or what it stands for in the head of a loop, which is another of the scopes that are drawn.
struct ScopeName {
  std::string name;
  NodeId value = no_node;
  uint32_t head = 0;
};
/// The names of one block of the source.
struct ScopeLevel {
  std::vector<ScopeName> names;
};
/// Blocks inside of blocks, the outermost first.
struct DrawnScope {
  std::string label;
  std::vector<ScopeLevel> levels;
};
/// All scopes that are live at this point of building.
std::vector<DrawnScope> drawn_scopes(Builder& builder);

struct DotOptions {
  std::string_view name = "sea";
  std::string_view source = {};         ///< stands in front as a comment
  std::vector<DrawnScope> scopes = {};  ///< of a graph that is being built: clusters, blocks inside of blocks
};
/// Control is yellow boxes and thick red edges, effects are dashed, values are plain, phis stand beside their
/// region. Edges lead from a node to its inputs, with their numbers.
std::string print_dot(const Graph& graph, const DotOptions& options = {});
/// What chapter 8 of Simple prints of a graph that is being built, with its source and all scopes that are live.
std::string print_dot8(Builder& builder, std::string_view source);

struct NamedGraph {
  std::string_view name;
  const Graph* graph;
};
inline constexpr uint32_t sea_schema_version = 1;
/// Schema `braid.sea`, described in docs/sea-graph.md.
std::string print_json(std::span<const NamedGraph> graphs);

}  // namespace braid::sea
