#include "driver/flow_facts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "driver/display_names.h"
#include "ir/graph_view.h"
#include "ssa/tracks.h"
#include "text/listing.h"

namespace braid::driver {

using ir::BlockId;
using ir::EdgeId;
using ir::Op;
using ir::Operand;

namespace {

/// The mentions of variables, and of values that are read in other blocks than theirs. An operand of a phi is
/// read at the end of the block that the edge comes from; a handler's phi_c reads its slots, not the
/// upsilons.
class MentionFinder {
 public:
  explicit MentionFinder(const ir::Function& f) : f_(f) {}

  void run(FlowFacts& facts) {
    std::vector<LiveThing>& things = facts.live_things;
    for (std::string& name : variable_names(f_)) things.push_back({std::move(name), true});
    uint32_t variables = static_cast<uint32_t>(things.size());
    ssa::Tracks tracks(f_);
    for (uint32_t v = 0; v < variables; ++v) {
      for (BlockId b : tracks.exposed_uses(v)) use(v, b);
      uint32_t flag = tracks.flag_of(static_cast<ir::VarId>(v));
      for (uint32_t i = 0; flag != ssa::Tracks::no_track && i < tracks.exposed_uses(flag).size(); ++i)
        use(v, tracks.exposed_uses(flag)[i]);
      for (BlockId b : tracks.definitions(v)) define(v, b);
    }
    for (uint32_t b = 0; b < f_.block_count(); ++b) find_reads(static_cast<BlockId>(b));
    add_values(things);
    auto rows = [&](const std::vector<Mention>& list) {
      return Csr<flow::Node>::build(things.size(), [&](auto&& emit) {
        for (const Mention& m : list) emit(m.thing, m.node);
      });
    };
    facts.mentions.exposed_uses = rows(uses_);
    facts.mentions.definitions = rows(definitions_);
    auto order = [](const Mention& a, const Mention& b) {
      return std::pair(index(a.node), a.thing) < std::pair(index(b.node), b.thing);
    };
    auto equal = [](const Mention& a, const Mention& b) { return a.node == b.node && a.thing == b.thing; };
    std::sort(at_ends_.begin(), at_ends_.end(), order);
    at_ends_.erase(std::unique(at_ends_.begin(), at_ends_.end(), equal), at_ends_.end());
    facts.phi_operands = Csr<flow::Variable>::build(f_.block_count(), [&](auto&& emit) {
      for (const Mention& m : at_ends_) emit(index(m.node), static_cast<flow::Variable>(m.thing));
    });
  }

 private:
  struct Mention {
    uint32_t thing;
    flow::Node node;
  };
  void use(uint32_t thing, BlockId b) { uses_.push_back({thing, ir::node(b)}); }
  void define(uint32_t thing, BlockId b) { definitions_.push_back({thing, ir::node(b)}); }

  void find_reads(BlockId b) {
    const ir::Block& block = f_.block(b);
    for (uint32_t i = block.first; i < block.end; ++i) {
      const ir::Stmt& s = f_.columns().stmt(i);
      if (s.op == Op::phi_c) continue;
      if (s.op == Op::phi) {
        f_.for_each_pred(b, [&](EdgeId e) {
          read(Operand::from_word(f_.arg(s, f_.edge(e).pred_index)), f_.edge(e).from, true);
        });
        continue;
      }
      std::span<const uint32_t> words = f_.args(s);
      for (uint32_t k = 0; k < words.size(); ++k)
        if (ir::info(s.op).kind_of(k) == ir::OperandKind::value) read(Operand::from_word(words[k]), b, false);
    }
  }

  void read(Operand value, BlockId b, bool at_end) {
    if (!value.is_param() && !value.is_stmt()) return;
    if (home(value) != b || at_end) reads_.push_back({value, b, at_end});
  }
  BlockId home(Operand value) const { return value.is_param() ? ir::Function::entry() : f_.block_of(value); }

  /// Parameters first, then statements in their order.
  void add_values(std::vector<LiveThing>& things) {
    auto number = [&](Operand value) {
      return value.is_param() ? value.number() : f_.param_count() + value.number();
    };
    std::vector<uint32_t> thing_of(f_.param_count() + f_.size(), 0);
    for (const Read& r : reads_) thing_of[number(r.value)] = 1;
    for (uint32_t n = 0; n < thing_of.size(); ++n) {
      if (thing_of[n] == 0) continue;
      bool is_param = n < f_.param_count();
      Operand value = is_param ? Operand::param(n) : Operand(static_cast<ir::Ref>(n - f_.param_count()));
      thing_of[n] = static_cast<uint32_t>(things.size());
      printer_.append_value(things.emplace_back(LiveThing{"", false}).name, value);
      define(thing_of[n], home(value));
    }
    for (const Read& r : reads_) {
      uint32_t thing = thing_of[number(r.value)];
      if (home(r.value) != r.block) use(thing, r.block);
      if (r.at_end) at_ends_.push_back({thing, ir::node(r.block)});
    }
  }

  struct Read {
    Operand value;
    BlockId block;
    bool at_end;
  };

  const ir::Function& f_;
  text::StatementPrinter printer_{f_};
  std::vector<Read> reads_;
  std::vector<Mention> uses_, definitions_, at_ends_;
};

}  // namespace

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
    MentionFinder(f).run(facts);
    uint64_t entries = flow::count_live_nodes(facts.graph, facts.mentions, most_entries);
    if (Expected<void> fits = check_entries(f, "list of what is live", entries); !fits) return fits.error();
    facts.liveness = flow::Liveness(facts.graph, facts.mentions);
  }
  return facts;
}

std::vector<flow::Variable> FlowFacts::live_out(flow::Node n) const {
  std::span<const flow::Variable> behind = liveness.live_out(n), read = phi_operands.row(n);
  std::vector<flow::Variable> all;
  std::set_union(behind.begin(), behind.end(), read.begin(), read.end(), std::back_inserter(all));
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
