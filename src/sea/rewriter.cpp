// Which rewrites a node is asked for, and those of plain values.
#include "sea/rewriter.h"

#include <array>
#include <cassert>

#include "ir/bits.h"
#include "rules/operands.h"

namespace braid::sea {

using ir::Op;
using ir::TypeRule;

namespace {

/// Equal inputs at the same place give the same value, so that one of two can go.
bool can_be_shared(const Graph& g, NodeId n) {
  const NodeOp op = g.op(n);
  if (has(op, computes)) return true;
  if (op == NodeOp::constant || op == NodeOp::parameter || op == NodeOp::undef) return true;
  if (op == Op::pi || op == Op::load) return true;
  if (op != Op::phi) return floats(g, n);
  for (uint32_t i = 0; i < g.input_count(n); ++i)
    if (is_none(g.input(n, i))) return false;
  return true;
}

/// What the rules take a node for, by its op; comparisons only if their truth is one bit.
constexpr std::array<rules::OperandClass, static_cast<size_t>(NodeOp::end)> operand_classes = [] {
  std::array<rules::OperandClass, static_cast<size_t>(NodeOp::end)> all{};
  for (uint32_t op = 0; op < ir::op_count; ++op) all[op] = rules::class_of_operand(static_cast<Op>(op));
  all[static_cast<size_t>(NodeOp::constant)] = rules::constant_operand;
  return all;
}();
rules::OperandClass class_of_operand(const Node& x) {
  return has(x.op, compares) && x.type != i1 ? rules::other_operand : operand_classes[static_cast<size_t>(x.op)];
}

}  // namespace

Rewriter::Outcome Rewriter::step_of_any(NodeId n) {
  const NodeOp op = graph_.op(n);
  // What was known stays true; what the inputs say now may be more.
  types_.narrow(n, types_.compute(n));
  switch (op) {
    case NodeOp::region:
    case NodeOp::loop: return step_region(n);
    case NodeOp::projection: return step_projection(n);
    case NodeOp::stop: return step_stop(n);
    case NodeOp::start:
    case NodeOp::effect_entry:
    case NodeOp::dead: return {};
    default: break;
  }
  if (op == Op::phi) return step_phi(n);
  if (splits_control(op)) return step_splitter(n);
  if (knows_ends_ && ends_function(op) && has_lost_control(n)) lost_ends_.push_back(n);
  return op == Op::upsilon ? step_upsilon(n) : step_value(n);
}

Rewriter::Outcome Rewriter::fold(NodeId n) {
  if (graph_.is_constant(n)) return {};
  std::optional<TypeConstant> value = types_.constant(n, types_.of(n));
  if (!value) return {};
  return {constant(value->kind, value->bits, graph_.loc(n)), Rewrite::constant};
}

NodeId Rewriter::constant(Kind kind, uint64_t bits, ir::Loc loc) {
  NamedConstant& last = constants_[(bits * 0x9e3779b97f4a7c15u >> 32 ^ static_cast<uint32_t>(kind)) & (constants_.size() - 1)];
  if (!is_none(last.node) && last.bits == bits && last.kind == kind && !graph_.is_dead(last.node)) return last.node;
  const NodeId node = graph_.shared_constant(braid::of(kind), bits, loc);
  last = {bits, node, kind};
  // Small programs do with few.
  if (++constants_missed_ > 2 * constants_.size() && constants_.size() < most_constants) constants_.assign(most_constants, {});
  return node;
}

Rewriter::Outcome Rewriter::unify(NodeId n) { return can_be_shared(graph_, n) ? unify_floating(n) : Outcome{}; }

Rewriter::Outcome Rewriter::unify_floating(NodeId n) {
  NodeId known = graph_.unify(n);
  if (known == n) return {};
  // Both are the same value, so what is known of either is true of it.
  types_.narrow(known, types_.of(n));
  return {known, Rewrite::equal_node};
}

Rewriter::Outcome Rewriter::step_value(NodeId n) {
  if (graph_.is(n, Op::pi)) {
    if (Outcome o = fold(n)) return o;
    // Where a value is surely undefined, control never comes to the uses below this place: any value will do, and
    // landed code must not use undef.
    if (!is_parsing() && graph_.op(graph_.input(n, 1)) == NodeOp::undef) {
      constexpr KindSet with_zero = (i1 | i8 | i16 | i32 | i64 | f32 | f64 | ptr | ref | null_type).bits;
      const TypeTable& types = graph_.module().types;
      std::optional<Kind> kind = types.single_kind(graph_.type(n));
      if (types.storage(graph_.type(n)) == Storage::ref && kind != Kind::ref) kind = Kind::null_;
      if (kind && (braid::of(*kind).bits & with_zero) != 0)
        return {constant(*kind, 0, graph_.loc(n)), Rewrite::undef_use};
    }
    return unify(n);
  }
  if (floats(graph_, n)) {
    if (Outcome o = fold(n)) return o;
    if (graph_.op(n) == NodeOp::is_zero) {
      if (Outcome o = step_is_zero(n)) return o;
    } else {
      if (!is_beyond_rules(n))
        if (Outcome o = by_rules(n)) return o;
      if (Outcome o = test_of_zero(n)) return o;
      if (Outcome o = order_operands(n)) return o;
    }
    if (Outcome o = phi_constants(n)) return o;
    if (Outcome o = phi_constants_outwards(n)) return o;
  }
  return unify(n);
}

/// What most nodes are. Of the rewrites of `step_value`, only those that its op and its operands let apply are asked.
Rewriter::Outcome Rewriter::step_of_two(NodeId n) {
  const Node& x = graph_.node(n);
  const NodeId left = x.slot[0].def, right = x.slot[1].def;
  if (is_none(left) || is_none(right)) return {};
  const Node& l = graph_.node(left);
  const Node& r = graph_.node(right);
  const NodeOp op = x.op, op_of_left = l.op, op_of_right = r.op;
  const Type type = types_.of_two_values(n, left, right), known = types_.of(n);
  if (type != known) types_.narrow(n, type);
  if (!type.is_plain() || !known.is_plain())
    if (Outcome o = fold(n)) return o;
  if (!is_beyond_rules(n)) {
    const KindSet kinds = l.type.is_plain() ? l.type.bits : graph_.module().types.kinds(l.type);
    if (left == right || rules::may_match(table_op(op), class_of_operand(l), class_of_operand(r), kinds)) {
      const NodeId both[] = {left, right};
      if (Outcome o = by_rules(n, both, 0)) return o;
    } else {
      // What is undefined in dead code has no kind.
      assert((op_of_left == NodeOp::undef || !by_rules(n)) && "a rule is missing in the table of operands");
    }
  }
  const bool has_constant = op_of_right == NodeOp::constant;
  if (has_constant && has(op, compares))
    if (Outcome o = test_of_zero(n)) return o;
  if (has(op, commuting) && (op_of_left == NodeOp::constant || (index(left) > index(right) && !has_constant)))
    if (Outcome o = order_operands(n)) return o;
  const bool has_phi = op_of_left == Op::phi || op_of_right == Op::phi;
  if (has_phi && (op_of_left == Op::phi || op_of_left == NodeOp::constant) && (op_of_right == Op::phi || has_constant))
    if (Outcome o = phi_constants(n)) return o;
  // Both need an operand of the same op, or a difference.
  if ((has_phi || has_constant || op_of_left == NodeOp::constant) && (op_of_left == op || op_of_right == op || op_of_left == Op::sub))
    if (Outcome o = phi_constants_outwards(n)) return o;
  return unify_floating(n);
}

/// Only where both orders are left; constants are put last by the rules.
Rewriter::Outcome Rewriter::order_operands(NodeId n) {
  if (!has(graph_.op(n), commuting)) return {};
  NodeId a = graph_.input(n, 0), b = graph_.input(n, 1);
  bool in_order = graph_.is_constant(a) ? graph_.is_constant(b) && index(a) <= index(b)
                                        : graph_.is_constant(b) || index(a) <= index(b);
  if (in_order) return {};
  graph_.swap_inputs(n);
  return changed(n, Rewrite::operand_order);
}

NodeId Rewriter::negation_of(NodeId condition) const {
  if (graph_.op(condition) == NodeOp::is_zero) return graph_.input(condition, 0);
  if (!is_table_op(graph_.op(condition)) || graph_.type(condition) != i1) return no_node;
  if (graph_.is(condition, Op::not_)) return graph_.input(condition, 0);
  bool flips = graph_.is(condition, Op::xor_), tests = graph_.is(condition, Op::eq);
  if (!flips && !tests) return no_node;
  NodeId value = graph_.input(condition, 0), other = graph_.input(condition, 1);
  if (graph_.type(value) != i1 || !graph_.is_constant(other)) return no_node;
  return graph_.constant_value(other).bits == (flips ? 1u : 0u) ? value : no_node;
}

Rewriter::Outcome Rewriter::step_is_zero(NodeId n) {
  NodeId of = graph_.input(n, 0);
  const Type type = graph_.type(n);
  look_into(of, n);
  const NodeOp op = graph_.op(of);
  if (op == NodeOp::is_zero) {
    NodeId truth = graph_.input(of, 0);
    look_into(truth, n);
    if (graph_.type(truth) == type && types_.is_truth(types_.of(truth))) return {truth, Rewrite::is_zero_twice};
    return {};
  }
  if (!is_only_use(of)) return {};
  if (std::optional<Op> other = is_table_op(op) ? ir::opposite_comparison(table_op(op)) : std::nullopt)
    return {graph_.make(*other, type, {graph_.input(of, 0), graph_.input(of, 1)}, 0, graph_.loc(n)),
            Rewrite::is_zero_of_test};
  if (op == Op::sub || op == Op::xor_)
    return {graph_.make(Op::eq, type, {graph_.input(of, 0), graph_.input(of, 1)}, 0, graph_.loc(n)),
            Rewrite::is_zero_of_difference};
  if (op == Op::add && graph_.is_constant(graph_.input(of, 1))) {
    const ir::Constant number = graph_.constant_value(graph_.input(of, 1));
    const Kind kind = *graph_.module().types.single_kind(number.type);
    const NodeId opposite = constant(kind, ir::canonical(kind, 0 - number.bits), graph_.loc(n));
    return {graph_.make(Op::eq, type, {graph_.input(of, 0), opposite}, 0, graph_.loc(n)), Rewrite::is_zero_of_difference};
  }
  return {};
}

/// Languages whose truths are integers ask `x == 0` and `x != 0` of them.
Rewriter::Outcome Rewriter::test_of_zero(NodeId n) {
  const bool equal = graph_.is(n, Op::eq);
  if ((!equal && !graph_.is(n, Op::ne)) || graph_.type(n) == i1) return {};
  NodeId value = graph_.input(n, 0), other = graph_.input(n, 1);
  if (!graph_.is_constant(other)) return {};
  const uint64_t bits = graph_.constant_value(other).bits;
  const bool is_truth = types_.is_truth(types_.of(value)) && graph_.type(value) == graph_.type(n);
  if (is_truth && bits == (equal ? 1u : 0u)) return {value, Rewrite::test_of_zero};
  if ((bits == 0 && equal) || (is_truth && bits == 1))
    return {graph_.make(NodeOp::is_zero, graph_.type(n), {value}, 0, graph_.loc(n)), Rewrite::test_of_zero};
  return {};
}

}  // namespace braid::sea
