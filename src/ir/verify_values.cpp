// Rules of statements and values: form, arity, ids, phi prefix, dominance, uses of what is erased or undefined.
//
// Plain statements (verify_plain.h) are done with after one look; everything else goes the long way here, and is noted for
// the rules of types. O(statements + operands).
#include "ir/strings.h"
#include "ir/bits.h"
#include "ir/verify_context.h"
#include "ir/verify_plain.h"

namespace braid::ir {
namespace {

bool takes_undef(Op op, uint32_t operand) {
  switch (op) {
    case Op::phi:
    case Op::upsilon:
    case Op::pi:
    case Op::same:
    case Op::set: return true;
    case Op::save_state: return operand >= 2;
    default: return false;
  }
}

class ValueCheck {
 public:
  explicit ValueCheck(VerifyContext& context) : c(context), f(context.f), plain_(context) {}

  void run() {
    for (uint32_t b = 0; b < c.block_count && !c.full(); ++b) {
      block_ = static_cast<BlockId>(b);
      reachable_ = c.is_reachable(block_);
      terminator_ = f.terminator(block_);
      last_ = Operand::undef();
      in_phis_ = true;
      if (reachable_ && c.lists.empty())
        f.for_each_range(block_, [&](uint32_t first, uint32_t end) { walk_range(first, end); });
      else
        for_each_statement(f, c.lists, block_, [&](Operand id) { walk_statement(id); });
      if (last_ != terminator_)
        c.report(Rule::terminator, last_, block_, say(c.name(last_), " stands behind the terminator"));
    }
  }

 private:
  void walk_range(uint32_t first, uint32_t end) {
    const Stmt* stmts = f.columns().stmts();
    plain_.start_range(block_, first);
    for (uint32_t at = first; at < end; ++at) {
      if (plain_.is_plain(at, in_phis_))
        in_phis_ = in_phis_ && stmts[at].op == Op::phi;
      else
        walk_statement(static_cast<Ref>(at));
    }
    if (first != end) last_ = static_cast<Ref>(end - 1);
  }

  void walk_statement(Operand id) {
    uint32_t dense = f.dense(id);
    const Stmt& stmt = f.stmt(id);
    last_ = id;
    if (reachable_) c.unplain.push_back(dense);
    if (!check_form(id, stmt)) {
      c.mark_bad(dense);
      in_phis_ = false;
      return;
    }
    c.present[static_cast<unsigned>(stmt.op)] = true;
    check_place(id, stmt);
    if (stmt.op == Op::phi && reachable_)
      check_phi(id, dense, stmt);
    else
      check_operands(id, dense, stmt);
  }

  bool check_form(Operand id, const Stmt& stmt) {
    if (static_cast<unsigned>(stmt.op) >= op_count) {
      c.report(Rule::statement, id, block_, say("there is no op number ", static_cast<unsigned>(stmt.op)));
      return false;
    }
    const OpInfo& op = info(stmt.op);
    if (!c.operands_exist(stmt)) {
      c.report(Rule::statement, id, block_, say("the operands of this ", op.text, " do not exist"));
      return false;
    }
    uint32_t count = f.operand_count(stmt);
    if (!op.arity_ok(count)) {
      c.report(Rule::arity, id, block_,
               op.group_count != 0 ? say(op.text, " has ", count, " operands")
                                   : say(op.text, " has ", count, " operands, needs ", op.fixed_count));
      return false;
    }
    return true;
  }

  /// Where in the block the statement may stand.
  void check_place(Operand id, const Stmt& stmt) {
    if (is_terminator(stmt.op) && id != terminator_)
      c.report(Rule::terminator, id, block_, say(info(stmt.op).text, " in the middle of block ", c.name(block_)));
    if (stmt.op == Op::phi) {
      if (!in_phis_)
        c.report(Rule::phi_prefix, id, block_, say("phi behind another statement of block ", c.name(block_)));
    } else if (stmt.op != Op::phi_c && stmt.op != Op::same && stmt.op != Op::nothing) {
      in_phis_ = false;
    }
  }

  // ---- operands ----

  void check_operands(Operand id, uint32_t dense, const Stmt& stmt) {
    const OpInfo& op = info(stmt.op);
    std::span<const uint32_t> words = f.args(stmt);
    for (uint32_t i = 0; i < words.size(); ++i) {
      bool good = op.is_value(i) ? check_operand(id, dense, stmt, i, Operand::from_word(words[i]))
                                 : check_id(id, op, i, words[i]);
      if (!good) c.mark_bad(dense);
    }
  }

  bool check_id(Operand id, const OpInfo& op, uint32_t i, uint32_t word) {
    bool exists = true;
    std::string_view what;
    switch (op.kind_of(i)) {
      case OperandKind::block:
        exists = word < f.edge_count() || word == index(none_id<EdgeId>);
        what = "an edge";
        break;
      case OperandKind::variable:
        exists = word < f.variables.size();
        what = "a variable";
        break;
      case OperandKind::function:
        exists = word < c.module.function_count();
        what = "a function";
        break;
      case OperandKind::global:
        exists = word < c.module.globals.size();
        what = "a global";
        break;
      case OperandKind::intrinsic:
        exists = word < c.module.intrinsics.size();
        what = "an intrinsic";
        break;
      case OperandKind::symbol:
        exists = c.is_symbol(static_cast<Symbol>(word));
        what = "a name";
        break;
      case OperandKind::signature:
        exists = word < c.module.signature_count();
        what = "a signature";
        break;
      case OperandKind::type:
        exists = c.is_type(Type{word});
        what = "a type";
        break;
      case OperandKind::value:
      case OperandKind::immediate: break;
    }
    if (!exists) c.report(Rule::id_range, id, block_, say(op.text, " names ", what, " that does not exist"));
    return exists;
  }

  /// False if the operand names nothing, so that the statement cannot be looked at further.
  bool check_operand(Operand id, uint32_t dense, const Stmt& stmt, uint32_t i, Operand operand) {
    if (operand.is_constant()) return check_constant(id, operand);
    if (!c.is_operand(operand)) {
      c.report(Rule::id_range, id, block_,
               say("operand ", i, " of this ", info(stmt.op).text, ", ", c.name(operand), ", does not exist"));
      return false;
    }
    if (!reachable_ || stmt.op == Op::phi_c) return true;
    Operand def = c.resolve(operand);
    if (!check_defined(id, stmt, i, operand, def) || stmt.op == Op::same) return true;
    uint32_t def_dense = f.dense(def);
    if (is_none(c.block_of_dense[def_dense]) || !c.comes_before(def_dense, dense))
      c.report(Rule::dominance, id, block_, say(c.name(def), " is not defined on every path to its use here"));
    return true;
  }

  /// Whether there is a statement behind the operand, so that its place matters.
  bool check_defined(Operand id, const Stmt& stmt, uint32_t i, Operand operand, Operand def) {
    if (def.is_undef()) {
      if (!takes_undef(stmt.op, i) && (stmt.flags & unfinished) == 0)
        c.report(Rule::undef_use, id, block_, say(info(stmt.op).text, " uses undef"));
      else if (stmt.op != Op::set && stmt.op != Op::save_state)
        c.undef_flows = true;
      return false;
    }
    if (def.is_erased() || (c.is_statement(def) && f.op(def) == Op::nothing)) {
      c.report(Rule::erased_use, id, block_,
               operand.is_erased() ? say(info(stmt.op).text, " uses an erased statement")
                                   : say(info(stmt.op).text, " uses ", c.name(operand), ", which is erased"));
      return false;
    }
    return c.is_statement(def);
  }

  bool check_constant(Operand id, Operand operand) {
    if (!c.module.constants.contains(operand)) {
      c.report(Rule::id_range, id, block_, "a constant does not exist");
      return false;
    }
    constexpr KindSet number_or_address = (i1 | i8 | i16 | i32 | i64 | f32 | f64 | ptr).bits;
    constexpr KindSet references = (ref | null_type).bits;
    Constant constant = c.module.constants.value(operand);
    bool one_kind = constant.type.is_plain() && std::has_single_bit(constant.type.bits);
    bool canonical_bits = false;
    if (one_kind && (constant.type.bits & number_or_address) != 0)
      canonical_bits = canonical(static_cast<Kind>(std::countr_zero(constant.type.bits)), constant.bits) == constant.bits;
    else if (one_kind && (constant.type.bits & references) != 0)
      canonical_bits = constant.bits == 0;
    else if (constant.type == string_type)
      canonical_bits = !is_none(literal_symbol(c.module, constant.bits));
    if (!canonical_bits)
      c.report(Rule::literal, id, block_, say(c.name(operand), " is not a constant of type ", c.name(constant.type)));
    return true;
  }

  void check_phi(Operand id, uint32_t dense, const Stmt& stmt) {
    std::span<const uint32_t> words = f.args(stmt);
    std::span<const flow::Node> columns = c.phi_columns(block_);
    if (words.size() != columns.size()) {
      c.report(Rule::phi_arity, id, block_,
               say("phi has ", words.size(), " operands, block ", c.name(block_), " has ", columns.size(), " predecessors"));
      c.mark_bad(dense);
      return;
    }
    for (uint32_t i = 0; i < words.size(); ++i) {
      Operand operand = Operand::from_word(words[i]);
      if (operand.is_constant() ? !check_constant(id, operand) : !c.is_operand(operand)) {
        if (!operand.is_constant())
          c.report(Rule::id_range, id, block_, say("operand ", i, " of this phi, ", c.name(operand), ", does not exist"));
        c.mark_bad(dense);
        continue;
      }
      if (operand.is_constant() || is_none(columns[i])) continue;
      Operand def = c.resolve(operand);
      if (!check_defined(id, stmt, i, operand, def)) continue;
      BlockId from = c.block_of_dense[f.dense(def)];
      if (is_none(from) || !c.dominates(from, block(columns[i])))
        c.report(Rule::dominance, id, block_,
                 say(c.name(def), " is not defined on every path to the end of block ", c.name(block(columns[i]))));
    }
  }

  VerifyContext& c;
  const Function& f;
  BlockId block_{};
  Operand terminator_, last_;
  bool reachable_ = false, in_phis_ = true;
  PlainCheck plain_;
};

/// Whether types and locations of all statements of the vector exist: a question for plain loops over the columns.
bool columns_are_sound(const VerifyContext& c) {
  const Type* types = c.f.columns().types();
  const Loc* locs = c.f.columns().locs();
  uint32_t type_bits = 0, loc_bits = 0;
  for (uint32_t i = 0; i < c.size; ++i) type_bits |= types[i].bits;
  for (uint32_t i = 0; i < c.size; ++i) loc_bits |= index(locs[i]);
  bool bad = false;
  if (type_bits >> kind_count != 0)
    for (uint32_t i = 0; i < c.size; ++i) bad |= !c.is_type(types[i]);
  if (loc_bits >= c.module.location_count())
    for (uint32_t i = 0; i < c.size; ++i) bad |= index(locs[i]) >= c.module.location_count();
  return !bad;
}

/// Types, locations and source variables of all statements.
bool check_columns(VerifyContext& c) {
  const Function& f = c.f;
  if (f.pending_count() == 0 && !f.has_source_variables() && columns_are_sound(c)) return true;
  const size_t location_count = c.module.location_count();
  bool readable = true;
  for (uint32_t i = 0; i < f.dense_count(); ++i) {
    Operand id = f.from_dense(i);
    if (!c.is_type(f.type(id))) {
      readable = false;
      c.report(Rule::id_range, id, none_id<BlockId>, say("the type of ", c.name(id), " does not exist"));
    }
    if (index(f.loc(id)) >= location_count)
      c.report(Rule::id_range, id, none_id<BlockId>, say("the location of ", c.name(id), " does not exist"));
    VarId variable = f.source_variable(id);
    if (!is_none(variable) && index(variable) >= f.variables.size())
      c.report(Rule::id_range, id, none_id<BlockId>, say("the source variable of ", c.name(id), " does not exist"));
  }
  return readable;
}

}  // namespace

bool check_tables(VerifyContext& c) {
  const Function& f = c.f;
  bool readable = true;
  // `what` makes the name of the thing, which is wanted only in a fault.
  auto check_value_type = [&](Type type, bool or_void, auto&& what) {
    if (!c.is_type(type)) {
      readable = false;
      c.report(Rule::id_range, {}, none_id<BlockId>, say("the type of ", what(), " does not exist"));
    } else if (type != void_type || !or_void) {
      if (!is_value_type(c.types, type))
        c.report(Rule::signature, {}, none_id<BlockId>, say(what(), " cannot have the type ", c.name(type)));
    }
  };
  for (uint32_t i = 0; i < f.param_count(); ++i)
    check_value_type(f.param_type(i), false, [&] { return say("parameter ", c.name(Operand::param(i))); });
  check_value_type(f.result_type(), true, [] { return std::string("the result"); });
  for (uint32_t v = 0; v < f.variables.size(); ++v) {
    const Variable& variable = f.variables[static_cast<VarId>(v)];
    bool named = c.is_symbol(variable.name);
    if (!named) c.report(Rule::id_range, {}, none_id<BlockId>, say("the name of variable ", v, " does not exist"));
    check_value_type(variable.type, false, [&] {
      return named ? say("variable ", c.module.name(variable.name)) : say("variable ", v);
    });
  }
  for (Symbol name : f.param_names)
    if (!is_none(name) && !c.is_symbol(name))
      c.report(Rule::id_range, {}, none_id<BlockId>, "the name of a parameter does not exist");
  for (uint32_t b = 0; b < c.block_count; ++b) {
    Symbol name = f.block(static_cast<BlockId>(b)).name;
    if (!is_none(name) && !c.is_symbol(name))
      c.report(Rule::id_range, {}, static_cast<BlockId>(b), say("the name of block ", b, " does not exist"));
  }
  readable = check_columns(c) && readable;
  return readable;
}

void check_values(VerifyContext& c) { ValueCheck(c).run(); }

}  // namespace braid::ir
