#include "opt/simplify_edges.h"

#include <unordered_map>
#include <vector>

#include "base/bit_set.h"
#include "flow/orders.h"
#include "ir/graph_view.h"
#include "ir/undef_uses.h"
#include "opt/clean_graph.h"

namespace braid::opt {

using namespace ir;

namespace {

/// Rounds after the first find what earlier ones have uncovered. Each is linear; programs that need more than three are rare.
constexpr int most_rounds = 8;
/// Phi operands that moving the edges of one empty block may add.
constexpr uint64_t most_new_columns = 64;

/// One round over a function at rest. Blocks, edges and phis are edited; positions stay valid.
class Round {
 public:
  explicit Round(Function& f) : f_(f), phis_(f.block_count()), copied_(f.size()) {
    for (uint32_t b = 0; b < f.block_count(); ++b) {
      uint32_t end = f.block(static_cast<BlockId>(b)).first;
      while (end < f.block(static_cast<BlockId>(b)).end && f.op(static_cast<Ref>(end)) == Op::phi) ++end;
      phis_[static_cast<BlockId>(b)] = end;
    }
  }

  /// Graph and uses are those at its start. Answers whether anything changed.
  bool run(const flow::Graph& cfg, const Uses& uses) {
    for (flow::Node n : flow::post_order(cfg)) {
      fold_terminator(block(n));
      if (passes_everything_on(block(n), uses)) move_edges_past(block(n));
    }
    return changed_;
  }

 private:
  uint32_t phi_count(BlockId b) const { return phis_[b] - f_.block(b).first; }
  Operand phi(BlockId b, uint32_t i) const { return static_cast<Ref>(f_.block(b).first + i); }
  Operand column(BlockId b, uint32_t i, EdgeId e) const { return f_.operand(phi(b, i), f_.edge(e).pred_index); }

  bool same_columns(EdgeId a, EdgeId b) const {
    BlockId to = f_.edge(a).to;
    for (uint32_t i = 0; i < phi_count(to); ++i)
      if (column(to, i, a) != column(to, i, b)) return false;
    return true;
  }

  void fold_terminator(BlockId b) {
    Operand t = f_.terminator(b);
    if (f_.op(t) == Op::branch) {
      EdgeId yes = static_cast<EdgeId>(f_.arg(f_.stmt(t), 1)), no = static_cast<EdgeId>(f_.arg(f_.stmt(t), 2));
      if (f_.edge(yes).to != f_.edge(no).to || !same_columns(yes, no)) return;
      f_.remove_edge(no);
      changed_ = true;
    } else if (f_.op(t) == Op::switch_) {
      fold_switch(b);
    }
  }

  /// Cases that do what the default does go to the default; a switch that is left with it alone is a jump.
  void fold_switch(BlockId b) {
    const Stmt t = f_.stmt(f_.terminator(b));
    EdgeId otherwise = static_cast<EdgeId>(f_.arg(t, 1));
    uint32_t left = 0;
    for (uint32_t i = 3; i < f_.operand_count(t); i += 2) {
      EdgeId e = static_cast<EdgeId>(f_.arg(t, i));
      if (f_.edge(e).to == f_.edge(otherwise).to && same_columns(e, otherwise)) {
        f_.remove_edge(e);
        changed_ = true;
      } else {
        ++left;
      }
    }
    if (left != 0) return;
    BlockId to = f_.edge(otherwise).to;
    std::vector<Operand> columns = columns_of(otherwise);
    f_.remove_edge(otherwise);
    f_.jump(b, to, f_.loc(f_.terminator(b)));
    set_columns(static_cast<EdgeId>(f_.arg(f_.stmt(f_.terminator(b)), 0)), columns);
    changed_ = true;
  }

  std::vector<Operand> columns_of(EdgeId e) const {
    std::vector<Operand> columns(phi_count(f_.edge(e).to));
    for (uint32_t i = 0; i < columns.size(); ++i) columns[i] = column(f_.edge(e).to, i, e);
    return columns;
  }
  void set_columns(EdgeId e, const std::vector<Operand>& columns) {
    for (uint32_t i = 0; i < columns.size(); ++i) f_.set_operand(phi(f_.edge(e).to, i), f_.edge(e).pred_index, columns[i]);
  }

  /// A block of phis and a jump, whose phis are read by the phis of its target only, on the edge of this jump.
  bool passes_everything_on(BlockId b, const Uses& uses) const {
    Operand t = f_.terminator(b);
    if (b == Function::entry() || f_.op(t) != Op::jump || phis_[b] != t.number()) return false;
    if (!is_none(f_.impossible(b))) return false;
    EdgeId out = static_cast<EdgeId>(f_.arg(f_.stmt(t), 0));
    if (f_.edge(out).to == b) return false;
    if (phi_count(b) == 0) return true;
    std::unordered_map<uint32_t, uint32_t> passed_on;
    for (Operand value : columns_of(out)) ++passed_on[value.word()];
    for (uint32_t i = 0; i < phi_count(b); ++i) {
      // Uses are those at the start of the round; what was copied since has others.
      auto found = passed_on.find(phi(b, i).word());
      uint32_t passed = found == passed_on.end() ? 0 : found->second;
      if (copied_.test(phi(b, i).number()) || uses.count(phi(b, i)) != passed) return false;
    }
    return true;
  }

  void move_edges_past(BlockId b) {
    EdgeId out = static_cast<EdgeId>(f_.arg(f_.stmt(f_.terminator(b)), 0));
    BlockId to = f_.edge(out).to;
    std::vector<EdgeId> incoming;
    f_.for_each_pred(b, [&](EdgeId e) {
      if (f_.edge(e).kind == EdgeKind::normal) incoming.push_back(e);
    });
    uint64_t added = uint64_t{incoming.size()} * phi_count(to);
    uint64_t removed = phi_count(to) + uint64_t{incoming.size()} * phi_count(b);
    if (incoming.empty() || added > removed + most_new_columns) return;

    std::vector<Operand> values = columns_of(out);
    std::unordered_map<uint32_t, uint32_t> number_of_phi;
    for (uint32_t i = 0; i < phi_count(b); ++i) number_of_phi.emplace(phi(b, i).word(), i);
    std::vector<Operand> columns(values.size());
    for (EdgeId e : incoming) {
      for (uint32_t i = 0; i < values.size(); ++i) {
        auto own = number_of_phi.find(values[i].word());
        columns[i] = own == number_of_phi.end() ? values[i] : column(b, own->second, e);
        if (columns[i].is_stmt()) copied_.set(columns[i].number());
      }
      set_columns(f_.redirect_edge(e, to), columns);
    }
    changed_ = true;
  }

  Function& f_;
  IdMap<BlockId, uint32_t> phis_;  ///< the end of the phis of each block
  BitSet copied_;                  ///< what has got uses in this round that `Uses` does not know
  bool changed_ = false;
};

/// At rest, with branches on constants folded, and without the uses of undefined values that this may leave.
Analysis settle(Function& f) {
  return compact_to_defined(f, {.count_uses = false, .remove_dead = false, .fold_branches = true});
}

}  // namespace

void simplify_edges(Function& f) {
  Analyses analyses(f);
  simplify_edges(f, analyses);
}

void simplify_edges(Function& f, Analyses& analyses) {
  analyses.keep(settle(f));
  if (f.pending_count() != 0 || f.block_count() == 0) return;
  for (int round = 0; round < most_rounds; ++round) {
    bool changed = false;
    auto settle_changed = [&] {
      changed = true;
      analyses.keep(Analysis::none);
      settle(f);
    };
    if (Round(f).run(analyses.cfg(), analyses.uses())) settle_changed();
    if (merge_chains(f) != 0) settle_changed();
    if (!changed) break;
  }
}

}  // namespace braid::opt
