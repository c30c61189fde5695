// Dynamic operations: against what PHP says of every operation on pairs of awkward values (tests/php), and the types of
// dynamic operations against their evaluation: sound, monotone, exact on constants, and right about throwing.
#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <fstream>
#include <map>
#include <sstream>

#include "ir/dynamic.h"
#include "ir/dynamic_types.h"
#include "ir/number_of_string.h"
#include "ir/strings.h"
#include "type/type_text.h"

namespace braid::ir {
namespace {

class Strings final : public DynamicStrings {
 public:
  explicit Strings(Module& module) : module_(module) {}
  std::string_view text(uint64_t reference) const override { return module_.name(literal_symbol(module_, reference)); }
  uint64_t make(std::string_view text) override { return string_literal(module_.symbol(text)); }

 private:
  Module& module_;
};

std::string unhex(std::string_view digits) {
  std::string out;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned byte = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    out += static_cast<char>(byte);
  }
  return out;
}

class DynamicTest : public testing::Test {
 protected:
  Dynamic value(std::string_view shown) {
    if (shown == "null") return {};
    if (shown == "true" || shown == "false") return {Kind::i1, shown == "true"};
    std::string_view rest = shown.substr(1);
    if (shown[0] == 's') return {Kind::string, string_literal(m.symbol(unhex(rest)))};
    if (shown[0] == 'i') {
      int64_t number = 0;
      std::from_chars(rest.data(), rest.data() + rest.size(), number);
      return {Kind::i64, static_cast<uint64_t>(number)};
    }
    uint64_t bits = 0;
    std::from_chars(rest.data(), rest.data() + rest.size(), bits, 16);
    return {Kind::f64, bits};
  }
  std::string shown(const DynamicResult& result) {
    if (result.state == DynamicResult::State::throws) return "!" + std::string(error_name(result.error));
    std::ostringstream out;
    switch (result.value.kind) {
      case Kind::null_: return "null";
      case Kind::i1: return result.value.bits != 0 ? "true" : "false";
      case Kind::i64: return "i" + std::to_string(static_cast<int64_t>(result.value.bits));
      case Kind::f64: {
        char buffer[32];
        snprintf(buffer, sizeof buffer, "f%016llx", static_cast<unsigned long long>(result.value.bits));
        return buffer;
      }
      default:
        out << 's';
        for (char c : strings.text(result.value.bits)) {
          char buffer[4];
          snprintf(buffer, sizeof buffer, "%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
          out << buffer;
        }
        return out.str();
    }
  }
  Type type_of(const Dynamic& v) {
    if (v.kind == Kind::f64) return m.types.float_constant(v.kind, v.bits);
    if (v.kind == Kind::string) return m.types.string_constant(index(literal_symbol(m, v.bits)));
    if (v.kind == Kind::null_) return null_type;
    return m.types.int_constant(v.kind, static_cast<int64_t>(v.bits));
  }
  DynamicResult eval(Op op, Dynamic a, Dynamic b = {}) { return eval_dynamic(php, op, a, b, strings); }

  static constexpr uint32_t value_count = 30;  ///< of the table
  /// The values of the table, and calls `check(op, a, b, what PHP says)`.
  template <typename F>
  void for_each_row(F&& check) {
    std::ifstream file(BRAID_SOURCE_DIR "/tests/php/dynamic_table.txt");
    ASSERT_TRUE(file.is_open());
    std::string line, word;
    std::vector<std::string> values;
    while (std::getline(file, line)) {
      std::istringstream words(line);
      std::string name, first;
      words >> name;
      if (name == "values") {
        while (words >> word) values.push_back(word);
        continue;
      }
      words >> first;
      std::optional<Op> op = find_op(name);
      ASSERT_TRUE(op) << name;
      for (size_t i = 0; words >> word; ++i) {
        ASSERT_LT(i, values.size());
        if (first == "-") check(*op, values[i], std::string("null"), word);
        else check(*op, first, values[i], word);
      }
    }
    ASSERT_EQ(values.size(), size_t{value_count});
  }

  Module m;
  Strings strings{m};
  const Language& php = *language(LanguageId::php);
};

TEST_F(DynamicTest, AgreesWithPhp) {
  uint32_t count = 0, throwing = 0, strings_made = 0;
  for_each_row([&](Op op, const std::string& a, const std::string& b, const std::string& expected) {
    std::string got = shown(eval(op, value(a), value(b)));
    EXPECT_EQ(got, expected) << info(op).text << " " << a << " " << b;
    ++count;
    throwing += expected[0] == '!';
    strings_made += expected[0] == 's';
  });
  EXPECT_EQ(count, 15 * value_count * value_count + 5 * value_count);
  EXPECT_GT(throwing, 1000u);
  EXPECT_GT(strings_made, 700u);
}

TEST_F(DynamicTest, TypesOfConstantsAreWhatEvaluationGives) {
  for_each_row([&](Op op, const std::string& a, const std::string& b, const std::string&) {
    DynamicResult result = eval(op, value(a), value(b));
    DynamicType type = dynamic_type(m, php, op, type_of(value(a)), type_of(value(b)));
    bool throws = result.state == DynamicResult::State::throws;
    EXPECT_EQ(type.may_throw, throws) << info(op).text << " " << a << " " << b;
    EXPECT_EQ(type.result, throws ? none : type_of(result.value)) << info(op).text << " " << a << " " << b;
  });
}

/// Wider operands: every result of a value in them must be in the type, every error announced, and the type only grow.
TEST_F(DynamicTest, TypesAreSoundAndMonotone) {
  auto widened = [&](const Dynamic& v, int how) {
    Type own = type_of(v);
    switch (how) {
      case 0: return m.types.widen(own, v.kind == Kind::i64 ? m.types.int_range(Kind::i64, -8, 70) : own);
      case 1: return of(v.kind);
      case 2: return m.types.join(own, m.types.join(i64, null_type));
      case 3: return m.types.join(own, f64);
      default: return Type{php.values};
    }
  };
  uint32_t exact = 0, cannot_throw = 0;
  for_each_row([&](Op op, const std::string& a, const std::string& b, const std::string&) {
    DynamicResult result = eval(op, value(a), value(b));
    DynamicType narrow = dynamic_type(m, php, op, type_of(value(a)), type_of(value(b)));
    for (int how = 0; how < 5; ++how) {
      for (int other : {how, 4 - how}) {
        DynamicType wide = dynamic_type(m, php, op, widened(value(a), how), widened(value(b), other));
        if (result.state == DynamicResult::State::throws) {
          EXPECT_TRUE(wide.may_throw) << info(op).text << " " << a << " " << b << " " << how;
        } else {
          EXPECT_TRUE(m.types.leq(type_of(result.value), wide.result))
              << info(op).text << " " << a << " " << b << " " << how << ": " << to_string(m.types, wide.result);
        }
        EXPECT_TRUE(m.types.leq(narrow.result, wide.result)) << info(op).text << " " << a << " " << b << " " << how;
        EXPECT_TRUE(m.types.leq(wide.result, Type{dynamic_results(php, op)}));
        exact += wide.result == narrow.result;
        cannot_throw += !wide.may_throw;
      }
    }
  });
  EXPECT_GT(exact, 1000u);
  EXPECT_GT(cannot_throw, 10000u);
}

TEST_F(DynamicTest, RangesDecideWhetherASumIsAnInteger) {
  auto range = [&](int64_t low, int64_t high) { return m.types.int_range(Kind::i64, low, high); };
  auto of_op = [&](Op op, Type a, Type b) { return dynamic_type(m, php, op, a, b); };
  EXPECT_EQ(of_op(Op::dyn_add, range(0, 10), range(-3, 5)).result, range(-3, 15));
  EXPECT_EQ(of_op(Op::dyn_add, i64, range(0, 1)).result, m.types.join(i64, f64));
  EXPECT_EQ(of_op(Op::dyn_sub, range(0, INT64_MAX), range(0, INT64_MAX)).result, range(-INT64_MAX, INT64_MAX));
  EXPECT_EQ(of_op(Op::dyn_mul, range(-10, 10), range(-7, 3)).result, range(-70, 70));
  EXPECT_EQ(of_op(Op::dyn_mul, range(INT64_MAX, INT64_MAX), range(2, 3)).result, f64) << "always too large";
  EXPECT_EQ(of_op(Op::dyn_add, i1, null_type).result, range(0, 1));
  EXPECT_TRUE(of_op(Op::dyn_div, i64, range(-1, 5)).may_throw);
  EXPECT_FALSE(of_op(Op::dyn_div, i64, range(1, 5)).may_throw);
  EXPECT_EQ(of_op(Op::dyn_div, i64, range(0, 0)).result, none);
  EXPECT_EQ(of_op(Op::dyn_rem, range(0, 100), range(7, 7)).result, range(0, 6));
  EXPECT_FALSE(of_op(Op::dyn_shl, i64, range(0, 63)).may_throw);
  EXPECT_TRUE(of_op(Op::dyn_shl, i64, i64).may_throw);
  EXPECT_EQ(of_op(Op::dyn_lt, range(0, 5), range(6, 9)).result, m.types.int_constant(Kind::i1, 1));
  EXPECT_EQ(of_op(Op::dyn_identical, i64, string_type).result, m.types.int_constant(Kind::i1, 0));
  EXPECT_EQ(of_op(Op::dyn_truth, range(1, 9), none).result, m.types.int_constant(Kind::i1, 1));
  EXPECT_EQ(of_op(Op::dyn_add, none, i64).result, none);
  EXPECT_TRUE(of_op(Op::dyn_add, ref, i64).may_throw);
  EXPECT_TRUE(of_op(Op::dyn_add, string_type, i64).may_throw);
}

TEST_F(DynamicTest, ReferencesAreOpen) {
  EXPECT_EQ(kind_test_type(m.types, i64, i64.bits), m.types.int_constant(Kind::i1, 1));
  EXPECT_EQ(kind_test_type(m.types, i64, string_type.bits), m.types.int_constant(Kind::i1, 0));
  EXPECT_EQ(kind_test_type(m.types, i64 | null_type, null_type.bits), i1);
  EXPECT_EQ(kind_test_type(m.types, ref, null_type.bits), i1) << "a reference may be null";
  EXPECT_EQ(kind_test_type(m.types, ref, i64.bits), m.types.int_constant(Kind::i1, 0));
  Dynamic object{Kind::ref, 77}, number{Kind::i64, 1};
  EXPECT_EQ(shown(eval(Op::dyn_add, object, number)), "!type");
  EXPECT_EQ(shown(eval(Op::dyn_concat, object, number)), "!type");
  EXPECT_EQ(shown(eval(Op::dyn_truth, object)), "true");
  EXPECT_EQ(shown(eval(Op::dyn_eq, object, object)), "true");
  EXPECT_EQ(shown(eval(Op::dyn_eq, object, Dynamic{Kind::ref, 78})), "false");
  EXPECT_EQ(shown(eval(Op::dyn_eq, object, number)), "true") << "an object is a 1 to numbers";
}

TEST(NumberOfString, FloatTextHasTheDigitsThatAreAsked) {
  auto text = [](double value, int digits = 14) {
    std::string out;
    append_float_text(out, value, digits);
    return out;
  };
  EXPECT_EQ(text(0.1 + 0.2), "0.3");
  EXPECT_EQ(text(0.1 + 0.2, 17), "0.30000000000000004");
  EXPECT_EQ(text(1e14), "1.0E+14");
  EXPECT_EQ(text(99999999999999.0), "99999999999999");
  EXPECT_EQ(text(0.0001), "0.0001");
  EXPECT_EQ(text(0.00001234), "1.234E-5");
  EXPECT_EQ(text(-1e-300), "-1.0E-300");
  EXPECT_EQ(text(1.5e100), "1.5E+100");
}

}  // namespace
}  // namespace braid::ir
