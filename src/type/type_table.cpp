// Interning, construction and reading of types. The lattice operations are in lattice.cpp.
#include "type/type_table.h"

#include <algorithm>

#include "base/hash.h"
#include "type/int_bounds.h"

namespace braid {

namespace {

constexpr uint32_t fold(uint64_t hash) { return static_cast<uint32_t>(hash); }  // the low bits may be near those of a number

/// Programs ask for numbers that are near each other one after the other: these stand in one line of the cache. Most types have
/// one fact, and are asked for more often than anything else: one product for each.
template <typename Fact>
uint64_t hash_with(uint64_t hash, const Fact& fact) {
  const uint64_t line = (fact.a >> 3) + (fact.b >> 3) * 0x9e3779b97f4a7c16u;
  const uint64_t mixed = (hash ^ line) * 0xbf58476d1ce4e5b9u;
  return ((mixed ^ mixed >> 32) & ~uint64_t{7}) | ((fact.a ^ fact.b << 1) & 7);
}

}  // namespace

// Interning.

void TypeTable::Draft::add(Kind kind, const std::optional<Fact>& fact) {
  kinds |= kind_bit(kind);
  if (!fact) return;
  refined |= kind_bit(kind);
  facts[static_cast<int>(kind)] = *fact;
}

Type TypeTable::intern(const Draft& draft) {
  if (draft.refined == 0) return Type{draft.kinds};
  Fact facts[kind_count];
  uint32_t count = 0;
  for (KindSet rest = draft.refined; rest != 0; rest &= rest - 1) facts[count++] = draft.facts[std::countr_zero(rest)];
  return intern(draft.kinds, draft.refined, {facts, count});
}

Type TypeTable::intern(KindSet kinds, KindSet refined, std::span<const Fact> facts) {
  uint64_t hash = uint64_t{kinds} << 32 | refined;
  for (const Fact& fact : facts) hash = hash_with(hash, fact);
  const uint32_t next = entries_.size();
  const uint32_t position = entry_index_.find_or_add(fold(hash), next, [&](uint32_t known) {
    const Entry& e = entries_[known];
    return e.kinds == kinds && e.refined == refined && std::equal(facts.begin(), facts.end(), facts_.begin() + e.first_fact);
  });
  if (position == next) {
    assert(next < Type::table_bit && "the type table is full");
    entries_.push({kinds, refined, facts_.size()});
    std::ranges::copy(facts, facts_.add(static_cast<uint32_t>(facts.size())));
  }
  return Type{position | Type::table_bit};
}

TypeTable::Fact TypeTable::intern_tuple(std::vector<Type> elements) {
  uint64_t hash = elements.size();
  uint32_t depth = 0;
  uint64_t size = 0;
  for (Type element : elements) {
    assert(element != none && "a tuple with an empty element has no values");
    hash = hash_combine(hash, element.bits);
    depth = std::max(depth, tuple_depth(element));
    size += 1 + uint64_t{tuple_size(element)};
  }
  assert(depth < max_tuple_depth && "tuples are nested too deep");
  const auto next = static_cast<uint32_t>(tuples_.size());
  const uint32_t position =
      tuple_index_.find_or_add(fold(hash), next, [&](uint32_t known) { return tuples_[known].elements == elements; });
  if (position == next) {
    const auto stored_size = static_cast<uint32_t>(std::min<uint64_t>(size, 0xffff'ffffu));
    tuples_.push_back({std::move(elements), depth + 1, stored_size});
  }
  return {position, 0};
}

// Making types.

Type TypeTable::int_range(Kind kind, int64_t lo, int64_t hi) {
  assert(is_integer(kind));
  lo = std::max(lo, int_min(kind));
  hi = std::min(hi, int_max(kind));
  if (lo > hi) return none;
  if (lo == int_min(kind) && hi == int_max(kind)) return of(kind);
  return single(kind, Fact{static_cast<uint64_t>(lo), static_cast<uint64_t>(hi)});
}

Type TypeTable::int_constant(Kind kind, int64_t value) {
  assert(is_integer(kind));
  const int unused = 64 - bit_width(kind);
  const uint64_t shifted = static_cast<uint64_t>(value) << unused;
  value = kind == Kind::i1 ? value & 1 : static_cast<int64_t>(shifted) >> unused;
  return int_range(kind, value, value);
}

Type TypeTable::float_constant(Kind kind, uint64_t bits) {
  assert(is_float(kind));
  assert((kind == Kind::f64 || bits <= 0xffff'ffffu) && "an f32 has 32 bits");
  return single(kind, Fact{bits, 0});
}

Type TypeTable::string_constant(uint32_t symbol) { return single(Kind::string, Fact{symbol, 0}); }

Type TypeTable::of_class(Kind kind, ClassId id, bool exact) {
  assert(kind == Kind::object || kind == Kind::ref);
  if (is_none(id)) return of(kind);
  assert(index(id) < classes_.size() && "the class belongs to another table");
  return single(kind, Fact{index(id), exact});
}

Type TypeTable::tuple(std::span<const Type> elements) {
  uint32_t depth = 0;
  uint64_t size = 0;
  for (Type element : elements) {
    depth = std::max(depth, tuple_depth(element));
    size += 1 + uint64_t{tuple_size(element)};
  }
  // A flat tuple is as long as the statement that makes it. Only nesting can grow exponentially: (t, t) of
  // (t, t) of ...
  const bool too_large = depth > 0 && size > max_tuple_size;
  if (!too_large && depth < max_tuple_depth) return tuple_of_any_size(elements);
  std::vector<Type> smaller(elements.begin(), elements.end());
  for (Type& element : smaller) element = truncate(element, too_large ? 0 : max_tuple_depth - 1);
  return tuple_of_any_size(smaller);
}

Type TypeTable::tuple_of_any_size(std::span<const Type> elements) {
  if (std::ranges::find(elements, none) != elements.end()) return none;
  return single(Kind::tuple, intern_tuple({elements.begin(), elements.end()}));
}

/// Forgets the elements of tuples below the given depth.
Type TypeTable::truncate(Type type, uint32_t depth) {
  if (tuple_depth(type) <= depth) return type;
  Draft draft;
  for (KindSet rest = kinds(type); rest != 0; rest &= rest - 1) {
    const auto kind = static_cast<Kind>(std::countr_zero(rest));
    if (kind != Kind::tuple) {
      draft.add(kind, fact(type, kind));
    } else if (depth == 0) {
      draft.add(kind);
    } else {
      const std::span<const Type> old = elements(type);
      std::vector<Type> smaller(old.begin(), old.end());
      for (Type& element : smaller) element = truncate(element, depth - 1);
      draft.add(kind, intern_tuple(std::move(smaller)));
    }
  }
  return intern(draft);
}

Type TypeTable::only_refined(Type type, KindSet kept) {
  Draft draft;
  for (KindSet rest = kinds(type) & kept; rest != 0; rest &= rest - 1) {
    const auto kind = static_cast<Kind>(std::countr_zero(rest));
    draft.add(kind, fact(type, kind));
  }
  return intern(draft);
}

// Reading types.

std::optional<TypeTable::Fact> TypeTable::fact(Type type, Kind kind) const {
  const Fact* known = find_fact(type, kind);
  return known ? std::optional(*known) : std::nullopt;
}

std::pair<int64_t, int64_t> TypeTable::range(Type type, Kind kind) const {
  assert(is_integer(kind));
  if ((kinds(type) & kind_bit(kind)) == 0) return {0, -1};
  const Fact* known = find_fact(type, kind);
  if (!known) return {int_min(kind), int_max(kind)};
  return {static_cast<int64_t>(known->a), static_cast<int64_t>(known->b)};
}

std::optional<uint64_t> TypeTable::known_float(Type type, Kind kind) const {
  assert(is_float(kind));
  const Fact* known = find_fact(type, kind);
  return known ? std::optional(known->a) : std::nullopt;
}

std::optional<uint32_t> TypeTable::known_string(Type type) const {
  const Fact* known = find_fact(type, Kind::string);
  return known ? std::optional(static_cast<uint32_t>(known->a)) : std::nullopt;
}

std::optional<KnownClass> TypeTable::known_class(Type type, Kind kind) const {
  assert(kind == Kind::object || kind == Kind::ref);
  const Fact* known = find_fact(type, kind);
  if (!known) return std::nullopt;
  return KnownClass{static_cast<ClassId>(known->a), known->b != 0};
}

std::span<const Type> TypeTable::elements(Type type) const {
  const Fact* known = find_fact(type, Kind::tuple);
  if (!known) return {};
  return tuples_[known->a].elements;
}

uint32_t TypeTable::tuple_depth(Type type) const {
  const Fact* known = find_fact(type, Kind::tuple);
  return known ? tuples_[known->a].depth : 0;
}

uint32_t TypeTable::tuple_size(Type type) const {
  const Fact* known = find_fact(type, Kind::tuple);
  return known ? tuples_[known->a].size : 0;
}

std::optional<TypeConstant> TypeTable::as_constant(Type type) const {
  const std::optional<Kind> kind = single_kind(type);
  if (!kind) return std::nullopt;
  if (*kind == Kind::null_) return TypeConstant{Kind::null_, 0};
  const Fact* known = find_fact(type, *kind);
  if (!known) return std::nullopt;
  if (is_float(*kind) || (is_integer(*kind) && known->a == known->b)) return TypeConstant{*kind, known->a};
  return std::nullopt;
}

}  // namespace braid
