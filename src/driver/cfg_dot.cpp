#include <algorithm>

#include "base/csr.h"
#include "driver/cfg.h"
#include "ir/graph_view.h"

namespace braid::driver {

using flow::Loop;
using flow::Node;
using ir::BlockId;

std::string dot_escaped(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (char c : text) {
    unsigned char code = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (code < 0x20 || code == 0x7f) {
      out += "\\\\x";
      out += digits[code >> 4];
      out += digits[code & 15];
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out;
}

namespace {

/// Colours that also people who see red and green alike can tell apart (M. Okabe and K. Ito, Color Universal
/// Design, 2002).
constexpr std::string_view colour_of(TargetKind kind) {
  switch (kind) {
    case TargetKind::if_true: return "#009e73";
    case TargetKind::if_false: return "#d55e00";
    case TargetKind::case_:
    case TargetKind::otherwise: return "#0072b2";
    case TargetKind::handler: return "#cc79a7";
    default: return "#444444";
  }
}

class DotWriter {
 public:
  DotWriter(const ir::Function& f, const ShownFacts& shown, const FlowFacts& facts)
      : f_(f), shown_(shown), facts_(facts), blocks_(f) {}

  std::string run() {
    out_ = "digraph \"" + dot_escaped(f_.name_text()) + "\" {\n" +
           "  node [shape=box, fontname=\"monospace\", fontsize=10]\n  edge [fontname=\"sans-serif\", "
           "fontsize=9]\n";
    if (shown_.loops)
      clusters();
    else
      for (uint32_t b = 0; b < f_.block_count(); ++b) node(static_cast<BlockId>(b), "  ");
    for (uint32_t b = 0; b < f_.block_count(); ++b) edges(static_cast<BlockId>(b));
    if (shown_.dominators) dominator_tree();
    return out_ + "}\n";
  }

 private:
  static std::string id(uint32_t b) { return "b" + std::to_string(b); }
  static std::string id(BlockId b) { return id(index(b)); }

  std::string names(std::span<const Node> nodes) const {
    std::string out;
    for (Node n : nodes) out += " " + facts_.blocks[index(n)];
    return out;
  }
  std::string names(std::span<const flow::Variable> things) const {
    std::string out;
    for (flow::Variable v : things) out += " " + facts_.live_things[index(v)].name;
    return out;
  }

  void node(BlockId b, const std::string& indent) {
    Node n = ir::node(b);
    std::string label = dot_escaped(facts_.blocks[index(b)]) + ":\\l";
    if (shown_.liveness) label += "live in:" + dot_escaped(names(facts_.live_in(n))) + "\\l";
    for (const std::string& line : blocks_.source(b)) label += "  " + dot_escaped(line) + "\\l";
    if (shown_.liveness) label += "live out:" + dot_escaped(names(facts_.live_out(n))) + "\\l";
    if (shown_.frontiers) label += "frontier:" + dot_escaped(names(facts_.frontiers.of(n))) + "\\l";
    out_ += indent + id(b) + " [label=\"" + label + "\"";
    if (b == ir::Function::entry()) out_ += ", penwidth=2";
    if (!facts_.dominators.is_reachable(n))
      out_ += ", style=dashed, color=\"#999999\", fontcolor=\"#777777\"";
    out_ += "]\n";
  }

  /// Deeper loops stand no further right: the file of a deep nest would be quadratic.
  static std::string indent_of(size_t depth) {
    constexpr size_t deepest = 40;
    return std::string(2 * std::min(depth, deepest), ' ');
  }

  /// Loops are numbered each after those around it, so a count of open clusters is enough. The nodes that
  /// belong to no inner loop are in the order of the loop's members.
  void clusters() {
    const flow::Loops& loops = facts_.loops;
    Csr<Node> own_nodes = Csr<Node>::build(loops.size(), [&](auto&& emit) {
      for (uint32_t i = 0; i < loops.size(); ++i) {
        if (!is_none(loops.parent(static_cast<Loop>(i)))) continue;
        for (Node n : loops.members(static_cast<Loop>(i))) emit(index(loops.innermost(n)), n);
      }
    });
    uint32_t open = 0;
    auto close_until = [&](uint32_t depth) {
      for (; open > depth; --open) out_ += indent_of(open) + "}\n";
    };
    for (uint32_t i = 0; i < loops.size(); ++i) {
      Loop loop = static_cast<Loop>(i);
      close_until(loops.depth(loop) - 1);
      std::string indent = indent_of(++open);
      std::string title = "loop " + dot_escaped(facts_.blocks[index(loops.header(loop))]);
      if (!loops.is_reducible(loop)) title += " (irreducible)";
      out_ += indent + "subgraph cluster_" + std::to_string(i) + " {\n";
      indent = indent_of(open + 1);
      out_ += indent + "label=\"" + title + "\"; style=rounded; color=\"#56b4e9\"\n";
      for (Node n : own_nodes.row(loop)) node(ir::block(n), indent);
    }
    close_until(0);
    for (uint32_t b = 0; b < f_.block_count(); ++b)
      if (is_none(loops.innermost(Node{b}))) node(static_cast<BlockId>(b), "  ");
  }

  void edges(BlockId b) {
    for (const Target& target : blocks_.targets(b)) {
      out_ +=
          "  " + id(b) + " -> " + id(target.to) + " [color=\"" + std::string(colour_of(target.kind)) + "\"";
      std::string label = target.label.empty() ? std::string(name(target.kind)) : target.label;
      if (!label.empty()) out_ += ", label=\"" + dot_escaped(label) + "\"";
      if (target.kind == TargetKind::handler) out_ += ", style=dotted";
      out_ += "]\n";
    }
    if (BlockId impossible = f_.impossible(b); !is_none(impossible))
      out_ += "  " + id(b) + " -> " + id(impossible) +
              " [style=dashed, color=\"#999999\", label=\"impossible\"]\n";
  }

  void dominator_tree() {
    for (Node n : facts_.dominators.preorder())
      if (Node above = facts_.dominators.idom(n); !is_none(above))
        out_ += "  " + id(index(above)) + " -> " + id(index(n)) +
                " [color=\"#e69f00\", style=bold, arrowhead=none, constraint=false]\n";
  }

  const ir::Function& f_;
  ShownFacts shown_;
  const FlowFacts& facts_;
  BlockText blocks_;
  std::string out_;
};

}  // namespace

Expected<std::string> cfg_dot(const ir::Function& f, const ShownFacts& shown) {
  Expected<FlowFacts> facts = FlowFacts::find(f, shown);
  if (!facts) return facts.error();
  return DotWriter(f, shown, *facts).run();
}

}  // namespace braid::driver
