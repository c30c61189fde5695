#include "text/julia_statement.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <string_view>
#include <type_traits>

#include "base/number_text.h"
#include "text/names.h"
#include "text/statement_text.h"
#include "type/type_text.h"

namespace braid::text {

using namespace ir;

namespace {

/// As Julia writes it: the fewest digits that read back, with an exponent where the point is not near them.
template <class Float>
void append_float(std::string& out, Float value) {
  constexpr bool is_single = std::is_same_v<Float, float>;
  if (!std::isfinite(value)) {
    out += std::isnan(value) ? "NaN" : value < 0 ? "-Inf" : "Inf";
    if (is_single) out += "32";
    return;
  }
  char buffer[64];
  const std::to_chars_result end = std::to_chars(buffer, buffer + sizeof buffer, std::abs(value), std::chars_format::scientific);
  std::string_view text(buffer, static_cast<size_t>(end.ptr - buffer));
  const size_t e = text.find('e');
  std::string digits(1, text[0]);
  if (e > 2) digits += text.substr(2, e - 2);
  int exponent = 0;
  const char* from = buffer + e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(from, end.ptr, exponent);
  const int before_point = exponent + 1;
  const bool is_near = before_point > -4 && before_point <= 6;
  if (std::signbit(value)) out += '-';
  if (is_near && before_point <= 0) {
    out += "0." + std::string(static_cast<size_t>(-before_point), '0') + digits;
  } else {
    const size_t whole = is_near ? static_cast<size_t>(before_point) : 1;
    if (digits.size() <= whole) digits.resize(whole + 1, '0');
    out.append(digits, 0, whole).append(1, '.').append(digits, whole);
  }
  if (is_single || !is_near) {
    out += is_single ? 'f' : 'e';
    append_i64(out, is_near ? 0 : exponent);
  }
}

/// Statements that control flow, pis and the end of a region stand without a type.
bool shows_type(Op op) {
  if (is_terminator(op)) return op == Op::throw_ || op == Op::deopt;
  return op != Op::pi && op != Op::leave;
}

}  // namespace

void JuliaStatement::append(BlockId b, Operand id, bool typed) {
  const Stmt& stmt = f_.stmt(id);
  typed = typed && shows_type(stmt.op);
  bool assigns = typed && stmt.op == Op::set && f_.operand_count(stmt) == 2;
  if (assigns) out_ += '(';
  append_node(b, id);
  if (assigns) out_ += ')';
  if (typed) append_type(is_terminator(stmt.op) ? none : assigns ? type_of(f_.operand(stmt, 1)) : f_.type(id));
}

void JuliaStatement::append_goto(BlockId target) {
  out_ += "goto ";
  append_block_number(target);
}

void JuliaStatement::append_node(BlockId b, Operand id) {
  const Stmt& stmt = f_.stmt(id);
  if (is_terminator(stmt.op)) return append_terminator(stmt);
  if (!info(stmt.op).arity_ok(f_.operand_count(stmt))) {
    out_ += info(stmt.op).text;
    return;
  }
  switch (stmt.op) {
    case Op::nothing: out_ += "nothing"; break;
    case Op::same: append_value(f_.operand(stmt, 0)); break;
    case Op::phi: append_phi(b, stmt); break;
    case Op::phi_c: append_list("φᶜ (", stmt); break;
    case Op::upsilon: append_list("ϒ (", stmt); break;
    case Op::pi:
      out_ += "π (";
      append_value(f_.operand(stmt, 0));
      out_ += ", ";
      append_type_name(f_.type(id));
      out_ += ')';
      break;
    case Op::get: listing_.append_variable(out_, static_cast<VarId>(f_.arg(stmt, 0))); break;
    case Op::set:
      listing_.append_variable(out_, static_cast<VarId>(f_.arg(stmt, 0)));
      out_ += " = ";
      append_value(f_.operand(stmt, 1));
      break;
    case Op::leave: append_expression("leave", stmt); break;
    case Op::pop_exception: append_expression("pop_exception", stmt); break;
    case Op::the_exception: append_expression("the_exception", stmt); break;
    case Op::throw_undef: append_expression("throw_undef_if_not", stmt); break;
    case Op::is_defined: append_expression("isdefined", stmt); break;
    default: append_call(id, stmt); break;
  }
}

void JuliaStatement::append_terminator(const Stmt& stmt) {
  LiveTerminator live = live_terminator(f_, stmt);
  switch (live.op) {
    case Op::jump:
      out_ += "goto ";
      append_target(stmt, live.target);
      break;
    case Op::branch:
      out_ += "goto ";
      append_target(stmt, 2);
      out_ += " if not ";
      append_value(f_.operand(stmt, 0));
      break;
    case Op::switch_: append_switch(stmt, live.target); break;
    case Op::ret:
      out_ += "return ";
      if (f_.operand_count(stmt) == 0)
        out_ += "nothing";
      else
        append_value(f_.operand(stmt, 0));
      break;
    case Op::enter:
      out_ += "enter ";
      if (is_live(f_, f_.arg(stmt, 0)))
        append_target(stmt, 0);
      else
        out_ += "#0";
      break;
    case Op::unreachable: out_ += "unreachable"; break;
    default:
      out_ += "  builtin ";
      append_list(std::string(info(stmt.op).text) + "(", stmt);
      break;
  }
}

void JuliaStatement::append_switch(const Stmt& stmt, uint32_t default_operand) {
  out_ += "switch ";
  append_value(f_.operand(stmt, 0));
  out_ += " (";
  for (uint32_t i = 3; i < f_.operand_count(stmt); i += 2) {
    if (i == default_operand || !is_live(f_, f_.arg(stmt, i))) continue;
    append_value(f_.operand(stmt, i - 1));
    out_ += " => ";
    append_target(stmt, i);
    out_ += ", ";
  }
  out_ += "else => ";
  append_target(stmt, default_operand);
  out_ += ')';
}

void JuliaStatement::append_phi(BlockId b, const Stmt& stmt) {
  out_ += "φ (";
  bool first = true;
  for (EdgeId e : listing_.edges_into(b)) {
    if (!first) out_ += ", ";
    first = false;
    append_source(f_.edge(e).from);
    out_ += " => ";
    append_value(phi_operand(stmt, e));
  }
  out_ += ')';
}

/// How Julia would call the operation, in ten columns; what is looked up when it runs is wider.
std::string_view JuliaStatement::call_label(const Stmt& stmt) const {
  TypeRule rule = info(stmt.op).rule;
  if (stmt.op == Op::call)
    return f_.module().has_function(static_cast<FuncId>(f_.arg(stmt, 0))) ? "   invoke " : "  unknown ";
  if (stmt.op == Op::call_indirect) {
    Operand callee = f_.operand(stmt, 1);
    if (callee.is_erased() || callee.is_undef() || !operand_exists(f_, callee)) return "  unknown ";
    bool is_known = (callee.is_stmt() || callee.is_pending()) && f_.op(callee) == Op::func_addr;
    return is_known ? "dynamic invoke " : "  dynamic ";
  }
  if (rule == TypeRule::dynamic) return "dynamic builtin ";
  bool computes = rule >= TypeRule::int_binary && rule <= TypeRule::int_to_ptr;
  if (computes || stmt.op == Op::intrinsic || rule == TypeRule::ptr_add || rule == TypeRule::ptr_diff)
    return "intrinsic ";
  return "  builtin ";
}

void JuliaStatement::append_call(Operand id, const Stmt& stmt) {
  out_ += call_label(stmt);
  uint32_t first = 1;
  if (stmt.op == Op::call) {
    append_operand(stmt, 0);
  } else if (stmt.op == Op::call_indirect) {
    append_value(f_.operand(stmt, 1));
    first = 2;
  } else if (stmt.op == Op::intrinsic) {
    append_operand(stmt, 0);
  } else {
    out_ += info(stmt.op).text;
    first = 0;
  }
  out_ += '(';
  bool any = info(stmt.op).shown == TypeShown::convert;
  if (any) append_type_name(f_.type(id));
  for (uint32_t i = first; i < f_.operand_count(stmt); ++i) {
    if (any) out_ += ", ";
    any = true;
    append_operand(stmt, i);
    if (Operand operand = f_.operand(stmt, i); stmt.op == Op::call && operand_exists(f_, operand)) append_type(type_of(operand));
  }
  out_ += ')';
}

void JuliaStatement::append_list(std::string_view before, const Stmt& stmt) {
  out_ += before;
  for (uint32_t i = 0; i < f_.operand_count(stmt); ++i) {
    if (i > 0) out_ += ", ";
    append_operand(stmt, i);
  }
  out_ += ')';
}

void JuliaStatement::append_expression(std::string_view head, const Stmt& stmt) {
  out_ += "$(Expr(:";
  out_ += head;
  for (uint32_t i = 0; i < f_.operand_count(stmt); ++i) {
    out_ += ", ";
    Operand operand = f_.operand(stmt, i);
    bool quoted = info(stmt.op).is_value(i) && !operand.is_constant();
    if (quoted) out_ += ":(";
    if (info(stmt.op).kind_of(i) == OperandKind::variable) out_ += ':';
    append_operand(stmt, i);
    if (quoted) out_ += ')';
  }
  out_ += "))";
}

// ---- operands and types ----

void JuliaStatement::append_block_number(BlockId b) {
  bool by_statement = index(b) < first_statements_.size();
  out_ += by_statement ? '%' : '#';
  append_number(out_, by_statement ? first_statements_[index(b)] : index(b) + 1);
}

/// Where an edge of a phi comes from.
void JuliaStatement::append_source(BlockId b) {
  Operand terminator = f_.terminator(b);
  if (first_statements_.empty() || terminator.is_undef()) return append_block_number(b);
  out_ += '%';
  append_number(out_, number_of(terminator));
}

void JuliaStatement::append_target(const Stmt& stmt, uint32_t i) {
  append_block_number(f_.edge(static_cast<EdgeId>(f_.arg(stmt, i))).to);
}

void JuliaStatement::append_operand(const Stmt& stmt, uint32_t i) {
  const Module& module = f_.module();
  uint32_t word = f_.arg(stmt, i);
  switch (info(stmt.op).kind_of(i)) {
    case OperandKind::value: append_value(Operand::from_word(word)); break;
    case OperandKind::variable: listing_.append_variable(out_, static_cast<VarId>(word)); break;
    case OperandKind::function:
      if (FuncId id = static_cast<FuncId>(word); module.has_function(id)) out_ += module.function(id).name_text();
      break;
    case OperandKind::global:
      if (GlobalId id = static_cast<GlobalId>(word); module.globals.contains(id))
        out_ += module.name(module.globals[id].name);
      break;
    case OperandKind::intrinsic:
      if (IntrinsicId id = static_cast<IntrinsicId>(word); module.intrinsics.contains(id))
        out_ += module.name(module.intrinsics[id].name);
      break;
    case OperandKind::symbol:
      out_ += ':';
      if (Symbol symbol = static_cast<Symbol>(word); module.symbols.contains(symbol)) out_ += module.name(symbol);
      break;
    case OperandKind::type: braid::append_type(out_, module.types, Type{word}, &module.symbols); break;
    case OperandKind::block:
    case OperandKind::signature:
    case OperandKind::immediate: append_number(out_, word); break;
  }
}

/// What waits in the old function may name what is finished; what is finished, what was ahead and may be so no more.
void JuliaStatement::append_value(Operand operand) {
  if (operand.is_old() && walk_ != nullptr) operand = walk_->renamed(operand.old_ref());
  const ConstTable& constants = f_.module().constants;
  if (operand.is_constant() && constants.contains(operand)) return append_constant(constants.value(operand));
  switch (operand.tag()) {
    case Operand::Tag::stmt:
    case Operand::Tag::pending:
      out_ += '%';
      append_number(out_, number_of(operand));
      return;
    case Operand::Tag::old:
      out_ += "OldSSAValue(";
      append_number(out_, operand.number() + 1);
      break;
    case Operand::Tag::final_stmt:
    case Operand::Tag::final_pending:
      out_ += operand.tag() == Operand::Tag::final_stmt ? "NewSSAValue(" : "NewSSAValue(-";
      append_number(out_, operand.number() + 1);
      break;
    default:
      if (!operand.is_param()) {
        out_ += "#undef";
        return;
      }
      out_ += '_';
      append_number(out_, operand.number() + 1);
      return;
  }
  out_ += ')';
}

void JuliaStatement::append_constant(Constant constant) {
  Kind kind = static_cast<Kind>(std::countr_zero(constant.type.bits));
  if (kind == Kind::i1) {
    out_ += constant.bits ? "true" : "false";
  } else if (is_integer(kind)) {
    append_i64(out_, static_cast<int64_t>(constant.bits));
  } else if (kind == Kind::f64) {
    append_float(out_, std::bit_cast<double>(constant.bits));
  } else if (kind == Kind::f32) {
    append_float(out_, std::bit_cast<float>(static_cast<uint32_t>(constant.bits)));
  } else {
    append_reference(out_, f_.module(), kind, constant.bits);
  }
}

Type JuliaStatement::type_of(Operand operand) const {
  if (walk_ == nullptr) return f_.type_of(operand);
  switch (operand.tag()) {
    case Operand::Tag::old: return walk_->type_of(operand);
    case Operand::Tag::final_stmt: return walk_->type_of(Operand::make(Operand::Tag::stmt, operand.number()));
    case Operand::Tag::final_pending: return walk_->type_of(Operand::make(Operand::Tag::pending, operand.number()));
    default: return f_.type_of(operand);
  }
}

void JuliaStatement::append_type(Type type) {
  out_ += "::";
  append_type_name(type);
}

void JuliaStatement::append_type_name(Type type) {
  if (type == void_type)
    out_ += "Nothing";
  else if (type == none)
    out_ += "Union{}";
  else
    braid::append_type(out_, f_.module().types, type, &f_.module().symbols);
}

}  // namespace braid::text
