#include "infer/pi.h"

#include <algorithm>
#include <vector>

#include "infer/facts.h"
#include "ir/compact.h"
#include "ir/graph_view.h"

namespace braid::infer {

using ir::BlockId;
using ir::EdgeId;
using ir::Op;
using ir::Operand;

namespace {

class Insertion {
 public:
  Insertion(ir::Function& f, const ir::BlockDominance& dominance)
      : f_(f), table_(f.module().types), facts_(f), dominance_(dominance), names_of_(f.dense_count()) {}

  uint32_t run() {
    const uint32_t blocks = f_.block_count();
    plan_.resize(blocks);
    for (uint32_t b = 0; b < blocks; ++b) plan_branch(static_cast<BlockId>(b));
    if (planned_ == 0) return 0;
    param_names_.resize(f_.param_count());
    // Depth first over the dominator tree; what a block has renamed is taken back behind all that it dominates.
    std::span<const flow::Node> order = dominance_.tree().preorder();
    for (uint32_t at = 0; at < order.size(); ++at) {
      while (!open_.empty() && open_.back().end <= at) close();
      const BlockId b = ir::block(order[at]);
      const uint32_t end = at + static_cast<uint32_t>(dominance_.tree().dominated_by(order[at]).size());
      open_.push_back({end, undo_.size()});
      for (const Fact& fact : plan_[index(b)]) promise(b, fact);
      rename(b);
    }
    return made_;
  }

 private:
  /// The name that a value has now: a pi that is made when somebody asks.
  struct Name {
    BlockId block;
    Type type;
    Operand made;      ///< undef while nobody has asked
    uint32_t outer;    ///< the name around it; none: the value itself
  };
  static constexpr uint32_t no_name = 0xffffffffu;
  struct Open {
    uint32_t end;
    size_t undo;
  };
  struct Undo {
    Operand value;
    uint32_t name;
  };

  void plan_branch(BlockId b) {
    const Operand terminator = f_.terminator(b);
    if (!dominance_.is_reachable(b) || terminator.is_undef() || f_.op(terminator) != Op::branch) return;
    const ir::Stmt s = f_.stmt(terminator);
    for (uint32_t side = 0; side < 2; ++side) {
      const EdgeId e = static_cast<EdgeId>(s.arg[1 + side]);
      if (is_none(e) || f_.edge(e).dead || !f_.has_one_live_pred(f_.edge(e).to)) continue;
      std::vector<Fact>& facts = plan_[index(f_.edge(e).to)];
      facts_.collect(f_.operand(s, 0), side == 0, facts);
      planned_ += facts.size();
    }
  }

  uint32_t& name_of(Operand value) {
    return value.is_param() ? param_names_[value.number()].number : names_of_[f_.dense(value)].number;
  }
  void promise(BlockId b, const Fact& fact) {
    uint32_t& name = name_of(fact.value);
    undo_.push_back({fact.value, name});
    names_.push_back({b, fact.type, Operand::undef(), name});
    name = static_cast<uint32_t>(names_.size() - 1);
  }
  void close() {
    for (; undo_.size() > open_.back().undo; undo_.pop_back()) name_of(undo_.back().value) = undo_.back().name;
    open_.pop_back();
  }

  /// The name of a value here; makes the pis around it first.
  Operand now(Operand value) {
    if (!value.is_stmt() && !value.is_param()) return value;
    if (value.is_stmt() && value.number() >= names_of_.size()) return value;
    std::vector<uint32_t> chain;
    for (uint32_t n = name_of(value); n != no_name && names_[n].made.is_undef(); n = names_[n].outer) chain.push_back(n);
    for (; !chain.empty(); chain.pop_back()) {
      Name& name = names_[chain.back()];
      const Operand from = name.outer == no_name ? value : names_[name.outer].made;
      const Type type = table_.meet(f_.type_of(from), name.type);
      if (type == none || type == f_.type_of(from)) {
        name.made = from;
        continue;
      }
      name.made = f_.insert(f_.at_start(name.block), f_.make(Op::pi, type, {from}));
      ++made_;
    }
    const uint32_t n = name_of(value);
    return n == no_name ? value : names_[n].made;
  }

  void rename(BlockId b) {
    const ir::Block block = f_.block(b);
    for (uint32_t p = block.first; p < block.end; ++p) {
      const Operand id = static_cast<ir::Ref>(p);
      if (f_.op(id) == Op::phi) continue;
      const ir::OpInfo& op = ir::info(f_.op(id));
      const uint32_t count = f_.operand_count(f_.stmt(id));
      for (uint32_t i = 0; i < count; ++i)
        if (op.is_value(i)) set(id, i);
    }
    f_.for_each_succ(b, [&](EdgeId e) {
      const ir::Block target = f_.block(f_.edge(e).to);
      for (uint32_t p = target.first; p < target.end && ir::may_precede_phi(f_.op(static_cast<ir::Ref>(p))); ++p) {
        const Operand phi = static_cast<ir::Ref>(p);
        if (f_.op(phi) == Op::phi && f_.edge(e).pred_index < f_.operand_count(f_.stmt(phi))) set(phi, f_.edge(e).pred_index);
      }
    });
  }
  void set(Operand id, uint32_t i) {
    const Operand old = f_.operand(id, i), value = now(old);
    if (value != old) f_.set_operand(id, i, value);
  }

  struct NameRef {
    uint32_t number = no_name;
  };

  ir::Function& f_;
  TypeTable& table_;
  Facts facts_;
  const ir::BlockDominance& dominance_;
  std::vector<std::vector<Fact>> plan_;  ///< by block
  size_t planned_ = 0;
  std::vector<NameRef> names_of_, param_names_;
  std::vector<Name> names_;
  std::vector<Open> open_;
  std::vector<Undo> undo_;
  uint32_t made_ = 0;
};

/// Puts a block on every critical edge over which a phi reads a value that the edge's branch says something of.
bool split_telling_edges(ir::Function& f) {
  Facts facts(f);
  std::vector<Fact> known;
  std::vector<EdgeId> telling;
  for (uint32_t b = 0; b < f.block_count(); ++b) {
    const Operand terminator = f.terminator(static_cast<BlockId>(b));
    if (f.op(terminator) != Op::branch) continue;
    const ir::Stmt s = f.stmt(terminator);
    for (uint32_t side = 0; side < 2; ++side) {
      const EdgeId e = static_cast<EdgeId>(s.arg[1 + side]);
      const ir::Block& target = f.block(f.edge(e).to);
      if (target.pred_count == 1) continue;
      known.clear();
      bool is_asked = false;
      for (uint32_t p = target.first; p < target.end && ir::may_precede_phi(f.columns().stmt(p).op); ++p) {
        const Operand phi = static_cast<ir::Ref>(p);
        if (f.op(phi) != Op::phi) continue;
        if (!is_asked) facts.collect(f.operand(s, 0), side == 0, known);
        is_asked = true;
        const Operand value = f.resolve(f.operand(phi, f.edge(e).pred_index));
        if (std::none_of(known.begin(), known.end(), [&](const Fact& fact) { return fact.value == value; })) continue;
        telling.push_back(e);
        break;
      }
    }
  }
  for (EdgeId e : telling) f.split_edge(e);
  return !telling.empty();
}

}  // namespace

uint32_t insert_pis(ir::Function& f) {
  ir::Analyses analyses(f);
  return insert_pis(f, analyses);
}

uint32_t insert_pis(ir::Function& f, ir::Analyses& analyses) {
  if (f.is_external() || f.block_count() == 0) return 0;
  if (!f.is_at_rest()) analyses.keep(ir::compact(f));
  if (split_telling_edges(f)) {
    analyses.keep(ir::Analysis::none);
    ir::compact(f);
  }
  const uint32_t made = Insertion(f, analyses.dominators()).run();
  if (made == 0) return 0;
  analyses.keep(ir::Analysis::graph);
  analyses.keep(ir::compact(f));
  return made;
}

}  // namespace braid::infer
