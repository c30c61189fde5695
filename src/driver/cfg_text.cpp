#include "driver/cfg.h"
#include "driver/display_names.h"
#include "flow/iterated_frontier.h"
#include "flow/orders.h"
#include "flow/reducible.h"
#include "ir/graph_view.h"
#include "ssa/tracks.h"

namespace braid::driver {

using flow::Node;
using ir::BlockId;

namespace {

class FactPrinter {
 public:
  explicit FactPrinter(const FlowFacts& facts) : facts_(facts), names_(shown_names(facts.blocks)) {}

  const std::string& block(Node n) const { return names_[index(n)]; }
  std::string thing(flow::Variable v) const { return shown_name(facts_.live_things[index(v)].name); }
  std::string blocks(std::span<const Node> nodes) const {
    std::string out;
    for (Node n : nodes) out += (out.empty() ? "" : " ") + block(n);
    return out;
  }
  std::string live(std::span<const flow::Variable> things) const {
    std::string out;
    for (flow::Variable v : things) out += (out.empty() ? "" : " ") + thing(v);
    return out;
  }
  std::string edge(const flow::Dependence& dependence) const {
    return block(dependence.branch) + " -> " + block(facts_.graph.successors.items()[dependence.edge]);
  }
  /// `none` for the top of the tree, `-` for what cannot be reached.
  std::string idom(Node n) const {
    if (!facts_.dominators.is_reachable(n)) return "- (unreachable)";
    Node above = facts_.dominators.idom(n);
    return is_none(above) ? "none" : block(above);
  }
  std::string post_idom(Node n) const {
    Node above = facts_.post_dominators.immediate(n);
    if (is_none(above)) return "-";
    return above == facts_.post_dominators.virtual_exit() ? "exit" : block(above);
  }

 private:
  const FlowFacts& facts_;
  std::vector<std::string> names_;  ///< of blocks
};

void line(std::string& out, std::string_view name, std::string_view text) {
  out += "  ";
  out += name;
  out += ':';
  if (!text.empty()) (out += ' ') += text;
  out += '\n';
}

}  // namespace

Expected<std::string> cfg_text(const ir::Function& f, const ShownFacts& shown) {
  Expected<FlowFacts> found = FlowFacts::find(f, shown);
  if (!found) return found.error();
  const FlowFacts& facts = *found;
  FactPrinter print(facts);
  BlockText blocks(f);
  std::string out = "@" + shown_name(f.name_text()) + "\n";
  for (uint32_t i = 0; i < f.block_count(); ++i) {
    BlockId b = static_cast<BlockId>(i);
    Node n = ir::node(b);
    out += print.block(n) + (facts.dominators.is_reachable(n) ? "\n" : " (unreachable)\n");
    std::string predecessors = print.blocks(facts.graph.predecessors.row(n)), successors;
    for (const Target& target : blocks.targets(b)) {
      successors += (successors.empty() ? "" : ", ") + print.block(ir::node(target.to));
      if (target.kind == TargetKind::plain) continue;
      successors +=
          " (" + std::string(name(target.kind)) + (target.label.empty() ? "" : " " + target.label) + ")";
    }
    line(out, "from", predecessors);
    line(out, "to", successors);
    if (!is_none(f.impossible(b)))
      line(out, "impossible", print.block(ir::node(f.impossible(b))));
    if (shown.dominators) line(out, "idom", print.idom(n));
    if (shown.frontiers) line(out, "frontier", print.blocks(facts.frontiers.of(n)));
    if (shown.loops && !is_none(facts.loops.innermost(n))) {
      flow::Loop loop = facts.loops.innermost(n);
      line(out, "loop",
           "header " + print.block(facts.loops.header(loop)) + ", depth " +
               std::to_string(facts.loops.depth(loop)) +
               (facts.loops.is_reducible(loop) ? "" : ", irreducible"));
    }
    if (shown.liveness) {
      line(out, "live in", print.live(facts.live_in(n)));
      line(out, "live out", print.live(facts.live_out(n)));
    }
  }
  return out;
}

Expected<std::string> analysis_text(const ir::Function& f) {
  Expected<FlowFacts> found = FlowFacts::find(f, all_facts);
  if (!found) return found.error();
  const FlowFacts& facts = *found;
  uint64_t dependences = flow::count_dependences(facts.graph, facts.post_dominators, most_entries);
  if (Expected<void> fits = check_entries(f, "list of control dependences", dependences); !fits)
    return fits.error();
  if (Expected<void> fits = check_loop_members(f, facts.loops); !fits) return fits.error();
  FactPrinter print(facts);
  std::string out = "@" + shown_name(f.name_text()) + "\n";
  auto each_block = [&](std::string_view title, auto&& text_of) {
    (out += title) += '\n';
    for (uint32_t n = 0; n < facts.graph.node_count(); ++n) line(out, print.block(Node{n}), text_of(Node{n}));
  };

  flow::DepthFirst order = flow::depth_first(facts.graph);
  std::vector<Node> reverse(order.postorder.rbegin(), order.postorder.rend());
  out += "orders\n";
  line(out, "preorder", print.blocks(order.preorder));
  line(out, "post-order", print.blocks(order.postorder));
  line(out, "reverse post-order", print.blocks(reverse));
  line(out, "dominator tree", print.blocks(facts.dominators.preorder()));

  each_block("immediate dominators", [&](Node n) { return print.idom(n); });
  each_block("immediate post-dominators", [&](Node n) { return print.post_idom(n); });
  each_block("dominance frontiers", [&](Node n) { return print.blocks(facts.frontiers.of(n)); });

  out += "iterated frontiers\n";
  flow::IteratedFrontier iterated(facts.graph, facts.dominators);
  uint64_t joins = 0;
  ssa::Tracks tracks(f);
  std::vector<Node> definitions;
  for (uint32_t v = 0; v < facts.live_things.size() && facts.live_things[v].is_variable; ++v) {
    definitions.clear();
    for (ir::BlockId b : tracks.definitions(v)) definitions.push_back(ir::node(b));
    std::span<const Node> nodes = iterated.of(definitions);
    joins += nodes.size();
    if (Expected<void> fits = check_entries(f, "list of iterated frontiers", joins); !fits)
      return fits.error();
    line(out, print.thing(flow::Variable{v}), print.blocks(nodes));
  }

  flow::ControlDependence dependence(facts.graph, facts.post_dominators);
  each_block("control dependence", [&](Node n) {
    std::string text;
    for (const flow::Dependence& on : dependence.of(n)) text += (text.empty() ? "" : ", ") + print.edge(on);
    return text;
  });

  out += "loops\n";
  for (uint32_t i = 0; i < facts.loops.size(); ++i) {
    flow::Loop loop = static_cast<flow::Loop>(i);
    std::string text = "depth " + std::to_string(facts.loops.depth(loop)) + ", blocks " +
                       print.blocks(facts.loops.members(loop));
    if (!is_none(facts.loops.parent(loop)))
      text += ", inside " + print.block(facts.loops.header(facts.loops.parent(loop)));
    if (!facts.loops.is_reducible(loop))
      text += ", irreducible, also entered at " + print.blocks(facts.loops.other_entries(facts.graph, loop));
    line(out, print.block(facts.loops.header(loop)), text);
  }

  each_block("live in", [&](Node n) { return print.live(facts.live_in(n)); });
  each_block("live out", [&](Node n) { return print.live(facts.live_out(n)); });
  out += flow::is_reducible(facts.graph, facts.dominators) ? "the graph is reducible\n"
                                                           : "the graph is not reducible\n";
  return out;
}

}  // namespace braid::driver
