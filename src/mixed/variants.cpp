#include "mixed/variants.h"

#include <bit>
#include <vector>

#include "infer/apply.h"
#include "ir/compact.h"
#include "ir/undef_flow.h"
#include "mixed/demand.h"

namespace braid::mixed {

using ir::BlockId;
using ir::EdgeId;
using ir::Op;
using ir::Operand;
using ir::Ref;

namespace {

/// One operation with fast paths.
class FastPaths {
 public:
  FastPaths(ir::Function& f, const infer::Types& types) : f_(f), types_(types), table_(f.module().types) {}

  /// Answers how many there are.
  uint32_t run(BlockId b, Ref r) {
    at_ = r;
    stmt_ = f_.stmt(r);
    count_ = f_.operand_count(stmt_);
    for (uint32_t i = 0; i < count_; ++i) operands_[i] = f_.operand(stmt_, i);
    const bool twice = count_ == 2 && operands_[0] == operands_[1];
    const KindSet first = kinds_to_test(0);
    const KindSet second = count_ == 2 && !twice ? kinds_to_test(1) : 0;
    if (first == 0 && second == 0) return 0;
    values_.clear();
    slow_ = none_id<BlockId>;
    rest_ = f_.split_block(b, r);
    uint32_t paths = 0;
    split(b, 0, first, [&](BlockId inner) {
      if (twice) operands_[1] = operands_[0];
      split(inner, 1, second, [&](BlockId leaf) {
        ++paths;
        compute(leaf);
      });
    });
    if (!is_none(slow_)) {
      for (uint32_t i = 0; i < count_; ++i) operands_[i] = f_.operand(stmt_, i);
      compute(slow_);
    }
    f_.overwrite(r, f_.make(Op::phi, types_.of(r), std::span<const uint32_t>(values_), f_.loc(r)));
    return paths;
  }

 private:
  KindSet kinds_to_test(uint32_t i) const {
    const Operand value = operands_[i];
    if ((!value.is_stmt() && !value.is_param()) || table_.storage(types_.of(value)) != Storage::mixed) return 0;
    return gaining_kinds(f_, types_, stmt_, i);
  }

  /// A way for each kind of an operand, with the payload in its place; what is of another kind goes to the slow path.
  template <typename Go>
  void split(BlockId b, uint32_t i, KindSet kinds, Go&& go) {
    if (kinds == 0) return go(b);
    const Operand value = operands_[i];
    const Type type = types_.of(value);
    const bool is_all = (table_.kinds(type) & ~kinds) == 0;
    const Operand tag = append(b, Op::variant_tag, i8, {value});
    for (KindSet rest = kinds; rest != 0; rest &= rest - 1) {
      const Kind kind = static_cast<Kind>(std::countr_zero(rest));
      BlockId yes = b;
      if (const bool is_last = (rest & (rest - 1)) == 0; !is_last || !is_all) {
        const Operand number = f_.module().constant(i8, static_cast<int64_t>(kind));
        const Operand same = append(b, Op::eq, i1, {tag, number});
        yes = f_.new_block();
        const BlockId no = is_last ? slow() : f_.new_block();
        f_.branch(b, same, yes, no, f_.loc(at_));
        b = no;
      }
      operands_[i] = append(yes, Op::variant_get, of(kind), {value});
      // Getting it is total, and may give the zero of the kind; behind the test it does not.
      if (const Type known = table_.only(type, kind_bit(kind)); !known.is_plain())
        operands_[i] = append(yes, Op::pi, known, {operands_[i]});
      go(yes);
    }
    operands_[i] = value;
  }
  BlockId slow() {
    if (is_none(slow_)) slow_ = f_.new_block();
    return slow_;
  }
  Operand append(BlockId b, Op op, Type type, std::initializer_list<Operand> operands) {
    return f_.append(b, f_.make(op, type, operands, f_.loc(at_)));
  }
  void compute(BlockId b) {
    uint32_t words[2] = {};
    for (uint32_t i = 0; i < count_; ++i) words[i] = operands_[i].word();
    const Ref made = f_.append(b, f_.make(stmt_.op, types_.of(at_), std::span(words, count_), f_.loc(at_)));
    f_.set_flags(made, stmt_.flags);
    values_.push_back(Operand(made).word());
    f_.jump(b, rest_, f_.loc(at_));
  }

  ir::Function& f_;
  const infer::Types& types_;
  TypeTable& table_;
  Ref at_{};
  ir::Stmt stmt_{};
  uint32_t count_ = 0;
  Operand operands_[2];
  BlockId rest_{}, slow_{};
  std::vector<uint32_t> values_;
};

uint32_t add_fast_paths(ir::Function& f, VariantReport& report) {
  const infer::Types types = infer::infer(f);
  struct Place {
    BlockId block;
    Ref at;
  };
  std::vector<Place> places;
  for (uint32_t b = 0; b < f.block_count(); ++b) {
    const BlockId block = static_cast<BlockId>(b);
    if (!types.is_reachable(block)) continue;
    for (uint32_t p = f.block(block).first; p < types.end_of(block); ++p)
      if (ir::info(f.columns().stmt(p).op).rule == ir::TypeRule::dynamic && types.at(p) != none)
        places.push_back({block, static_cast<Ref>(p)});
  }
  FastPaths paths(f, types);
  uint32_t changed = 0;
  // From the last one on: what stands before stays in the block.
  for (size_t i = places.size(); i-- > 0;) {
    const uint32_t made = paths.run(places[i].block, places[i].at);
    report.fast_paths += made;
    changed += made != 0;
  }
  return changed;
}

/// What may be undefined; a conversion would be a use of it.
BitSet maybe_undefined(const ir::Function& f) {
  return ir::find_defined(f.size(), [&](auto&& from, auto&& mark) {
    for (uint32_t p = 0; p < f.size(); ++p) {
      const ir::Stmt& s = f.columns().stmt(p);
      if (!ir::passes_undef_on(s.op)) continue;
      for (uint32_t i = 0; i < f.operand_count(s); ++i) {
        const Operand value = f.operand(s, i);
        if (value.is_undef()) mark(p);
        else if (value.is_stmt() && ir::passes_undef_on(f.op(value))) from(p, value.number());
      }
    }
  });
}

/// On every edge that brings a value of one storage to a mixed phi.
void convert_at_edges(ir::Function& f, VariantReport& report) {
  struct Conversion {
    Operand phi;
    EdgeId edge;
  };
  std::vector<Conversion> conversions;
  const BitSet undefined = maybe_undefined(f);
  TypeTable& table = f.module().types;
  for (uint32_t b = 0; b < f.block_count(); ++b) {
    const BlockId block = static_cast<BlockId>(b);
    for (uint32_t p = f.block(block).first; p < f.block(block).end && ir::may_precede_phi(f.columns().stmt(p).op); ++p) {
      const Operand phi = static_cast<Ref>(p);
      if (f.op(phi) != Op::phi || table.storage(f.type(phi)) != Storage::mixed) continue;
      ++report.phis;
      f.for_each_pred(block, [&](EdgeId e) {
        const Operand value = f.operand(phi, f.edge(e).pred_index);
        if (value.is_undef() || (value.is_stmt() && undefined.test(value.number()))) return;
        if (table.storage(f.type_of(value)) != Storage::mixed) conversions.push_back({phi, e});
      });
    }
  }
  for (const Conversion& conversion : conversions) {
    BlockId from = f.edge(conversion.edge).from;
    // Other ways out of the block need no variant.
    if (f.op(f.terminator(from)) != Op::jump) from = f.split_edge(conversion.edge);
    const uint32_t column = f.edge(conversion.edge).pred_index;
    const Operand value = f.operand(conversion.phi, column);
    const ir::Inst make = f.make(Op::variant_make, f.type(conversion.phi), {value}, f.loc(conversion.phi));
    f.set_operand(conversion.phi, column, f.insert(f.at_end(from), make));
    ++report.conversions;
  }
}

}  // namespace

VariantReport use_variants(ir::Function& f, const infer::Summaries* summaries) {
  VariantReport report;
  if (f.is_external() || f.block_count() == 0) return report;
  infer::infer_types(f, summaries);
  ir::compact(f);
  report.operations = add_fast_paths(f, report);
  if (report.operations != 0) {
    ir::compact(f);
    infer::infer_types(f, summaries);
    ir::compact(f);
  }
  convert_at_edges(f, report);
  if (report.conversions != 0) ir::compact(f);
  return report;
}

}  // namespace braid::mixed
