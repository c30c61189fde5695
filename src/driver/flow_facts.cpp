#include "driver/flow_facts.h"

#include <algorithm>
#include <utility>

#include "driver/display_names.h"
#include "ir/graph_view.h"
#include "text/listing.h"

namespace braid::driver {

using ir::BlockId;
using ir::EdgeId;
using ir::Op;
using ir::Operand;

std::optional<ShownFacts> parse_shown_facts(std::string_view list) {
  ShownFacts shown;
  bool* const members[] = {&shown.dominators, &shown.frontiers, &shown.loops, &shown.liveness};
  for (size_t at = 0; at <= list.size();) {
    size_t end = std::min(list.find(',', at), list.size());
    auto known = std::ranges::find(shown_fact_names, list.substr(at, end - at));
    if (known == std::end(shown_fact_names)) return std::nullopt;
    *members[known - std::begin(shown_fact_names)] = true;
    at = end + 1;
  }
  return shown;
}

FlowFacts::FlowFacts(const ir::Function& f)
    : graph(ir::block_graph(f)), dominators(graph), post_dominators(graph), blocks(block_names(f)) {}

Expected<void> check_entries(const ir::Function& f, std::string_view answer, uint64_t count) {
  if (count <= most_entries) return {};
  Diagnostic error;
  error.message = "the " + std::string(answer) + " of '@" + std::string(f.name_text()) + "' has more than " +
                  std::to_string(most_entries) + " entries";
  return error;
}

Expected<void> check_loop_members(const ir::Function& f, const flow::Loops& loops) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < loops.size(); ++i) count += loops.members(static_cast<flow::Loop>(i)).size();
  return check_entries(f, "list of the blocks of loops", count);
}

Expected<FlowFacts> FlowFacts::find(const ir::Function& f, const ShownFacts& wanted) {
  FlowFacts facts(f);
  if (wanted.frontiers) {
    uint64_t entries = flow::count_frontier_entries(facts.graph, facts.dominators, most_entries);
    if (Expected<void> fits = check_entries(f, "list of dominance frontiers", entries); !fits)
      return fits.error();
    facts.frontiers = flow::Frontiers(facts.graph, facts.dominators);
  }
  if (wanted.loops) facts.loops = flow::Loops(facts.graph);
  if (wanted.liveness) {
    LiveMentions mentions(f);
    uint64_t entries = flow::count_live_nodes(mentions.pieces, mentions.of_things, most_entries);
    if (Expected<void> fits = check_entries(f, "list of what is live", entries); !fits) return fits.error();
    facts.liveness = flow::Liveness(mentions.pieces, mentions.of_things);
    facts.live_things = std::move(mentions.things);
    facts.phi_operands = std::move(mentions.phi_operands);
  }
  return facts;
}

std::vector<flow::Variable> FlowFacts::live_out(flow::Node n) const {
  std::span<const flow::Variable> read = phi_operands.row(n);
  std::vector<flow::Variable> all(read.begin(), read.end());
  for (flow::Node next : graph.successors.row(n)) {
    std::span<const flow::Variable> behind = liveness.live_in(next);
    all.insert(all.end(), behind.begin(), behind.end());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::string_view name(TargetKind kind) {
  constexpr std::string_view names[] = {"", "true", "false", "case", "default", "body", "handler"};
  return names[static_cast<unsigned>(kind)];
}

std::vector<Target> BlockText::targets(BlockId b) const {
  std::vector<Target> targets;
  Operand terminator = f_.terminator(b);
  if (terminator.is_undef()) return targets;
  const ir::Stmt& stmt = f_.stmt(terminator);
  Op op = text::live_terminator(f_, stmt).op;
  bool is_first = true;
  text::for_each_listed_target(f_, stmt, [&](EdgeId e) {
    const ir::Edge& edge = f_.edge(e);
    Target target{edge.to, TargetKind::plain, ""};
    if (op == Op::branch) target.kind = is_first ? TargetKind::if_true : TargetKind::if_false;
    if (op == Op::switch_) target.kind = is_first ? TargetKind::otherwise : TargetKind::case_;
    if (op == Op::enter)
      target.kind = edge.kind == ir::EdgeKind::exceptional ? TargetKind::handler : TargetKind::body;
    if (target.kind == TargetKind::case_)
      printer_.append_value(target.label, f_.operand(stmt, edge.slot - 1));
    is_first = false;
    targets.push_back(std::move(target));
  });
  return targets;
}

std::vector<std::string> BlockText::source(BlockId b) const {
  std::vector<std::string> lines;
  ir::for_each_statement(f_, pending_, b, [&](Operand id) { printer_.append(lines.emplace_back(), id); });
  return lines;
}

}  // namespace braid::driver
