// What follows from the op table's type rules without looking at values: the types of literals, and plain result types.
// One case per rule. O(operands).
#include <vector>

#include "ir/dynamic_types.h"
#include "ir/transfer.h"

namespace braid::ir {
namespace {

/// Without constants, ranges and classes; tuples keep their elements, plain. Recursive over nested tuples only, whose
/// depth the type table bounds.
Type plain(TypeTable& types, Type type) {
  if (type.is_plain()) return type;
  KindSet kinds = types.kinds(type);
  if (!types.has_elements(type)) return Type{kinds};
  std::vector<Type> elements;
  for (Type element : types.elements(type)) elements.push_back(plain(types, element));
  return types.join(types.tuple(elements), Type{kinds & ~kind_bit(Kind::tuple)});
}

/// A literal can have the type only if that is one kind that literals are made of.
Type for_literal(const TypeTable& types, Type type) {
  constexpr KindSet kinds = (i1 | i8 | i16 | i32 | i64 | f32 | f64 | ptr | ref | null_type | string_type).bits;
  std::optional<Kind> kind = types.single_kind(type);
  return kind && (kind_bit(*kind) & kinds) != 0 ? of(*kind) : none;
}

Type type_of(const Function& f, const OperandTypes& others, Operand operand) {
  Type type = others.type_of == nullptr ? none : others.type_of(others.context, operand);
  return type == none ? f.type_of(f.resolve(operand)) : type;
}

Type param_type(const Signature& signature, uint32_t i) {
  return i < signature.params.size() ? signature.params[i] : none;
}

/// The type of the first operand that has one: `undef` has none.
Type first_type(const Function& f, const OperandTypes& others, const Stmt& stmt) {
  const OpInfo& op = info(stmt.op);
  for (uint32_t i = 0; i < f.operand_count(stmt); ++i) {
    if (!op.is_value(i)) continue;
    Type type = type_of(f, others, f.operand(stmt, i));
    if (type != none) return plain(f.module().types, type);
  }
  return none;
}

Type tuple_of_operands(const Function& f, const OperandTypes& others, const Stmt& stmt) {
  TypeTable& types = f.module().types;
  std::vector<Type> elements;
  for (uint32_t word : f.args(stmt)) elements.push_back(plain(types, type_of(f, others, Operand::from_word(word))));
  return types.tuple(elements);
}

Type element_type(const Function& f, const OperandTypes& others, Operand tuple, uint32_t number) {
  TypeTable& types = f.module().types;
  std::span<const Type> elements = types.elements(type_of(f, others, tuple));
  return number < elements.size() ? plain(types, elements[number]) : none;
}

}  // namespace

Type literal_type(const Function& f, Op op, Type shown, std::span<const uint32_t> words, uint32_t i) {
  const Module& module = f.module();
  auto literal = [&](Type type) { return for_literal(module.types, type); };
  switch (info(op).rule) {
    case TypeRule::same:
    case TypeRule::int_binary:
    case TypeRule::int_unary:
    case TypeRule::overflow:
    case TypeRule::float_binary:
    case TypeRule::float_unary:
    case TypeRule::equality:
    case TypeRule::signed_compare:
    case TypeRule::unsigned_compare:
    case TypeRule::float_compare:
    case TypeRule::int_narrow:
    case TypeRule::int_extend:
    case TypeRule::int_to_float:
    case TypeRule::float_to_int:
    case TypeRule::float_extend:
    case TypeRule::float_narrow:
    case TypeRule::bitcast:
    case TypeRule::ptr_to_int:
    case TypeRule::int_to_ptr:
    case TypeRule::box:
    case TypeRule::phi:
    case TypeRule::pi:
    case TypeRule::upsilon:
    case TypeRule::check_null:
    case TypeRule::check_int:
    case TypeRule::check_bounds:
    case TypeRule::switch_: return literal(shown);
    case TypeRule::select: return i == 0 ? i1 : literal(shown);
    case TypeRule::unbox:
    case TypeRule::throw_: return ref;
    case TypeRule::call: {
      FuncId callee = static_cast<FuncId>(words[0]);
      if (!module.has_function(callee)) return none;
      return literal(param_type(module.function(callee).signature(), i - 1));
    }
    case TypeRule::call_indirect: {
      if (i == 1) return ptr;
      if (words[0] >= module.signature_count()) return none;
      return literal(param_type(module.signature(static_cast<SigId>(words[0])), i - 2));
    }
    case TypeRule::intrinsic: {
      IntrinsicId callee = static_cast<IntrinsicId>(words[0]);
      if (!module.intrinsics.contains(callee)) return none;
      return literal(param_type(module.signature(module.intrinsics[callee].signature), i - 1));
    }
    case TypeRule::load:
    case TypeRule::ptr_diff: return ptr;
    case TypeRule::store: return i == 0 ? literal(shown) : ptr;
    case TypeRule::mem_copy: return i < 2 ? ptr : i64;
    case TypeRule::mem_fill: return i == 0 ? ptr : i == 1 ? i8 : i64;
    case TypeRule::ptr_add: return i == 0 ? ptr : i64;
    case TypeRule::set: {
      VarId variable = static_cast<VarId>(words[0]);
      return f.variables.contains(variable) ? literal(f.variables[variable].type) : none;
    }
    case TypeRule::throw_undef:
    case TypeRule::check_true:
    case TypeRule::branch: return i1;
    case TypeRule::guard: return i == 0 ? i1 : none;
    case TypeRule::ret: return literal(f.result_type());
    // Tuples, tokens and states have no literals; the values of a tuple, a state or a dynamic operation bring their types.
    case TypeRule::dynamic:
    case TypeRule::kind_test:
    case TypeRule::variant_make:
    case TypeRule::variant_tag:
    case TypeRule::variant_get:
    case TypeRule::none:
    case TypeRule::tuple:
    case TypeRule::extract:
    case TypeRule::func_addr:
    case TypeRule::stack_slot:
    case TypeRule::global_addr:
    case TypeRule::get:
    case TypeRule::is_defined:
    case TypeRule::phi_c:
    case TypeRule::leave:
    case TypeRule::the_exception:
    case TypeRule::pop_exception:
    case TypeRule::check_overflow:
    case TypeRule::save_state:
    case TypeRule::state_use:
    case TypeRule::enter:
    case TypeRule::deopt: return none;
  }
  return none;
}

Type result_type(const Function& f, const Stmt& stmt, const OperandTypes& others) {
  Module& module = f.module();
  switch (info(stmt.op).rule) {
    case TypeRule::same:
    case TypeRule::int_binary:
    case TypeRule::int_unary:
    case TypeRule::float_binary:
    case TypeRule::float_unary:
    case TypeRule::check_null:
    case TypeRule::check_int:
    case TypeRule::check_bounds: return first_type(f, others, stmt);
    case TypeRule::overflow: {
      Type type = first_type(f, others, stmt);
      if (type == none) return none;
      Type elements[] = {type, i1};
      return module.types.tuple(elements);
    }
    case TypeRule::select: {
      Type second = plain(module.types, type_of(f, others, f.operand(stmt, 1)));
      Type third = plain(module.types, type_of(f, others, f.operand(stmt, 2)));
      return module.types.join(second, third);
    }
    case TypeRule::tuple: return tuple_of_operands(f, others, stmt);
    case TypeRule::extract: return element_type(f, others, f.operand(stmt, 0), f.arg(stmt, 1));
    case TypeRule::check_overflow: return element_type(f, others, f.operand(stmt, 0), 0);
    case TypeRule::call: return module.function(static_cast<FuncId>(f.arg(stmt, 0))).result_type();
    case TypeRule::call_indirect: return module.signature(static_cast<SigId>(f.arg(stmt, 0))).result;
    case TypeRule::intrinsic: {
      IntrinsicId callee = static_cast<IntrinsicId>(f.arg(stmt, 0));
      return module.signature(module.intrinsics[callee].signature).result;
    }
    case TypeRule::get: return f.variables[static_cast<VarId>(f.arg(stmt, 0))].type;
    case TypeRule::equality:
    case TypeRule::signed_compare:
    case TypeRule::unsigned_compare:
    case TypeRule::float_compare:
    case TypeRule::kind_test:
    case TypeRule::is_defined: return i1;
    case TypeRule::dynamic: {
      const Language* rules = language(module.language);
      return rules == nullptr ? none : Type{dynamic_results(*rules, stmt.op)};
    }
    case TypeRule::variant_tag: return i8;
    case TypeRule::box:
    case TypeRule::the_exception: return ref;
    case TypeRule::func_addr:
    case TypeRule::stack_slot:
    case TypeRule::global_addr:
    case TypeRule::ptr_add:
    case TypeRule::int_to_ptr: return ptr;
    case TypeRule::ptr_to_int:
    case TypeRule::ptr_diff: return i64;
    case TypeRule::float_extend: return f64;
    case TypeRule::float_narrow: return f32;
    case TypeRule::save_state: return state_type;
    case TypeRule::enter: return token_type;
    case TypeRule::int_narrow:
    case TypeRule::int_extend:
    case TypeRule::int_to_float:
    case TypeRule::float_to_int:
    case TypeRule::bitcast:
    case TypeRule::unbox:
    case TypeRule::variant_make:
    case TypeRule::variant_get:
    case TypeRule::load:
    case TypeRule::phi:
    case TypeRule::pi:
    case TypeRule::upsilon:
    case TypeRule::phi_c: return none;
    case TypeRule::none:
    case TypeRule::store:
    case TypeRule::mem_copy:
    case TypeRule::mem_fill:
    case TypeRule::set:
    case TypeRule::leave:
    case TypeRule::pop_exception:
    case TypeRule::throw_undef:
    case TypeRule::check_true:
    case TypeRule::state_use:
    case TypeRule::guard:
    case TypeRule::branch:
    case TypeRule::switch_:
    case TypeRule::ret:
    case TypeRule::throw_:
    case TypeRule::deopt: return void_type;
  }
  return none;
}

}  // namespace braid::ir
