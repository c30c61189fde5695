// Phis: those with one value, equal operations behind them, constants in them.
#include <array>

#include "sea/columns.h"
#include "sea/rewriter.h"
#include "sea/sum_parts.h"

namespace braid::sea {

using ir::Op;

namespace {

/// Wider phis are left alone where each column costs a node.
constexpr uint32_t most_columns = 32;

}  // namespace

Rewriter::Outcome Rewriter::step_phi(NodeId n) {
  if (graph_.type(n) != void_type)
    if (Outcome o = fold(n)) return o;
  if (Outcome o = same_input(n)) return o;
  if (graph_.type(n) != void_type) {
    if (Outcome o = truth(n)) return o;
    if (Outcome o = common_factor(n)) return o;
    if (Outcome o = common_operation(n)) return o;
    if (Outcome o = operation_of_rounds(n)) return o;
  }
  if (!is_parsing() && is_phi_of_constants(n) && (!graph_.has_one_use(n) || floats(graph_, graph_.first_use(n).user)))
    constant_phis_.push_back(n);
  if (graph_.type(n) != void_type && has_number_on_a_way(n)) note_sum(n);
  return unify(n);
}

/// Some column is a number or ends in one: linear_sums.h may bring it out.
bool Rewriter::has_number_on_a_way(NodeId phi) const {
  if (graph_.op(graph_.input(phi, 0)) != NodeOp::region) return false;
  for (uint32_t i = 1; i < graph_.input_count(phi) && i < most_columns; ++i) {
    const NodeId value = graph_.input(phi, i);
    if (is_none(value)) return false;
    if (graph_.is_constant(value) || (graph_.is(value, Op::add) && graph_.is_constant(graph_.input(value, 1)))) return true;
  }
  return false;
}

Rewriter::Outcome Rewriter::same_input(NodeId phi) {
  NodeId region = graph_.input(phi, 0);
  const bool open = is_region(graph_.op(region)) && !is_dead_control(graph_, region);
  if (graph_.op(region) == NodeOp::loop && !types_.is_way_open(region, 0)) return {};  // what comes back is the phi's own
  const bool knot = is_knot(region);
  NodeId only = no_node;
  for (uint32_t i = 1; i < graph_.input_count(phi); ++i) {
    NodeId value = graph_.input(phi, i);
    if (is_none(value)) return {};
    if (value == phi) continue;
    if (open && is_none(graph_.input(region, i - 1))) return {};
    // Where nothing comes in, any value will do.
    if (!open) return {value, Rewrite::phi_same_input};
    if ((!knot && !types_.is_way_open(region, i - 1)) || value == only) continue;
    if (!is_none(only)) return {};
    only = value;
  }
  if (is_none(only)) return {};
  return {only, Rewrite::phi_same_input};
}

/// Behind a branch, 1 on the way where its condition holds and 0 on the other is the condition itself.
Rewriter::Outcome Rewriter::truth(NodeId phi) {
  if (graph_.input_count(phi) != 3) return {};
  NodeId x = graph_.input(phi, 1), y = graph_.input(phi, 2);
  if (is_none(x) || is_none(y) || !graph_.is_constant(x) || !graph_.is_constant(y)) return {};
  NodeId region = graph_.input(phi, 0);
  if (graph_.op(region) != NodeOp::region) return {};
  NodeId a = graph_.input(region, 0), b = graph_.input(region, 1);
  if (is_none(a) || is_none(b) || graph_.op(a) != NodeOp::projection || graph_.op(b) != NodeOp::projection) return {};
  NodeId branch = graph_.input(a, 0);
  if (branch != graph_.input(b, 0) || !graph_.is(branch, Op::branch) || graph_.payload(a) == graph_.payload(b)) return {};
  look_into(branch, phi);
  if (!allows_truths_) {
    truths_.push_back(phi);
    return {};
  }
  if (graph_.payload(a) == 1) std::swap(x, y);
  const uint64_t then = graph_.constant_value(x).bits, otherwise = graph_.constant_value(y).bits;
  const Type type = graph_.type(phi);
  NodeId condition = graph_.input(branch, 1);
  if (then == 1 && otherwise == 0) {
    if (graph_.type(condition) != type || !types_.is_truth(types_.of(condition))) return {};
    return {condition, Rewrite::phi_truth};
  }
  std::optional<Kind> kind = graph_.module().types.single_kind(type);
  // On i1, negation is an op of the table, which is left to the rules.
  if (then != 0 || otherwise != 1 || type == i1 || !kind || !is_integer(*kind)) return {};
  if (!graph_.module().types.single_kind(graph_.type(condition))) return {};
  return {graph_.make(NodeOp::is_zero, type, {condition}, 0, graph_.loc(phi)), Rewrite::phi_truth};
}

/// Of two equal operations whose operands may change places: more of them are the same, or operations of one kind, if those of the
/// second do.
bool Rewriter::fits_better_turned(NodeId first, NodeId second) const {
  auto fit = [&](NodeId a, NodeId b) { return a == b ? 4 : graph_.op(a) == graph_.op(b) ? 1 : 0; };
  const NodeId a = graph_.input(first, 0), b = graph_.input(first, 1);
  const NodeId c = graph_.input(second, 0), d = graph_.input(second, 1);
  return fit(a, d) + fit(b, c) > fit(a, c) + fit(b, d);
}

/// phi(a op b, c op d) becomes phi(a, c) op phi(b, d), unless that makes more nodes: those it replaces must have no
/// other use.
Rewriter::Outcome Rewriter::common_operation(NodeId phi) {
  NodeId region = graph_.input(phi, 0);
  const uint32_t count = graph_.input_count(phi);
  if (graph_.op(region) != NodeOp::region || count < 3 || count - 1 > most_columns || is_dead_control(graph_, region)) return {};
  NodeId first = graph_.input(phi, 1);
  if (is_none(first) || !floats(graph_, first)) return {};
  const uint32_t arity = graph_.input_count(first);
  if (arity == 0 || arity > 3) return {};
  for (uint32_t i = 1; i < count; ++i) {
    NodeId value = graph_.input(phi, i);
    if (is_none(value) || value == phi) return {};
    look_into(value, phi);
    if (graph_.op(value) != graph_.op(first) || graph_.type(value) != graph_.type(first) ||
        graph_.payload(value) != graph_.payload(first) || graph_.input_count(value) != arity)
      return {};
    for (uint32_t k = 0; k < arity; ++k)
      if (graph_.module().types.kinds(graph_.type(graph_.input(value, k))) !=
          graph_.module().types.kinds(graph_.type(graph_.input(first, k))))
        return {};
  }
  for (uint32_t i = 1; i < count; ++i)
    if (!is_only_use(graph_.input(phi, i))) return {};
  const bool turns = has(graph_.op(first), commuting);
  auto operand = [&](uint32_t way, uint32_t k) {
    const NodeId value = graph_.input(phi, way);
    return graph_.input(value, turns && way > 1 && fits_better_turned(first, value) ? 1 - k : k);
  };
  uint32_t differing = 0;
  std::array<bool, 3> differs{};
  for (uint32_t k = 0; k < arity; ++k) {
    for (uint32_t i = 2; i < count; ++i) differs[k] = differs[k] || operand(i, k) != graph_.input(first, k);
    differing += differs[k];
  }
  if (differing + 1 > count) return {};
  std::array<NodeId, 3> operands;
  for (uint32_t k = 0; k < arity; ++k) {
    operands[k] = graph_.input(first, k);
    if (!differs[k]) continue;
    list_.assign(1, region);
    for (uint32_t i = 1; i < count; ++i) list_.push_back(operand(i, k));
    const Type type{graph_.module().types.kinds(graph_.type(operands[k]))};
    operands[k] = graph_.make(node_op(Op::phi), type, list_, 0, graph_.loc(phi));
    graph_.set_note(operands[k], graph_.note(phi));
    operands[k] = settle(operands[k]);
  }
  return {graph_.make(graph_.op(first), graph_.type(first), std::span<const NodeId>(operands.data(), arity),
                      graph_.payload(first), graph_.loc(first)),
          Rewrite::phi_common_operation};
}

/// A product, or the negative of one.
struct Rewriter::SignedProduct {
  std::array<NodeId, 2> factors;
  bool negative;
  uint32_t going;  ///< nodes that nobody else uses
};

std::optional<Rewriter::SignedProduct> Rewriter::signed_product(NodeId n, NodeId phi) {
  const bool negative = graph_.is(n, Op::neg);
  const NodeId product = negative ? graph_.input(n, 0) : n;
  if (is_none(product)) return std::nullopt;
  look_into(n, phi);
  look_into(product, phi);
  if (!graph_.is(product, Op::mul) || !is_only_use(n) || (negative && !is_only_use(product))) return std::nullopt;
  return SignedProduct{{graph_.input(product, 0), graph_.input(product, 1)}, negative, negative ? 2u : 1u};
}

/// phi(x * y, -(x * z)) becomes x * phi(y, -z), and phi(x * y, -x * z), too, if that makes fewer nodes: signs that have gone their
/// way do not keep products apart.
Rewriter::Outcome Rewriter::common_factor(NodeId phi) {
  if (graph_.input_count(phi) != 3) return {};
  const NodeId region = graph_.input(phi, 0);
  const NodeId ways[] = {graph_.input(phi, 1), graph_.input(phi, 2)};
  if (is_none(ways[0]) || is_none(ways[1]) || graph_.op(region) != NodeOp::region || is_dead_control(graph_, region)) return {};
  auto may_be_product = [&](NodeId n) { return graph_.is(n, Op::mul) || graph_.is(n, Op::neg); };
  if (!may_be_product(ways[0]) || !may_be_product(ways[1])) return {};
  std::array<std::optional<SignedProduct>, 2> products;
  for (size_t way = 0; way < 2; ++way)
    if (!(products[way] = signed_product(ways[way], phi))) return {};
  for (uint32_t i = 0; i < 2; ++i)
    for (uint32_t k = 0; k < 2; ++k) {
      const NodeId factor = products[0]->factors[i], like = products[1]->factors[k];
      const bool opposite = factor != like && (graph_.is(factor, Op::neg) || graph_.is(like, Op::neg)) && find_negative(graph_, factor) == like;
      if ((factor != like && !opposite) || factor == phi) continue;
      std::array<NodeId, 2> others{products[0]->factors[1 - i], products[1]->factors[1 - k]};
      const uint32_t going = products[0]->going + products[1]->going;
      // Of two that are opposite, the one outside may be either.
      const uint32_t turns = opposite ? 2 : 1;
      for (uint32_t turn = 0; turn < turns; ++turn) {
        const bool negative[] = {products[0]->negative != (turn == 1), products[1]->negative != (opposite && turn == 0)};
        uint32_t made = 1;
        for (size_t way = 0; way < 2; ++way) made += negative[way] && is_none(find_negative(graph_, others[way]));
        if (made < going) return factor_out(phi, turn == 0 ? factor : like, others, negative);
      }
    }
  return {};
}

Rewriter::Outcome Rewriter::factor_out(NodeId phi, NodeId factor, std::array<NodeId, 2> others, std::span<const bool, 2> negative) {
  const Type type{graph_.module().types.kinds(graph_.type(phi))};
  const ir::Loc loc = graph_.loc(phi);
  for (size_t way = 0; way < 2; ++way) {
    if (!negative[way]) continue;
    const NodeId known = find_negative(graph_, others[way]);
    others[way] = is_none(known) ? settle(graph_.make(Op::neg, type, {others[way]}, 0, loc)) : known;
  }
  const NodeId other = settle(graph_.make(node_op(Op::phi), type, {graph_.input(phi, 0), others[0], others[1]}, 0, loc));
  if (graph_.is(other, Op::phi)) graph_.set_note(other, graph_.note(phi));
  return {graph_.make(Op::mul, type, {factor, other}, 0, loc), Rewrite::phi_common_factor};
}

/// What is done to a value before a loop and again at the end of each round is done at its head: phi(x op y, phi op y) is
/// phi(x, itself op y) op y.
Rewriter::Outcome Rewriter::operation_of_rounds(NodeId phi) {
  const NodeId loop = graph_.input(phi, 0);
  if (graph_.op(loop) != NodeOp::loop || graph_.input_count(phi) != 3) return {};
  const NodeId first = graph_.input(phi, 1), next = graph_.input(phi, 2);
  if (is_none(first) || is_none(next) || graph_.op(first) != graph_.op(next) || !floats(graph_, first)) return {};
  const uint32_t count = graph_.input_count(first);
  if (count == 0 || count > 2 || graph_.input_count(next) != count || graph_.payload(first) != graph_.payload(next)) return {};
  const Type type = graph_.type(phi);
  look_into(first, phi);
  look_into(next, phi);
  if (graph_.type(first) != type || graph_.type(next) != type || !type.is_plain()) return {};
  for (uint32_t k = 0; k < count; ++k) {
    if (graph_.input(next, k) != phi) continue;
    const NodeId start = graph_.input(first, k);
    const NodeId other = count == 2 ? graph_.input(next, 1 - k) : no_node;
    if (is_none(start) || graph_.type(start) != type || start == phi || other == phi) continue;
    if (count == 2 && (is_none(other) || graph_.input(first, 1 - k) != other)) continue;
    if (!is_only_use(first) || !is_only_use(next)) return {};
    const NodeId head = graph_.make(node_op(Op::phi), type, {loop, start, next}, 0, graph_.loc(phi));
    graph_.set_note(head, graph_.note(phi));
    std::array<NodeId, 2> inputs{head, other};
    if (k == 1) std::swap(inputs[0], inputs[1]);
    const NodeId result = graph_.make(graph_.op(next), type, std::span<const NodeId>(inputs.data(), count), graph_.payload(next),
                                      graph_.loc(next));
    graph_.set_input(head, 2, result);
    return {result, Rewrite::phi_of_rounds};
  }
  return {};
}

// ---- constants pushed through ----

bool Rewriter::is_phi_of_constants(NodeId n) const {
  if (!graph_.is(n, Op::phi)) return false;
  const uint32_t count = graph_.input_count(n);
  if (count > most_columns) return false;
  for (uint32_t i = 1; i < count; ++i) {
    NodeId value = graph_.input(n, i);
    if (is_none(value) || !graph_.is_constant(value)) return false;
  }
  NodeId region = graph_.input(n, 0);
  return is_region(graph_.op(region)) && graph_.input_count(region) + 1 == count;
}

/// The phi of what `n`'s op gives, column by column, for operands that are constants or phis of constants at `region`;
/// `right` is none for an op with one operand. None if a column does not fold.
NodeId Rewriter::phi_of_results(NodeId n, NodeId region, NodeId left, NodeId right) {
  const uint32_t columns = graph_.input_count(region);
  const std::optional<Kind> kind = graph_.module().types.single_kind(graph_.type(n));
  if (!kind) return no_node;
  auto at = [&](NodeId operand, uint32_t i) { return graph_.is_constant(operand) ? operand : graph_.input(operand, i + 1); };
  std::array<uint64_t, most_columns> results;
  for (uint32_t i = 0; i < columns; ++i) {
    const uint64_t bits[] = {graph_.constant_value(at(left, i)).bits, is_none(right) ? 0 : graph_.constant_value(at(right, i)).bits};
    const std::optional<uint64_t> answer = fold_operation(graph_, n, std::span(bits, is_none(right) ? 1 : 2));
    if (!answer) return no_node;
    results[i] = *answer;
  }
  list_.assign(1, region);
  for (uint32_t i = 0; i < columns; ++i) list_.push_back(constant(*kind, results[i], graph_.loc(n)));
  NodeId phi = graph_.make(node_op(Op::phi), graph_.type(n), list_, 0, graph_.loc(n));
  graph_.set_note(phi, graph_.note(graph_.is(left, Op::phi) ? left : right));
  return phi;
}

/// Makes no node more: each phi that it looks through must have no other use.
Rewriter::Outcome Rewriter::phi_constants(NodeId n) {
  const uint32_t arity = graph_.input_count(n);
  if (arity == 0 || arity > 2) return {};
  NodeId left = graph_.input(n, 0), right = arity == 2 ? graph_.input(n, 1) : no_node;
  NodeId phi = graph_.is(left, Op::phi) ? left : right;
  if (is_none(phi) || !graph_.is(phi, Op::phi)) return {};
  NodeId region = graph_.input(phi, 0);
  for (NodeId operand : {left, right}) {
    if (is_none(operand) || graph_.is_constant(operand)) continue;
    look_into(operand, n);
    if (!is_phi_of_constants(operand) || graph_.input(operand, 0) != region) return {};
    if (!(left == right ? is_only_user(operand) : is_only_use(operand))) return {};
  }
  NodeId result = phi_of_results(n, region, left, right);
  if (is_none(result)) return {};
  return {result, Rewrite::phi_constants};
}

/// (x op phi(constants)) op constant: the last two join; (phi(constants) - x) + constant, too.
Rewriter::Outcome Rewriter::phi_constants_outwards(NodeId n) {
  const NodeOp op = graph_.op(n);
  if (op == Op::add && graph_.is_constant(graph_.input(n, 1)) && graph_.is(graph_.input(n, 0), Op::sub)) {
    NodeId difference = graph_.input(n, 0), phi = graph_.input(difference, 0), x = graph_.input(difference, 1);
    look_into(difference, n);
    if (is_none(phi) || !graph_.is(phi, Op::phi) || phi == x) return {};
    look_into(phi, n);
    if (!is_phi_of_constants(phi) || !is_only_use(difference) || !is_only_use(phi)) return {};
    NodeId joined = phi_of_results(n, graph_.input(phi, 0), phi, graph_.input(n, 1));
    if (is_none(joined)) return {};
    joined = settle(joined);
    return {graph_.make(Op::sub, graph_.type(n), {joined, x}, 0, graph_.loc(n)), Rewrite::phi_constants_outwards};
  }
  if (op != Op::add && op != Op::mul && op != Op::and_ && op != Op::or_ && op != Op::xor_) return {};
  NodeId inner = graph_.input(n, 0), last = graph_.input(n, 1);
  if (graph_.op(inner) != op) std::swap(inner, last);
  if (graph_.op(inner) != op || (!graph_.is_constant(last) && !graph_.is(last, Op::phi))) return {};
  look_into(inner, n);
  for (uint32_t k = 0; k < 2; ++k) {
    NodeId phi = graph_.input(inner, k), x = graph_.input(inner, 1 - k);
    if (!graph_.is(phi, Op::phi) || phi == x || last == phi) continue;
    look_into(phi, n);
    look_into(last, n);
    if (!is_phi_of_constants(phi)) continue;
    const bool is_number = graph_.is_constant(last);
    if (!is_number && (!is_phi_of_constants(last) || graph_.input(last, 0) != graph_.input(phi, 0))) continue;
    if (!is_only_use(inner) || !is_only_use(phi) || (!is_number && !is_only_use(last))) continue;
    NodeId joined = phi_of_results(n, graph_.input(phi, 0), phi, last);
    if (is_none(joined)) continue;
    joined = settle(joined);
    return {graph_.make(op, graph_.type(n), {x, joined}, 0, graph_.loc(n)), Rewrite::phi_constants_outwards};
  }
  return {};
}

/// What a rewrite has made on its way: it may be there already.
NodeId Rewriter::settle(NodeId n) {
  if (Type type = types_.compute(n); type != types_.of(n)) types_.set(n, type);
  if (graph_.is(n, Op::phi)) {
    if (Outcome o = same_input(n)) {
      graph_.keep(o.by);  // the phi may be the only one that uses it
      graph_.kill(n);
      graph_.unkeep(o.by);
      return o.by;
    }
  }
  if (Outcome o = unify(n)) {
    graph_.kill(n);
    return o.by;
  }
  return n;
}

}  // namespace braid::sea
