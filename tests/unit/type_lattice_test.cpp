// The laws of the lattice over all pairs and triples of the universe, and what the types mean as sets of
// values.
#include <gtest/gtest.h>

#include <set>

#include "type/type_text.h"
#include "type_universe.h"

namespace braid {
namespace {

constexpr Type top = any | token_type | state_type | void_type;

struct TypeLattice : testing::Test, TypeUniverse {
  std::string text(Type type) const { return to_string(table, type); }
};

TEST_F(TypeLattice, TheUniverseIsLargeAndHasNoTypeTwice) {
  std::set<uint32_t> different;
  for (Type type : types) different.insert(type.bits);
  EXPECT_EQ(different.size(), types.size());
  EXPECT_GE(types.size(), 60u);
}

TEST_F(TypeLattice, LawsOfOneAndTwo) {
  for (Type a : types) {
    EXPECT_EQ(table.join(a, a), a) << text(a);
    EXPECT_EQ(table.meet(a, a), a) << text(a);
    EXPECT_TRUE(table.leq(a, a)) << text(a);
    EXPECT_EQ(table.join(a, none), a) << text(a);
    EXPECT_EQ(table.meet(a, none), none) << text(a);
    EXPECT_EQ(table.join(a, top), top) << text(a);
    EXPECT_EQ(table.meet(a, top), a) << text(a);
    EXPECT_TRUE(table.leq(none, a) && table.leq(a, top)) << text(a);
    for (Type b : types) {
      const std::string both = text(a) + " and " + text(b);
      const Type join = table.join(a, b);
      const Type meet = table.meet(a, b);
      ASSERT_EQ(join, table.join(b, a)) << both;
      ASSERT_EQ(meet, table.meet(b, a)) << both;
      ASSERT_EQ(table.join(a, meet), a) << both;
      ASSERT_EQ(table.meet(a, join), a) << both;
      ASSERT_EQ(table.leq(a, b), join == b) << both;
      ASSERT_EQ(table.leq(a, b), meet == a) << both;
      ASSERT_EQ(table.leq(a, b) && table.leq(b, a), a == b) << both;
    }
  }
}

TEST_F(TypeLattice, LawsOfThree) {
  for (Type a : types) {
    for (Type b : types) {
      const Type join = table.join(a, b);
      const Type meet = table.meet(a, b);
      for (Type c : types) {
        ASSERT_EQ(table.join(join, c), table.join(a, table.join(b, c)))
            << text(a) << " " << text(b) << " " << text(c);
        ASSERT_EQ(table.meet(meet, c), table.meet(a, table.meet(b, c)))
            << text(a) << " " << text(b) << " " << text(c);
        ASSERT_EQ(table.leq(a, c) && table.leq(b, c), table.leq(join, c));
        ASSERT_EQ(table.leq(c, a) && table.leq(c, b), table.leq(c, meet));
      }
    }
  }
}

/// One concrete value: a number or symbol or class by its bits, or a tuple.
struct Value {
  Kind kind;
  uint64_t bits = 0;
  std::vector<Value> elements = {};
};

/// Membership straight from the reading functions, without join, meet or leq.
bool contains(const TypeTable& table, Type type, const Value& value) {
  if ((table.kinds(type) & kind_bit(value.kind)) == 0) return false;
  if (is_integer(value.kind)) {
    const auto [lo, hi] = table.range(type, value.kind);
    const auto number = static_cast<int64_t>(value.bits);
    return lo <= number && number <= hi;
  }
  if (is_float(value.kind)) return table.known_float(type, value.kind).value_or(value.bits) == value.bits;
  if (value.kind == Kind::string) return table.known_string(type).value_or(value.bits) == value.bits;
  if (value.kind == Kind::object || value.kind == Kind::ref) {
    const std::optional<KnownClass> known = table.known_class(type, value.kind);
    if (!known) return true;
    auto id = static_cast<ClassId>(value.bits);
    if (known->exact) return id == known->id;
    while (!is_none(id) && id != known->id) id = table.classes().parent(id);
    return id == known->id;
  }
  if (value.kind != Kind::tuple || !table.has_elements(type)) return true;
  const std::span<const Type> elements = table.elements(type);
  if (elements.size() != value.elements.size()) return false;
  for (size_t i = 0; i < elements.size(); ++i) {
    if (!contains(table, elements[i], value.elements[i])) return false;
  }
  return true;
}

std::vector<Value> some_values(const TypeUniverse& universe) {
  std::vector<Value> values;
  for (int k = 0; k < kind_count; ++k) {
    const auto kind = static_cast<Kind>(k);
    if (is_integer(kind)) {
      const auto [lo, hi] = universe.table.range(of(kind), kind);
      for (int64_t n : {lo, int64_t{-4}, int64_t{-3}, int64_t{-1}, int64_t{0}, int64_t{1}, int64_t{5},
                        int64_t{10}, int64_t{11}, int64_t{20}, int64_t{21}, hi - 1, hi}) {
        if (lo <= n && n <= hi) values.push_back({kind, static_cast<uint64_t>(n)});
      }
    } else if (is_float(kind)) {
      for (uint64_t bits : {uint64_t{0}, uint64_t{1} << 63, uint64_t{0x7ff8} << 48, uint64_t{0x3fc0'0000}}) {
        if (kind == Kind::f64 || bits >> 32 == 0) values.push_back({kind, bits});
      }
    } else if (kind == Kind::string) {
      for (uint64_t symbol : {3, 4, 5}) values.push_back({kind, symbol});
    } else if (kind == Kind::object || kind == Kind::ref) {
      for (uint32_t id = 0; id < universe.table.classes().size(); ++id) values.push_back({kind, id});
    } else {
      values.push_back({kind});  // for tuples: the empty one
    }
  }
  const std::vector<Value> flat = values;
  for (const Value& a : flat) {
    values.push_back({Kind::tuple, 0, {a}});
    values.push_back({Kind::tuple, 0, {{Kind::tuple, 0, {a}}}});
    for (const Value& b : flat) values.push_back({Kind::tuple, 0, {a, b}});
  }
  return values;
}

TEST_F(TypeLattice, JoinMeetAndOrderAgreeWithSetsOfValues) {
  const std::vector<Value> values = some_values(*this);
  const auto members = [&](Type type) {
    std::vector<bool> set;
    for (const Value& value : values) set.push_back(contains(table, type, value));
    return set;
  };
  std::vector<std::vector<bool>> sets;
  for (Type type : types) sets.push_back(members(type));
  for (size_t i = 0; i < types.size(); ++i) {
    for (size_t j = i; j < types.size(); ++j) {
      const std::string both = text(types[i]) + " and " + text(types[j]);
      const std::vector<bool> join = members(table.join(types[i], types[j]));
      const std::vector<bool> meet = members(table.meet(types[i], types[j]));
      bool i_in_j = true;
      bool j_in_i = true;
      for (size_t v = 0; v < values.size(); ++v) {
        ASSERT_TRUE(join[v] || !(sets[i][v] || sets[j][v])) << both << ": join loses a value";
        ASSERT_EQ(meet[v], sets[i][v] && sets[j][v]) << both << ": meet is not the intersection";
        i_in_j &= !sets[i][v] || sets[j][v];
        j_in_i &= !sets[j][v] || sets[i][v];
      }
      ASSERT_TRUE(i_in_j || !table.leq(types[i], types[j])) << both;
      ASSERT_TRUE(j_in_i || !table.leq(types[j], types[i])) << both;
    }
  }
}

TEST_F(TypeLattice, ClassesJoinAtTheNearestCommonAncestor) {
  const auto object = [&](ClassId id, bool exact = false) { return table.of_class(Kind::object, id, exact); };
  EXPECT_EQ(table.join(object(puppy), object(cat)), object(animal));
  EXPECT_EQ(table.join(object(puppy, true), object(dog, true)), object(dog));
  EXPECT_EQ(table.join(object(dog, true), object(dog)), object(dog));
  EXPECT_EQ(table.join(object(dog), object(plant)), object_type);
  EXPECT_EQ(table.meet(object(animal), object(puppy)), object(puppy));
  EXPECT_EQ(table.meet(object(animal), object(puppy, true)), object(puppy, true));
  EXPECT_EQ(table.meet(object(animal, true), object(puppy)), none);
  EXPECT_EQ(table.meet(object(cat), object(dog)), none);
}

TEST_F(TypeLattice, TuplesJoinAndMeetElementByElement) {
  const Type zero = table.int_constant(Kind::i64, 0);
  const Type one = table.int_constant(Kind::i64, 1);
  EXPECT_EQ(table.join(tuple_of({zero, i1}), tuple_of({one, f64})),
            tuple_of({table.int_range(Kind::i64, 0, 1), i1 | f64}));
  EXPECT_EQ(table.join(tuple_of({i64}), tuple_of({i64, i64})), tuple_type);
  EXPECT_EQ(table.meet(tuple_of({i64}), tuple_of({i64, i64})), none);
  EXPECT_EQ(table.meet(tuple_of({zero, i1}), tuple_of({one, i1})), none);
  EXPECT_EQ(table.meet(table.join(f64, tuple_of({zero})), f64 | tuple_type),
            table.join(f64, tuple_of({zero})));
  EXPECT_EQ(table.meet(table.join(f64, tuple_of({zero})), table.join(f64, tuple_of({one}))), f64);
}

TEST_F(TypeLattice, WideningStaysAboveTheJoin) {
  for (Type a : types) {
    for (Type b : types) {
      const Type wide = table.widen(a, b);
      ASSERT_TRUE(table.leq(table.join(a, b), wide))
          << text(a) << " and " << text(b) << " give " << text(wide);
      ASSERT_EQ(wide == a, table.leq(b, a)) << text(a) << " and " << text(b);
    }
  }
}

/// Steps until `next` of a type no longer adds to it.
template <typename Next>
int widening_steps(TypeTable& table, Type start, Next next) {
  int steps = 0;
  for (Type type = start; steps < 1000; ++steps) {
    const Type wide = table.widen(type, next(type));
    if (wide == type) break;
    type = wide;
  }
  return steps;
}

TEST_F(TypeLattice, WideningEndsSoon) {
  const Type zero = table.int_constant(Kind::i64, 0);
  const auto grow = [&](Type type, int64_t down, int64_t up) {
    const auto [lo, hi] = table.range(type, Kind::i64);
    int64_t new_lo = lo, new_hi = hi;
    if (__builtin_sub_overflow(lo, down, &new_lo)) new_lo = std::numeric_limits<int64_t>::min();
    if (__builtin_add_overflow(hi, up, &new_hi)) new_hi = std::numeric_limits<int64_t>::max();
    return table.int_range(Kind::i64, new_lo, new_hi);
  };
  EXPECT_LE(widening_steps(table, zero, [&](Type t) { return grow(t, 0, 1); }), 6);
  EXPECT_LE(widening_steps(table, zero, [&](Type t) { return grow(t, 1, 0); }), 6);
  int turn = 0;
  const Type low = table.int_constant(Kind::i64, -5);
  EXPECT_LE(widening_steps(table, low, [&](Type t) { return ++turn % 2 ? grow(t, 1, 0) : grow(t, 0, 1); }),
            12);
  EXPECT_LE(
      widening_steps(table, tuple_of({zero, zero}),
                     [&](Type t) {
                       return tuple_of({grow(table.elements(t)[0], 0, 1), grow(table.elements(t)[1], 1, 0)});
                     }),
      12);
  // A loop that wraps its value in one more tuple each time round.
  EXPECT_LE(widening_steps(table, zero, [&](Type t) { return table.join(zero, tuple_of({t})); }), 16);
  EXPECT_LE(widening_steps(table, zero, [&](Type t) { return table.join(zero, tuple_of({t, t})); }), 16);
  EXPECT_LE(
      widening_steps(table, zero,
                     [&](Type t) { return table.join(grow(t, 0, 1), table.join(null_type, tuple_of({t}))); }),
      16);
}

TEST_F(TypeLattice, WideningKeepsTheSign) {
  const Type zero = table.int_constant(Kind::i64, 0);
  EXPECT_EQ(table.widen(zero, table.int_constant(Kind::i64, 1)), table.int_range(Kind::i64, 0, 127));
  EXPECT_EQ(table.widen(zero, table.int_constant(Kind::i64, 1'000)), table.int_range(Kind::i64, 0, 32767));
  EXPECT_EQ(table.widen(table.int_constant(Kind::i8, 0), table.int_constant(Kind::i8, -2)),
            table.int_range(Kind::i8, -128, 0));
  EXPECT_EQ(table.widen(table.int_constant(Kind::i1, 0), table.int_constant(Kind::i1, 1)), i1);
}

}  // namespace
}  // namespace braid
