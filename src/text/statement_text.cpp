#include "text/statement_text.h"

#include <array>
#include <bit>
#include <string_view>
#include <utility>

#include "base/number_text.h"
#include "ir/strings.h"
#include "ir/transfer.h"
#include "text/names.h"
#include "text/type_rules.h"
#include "type/type_text.h"

namespace braid::text {

using namespace ir;

namespace {

constexpr auto kind_words = [] {
  std::array<std::string_view, kind_count> words;
  for (size_t i = 0; i < kind_count; ++i) words[i] = kind_name(static_cast<Kind>(i));
  return words;
}();

}  // namespace

void StatementText::append(BlockId block, Operand id, bool with_result) {
  const Stmt& stmt = f_.stmt(id);
  if (with_result) {
    append_value(id);
    out_ += " = ";
  }
  append_operation(block, id, stmt);
  append_attributes(block, id, stmt);
}

// ---- operations ----

void StatementText::append_operation(BlockId block, Operand id, const Stmt& stmt) {
  const OpInfo& op = info(stmt.op);
  if (op.traits & terminator) {
    LiveTerminator live = live_terminator(f_, stmt);
    if (live.op != stmt.op) {
      out_ += info(live.op).text;
      if (live.op != Op::jump) return;
      out_ += ' ';
      append_target(f_.arg(stmt, live.target));
      return;
    }
    if (stmt.op == Op::switch_) append_switch(stmt, live.target);
  }
  bool is_special = stmt.op == Op::switch_ ||
                    (op.shown == TypeShown::special && op.arity_ok(f_.operand_count(stmt)));
  if (is_special && stmt.op != Op::intrinsic && stmt.op != Op::switch_) out_ += op.text;
  if (!is_special) {
    append_generic(id, stmt, op);
  } else if (stmt.op == Op::phi) {
    append_phi(block, stmt, f_.type(id));
  } else if (stmt.op == Op::phi_c) {
    out_ += ' ';
    append_type(f_.type(id));
    out_ += ' ';
    append_list(stmt, 0, '[', ']');
  } else if (stmt.op == Op::tuple) {
    out_ += ' ';
    append_list(stmt, 0, '(', ')');
  } else if (stmt.op == Op::call) {
    out_ += ' ';
    append_operand(stmt, 0, none);
    append_list(stmt, 1, '(', ')');
  } else if (stmt.op == Op::call_indirect) {
    append_indirect_call(stmt);
  } else if (stmt.op == Op::intrinsic) {
    append_intrinsic(stmt);
  } else if (stmt.op == Op::save_state) {
    append_save_state(stmt);
  }
  if (shows_result(stmt.op) || op.shown == TypeShown::convert || type_follows(id, stmt)) return;
  out_ += " : ";
  append_type(f_.type(id));
}

void StatementText::append_generic(Operand id, const Stmt& stmt, const OpInfo& op) {
  out_ += op.text;
  Type shown = none;
  if (op.shown == TypeShown::result) shown = f_.type(id);
  if (shows_operand(stmt.op)) shown = first_operand_type(stmt);
  if (op.shown != TypeShown::nothing && op.shown != TypeShown::special) {
    out_ += ' ';
    append_type(shown);
  }
  uint32_t count = f_.operand_count(stmt);
  for (uint32_t i = 0; i < count; ++i) {
    out_ += i == 0 ? " " : ", ";
    append_operand(stmt, i, shown);
  }
  if (op.shown != TypeShown::convert) return;
  out_ += " to ";
  append_type(f_.type(id));
}

void StatementText::append_phi(BlockId block, const Stmt& stmt, Type type) {
  out_ += ' ';
  append_type(type);
  out_ += " [";
  bool first = true;
  for (EdgeId e : l_.edges_into(block)) {
    if (!first) out_ += ", ";
    first = false;
    const Edge& edge = f_.edge(e);
    l_.append_block(out_, edge.from);
    out_ += ": ";
    if (edge.pred_index < f_.operand_count(stmt))
      append_value(stmt, edge.pred_index, type);
    else
      append_value(Operand::undef());
  }
  out_ += ']';
}

void StatementText::append_switch(const Stmt& stmt, uint32_t default_operand) {
  std::span<const uint32_t> words = f_.args(stmt);
  Type shown = first_operand_type(stmt);
  out_ += "switch ";
  append_type(shown);
  out_ += ' ';
  append_value(stmt, 0, shown);
  out_ += ", ";
  append_target(words[default_operand]);
  out_ += ", [";
  bool first = true;
  for (uint32_t i = 3; i < words.size(); i += 2) {
    if (i == default_operand || !is_live(f_, words[i])) continue;
    if (!first) out_ += ", ";
    first = false;
    append_value(stmt, i - 1, shown);
    out_ += ": ";
    append_target(words[i]);
  }
  out_ += ']';
}

void StatementText::append_save_state(const Stmt& stmt) {
  std::span<const uint32_t> words = f_.args(stmt);
  out_ += ' ';
  append_number(out_, words[0]);
  out_ += ' ';
  if (words[1] < std::size(resume_words))
    out_ += resume_words[words[1]];
  else
    append_number(out_, words[1]);
  if (Operand caller = Operand::from_word(words[2]); !caller.is_undef()) {
    out_ += " caller ";
    append_value(caller);
  }
  out_ += " [";
  for (uint32_t i = 3; i < words.size(); i += 2) {
    if (i > 3) out_ += ", ";
    append_number(out_, words[i]);
    out_ += ": ";
    append_value(stmt, i + 1, none);
  }
  out_ += ']';
}

void StatementText::append_intrinsic(const Stmt& stmt) {
  IntrinsicId callee = static_cast<IntrinsicId>(f_.arg(stmt, 0));
  std::string_view name = "?";
  if (f_.module().intrinsics.contains(callee)) name = f_.module().name(f_.module().intrinsics[callee].name);
  if (is_name(name) && !find_op(name)) {
    out_ += name;
  } else {
    out_ += "intrinsic ";
    append_quoted(out_, name);
  }
  append_list(stmt, 1, '(', ')');
}

void StatementText::append_indirect_call(const Stmt& stmt) {
  uint32_t id = f_.arg(stmt, 0);
  if (id < f_.module().signature_count()) {
    const Signature& signature = f_.module().signature(static_cast<SigId>(id));
    out_ += " (";
    for (size_t i = 0; i < signature.params.size(); ++i) {
      if (i > 0) out_ += ", ";
      append_type(signature.params[i]);
    }
    out_ += ") -> ";
    append_type(signature.result);
  }
  out_ += ' ';
  append_value(stmt, 1, none);
  append_list(stmt, 2, '(', ')');
}

// ---- operands ----

void StatementText::append_list(const Stmt& stmt, uint32_t first, char open, char close) {
  out_ += open;
  for (uint32_t i = first; i < f_.operand_count(stmt); ++i) {
    if (i > first) out_ += ", ";
    append_value(stmt, i, none);
  }
  out_ += close;
}

void StatementText::append_operand(const Stmt& stmt, uint32_t i, Type shown) {
  const OpInfo& op = info(stmt.op);
  const Module& module = f_.module();
  uint32_t word = f_.arg(stmt, i);
  // More operands than the op has are shown as values; the verifier has more to say of them.
  OperandKind kind = i < op.fixed_count || op.group_count != 0 ? op.kind_of(i) : OperandKind::value;
  switch (kind) {
    case OperandKind::value: append_value(stmt, i, shown); break;
    case OperandKind::block: append_target(word); break;
    case OperandKind::variable: l_.append_variable(out_, static_cast<VarId>(word)); break;
    case OperandKind::function: {
      FuncId callee = static_cast<FuncId>(word);
      append_global_name(out_, module.has_function(callee) ? module.function(callee).name_text() : "?");
      break;
    }
    case OperandKind::global: {
      GlobalId global = static_cast<GlobalId>(word);
      append_global_name(out_, module.globals.contains(global) ? module.name(module.globals[global].name) : "?");
      break;
    }
    case OperandKind::symbol: {
      Symbol symbol = static_cast<Symbol>(word);
      append_quoted(out_, module.symbols.contains(symbol) ? module.name(symbol) : "?");
      break;
    }
    case OperandKind::type: append_type(Type{word}); break;
    case OperandKind::intrinsic:
    case OperandKind::signature:
    case OperandKind::immediate: append_number(out_, word); break;
  }
}

void StatementText::append_target(uint32_t edge_word) {
  if (is_live(f_, edge_word))
    l_.append_block(out_, f_.edge(static_cast<EdgeId>(edge_word)).to);
  else
    out_ += "none";
}

/// A literal stands without its type where the place says which one it has.
void StatementText::append_value(const Stmt& stmt, uint32_t i, Type shown) {
  Operand operand = f_.operand(stmt, i);
  if (operand.is_stmt()) {
    out_ += '%';
    append_number(out_, operand.number());
    return;
  }
  const ConstTable& constants = f_.module().constants;
  if (operand.is_constant() && constants.contains(operand)) {
    Constant constant = constants.value(operand);
    if (literal_type(f_, stmt.op, shown, f_.args(stmt).first(i), i) == constant.type) return append_constant(constant);
  }
  append_value(operand);
}

void StatementText::append_value(Operand operand) {
  const ConstTable& constants = f_.module().constants;
  if (operand.is_constant() && constants.contains(operand)) {
    Constant constant = constants.value(operand);
    append_type(constant.type);
    out_ += ' ';
    append_constant(constant);
    return;
  }
  if (operand.is_undef()) {
    out_ += "undef";
    return;
  }
  out_ += '%';
  switch (operand.tag()) {
    case Operand::Tag::stmt: append_number(out_, operand.number()); break;
    case Operand::Tag::pending:
      out_ += '+';
      append_number(out_, operand.number());
      break;
    case Operand::Tag::param:
      if (operand.is_erased())
        out_ += "erased";
      else
        l_.append_param(out_, operand.number());
      break;
    // Names that are not read back: words of no constant, and what stands in a function only while it is compacted.
    case Operand::Tag::constant:
    case Operand::Tag::small: out_ += "bad_constant"; break;
    case Operand::Tag::old:
      out_ += "old.";
      append_number(out_, operand.number());
      break;
    case Operand::Tag::final_stmt:
    case Operand::Tag::final_pending:
      out_ += operand.tag() == Operand::Tag::final_stmt ? "final." : "final+";
      append_number(out_, operand.number());
      break;
  }
}

void append_reference(std::string& out, const Module& module, Kind kind, uint64_t bits) {
  if (Symbol symbol = literal_symbol(module, bits); kind == Kind::string && !is_none(symbol))
    append_quoted(out, module.name(symbol));
  else if (bits == 0)
    out += "null";
  else
    append_hex(out, bits);
}

void StatementText::append_constant(Constant constant) {
  Kind kind = static_cast<Kind>(std::countr_zero(constant.type.bits));
  if (kind == Kind::i1) {
    out_ += constant.bits ? "true" : "false";
  } else if (is_integer(kind)) {
    int64_t value = static_cast<int64_t>(constant.bits);
    if (value < 0) out_ += '-';
    append_number(out_, value < 0 ? 0 - constant.bits : constant.bits);
  } else if (kind == Kind::f64) {
    append_hex_float(out_, std::bit_cast<double>(constant.bits));
  } else if (kind == Kind::f32) {
    append_hex_float(out_, std::bit_cast<float>(static_cast<uint32_t>(constant.bits)));
  } else {
    append_reference(out_, f_.module(), kind, constant.bits);
  }
}

// ---- types and attributes ----

void StatementText::append_type(Type type) {
  const Module& module = f_.module();
  if (std::has_single_bit(type.bits) && std::countr_zero(type.bits) < kind_count)
    out_ += kind_words[static_cast<size_t>(std::countr_zero(type.bits))];
  else if (type.is_plain() ? type.bits >> kind_count == 0 : type.table_index() < module.types.size())
    braid::append_type(out_, module.types, type, &module.symbols);
  else
    out_ += "bad_type";
}

/// Which kinds the first operand has; what more is known of it belongs to its own statement.
Type StatementText::first_operand_type(const Stmt& stmt) const {
  if (f_.operand_count(stmt) == 0 || !operand_exists(f_, f_.operand(stmt, 0))) return none;
  return Type{f_.module().types.kinds(f_.type_of(f_.operand(stmt, 0)))};
}

bool StatementText::operands_exist(const Stmt& stmt) const {
  const Module& module = f_.module();
  if (!info(stmt.op).arity_ok(f_.operand_count(stmt))) return false;
  for (uint32_t i = 0; i < f_.operand_count(stmt); ++i)
    if (info(stmt.op).is_value(i) && !operand_exists(f_, f_.operand(stmt, i))) return false;
  auto word = [&] { return f_.arg(stmt, 0); };
  switch (info(stmt.op).rule) {
    case TypeRule::call: return module.has_function(static_cast<FuncId>(word()));
    case TypeRule::call_indirect: return word() < module.signature_count();
    case TypeRule::intrinsic: return module.intrinsics.contains(static_cast<IntrinsicId>(word()));
    case TypeRule::get: return f_.variables.contains(static_cast<VarId>(word()));
    default: return true;
  }
}

/// Whether the reader finds the type of the statement without being told.
bool StatementText::type_follows(Operand id, const Stmt& stmt) const {
  if (!operands_exist(stmt)) return true;
  const OpInfo& op = info(stmt.op);
  if (depends_on_operands(op.rule)) {
    std::span<const uint32_t> words = f_.args(stmt);
    for (uint32_t i = 0; i < words.size(); ++i) {
      Operand operand = Operand::from_word(words[i]);
      if (!op.is_value(i) || operand.tag() > Operand::Tag::pending) continue;
      bool is_above = operand.is_stmt() &&
                      (printed_ ? printed_->test(f_.dense(operand)) : id.is_stmt() && operand.number() < id.number());
      if (!is_above || f_.op(operand) == Op::same) return false;
    }
  }
  return f_.type(id) == result_type(f_, stmt);
}

void StatementText::append_location(Loc loc) {
  if (loc == Loc{} || index(loc) >= f_.module().location_count()) return;
  char mark = '!';
  for (out_ += ' '; loc != Loc{}; loc = f_.module().location(loc).inlined_at) {
    const Location& location = f_.module().location(loc);
    out_ += std::exchange(mark, '@');
    if (!is_none(location.file)) {
      append_quoted(out_, f_.module().name(location.file));
      out_ += ':';
    }
    append_number(out_, location.line);
    out_ += ':';
    append_number(out_, location.column);
  }
}

void StatementText::append_attributes(BlockId block, Operand id, const Stmt& stmt) {
  append_location(f_.loc(id));
  if (VarId variable = f_.source_variable(id); !is_none(variable)) {
    out_ += " !var ";
    l_.append_variable(out_, variable);
  }
  if (stmt.flags & cannot_throw) out_ += " !nothrow";
  if (stmt.flags & refined) out_ += " !refined";
  if (stmt.flags & end_of_function) out_ += " !end";
  if (!is_terminator(stmt.op)) return;
  BlockId impossible = f_.impossible(block);
  if (is_none(impossible) || f_.terminator(block) != id) return;
  out_ += " !impossible ";
  l_.append_block(out_, impossible);
}

}  // namespace braid::text
