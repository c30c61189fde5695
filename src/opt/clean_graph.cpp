#include "opt/clean_graph.h"

#include <deque>
#include <unordered_map>

#include "base/bit_set.h"
#include "flow/orders.h"
#include "ir/compact.h"
#include "ir/graph_view.h"

namespace braid::opt {

using namespace ir;

namespace {

/// Phi operands that removing one empty block may add.
constexpr uint64_t most_new_columns = 64;

EdgeId jump_edge(const Function& f, BlockId b) {
  return static_cast<EdgeId>(f.arg(f.stmt(f.terminator(b)), 0));
}

/// Gives impossible edges into dead code another end: the first live block that the dead code leads to, if
/// there is one.
void lift_impossible_edges(Function& f, const IdSet<flow::Node>& reached) {
  IdMap<BlockId, BlockId> landing(f.block_count(), none_id<BlockId>);
  std::vector<BlockId> work;
  bool any = false;
  for (uint32_t i = 0; i < f.block_count(); ++i) {
    BlockId b = static_cast<BlockId>(i);
    any = any || !is_none(f.impossible(b));
    if (reached.test(node(b))) continue;
    f.for_each_succ(b, [&](EdgeId e) {
      if (is_none(landing[b]) && reached.test(node(f.edge(e).to))) landing[b] = f.edge(e).to;
    });
    if (!is_none(landing[b])) work.push_back(b);
  }
  if (!any) return;
  for (size_t at = 0; at < work.size(); ++at) {
    f.for_each_pred(work[at], [&](EdgeId e) {
      BlockId from = f.edge(e).from;
      if (reached.test(node(from)) || !is_none(landing[from])) return;
      landing[from] = landing[work[at]];
      work.push_back(from);
    });
  }
  for (uint32_t i = 0; i < f.block_count(); ++i) {
    BlockId b = static_cast<BlockId>(i), to = f.impossible(b);
    if (!is_none(to) && !reached.test(node(to))) f.set_impossible(b, landing[to]);
  }
}

/// Collapses and folds in a function at rest whose blocks are all reachable. Positions stay valid.
class Collapse {
 public:
  Collapse(Function& f, Analyses& analyses, CleanReport& report)
      : f_(f),
        analyses_(analyses),
        report_(report),
        blocks_(f.block_count()),
        waiting_(f.block_count()),
        listed_(f.block_count()) {
    for (uint32_t i = 0; i < f.block_count(); ++i) {
      BlockId b = static_cast<BlockId>(i);
      uint32_t end = f.block(b).first;
      while (end < f.block(b).end && f.op(static_cast<Ref>(end)) == Op::phi) ++end;
      blocks_[b].phi_count = end - f.block(b).first;
      blocks_[b].is_bare = static_cast<Ref>(end) == f.terminator(b).ref();
      f.for_each_succ(b, [&](EdgeId e) { ++blocks_[f.edge(e).to].edges_into; });
    }
  }

  void run() {
    for (uint32_t i = 0; i < f_.block_count(); ++i)
      if (BlockId b = static_cast<BlockId>(i); blocks_[b].edges_into == 1)
        end_phis(b, f_.block(b).first_pred);
    for (flow::Node n : flow::post_order(analyses_.cfg())) wait(block(n));
    while (!work_.empty()) {
      BlockId b = work_.front();
      work_.pop_front();
      waiting_.reset(b);
      if (!is_none(blocks_[b].gone_to)) continue;
      fold(b);
      if (is_empty(b)) move_edges_past(b);
    }
    for (uint32_t i = 0; i < f_.block_count(); ++i)
      if (BlockId b = static_cast<BlockId>(i); !is_none(f_.impossible(b)))
        f_.set_impossible(b, final_block(f_.impossible(b)));
  }

 private:
  struct Note {
    uint32_t phi_count = 0;
    uint32_t edges_into = 0;
    bool is_bare = false;                ///< nothing but phis and a terminator
    BlockId gone_to = none_id<BlockId>;  ///< where a collapsed block led
  };

  void wait(BlockId b) {
    if (waiting_.insert(b)) work_.push_back(b);
  }

  /// The block that stands for `b` now. Paths are shortened on the way.
  BlockId final_block(BlockId b) {
    BlockId root = b;
    while (!is_none(blocks_[root].gone_to)) root = blocks_[root].gone_to;
    while (b != root) b = std::exchange(blocks_[b].gone_to, root);
    return root;
  }
  /// What a phi operand stands for, now that some phis have become `same`.
  Operand final_value(Operand value) {
    auto next = [&](Operand v) { return f_.operand(v, 0); };
    Operand root = value;
    while (root.is_stmt() && f_.op(root) == Op::same) root = next(root);
    while (value != root) {
      Operand after = next(value);
      f_.set_operand(value, 0, root);
      value = after;
    }
    return root;
  }

  Operand phi(BlockId b, uint32_t i) const { return static_cast<Ref>(f_.block(b).first + i); }
  Operand column(EdgeId e, uint32_t i) {
    return final_value(f_.operand(phi(f_.edge(e).to, i), f_.edge(e).pred_index));
  }
  std::vector<Operand> columns_of(EdgeId e) {
    std::vector<Operand> columns(blocks_[f_.edge(e).to].phi_count);
    for (uint32_t i = 0; i < columns.size(); ++i) columns[i] = column(e, i);
    return columns;
  }
  bool has_columns(EdgeId e, const std::vector<Operand>& columns) {
    for (uint32_t i = 0; i < columns.size(); ++i)
      if (column(e, i) != columns[i]) return false;
    return true;
  }
  void set_columns(EdgeId e, const std::vector<Operand>& columns) {
    for (uint32_t i = 0; i < columns.size(); ++i)
      f_.set_operand(phi(f_.edge(e).to, i), f_.edge(e).pred_index, columns[i]);
  }

  /// Phis of a block with a single edge into it are what stands on that edge.
  void end_phis(BlockId b, EdgeId only) {
    if (blocks_[b].phi_count == 0) return;
    analyses_.keep(Analysis::graph);
    for (uint32_t i = 0; i < blocks_[b].phi_count; ++i) f_.replace(phi(b, i), column(only, i));
    blocks_[b].phi_count = 0;
  }

  /// A branch or switch whose edges all do the same becomes a jump.
  void fold(BlockId b) {
    Op op = f_.op(f_.terminator(b));
    if (op != Op::branch && op != Op::switch_) return;
    EdgeId first = none_id<EdgeId>;
    uint32_t count = 0;
    std::vector<Operand> columns;
    bool all_alike = true;
    f_.for_each_succ(b, [&](EdgeId e) {
      if (!all_alike) return;
      if (count++ == 0) {
        first = e;
        columns = columns_of(e);
        return;
      }
      all_alike = f_.edge(e).to == f_.edge(first).to && has_columns(e, columns);
    });
    if (!all_alike || count == 0) return;
    BlockId to = f_.edge(first).to;
    analyses_.keep(Analysis::none);
    f_.jump(b, to, f_.loc(f_.terminator(b)));
    set_columns(jump_edge(f_, b), columns);
    blocks_[to].edges_into -= count - 1;
    ++report_.folded;
    if (blocks_[to].edges_into != 1) return;
    end_phis(to, jump_edge(f_, b));
    wait(to);
  }

  bool is_empty(BlockId b) const {
    if (b == Function::entry() || !blocks_[b].is_bare || blocks_[b].phi_count != 0) return false;
    if (f_.op(f_.terminator(b)) != Op::jump || !is_none(f_.impossible(b))) return false;
    return f_.edge(jump_edge(f_, b)).to != b;
  }

  /// Whether an edge to `to` with these phi operands would stand beside one of the same source with others.
  bool clashes(BlockId from, BlockId to, const std::vector<Operand>& columns) {
    if (columns.empty() || f_.op(f_.terminator(from)) == Op::jump) return false;
    if (listed_.insert(from))
      f_.for_each_succ(from, [&](EdgeId e) {
        if (blocks_[f_.edge(e).to].phi_count != 0) beside_.try_emplace(pair(from, f_.edge(e).to), e);
      });
    auto found = beside_.find(pair(from, to));
    return found != beside_.end() && !f_.edge(found->second).dead && !has_columns(found->second, columns);
  }
  static uint64_t pair(BlockId from, BlockId to) { return uint64_t{index(from)} << 32 | index(to); }

  void move_edges_past(BlockId b) {
    BlockId to = f_.edge(jump_edge(f_, b)).to;
    const std::vector<Operand> columns = columns_of(jump_edge(f_, b));
    uint64_t edges = blocks_[b].edges_into;
    if (edges * columns.size() > columns.size() + most_new_columns) return;
    std::vector<EdgeId> incoming;
    f_.for_each_pred(b, [&](EdgeId e) { incoming.push_back(e); });
    for (EdgeId e : incoming) {
      BlockId from = f_.edge(e).from;
      if (f_.edge(e).kind != EdgeKind::normal || clashes(from, to, columns)) continue;
      analyses_.keep(Analysis::none);
      EdgeId moved = f_.redirect_edge(e, to);
      set_columns(moved, columns);
      if (!columns.empty() && listed_.test(from)) beside_.try_emplace(pair(from, to), moved);
      --blocks_[b].edges_into;
      ++blocks_[to].edges_into;
      wait(from);
    }
    if (blocks_[b].edges_into != 0) return;
    blocks_[b].gone_to = to;
    --blocks_[to].edges_into;
    f_.unreachable(b);
    ++report_.collapsed;
  }

  Function& f_;
  Analyses& analyses_;
  CleanReport& report_;
  IdMap<BlockId, Note> blocks_;
  std::deque<BlockId> work_;
  IdSet<BlockId> waiting_;
  IdSet<BlockId> listed_;                        ///< blocks whose edges are in `beside_`
  std::unordered_map<uint64_t, EdgeId> beside_;  ///< (from, to) -> an edge into a block with phis
};

}  // namespace

std::vector<BlockId> end_open_blocks(Function& f) {
  std::vector<BlockId> open;
  for (uint32_t i = 0; i < f.block_count(); ++i)
    if (BlockId b = static_cast<BlockId>(i); f.terminator(b).is_undef()) open.push_back(b);
  if (open.empty()) return open;
  for (BlockId b : open) {
    Operand last = f.last_of(b);
    f.leave_open(b, last.is_undef() ? Loc{} : f.loc(last));
  }
  IdSet<flow::Node> reached = flow::reachable(block_graph(f));
  std::erase_if(open, [&](BlockId b) { return !reached.test(node(b)); });
  return open;
}

uint32_t merge_chains(Function& f) {
  IdMap<BlockId, uint32_t> edges_into(f.block_count(), 0);
  IdSet<BlockId> shown(f.block_count());  // an impossible edge leads there
  for (uint32_t i = 0; i < f.block_count(); ++i) {
    BlockId b = static_cast<BlockId>(i);
    f.for_each_succ(b, [&](EdgeId e) { ++edges_into[f.edge(e).to]; });
    if (!is_none(f.impossible(b))) shown.insert(f.impossible(b));
  }
  uint32_t merged = 0;
  for (uint32_t i = 0; i < f.block_count(); ++i) {
    BlockId b = static_cast<BlockId>(i);
    while (!f.terminator(b).is_undef() && f.op(f.terminator(b)) == Op::jump) {
      BlockId next = f.edge(jump_edge(f, b)).to;
      if (next == b || edges_into[next] != 1 || shown.test(next)) break;
      if (!is_none(f.impossible(b)) && !is_none(f.impossible(next))) break;
      f.merge_successor(b);
      ++merged;
    }
  }
  return merged;
}

CleanReport clean_graph(Function& f) {
  Analyses analyses(f);
  return clean_graph(f, analyses);
}

CleanReport clean_graph(Function& f, Analyses& analyses) {
  CleanReport report;
  if (f.block_count() == 0) return report;
  // A terminator that goes nowhere is a statement, but no edge.
  const uint32_t statements = f.size();
  report.open = end_open_blocks(f);
  if (f.size() != statements) analyses.keep(Analysis::graph);
  IdSet<flow::Node> reached = flow::reachable(analyses.cfg());
  lift_impossible_edges(f, reached);
  report.unreachable = f.block_count() - static_cast<uint32_t>(reached.count());
  analyses.keep(compact(f));
  if (f.pending_count() != 0) return report;
  Collapse(f, analyses, report).run();
  report.merged = merge_chains(f);
  if (report.collapsed + report.folded + report.merged == 0) return report;
  analyses.keep(Analysis::none);
  compact(f);
  return report;
}

}  // namespace braid::opt
