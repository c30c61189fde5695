// Names, roles and the order of nodes, as all printed forms show them.
#include <algorithm>

#include "ir/function.h"
#include "sea/effects.h"
#include "sea/print_graph.h"
#include "type/type_text.h"

namespace braid::sea {

using ir::Op;

namespace {

struct OpLabel {
  NodeOp op;
  std::string_view label;
};
constexpr OpLabel op_labels[] = {
    {NodeOp::add, "Add"},     {NodeOp::sub, "Sub"},
    {NodeOp::mul, "Mul"},     {NodeOp::sdiv, "Div"},
    {NodeOp::srem, "Rem"},    {NodeOp::and_, "And"},
    {NodeOp::or_, "Or"},      {NodeOp::xor_, "Xor"},
    {NodeOp::shl, "Shl"},     {NodeOp::ashr, "Sar"},
    {NodeOp::lshr, "Shr"},    {NodeOp::eq, "EQ"},
    {NodeOp::ne, "NE"},       {NodeOp::slt, "LT"},
    {NodeOp::sle, "LE"},      {NodeOp::sgt, "GT"},
    {NodeOp::sge, "GE"},      {NodeOp::neg, "Minus"},
    {NodeOp::is_zero, "Not"}, {NodeOp::start, "Start"},
    {NodeOp::stop, "Stop"},   {NodeOp::ret, "Return"},
    {NodeOp::branch, "If"},   {NodeOp::switch_, "Switch"},
    {NodeOp::loop, "Loop"},   {NodeOp::never, "Never"},
    {NodeOp::undef, "undef"}, {NodeOp::effect_entry, "Effect"},
    {NodeOp::dead, "dead"},
};

/// The name in the note of a phi or parameter; regions keep something else there.
std::string_view name_in_note(const Graph& graph, NodeId n) {
  Symbol symbol = static_cast<Symbol>(graph.note(n));
  return graph.module().symbols.contains(symbol) ? graph.module().name(symbol) : std::string_view();
}

std::string projection_label(const Graph& graph, NodeId n) {
  NodeId from = graph.input_count(n) == 0 ? no_node : graph.input(n, 0);
  if (!is_none(from) && graph.is(from, Op::branch)) return graph.payload(n) == 0 ? "True" : "False";
  if (!is_none(from) && graph.op(from) == NodeOp::start && graph.payload(n) == 0) return "$ctrl";
  if (!is_none(from) && graph.op(from) == NodeOp::never) return graph.payload(n) == 0 ? "Onwards" : "Out";
  return "Proj" + std::to_string(graph.payload(n));
}

}  // namespace

NodeRole role_of(const Graph& graph, NodeId n) {
  NodeOp op = graph.op(n);
  switch (op) {
    case NodeOp::start:
    case NodeOp::stop:
    case NodeOp::region:
    case NodeOp::loop:
    case NodeOp::never:
    case NodeOp::projection: return NodeRole::control;
    case NodeOp::effect_entry: return NodeRole::effect;
    case NodeOp::phi: return graph.type(n) == void_type ? NodeRole::effect : NodeRole::value;
    default: break;
  }
  if (!is_table_op(op)) return NodeRole::value;
  if (ir::is_terminator(table_op(op))) return NodeRole::control;
  return graph.type(n) == void_type ? NodeRole::effect : NodeRole::value;
}

std::string label_of(const Graph& graph, NodeId n) {
  NodeOp op = graph.op(n);
  for (const OpLabel& known : op_labels)
    if (known.op == op) return std::string(known.label);
  switch (op) {
    case NodeOp::region: return graph.input_count(n) == 0 ? "~Ctrl" : "Region";
    case NodeOp::projection: return projection_label(graph, n);
    case NodeOp::parameter: {
      std::string_view name = name_in_note(graph, n);
      return name.empty() ? "arg" + std::to_string(graph.payload(n)) : std::string(name);
    }
    case NodeOp::constant: {
      ir::Constant constant = graph.constant_value(n);
      std::optional<Kind> kind = graph.module().types.single_kind(constant.type);
      if (kind && is_integer(*kind)) return "#" + std::to_string(static_cast<int64_t>(constant.bits));
      return "#" + to_string(graph.module().types, graph.type(n));
    }
    case NodeOp::phi: {
      if (graph.type(n) == void_type) return "Phi_effect";
      std::string_view name = name_in_note(graph, n);
      return name.empty() ? "Phi" : "Phi_" + std::string(name);
    }
    case NodeOp::call:
      if (!graph.words(n).empty() && graph.module().has_function(static_cast<ir::FuncId>(graph.words(n)[0])))
        return "Call_" + std::string(graph.module().name(
                             graph.module().function(static_cast<ir::FuncId>(graph.words(n)[0])).name()));
      break;
    default: break;
  }
  return std::string(ir::info(table_op(op)).text);
}

std::string type_label(const Graph& graph, NodeId n) {
  if (role_of(graph, n) == NodeRole::control) return graph.type(n).is_none() ? "~Ctrl" : "Ctrl";
  std::string out;
  append_type(out, graph.module().types, graph.type(n), &graph.module().symbols);
  return out;
}

std::vector<NodeId> print_order(const Graph& graph, std::span<const NodeId> roots) {
  std::vector<bool> wanted(graph.size()), visited(graph.size());
  std::vector<NodeId> found;
  auto want = [&](NodeId n) {
    if (is_none(n) || wanted[index(n)] || graph.is_dead(n)) return;
    wanted[index(n)] = true;
    found.push_back(n);
  };
  want(graph.start);
  want(graph.stop);
  for (NodeId root : roots) want(root);
  for (size_t i = 0; i < found.size(); ++i) {
    for (uint32_t k = 0; k < graph.input_count(found[i]); ++k) want(graph.input(found[i], k));
    // Control that leads nowhere, as an endless loop does, belongs to the program too.
    if (role_of(graph, found[i]) == NodeRole::control)
      graph.for_each_use(found[i], [&](NodeId user, uint32_t) { want(user); });
  }

  struct Item {
    NodeId node;
    uint32_t next, end;  ///< in `uses`
  };
  std::vector<Item> stack;
  std::vector<NodeId> uses, order;
  auto enter = [&](NodeId n) {
    visited[index(n)] = true;
    uint32_t begin = static_cast<uint32_t>(uses.size());
    bool from_control = role_of(graph, n) == NodeRole::control;
    // What comes first here stands last in the table: the ways on, loops before everything else, then values.
    for (int turn = from_control ? 0 : 2; turn < 3; ++turn)
      graph.for_each_use(n, [&](NodeId user, uint32_t) {
        if (!wanted[index(user)]) return;
        bool is_control = role_of(graph, user) == NodeRole::control;
        bool leads_back =
            is_control && graph.has_uses(user) && graph.op(graph.first_use(user).user) == NodeOp::loop;
        int rank = !from_control ? 2 : !is_control ? 2 : leads_back ? 1 : 0;
        if (rank == turn) uses.push_back(user);
      });
    // Constants and the like hang on nothing: they count as uses of start.
    if (n == graph.start)
      for (NodeId other : found)
        if (other != n && graph.input_count(other) == 0) uses.push_back(other);
    stack.push_back({n, begin, static_cast<uint32_t>(uses.size())});
  };
  auto walk = [&](NodeId from) {
    if (is_none(from) || visited[index(from)] || !wanted[index(from)]) return;
    enter(from);
    while (!stack.empty()) {
      Item& item = stack.back();
      if (item.next == item.end) {
        order.push_back(item.node);
        stack.pop_back();
        continue;
      }
      NodeId user = uses[item.next++];
      if (!visited[index(user)]) enter(user);
    }
  };
  walk(graph.start);
  std::reverse(order.begin(), order.end());
  for (NodeId n : found) {
    size_t known = order.size();
    walk(n);
    std::reverse(order.begin() + static_cast<ptrdiff_t>(known), order.end());
  }
  return order;
}

}  // namespace braid::sea
