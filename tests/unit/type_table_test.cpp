// Interning, what the constructors make, what the readers say, storage, classes, and growth.
#include "type/type_table.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "type_universe.h"

namespace braid {
namespace {

struct TypeTableTest : testing::Test {
  TypeTable table;
  Type tuple_of(std::vector<Type> elements) { return table.tuple(elements); }
};

TEST_F(TypeTableTest, RefinementsThatSayNothingArePlain) {
  EXPECT_EQ(table.int_range(Kind::i8, -128, 127), i8);
  EXPECT_EQ(table.int_range(Kind::i8, -1000, 1000), i8);
  EXPECT_EQ(table.int_range(Kind::i1, 0, 1), i1);
  EXPECT_EQ(table.int_range(Kind::i64, INT64_MIN, INT64_MAX), i64);
  EXPECT_EQ(table.of_class(Kind::object, none_id<ClassId>), object_type);
  EXPECT_EQ(table.join(table.int_range(Kind::i8, -128, 0), table.int_range(Kind::i8, 1, 127)), i8);
  EXPECT_EQ(table.join(table.string_constant(1), table.string_constant(2)), string_type);
}

TEST_F(TypeTableTest, RefinementsThatNothingMeetsAreNone) {
  EXPECT_EQ(table.int_range(Kind::i64, 2, 1), none);
  EXPECT_EQ(table.int_range(Kind::i8, 128, 200), none);
  EXPECT_EQ(tuple_of({i64, none}), none);
  EXPECT_EQ(table.size(), 0u);
}

TEST_F(TypeTableTest, TheSameMeaningIsTheSameType) {
  const Type five = table.int_constant(Kind::i64, 5);
  EXPECT_EQ(five, table.int_range(Kind::i64, 5, 5));
  EXPECT_EQ(five, table.meet(table.int_range(Kind::i64, 0, 5), table.int_range(Kind::i64, 5, 9)));
  EXPECT_EQ(five, table.without(table.join(five, f64), kind_bit(Kind::f64)));
  EXPECT_EQ(five, table.only(table.join(five, f64), kind_bit(Kind::i64)));
  EXPECT_EQ(table.without(table.join(five, f64), kind_bit(Kind::i64)), f64);
  EXPECT_EQ(table.only(table.join(five, f64), kind_bit(Kind::ptr)), none);
  EXPECT_EQ(table.join(tuple_of({five}), null_type), table.join(null_type, tuple_of({five})));
  EXPECT_NE(five, table.int_constant(Kind::i32, 5));
  EXPECT_NE(tuple_of({}), tuple_type);
  EXPECT_NE(table.float_constant(Kind::f64, 0), table.float_constant(Kind::f64, uint64_t{1} << 63));
}

TEST_F(TypeTableTest, ManyTypesAreFoundAgain) {
  std::vector<Type> made;
  for (int64_t i = 0; i < 20'000; ++i) made.push_back(table.int_constant(Kind::i64, i * 4096));
  const size_t size = table.size();
  EXPECT_EQ(size, made.size());
  for (int64_t i = 0; i < 20'000; ++i) ASSERT_EQ(table.int_constant(Kind::i64, i * 4096), made[i]);
  EXPECT_EQ(table.size(), size);
}

TEST_F(TypeTableTest, ConstantsWrapToTheirWidth) {
  EXPECT_EQ(table.int_constant(Kind::i8, 200), table.int_constant(Kind::i8, -56));
  EXPECT_EQ(table.int_constant(Kind::i1, -1), table.int_constant(Kind::i1, 1));
  EXPECT_EQ(table.range(table.int_constant(Kind::i32, 1ll << 31), Kind::i32).first, INT32_MIN);
}

TEST_F(TypeTableTest, TypesOfOneValueAreConstants) {
  EXPECT_EQ(table.as_constant(table.int_constant(Kind::i64, -5)), (TypeConstant{Kind::i64, uint64_t(-5)}));
  EXPECT_EQ(table.as_constant(table.float_constant(Kind::f32, 0x3f80'0000)),
            (TypeConstant{Kind::f32, 0x3f80'0000}));
  EXPECT_EQ(table.as_constant(null_type), (TypeConstant{Kind::null_, 0}));
  EXPECT_EQ(table.as_constant(table.int_range(Kind::i64, 0, 1)), std::nullopt);
  EXPECT_EQ(table.as_constant(table.join(table.int_constant(Kind::i64, 5), null_type)), std::nullopt);
  EXPECT_EQ(table.as_constant(table.string_constant(7)), std::nullopt);
  EXPECT_EQ(table.as_constant(i64), std::nullopt);
  EXPECT_EQ(table.as_constant(none), std::nullopt);
}

TEST_F(TypeTableTest, ReadersSayWhatIsKnown) {
  const ClassId foo = table.add_class("Foo");
  const Type object = table.join(table.of_class(Kind::object, foo, true), table.int_range(Kind::i16, -2, 3));
  EXPECT_EQ(table.kinds(object), (object_type | i16).bits);
  EXPECT_EQ(table.known_class(object, Kind::object), (KnownClass{foo, true}));
  EXPECT_EQ(table.known_class(object, Kind::ref), std::nullopt);
  EXPECT_EQ(table.range(object, Kind::i16), (std::pair<int64_t, int64_t>{-2, 3}));
  EXPECT_EQ(table.range(i16, Kind::i16), (std::pair<int64_t, int64_t>{-32768, 32767}));
  EXPECT_EQ(table.range(i1, Kind::i1), (std::pair<int64_t, int64_t>{0, 1}));
  EXPECT_GT(table.range(f64, Kind::i16).first, table.range(f64, Kind::i16).second);
  EXPECT_EQ(table.known_string(table.string_constant(7)), 7u);
  EXPECT_EQ(table.known_float(table.float_constant(Kind::f64, 9), Kind::f64), 9u);
  EXPECT_EQ(table.single_kind(object), std::nullopt);
  EXPECT_EQ(table.single_kind(table.string_constant(7)), Kind::string);
  EXPECT_EQ(table.single_kind(none), std::nullopt);
}

TEST_F(TypeTableTest, ElementsStayWhereTheyAreWhileTheTableGrows) {
  const Type pair = tuple_of({i64, f64});
  const std::span<const Type> elements = table.elements(table.join(pair, null_type));
  for (int i = 0; i < 1000; ++i) tuple_of({table.int_constant(Kind::i64, i)});
  ASSERT_EQ(elements.size(), 2u);
  EXPECT_EQ(elements[0], i64);
  EXPECT_EQ(elements[1], f64);
  EXPECT_TRUE(table.has_elements(tuple_of({})));
  EXPECT_FALSE(table.has_elements(tuple_type));
}

TEST_F(TypeTableTest, Storage) {
  EXPECT_EQ(table.storage(none), Storage::nothing);
  EXPECT_EQ(table.storage(void_type), Storage::nothing);
  EXPECT_EQ(table.storage(table.int_constant(Kind::i8, 1)), Storage::i8);
  EXPECT_EQ(table.storage(i1), Storage::i1);
  EXPECT_EQ(table.storage(f32), Storage::f32);
  EXPECT_EQ(table.storage(ptr), Storage::ptr);
  EXPECT_EQ(table.storage(null_type | string_type | array_type | object_type | ref), Storage::ref);
  EXPECT_EQ(table.storage(null_type), Storage::ref);
  EXPECT_EQ(table.storage(tuple_of({i64})), Storage::tuple);
  EXPECT_EQ(table.storage(token_type), Storage::token);
  EXPECT_EQ(table.storage(state_type), Storage::state);
  EXPECT_EQ(table.storage(i64 | f64), Storage::mixed);
  EXPECT_EQ(table.storage(i64 | null_type), Storage::mixed);
  EXPECT_EQ(table.storage(any), Storage::mixed);
}

TEST_F(TypeTableTest, AnyHoldsValuesOnly) {
  EXPECT_TRUE(table.leq(tuple_of({i64}), any));
  EXPECT_TRUE(table.leq(ref, any));
  for (Type type : {token_type, state_type, void_type}) EXPECT_EQ(table.meet(type, any), none);
}

TEST_F(TypeTableTest, ClassesAreFoundByName) {
  const ClassId base = table.add_class("Base");
  const ClassId derived = table.add_class("Derived", base);
  EXPECT_EQ(table.find_class("Derived"), derived);
  EXPECT_TRUE(is_none(table.find_class("Other")));
  EXPECT_EQ(table.add_class("Derived", base), derived);
  EXPECT_TRUE(is_none(table.add_class("Derived")));
  EXPECT_EQ(table.classes().size(), 2u);
  EXPECT_EQ(table.classes().name(base), "Base");
  EXPECT_EQ(table.classes().parent(derived), base);
}

TEST_F(TypeTableTest, AncestorsInARandomForestAgreeWithWalkingUp) {
  ClassTree tree;
  uint32_t random = 12345;
  for (uint32_t i = 0; i < 300; ++i) {
    random = random * 1664525u + 1013904223u;
    const bool is_root = i == 0 || i == 100;
    const auto parent = static_cast<ClassId>(is_root ? 0 : i - 1 - (random >> 16) % std::min(i, 3u));
    tree.add("c" + std::to_string(i), is_root ? none_id<ClassId> : parent);
  }
  const auto line = [&](ClassId id) {
    std::vector<ClassId> up;
    for (; !is_none(id); id = tree.parent(id)) up.insert(up.begin(), id);
    return up;
  };
  for (uint32_t i = 0; i < 300; ++i) {
    const std::vector<ClassId> a = line(static_cast<ClassId>(i));
    for (uint32_t j = 0; j < 300; ++j) {
      const std::vector<ClassId> b = line(static_cast<ClassId>(j));
      ClassId expected = none_id<ClassId>;
      for (size_t k = 0; k < std::min(a.size(), b.size()) && a[k] == b[k]; ++k) expected = a[k];
      ASSERT_EQ(tree.common_ancestor(a.back(), b.back()), expected) << i << " " << j;
      ASSERT_EQ(tree.is_subclass(a.back(), b.back()), expected == b.back()) << i << " " << j;
    }
  }
}

TEST_F(TypeTableTest, DeepClassChainsAreCheap) {
  ClassId last = table.add_class("c0");
  const ClassId root = last;
  for (int i = 1; i < 100'000; ++i) last = table.add_class("c" + std::to_string(i), last);
  for (int i = 0; i < 100'000; ++i) ASSERT_TRUE(table.classes().is_subclass(last, root));
}

TEST_F(TypeTableTest, TuplesStopNestingAtTheLimit) {
  Type deep = i64;
  for (int i = 0; i < 10'000; ++i) {
    const Type before = deep;
    deep = tuple_of({deep});
    ASSERT_EQ(table.elements(deep).size(), 1u);
    ASSERT_TRUE(table.leq(before, table.elements(deep)[0]));
  }
  EXPECT_EQ(table.tuple_depth(deep), TypeTable::max_tuple_depth);
  EXPECT_LE(table.size(), 200u);  // the chain has reached a fixed point
}

TEST_F(TypeTableTest, SharedTuplesDoNotGrowExponentially) {
  Type a = table.int_constant(Kind::i64, 1);
  Type b = table.int_constant(Kind::i64, 2);
  for (int i = 0; i < 200; ++i) {
    const Type joined = table.join(a, b);
    ASSERT_TRUE(table.leq(a, joined) && table.leq(b, joined));
    table.meet(a, b);
    a = tuple_of({a, a, a});
    b = tuple_of({b, b, joined});
    ASSERT_EQ(table.elements(a).size(), 3u);
  }
}

TEST_F(TypeTableTest, AFlatTupleMayBeAsLongAsItLikes) {
  const std::vector<Type> many(100'000, i64);
  const Type wide = table.tuple(many);
  EXPECT_EQ(table.elements(wide).size(), many.size());
  const Type outer = tuple_of({wide, f64});  // nested and large: the inner elements are forgotten
  EXPECT_EQ(outer, tuple_of({tuple_type, f64}));
}

TEST_F(TypeTableTest, ACopyIsIndependent) {
  const Type five = table.int_constant(Kind::i64, 5);
  TypeTable copy = table;
  const Type six = copy.int_constant(Kind::i64, 6);
  EXPECT_EQ(copy.int_constant(Kind::i64, 5), five);
  EXPECT_EQ(table.size(), 1u);
  EXPECT_EQ(copy.range(six, Kind::i64).first, 6);
}

}  // namespace
}  // namespace braid
