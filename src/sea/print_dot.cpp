#include "sea/effects.h"
#include "sea/print_graph.h"

namespace braid::sea {

using ir::Op;

namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) >= 32) {
      out += c;
    }
  }
  return out + "\"";
}

class DotPrinter {
 public:
  DotPrinter(const Graph& graph, const DotOptions& options) : graph_(graph), options_(options) {}

  std::string run() {
    comment();
    out_ += "digraph " + quoted(options_.name) +
            " {\n  rankdir=BT;\n  ordering=\"in\";\n  concentrate=\"true\";\n  compound=\"true\";\n"
            "  node [fontname=\"monospace\", fontsize=10, height=0.2];\n  edge [fontname=\"sans-serif\", "
            "fontsize=8, arrowsize=0.6];\n";
    std::vector<NodeId> roots;
    for (const DrawnScope& scope : options_.scopes)
      for (const ScopeLevel& level : scope.levels)
        for (const ScopeName& name : level.names) roots.push_back(name.value);
    std::vector<NodeId> order = print_order(graph_, roots);
    out_ += "  subgraph cluster_nodes {\n";
    for (NodeId n : order) node(n);
    for (NodeId n : order)
      if (is_region(graph_.op(n))) phis_beside(n);
    out_ += "  }\n";
    for (NodeId n : order) edges(n);
    scopes();
    return std::move(out_) + "}\n";
  }

 private:
  std::string id(NodeId n) const { return "n" + std::to_string(graph_.number(n)); }

  void comment() {
    if (options_.source.empty()) return;
    out_ += "/*\n";
    std::string_view text = options_.source;
    for (size_t i = 0; i < text.size(); ++i) {
      out_ += text[i];
      if (text[i] == '*' && i + 1 < text.size() && text[i + 1] == '/')
        out_ += ' ';  // the comment must not end here
    }
    out_ += "\n*/\n";
  }

  void node(NodeId n) {
    out_ +=
        "    " + id(n) + " [label=" + quoted(std::to_string(graph_.number(n)) + " " + label_of(graph_, n));
    NodeRole role = role_of(graph_, n);
    if (role == NodeRole::control)
      out_ += ", shape=box, style=filled, fillcolor=yellow";
    else if (graph_.is(n, Op::phi))
      out_ += ", style=filled, fillcolor=lightyellow";
    if (role == NodeRole::effect) out_ += ", color=\"#0072b2\"";
    out_ += ", tooltip=" + quoted(type_label(graph_, n)) + "];\n";
  }

  void phis_beside(NodeId region) {
    std::string phis;
    graph_.for_each_use(region, [&](NodeId user, uint32_t input) {
      if (graph_.is(user, Op::phi) && input == 0) phis += " " + id(user) + ";";
    });
    if (!phis.empty()) out_ += "    { rank=same; " + id(region) + ";" + phis + " }\n";
  }

  void edges(NodeId n) {
    for (uint32_t i = 0; i < graph_.input_count(n); ++i) {
      NodeId def = graph_.input(n, i);
      if (is_none(def)) continue;
      out_ += "  " + id(n) + " -> " + id(def) + " [taillabel=" + std::to_string(i);
      bool back = (graph_.op(n) == NodeOp::loop && i > 0) ||
                  (graph_.is(n, Op::phi) && i > 1 && !is_none(graph_.input(n, 0)) &&
                   graph_.op(graph_.input(n, 0)) == NodeOp::loop);
      if ((graph_.is(n, Op::phi) || graph_.op(n) == NodeOp::parameter) && i == 0)
        out_ += ", style=dotted";
      else if (is_effect_input(graph_, n, i))
        out_ += ", style=dashed, color=\"#0072b2\"";
      else if (role_of(graph_, def) == NodeRole::control)
        out_ += ", color=red, penwidth=2";
      if (back) out_ += ", constraint=false";
      out_ += "];\n";
    }
  }

  void scopes() {
    for (size_t s = 0; s < options_.scopes.size(); ++s) draw(s);
    for (size_t s = 0; s < options_.scopes.size(); ++s) values_of(s);
  }
  void draw(size_t s) {
    const DrawnScope& scope = options_.scopes[s];
    out_ += "  subgraph cluster_scope" + std::to_string(s) + " {\n    label=" + quoted(scope.label) +
            "; fontcolor=cyan4; color=cornflowerblue;\n";
    for (size_t level = 0; level < scope.levels.size(); ++level) {
      out_ += "  subgraph cluster_scope" + std::to_string(s) + "_" + std::to_string(level) + " {\n    label=\"" +
              std::to_string(level) + "\"; fontcolor=cyan4; color=cornflowerblue;\n";
      for (size_t i = 0; i < scope.levels[level].names.size(); ++i)
        out_ += "    " + scope_id(s, level, i) +
                " [shape=plaintext, label=" + quoted(scope.levels[level].names[i].name) + "];\n";
    }
    for (size_t level = 0; level <= scope.levels.size(); ++level) out_ += "  }\n";
  }
  void values_of(size_t s) {
    const DrawnScope& scope = options_.scopes[s];
    for (size_t level = 0; level < scope.levels.size(); ++level)
      for (size_t i = 0; i < scope.levels[level].names.size(); ++i) {
        const ScopeName& name = scope.levels[level].names[i];
        // The head of a loop knows all names that are known in the loop, at the same places.
        const bool is_in_head = is_none(name.value);
        out_ += "  " + scope_id(s, level, i) + " -> " + (is_in_head ? scope_id(name.head, level, i) : id(name.value)) +
                " [style=" + (is_in_head ? "dotted" : "dashed") + ", color=cornflowerblue];\n";
      }
  }
  static std::string scope_id(size_t scope, size_t level, size_t name) {
    return "s" + std::to_string(scope) + "_" + std::to_string(level) + "_" + std::to_string(name);
  }

  const Graph& graph_;
  const DotOptions& options_;
  std::string out_;
};

}  // namespace

namespace {

std::string label_of(const Builder::LiveScope& live) {
  const std::string number = " " + std::to_string(live.number + 1);
  switch (live.kind) {
    case Builder::LiveScope::Kind::now: return "now";
    case Builder::LiveScope::Kind::head: return "loop" + number + ": head";
    case Builder::LiveScope::Kind::exit: return "loop" + number + ": exit";
    case Builder::LiveScope::Kind::next_round: return "loop" + number + ": continue";
    case Builder::LiveScope::Kind::then: return "if" + number + ": then";
    case Builder::LiveScope::Kind::otherwise: break;
  }
  return "if" + number + ": else";
}

}  // namespace

std::vector<DrawnScope> drawn_scopes(Builder& builder) {
  const Graph& graph = builder.graph();
  const Scopes& scopes = builder.scopes();
  const std::vector<Builder::LiveScope> all = builder.live_scopes();
  std::vector<uint32_t> head_of_loop;
  for (uint32_t s = 0; s < all.size(); ++s)
    if (all[s].kind == Builder::LiveScope::Kind::head) head_of_loop.push_back(s);
  std::vector<DrawnScope> drawn;
  for (const Builder::LiveScope& live : all) {
    std::vector<ScopeLevel> levels(1);
    levels[0].names.push_back({"$ctrl", live.scope->control});
    uint32_t opened = live.levels > 0 && scopes.level_begin(0) == 0 ? 1 : 0;  // control stands in the first one
    for (uint32_t slot = 0; slot < live.names; ++slot) {
      for (; opened < live.levels && scopes.level_begin(opened) <= slot; ++opened) levels.emplace_back();
      std::string_view name =
          graph.module().symbols.contains(scopes.name(slot)) ? graph.module().name(scopes.name(slot)) : "$effect";
      const NodeId value = scopes.peek(*live.scope, slot);
      levels.back().names.push_back({std::string(name), value, is_none(value) ? head_of_loop[live.scope->loop] : 0});
    }
    for (; opened < live.levels; ++opened) levels.emplace_back();
    drawn.push_back({label_of(live), std::move(levels)});
  }
  return drawn;
}

std::string print_dot(const Graph& graph, const DotOptions& options) {
  return DotPrinter(graph, options).run();
}

}  // namespace braid::sea
