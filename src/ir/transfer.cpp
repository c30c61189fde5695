// How types go through operations: constants are folded, integer ranges followed, choices joined. One case per rule of the
// op table; what it does not treat has the type that its statement declares.
//
// Monotone in the operand types, and `none` where a statement that needs its operands has one that cannot exist, so that an
// optimistic analysis can start there. O(operands).
#include "ir/transfer.h"

#include <array>
#include <bit>

#include "ir/dynamic_types.h"
#include "ir/eval_op.h"
#include "ir/int_range.h"

namespace braid::ir {
namespace {

/// Sees values only; `word_` is the one operand beside them that a type may hang on.
class Transfer {
 public:
  Transfer(Module& module, Op op, uint32_t word, Type declared, std::span<const Type> operands)
      : module_(module), types(module.types), op_(op), word_(word), declared_(declared), operands_(operands) {}

  Type run() {
    if (joins()) return within_declared(join_operands(0));
    if (declared_ == void_type || op_ == Op::save_state) return declared_;
    for (Type operand : operands_)
      if (operand == none) return none;
    return within_declared(result());
  }

 private:
  bool joins() const { return is_phi_like(op_) || op_ == Op::upsilon || op_ == Op::same; }

  /// A declared reference may be null, which is a kind of its own: it must not look like a value that cannot be.
  Type within_declared(Type type) {
    const Type met = types.meet(type, declared_);
    return met == none && type != none ? declared_ : met;
  }

  Type join_operands(uint32_t first) {
    Type type = none;
    for (uint32_t i = first; i < operands_.size(); ++i) type = types.join(type, operands_[i]);
    return type;
  }

  Type result() {
    switch (info(op_).rule) {
      case TypeRule::int_binary:
      case TypeRule::int_unary: return integer_result();
      case TypeRule::float_binary:
      case TypeRule::float_unary:
      case TypeRule::float_compare:
      case TypeRule::int_to_float:
      case TypeRule::float_to_int:
      case TypeRule::float_extend:
      case TypeRule::float_narrow:
      case TypeRule::bitcast: return folded();
      case TypeRule::equality:
      case TypeRule::signed_compare:
      case TypeRule::unsigned_compare: return comparison();
      case TypeRule::overflow: return overflow();
      case TypeRule::int_narrow:
      case TypeRule::int_extend: return conversion();
      case TypeRule::select: return choice();
      case TypeRule::tuple: return types.tuple(operands_);
      case TypeRule::extract: return element(word_);
      case TypeRule::pi: return operands_[0];
      case TypeRule::check_null: return types.without(operands_[0], kind_bit(Kind::null_));
      case TypeRule::check_int:
      case TypeRule::check_bounds: return checked();
      case TypeRule::check_overflow: return types.as_constant(element(1)) == TypeConstant{Kind::i1, 1} ? none : element(0);
      case TypeRule::intrinsic: return intrinsic();
      case TypeRule::dynamic: return dynamic();
      case TypeRule::kind_test: return kind_test_type(types, operands_[0], types.kinds(Type{word_}));
      case TypeRule::variant_make: return operands_[0];
      case TypeRule::variant_tag: return tag();
      case TypeRule::variant_get: return payload();
      default: return declared_;
    }
  }

  // ---- integers ----

  std::optional<IntRange> range(uint32_t i, Kind kind) const {
    if (!is_integer(kind)) return std::nullopt;
    auto [low, high] = types.range(operands_[i], kind);
    if (low > high || types.single_kind(operands_[i]) != kind) return std::nullopt;
    return IntRange{low, high};
  }
  Type type_of(Kind kind, IntRange range) { return types.int_range(kind, range.low, range.high); }
  /// The kind on which the operation works: that of its last operand.
  std::optional<Kind> operand_kind() const { return types.single_kind(operands_.back()); }

  Type integer_result() {
    std::optional<Kind> kind = operand_kind();
    if (!kind) return declared_;
    std::optional<IntRange> a = range(0, *kind), b = range(static_cast<uint32_t>(operands_.size()) - 1, *kind);
    return a && b ? type_of(*kind, range_of(op_, *kind, *a, *b)) : declared_;
  }

  Type comparison() {
    std::optional<Kind> kind = operand_kind();
    if (!kind) return declared_;
    if (!is_integer(*kind)) return folded();
    std::optional<IntRange> a = range(0, *kind), b = range(1, *kind);
    return a && b ? type_of(Kind::i1, range_of(op_, *kind, *a, *b)) : declared_;
  }

  Type overflow() {
    std::optional<Kind> kind = operand_kind();
    if (!kind) return declared_;
    std::optional<IntRange> a = range(0, *kind), b = range(1, *kind);
    if (!a || !b) return declared_;
    OverflowRange answer = overflow_range(op_, *kind, *a, *b);
    Type elements[] = {type_of(*kind, answer.value), type_of(Kind::i1, answer.flag)};
    return types.tuple(elements);
  }

  Type conversion() {
    std::optional<Kind> from = operand_kind(), to = types.single_kind(declared_);
    if (!from || !to || !is_integer(*to)) return declared_;
    std::optional<IntRange> a = range(0, *from);
    return a ? type_of(*to, converted_range(op_, *from, *to, *a)) : declared_;
  }

  Type checked() {
    std::optional<Kind> kind = types.single_kind(operands_[0]);
    if (!kind) return declared_;
    std::optional<IntRange> a = range(0, *kind), b = range(static_cast<uint32_t>(operands_.size()) - 1, *kind);
    if (!a || !b) return declared_;
    std::optional<IntRange> passed = checked_range(op_, *kind, *a, *b);
    return passed ? type_of(*kind, *passed) : none;
  }

  // ---- everything else ----

  /// The constant that constant operands give.
  Type folded() {
    std::array<uint64_t, 3> bits{};
    std::optional<Kind> from = operand_kind(), to = types.single_kind(declared_);
    if (!from || !to || operands_.size() > bits.size()) return declared_;
    for (uint32_t i = 0; i < operands_.size(); ++i) {
      std::optional<TypeConstant> constant = types.as_constant(operands_[i]);
      if (!constant) return declared_;
      bits[i] = constant->bits;
    }
    std::optional<uint64_t> answer = fold(op_, *from, *to, std::span(bits.data(), operands_.size()));
    if (!answer) return declared_;
    if (is_integer(*to)) return types.int_constant(*to, static_cast<int64_t>(*answer));
    return is_float(*to) ? types.float_constant(*to, *answer) : declared_;
  }

  Type choice() {
    std::optional<TypeConstant> condition = types.as_constant(operands_[0]);
    if (condition) return operands_[condition->bits != 0 ? 1 : 2];
    return join_operands(1);
  }

  Type element(uint32_t number) {
    if (!types.has_elements(operands_[0]) || types.single_kind(operands_[0]) != Kind::tuple) return declared_;
    std::span<const Type> elements = types.elements(operands_[0]);
    return number < elements.size() ? elements[number] : declared_;
  }

  Type dynamic() {
    const Language* rules = language(module_.language);
    if (rules == nullptr) return declared_;
    return dynamic_type(module_, *rules, op_, operands_[0], operands_.back()).result;
  }

  Type tag() {
    Type result = none;
    for (KindSet rest = dynamic_kinds(types.kinds(operands_[0])); rest != 0; rest &= rest - 1)
      result = types.join(result, types.int_constant(Kind::i8, std::countr_zero(rest)));
    return result;
  }

  Type payload() {
    const KindSet wanted = types.kinds(declared_), given = dynamic_kinds(types.kinds(operands_[0]));
    if ((given & ~wanted) != 0) return types.join(types.only(operands_[0], wanted), zero_type(declared_));
    return types.only(operands_[0], wanted);
  }
  Type zero_type(Type type) {
    std::optional<Kind> kind = types.single_kind(type);
    if (kind && is_integer(*kind)) return types.int_constant(*kind, 0);
    if (kind && is_float(*kind)) return types.float_constant(*kind, 0);
    return kind == Kind::string ? types.string_constant(0) : type;
  }

  Type intrinsic() {
    const Intrinsic& callee = module_.intrinsics[static_cast<IntrinsicId>(word_)];
    if (!callee.refine) return declared_;
    const Type answer = callee.refine(types, operands_);
    return types.has(answer) ? answer : declared_;
  }

  Module& module_;
  TypeTable& types;
  const Op op_;
  const uint32_t word_;
  const Type declared_;
  const std::span<const Type> operands_;
};

}  // namespace

Type value_type(const Function& f, Operand operand) {
  operand = f.resolve(operand);
  if (!operand.is_constant()) return f.type_of(operand);
  Constant constant = f.module().constants.value(operand);
  return constant.type == ref ? ref : f.module().constant_type(operand);
}

Type transfer(const Function& f, const Stmt& stmt, Type declared, std::span<const Type> operands) {
  const OpInfo& op = info(stmt.op);
  if (op.rule == TypeRule::extract || op.rule == TypeRule::kind_test)
    return Transfer(f.module(), stmt.op, f.arg(stmt, 1), declared, operands.first(1)).run();
  if (op.rule == TypeRule::intrinsic)
    return Transfer(f.module(), stmt.op, f.arg(stmt, 0), declared, operands.subspan(1)).run();
  bool only_values = true, impossible = false;
  for (uint32_t i = 0; i < operands.size(); ++i) {
    only_values = only_values && op.is_value(i);
    impossible = impossible || (op.is_value(i) && operands[i] == none);
  }
  if (only_values) return Transfer(f.module(), stmt.op, 0, declared, operands).run();
  // The types of all other ops with operands beside their values are what they declare.
  return impossible && declared != void_type && stmt.op != Op::save_state ? none : declared;
}

Type transfer(Module& module, Op op, std::span<const uint32_t> words, Type declared, std::span<const Type> values) {
  return Transfer(module, op, words.empty() ? 0 : words[0], declared, values).run();
}

}  // namespace braid::ir
