// Rules of types: one case per type rule of the op table, for the statements that are not plain (verify_plain.h).
// O(operands), and O(cases log cases) for a switch.
#include <algorithm>
#include <bit>

#include "ir/language.h"
#include "ir/transfer.h"
#include "ir/verify_context.h"
#include "type/int_bounds.h"

namespace braid::ir {
namespace {

constexpr KindSet integers = (i1 | i8 | i16 | i32 | i64).bits;
constexpr KindSet floats = (f32 | f64).bits;
constexpr KindSet references = (null_type | string_type | array_type | object_type | ref).bits;
/// What memory holds: scalars of a known size, which no collector looks for.
constexpr KindSet in_memory = integers | floats | ptr.bits;

constexpr bool is_one(KindSet kinds) { return kinds != 0 && (kinds & (kinds - 1)) == 0; }

class TypeCheck {
 public:
  explicit TypeCheck(VerifyContext& context)
      : c(context), f(context.f), types(context.types), has_same_(context.present[unsigned(Op::same)]) {}

  void run() {
    for (uint32_t dense : c.unplain) {
      if (c.full()) return;
      if (c.is_bad(dense)) continue;
      id_ = f.from_dense(dense);
      block_ = c.block_of_dense[dense];
      stmt_ = &f.stmt(id_);
      words_ = f.args(*stmt_);
      declared_ = f.type(id_);
      check_statement();
    }
  }

 private:
  // ---- reading ----

  Type type_at(uint32_t i) {
    Operand operand = Operand::from_word(words_[i]);
    if (has_same_) operand = c.resolve(operand);
    return type_of(operand);
  }
  /// `none` for what another rule has judged: undef and erased.
  Type type_of(Operand operand) const {
    Type type = f.type_of(operand);
    return type == void_type && f.op(operand) == Op::nothing ? none : type;
  }
  KindSet kinds_at(uint32_t i) { return types.kinds(type_at(i)); }

  /// Whether the operand is within the type. A constant is as narrow as its value; `undef` is within every type.
  bool fits(uint32_t i, Type want) {
    Operand operand = c.resolve(Operand::from_word(words_[i]));
    if (types.leq(type_of(operand), want)) return true;
    return operand.is_constant() && contains(want, c.module.constants.value(operand));
  }
  bool contains(Type type, const Constant& constant) const {
    std::optional<Kind> kind = types.single_kind(constant.type);
    if (!kind || (types.kinds(type) & kind_bit(*kind)) == 0) return false;
    if (is_integer(*kind)) {
      auto [low, high] = types.range(type, *kind);
      int64_t value = static_cast<int64_t>(constant.bits);
      return low <= value && value <= high;
    }
    if (*kind == Kind::string) {
      std::optional<uint32_t> known = types.known_string(type);
      return !known || *known == static_cast<uint32_t>(constant.bits);
    }
    if (!is_float(*kind)) return true;  // null is a reference to every class
    std::optional<uint64_t> known = types.known_float(type, *kind);
    return !known || *known == constant.bits;
  }
  static bool is_value(KindSet kinds) { return kinds != 0 && (kinds & ~any.bits) == 0; }
  std::string_view text() const { return info(stmt_->op).text; }

  // ---- reporting ----

  void operand_fault(uint32_t i, std::string_view want) {
    c.report(Rule::operand_type, id_, block_,
             say("operand ", i, " of this ", text(), " has the type ", c.name(type_at(i)), ", needs ", want));
  }
  void result_fault(std::string_view want) {
    c.report(Rule::result_type, id_, block_, say(text(), " has the type ", c.name(declared_), ", must have ", want));
  }

  // ---- pieces of rules ----

  void need(uint32_t i, Type want) {
    if (type_at(i) != want && !fits(i, want)) operand_fault(i, c.name(want));
  }
  void need_kinds(uint32_t i, KindSet within, std::string_view what) {
    if ((kinds_at(i) & ~within) != 0) operand_fault(i, what);
  }
  void need_value(uint32_t i) { need_kinds(i, any.bits, "a value"); }
  void need_token(uint32_t i) { need(i, token_type); }

  void result_within(Type want) {
    if (declared_ != want && (declared_ == none || !types.leq(declared_, want))) result_fault(c.name(want));
  }
  /// The one kind of the result, if it is within the set.
  std::optional<Kind> result_kind(KindSet within, std::string_view what) {
    KindSet kinds = types.kinds(declared_);
    if (is_one(kinds) && (kinds & ~within) == 0) return static_cast<Kind>(std::countr_zero(kinds));
    result_fault(what);
    return std::nullopt;
  }
  /// The one kind of an operand; none if it is `undef`, which another rule has judged, or wrong, which is reported.
  std::optional<Kind> operand_kind(uint32_t i, KindSet within, std::string_view what) {
    KindSet kinds = kinds_at(i);
    if (is_one(kinds) && (kinds & ~within) == 0) return static_cast<Kind>(std::countr_zero(kinds));
    if (type_at(i) != none) operand_fault(i, what);
    return std::nullopt;
  }
  /// All operands of the result's kind.
  void same_kind(KindSet within, std::string_view what) {
    std::optional<Kind> kind = result_kind(within, what);
    if (!kind) return;
    for (uint32_t i = 0; i < words_.size(); ++i) need(i, of(*kind));
  }
  void compare(KindSet within, std::string_view what) {
    std::optional<Kind> kind = operand_kind(kinds_at(0) != 0 ? 0 : 1, within, what);
    if (kind)
      for (uint32_t i = 0; i < 2; ++i) need(i, of(*kind));
    result_within(i1);
  }
  void convert(KindSet from, std::string_view from_what, KindSet to, std::string_view to_what, bool (*right)(Kind, Kind)) {
    std::optional<Kind> target = result_kind(to, to_what);
    std::optional<Kind> source = operand_kind(0, from, from_what);
    if (target && source && !right(*source, *target))
      c.report(Rule::operand_type, id_, block_,
               say(text(), " cannot make ", kind_name(*target), " of ", kind_name(*source)));
  }

  // ---- the rules ----

  void check_statement() {
    switch (info(stmt_->op).rule) {
      case TypeRule::same: return;
      case TypeRule::int_binary:
      case TypeRule::int_unary:
      case TypeRule::check_int:
      case TypeRule::check_bounds: return same_kind(integers, "an integer type");
      case TypeRule::float_binary:
      case TypeRule::float_unary: return same_kind(floats, "a float type");
      case TypeRule::overflow: return check_overflow_op();
      case TypeRule::equality: return check_equality();
      case TypeRule::signed_compare: return compare(integers, "an integer");
      case TypeRule::unsigned_compare: return compare(integers | ptr.bits, "an integer or a pointer");
      case TypeRule::float_compare: return compare(floats, "a float");
      case TypeRule::int_narrow:
      case TypeRule::int_extend:
      case TypeRule::int_to_float:
      case TypeRule::float_to_int:
      case TypeRule::float_extend:
      case TypeRule::float_narrow:
      case TypeRule::bitcast:
      case TypeRule::ptr_to_int:
      case TypeRule::int_to_ptr: return check_conversion();
      case TypeRule::select: return check_select();
      case TypeRule::tuple: return check_tuple();
      case TypeRule::extract: return check_extract();
      case TypeRule::box: return need_value(0), result_within(ref);
      case TypeRule::unbox: return need_kinds(0, references, "a reference"), result_is_value();
      case TypeRule::call:
      case TypeRule::call_indirect:
      case TypeRule::intrinsic: return check_call();
      case TypeRule::stack_slot: return check_stack_slot();
      case TypeRule::func_addr:
      case TypeRule::global_addr: return result_within(ptr);
      case TypeRule::load: need(0, ptr); return (void)result_kind(in_memory, "a number or an address");
      case TypeRule::store: (void)operand_kind(0, in_memory, "a number or an address"); return need(1, ptr), is_void();
      case TypeRule::mem_copy: return need(0, ptr), need(1, ptr), need(2, i64), is_void();
      case TypeRule::mem_fill: return need(0, ptr), need(1, i8), need(2, i64), is_void();
      case TypeRule::ptr_add: return need(0, ptr), need(1, i64), result_within(ptr);
      case TypeRule::ptr_diff: return need(0, ptr), need(1, ptr), result_within(i64);
      case TypeRule::get: return result_within(f.variables[static_cast<VarId>(words_[0])].type);
      case TypeRule::set: return check_set();
      case TypeRule::is_defined: return result_within(i1);
      case TypeRule::phi: return check_phi();
      case TypeRule::pi: return check_pi();
      case TypeRule::upsilon: return check_upsilon();
      case TypeRule::phi_c: return check_phi_c();
      case TypeRule::leave:
        for (uint32_t i = 0; i < words_.size(); ++i) need_token(i);
        return is_void();
      case TypeRule::the_exception: return result_within(ref);
      case TypeRule::pop_exception: return need_token(0), is_void();
      case TypeRule::throw_undef: return need(1, i1), is_void();
      case TypeRule::check_null: return check_null();
      case TypeRule::check_overflow: return check_overflow();
      case TypeRule::check_true: return need(0, i1), is_void();
      case TypeRule::save_state:
        for (uint32_t i = 4; i < words_.size(); i += 2) need_value(i);
        return result_within(state_type);
      case TypeRule::guard: return need(0, i1), is_void();
      case TypeRule::branch: return need(0, i1), is_void();
      case TypeRule::switch_: return check_switch();
      case TypeRule::ret: return check_ret();
      case TypeRule::throw_: return need_kinds(0, references, "a reference"), is_void();
      case TypeRule::enter: return result_within(token_type);
      case TypeRule::dynamic: return check_dynamic();
      case TypeRule::kind_test:
        if (!is_value(words_[1]))
          c.report(Rule::immediate, id_, block_, say("the type ", c.name(Type{words_[1]}), " of this test is no plain value type"));
        return need_value(0), result_within(i1);
      case TypeRule::variant_make: return check_variant_make();
      case TypeRule::variant_tag: return need_value(0), result_within(i8);
      case TypeRule::variant_get: return need_value(0), (void)result_kind(any.bits & ~tuple_type.bits, "one kind of value");
      case TypeRule::none:
      case TypeRule::state_use:
      case TypeRule::deopt: return is_void();
    }
  }

  void is_void() {
    if (declared_ != void_type) result_fault("void");
  }
  void result_is_value() {
    if (!is_value_type(types, declared_)) result_fault("a value type");
  }

  void check_conversion() {
    constexpr std::string_view integer = "an integer", floating = "a float";
    switch (info(stmt_->op).rule) {
      case TypeRule::int_narrow:
        return convert(integers, integer, integers, integer, [](Kind a, Kind b) { return bit_width(b) < bit_width(a); });
      case TypeRule::int_extend:
        return convert(integers, integer, integers, integer, [](Kind a, Kind b) { return bit_width(b) > bit_width(a); });
      case TypeRule::int_to_float: return convert(integers, integer, floats, floating, [](Kind, Kind) { return true; });
      case TypeRule::float_to_int: return convert(floats, floating, integers, integer, [](Kind, Kind) { return true; });
      case TypeRule::float_extend: return need(0, f32), result_within(f64);
      case TypeRule::float_narrow: return need(0, f64), result_within(f32);
      case TypeRule::ptr_to_int: return need(0, ptr), result_within(i64);
      case TypeRule::int_to_ptr: return need(0, i64), result_within(ptr);
      default:
        return convert(integers | floats, "a number", integers | floats, "a number", [](Kind a, Kind b) {
          return bit_width(a) == bit_width(b) && bit_width(a) >= 32 && is_float(a) != is_float(b);
        });
    }
  }

  void check_overflow_op() {
    std::optional<Kind> kind = operand_kind(kinds_at(0) != 0 ? 0 : 1, integers, "an integer");
    if (!kind) return;
    for (uint32_t i = 0; i < 2; ++i) need(i, of(*kind));
    std::span<const Type> elements = types.elements(declared_);
    if (types.single_kind(declared_) != Kind::tuple || elements.size() != 2 || !types.leq(elements[0], of(*kind)) ||
        !types.leq(elements[1], i1))
      result_fault(say("(", kind_name(*kind), ", i1)"));
  }

  void check_equality() {
    KindSet both = kinds_at(0) | kinds_at(1);
    if (both != 0 && (both & ~references) == 0) return result_within(i1);
    compare(integers | ptr.bits, "an integer, a pointer or a reference");
  }

  void check_select() {
    need(0, i1);
    result_is_value();
    for (uint32_t i = 1; i < 3; ++i)
      if (!fits(i, declared_)) operand_fault(i, c.name(declared_));
  }

  void check_tuple() {
    for (uint32_t i = 0; i < words_.size(); ++i) need_value(i);
    std::span<const Type> elements = types.elements(declared_);
    bool equal = types.single_kind(declared_) == Kind::tuple && types.has_elements(declared_) &&
                 elements.size() == words_.size();
    for (uint32_t i = 0; equal && i < words_.size(); ++i) equal = elements[i] == type_at(i);
    if (equal) return;
    Type follows = ir::result_type(f, *stmt_);
    if (follows != none) result_within(follows);
  }

  void check_extract() {
    if (type_at(0) == none) return;
    if (types.single_kind(type_at(0)) != Kind::tuple) return operand_fault(0, "a tuple");
    if (!types.has_elements(type_at(0))) return result_is_value();
    size_t count = types.elements(type_at(0)).size();
    if (words_[1] >= count) {
      c.report(Rule::immediate, id_, block_, say("field ", words_[1], " of a tuple with ", count));
      return;
    }
    result_within(ir::result_type(f, *stmt_));
  }

  void check_overflow() {
    if (type_at(0) == none) return;
    std::span<const Type> elements = types.elements(type_at(0));
    if (types.single_kind(type_at(0)) != Kind::tuple || elements.size() != 2 || !types.leq(elements[1], i1))
      return operand_fault(0, "a tuple made by an op that reports overflow");
    std::optional<Kind> kind = result_kind(integers, "an integer type");
    if (kind && !types.leq(elements[0], of(*kind))) operand_fault(0, say("(", kind_name(*kind), ", i1)"));
  }

  void check_call() {
    const Module& module = c.module;
    SigId id{};
    uint32_t first = 1;
    switch (stmt_->op) {
      case Op::call: id = module.function(static_cast<FuncId>(words_[0])).signature_id(); break;
      case Op::intrinsic: id = module.intrinsics[static_cast<IntrinsicId>(words_[0])].signature; break;
      default:
        id = static_cast<SigId>(words_[0]);
        first = 2;
        need(1, ptr);
    }
    if (index(id) >= module.signature_count()) {
      c.report(Rule::id_range, id_, block_, "the signature of the callee does not exist");
      return;
    }
    const Signature& signature = module.signature(id);
    bool readable = c.is_type(signature.result) &&
                    std::all_of(signature.params.begin(), signature.params.end(), [&](Type t) { return c.is_type(t); });
    if (!readable) {
      c.report(Rule::id_range, id_, block_, "the callee has a type that does not exist");
      return;
    }
    size_t count = words_.size() - first;
    if (count != signature.params.size()) {
      c.report(Rule::call_signature, id_, block_,
               say(callee_name(), " has ", signature.params.size(), " parameters, the call passes ", count));
    } else {
      for (uint32_t i = 0; i < count; ++i) {
        if (fits(first + i, signature.params[i])) continue;
        c.report(Rule::call_signature, id_, block_,
                 say("argument ", i, " has the type ", c.name(type_at(first + i)), ", ", callee_name(), " takes ",
                     c.name(signature.params[i])));
      }
    }
    if (declared_ != void_type && !is_value_type(types, declared_)) return result_fault("a value type or void");
    result_within(signature.result);
  }
  std::string callee_name() const {
    if (stmt_->op == Op::call) {
      Symbol name = c.module.function(static_cast<FuncId>(words_[0])).name();
      if (c.is_symbol(name)) return say("@", c.module.name(name));
    } else if (stmt_->op == Op::intrinsic) {
      Symbol name = c.module.intrinsics[static_cast<IntrinsicId>(words_[0])].name;
      if (c.is_symbol(name)) return std::string(c.module.name(name));
    }
    return "the callee";
  }

  void check_dynamic() {
    const Language* rules = language(c.module.language);
    if (rules == nullptr) {
      c.report(Rule::language, id_, block_, say(text(), " in a module without a language"));
      return;
    }
    for (uint32_t i = 0; i < words_.size(); ++i)
      need_kinds(i, rules->values, say("a value of the language ", rules->name));
    result_within(ir::result_type(f, *stmt_));
  }

  void check_variant_make() {
    result_is_value();
    if (!fits(0, declared_)) operand_fault(0, c.name(declared_));
  }

  void check_stack_slot() {
    if (!std::has_single_bit(words_[1]))
      c.report(Rule::immediate, id_, block_, say("the alignment ", words_[1], " is not a power of two"));
    result_within(ptr);
  }

  void check_set() {
    const Variable& variable = f.variables[static_cast<VarId>(words_[0])];
    if (!fits(1, variable.type))
      c.report(Rule::variable_type, id_, block_,
               say("variable ", c.is_symbol(variable.name) ? c.module.name(variable.name) : "without a name", " of type ",
                   c.name(variable.type), " is assigned a value of type ", c.name(type_at(1))));
    is_void();
  }

  // ---- SSA ----

  /// Values flow through phis, and so do tokens.
  bool flows() {
    if (is_value(types.kinds(declared_)) || declared_ == token_type) return true;
    result_fault("a value type or token");
    return false;
  }
  void check_inflow(uint32_t i, Type type) {
    c.report(Rule::phi_type, id_, block_,
             say("operand ", i, " has the type ", c.name(type), ", which is not within ", c.name(declared_)));
  }

  void check_phi() {
    if (!flows()) return;
    std::span<const flow::Node> columns = c.phi_columns(block_);
    for (uint32_t i = 0; i < words_.size(); ++i)
      if (!is_none(columns[i]) && type_at(i) != declared_ && !fits(i, declared_)) check_inflow(i, type_at(i));
  }

  /// Which value it is of does not matter: where a value that is known better takes the place of another, control may not come
  /// to some of the pis behind its tests any more.
  void check_pi() {
    result_is_value();
    const KindSet kinds = types.kinds(declared_), known = kinds_at(0);
    if (known != 0 && (kinds & ~known) != 0 && !(is_value(kinds) && is_value(known)))
      operand_fault(0, say("a type that can be ", c.name(declared_)));
  }

  void check_upsilon() {
    if (flows() && !fits(0, declared_)) check_inflow(0, type_at(0));
  }

  void check_phi_c() {
    if (!flows()) return;
    for (uint32_t i = 0; i < words_.size(); ++i) {
      Operand upsilon = c.resolve(Operand::from_word(words_[i]));
      if (c.is_statement(upsilon) && f.op(upsilon) == Op::upsilon && !types.leq(f.type(upsilon), declared_))
        check_inflow(i, f.type(upsilon));
    }
  }

  void check_null() {
    KindSet from = kinds_at(0), to = types.kinds(declared_);
    if (from == 0) return result_is_value();
    if (from != ptr.bits && (from & ~references) != 0) return operand_fault(0, "a reference or a pointer");
    if (to == 0 || (to & ~from) != 0) result_fault(c.name(type_at(0)));
  }

  // ---- terminators ----

  void check_switch() {
    is_void();
    std::optional<Kind> kind = operand_kind(0, integers, "an integer");
    cases_.clear();
    for (uint32_t i = 2; i + 1 < words_.size(); i += 2) {
      if (f.edge(static_cast<EdgeId>(words_[i + 1])).dead) continue;
      Operand value = Operand::from_word(words_[i]);
      if (!value.is_constant() || (kind && c.module.constants.value(value).type != of(*kind))) {
        c.report(Rule::switch_cases, id_, block_,
                 say("case ", c.name(value), " is not a constant of the type ", c.name(type_at(0))));
        continue;
      }
      cases_.push_back(c.module.constants.value(value).bits);
    }
    std::sort(cases_.begin(), cases_.end());
    for (size_t i = 1; i < cases_.size(); ++i)
      if (cases_[i] == cases_[i - 1] && (i == 1 || cases_[i - 2] != cases_[i]))
        c.report(Rule::switch_cases, id_, block_, say("case ", static_cast<int64_t>(cases_[i]), " occurs more than once"));
  }

  void check_ret() {
    is_void();
    Type wanted = f.result_type();
    size_t count = words_.size();
    if (wanted == void_type ? count != 0 : count != 1)
      c.report(Rule::ret_type, id_, block_,
               wanted == void_type ? say("ret with a value in a function without a result")
                                   : say("ret with ", count, " values in a function of type ", c.name(wanted)));
    else if (count == 1 && !fits(0, wanted))
      c.report(Rule::ret_type, id_, block_,
               say("ret with a value of type ", c.name(type_at(0)), " in a function of type ", c.name(wanted)));
  }

  VerifyContext& c;
  const Function& f;
  const TypeTable& types;
  const bool has_same_;
  BlockId block_{};
  Operand id_;
  const Stmt* stmt_ = nullptr;
  std::span<const uint32_t> words_;
  Type declared_;
  std::vector<uint64_t> cases_;
};

}  // namespace

void check_types(VerifyContext& c) { TypeCheck(c).run(); }

}  // namespace braid::ir
