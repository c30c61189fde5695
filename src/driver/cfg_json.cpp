#include "base/json.h"
#include "driver/cfg.h"
#include "ir/graph_view.h"

namespace braid::driver {

using flow::Node;
using ir::BlockId;

namespace {

using Layout = JsonWriter::Layout;

void write_nodes(JsonWriter& json, std::string_view key, std::span<const Node> nodes) {
  json.key(key);
  json.begin_array();
  for (Node n : nodes) json.value(index(n));
  json.end_array();
}

void write_live(JsonWriter& json, std::string_view key, const FlowFacts& facts,
                std::span<const flow::Variable> things) {
  json.key(key);
  json.begin_array();
  for (flow::Variable v : things) json.value(std::string_view(facts.live_things[index(v)].name));
  json.end_array();
}

void write_block(JsonWriter& json, const ir::Function& f, const FlowFacts& facts, const ShownFacts& shown,
                 const BlockText& blocks, BlockId b) {
  Node n = ir::node(b);
  json.begin_object(Layout::lines);
  json.field("name", std::string_view(facts.blocks[index(b)]));
  json.field("reachable", facts.dominators.is_reachable(n));
  json.key("source");
  json.begin_array();
  for (const std::string& line : blocks.source(b)) json.value(std::string_view(line));
  json.end_array();
  json.key("successors");
  json.begin_array();
  for (const Target& target : blocks.targets(b)) {
    json.begin_object();
    json.field("to", index(target.to));
    if (target.kind != TargetKind::plain) json.field("kind", name(target.kind));
    if (!target.label.empty()) json.field("label", std::string_view(target.label));
    json.end_object();
  }
  json.end_array();
  if (!is_none(f.impossible(b))) json.field("impossible", index(f.impossible(b)));
  if (shown.dominators) {
    if (Node idom = facts.dominators.idom(n); !is_none(idom)) json.field("idom", index(idom));
    Node post = facts.post_dominators.immediate(n);
    if (!is_none(post) && post != facts.post_dominators.virtual_exit()) json.field("post_idom", index(post));
  }
  if (shown.frontiers) write_nodes(json, "frontier", facts.frontiers.of(n));
  if (shown.loops && !is_none(facts.loops.innermost(n))) json.field("loop", index(facts.loops.innermost(n)));
  if (shown.liveness) {
    write_live(json, "live_in", facts, facts.live_in(n));
    write_live(json, "live_out", facts, facts.live_out(n));
  }
  json.end_object();
}

void write_loops(JsonWriter& json, const flow::Loops& loops) {
  json.key("loops");
  json.begin_array(Layout::lines);
  for (uint32_t i = 0; i < loops.size(); ++i) {
    flow::Loop loop = static_cast<flow::Loop>(i);
    json.begin_object();
    json.field("header", index(loops.header(loop)));
    if (flow::Loop parent = loops.parent(loop); !is_none(parent)) json.field("parent", index(parent));
    json.field("reducible", loops.is_reducible(loop));
    write_nodes(json, "blocks", loops.members(loop));
    json.end_object();
  }
  json.end_array();
}

Expected<void> write_function(JsonWriter& json, const ir::Function& f, const ShownFacts& shown) {
  Expected<FlowFacts> facts = FlowFacts::find(f, shown);
  if (!facts) return facts.error();
  if (Expected<void> fits = check_loop_members(f, facts->loops); !fits) return fits;
  BlockText blocks(f);
  json.begin_object(Layout::lines);
  json.field("name", f.name_text());
  json.key("blocks");
  json.begin_array(Layout::lines);
  for (uint32_t b = 0; b < f.block_count(); ++b)
    write_block(json, f, *facts, shown, blocks, static_cast<BlockId>(b));
  json.end_array();
  if (shown.loops) write_loops(json, facts->loops);
  json.end_object();
  return {};
}

}  // namespace

Expected<std::string> cfg_json(std::span<const ir::Function* const> functions, const ShownFacts& shown) {
  std::string out;
  JsonWriter json(out);
  json.begin_object(Layout::lines);
  json.field("schema", "braid.cfg");
  json.field("version", cfg_schema_version);
  json.key("functions");
  json.begin_array(Layout::lines);
  for (const ir::Function* f : functions) {
    Expected<void> written = write_function(json, *f, shown.any() ? shown : all_facts);
    if (!written) return written.error();
  }
  json.end_array();
  json.end_object();
  return out;
}

}  // namespace braid::driver
