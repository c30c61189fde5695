#include "ir/dynamic.h"

#include <bit>
#include <cmath>
#include <compare>
#include <optional>
#include <string>

#include "base/number_text.h"
#include "ir/eval_op.h"
#include "ir/number_of_string.h"

namespace braid::ir {
namespace {

using Answer = DynamicResult;

Answer integer(int64_t value) { return Answer::of(Kind::i64, static_cast<uint64_t>(value)); }
Answer real(double value) { return Answer::of(Kind::f64, arithmetic_bits(value)); }
Answer truth(bool value) { return Answer::of(Kind::i1, value); }
double as_real(uint64_t bits) { return std::bit_cast<double>(bits); }

struct Number {
  bool is_float = false;
  int64_t integer = 0;
  double real = 0;
  double as_float() const { return is_float ? real : static_cast<double>(integer); }
};

class Evaluation {
 public:
  Evaluation(const Language& language, Op op, Dynamic a, Dynamic b, DynamicStrings& strings)
      : rules_(language), op_(op), a_(a), b_(b), strings_(strings) {}

  Answer run() {
    switch (op_) {
      case Op::dyn_add:
      case Op::dyn_sub:
      case Op::dyn_mul: return arithmetic();
      case Op::dyn_div: return quotient();
      case Op::dyn_rem: return remainder();
      case Op::dyn_and:
      case Op::dyn_or:
      case Op::dyn_xor: return bitwise();
      case Op::dyn_shl:
      case Op::dyn_shr: return shift();
      case Op::dyn_not: return complement();
      case Op::dyn_concat: return concatenation();
      case Op::dyn_eq: return truth(compare(a_, b_) == 0);
      case Op::dyn_lt: return truth(compare(a_, b_) < 0);
      case Op::dyn_le: return truth(compare(a_, b_) <= 0);
      case Op::dyn_identical: return truth(is_identical());
      case Op::dyn_truth: return truth(is_true(a_));
      case Op::dyn_to_int: return integer(cast_to_integer());
      case Op::dyn_to_float: return real(cast_to_float());
      default: return to_string();
    }
  }

 private:
  std::string_view text(const Dynamic& value) const { return strings_.text(value.bits); }
  Answer made(std::string_view text) {
    uint64_t reference = strings_.make(text);
    if (reference != 0) return Answer::of(Kind::string, reference);
    Answer none_left;
    none_left.state = Answer::State::no_room;
    return none_left;
  }

  // ---- numbers ----

  /// What arithmetic takes the value for; nothing if it is no number.
  std::optional<Number> number(const Dynamic& value) const {
    if ((rules_.numbers & kind_bit(value.kind)) == 0) return std::nullopt;
    switch (value.kind) {
      case Kind::f64: return Number{true, 0, as_real(value.bits)};
      case Kind::string: {
        std::optional<StringNumber> read = leading_number(text(value));
        if (!read || rules_.string_numbers == Language::StringNumbers::none) return std::nullopt;
        if (read->trailing && rules_.string_numbers != Language::StringNumbers::leading) return std::nullopt;
        return Number{read->is_float, read->integer, read->real};
      }
      default: return Number{false, static_cast<int64_t>(value.bits), 0};
    }
  }
  /// What an operation on integers takes it for: a float in a string saturates, any other wraps.
  std::optional<int64_t> whole_number(const Dynamic& value) const {
    std::optional<Number> read = number(value);
    if (!read) return std::nullopt;
    if (!read->is_float) return read->integer;
    return value.kind == Kind::string ? saturating_integer(read->real) : wrapping_integer(read->real);
  }

  template <Op checked>
  Answer integer_result(const Number& a, const Number& b) const {
    auto bits = [](int64_t value) { return static_cast<uint64_t>(value); };
    OverflowResult result = eval_overflow<checked, 64>(bits(a.integer), bits(b.integer));
    if (!result.overflow || rules_.overflow == Language::Overflow::wraps)
      return integer(static_cast<int64_t>(result.value));
    return float_result(a.as_float(), b.as_float());
  }
  Answer float_result(double a, double b) const {
    switch (op_) {
      case Op::dyn_add: return real(a + b);
      case Op::dyn_sub: return real(a - b);
      default: return real(a * b);
    }
  }
  Answer arithmetic() const {
    std::optional<Number> a = number(a_), b = number(b_);
    if (!a || !b) return Answer::raise(ErrorKind::type);
    if (a->is_float || b->is_float) return float_result(a->as_float(), b->as_float());
    switch (op_) {
      case Op::dyn_add: return integer_result<Op::sadd_overflow>(*a, *b);
      case Op::dyn_sub: return integer_result<Op::ssub_overflow>(*a, *b);
      default: return integer_result<Op::smul_overflow>(*a, *b);
    }
  }

  Answer quotient() const {
    std::optional<Number> a = number(a_), b = number(b_);
    if (!a || !b) return Answer::raise(ErrorKind::type);
    if (b->as_float() == 0 && rules_.division_by_zero_throws) return Answer::raise(ErrorKind::zero);
    bool whole = !a->is_float && !b->is_float && rules_.division == Language::Division::exact_or_float;
    if (whole && b->integer != 0) {
      bool overflows = b->integer == -1 && a->integer == signed_min<64>;
      if (!overflows && (b->integer == -1 || a->integer % b->integer == 0)) return integer(a->integer / b->integer);
    }
    return real(a->as_float() / b->as_float());
  }

  Answer remainder() const {
    std::optional<int64_t> a = whole_number(a_), b = whole_number(b_);
    if (!a || !b) return Answer::raise(ErrorKind::type);
    if (*b == 0) return Answer::raise(ErrorKind::zero);
    return integer(*b == -1 ? 0 : *a % *b);
  }

  // ---- bits ----

  Answer bitwise() {
    if (a_.kind == Kind::string && b_.kind == Kind::string && rules_.bitwise_on_strings) return bitwise_bytes();
    std::optional<int64_t> a = whole_number(a_), b = whole_number(b_);
    if (!a || !b) return Answer::raise(ErrorKind::type);
    return integer(op_ == Op::dyn_and ? *a & *b : op_ == Op::dyn_or ? *a | *b : *a ^ *b);
  }
  /// As long as the longer one for `or`, as the shorter one otherwise.
  Answer bitwise_bytes() {
    std::string out(text(a_)), other(text(b_));
    if (out.size() < other.size()) std::swap(out, other);
    if (op_ != Op::dyn_or) out.resize(other.size());
    for (size_t i = 0; i < other.size(); ++i) {
      if (op_ == Op::dyn_and) out[i] = static_cast<char>(out[i] & other[i]);
      else if (op_ == Op::dyn_or) out[i] = static_cast<char>(out[i] | other[i]);
      else out[i] = static_cast<char>(out[i] ^ other[i]);
    }
    return made(out);
  }
  Answer shift() const {
    std::optional<int64_t> value = whole_number(a_), count = whole_number(b_);
    if (!value || !count) return Answer::raise(ErrorKind::type);
    if (*count < 0) return Answer::raise(ErrorKind::negative);
    bool left = op_ == Op::dyn_shl;
    if (*count >= 64) return integer(left || *value >= 0 ? 0 : -1);
    return integer(left ? static_cast<int64_t>(static_cast<uint64_t>(*value) << *count) : *value >> *count);
  }
  Answer complement() {
    if (a_.kind == Kind::i64) return integer(~static_cast<int64_t>(a_.bits));
    if (a_.kind == Kind::f64) return integer(~wrapping_integer(as_real(a_.bits)));
    if (a_.kind != Kind::string || !rules_.bitwise_on_strings) return Answer::raise(ErrorKind::type);
    std::string out(text(a_));
    for (char& c : out) c = static_cast<char>(~c);
    return made(out);
  }

  // ---- text ----

  void append_text(std::string& out, const Dynamic& value) const {
    switch (value.kind) {
      case Kind::null_: break;
      case Kind::i1: out += value.bits != 0 ? "1" : ""; break;
      case Kind::i64: append_i64(out, static_cast<int64_t>(value.bits)); break;
      case Kind::f64: append_float_text(out, as_real(value.bits), rules_.float_digits); break;
      default: out += text(value);
    }
  }
  static bool has_text(const Dynamic& value) { return value.kind != Kind::ref; }
  Answer concatenation() {
    if (!has_text(a_) || !has_text(b_)) return Answer::raise(ErrorKind::type);
    std::string out;
    append_text(out, a_);
    append_text(out, b_);
    return made(out);
  }
  Answer to_string() {
    if (a_.kind == Kind::string) return Answer::of(Kind::string, a_.bits);
    if (!has_text(a_)) return Answer::raise(ErrorKind::type);
    std::string out;
    append_text(out, a_);
    return made(out);
  }

  // ---- truth and casts ----

  bool is_true(const Dynamic& value) const {
    switch (value.kind) {
      case Kind::null_: return false;
      case Kind::i1:
      case Kind::i64: return value.bits != 0;
      case Kind::f64: return as_real(value.bits) != 0;
      case Kind::string: {
        std::string_view s = text(value);
        return !s.empty() && !(rules_.zero_string_is_false && s == "0");
      }
      default: return true;
    }
  }
  int64_t cast_to_integer() const {
    switch (a_.kind) {
      case Kind::f64: return wrapping_integer(as_real(a_.bits));
      case Kind::string: {
        std::optional<StringNumber> read = leading_number(text(a_));
        return !read ? 0 : read->is_float ? saturating_integer(read->real) : read->integer;
      }
      case Kind::ref: return 1;
      default: return static_cast<int64_t>(a_.bits);
    }
  }
  double cast_to_float() const {
    switch (a_.kind) {
      case Kind::f64: return as_real(a_.bits);
      case Kind::string: {
        std::optional<StringNumber> read = leading_number(text(a_));
        return read ? read->real : 0;
      }
      case Kind::ref: return 1;
      default: return static_cast<double>(static_cast<int64_t>(a_.bits));
    }
  }

  // ---- comparison ----

  bool is_identical() const {
    if (a_.kind != b_.kind) return false;
    if (a_.kind == Kind::f64) return as_real(a_.bits) == as_real(b_.bits);
    if (a_.kind == Kind::string) return text(a_) == text(b_);
    return a_.bits == b_.bits;
  }

  static std::partial_ordering reversed(std::partial_ordering order) { return 0 <=> order; }

  /// What cannot be compared is neither less nor equal.
  std::partial_ordering compare(const Dynamic& a, const Dynamic& b) const {
    auto is = [](const Dynamic& value, Kind kind) { return value.kind == kind; };
    // A truth compares with everything as a truth; so does null, but for strings.
    if (is(a, Kind::i1) || is(b, Kind::i1)) return is_true(a) <=> is_true(b);
    if (is(a, Kind::null_) && is(b, Kind::string)) return std::string_view() <=> text(b);
    if (is(a, Kind::string) && is(b, Kind::null_)) return text(a) <=> std::string_view();
    if (is(a, Kind::null_) || is(b, Kind::null_)) return is_true(a) <=> is_true(b);
    if (is(a, Kind::ref) || is(b, Kind::ref)) return compare_objects(a, b);
    if (is(a, Kind::string) && is(b, Kind::string)) return compare_strings(text(a), text(b));
    if (is(b, Kind::string)) return compare_with_string(a, text(b));
    if (is(a, Kind::string)) return reversed(compare_with_string(b, text(a)));
    return compare_numbers(*number(a), *number(b));
  }
  static std::partial_ordering compare_numbers(const Number& a, const Number& b) {
    if (!a.is_float && !b.is_float) return a.integer <=> b.integer;
    return a.as_float() <=> b.as_float();
  }
  /// An object is a 1 to numbers; it is equal to itself alone, and to no string.
  std::partial_ordering compare_objects(const Dynamic& a, const Dynamic& b) const {
    if (a.kind == b.kind) return a.bits == b.bits ? std::partial_ordering::equivalent : std::partial_ordering::unordered;
    if (a.kind == Kind::string) return std::partial_ordering::less;
    if (b.kind == Kind::string) return std::partial_ordering::greater;
    const Number one{false, 1, 0};
    return a.kind == Kind::ref ? compare_numbers(one, *number(b)) : compare_numbers(*number(a), one);
  }
  std::partial_ordering compare_with_string(const Dynamic& a, std::string_view b) const {
    std::optional<StringNumber> read = leading_number(b);
    if (read && !read->trailing && rules_.strings_compare_as_numbers)
      return compare_numbers(*number(a), {read->is_float, read->integer, read->real});
    if (a.kind == Kind::f64 && std::isnan(as_real(a.bits))) return std::partial_ordering::unordered;
    std::string shown;
    append_text(shown, a);
    return std::string_view(shown) <=> b;
  }
  std::partial_ordering compare_strings(std::string_view a, std::string_view b) const {
    if (!rules_.strings_compare_as_numbers) return a <=> b;
    std::optional<StringNumber> x = leading_number(a), y = leading_number(b);
    if (!x || !y || x->trailing || y->trailing) return a <=> b;
    if (!x->is_float && !y->is_float) return x->integer <=> y->integer;
    // An integer that fits is on this side of one that does not.
    if (!x->is_float && y->overflow != 0) return 0 <=> y->overflow;
    if (!y->is_float && x->overflow != 0) return x->overflow <=> 0;
    // Two integers too large to tell apart as floats are compared as text, and so are two infinities.
    bool same = x->is_float && y->is_float && x->real == y->real;
    if (same && ((x->overflow != 0 && x->overflow == y->overflow) || std::isinf(x->real))) return a <=> b;
    return x->real <=> y->real;
  }

  const Language& rules_;
  const Op op_;
  const Dynamic a_, b_;
  DynamicStrings& strings_;
};

}  // namespace

DynamicResult eval_dynamic(const Language& language, Op op, Dynamic a, Dynamic b, DynamicStrings& strings) {
  return Evaluation(language, op, a, b, strings).run();
}

}  // namespace braid::ir
