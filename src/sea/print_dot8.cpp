// The form of chapter 8 for Graphviz: the node that a projection comes from is a table with a port for each of them, and so is
// each block of a scope. Inputs count as they do there, where nodes without control have none in the first place.
#include <algorithm>

#include "sea/print_graph.h"

namespace braid::sea {

using ir::Op;

namespace {

bool is_port(const Graph& graph, NodeId n) { return graph.op(n) == NodeOp::projection || graph.op(n) == NodeOp::parameter; }
bool has_ports(const Graph& graph, NodeId n) { return graph.op(n) == NodeOp::start || graph.is(n, Op::branch); }
bool is_unreachable(const Graph& graph, NodeId n) { return graph.op(n) == NodeOp::region && graph.input_count(n) == 0; }
bool is_drawn_control(const Graph& graph, NodeId n) { return role_of(graph, n) == NodeRole::control && !is_unreachable(graph, n); }

class Dot8Printer {
 public:
  Dot8Printer(const Graph& graph, std::vector<DrawnScope> scopes) : graph_(graph), scopes_(std::move(scopes)) {}

  std::string run(std::string_view source) {
    out_ += "digraph chapter08 {\n/*\n" + std::string(source) + "\n*/\n";
    out_ += "\trankdir=BT;\n\tordering=\"in\";\n\tconcentrate=\"true\";\n\tcompound=\"true\";\n";
    std::vector<NodeId> roots;
    for (const DrawnScope& scope : scopes_)
      for (const ScopeLevel& level : scope.levels)
        for (const ScopeName& name : level.names) roots.push_back(name.value);
    std::vector<NodeId> all = print_order(graph_, roots);
    std::erase_if(all, [&](NodeId n) { return is_port(graph_, n); });
    std::ranges::sort(all);
    out_ += "\tsubgraph cluster_Nodes {\n";
    for (NodeId n : all) node(n);
    for (NodeId n : all)
      if (is_region(graph_.op(n)) && !is_unreachable(graph_, n)) phis_beside(n);
    out_ += "\t}\n";
    for (size_t s = 0; s < scopes_.size(); ++s) scope(s);
    out_ += "\tedge [ fontname=Helvetica, fontsize=8 ];\n";
    for (NodeId n : all) edges(n);
    for (size_t s = 0; s < scopes_.size(); ++s) scope_edges(s);
    return std::move(out_) + "}\n";
  }

 private:
  std::string id(NodeId n) const {
    const bool is_constant = graph_.is_constant(n) || is_unreachable(graph_, n);
    return (is_constant ? "Con_" : label_of(graph_, n)) + std::to_string(graph_.number(n));
  }
  /// Control comes out of start first, then `arg`.
  std::string port(NodeId n) const { return "p" + std::to_string(graph_.payload(n) + (graph_.op(n) == NodeOp::parameter)); }
  /// Where an edge to the node ends.
  std::string end(NodeId n) const { return is_port(graph_, n) ? id(graph_.input(n, 0)) + ":" + port(n) : id(n); }
  /// Inside of the node.
  std::string label(NodeId n) const {
    switch (graph_.op(n)) {
      case NodeOp::add: return "+";
      case NodeOp::sub:
      case NodeOp::neg: return "-";
      case NodeOp::mul: return "*";
      case NodeOp::sdiv: return "//";
      case NodeOp::is_zero: return "!";
      case NodeOp::constant: return label_of(graph_, n).substr(1);
      case NodeOp::phi: return "&phi;" + label_of(graph_, n).substr(3);
      default: return label_of(graph_, n);
    }
  }

  void node(NodeId n) {
    out_ += "\t\t" + id(n) + " [ ";
    if (has_ports(graph_, n)) {
      ports(n);
    } else {
      if (is_drawn_control(graph_, n))
        out_ += "shape=box style=filled fillcolor=yellow ";
      else if (graph_.is(n, Op::phi))
        out_ += "style=filled fillcolor=lightyellow ";
      out_ += "label=\"" + label(n) + "\" ";
    }
    out_ += "];\n";
  }

  /// Its name on top, what comes out of it below.
  void ports(NodeId n) {
    out_ +=
        "shape=plaintext label=<\n\t\t\t<TABLE BORDER=\"0\" CELLBORDER=\"1\" CELLSPACING=\"0\" CELLPADDING=\"4\">\n"
        "\t\t\t<TR><TD BGCOLOR=\"yellow\">" + label(n) + "</TD></TR>\n\t\t\t<TR>";
    std::string cells;
    graph_.for_each_use(n, [&](NodeId user, uint32_t) {
      if (!is_port(graph_, user)) return;
      cells += "<TD PORT=\"" + port(user) + "\"";
      if (graph_.op(user) == NodeOp::projection) cells += " BGCOLOR=\"yellow\"";
      cells += ">" + label(user) + "</TD>";
    });
    if (!cells.empty())
      out_ += "<TD>\n\t\t\t\t<TABLE BORDER=\"0\" CELLBORDER=\"1\" CELLSPACING=\"0\">\n\t\t\t\t<TR>" + cells +
              "</TR>\n\t\t\t\t</TABLE>\n\t\t\t</TD>";
    out_ += "</TR>\n\t\t\t</TABLE>>\n\t\t";
  }

  void phis_beside(NodeId region) {
    out_ += "\t\t{ rank=same; " + id(region) + ";";
    graph_.for_each_use(region, [&](NodeId user, uint32_t input) {
      if (graph_.is(user, Op::phi) && input == 0) out_ += id(user) + ";";
    });
    out_ += "}\n";
  }

  uint32_t first_place(NodeId n) const {
    if (is_region(graph_.op(n))) return 1;
    return role_of(graph_, n) == NodeRole::control || graph_.is(n, Op::phi) ? 0 : 1;
  }
  void edges(NodeId n) {
    if (graph_.is_constant(n)) return;
    uint32_t place = first_place(n);
    for (uint32_t i = 0; i < graph_.input_count(n); ++i) {
      if (graph_.is(n, Op::ret) && i == 1) continue;  // that of effects, which chapter 8 does not have
      const NodeId def = graph_.input(n, i);
      const std::string number = std::to_string(place++);
      if (is_none(def)) continue;
      out_ += "\t" + id(n) + " -> " + end(def);
      if (graph_.is(n, Op::phi) && i == 0) {
        out_ += " [style=dotted taillabel=" + number + "];\n";
        continue;
      }
      out_ += "[taillabel=" + number;
      if (is_drawn_control(graph_, def)) out_ += " color=red";
      if (number == "2" && (graph_.is(n, Op::phi) || graph_.op(n) == NodeOp::loop)) out_ += " constraint=false";
      out_ += "];\n";
    }
  }

  /// The innermost block is level 1 and stands around the others.
  std::string level_id(size_t scope, size_t level) const {
    return "Scope" + std::to_string(scope + 1) + "_" + std::to_string(scopes_[scope].levels.size() - level);
  }
  void scope(size_t s) {
    const std::vector<ScopeLevel>& levels = scopes_[s].levels;
    out_ += "\tnode [shape=plaintext];\n";
    for (size_t level = levels.size(); level-- > 0;) {
      const std::string name = level_id(s, level);
      out_ += "\tsubgraph cluster_" + name + " {\n\t\t" + name +
              " [label=<\n\t\t\t<TABLE BORDER=\"0\" CELLBORDER=\"1\" CELLSPACING=\"0\">\n\t\t\t<TR><TD BGCOLOR=\"cyan\">" +
              std::to_string(level) + "</TD>";
      for (const ScopeName& known : levels[level].names) out_ += "<TD PORT=\"" + name + "_" + known.name + "\">" + known.name + "</TD>";
      out_ += "</TR>\n\t\t\t</TABLE>>];\n";
    }
    for (size_t level = 0; level < levels.size(); ++level) out_ += "\t}\n";
  }
  void scope_edges(size_t s) {
    out_ += "\tedge [style=dashed color=cornflowerblue];\n";
    const std::vector<ScopeLevel>& levels = scopes_[s].levels;
    for (size_t level = levels.size(); level-- > 0;)
      for (size_t i = 0; i < levels[level].names.size(); ++i) {
        const ScopeName* known = &levels[level].names[i];
        // The head of a loop knows all names that are known in the loop, at the same places.
        while (is_none(known->value)) known = &scopes_[known->head].levels[level].names[i];
        const std::string name = level_id(s, level);
        out_ += "\t" + name + ":\"" + name + "_" + known->name + "\" -> " + end(known->value) + ";\n";
      }
  }

  const Graph& graph_;
  std::vector<DrawnScope> scopes_;
  std::string out_;
};

}  // namespace

std::string print_dot8(Builder& builder, std::string_view source) {
  return Dot8Printer(builder.graph(), drawn_scopes(builder)).run(source);
}

}  // namespace braid::sea
