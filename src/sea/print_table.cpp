#include <cstdio>

#include "sea/print_graph.h"

namespace braid::sea {
namespace {

void append_number(std::string& out, uint64_t number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%4llu ", static_cast<unsigned long long>(number));
  out += text;
}

void append_line(std::string& out, const Graph& graph, NodeId n) {
  append_number(out, graph.number(n));
  std::string label = label_of(graph, n);
  label.resize(7, ' ');
  out += label + " ";
  uint32_t inputs = graph.input_count(n), uses = 0;
  for (uint32_t i = 0; i < inputs; ++i) {
    if (is_none(graph.input(n, i)))
      out += "____ ";
    else
      append_number(out, graph.number(graph.input(n, i)));
  }
  for (uint32_t i = inputs; i < 3; ++i) out += "     ";
  out += " [[  ";
  graph.for_each_use(n, [&](NodeId user, uint32_t) {
    append_number(out, graph.number(user));
    ++uses;
  });
  for (uint32_t i = uses + (inputs < 3 ? 3 : inputs); i < 5; ++i) out += "     ";
  out += " ]]  " + type_label(graph, n) + "\n";
}

/// Projections and phis stand directly below the control they hang on, constants and parameters below start.
bool is_tail(const Graph& graph, NodeId n, NodeId head) {
  NodeOp op = graph.op(n);
  if (op == NodeOp::constant || op == NodeOp::parameter) return head == graph.start;
  return (op == NodeOp::projection || op == NodeOp::phi) && graph.input(n, 0) == head;
}

}  // namespace

std::string print_table(const Graph& graph) {
  std::string out;
  bool gap = true;
  std::vector<NodeId> order = print_order(graph);
  for (size_t i = 0; i < order.size(); ++i) {
    NodeId head = order[i];
    bool is_head = role_of(graph, head) == NodeRole::control;
    if (is_head && !gap) out += "\n";
    append_line(out, graph, head);
    gap = false;
    if (!is_head) continue;
    while (i + 1 < order.size() && is_tail(graph, order[i + 1], head)) append_line(out, graph, order[++i]);
    out += "\n";
    gap = true;
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

}  // namespace braid::sea
