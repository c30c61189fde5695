// Join, meet, order and widening of refined types: kind by kind, as the table in type_table.h says.
// Cost: the number of kinds and tuple elements. Recursion is over nested tuples only, at most max_tuple_depth
// deep.
#include <algorithm>
#include <limits>

#include "type/int_bounds.h"
#include "type/type_table.h"

namespace braid {

namespace {

/// A type that came up through phis in a loop gets no deeper by widening than this, unless it was deeper
/// already.
constexpr uint32_t widened_depth = 3;

// Powers that conversions and overflow checks ask for; 0 and -1 keep the sign.
constexpr int64_t lower_ladder[] = {0,
                                    -1,
                                    std::numeric_limits<int8_t>::min(),
                                    std::numeric_limits<int16_t>::min(),
                                    std::numeric_limits<int32_t>::min(),
                                    std::numeric_limits<int64_t>::min()};
constexpr int64_t upper_ladder[] = {-1,
                                    0,
                                    std::numeric_limits<int8_t>::max(),
                                    std::numeric_limits<int16_t>::max(),
                                    std::numeric_limits<int32_t>::max(),
                                    std::numeric_limits<int64_t>::max()};

int64_t rung_below(int64_t value) {
  return *std::ranges::find_if(lower_ladder, [=](int64_t rung) { return rung <= value; });
}

int64_t rung_above(int64_t value) {
  return *std::ranges::find_if(upper_ladder, [=](int64_t rung) { return rung >= value; });
}

}  // namespace

// Going up: join and widen.

Type TypeTable::widen(Type old, Type next) {
  if (leq(next, old)) return old;
  const Type wide = combine(old, next, Combine::widen);
  return truncate(wide, std::max(tuple_depth(old), widened_depth));
}

Type TypeTable::combine(Type a, Type b, Combine how) {
  if (a == b) return a;
  const KindSet a_kinds = kinds(a);
  const KindSet b_kinds = kinds(b);
  Draft draft;
  for (KindSet rest = a_kinds | b_kinds; rest != 0; rest &= rest - 1) {
    const auto kind = static_cast<Kind>(std::countr_zero(rest));
    const std::optional<Fact> a_fact = fact(a, kind);
    const std::optional<Fact> b_fact = fact(b, kind);
    if ((a_kinds & kind_bit(kind)) == 0) {
      draft.add(kind, b_fact);
    } else if ((b_kinds & kind_bit(kind)) == 0) {
      draft.add(kind, a_fact);
    } else if (a_fact && b_fact) {
      draft.add(kind, combine_facts(kind, *a_fact, *b_fact, how));
    } else {
      draft.add(kind);
    }
  }
  return intern(draft);
}

std::optional<TypeTable::Fact> TypeTable::combine_facts(Kind kind, const Fact& a, const Fact& b,
                                                        Combine how) {
  if (a == b) return a;
  if (is_integer(kind)) {
    auto lo = static_cast<int64_t>(a.a);
    auto hi = static_cast<int64_t>(a.b);
    const auto b_lo = static_cast<int64_t>(b.a);
    const auto b_hi = static_cast<int64_t>(b.b);
    if (b_lo < lo) lo = how == Combine::join ? b_lo : std::max(rung_below(b_lo), int_min(kind));
    if (b_hi > hi) hi = how == Combine::join ? b_hi : std::min(rung_above(b_hi), int_max(kind));
    if (lo == int_min(kind) && hi == int_max(kind)) return std::nullopt;
    return Fact{static_cast<uint64_t>(lo), static_cast<uint64_t>(hi)};
  }
  if (kind == Kind::object || kind == Kind::ref) return join_classes(a, b);
  if (kind != Kind::tuple) return std::nullopt;  // two constants

  // The vectors' contents stay where they are while tuples_ grows.
  const std::span<const Type> a_elements = tuples_[a.a].elements;
  const std::span<const Type> b_elements = tuples_[b.a].elements;
  if (a_elements.size() != b_elements.size()) return std::nullopt;
  std::vector<Type> joined;
  joined.reserve(a_elements.size());
  for (size_t i = 0; i < a_elements.size(); ++i) joined.push_back(combine(a_elements[i], b_elements[i], how));
  return intern_tuple(std::move(joined));
}

std::optional<TypeTable::Fact> TypeTable::join_classes(const Fact& a, const Fact& b) const {
  const ClassId id = classes_.common_ancestor(static_cast<ClassId>(a.a), static_cast<ClassId>(b.a));
  if (is_none(id)) return std::nullopt;
  return Fact{index(id), 0};  // a and b differ, so at least one is not exactly this class
}

// Going down: meet.

Type TypeTable::meet_refined(Type a, Type b) {
  Draft draft;
  for (KindSet rest = kinds(a) & kinds(b); rest != 0; rest &= rest - 1) {
    const auto kind = static_cast<Kind>(std::countr_zero(rest));
    const std::optional<Fact> a_fact = fact(a, kind);
    const std::optional<Fact> b_fact = fact(b, kind);
    if (!a_fact || !b_fact) {
      draft.add(kind, a_fact ? a_fact : b_fact);
    } else if (const std::optional<Fact> both = meet_facts(kind, *a_fact, *b_fact)) {
      draft.add(kind, both);
    }
  }
  return intern(draft);
}

/// No fact means that no value satisfies both.
std::optional<TypeTable::Fact> TypeTable::meet_facts(Kind kind, const Fact& a, const Fact& b) {
  if (a == b) return a;
  if (is_integer(kind)) {
    const int64_t lo = std::max(static_cast<int64_t>(a.a), static_cast<int64_t>(b.a));
    const int64_t hi = std::min(static_cast<int64_t>(a.b), static_cast<int64_t>(b.b));
    if (lo > hi) return std::nullopt;
    return Fact{static_cast<uint64_t>(lo), static_cast<uint64_t>(hi)};
  }
  if (kind == Kind::object || kind == Kind::ref) {
    if (leq_classes(a, b)) return a;
    return leq_classes(b, a) ? std::optional(b) : std::nullopt;
  }
  if (kind != Kind::tuple) return std::nullopt;  // two constants

  const std::span<const Type> a_elements = tuples_[a.a].elements;
  const std::span<const Type> b_elements = tuples_[b.a].elements;
  if (a_elements.size() != b_elements.size()) return std::nullopt;
  std::vector<Type> common;
  common.reserve(a_elements.size());
  for (size_t i = 0; i < a_elements.size(); ++i) {
    common.push_back(meet(a_elements[i], b_elements[i]));
    if (common.back() == none) return std::nullopt;
  }
  return intern_tuple(std::move(common));
}

// Order.

bool TypeTable::leq_refined(Type a, Type b) const {
  const KindSet a_kinds = kinds(a);
  if ((a_kinds & ~kinds(b)) != 0) return false;
  if (b.is_plain()) return true;
  for (KindSet rest = a_kinds & entry(b).refined; rest != 0; rest &= rest - 1) {
    const auto kind = static_cast<Kind>(std::countr_zero(rest));
    const Fact* a_fact = find_fact(a, kind);
    if (!a_fact || !leq_facts(kind, *a_fact, *find_fact(b, kind))) return false;
  }
  return true;
}

bool TypeTable::leq_facts(Kind kind, const Fact& a, const Fact& b) const {
  if (a == b) return true;
  if (is_integer(kind)) {
    return static_cast<int64_t>(b.a) <= static_cast<int64_t>(a.a) &&
           static_cast<int64_t>(a.b) <= static_cast<int64_t>(b.b);
  }
  if (kind == Kind::object || kind == Kind::ref) return leq_classes(a, b);
  if (kind != Kind::tuple) return false;  // two constants
  return std::ranges::equal(tuples_[a.a].elements, tuples_[b.a].elements,
                            [this](Type x, Type y) { return leq(x, y); });
}

bool TypeTable::leq_classes(const Fact& a, const Fact& b) const {
  if (b.b != 0) return a == b;
  return classes_.is_subclass(static_cast<ClassId>(a.a), static_cast<ClassId>(b.a));
}

}  // namespace braid
