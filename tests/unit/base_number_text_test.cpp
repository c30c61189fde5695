// Numbers as text: exact both ways, corner cases and random bit patterns.
#include "base/number_text.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace braid {
namespace {

template <class Float>
std::string hex(Float value) {
  std::string out;
  append_hex_float(out, value);
  return out;
}
template <class Float>
std::string decimal(Float value) {
  std::string out;
  append_decimal_float(out, value);
  return out;
}
double f64(uint64_t bits) { return std::bit_cast<double>(bits); }
float f32(uint32_t bits) { return std::bit_cast<float>(bits); }

void expect_round_trip(double value) {
  uint64_t bits = std::bit_cast<uint64_t>(value);
  ParsedNumber<double> from_hex = parse_f64(hex(value)), from_decimal = parse_f64(decimal(value));
  ASSERT_TRUE(from_hex) << hex(value);
  ASSERT_TRUE(from_decimal) << decimal(value);
  EXPECT_EQ(std::bit_cast<uint64_t>(*from_hex), bits) << hex(value);
  EXPECT_EQ(std::bit_cast<uint64_t>(*from_decimal), bits) << decimal(value);
}
void expect_round_trip(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  ParsedNumber<float> from_hex = parse_f32(hex(value)), from_decimal = parse_f32(decimal(value));
  ASSERT_TRUE(from_hex) << hex(value);
  ASSERT_TRUE(from_decimal) << decimal(value);
  EXPECT_EQ(std::bit_cast<uint32_t>(*from_hex), bits) << hex(value);
  EXPECT_EQ(std::bit_cast<uint32_t>(*from_decimal), bits) << decimal(value);
}

TEST(IntegerText, Append) {
  auto text = [](auto append, auto value) {
    std::string out = "<";
    append(out, value);
    return out;
  };
  EXPECT_EQ(text(append_u64, 0u), "<0");
  EXPECT_EQ(text(append_u64, std::numeric_limits<uint64_t>::max()), "<18446744073709551615");
  EXPECT_EQ(text(append_i64, -1), "<-1");
  EXPECT_EQ(text(append_i64, std::numeric_limits<int64_t>::min()), "<-9223372036854775808");
  EXPECT_EQ(text(append_i64, std::numeric_limits<int64_t>::max()), "<9223372036854775807");
  EXPECT_EQ(text(append_hex, 0u), "<0x0");
  EXPECT_EQ(text(append_hex, 0xfeedfacecafebeefu), "<0xfeedfacecafebeef");
}

TEST(IntegerText, ParseUnsigned) {
  EXPECT_EQ(*parse_u64("0"), 0u);
  EXPECT_EQ(*parse_u64("007"), 7u);
  EXPECT_EQ(*parse_u64("18446744073709551615"), ~uint64_t{0});
  EXPECT_EQ(*parse_u64("0xFFFFffffFFFFffff"), ~uint64_t{0});
  EXPECT_EQ(*parse_u64("0x00000000000000000001"), 1u);
  EXPECT_EQ(parse_u64("18446744073709551616").status, NumberStatus::out_of_range);
  EXPECT_EQ(parse_u64("99999999999999999999").status, NumberStatus::out_of_range);
  EXPECT_EQ(parse_u64("0x10000000000000000").status, NumberStatus::out_of_range);
  for (const char* bad :
       {"", "-1", "+1", " 1", "1 ", "0x", "0xg", "a", "1a", "1.0", "1e3", "99999999999999999999x"}) {
    EXPECT_EQ(parse_u64(bad).status, NumberStatus::malformed) << bad;
  }
}

TEST(IntegerText, ParseSigned) {
  EXPECT_EQ(*parse_i64("-9223372036854775808"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(*parse_i64("9223372036854775807"), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(*parse_i64("-0x8000000000000000"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(*parse_i64("-0"), 0);
  EXPECT_EQ(parse_i64("9223372036854775808").status, NumberStatus::out_of_range);
  EXPECT_EQ(parse_i64("-9223372036854775809").status, NumberStatus::out_of_range);
  EXPECT_EQ(parse_i64("0xffffffffffffffff").status, NumberStatus::out_of_range);
  for (const char* bad : {"", "-", "--1", "- 1", "-0x"}) {
    EXPECT_EQ(parse_i64(bad).status, NumberStatus::malformed) << bad;
  }
}

TEST(IntegerText, RandomRoundTrips) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    uint64_t value = random() >> random() % 64;
    std::string unsigned_text, signed_text, hex_text;
    append_u64(unsigned_text, value);
    append_i64(signed_text, static_cast<int64_t>(value));
    append_hex(hex_text, value);
    ASSERT_EQ(unsigned_text, std::to_string(value));
    ASSERT_EQ(signed_text, std::to_string(static_cast<int64_t>(value)));
    ASSERT_EQ(*parse_u64(unsigned_text), value);
    ASSERT_EQ(*parse_i64(signed_text), static_cast<int64_t>(value));
    ASSERT_EQ(*parse_u64(hex_text), value);
  }
}

TEST(FloatText, HexForm) {
  EXPECT_EQ(hex(3.0), "0x1.8p+1");
  EXPECT_EQ(hex(1.0), "0x1p+0");
  EXPECT_EQ(hex(-0.0), "-0x0p+0");
  EXPECT_EQ(hex(0.0), "0x0p+0");
  EXPECT_EQ(hex(1.03125), "0x1.08p+0");  // a zero digit behind the point
  EXPECT_EQ(hex(0.1), "0x1.999999999999ap-4");
  EXPECT_EQ(hex(std::numeric_limits<double>::max()), "0x1.fffffffffffffp+1023");
  EXPECT_EQ(hex(std::numeric_limits<double>::denorm_min()), "0x1p-1074");
  EXPECT_EQ(hex(f64(0x000fffffffffffff)), "0x1.ffffffffffffep-1023");
  EXPECT_EQ(hex(0.1f), "0x1.99999ap-4");
  EXPECT_EQ(hex(std::numeric_limits<float>::denorm_min()), "0x1p-149");
  EXPECT_EQ(hex(std::numeric_limits<float>::max()), "0x1.fffffep+127");
}

TEST(FloatText, Words) {
  EXPECT_EQ(hex(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(decimal(-std::numeric_limits<float>::infinity()), "-inf");
  EXPECT_EQ(hex(f64(0x7ff8000000000000)), "nan:0x7ff8000000000000");
  EXPECT_EQ(decimal(f64(0xfff0000000000001)), "nan:0xfff0000000000001");
  EXPECT_EQ(hex(f32(0x7fc00000)), "nan:0x7fc00000");
  EXPECT_EQ(std::bit_cast<uint64_t>(*parse_f64("nan")), 0x7ff8000000000000u);
  EXPECT_EQ(std::bit_cast<uint64_t>(*parse_f64("-nan")), 0xfff8000000000000u);
  EXPECT_EQ(std::bit_cast<uint32_t>(*parse_f32("nan")), 0x7fc00000u);
  EXPECT_EQ(*parse_f64("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_f64("nan:0x7ff0000000000000").status, NumberStatus::malformed);  // that is infinity
  EXPECT_EQ(parse_f32("nan:0x17fc00000").status, NumberStatus::out_of_range);
  for (const char* bad :
       {"nan:", "nan:0x", "nan:5", "-nan:0x7ff8000000000000", "infinity", "INF", "nan(1)"}) {
    EXPECT_EQ(parse_f64(bad).status, NumberStatus::malformed) << bad;
  }
}

TEST(FloatText, DecimalForm) {
  EXPECT_EQ(decimal(0.1), "0.1");
  EXPECT_EQ(decimal(0.1f), "0.1");
  EXPECT_EQ(decimal(3.0), "3.0");
  EXPECT_EQ(decimal(-0.0), "-0.0");
  EXPECT_EQ(decimal(1e300), "1e+300");
  EXPECT_EQ(decimal(5e-324), "5e-324");
}

TEST(FloatText, DecimalInput) {
  EXPECT_EQ(*parse_f64("1.5"), 1.5);
  EXPECT_EQ(*parse_f64("1e-3"), 1e-3);
  EXPECT_EQ(*parse_f64("1E+3"), 1000.0);
  EXPECT_EQ(*parse_f64("-.5"), -0.5);
  EXPECT_EQ(*parse_f64("5."), 5.0);
  EXPECT_EQ(*parse_f64("42"), 42.0);
  EXPECT_TRUE(std::signbit(*parse_f64("-0")));
  // Half way between two numbers goes to the even one; a little more goes up.
  EXPECT_EQ(*parse_f64("9007199254740993"), 9007199254740992.0);
  EXPECT_EQ(*parse_f64("9007199254740993.0000000000000000000000000000000001"), 9007199254740994.0);
  // Through f64 this would be rounded twice, to 1.
  EXPECT_EQ(*parse_f32("1.00000005960464477540"), 1.00000011920928955f);
  EXPECT_EQ(*parse_f64("2.2250738585072011e-308"), f64(0x000fffffffffffff));
  for (const char* bad :
       {"", "-", ".", "e5", "1e", "1e+", "1.2.3", "1,5", " 1", "1 ", "+1", "1f", "0b1", "1e5.0"}) {
    EXPECT_EQ(parse_f64(bad).status, NumberStatus::malformed) << bad;
    EXPECT_EQ(parse_f32(bad).status, NumberStatus::malformed) << bad;
  }
}

TEST(FloatText, RangeOfDecimals) {
  EXPECT_EQ(parse_f64("1e309").status, NumberStatus::out_of_range);
  EXPECT_EQ(parse_f64("-1e99999999999999999999").status, NumberStatus::out_of_range);
  EXPECT_EQ(parse_f64("1797693134862315708145274237317043567980e270").status, NumberStatus::out_of_range);
  EXPECT_EQ(parse_f32("3.5e38").status, NumberStatus::out_of_range);
  EXPECT_EQ(*parse_f64("1e-400"), 0.0);
  EXPECT_TRUE(std::signbit(*parse_f64("-1e-400")));
  EXPECT_EQ(*parse_f64("0.00001e-99999999999999999999"), 0.0);
  EXPECT_EQ(*parse_f64("0e99999"), 0.0);
  EXPECT_EQ(*parse_f64("0." + std::string(400, '0') + "1e401"), 1.0);
  EXPECT_EQ(*parse_f64("1" + std::string(400, '0') + "e-400"), 1.0);
  EXPECT_EQ(*parse_f32("1e-46"), 0.0f);
  EXPECT_EQ(*parse_f32("1.2e-45"), std::numeric_limits<float>::denorm_min());
}

TEST(FloatText, HexInputRounds) {
  EXPECT_EQ(*parse_f64("0x10"), 16.0);
  EXPECT_EQ(*parse_f64("0x.8p1"), 1.0);
  EXPECT_EQ(*parse_f64("-0X1.8P-1"), -0.75);
  EXPECT_EQ(*parse_f64("0x1.00000000000008p0"), 1.0);  // tie to even
  EXPECT_EQ(*parse_f64("0x1.000000000000080000000001p0"), f64(0x3ff0000000000001));
  EXPECT_EQ(*parse_f64("0x1.00000000000018p0"), f64(0x3ff0000000000002));  // tie to even, up
  EXPECT_EQ(*parse_f64("0x1.fffffffffffff8p0"), 2.0);                      // carries into the exponent
  EXPECT_EQ(*parse_f64("0x0.00000000000008p-1022"), 0.0);                  // tie between 0 and the least
  EXPECT_EQ(*parse_f64("0x0.00000000000009p-1022"), f64(1));
  EXPECT_EQ(*parse_f64("0x0.fffffffffffffcp-1022"), f64(0x0010000000000000));
  EXPECT_EQ(*parse_f64("0x1p-99999"), 0.0);
  EXPECT_EQ(*parse_f64("0x0p99999"), 0.0);
  EXPECT_EQ(*parse_f64("0x100000000000000000000p-80"), 1.0);
  EXPECT_EQ(parse_f64("0x1p1024").status, NumberStatus::out_of_range);
  EXPECT_EQ(parse_f64("0x1.fffffffffffff8p1023").status, NumberStatus::out_of_range);
  EXPECT_EQ(parse_f32("0x1.ffffffp127").status, NumberStatus::out_of_range);
  EXPECT_EQ(*parse_f32("0x1.000001p0"), 1.0f);
  EXPECT_EQ(*parse_f32("0x1.0000010001p0"), f32(0x3f800001));
  for (const char* bad : {"0x", "0x.", "0xp1", "0x1p", "0x1p+", "0x1.2.3", "0x1pf", "0x1g"}) {
    EXPECT_EQ(parse_f64(bad).status, NumberStatus::malformed) << bad;
  }
}

TEST(FloatText, CornersRoundTrip) {
  for (uint64_t sign : {uint64_t{0}, uint64_t{1} << 63}) {
    for (uint64_t exponent : {0, 1, 2, 1022, 1023, 1024, 2045, 2046, 2047}) {
      for (int bit = 0; bit < 52; ++bit) {
        uint64_t mantissa = uint64_t{1} << bit;
        for (uint64_t m : {uint64_t{0}, mantissa, mantissa - 1, (uint64_t{1} << 52) - mantissa}) {
          expect_round_trip(f64(sign | exponent << 52 | (m & ((uint64_t{1} << 52) - 1))));
        }
      }
    }
  }
}

TEST(FloatText, RandomBitsRoundTrip) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100000; ++i) {
    expect_round_trip(f64(random()));
    expect_round_trip(f32(static_cast<uint32_t>(random())));
    expect_round_trip(f64(random() & 0x800fffffffffffff));  // subnormal
    expect_round_trip(f32(static_cast<uint32_t>(random()) & 0x807fffff));
    if (HasFailure()) break;
  }
}

TEST(FloatText, AgreesWithTheCLibrary) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i) {
    double value = f64(random());
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(std::strtod(hex(value).c_str(), nullptr), value);
    char text[64];
    std::snprintf(text, sizeof text, "%.*e", static_cast<int>(random() % 25), value);
    double expected = std::strtod(text, nullptr);
    if (!std::isfinite(expected)) continue;
    ASSERT_EQ(*parse_f64(text), expected) << text;
    // More hex digits than the format holds are rounded as the C library rounds them.
    std::snprintf(text, sizeof text, "0x%llx.%llxp%d", static_cast<unsigned long long>(random()),
                  static_cast<unsigned long long>(random()), static_cast<int>(random() % 2300) - 1200);
    expected = std::strtod(text, nullptr);
    if (std::isfinite(expected)) {
      ASSERT_EQ(*parse_f64(text), expected) << text;
    }
    float expected_float = std::strtof(text, nullptr);
    if (std::isfinite(expected_float)) {
      ASSERT_EQ(*parse_f32(text), expected_float) << text;
    }
  }
}

}  // namespace
}  // namespace braid
