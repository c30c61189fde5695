#include <string>

#include "base/json.h"
#include "ir/function.h"
#include "sea/effects.h"
#include "sea/print_graph.h"

namespace braid::sea {

using ir::Op;

namespace {

constexpr std::string_view role_names[] = {"control", "effect", "value"};

/// Of what stands behind the op table.
std::string_view graph_op_name(NodeOp op) {
  switch (op) {
    case NodeOp::start: return "start";
    case NodeOp::stop: return "stop";
    case NodeOp::constant: return "constant";
    case NodeOp::parameter: return "parameter";
    case NodeOp::undef: return "undef";
    case NodeOp::is_zero: return "is_zero";
    case NodeOp::projection: return "projection";
    case NodeOp::region: return "region";
    case NodeOp::loop: return "loop";
    case NodeOp::never: return "never";
    case NodeOp::effect_entry: return "effect_entry";
    default: return "dead";
  }
}

void append_node(JsonWriter& json, const Graph& graph, NodeId n) {
  NodeOp op = graph.op(n);
  json.begin_object();
  json.field("id", graph.number(n));
  json.field("op", is_table_op(op) ? ir::info(table_op(op)).text : graph_op_name(op));
  json.field("label", std::string_view(label_of(graph, n)));
  json.field("role", role_names[static_cast<size_t>(role_of(graph, n))]);
  json.field("type", std::string_view(type_label(graph, n)));
  if (op == NodeOp::constant) {
    // As text: numbers of JSON have no 64 bits.
    json.field("value", std::string_view(std::to_string(static_cast<int64_t>(graph.constant_value(n).bits))));
  } else if (op == NodeOp::projection || op == NodeOp::parameter) {
    json.field("number", graph.payload(n));
  }
  if (is_table_op(op) && !graph.words(n).empty()) {
    json.key("words");
    json.begin_array();
    for (uint32_t word : graph.words(n)) json.value(word);
    json.end_array();
  }
  if (ir::Loc loc = graph.loc(n); index(loc) != 0) {
    const ir::Location& place = graph.module().location(loc);
    json.field("line", place.line);
    json.field("column", place.column);
  }
  json.key("inputs");
  json.begin_array();
  for (uint32_t i = 0; i < graph.input_count(n); ++i) {
    NodeId def = graph.input(n, i);
    if (is_none(def)) {
      json.null();
      continue;
    }
    json.begin_object();
    json.field("node", graph.number(def));
    bool is_effect = is_effect_input(graph, n, i);
    json.field("kind", is_effect ? role_names[1] : role_names[static_cast<size_t>(role_of(graph, def))]);
    if (op == NodeOp::loop && i > 0) json.field("back", true);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

}  // namespace

std::string print_json(std::span<const NamedGraph> graphs) {
  std::string out;
  JsonWriter json(out);
  json.begin_object(JsonWriter::Layout::lines);
  json.field("schema", "braid.sea");
  json.field("version", sea_schema_version);
  json.key("functions");
  json.begin_array(JsonWriter::Layout::lines);
  for (const NamedGraph& named : graphs) {
    const Graph& graph = *named.graph;
    json.begin_object(JsonWriter::Layout::lines);
    json.field("name", named.name);
    json.field("start", graph.number(graph.start));
    json.field("stop", graph.number(graph.stop));
    json.key("nodes");
    json.begin_array(JsonWriter::Layout::lines);
    for (NodeId n : print_order(graph)) append_node(json, graph, n);
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return out;
}

}  // namespace braid::sea
