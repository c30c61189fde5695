#include "infer/lift.h"

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "infer/infer.h"
#include "ir/compact.h"
#include "ir/dynamic_types.h"
#include "ir/graph_view.h"
#include "ir/transfer.h"
#include "ir/undef_uses.h"

namespace braid::infer {

using ir::BlockId;
using ir::EdgeId;
using ir::Op;
using ir::Operand;

namespace {

/// The values behind pis. Each pi on the way remembers how far it led, so that long lines of them are walked once.
class BehindPis {
 public:
  explicit BehindPis(const ir::Function& f) : f_(f), behind_(f.size(), Operand::undef()) {}

  Operand operator()(Operand value) {
    value = f_.resolve(value);
    Operand last = value;
    while (is_pi(last)) last = one_behind(last);
    while (is_pi(value)) {
      const Operand next = one_behind(value);
      behind_[value.number()] = last;
      value = next;
    }
    return last;
  }

 private:
  bool is_pi(Operand value) const { return value.is_stmt() && f_.op(value) == Op::pi; }
  /// What it led to may stand for something else by now.
  Operand one_behind(Operand pi) const {
    const Operand known = behind_[pi.number()];
    return f_.resolve(known.is_undef() ? f_.operand(pi, 0) : known);
  }

  const ir::Function& f_;
  std::vector<Operand> behind_;  ///< by position; undef: nobody has asked
};

bool is_phi(const ir::Function& f, Operand value) { return value.is_stmt() && f.op(value) == Op::phi; }

class Lifting {
 public:
  Lifting(ir::Function& f, ir::Analyses& analyses, LiftReport& report)
      : f_(f), analyses_(analyses), report_(report), table_(f.module().types), types_(infer(f)), behind_pis_(f) {}

  void run() {
    const uint32_t size = f_.size();
    for (uint32_t p = 0; p < size; ++p) left_ += per_operand * (1 + f_.operand_count(f_.columns().stmt(p)));
    for (uint32_t b = 0; b < f_.block_count(); ++b) {
      const BlockId block = static_cast<BlockId>(b);
      if (!types_.is_reachable(block)) continue;
      const uint32_t end = types_.end_of(block);
      for (uint32_t p = f_.block(block).first; p < end && p < size; ++p) look_at(static_cast<ir::Ref>(p));
    }
  }

 private:
  static constexpr size_t largest_nest = 64, most_leaves = 4096;
  /// So many leaves may be looked at in the whole function, which limits what is made, too.
  static constexpr uint64_t free_leaves = 10'000, per_operand = 8;
  /// What an operation does beside its operand: the op, which operand it is, and the other operand's word.
  struct Operation {
    Op op;
    uint32_t operand, other;
    auto operator<=>(const Operation&) const = default;
  };
  struct Leaf {
    uint32_t phi;  ///< in nest_
    EdgeId edge;
    Operand result;     ///< undef: not defined there, or a phi of the nest
    uint32_t nested;    ///< in nest_; none otherwise
  };
  static constexpr uint32_t none_nested = 0xffffffffu;

  void look_at(ir::Ref r) {
    std::optional<Operation> operation = operation_of(r);
    if (!operation) return;
    const Operand top = behind_pis_(f_.operand(r, operation->operand));
    if (!is_phi(f_, top)) return;
    auto [known, is_new] = lifted_.try_emplace({top.word(), *operation}, Operand::undef());
    if (is_new) known->second = lift(r, *operation, top);
    if (known->second.is_undef()) return;
    f_.replace(r, known->second);
    ++report_.operations;
  }

  std::optional<Operation> operation_of(ir::Ref r) const {
    const ir::Stmt& s = f_.stmt(r);
    auto with_constant = [&]() -> std::optional<Operation> {
      for (uint32_t i = 0; i < 2; ++i)
        if (f_.operand(s, 1 - i).is_constant()) return Operation{s.op, i, f_.arg(s, 1 - i)};
      return std::nullopt;
    };
    switch (s.op) {
      case Op::is:
      case Op::extract: return Operation{s.op, 0, f_.arg(s, 1)};
      case Op::dyn_truth: return Operation{s.op, 0, 0};
      case Op::eq:
      case Op::ne:
      case Op::dyn_eq:
      case Op::dyn_lt:
      case Op::dyn_le:
      case Op::dyn_identical: return with_constant();
      default: return std::nullopt;
    }
  }

  /// The outcome for one leaf: a constant, or the field of a tuple that was just made.
  Operand outcome(ir::Ref r, const Operation& operation, Operand leaf) {
    if (operation.op == Op::extract) {
      const Operand tuple = behind_pis_(leaf);
      if (tuple.is_stmt() && f_.op(tuple) == Op::tuple && operation.other < f_.operand_count(f_.stmt(tuple)))
        return f_.resolve(f_.operand(tuple, operation.other));
    }
    const ir::Stmt& s = f_.stmt(r);
    operands_.clear();
    for (uint32_t i = 0; i < f_.operand_count(s); ++i) {
      const bool is_value = ir::info(s.op).is_value(i);
      operands_.push_back(!is_value ? none : types_.of(i == operation.operand ? leaf : f_.operand(s, i)));
    }
    const Type type = ir::transfer(f_, s, f_.type(r), operands_);
    std::optional<TypeConstant> constant = table_.as_constant(type);
    if (!constant) return Operand::undef();
    return f_.module().constants.get(of(constant->kind), constant->bits);
  }

  Operand lift(ir::Ref r, const Operation& operation, Operand top) {
    if (!collect(r, operation, top)) return Operand::undef();
    if (Operand one = common_result(); !one.is_undef()) return one;
    return make_nest(r);
  }

  /// The phis below `top`, and what each edge brings that is no phi of them. False if an outcome is not known, or they are too
  /// many.
  bool collect(ir::Ref r, const Operation& operation, Operand top) {
    nest_.assign(1, top);
    leaves_.clear();
    number_of_.clear();
    number_of_.emplace(top.word(), 0);
    for (uint32_t n = 0; n < nest_.size(); ++n) {
      const BlockId block = f_.block_of(nest_[n]);
      const uint32_t edges = f_.block(block).pred_count;
      if (edges > left_ || leaves_.size() + edges > most_leaves) return false;
      uint32_t looked_at = 0;
      const bool is_ended = f_.any_pred(block, [&](EdgeId e) {
        ++looked_at;
        return !collect_leaf(r, operation, n, e);
      });
      left_ -= is_ended ? looked_at : edges;
      if (is_ended) return false;
    }
    return true;
  }

  bool collect_leaf(ir::Ref r, const Operation& operation, uint32_t n, EdgeId e) {
    if (!types_.is_open(e)) return true;
    const Operand value = f_.resolve(f_.operand(nest_[n], f_.edge(e).pred_index)), inner = behind_pis_(value);
    Leaf leaf{n, e, Operand::undef(), none_nested};
    if (is_phi(f_, inner)) {
      auto [found, is_new] = number_of_.try_emplace(inner.word(), static_cast<uint32_t>(nest_.size()));
      if (is_new) nest_.push_back(inner);
      leaf.nested = found->second;
    } else if (!value.is_undef()) {
      leaf.result = outcome(r, operation, value);
      if (leaf.result.is_undef()) return false;
    }
    leaves_.push_back(leaf);
    return nest_.size() <= largest_nest;
  }

  /// What all leaves give, if it can be read where the operation is.
  Operand common_result() {
    Operand one = Operand::undef();
    for (const Leaf& leaf : leaves_) {
      if (leaf.nested != none_nested) continue;
      if (leaf.result.is_undef() || (!one.is_undef() && one != leaf.result)) return Operand::undef();
      one = leaf.result;
    }
    if (!one.is_stmt()) return one;
    // New statements wait: the graph is as it was.
    const ir::BlockDominance& dominance = analyses_.dominators();
    for (Operand phi : nest_)
      if (f_.block_of(one) == f_.block_of(phi) || !dominance.dominates(f_.block_of(one), f_.block_of(phi)))
        return Operand::undef();
    return one;
  }

  Operand make_nest(ir::Ref r) {
    std::vector<Operand> made;
    for (Operand phi : nest_) {
      const BlockId b = f_.block_of(phi);
      const std::vector<uint32_t> words(f_.block(b).pred_count, Operand::undef().word());
      made.push_back(f_.insert(ir::Function::phis_of(b), f_.make(Op::phi, f_.type(r), words, f_.loc(r))));
      ++report_.phis;
    }
    for (const Leaf& leaf : leaves_)
      f_.set_operand(made[leaf.phi], f_.edge(leaf.edge).pred_index,
                     leaf.nested == none_nested ? leaf.result : made[leaf.nested]);
    return made[0];
  }

  ir::Function& f_;
  ir::Analyses& analyses_;
  LiftReport& report_;
  TypeTable& table_;
  const Types types_;
  BehindPis behind_pis_;
  uint64_t left_ = free_leaves;
  std::map<std::pair<uint32_t, Operation>, Operand> lifted_;
  std::vector<Operand> nest_;
  std::vector<Leaf> leaves_;
  std::unordered_map<uint32_t, uint32_t> number_of_;
  std::vector<Type> operands_;
};

/// Phis of one value under several names.
void narrow_back(ir::Function& f, LiftReport& report) {
  TypeTable& table = f.module().types;
  BehindPis behind_pis(f);
  for (uint32_t b = 0; b < f.block_count(); ++b) {
    const BlockId block = static_cast<BlockId>(b);
    for (uint32_t p = f.block(block).first; p < f.block(block).end && ir::may_precede_phi(f.columns().stmt(p).op); ++p) {
      const Operand phi = static_cast<ir::Ref>(p);
      if (f.op(phi) != Op::phi || f.type(phi) == token_type) continue;
      Operand one = Operand::undef();
      bool is_one = true, has_pi = false;
      Type type = none;
      f.for_each_pred(block, [&](EdgeId e) {
        const Operand value = f.resolve(f.operand(phi, f.edge(e).pred_index)), inner = behind_pis(value);
        if (inner == phi) return;
        has_pi |= inner != value;
        is_one = is_one && !inner.is_undef() && (one.is_undef() || one == inner);
        one = inner;
        type = table.join(type, ir::value_type(f, value));
      });
      if (!is_one || !has_pi || one.is_undef() || (one.is_stmt() && f.block_of(one) == block)) continue;
      const Type known = ir::value_type(f, one);
      if (type != known && table.leq(type, known))
        one = f.insert(f.at_start(block), f.make(Op::pi, type, {one}, f.loc(phi)));
      f.replace(phi, one);
      ++report.narrowed;
    }
  }
}

/// Kinds that pis admit of the phis that nothing else reads, and the edges that bring others.
class Admission {
 public:
  Admission(ir::Function& f, const ir::Uses& uses, LiftReport& report)
      : f_(f), report_(report), table_(f.module().types), uses_(uses) {}

  void run() {
    admitted_.assign(f_.size(), 0);
    waiting_.assign(f_.size(), 0);
    for (uint32_t p = 0; p < f_.size(); ++p)
      if (f_.columns().stmt(p).op == Op::phi) admit(p, by_other_readers(static_cast<ir::Ref>(p)));
    // Upwards from nothing: what a reader admits, its phi admits. Each kind of each phi goes up once.
    while (!list_.empty()) {
      const uint32_t p = list_.back();
      list_.pop_back();
      const KindSet kinds = std::exchange(waiting_[p], 0);
      for (uint32_t word : f_.args(f_.columns().stmt(p)))
        if (const Operand value = Operand::from_word(word); is_phi(f_, value)) admit(value.number(), kinds);
    }
    for (uint32_t p = 0; p < f_.size(); ++p)
      if (f_.columns().stmt(p).op == Op::phi) drop_edges(static_cast<ir::Ref>(p));
  }

 private:
  void admit(uint32_t phi, KindSet kinds) {
    const KindSet added = kinds & table_.kinds(f_.columns().type(phi)) & ~admitted_[phi];
    if (added == 0) return;
    admitted_[phi] |= added;
    if (waiting_[phi] == 0) list_.push_back(phi);
    waiting_[phi] |= added;
  }
  KindSet by_other_readers(ir::Ref phi) const {
    KindSet kinds = 0;
    for (Operand user : uses_.of(phi)) {
      if (f_.op(user) == Op::pi) kinds |= table_.kinds(f_.type(user));
      else if (!is_phi(f_, user)) return table_.kinds(f_.type(phi));
    }
    return kinds;
  }
  void drop_edges(ir::Ref phi) {
    const Type type = f_.type(phi);
    const KindSet kinds = admitted_[index(phi)];
    if (kinds == 0 || kinds == table_.kinds(type)) return;
    bool dropped = false;
    f_.for_each_pred(f_.block_of(phi), [&](EdgeId e) {
      const uint32_t column = f_.edge(e).pred_index;
      const Operand value = f_.operand(phi, column);
      if (value.is_undef() || (coming_kinds(value) & ir::dynamic_kinds(kinds)) != 0) return;
      f_.set_operand(phi, column, Operand::undef());
      ++report_.edges;
      dropped = true;
    });
    if (!dropped) return;
    // What still comes in may be of more kinds than are admitted.
    KindSet left = kinds;
    f_.for_each_pred(f_.block_of(phi), [&](EdgeId e) {
      const Operand value = f_.operand(phi, f_.edge(e).pred_index);
      if (!value.is_undef()) left |= table_.kinds(ir::value_type(f_, value));
    });
    f_.set_type(phi, table_.only(type, left));
  }
  KindSet coming_kinds(Operand value) const { return ir::dynamic_kinds(table_.kinds(ir::value_type(f_, value))); }

  ir::Function& f_;
  LiftReport& report_;
  TypeTable& table_;
  const ir::Uses& uses_;
  // By position, of phis: what is admitted, and what of it their operands do not know yet.
  std::vector<KindSet> admitted_, waiting_;
  std::vector<uint32_t> list_;
};

}  // namespace

LiftReport lift_over_phis(ir::Function& f) {
  ir::Analyses analyses(f);
  return lift_over_phis(f, analyses);
}

LiftReport lift_over_phis(ir::Function& f, ir::Analyses& analyses) {
  LiftReport report;
  if (f.is_external() || f.block_count() == 0) return report;
  if (!f.is_at_rest()) analyses.keep(ir::compact(f));
  auto settle = [&](uint32_t changes) {
    if (changes == 0) return;
    analyses.keep(ir::Analysis::graph);
    analyses.keep(ir::compact_to_defined(f));
  };
  Lifting(f, analyses, report).run();
  settle(report.operations);
  narrow_back(f, report);
  settle(report.narrowed);
  Admission(f, analyses.uses(), report).run();
  settle(report.edges);
  analyses.keep(ir::compact(f));
  return report;
}

}  // namespace braid::infer
