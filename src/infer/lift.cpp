#include "infer/lift.h"

#include <map>
#include <unordered_map>
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

/// The value behind pis.
Operand behind_pis(const ir::Function& f, Operand value) {
  value = f.resolve(value);
  while (value.is_stmt() && f.op(value) == Op::pi) value = f.resolve(f.operand(value, 0));
  return value;
}

bool is_phi(const ir::Function& f, Operand value) { return value.is_stmt() && f.op(value) == Op::phi; }

class Lifting {
 public:
  Lifting(ir::Function& f, ir::Analyses& analyses, LiftReport& report)
      : f_(f), analyses_(analyses), report_(report), table_(f.module().types), types_(infer(f)) {}

  void run() {
    const uint32_t size = f_.size();
    for (uint32_t b = 0; b < f_.block_count(); ++b) {
      const BlockId block = static_cast<BlockId>(b);
      if (!types_.is_reachable(block)) continue;
      const uint32_t end = types_.end_of(block);
      for (uint32_t p = f_.block(block).first; p < end && p < size; ++p) look_at(static_cast<ir::Ref>(p));
    }
  }

 private:
  static constexpr size_t largest_nest = 64;
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
    const Operand top = behind_pis(f_, f_.operand(r, operation->operand));
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
      const Operand tuple = behind_pis(f_, leaf);
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

  /// The phis below `top`, and what each edge brings that is no phi of them. False if an outcome is not known.
  bool collect(ir::Ref r, const Operation& operation, Operand top) {
    nest_.assign(1, top);
    leaves_.clear();
    number_of_.clear();
    number_of_.emplace(top.word(), 0);
    bool is_known = true;
    for (uint32_t n = 0; n < nest_.size() && is_known; ++n) {
      f_.for_each_pred(f_.block_of(nest_[n]), [&](EdgeId e) {
        if (!is_known || !types_.is_open(e)) return;
        const Operand value = f_.resolve(f_.operand(nest_[n], f_.edge(e).pred_index)), inner = behind_pis(f_, value);
        if (is_phi(f_, inner)) {
          auto [found, is_new] = number_of_.try_emplace(inner.word(), static_cast<uint32_t>(nest_.size()));
          if (is_new) nest_.push_back(inner);
          leaves_.push_back({n, e, Operand::undef(), found->second});
          is_known = nest_.size() <= largest_nest;
          return;
        }
        Leaf leaf{n, e, Operand::undef(), none_nested};
        if (!value.is_undef()) {
          leaf.result = outcome(r, operation, value);
          is_known = !leaf.result.is_undef();
        }
        leaves_.push_back(leaf);
      });
    }
    return is_known;
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
  std::map<std::pair<uint32_t, Operation>, Operand> lifted_;
  std::vector<Operand> nest_;
  std::vector<Leaf> leaves_;
  std::unordered_map<uint32_t, uint32_t> number_of_;
  std::vector<Type> operands_;
};

/// Phis of one value under several names.
void narrow_back(ir::Function& f, LiftReport& report) {
  TypeTable& table = f.module().types;
  for (uint32_t b = 0; b < f.block_count(); ++b) {
    const BlockId block = static_cast<BlockId>(b);
    for (uint32_t p = f.block(block).first; p < f.block(block).end && ir::may_precede_phi(f.columns().stmt(p).op); ++p) {
      const Operand phi = static_cast<ir::Ref>(p);
      if (f.op(phi) != Op::phi || f.type(phi) == token_type) continue;
      Operand one = Operand::undef();
      bool is_one = true, has_pi = false;
      Type type = none;
      f.for_each_pred(block, [&](EdgeId e) {
        const Operand value = f.resolve(f.operand(phi, f.edge(e).pred_index)), inner = behind_pis(f, value);
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
    for (uint32_t p = 0; p < f_.size(); ++p)
      if (f_.columns().stmt(p).op == Op::phi) list_.push_back(p);
    // Upwards from nothing: what a reader admits, its phi admits.
    while (!list_.empty()) {
      const uint32_t p = list_.back();
      list_.pop_back();
      const KindSet kinds = by_readers(static_cast<ir::Ref>(p));
      if (kinds == admitted_[p]) continue;
      admitted_[p] = kinds;
      for (uint32_t word : f_.args(f_.columns().stmt(p)))
        if (const Operand value = Operand::from_word(word); is_phi(f_, value)) list_.push_back(value.number());
    }
    for (uint32_t p = 0; p < f_.size(); ++p)
      if (f_.columns().stmt(p).op == Op::phi) drop_edges(static_cast<ir::Ref>(p));
  }

 private:
  KindSet by_readers(ir::Ref phi) const {
    const KindSet all = table_.kinds(f_.type(phi));
    KindSet kinds = 0;
    for (Operand user : uses_.of(phi)) {
      if (f_.op(user) == Op::pi) kinds |= table_.kinds(f_.type(user));
      else if (f_.op(user) == Op::phi && user.is_stmt()) kinds |= admitted_[user.number()];
      else return all;
    }
    return kinds & all;
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
  std::vector<KindSet> admitted_;  ///< by position, of phis
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
