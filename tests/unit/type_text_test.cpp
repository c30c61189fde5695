// The text form of types: round trips, exact spelling, faults with their positions.
#include "type/type_text.h"

#include <gtest/gtest.h>

#include "type_universe.h"

namespace braid {
namespace {

struct TypeText : testing::Test, TypeUniverse {
  std::string text(Type type) const { return to_string(table, type); }
  Type read(std::string_view input) {
    size_t pos = 0;
    std::string error;
    const std::optional<Type> type = parse_type(table, input, pos, error);
    EXPECT_TRUE(type) << input << ": " << error;
    EXPECT_EQ(pos, input.size()) << input;
    return type.value_or(none);
  }
};

TEST_F(TypeText, EveryTypeIsReadBackAsItself) {
  for (Type a : types) {
    EXPECT_EQ(read(text(a)), a) << text(a);
    for (Type b : types) {
      for (Type c : {table.join(a, b), table.meet(a, b)}) ASSERT_EQ(read(text(c)), c) << text(c);
    }
  }
}

TEST_F(TypeText, Spelling) {
  for (const char* spelled : {"none",
                              "any",
                              "null",
                              "i1",
                              "void",
                              "i64|f64",
                              "i64=5",
                              "i64=-5",
                              "i64[0..10]",
                              "i8[-128..0]",
                              "i64=-9223372036854775808",
                              "f64=0x1.8p+1",
                              "f64=inf",
                              "f64=-inf",
                              "f64=nan:0x7ff8000000000000",
                              "f32=nan:0xffc00001",
                              "f32=-0x0p+0",
                              "string=#7",
                              "object:Dog",
                              "object:Dog!",
                              "ref:Cat",
                              "tuple",
                              "()",
                              "(i64,)",
                              "(i64, i1)",
                              "null|i64=5|(i64, (f64|(),))",
                              "token|state|void"}) {
    EXPECT_EQ(text(read(spelled)), spelled);
  }
  EXPECT_EQ(read("bool"), i1);
  EXPECT_EQ(read("f64|i64"), i64 | f64);
  EXPECT_EQ(read("( i64 ,i1 , )"), read("(i64, i1)"));
  EXPECT_EQ(read("i64[5..5]"), read("i64=5"));
  EXPECT_EQ(read("i8[-128..127]"), i8);
  EXPECT_EQ(read("f64=1.5e-3"), read("f64=0x1.89374bc6a7efap-10"));
}

TEST_F(TypeText, OddClassNamesAreQuoted) {
  for (const char* name : {"", "a b", "1st", "q\"\\", "tab\there", "\x7f\x01", "Größe", "A!", "A|B", "x)"}) {
    const Type type = table.of_class(Kind::object, table.add_class(name), true);
    EXPECT_EQ(read(text(type)), type) << text(type);
  }
  EXPECT_EQ(text(table.of_class(Kind::ref, table.find_class("tab\there"))), "ref:\"tab\\x09here\"");
  EXPECT_EQ(text(table.of_class(Kind::ref, table.add_class("java.lang.String$1"))), "ref:java.lang.String$1");
}

TEST_F(TypeText, ReadingStopsBehindTheType) {
  const auto rest = [&](std::string_view input) {
    size_t pos = 2;
    std::string error;
    EXPECT_TRUE(parse_type(table, input, pos, error)) << input << ": " << error;
    return std::string(input.substr(pos));
  };
  EXPECT_EQ(rest(": i64 [entry: 0]"), " [entry: 0]");
  EXPECT_EQ(rest(": i64 = 5"), " = 5");
  EXPECT_EQ(rest(": i64 | f64"), " | f64");
  EXPECT_EQ(rest(": i64|f64)"), ")");
  EXPECT_EQ(rest(": f64[0]"), "[0]");
  EXPECT_EQ(rest(": any, i64"), ", i64");
  EXPECT_EQ(rest(": f64=0x1p+1-3"), "-3");
  EXPECT_EQ(rest(": (i64,) i1"), " i1");
}

TEST_F(TypeText, FaultsHaveAPositionAndAMessage) {
  struct Case {
    const char* input;
    size_t pos;
    const char* message;
  };
  const Case cases[] = {
      {"", 0, "expected a type"},
      {"|", 0, "expected a type"},
      {"i64|", 4, "expected a type"},
      {"i63", 0, "unknown type 'i63'"},
      {"i64x", 0, "unknown type 'i64x'"},
      {"int", 0, "unknown type 'int'"},
      {"averylongword", 0, "unknown type 'averylongword'"},
      {"i64|f64|i64", 8, "the same kind twice in one type"},
      {"i64=1|i64=2", 6, "the same kind twice in one type"},
      {"any|token", 0, "'none' and 'any' stand alone"},
      {"i64|none", 4, "'none' and 'any' stand alone"},
      {"i64=", 4, "expected an integer"},
      {"i64=x", 4, "expected an integer"},
      {"i8=128", 3, "128 does not fit i8"},
      {"i1=-1", 3, "-1 does not fit i1"},
      {"i64=9223372036854775808", 4, "this number has too many digits"},
      {"i64[0]", 5, "expected '..' in a range"},
      {"i64[0..]", 7, "expected an integer"},
      {"i64[0..5", 8, "expected ']' after a range"},
      {"i64[6..5]", 7, "this range is empty"},
      {"i8[0..999]", 6, "999 does not fit i8"},
      {"f64=", 4, "expected a float such as 0x1.8p+1"},
      {"f64=x", 4, "expected a float such as 0x1.8p+1"},
      {"f64=0x1p+-3", 4, "expected a float such as 0x1.8p+1"},
      {"f64=0x1p+1024", 4, "this number does not fit f64"},
      {"f32=0x1p+128", 4, "this number does not fit f32"},
      {"f64=nan:0x7ff0000000000000", 4, "expected a float such as 0x1.8p+1"},
      {"f32=nan:0x7ff8000000000000", 4, "this number does not fit f32"},
      {"string=7", 7, "expected '#' and the number of a symbol"},
      {"string=#", 8, "expected an integer"},
      {"string=#-1", 8, "expected an integer"},
      {"object:Wolf", 7, "unknown class 'Wolf'"},
      {"object:", 7, "expected the name of a class"},
      {"object:5", 7, "expected the name of a class"},
      {"object:\"Dog", 11, "expected '\"' at the end of a text"},
      {"object:\"\\q\"", 9, "expected \\\", \\\\ or \\x and two hexadecimal digits"},
      {"object:\"\\x1", 9, "expected \\\", \\\\ or \\x and two hexadecimal digits"},
      {"(", 1, "expected a type"},
      {"(,)", 1, "expected a type"},
      {"(i64)", 4, "expected ',' after the first element of a tuple"},
      {"(i64, f64", 9, "expected ',' or ')' in a tuple"},
      {"(i64, none)", 6, "a tuple has no element of type none"},
      {"(i64, i8=300)", 9, "300 does not fit i8"},
  };
  for (const Case& fault : cases) {
    size_t pos = 0;
    std::string error;
    EXPECT_FALSE(parse_type(table, fault.input, pos, error)) << fault.input;
    EXPECT_EQ(pos, fault.pos) << fault.input;
    EXPECT_EQ(error, fault.message) << fault.input;
  }
}

TEST_F(TypeText, DeepNestsEndAtALimit) {
  const auto nest = [](size_t depth) {
    std::string input(depth, '(');
    input += "i64";
    for (size_t i = 0; i < depth; ++i) input += ",)";
    return input;
  };
  const std::string deepest = nest(TypeTable::max_tuple_depth);
  EXPECT_EQ(text(read(deepest)), deepest);
  for (const std::string& input : {nest(TypeTable::max_tuple_depth + 1), std::string(1'000'000, '(')}) {
    size_t pos = 0;
    std::string error;
    EXPECT_FALSE(parse_type(table, input, pos, error));
    EXPECT_EQ(pos, size_t{TypeTable::max_tuple_depth});
    EXPECT_EQ(error, "tuples are nested more than 64 deep");
  }
}

TEST_F(TypeText, TypesMadeAtTheLimitsAreReadBack) {
  Type deep = i64, shared = i64;
  for (int i = 0; i < 100; ++i) {
    deep = tuple_of({deep});
    shared = tuple_of({shared, table.join(shared, f64)});
    ASSERT_EQ(read(text(deep)), deep);
    ASSERT_EQ(read(text(shared)), shared);
  }
}

TEST_F(TypeText, FloatConstantsKeepEveryBit) {
  for (uint32_t high = 0; high < 0x10000; ++high) {  // all signs and exponents of f32, more than all of f64
    const Type small = table.float_constant(Kind::f32, high << 16 | 0x0101u);
    const Type large = table.float_constant(Kind::f64, uint64_t{high} << 48 | 1u);
    const Type both = table.join(small, large);
    ASSERT_EQ(read(text(both)), both) << text(both);
  }
}

}  // namespace
}  // namespace braid
