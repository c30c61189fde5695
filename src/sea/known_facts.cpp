#include "sea/known_facts.h"

#include <algorithm>
#include <array>
#include <limits>

namespace braid::sea {

using ir::Op;

namespace {

constexpr uint8_t less = 1, equal = 2, greater = 4, all = 7;

constexpr uint8_t flip(uint8_t orders) {
  auto half = [](uint8_t o) { return static_cast<uint8_t>((o & equal) | (o & less ? greater : 0) | (o & greater ? less : 0)); };
  return static_cast<uint8_t>(half(orders & all) | half(static_cast<uint8_t>(orders >> 3)) << 3);
}

/// The orders of its operands in which a comparison holds, in signed and in unsigned order; other ops: nothing.
std::optional<uint8_t> orders_of(Op op) {
  auto both = [](uint8_t is_signed, uint8_t is_unsigned) { return static_cast<uint8_t>(is_signed | is_unsigned << 3); };
  constexpr uint8_t other = less | greater;
  switch (op) {
    case Op::eq: return both(equal, equal);
    case Op::ne: return both(other, other);
    case Op::slt: return both(less, other);
    case Op::sgt: return both(greater, other);
    case Op::sle: return both(less | equal, all);
    case Op::sge: return both(greater | equal, all);
    case Op::ult: return both(other, less);
    case Op::ugt: return both(other, greater);
    case Op::ule: return both(all, less | equal);
    case Op::uge: return both(all, greater | equal);
    default: return std::nullopt;
  }
}

}  // namespace

void KnownFacts::forget(size_t mark) {
  while (undo_.size() > mark) {
    const Undo& undo = undo_.back();
    if (is_none(undo.value)) {
      orders_.get(undo.pair) = undo.orders;
    } else {
      narrowed_[index(undo.value)] = undo.type;
      narrowed_count_ -= undo.type == none;
    }
    undo_.pop_back();
  }
}

size_t KnownFacts::PairTable::place(uint64_t pair) const {
  const size_t mask = entries_.size() - 1;
  const uint64_t hash = pair * 0x9e3779b97f4a7c15u;
  size_t at = (hash ^ hash >> 32) & mask;
  while (entries_[at].pair != pair && entries_[at].pair != free) at = (at + 1) & mask;
  return at;
}

const KnownFacts::Orders* KnownFacts::PairTable::find(uint64_t pair) const {
  if (entries_.empty()) return nullptr;
  const Entry& entry = entries_[place(pair)];
  return entry.pair == pair ? &entry.orders : nullptr;
}

KnownFacts::Orders& KnownFacts::PairTable::get(uint64_t pair) {
  if (2 * (count_ + 1) > entries_.size()) {
    std::vector<Entry> old(std::max<size_t>(16, 2 * entries_.size()), Entry{free, 0});
    old.swap(entries_);
    for (const Entry& entry : old)
      if (entry.pair != free) entries_[place(entry.pair)] = entry;
  }
  Entry& entry = entries_[place(pair)];
  if (entry.pair != free) return entry.orders;
  ++count_;
  entry = {pair, static_cast<Orders>(all | all << 3)};
  return entry.orders;
}

// ---- learning ----

void KnownFacts::narrow_range(NodeId n, int64_t low, int64_t high) {
  if (index(n) >= narrowed_.size() || graph_.is_constant(n) || is_private(n)) return;
  TypeTable& types = graph_.module().types;
  const Type known = here(n);
  std::optional<Kind> kind = types.single_kind(known);
  if (!kind || !is_integer(*kind)) return;
  const auto [known_low, known_high] = types.range(known, *kind);
  low = std::max(low, known_low);
  high = std::min(high, known_high);
  // None means that control never comes here, which needs no more facts.
  if (low > high || (low == known_low && high == known_high)) return;
  undo_.push_back({n, narrowed_[index(n)], 0, 0});
  narrowed_count_ += narrowed_[index(n)] == none;
  narrowed_[index(n)] = types.int_range(*kind, low, high);
}

std::optional<uint64_t> KnownFacts::pair_of(NodeId a, NodeId b, bool& flipped) {
  flipped = index(a) > index(b);
  if (a == b) return std::nullopt;
  if (flipped) std::swap(a, b);
  return static_cast<uint64_t>(index(a)) << 32 | index(b);
}

void KnownFacts::narrow_orders(uint64_t pair, Orders orders) {
  Orders& known = orders_.get(pair);
  if ((known & orders) == known) return;
  undo_.push_back({no_node, none, pair, known});
  known &= orders;
}

bool KnownFacts::is_not_zero(NodeId n) const {
  const Orders* found = orders_.find(with_zero(n));
  return found != nullptr && (*found & equal) == 0;
}

void KnownFacts::learn_comparison(Op op, NodeId a, NodeId b) {
  const TypeTable& types = graph_.module().types;
  std::optional<Kind> kind = types.single_kind(here(a));
  if (!kind || !is_integer(*kind) || types.single_kind(here(b)) != kind) return;
  bool flipped;
  if (std::optional<uint64_t> pair = pair_of(a, b, flipped); pair && !is_private(a) && !is_private(b)) {
    Orders now = *orders_of(op);
    if (flipped) now = flip(now);
    narrow_orders(*pair, now);
  }
  // Truths of one bit are -1 as signed numbers, which ranges do not count in.
  if (*kind == Kind::i1 && op != Op::eq && op != Op::ne) return;
  constexpr int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
  auto [a_low, a_high] = types.range(here(a), *kind);
  auto [b_low, b_high] = types.range(here(b), *kind);
  if (op == Op::sgt || op == Op::sge || op == Op::ugt || op == Op::uge) {
    std::swap(a, b);
    std::swap(a_low, b_low);
    std::swap(a_high, b_high);
    op = op == Op::sgt ? Op::slt : op == Op::sge ? Op::sle : op == Op::ugt ? Op::ult : Op::ule;
  }
  // Below a number without a sign, unsigned, there are only numbers without one: then it is the signed order.
  if (op == Op::ult || op == Op::ule) {
    if (b_low < 0) return;
    narrow_range(a, 0, most);
    a_low = std::max<int64_t>(a_low, 0);
    op = op == Op::ult ? Op::slt : Op::sle;
  }
  switch (op) {
    case Op::eq:
      narrow_range(a, b_low, b_high);
      narrow_range(b, a_low, a_high);
      break;
    case Op::ne:
      if (b_low == b_high) narrow_range(a, a_low == b_low ? a_low + 1 : a_low, a_high == b_low ? a_high - 1 : a_high);
      if (a_low == a_high) narrow_range(b, b_low == a_low ? b_low + 1 : b_low, b_high == a_low ? b_high - 1 : b_high);
      break;
    case Op::slt:
      if (b_high > least) narrow_range(a, least, b_high - 1);
      if (a_low < most) narrow_range(b, a_low + 1, most);
      break;
    default:
      narrow_range(a, least, b_high);
      narrow_range(b, a_low, most);
  }
}

void KnownFacts::learn_truth(NodeId condition, bool holds) {
  list_.assign(1, {condition, holds});
  for (uint32_t step = 0; step < most_steps && !list_.empty(); ++step) {
    auto [now, is_true] = list_.back();
    list_.pop_back();
    if (graph_.is_constant(now)) continue;
    std::optional<Kind> kind = graph_.module().types.single_kind(here(now));
    if (!kind || !is_integer(*kind)) continue;
    auto [low, high] = graph_.module().types.range(here(now), *kind);
    if (is_true) {
      narrow_range(now, low == 0 ? 1 : low, high == 0 ? -1 : high);
      if (!is_private(now)) narrow_orders(with_zero(now), *orders_of(Op::ne));
    } else {
      narrow_range(now, 0, 0);
    }
    if (NodeId inner = rewriter_.negation_of(now); !is_none(inner)) {
      list_.push_back({inner, !is_true});
      continue;
    }
    const NodeOp op = graph_.op(now);
    if (op == (is_true ? Op::and_ : Op::or_)) {
      list_.push_back({graph_.input(now, 0), is_true});
      list_.push_back({graph_.input(now, 1), is_true});
    } else if (is_comparison(op) && orders_of(table_op(op))) {
      learn_comparison(is_true ? table_op(op) : *ir::opposite_comparison(table_op(op)), graph_.input(now, 0), graph_.input(now, 1));
    }
  }
}

void KnownFacts::learn_equal(NodeId value, uint64_t bits) {
  narrow_range(value, static_cast<int64_t>(bits), static_cast<int64_t>(bits));
}

// ---- asking ----

/// What follows from what is known of the operands, a few levels deep.
Type KnownFacts::type_here(NodeId n, uint32_t depth) {
  if (narrowed_count_ == 0) return types_.of(n);
  Type type = here(n);
  const uint32_t count = graph_.input_count(n);
  if (depth == 0 || count == 0 || count > 2 || !floats(graph_, n)) return type;
  std::array<Type, 2> inputs;
  bool news = false;
  for (uint32_t i = 0; i < count; ++i) {
    inputs[i] = depth == 1 ? here(graph_.input(n, i)) : type_here(graph_.input(n, i), depth - 1);
    if (inputs[i] == none) return type;
    news = news || inputs[i] != types_.of(graph_.input(n, i));
  }
  if (!news) return type;
  Type now = types_.of_operation(n, std::span(inputs.data(), count));
  Type both = graph_.module().types.meet(type, now);
  return both == none ? type : both;
}

std::optional<bool> KnownFacts::decide(NodeId condition) {
  if (undo_.empty()) return std::nullopt;  // nothing is known here that is not known everywhere
  Type type = type_here(condition, levels);
  if (std::optional<TypeConstant> value = graph_.module().types.as_constant(type)) return value->bits != 0;
  if (types_.excludes_zero(type) || is_not_zero(condition)) return true;
  if (std::optional<bool> answer = decide_by_order(condition)) return answer;
  NodeId inner = rewriter_.negation_of(condition);
  if (is_none(inner)) return std::nullopt;
  if (is_not_zero(inner)) return false;
  std::optional<bool> answer = decide_by_order(inner);
  if (!answer) return std::nullopt;
  return !*answer;
}

std::optional<bool> KnownFacts::decide_by_order(NodeId condition) const {
  const NodeOp op = graph_.op(condition);
  if (!is_comparison(op) || !orders_of(table_op(op))) return std::nullopt;
  bool flipped;
  std::optional<uint64_t> pair = pair_of(graph_.input(condition, 0), graph_.input(condition, 1), flipped);
  if (!pair) return std::nullopt;
  const Orders* found = orders_.find(*pair);
  if (found == nullptr) return std::nullopt;
  const Orders known = flipped ? flip(*found) : *found;
  const Orders holds = *orders_of(table_op(op));
  // Each half alone decides; a half in which the comparison holds for every order says nothing by itself.
  auto within = [&](int shift) { return ((known & ~holds) >> shift & all) == 0; };
  auto apart = [&](int shift) { return ((known & holds) >> shift & all) == 0; };
  if (apart(0) || apart(3)) return false;
  const ir::TypeRule rule = ir::info(table_op(op)).rule;
  if (rule == ir::TypeRule::unsigned_compare ? within(3) : within(0)) return true;
  return std::nullopt;
}

bool KnownFacts::was_asked(NodeId condition) const {
  auto asked = [&](NodeId n) {
    return is_not_zero(n) || (index(n) < narrowed_.size() && narrowed_[index(n)] != none);
  };
  NodeId inner = rewriter_.negation_of(condition);
  return asked(condition) || (!is_none(inner) && asked(inner));
}

std::optional<TypeConstant> KnownFacts::known_number(NodeId value) const {
  if (index(value) >= narrowed_.size() || narrowed_[index(value)] == none) return std::nullopt;
  return types_.constant(value, narrowed_[index(value)]);
}

}  // namespace braid::sea
