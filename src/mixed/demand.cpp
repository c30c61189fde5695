#include "mixed/demand.h"

#include <algorithm>

#include "base/hash.h"
#include "ir/language.h"

namespace braid::mixed {

using ir::BlockId;
using ir::EdgeId;
using ir::Op;
using ir::Operand;

namespace {

constexpr KindSet whole = (null_type | i1 | i64).bits;
constexpr KindSet numbers = whole | f64.bits;

/// Both operands of these kinds: infer/lower.h makes it plain.
KindSet plain_kinds(Op op) {
  switch (op) {
    case Op::dyn_add:
    case Op::dyn_sub:
    case Op::dyn_mul:
    case Op::dyn_div:
    case Op::dyn_eq:
    case Op::dyn_lt:
    case Op::dyn_le:
    case Op::dyn_truth:
    case Op::dyn_to_float: return numbers;
    case Op::dyn_rem:
    case Op::dyn_and:
    case Op::dyn_or:
    case Op::dyn_xor:
    case Op::dyn_shl:
    case Op::dyn_shr:
    case Op::dyn_to_int: return whole;
    case Op::dyn_not: return i64.bits;
    case Op::dyn_to_string: return string_type.bits;
    default: return 0;
  }
}

}  // namespace

KindSet gaining_kinds(const ir::Function& f, const infer::Types& types, const ir::Stmt& s, uint32_t i) {
  TypeTable& table = f.module().types;
  const KindSet kinds = table.kinds(types.of(f.operand(s, i)));
  switch (ir::info(s.op).rule) {
    case ir::TypeRule::kind_test:
    case ir::TypeRule::variant_tag:
    case ir::TypeRule::variant_get: return kinds;
    case ir::TypeRule::dynamic: break;
    default: return 0;
  }
  if (ir::language(f.module().language) == nullptr) return 0;
  // Values of different kinds are never identical, so each kind says something.
  if (s.op == Op::dyn_identical) return kinds;
  const KindSet plain = plain_kinds(s.op);
  if (f.operand_count(s) == 2 && (table.kinds(types.of(f.operand(s, 1 - i))) & plain) == 0) return 0;
  return kinds & plain;
}

Demand::Demand(const ir::Function& f, const infer::Types& types)
    : f_(f), types_(types), table_(f.module().types), into_phis_(f.block_count()),
      left_(uint64_t{64} * f.size() + 100'000) {
  find_gains();
  while (!steps_.empty()) {
    const Step step = steps_.back();
    steps_.pop_back();
    want_inside(step.want, step.block);
  }
  sort_wants();
}

bool Demand::is_mixed(Operand value) const {
  return (value.is_stmt() || value.is_param()) && table_.storage(types_.of(value)) == Storage::mixed;
}

void Demand::find_gains() {
  for (uint32_t b = 0; b < f_.block_count(); ++b) {
    const BlockId block = static_cast<BlockId>(b);
    if (!types_.is_reachable(block)) continue;
    for (uint32_t p = f_.block(block).first; p < types_.end_of(block); ++p) {
      const ir::Stmt& s = f_.columns().stmt(p);
      const ir::OpInfo& op = ir::info(s.op);
      // Returned by the block that it is a phi of: the ways may as well return at once what they bring.
      if (s.op == Op::ret && f_.operand_count(s) == 1) {
        const Operand value = f_.operand(s, 0);
        if (is_mixed(value) && value.is_stmt() && f_.op(value) == Op::phi && f_.block_of(value) == block)
          add(b, {value, table_.kinds(types_.of(value))});
        continue;
      }
      if (op.rule != ir::TypeRule::dynamic && op.rule != ir::TypeRule::kind_test && op.rule != ir::TypeRule::variant_tag &&
          op.rule != ir::TypeRule::variant_get)
        continue;
      for (uint32_t i = 0; i < f_.operand_count(s); ++i)
        if (op.is_value(i)) gain(static_cast<ir::Ref>(p), block, i);
    }
  }
}

void Demand::gain(Operand user, BlockId b, uint32_t i) {
  const ir::Stmt& s = f_.stmt(user);
  const Operand value = f_.operand(s, i);
  if (!is_mixed(value)) return;
  if (KindSet useful = gaining_kinds(f_, types_, s, i); useful != 0) want_inside({value, useful}, b);
}

void Demand::want_inside(Want want, BlockId b) {
  while (is_mixed(want.value)) {
    want.useful &= table_.kinds(types_.of(want.value));
    if (want.useful == 0) return;
    const bool is_here = want.value.is_param() ? b == f_.entry() : f_.block_of(want.value) == b;
    if (!is_here || (want.value.is_stmt() && f_.op(want.value) == Op::phi)) return want_at_start(want, b);
    if (want.value.is_param() || f_.op(want.value) != Op::pi) {
      if (want.through_phi) add(into_phis_, want);
      return;
    }
    want.value = f_.operand(want.value, 0);
  }
}

void Demand::want_at_start(const Want& want, BlockId b) {
  if (left_ == 0 || !add(index(b), want)) return;
  const bool is_phi = want.value.is_stmt() && f_.block_of(want.value) == b;
  f_.for_each_pred(b, [&](EdgeId e) {
    if (!types_.is_open(e) || f_.edge(e).kind == ir::EdgeKind::exceptional) return;
    left_ -= left_ != 0;
    Want before = want;
    if (is_phi) before = {f_.operand(want.value, f_.edge(e).pred_index), want.useful, true};
    steps_.push_back({before, f_.edge(e).from});
  });
}

KindSet Demand::useful_into_phis(Operand value) const {
  std::span<const Want> wants = into_phis();
  auto at = std::lower_bound(wants.begin(), wants.end(), value.word(),
                             [](const Want& one, uint32_t word) { return one.value.word() < word; });
  return at == wants.end() || at->value != value ? 0 : at->useful;
}

bool Demand::add(uint32_t row, const Want& want) {
  const uint64_t hash = mix64(uint64_t{row} << 32 | want.value.word());
  const uint32_t place = places_.find_or_add(static_cast<uint32_t>(hash), static_cast<uint32_t>(found_.size()), [&](uint32_t at) {
    return found_[at].row == row && found_[at].want.value == want.value;
  });
  if (place == found_.size()) {
    found_.push_back({row, want});
    return true;
  }
  Want& known = found_[place].want;
  const bool grows = (want.useful & ~known.useful) != 0 || (want.through_phi && !known.through_phi);
  known.useful |= want.useful;
  known.through_phi |= want.through_phi;
  return grows;
}

void Demand::sort_wants() {
  std::ranges::sort(found_, {}, [](const Found& found) { return found.want.value.word(); });
  wants_ = Csr<Want>::build(size_t{into_phis_} + 1, [&](auto&& emit) {
    for (const Found& found : found_) emit(found.row, found.want);
  });
  found_ = {};
  places_ = {};
}

}  // namespace braid::mixed
