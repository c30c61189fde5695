// The type lattice of a module: a set of kinds, times what is known of each kind.
//
//   integers      an interval [lo, hi], signed; i1 is 0 or 1    join: hull       meet: intersection
//   f32, f64      one constant, by bit pattern                  join: the same   meet: the same
//   string        one constant, by symbol                       join: the same   meet: the same
//   object, ref   a class, or exactly that class                join: nearest common ancestor
//   tuple         the types of its elements                     join and meet: element by element, for equal
//   arity
//
// Where a meet finds nothing, the kind leaves the set. A product of lattices is a lattice, so all laws hold.
// Plain types (see braid/type.h) never touch the table; refined ones are interned, one hash lookup per
// operation. Tuples nest at most `max_tuple_depth` deep, which bounds every recursion below.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <braid/type.h>

#include "base/hash_index.h"
#include "base/stack.h"
#include "type/class_tree.h"

namespace braid {

/// How a value is kept: the kinds that a register or slot of one machine type can hold share a storage.
enum class Storage : uint8_t {
  nothing,
  i1,
  i8,
  i16,
  i32,
  i64,
  f32,
  f64,
  ptr,
  ref,
  tuple,
  token,
  state,
  mixed
};

/// An integer is sign-extended to 64 bits (i1: 0 or 1), a float is its bit pattern, null is 0.
struct TypeConstant {
  Kind kind;
  uint64_t bits;
  friend bool operator==(const TypeConstant&, const TypeConstant&) = default;
};

struct KnownClass {
  ClassId id;
  bool exact;  // no subclass
  friend bool operator==(const KnownClass&, const KnownClass&) = default;
};

class TypeTable {
 public:
  static constexpr uint32_t max_tuple_depth = 64;
  static constexpr uint32_t max_tuple_size = 4096;  // elements of a nested tuple, all levels together

  /// It is plain, or one that this table knows.
  bool has(Type type) const {
    return type.is_plain() ? type.bits >> kind_count == 0 : type.table_index() < entries_.size();
  }

  // The lattice.
  KindSet kinds(Type type) const { return type.is_plain() ? type.bits : entry(type).kinds; }
  Type join(Type a, Type b) {
    if (both_plain(a, b)) return Type{a.bits | b.bits};
    if (a == b || is_within_plain(b, a)) return a;
    return is_within_plain(a, b) ? b : combine(a, b, Combine::join);
  }
  Type meet(Type a, Type b) {
    if (both_plain(a, b)) return Type{a.bits & b.bits};
    if (a == b || is_within_plain(a, b)) return a;
    return is_within_plain(b, a) ? b : meet_refined(a, b);
  }
  /// Every value of `a` is a value of `b`.
  bool leq(Type a, Type b) const {
    if (both_plain(a, b)) return (a.bits & ~b.bits) == 0;
    return a == b || leq_refined(a, b);
  }
  /// Above the join, and short: an interval grows at most 12 times on the way up, as its ends jump along a
  /// ladder of bounds; tuples stop nesting deeper than `old` (or three levels). Gives `old` itself when
  /// `next` adds nothing.
  Type widen(Type old, Type next);
  Type without(Type type, KindSet removed) { return only(type, ~removed); }
  Type only(Type type, KindSet kept) {
    if (type.is_plain()) return Type{type.bits & kept};
    return (entry(type).kinds & ~kept) == 0 ? type : only_refined(type, kept);
  }

  // Making refined types. A refinement that says nothing gives the plain type, one that no value meets gives
  // none.
  Type int_range(Kind kind, int64_t lo, int64_t hi);
  /// The value is wrapped to the width of the kind.
  Type int_constant(Kind kind, int64_t value);
  Type float_constant(Kind kind, uint64_t bits);
  Type string_constant(uint32_t symbol);
  Type of_class(Kind kind, ClassId id, bool exact = false);
  /// Beyond the limits above, tuples inside of tuples lose their elements: the type gets larger, never wrong.
  Type tuple(std::span<const Type> elements);
  /// As `tuple`, without the limit on the size. Needs element depths below `max_tuple_depth`.
  Type tuple_of_any_size(std::span<const Type> elements);

  // Reading types.
  /// First > second when the kind is not in the set.
  std::pair<int64_t, int64_t> range(Type type, Kind kind) const;
  std::optional<uint64_t> known_float(Type type, Kind kind) const;
  std::optional<uint32_t> known_string(Type type) const;
  std::optional<KnownClass> known_class(Type type, Kind kind) const;
  /// False for `tuple` without known elements; tells it apart from the empty tuple.
  bool has_elements(Type type) const { return find_fact(type, Kind::tuple) != nullptr; }
  /// Of the tuples in the set; stays valid while the table grows.
  std::span<const Type> elements(Type type) const;
  uint32_t tuple_depth(Type type) const;
  /// The one value a type stands for, if it is an integer, a float or null.
  std::optional<TypeConstant> as_constant(Type type) const;
  std::optional<Kind> single_kind(Type type) const {
    const KindSet set = kinds(type);
    if (set == 0 || (set & (set - 1)) != 0) return std::nullopt;
    return static_cast<Kind>(std::countr_zero(set));
  }
  Storage storage(Type type) const { return storage_of(kinds(type)); }
  static Storage storage_of(KindSet set);

  // Classes.
  ClassId add_class(std::string name, ClassId parent = none_id<ClassId>) {
    return classes_.add(std::move(name), parent);
  }
  ClassId find_class(std::string_view name) const { return classes_.find(name); }
  const ClassTree& classes() const { return classes_; }

  /// How many refined types exist.
  size_t size() const { return entries_.size(); }

 private:
  /// What is known of one kind: [lo, hi] | bits | symbol | class id, exact | position in tuples_.
  struct Fact {
    uint64_t a;
    uint64_t b;
    friend bool operator==(const Fact&, const Fact&) = default;
  };
  struct Entry {
    KindSet kinds;
    KindSet refined;      // the kinds that have a fact
    uint32_t first_fact;  // in facts_, one per refined kind, in the order of kinds
  };
  static_assert(sizeof(Entry) == 12);
  struct Tuple {
    std::vector<Type> elements;
    uint32_t depth;
    uint32_t size;
  };
  /// A type in the making; facts are read only where `refined` says so.
  struct Draft {
    KindSet kinds = 0;
    KindSet refined = 0;
    Fact facts[kind_count];

    void add(Kind kind, const std::optional<Fact>& fact = std::nullopt);
  };
  enum class Combine : uint8_t { join, widen };

  static constexpr bool both_plain(Type a, Type b) { return ((a.bits | b.bits) & Type::table_bit) == 0; }
  /// A plain type holds whatever is of its kinds.
  bool is_within_plain(Type type, Type plain) const {
    return plain.is_plain() && (kinds(type) & ~plain.bits) == 0;
  }
  const Entry& entry(Type type) const {
    assert(type.table_index() < entries_.size() && "the type belongs to another table");
    return entries_[type.table_index()];
  }
  const Fact* find_fact(Type type, Kind kind) const;
  std::optional<Fact> fact(Type type, Kind kind) const;
  uint32_t tuple_size(Type type) const;

  Type intern(const Draft& draft);
  Type single(Kind kind, const Fact& fact) { return intern(kind_bit(kind), kind_bit(kind), {&fact, 1}); }
  /// One fact for each refined kind, in the order of kinds; there is one at least.
  Type intern(KindSet kinds, KindSet refined, std::span<const Fact> facts);
  Fact intern_tuple(std::vector<Type> elements);
  Type truncate(Type type, uint32_t depth);

  Type combine(Type a, Type b, Combine how);
  std::optional<Fact> combine_facts(Kind kind, const Fact& a, const Fact& b, Combine how);
  std::optional<Fact> join_classes(const Fact& a, const Fact& b) const;
  Type meet_refined(Type a, Type b);
  std::optional<Fact> meet_facts(Kind kind, const Fact& a, const Fact& b);
  bool leq_refined(Type a, Type b) const;
  bool leq_facts(Kind kind, const Fact& a, const Fact& b) const;
  bool leq_classes(const Fact& a, const Fact& b) const;
  Type only_refined(Type type, KindSet kept);

  Stack<Entry> entries_;
  Stack<Fact> facts_;
  std::vector<Tuple> tuples_;
  HashIndex entry_index_;
  HashIndex tuple_index_;
  ClassTree classes_;
};

inline Storage TypeTable::storage_of(KindSet set) {
  constexpr Storage storages[kind_count] = {
      Storage::ref, Storage::i1,    Storage::i8,    Storage::i16,   Storage::i32,    Storage::i64,
      Storage::f32, Storage::f64,   Storage::ref,   Storage::ref,   Storage::ref,    Storage::ptr,
      Storage::ref, Storage::tuple, Storage::token, Storage::state, Storage::nothing};
  constexpr KindSet references = (null_type | string_type | array_type | object_type | ref).bits;
  if (set == 0) return Storage::nothing;
  if (std::has_single_bit(set)) return storages[std::countr_zero(set)];
  return (set & ~references) == 0 ? Storage::ref : Storage::mixed;
}

inline const TypeTable::Fact* TypeTable::find_fact(Type type, Kind kind) const {
  if (type.is_plain()) return nullptr;
  const Entry& e = entry(type);
  if ((e.refined & kind_bit(kind)) == 0) return nullptr;
  const KindSet before = e.refined & (kind_bit(kind) - 1);
  // Most have facts about one kind only, and counting bits is a call on processors that have no instruction for it.
  return &facts_[e.first_fact + (before == 0 ? 0 : static_cast<uint32_t>(std::popcount(before)))];
}

}  // namespace braid
