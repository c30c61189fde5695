#include "smt.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace braid::rulec {
namespace {

using ir::Op;
using ir::TypeRule;

std::string sort_of(SmtKind kind) { return "(_ BitVec " + std::to_string(kind.width) + ")"; }
std::string name_of(SmtKind kind) { return (kind.is_float ? "f" : "i") + std::to_string(kind.width); }

/// `(op a b)`
std::string call(const std::string& op, std::initializer_list<std::string> inputs) {
  std::string text = "(" + op;
  for (const std::string& input : inputs) text += " " + input;
  return text + ")";
}
std::string flag(const std::string& condition) { return "(ite " + condition + " #b1 #b0)"; }
std::string indexed(const std::string& name, uint32_t a) {
  return "(_ " + name + " " + std::to_string(a) + ")";
}
std::string extract(uint32_t high, uint32_t low, const std::string& of) {
  return "((_ extract " + std::to_string(high) + " " + std::to_string(low) + ") " + of + ")";
}

// ---- integers ----

/// The number of the first one bit from one end, counted from that end; the width if there is none.
std::string first_one(uint32_t width, bool from_top) {
  std::string text = smt_bits(width, width);
  for (uint32_t i = width; i-- > 0;) {
    uint32_t bit = from_top ? width - 1 - i : i;
    text = "(ite (= " + extract(bit, bit, "a") + " #b1) " + smt_bits(width, i) + " " + text + ")";
  }
  return text;
}
/// Sums of halves, none of which can overflow.
std::string bit_count(uint32_t low, uint32_t count) {
  if (count == 1) return extract(low, low, "a");
  const uint32_t half = count / 2;
  return "(let ((l " + bit_count(low, half) + ") (h " + bit_count(low + half, half) +
         ")) (bvadd (concat #b0 l) (concat #b0 h)))";
}
/// Bit by bit.
std::string bit_sum(uint32_t width) {
  std::string text;
  for (uint32_t i = 0; i < width; ++i) {
    std::string bit = "(" + indexed("zero_extend", width - 1) + " " + extract(i, i, "a") + ")";
    text = text.empty() ? bit : call("bvadd", {text, bit});
  }
  return text;
}
std::string bytes_turned(uint32_t width) {
  if (width <= 8) return "a";
  std::string text = "(concat";
  for (uint32_t low = 0; low < width; low += 8) text += " " + extract(low + 7, low, "a");
  return text + ")";
}
std::string upper_half(const std::string& extension, uint32_t width) {
  std::string extend = indexed(extension, width);
  return extract(2 * width - 1, width, call("bvmul", {call(extend, {"a"}), call(extend, {"b"})}));
}

std::optional<std::string> int_binary(Op op, uint32_t width) {
  const std::string zero = smt_bits(width, 0);
  const std::string count = call("bvand", {"b", smt_bits(width, width - 1)});
  const std::string rest = call("bvand", {"(bvneg b)", smt_bits(width, width - 1)});
  auto unless_zero = [&](const char* divide) {
    return call("ite", {call("=", {"b", zero}), zero, call(divide, {"a", "b"})});
  };
  auto choose = [&](const char* less, const char* yes, const char* no) {
    return call("ite", {call(less, {"a", "b"}), yes, no});
  };
  switch (op) {
    case Op::add: return "(bvadd a b)";
    case Op::sub: return "(bvsub a b)";
    case Op::mul: return "(bvmul a b)";
    case Op::sdiv: return unless_zero("bvsdiv");
    case Op::udiv: return unless_zero("bvudiv");
    case Op::srem: return unless_zero("bvsrem");
    case Op::urem: return unless_zero("bvurem");
    case Op::smulh: return upper_half("sign_extend", width);
    case Op::umulh: return upper_half("zero_extend", width);
    case Op::and_: return "(bvand a b)";
    case Op::or_: return "(bvor a b)";
    case Op::xor_: return "(bvxor a b)";
    case Op::shl: return call("bvshl", {"a", count});
    case Op::lshr: return call("bvlshr", {"a", count});
    case Op::ashr: return call("bvashr", {"a", count});
    case Op::rotl: return call("bvor", {call("bvshl", {"a", count}), call("bvlshr", {"a", rest})});
    case Op::rotr: return call("bvor", {call("bvlshr", {"a", count}), call("bvshl", {"a", rest})});
    case Op::smin: return choose("bvslt", "a", "b");
    case Op::smax: return choose("bvslt", "b", "a");
    case Op::umin: return choose("bvult", "a", "b");
    case Op::umax: return choose("bvult", "b", "a");
    default: return std::nullopt;
  }
}
std::optional<std::string> int_unary(Op op, uint32_t width) {
  switch (op) {
    case Op::neg: return "(bvneg a)";
    case Op::not_: return "(bvnot a)";
    case Op::clz: return first_one(width, true);
    case Op::ctz: return first_one(width, false);
    case Op::popcount:
      if (width == 1) return "a";
      return call(indexed("zero_extend", width - static_cast<uint32_t>(std::bit_width(width))),
                  {bit_count(0, width)});
    case Op::bswap: return bytes_turned(width);
    default: return std::nullopt;
  }
}
std::optional<std::string> compare(Op op) {
  switch (op) {
    case Op::eq: return flag("(= a b)");
    case Op::ne: return flag("(not (= a b))");
    case Op::slt: return flag("(bvslt a b)");
    case Op::sle: return flag("(bvsle a b)");
    case Op::sgt: return flag("(bvsgt a b)");
    case Op::sge: return flag("(bvsge a b)");
    case Op::ult: return flag("(bvult a b)");
    case Op::ule: return flag("(bvule a b)");
    case Op::ugt: return flag("(bvugt a b)");
    case Op::uge: return flag("(bvuge a b)");
    default: return std::nullopt;
  }
}
/// The exact result, in twice the width, is that of the narrow operation extended; or it is not.
std::optional<std::string> overflow(Op op, uint32_t width, uint32_t field) {
  const bool is_signed = op == Op::sadd_overflow || op == Op::ssub_overflow || op == Op::smul_overflow;
  const char* name = op == Op::sadd_overflow || op == Op::uadd_overflow   ? "bvadd"
                     : op == Op::ssub_overflow || op == Op::usub_overflow ? "bvsub"
                                                                          : "bvmul";
  const std::string narrow = call(name, {"a", "b"});
  if (field == 0) return narrow;
  std::string extend = indexed(is_signed ? "sign_extend" : "zero_extend", width);
  std::string wide = call(name, {call(extend, {"a"}), call(extend, {"b"})});
  return flag("(not (= " + wide + " " + call(extend, {narrow}) + "))");
}

// ---- floats ----

struct Format {
  uint32_t exponent, significand;
};
Format format_of(uint32_t width) {
  if (width == 8) return {4, 4};
  return width == 32 ? Format{8, 24} : Format{11, 53};
}
std::string as_float(uint32_t width, const std::string& bits) {
  Format f = format_of(width);
  return "((_ to_fp " + std::to_string(f.exponent) + " " + std::to_string(f.significand) + ") " + bits + ")";
}
uint64_t canonical_nan(uint32_t width) {
  Format f = format_of(width);
  return ((uint64_t{1} << f.exponent) - 1) << (f.significand - 1) | uint64_t{1} << (f.significand - 2);
}
std::string arithmetic(uint32_t width, const std::string& value) {
  return "(let ((r " + value + ")) (ite (fp.isNaN r) " + smt_bits(width, canonical_nan(width)) +
         " (fp.to_ieee_bv r)))";
}
std::optional<std::string> float_binary(Op op, uint32_t width) {
  const std::string x = as_float(width, "a"), y = as_float(width, "b");
  const std::string sign = smt_bits(width, uint64_t{1} << (width - 1)),
                    rest = smt_bits(width, (uint64_t{1} << (width - 1)) - 1);
  auto rounded = [&](const char* name) { return arithmetic(width, call(name, {"RNE", x, y})); };
  auto extreme = [&](const char* less, const char* if_equal) {
    std::string is_nan = "(or (fp.isNaN " + x + ") (fp.isNaN " + y + "))";
    std::string by_sign = call("ite", {call("=", {call("bvand", {"a", sign}), if_equal}), "a", "b"});
    std::string by_value = call("ite", {call(less, {x, y}), "a", "b"});
    return call("ite", {is_nan, smt_bits(width, canonical_nan(width)),
                        call("ite", {call("fp.eq", {x, y}), by_sign, by_value})});
  };
  switch (op) {
    case Op::fadd: return rounded("fp.add");
    case Op::fsub:  // IEEE 754: x - y is x + (-y)
      return arithmetic(width, call("fp.add", {"RNE", x, as_float(width, call("bvxor", {"b", sign}))}));
    case Op::fmul: return rounded("fp.mul");
    case Op::fdiv: return rounded("fp.div");
    case Op::fmin: return extreme("fp.lt", sign.c_str());
    case Op::fmax: return extreme("fp.gt", smt_bits(width, 0).c_str());
    case Op::fcopysign: return call("bvor", {call("bvand", {"a", rest}), call("bvand", {"b", sign})});
    default: return std::nullopt;
  }
}
std::optional<std::string> float_unary(Op op, uint32_t width) {
  const std::string x = as_float(width, "a");
  auto integral = [&](const char* mode) { return arithmetic(width, call("fp.roundToIntegral", {mode, x})); };
  switch (op) {
    case Op::fneg: return call("bvxor", {"a", smt_bits(width, uint64_t{1} << (width - 1))});
    case Op::fabs: return call("bvand", {"a", smt_bits(width, (uint64_t{1} << (width - 1)) - 1)});
    case Op::fsqrt: return arithmetic(width, call("fp.sqrt", {"RNE", x}));
    case Op::ffloor: return integral("RTN");
    case Op::fceil: return integral("RTP");
    case Op::ftrunc: return integral("RTZ");
    case Op::fround: return integral("RNE");
    default: return std::nullopt;
  }
}
std::optional<std::string> float_compare(Op op, uint32_t width) {
  const std::string x = as_float(width, "a"), y = as_float(width, "b");
  switch (op) {
    case Op::feq: return flag(call("fp.eq", {x, y}));
    case Op::fne: return flag("(not " + call("fp.eq", {x, y}) + ")");
    case Op::flt: return flag(call("fp.lt", {x, y}));
    case Op::fle: return flag(call("fp.leq", {x, y}));
    case Op::fgt: return flag(call("fp.gt", {x, y}));
    case Op::fge: return flag(call("fp.geq", {x, y}));
    default: return std::nullopt;
  }
}

// ---- other forms ----

/// Functions that the solver knows nothing about, and what they stand for.
struct Unknown {
  const char *name, *meaning;
};
constexpr Unknown quotient{"quotient", "bvudiv"}, rest{"rest", "bvurem"},
    signed_quotient{"signed_quotient", "bvsdiv"};

std::string unknown(const Unknown& function, uint32_t width, bool known) {
  const std::string sort = sort_of({width, false}),
                    name = std::string(function.name) + ".i" + std::to_string(width);
  if (!known) return "(declare-fun " + name + " (" + sort + " " + sort + ") " + sort + ")\n";
  return "(define-fun " + name + " ((a " + sort + ") (b " + sort + ")) " + sort + " (" + function.meaning +
         " a b))\n";
}

struct Formed {
  const Unknown* function = nullptr;
  std::string body;
};

/// What a shift, a rest, a rotation or a count has to do with sums, products and constants.
std::optional<Formed> as_algebra(Op op, uint32_t width) {
  const std::string zero = smt_bits(width, 0), i = ".i" + std::to_string(width);
  const std::string count = call("bvand", {"b", smt_bits(width, width - 1)});
  auto unless_zero = [&](const std::string& value) {
    return call("ite", {"(= b " + zero + ")", zero, value});
  };
  auto left = [&](const Unknown& function) {
    return unless_zero("(bvsub a (bvmul (" + (function.name + i) + " a b) b))");
  };
  switch (op) {
    case Op::shl: return Formed{nullptr, call("bvmul", {"a", call("bvshl", {smt_bits(width, 1), count})})};
    case Op::udiv: return Formed{&quotient, unless_zero("(" + (quotient.name + i) + " a b)")};
    case Op::urem: return Formed{&quotient, left(quotient)};
    case Op::sdiv: return Formed{&signed_quotient, unless_zero("(" + (signed_quotient.name + i) + " a b)")};
    case Op::srem: return Formed{&signed_quotient, left(signed_quotient)};
    case Op::popcount: return Formed{nullptr, bit_sum(width)};
    case Op::rotl: return Formed{nullptr, call("ext_rotate_left", {"a", count})};
    case Op::rotr: return Formed{nullptr, call("ext_rotate_right", {"a", count})};
    default: return std::nullopt;
  }
}
/// A quotient is 0 if a < b, otherwise from 1 to a; a rest is less than b.
std::optional<Formed> of_magnitudes(Op op, uint32_t width) {
  const std::string zero = smt_bits(width, 0), i = ".i" + std::to_string(width);
  auto bounded = [&](bool is_quotient, const std::string& a, const std::string& b) {
    const std::string value = "(" + ((is_quotient ? quotient.name : rest.name) + i) + " a b)";
    const std::string fits = is_quotient ? "(and (not (= c " + zero + ")) (bvule c a))" : "(bvult c b)";
    return "(let ((a " + a + ") (b " + b + ")) (ite (= b " + zero + ") " + zero + " (ite (bvult a b) " +
           (is_quotient ? zero : "a") + " (let ((c " + value + ")) (ite " + fits + " c " +
           (is_quotient ? "a" : zero) + ")))))";
  };
  auto is_negative = [&](const char* x) { return call("bvslt", {x, zero}); };
  auto magnitude = [&](const char* x) {
    return call("ite", {is_negative(x), std::string("(bvneg ") + x + ")", x});
  };
  auto with_sign = [&](bool is_quotient, const std::string& sign) {
    return "(let ((m " + bounded(is_quotient, magnitude("a"), magnitude("b")) + ")) (ite " + sign +
           " (bvneg m) m))";
  };
  switch (op) {
    case Op::udiv: return Formed{&quotient, bounded(true, "a", "b")};
    case Op::urem: return Formed{&rest, bounded(false, "a", "b")};
    case Op::sdiv:
      return Formed{&quotient, with_sign(true, call("xor", {is_negative("a"), is_negative("b")}))};
    case Op::srem: return Formed{&rest, with_sign(false, is_negative("a"))};
    default: return std::nullopt;
  }
}

std::string function(const std::string& name, uint32_t count, Op op, SmtKind from, SmtKind to,
                     const std::string& text) {
  std::string parameters;
  for (uint32_t i = 0; i < count; ++i) {
    SmtKind kind = op == Op::select && i == 0 ? SmtKind{1, false} : from;
    parameters +=
        std::string(i == 0 ? "" : " ") + "(" + static_cast<char>('a' + i) + " " + sort_of(kind) + ")";
  }
  return "(define-fun " + name + " (" + parameters + ") " + sort_of(to) + " " + text + ")\n";
}

std::optional<std::string> body(Op op, SmtKind from, SmtKind to, uint32_t field) {
  switch (ir::info(op).rule) {
    case TypeRule::int_binary: return int_binary(op, from.width);
    case TypeRule::int_unary: return int_unary(op, from.width);
    case TypeRule::equality:
    case TypeRule::signed_compare:
    case TypeRule::unsigned_compare: return compare(op);
    case TypeRule::overflow: return overflow(op, from.width, field);
    case TypeRule::float_binary: return float_binary(op, from.width);
    case TypeRule::float_unary: return float_unary(op, from.width);
    case TypeRule::float_compare: return float_compare(op, from.width);
    case TypeRule::int_narrow: return extract(to.width - 1, 0, "a");
    case TypeRule::int_extend:
      return call(indexed(op == Op::zext ? "zero_extend" : "sign_extend", to.width - from.width), {"a"});
    case TypeRule::bitcast:
    case TypeRule::ptr_to_int:
    case TypeRule::int_to_ptr: return "a";
    case TypeRule::select: return "(ite (= a #b1) b c)";
    case TypeRule::ptr_add: return op == Op::ptr_index ? "(bvadd a (bvmul b c))" : "(bvadd a b)";
    case TypeRule::ptr_diff: return "(bvsub a b)";
    default: return std::nullopt;
  }
}

// ---- rules ----

class Query {
 public:
  Query(const Rule& rule, const Kinds& kinds, FloatFormat format, Form form,
        std::vector<std::string>& definitions)
      : rule_(rule), kinds_(kinds), format_(format), form_(form), definitions_(definitions) {}

  std::string run() {
    std::string claim = "(= " + term(rule_.pattern) + " " + term(rule_.result) + ")";
    if (rule_.elements[index(rule_[rule_.pattern].type)] != no_class)
      claim = "(and " + field_equal(0) + " " + field_equal(1) + ")";
    for (auto& [less, more] : rule_.decreasing)
      claim = "(and " + claim + " (bvult " + term(less) + " " + term(more) + "))";
    std::string text = declarations_;
    if (rule_.condition != no_node) {
      std::string condition = term(rule_.condition);
      text = declarations_ + "(assert (= " + condition + " #b1))\n";
    }
    return text + "(assert (not " + claim + "))\n";
  }

 private:
  SmtKind kind(ClassId type) const {
    SmtKind full = smt_kind(kinds_[index(type)]);
    return full.is_float && format_ == FloatFormat::narrow ? smt_f8 : full;
  }
  std::string field_equal(uint32_t field) {
    return "(= " + applied(rule_.pattern, field) + " " + applied(rule_.result, field) + ")";
  }

  std::string term(NodeId id) {
    const Node& node = rule_[id];
    const SmtKind own = kind(node.type);
    switch (node.kind) {
      case NodeKind::value:
      case NodeKind::constant: return variable(node, own);
      case NodeKind::integer: return smt_bits(own.width, static_cast<uint64_t>(node.integer));
      case NodeKind::real: return smt_bits(own.width, real_bits(own.width, node.real));
      case NodeKind::width: {
        SmtKind of = node.inputs.empty() ? own : kind(rule_[node.inputs[0]].type);
        return smt_bits(own.width, of.width);
      }
      case NodeKind::minimum: return smt_bits(own.width, uint64_t{1} << (own.width - 1));
      case NodeKind::maximum: return smt_bits(own.width, (uint64_t{1} << (own.width - 1)) - 1);
      case NodeKind::inverse: return inverse(term(node.inputs[0]), own.width);
      case NodeKind::narrower:
        return kind(rule_[node.inputs[0]].type).width < kind(rule_[node.inputs[1]].type).width ? "#b1"
                                                                                               : "#b0";
      case NodeKind::same_type:
        return kinds_[index(rule_[node.inputs[0]].type)] == kinds_[index(rule_[node.inputs[1]].type)] ? "#b1"
                                                                                                      : "#b0";
      case NodeKind::computed: {
        std::string x = term(node.inputs[0]);
        uint32_t width = kind(rule_[node.inputs[0]].type).width;
        return flag("(or (not (fp.isNaN " + as_float(width, x) + ")) (= " + x + " " +
                    smt_bits(width, canonical_nan(width)) + "))");
      }
      case NodeKind::op: return applied(id, 0);
    }
    return {};
  }
  std::string applied(NodeId id, uint32_t field) {
    const Node& node = rule_[id];
    if (node.op == Op::extract)
      return applied(node.inputs[0], static_cast<uint32_t>(rule_[node.inputs[1]].integer));
    // Of a select, the kind is that of what it chooses.
    SmtKind from = kind(rule_[node.inputs[node.op == Op::select ? 1 : 0]].type);
    SmtKind to = rule_.elements[index(node.type)] != no_class ? from : kind(node.type);
    std::vector<std::string> definitions = smt_definitions_in(form_, node.op, from);
    if (definitions.empty())
      if (auto plain = smt_definition(node.op, from, to, field)) definitions.push_back(*plain);
    for (const std::string& definition : definitions)
      if (std::find(definitions_.begin(), definitions_.end(), definition) == definitions_.end())
        definitions_.push_back(definition);
    std::string text = "(" + smt_name(node.op, from, to, field);
    for (NodeId input : node.inputs) text += " " + term(input);
    return text + ")";
  }
  std::string variable(const Node& node, SmtKind kind) {
    std::string declaration = "(declare-const " + node.name + " " + sort_of(kind) + ")\n";
    if (declarations_.find(declaration) == std::string::npos) declarations_ += declaration;
    return node.name;
  }
  static std::string inverse(const std::string& odd, uint32_t width) {
    std::string text = odd;
    for (int step = 0; step < 5; ++step)
      text = "(let ((n " + text + ")) (bvmul n (bvsub " + smt_bits(width, 2) + " (bvmul " + odd + " n))))";
    return text;
  }
  static uint64_t real_bits(uint32_t width, double value) {
    if (width == 64) return std::bit_cast<uint64_t>(value);
    if (width == 32) return std::bit_cast<uint32_t>(static_cast<float>(value));
    // Zeros and powers of two are exact with a bias of 7.
    uint64_t sign = std::signbit(value) ? 0x80 : 0;
    return value == 0 ? sign : sign | static_cast<uint64_t>(std::ilogb(value) + 7) << 3;
  }

  const Rule& rule_;
  const Kinds& kinds_;
  FloatFormat format_;
  Form form_;
  std::vector<std::string>& definitions_;
  std::string declarations_;
};

}  // namespace

SmtKind smt_kind(Kind kind) {
  if (kind == Kind::f32 || kind == Kind::f64) return {static_cast<uint32_t>(bit_width(kind)), true};
  return {is_integer(kind) ? static_cast<uint32_t>(bit_width(kind)) : 64, false};
}

std::string smt_bits(uint32_t width, uint64_t bits) {
  std::string text = width % 4 == 0 ? "#x" : "#b";
  const uint32_t step = width % 4 == 0 ? 4 : 1;
  for (uint32_t at = width; at > 0; at -= step)
    text += "0123456789abcdef"[bits >> (at - step) & ((1u << step) - 1)];
  return text;
}

std::string smt_name(Op op, SmtKind from, SmtKind to, uint32_t field) {
  std::string name = std::string(ir::info(op).text) + "." + name_of(from);
  if (ir::info(op).rule == TypeRule::overflow) return name + (field == 0 ? ".value" : ".flag");
  return from == to ? name : name + "." + name_of(to);
}

std::optional<std::string> smt_definition(Op op, SmtKind from, SmtKind to, uint32_t field) {
  std::optional<std::string> text = body(op, from, to, field);
  if (!text) return std::nullopt;
  const uint32_t count = ir::info(op).fixed_count;
  if (ir::info(op).rule == TypeRule::overflow && field == 1) to = {1, false};
  return function(smt_name(op, from, ir::info(op).rule == TypeRule::overflow ? from : to, field), count, op,
                  from, to, *text);
}

std::vector<std::string> smt_definitions_in(Form form, Op op, SmtKind kind, bool known) {
  std::optional<Formed> formed;
  if (kind.width > 8 && form == Form::algebra) formed = as_algebra(op, kind.width);
  if (kind.width > 8 && form == Form::magnitudes) formed = of_magnitudes(op, kind.width);
  std::vector<std::string> all;
  if (!formed) return all;
  if (formed->function != nullptr) all.push_back(unknown(*formed->function, kind.width, known));
  all.push_back(function(smt_name(op, kind, kind), ir::info(op).fixed_count, op, kind, kind, formed->body));
  return all;
}

std::string smt_query(const Rule& rule, const Kinds& kinds, FloatFormat format, Form form,
                      std::vector<std::string>& definitions) {
  return Query(rule, kinds, format, form, definitions).run();
}

}  // namespace braid::rulec
