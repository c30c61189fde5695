#include "ir/dynamic_types.h"

#include <algorithm>
#include <optional>

#include "ir/eval_op.h"
#include "ir/int_range.h"
#include "ir/strings.h"
#include "type/int_bounds.h"

namespace braid::ir {
namespace {

constexpr KindSet open_references = (array_type | object_type | ref).bits;
constexpr KindSet whole_kinds = (null_type | i1 | i64).bits;

/// Literals are the strings of the module; a folded string becomes one.
class ModuleStrings final : public DynamicStrings {
 public:
  explicit ModuleStrings(Module& module) : module_(module) {}
  std::string_view text(uint64_t reference) const override {
    Symbol symbol = literal_symbol(module_, reference);
    return is_none(symbol) ? std::string_view() : module_.name(symbol);
  }
  uint64_t make(std::string_view text) override { return string_literal(module_.symbol(text)); }

 private:
  Module& module_;
};

class DynamicTransfer {
 public:
  DynamicTransfer(Module& module, const Language& language, Op op, Type a, Type b)
      : module_(module), types_(module.types), rules_(language), op_(op), a_(a), b_(b),
        binary_(info(op).fixed_count == 2) {}

  DynamicType run() {
    if (a_ == none || (binary_ && b_ == none)) return {none, false};
    if (folds()) return {result_, may_throw_};
    const KindSet a_kinds = dynamic_kinds(types_.kinds(a_));
    const KindSet b_kinds = binary_ ? dynamic_kinds(types_.kinds(b_)) : kind_bit(Kind::null_);
    for (KindSet x = a_kinds; x != 0; x &= x - 1)
      for (KindSet y = b_kinds; y != 0; y &= y - 1)
        add_pair(static_cast<Kind>(std::countr_zero(x)), static_cast<Kind>(std::countr_zero(y)));
    return {result_, may_throw_};
  }

 private:
  static constexpr size_t longest_folded = 256;  ///< bytes of a string; longer ones would fill the module's table

  // ---- constants ----

  std::optional<Dynamic> constant(Type type) const {
    if (std::optional<TypeConstant> known = types_.as_constant(type)) return Dynamic{known->kind, known->bits};
    if (types_.single_kind(type) != Kind::string) return std::nullopt;
    std::optional<uint32_t> symbol = types_.known_string(type);
    if (!symbol || module_.name(static_cast<Symbol>(*symbol)).size() > longest_folded) return std::nullopt;
    return Dynamic{Kind::string, string_literal(static_cast<Symbol>(*symbol))};
  }
  bool folds() {
    std::optional<Dynamic> a = constant(a_), b = binary_ ? constant(b_) : Dynamic{};
    if (!a || !b) return false;
    ModuleStrings strings(module_);
    DynamicResult answer = eval_dynamic(rules_, op_, *a, *b, strings);
    may_throw_ = answer.state == DynamicResult::State::throws;
    if (!may_throw_) result_ = type_of(answer.value);
    return true;
  }
  Type type_of(const Dynamic& value) {
    if (is_integer(value.kind)) return types_.int_constant(value.kind, static_cast<int64_t>(value.bits));
    if (is_float(value.kind)) return types_.float_constant(value.kind, value.bits);
    if (value.kind == Kind::string) return types_.string_constant(index(literal_symbol(module_, value.bits)));
    return of(value.kind);
  }

  // ---- pairs of kinds ----

  void add(Type type) { result_ = types_.join(result_, type); }
  bool is_number(Kind kind) const { return (rules_.numbers & kind_bit(kind)) != 0; }
  static bool is_whole(Kind kind) { return (whole_kinds & kind_bit(kind)) != 0; }
  /// Whether arithmetic may find that a value of the kind is no number.
  bool may_be_no_number(Kind kind) const { return !is_number(kind) || kind == Kind::string; }

  IntRange range(Type type, Kind kind) const {
    if (kind == Kind::null_) return {0, 0};
    auto [low, high] = types_.range(type, kind);
    // A kind that only comes in because references are open: nothing is known.
    return low > high ? IntRange{int_min(kind), int_max(kind)} : IntRange{low, high};
  }

  void add_pair(Kind x, Kind y) {
    switch (op_) {
      case Op::dyn_add:
      case Op::dyn_sub:
      case Op::dyn_mul:
      case Op::dyn_div: return add_arithmetic(x, y);
      case Op::dyn_rem: return add_whole(x, y);
      case Op::dyn_and:
      case Op::dyn_or:
      case Op::dyn_xor:
        if (x == Kind::string && y == Kind::string && rules_.bitwise_on_strings) return add(string_type);
        return add_whole(x, y);
      case Op::dyn_shl:
      case Op::dyn_shr: return add_whole(x, y);
      case Op::dyn_not:
        if (x == Kind::i64 || x == Kind::f64) return add(i64);
        if (x == Kind::string && rules_.bitwise_on_strings) return add(string_type);
        may_throw_ = true;
        return;
      case Op::dyn_concat:
      case Op::dyn_to_string:
        if (has_no_text(x) || has_no_text(y)) may_throw_ = true;
        else add(op_ == Op::dyn_to_string && x == Kind::string ? types_.only(a_, kind_bit(Kind::string)) : string_type);
        return;
      case Op::dyn_eq:
      case Op::dyn_lt:
      case Op::dyn_le: return add_comparison(x, y);
      case Op::dyn_identical:
        if (x != y) return add(types_.int_constant(Kind::i1, 0));
        if (x == Kind::null_) return add(types_.int_constant(Kind::i1, 1));
        return is_whole(x) ? add_int_comparison(Op::eq, x, y) : add(i1);
      case Op::dyn_truth: return add_truth(x);
      case Op::dyn_to_int:
        if (!is_whole(x)) return add(i64);
        return add(types_.int_range(Kind::i64, range(a_, x).low, range(a_, x).high));
      case Op::dyn_to_float:
        return add(x == Kind::f64 ? types_.only(a_, kind_bit(Kind::f64)) : f64);
      default: return add(Type{rules_.values});
    }
  }
  static bool has_no_text(Kind kind) { return (open_references & kind_bit(kind)) != 0; }

  void add_arithmetic(Kind x, Kind y) {
    if (may_be_no_number(x) || may_be_no_number(y)) may_throw_ = true;
    if (!is_number(x) || !is_number(y)) return;
    if (op_ == Op::dyn_div) return add_quotient(x, y);
    bool may_be_whole = x != Kind::f64 && y != Kind::f64;
    bool may_be_float = !is_whole(x) || !is_whole(y);
    if (may_be_whole && !may_be_float) return add_int_arithmetic(range(a_, x), range(b_, y));
    add(may_be_whole ? i64 | f64 : f64);
  }
  void add_int_arithmetic(IntRange a, IntRange b) {
    WideSigned low, high;
    if (op_ == Op::dyn_add) {
      low = WideSigned{a.low} + b.low;
      high = WideSigned{a.high} + b.high;
    } else if (op_ == Op::dyn_sub) {
      low = WideSigned{a.low} - b.high;
      high = WideSigned{a.high} - b.low;
    } else {
      WideSigned corners[] = {WideSigned{a.low} * b.low, WideSigned{a.low} * b.high, WideSigned{a.high} * b.low,
                              WideSigned{a.high} * b.high};
      low = *std::min_element(corners, corners + 4);
      high = *std::max_element(corners, corners + 4);
    }
    constexpr WideSigned least = int_min(Kind::i64), most = int_max(Kind::i64);
    bool overflows = low < least || high > most;
    if (overflows && rules_.overflow == Language::Overflow::wraps) return add(i64);
    if (overflows) add(f64);
    low = std::max(low, least);
    high = std::min(high, most);
    if (low <= high) add(types_.int_range(Kind::i64, static_cast<int64_t>(low), static_cast<int64_t>(high)));
  }
  void add_quotient(Kind x, Kind y) {
    bool whole = x != Kind::f64 && y != Kind::f64 && rules_.division == Language::Division::exact_or_float;
    bool may_be_zero = true, only_zero = false;
    if (is_whole(y)) {
      IntRange b = range(b_, y);
      may_be_zero = b.low <= 0 && b.high >= 0;
      only_zero = b.low == 0 && b.high == 0;
    } else if (y == Kind::f64) {
      std::optional<uint64_t> known = types_.known_float(b_, Kind::f64);
      if (known) only_zero = may_be_zero = std::bit_cast<double>(*known) == 0;
    }
    if (may_be_zero && rules_.division_by_zero_throws) may_throw_ = true;
    if (only_zero && rules_.division_by_zero_throws) return;
    add(whole ? i64 | f64 : f64);
  }
  /// Operations on integers: what is no integer becomes one.
  void add_whole(Kind x, Kind y) {
    if (may_be_no_number(x) || may_be_no_number(y)) may_throw_ = true;
    if (!is_number(x) || !is_number(y)) return;
    IntRange a = is_whole(x) ? range(a_, x) : IntRange{int_min(Kind::i64), int_max(Kind::i64)};
    IntRange b = is_whole(y) ? range(b_, y) : IntRange{int_min(Kind::i64), int_max(Kind::i64)};
    if (op_ == Op::dyn_rem) {
      if (b.low <= 0 && b.high >= 0) may_throw_ = true;
      if (b.low == 0 && b.high == 0) return;
      return add_range(Op::srem, a, b);
    }
    if (op_ == Op::dyn_shl || op_ == Op::dyn_shr) {
      if (b.low < 0) may_throw_ = true;
      if (b.high < 0) return;
      if (b.high > 63 || b.low < 0) return add(i64);
      return add_range(op_ == Op::dyn_shl ? Op::shl : Op::ashr, a, b);
    }
    add_range(op_ == Op::dyn_and ? Op::and_ : op_ == Op::dyn_or ? Op::or_ : Op::xor_, a, b);
  }
  void add_range(Op op, IntRange a, IntRange b) {
    IntRange answer = range_of(op, Kind::i64, a, b);
    add(types_.int_range(Kind::i64, answer.low, answer.high));
  }

  // ---- comparison and truth ----

  void add_comparison(Kind x, Kind y) {
    if (x == Kind::null_ && y == Kind::null_) return add(types_.int_constant(Kind::i1, op_ != Op::dyn_lt));
    if (x == Kind::i64 && y == Kind::i64)
      return add_int_comparison(op_ == Op::dyn_eq ? Op::eq : op_ == Op::dyn_lt ? Op::slt : Op::sle, x, y);
    add(i1);
  }
  void add_int_comparison(Op op, Kind x, Kind y) {
    IntRange answer = range_of(op, Kind::i64, range(a_, x), range(b_, y));
    add(types_.int_range(Kind::i1, answer.low, answer.high));
  }
  void add_truth(Kind x) {
    if (x == Kind::f64 && types_.known_float(a_, x))
      return add(types_.int_constant(Kind::i1, std::bit_cast<double>(*types_.known_float(a_, x)) != 0));
    if (has_no_text(x)) return add(types_.int_constant(Kind::i1, 1));
    if (!is_whole(x)) return add(i1);
    IntRange a = range(a_, x);
    if (a.low == 0 && a.high == 0) return add(types_.int_constant(Kind::i1, 0));
    add(a.low > 0 || a.high < 0 ? types_.int_constant(Kind::i1, 1) : i1);
  }

  Module& module_;
  TypeTable& types_;
  const Language& rules_;
  const Op op_;
  const Type a_, b_;
  const bool binary_;
  Type result_ = none;
  bool may_throw_ = false;
};

}  // namespace

KindSet dynamic_kinds(KindSet kinds) {
  return (kinds & open_references) == 0 ? kinds : kinds | open_references | (null_type | string_type).bits;
}

DynamicType dynamic_type(Module& module, const Language& language, Op op, Type a, Type b) {
  return DynamicTransfer(module, language, op, a, b).run();
}

KindSet dynamic_results(const Language& language, Op op) {
  switch (op) {
    case Op::dyn_add:
    case Op::dyn_sub:
    case Op::dyn_mul:
    case Op::dyn_div: return (i64 | f64).bits;
    case Op::dyn_and:
    case Op::dyn_or:
    case Op::dyn_xor:
    case Op::dyn_not: return language.bitwise_on_strings ? (i64 | string_type).bits : i64.bits;
    case Op::dyn_rem:
    case Op::dyn_shl:
    case Op::dyn_shr:
    case Op::dyn_to_int: return i64.bits;
    case Op::dyn_to_float: return f64.bits;
    case Op::dyn_concat:
    case Op::dyn_to_string: return string_type.bits;
    default: return i1.bits;
  }
}

Type kind_test_type(TypeTable& types, Type value, KindSet tested) {
  KindSet kinds = dynamic_kinds(types.kinds(value));
  if ((kinds & tested) == 0) return types.int_constant(Kind::i1, 0);
  return (kinds & ~tested) == 0 ? types.int_constant(Kind::i1, 1) : i1;
}

}  // namespace braid::ir
