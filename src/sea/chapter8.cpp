#include "sea/chapter8.h"

#include <string>

#include "ir/eval_op.h"

namespace braid::sea {

using ir::Op;

namespace {

/// Operations of two values, in the words of the original: what has three inputs, the first of them empty.
bool is_binary(NodeOp op) {
  if (!is_table_op(op)) return false;
  switch (table_op(op)) {
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::sdiv:
    case Op::eq:
    case Op::slt:
    case Op::sle: return true;
    default: return false;
  }
}

uint64_t fold(Op op, uint64_t a, uint64_t b) {
  switch (op) {
    case Op::add: return ir::eval_int_binary<Op::add, 64>(a, b);
    case Op::sub: return ir::eval_int_binary<Op::sub, 64>(a, b);
    case Op::mul: return ir::eval_int_binary<Op::mul, 64>(a, b);
    case Op::sdiv: return ir::eval_int_binary<Op::sdiv, 64>(a, b);
    case Op::eq: return ir::eval_int_compare<Op::eq>(a, b);
    case Op::slt: return ir::eval_int_compare<Op::slt>(a, b);
    default: return ir::eval_int_compare<Op::sle>(a, b);
  }
}

}  // namespace

// ---- the machine ----

NodeId Chapter8::apply(NodeId n) {
  size_t base = frames_.size();
  NodeId at = n;
  for (;;) {
    while (may_step(at)) {
      NodeId next = step(at);
      if (is_none(next)) break;
      at = next;
    }
    NodeId answer = at;
    for (bool answered = true; answered;) {
      if (frames_.size() == base) {
        patient_ = may_merge_ = true;
        return answer;
      }
      Frame frame = frames_.back();
      frames_.pop_back();
      answered = false;
      switch (frame.kind) {
        case Frame::Kind::replaced:
          put_in_place(frame.node, answer);
          answered = true;
          break;
        case Frame::Kind::add_right: at = make(node_op(Op::add), answer, frame.node); break;
        case Frame::Kind::phi_left:
          frames_.push_back({Frame::Kind::phi_right, frame.node, answer});
          at = phi_of_sides(frame.node, 1);
          break;
        case Frame::Kind::phi_right: at = make(graph_.op(graph_.input(frame.node, 1)), frame.left, answer); break;
      }
    }
  }
}

void Chapter8::put_in_place(NodeId old, NodeId by) {
  if (old == by || graph_.is_dead(old) || graph_.has_uses(old) || graph_.is_kept(old)) return;
  graph_.keep(by);  // it may hang on `old` alone
  graph_.kill(old);
  graph_.unkeep(by);
}

NodeId Chapter8::step(NodeId n) {
  NodeId next = no_node;
  switch (graph_.op(n)) {
    case NodeOp::add:
    case NodeOp::sub:
    case NodeOp::mul:
    case NodeOp::sdiv:
    case NodeOp::eq:
    case NodeOp::slt:
    case NodeOp::sle:
    case NodeOp::neg:
    case NodeOp::is_zero: next = step_arithmetic(n); break;
    case NodeOp::phi: next = step_phi(n); break;
    case NodeOp::region: next = step_region(n); break;
    case NodeOp::projection: next = step_projection(n); break;
    case NodeOp::stop: next = step_stop(n); break;
    case NodeOp::ret:
      if (!is_dead_control(graph_.input(n, 0))) break;
      tell(Rewrite::chapter8_return_unreachable, n);
      next = graph_.input(n, 0);
      break;
    case NodeOp::loop: next = step_loop(n); break;
    case NodeOp::branch: know(n); break;
    default: break;
  }
  return next;
}

// ---- values ----

NodeId Chapter8::step_arithmetic(NodeId n) {
  NodeId a = graph_.input(n, 0);
  if (graph_.input_count(n) == 1) {
    if (!has_value(a)) return no_node;
    const bool is_not = graph_.op(n) == NodeOp::is_zero;
    return becomes_number(n, is_not ? bits(a) == 0 : ir::eval_int_unary<Op::neg, 64>(bits(a)), Rewrite::chapter8_fold);
  }
  NodeId b = graph_.input(n, 1);
  Op op = table_op(graph_.op(n));
  if (has_value(a) && has_value(b)) return becomes_number(n, fold(op, bits(a), bits(b)), Rewrite::chapter8_fold);
  switch (op) {
    case Op::add: return step_add(n);
    case Op::mul: return step_mul(n);
    case Op::sub: return a == b ? becomes_number(n, 0, Rewrite::chapter8_sub_self) : no_node;
    case Op::sdiv: return is_value(b, 1) ? becomes(n, a, Rewrite::chapter8_div_one) : no_node;
    default: return step_compare(n);
  }
}

NodeId Chapter8::swap_sides(NodeId n, Rewrite rewrite) {
  tell(rewrite, n);
  NodeId a = graph_.input(n, 0), b = graph_.input(n, 1);
  graph_.keep(a);
  graph_.set_input(n, 0, b);
  graph_.set_input(n, 1, a);
  graph_.unkeep(a);
  return n;
}

NodeId Chapter8::step_add(NodeId n) {
  if (is_loose(n)) return no_node;
  NodeId a = graph_.input(n, 0), b = graph_.input(n, 1);
  /// (a + b) + c, where a + b comes first.
  auto sum_of_three = [&](NodeId x, NodeId y, NodeId z, Rewrite rewrite) {
    tell(rewrite, n);
    frames_.push_back({Frame::Kind::replaced, n});
    frames_.push_back({Frame::Kind::add_right, z});
    return make(node_op(Op::add), x, y);
  };
  if (is_value(b, 0)) return becomes(n, a, Rewrite::chapter8_add_zero);
  if (a == b) {
    NodeId two = make_number(2);
    return becomes(n, make(node_op(Op::mul), a, two), Rewrite::chapter8_add_self);
  }
  bool sum_left = graph_.is(a, Op::add), sum_right = graph_.is(b, Op::add);
  if (!sum_left && sum_right) return swap_sides(n, Rewrite::chapter8_sum_left);
  if (sum_right) {
    if (may_merge_ && !ends_in_constants(b)) {
      if (NodeId merged = merge_loose(n); !is_none(merged)) return merged == n ? no_node : merged;
    }
    settle_if_loose(b);
    if (is_over_) return no_node;
    return sum_of_three(a, graph_.input(b, 0), graph_.input(b, 1), Rewrite::chapter8_add_sums);
  }
  if (!sum_left) return goes_left(a, b) ? swap_sides(n, Rewrite::chapter8_add_order) : push_up(n, true);
  if (graph_.input(a, 0) == a) return no_node;  // a sum of itself, in a loop that is dead
  NodeId right = last_term(a);
  if (has_value(right) && has_value(b)) {
    graph_.skip_numbers(1);  // the sum of the two constants
    NodeId sum = make_number(bits(right) + bits(b));
    return becomes(n, make(node_op(Op::add), graph_.input(a, 0), sum), Rewrite::chapter8_add_constants);
  }
  if (NodeId next = push_up(n, true); !is_none(next)) return next;
  if (!goes_left(right, b)) {
    note_right_end(n);
    return no_node;
  }
  bool far = patient_ && !ends_in_constants(a) && !belongs_near(a, b);
  if (far && leave_loose(n)) return no_node;
  if (far) patient_ = false;  // it meets its like at the left end, where the two become a product
  settle_if_loose(a);
  if (is_over_) return no_node;
  return sum_of_three(graph_.input(a, 0), b, graph_.input(a, 1), Rewrite::chapter8_sum_order);
}

NodeId Chapter8::step_mul(NodeId n) {
  NodeId a = graph_.input(n, 0), b = graph_.input(n, 1);
  if (is_value(b, 1)) return becomes(n, a, Rewrite::chapter8_mul_one);
  if (has_value(a)) return swap_sides(n, Rewrite::chapter8_mul_constant);
  return push_up(n, true);
}

NodeId Chapter8::step_compare(NodeId n) {
  if (graph_.input(n, 0) == graph_.input(n, 1))
    return becomes_number(n, !graph_.is(n, Op::slt), Rewrite::chapter8_compare_self);
  return push_up(n, false);
}

bool Chapter8::is_phi_of_constants(NodeId n) const {
  if (!graph_.is(n, Op::phi) || in_progress(graph_.input(n, 0))) return false;
  for (uint32_t i = 1; i < graph_.input_count(n); ++i)
    if (is_none(graph_.input(n, i)) || !has_value(graph_.input(n, i))) return false;
  return true;
}

/// Whether `term`, to the right of `right`, belongs to its left: constants stand rightmost, then phis of constants; other
/// phis stand leftmost; otherwise the younger node stands left.
bool Chapter8::goes_left(NodeId right, NodeId term) const {
  if (has_value(term)) return false;
  if (has_value(right)) return true;
  if (is_phi_of_constants(term)) return false;
  if (is_phi_of_constants(right)) return true;
  bool term_phi = graph_.is(term, Op::phi), right_phi = graph_.is(right, Op::phi);
  if (term_phi != right_phi) return term_phi;
  return index(term) > index(right);
}

/// An operation on a phi of constants, with a constant or another phi of constants of the same region, becomes a phi of
/// constants: one operation less. With `rotate` also (x op phi) op constant.
NodeId Chapter8::push_up(NodeId n, bool rotate) {
  NodeId a = graph_.input(n, 0), b = graph_.input(n, 1);
  NodeId phi = a;
  if (!is_phi_of_constants(a)) {
    if (!rotate || graph_.op(a) != graph_.op(n)) return no_node;
    phi = graph_.input(a, 1);
    if (!is_phi_of_constants(phi)) return no_node;
  }
  bool other_phi = is_phi_of_constants(b);
  if (!graph_.is_constant(b) && !other_phi) return no_node;
  if (other_phi && graph_.input(phi, 0) != graph_.input(b, 0)) return no_node;
  std::vector<NodeId> inputs{graph_.input(phi, 0)};
  for (uint32_t i = 1; i < graph_.input_count(phi); ++i) {
    NodeId c = other_phi ? graph_.input(b, i) : b;
    graph_.skip_numbers(1);  // the operation on two constants
    inputs.push_back(make_number(fold(table_op(graph_.op(n)), bits(graph_.input(phi, i)), bits(c))));
  }
  Symbol label = other_phi ? joined_label(phi, b) : static_cast<Symbol>(graph_.note(phi));
  NodeId pushed = graph_.make(node_op(Op::phi), i64, inputs);
  graph_.set_note(pushed, index(label));
  NodeId next = becomes(n, pushed, Rewrite::chapter8_phi_constants);
  if (phi == a) return next;
  // Phis of constants become nothing but constants, or stay.
  pushed = apply(pushed);
  return make(graph_.op(n), graph_.input(a, 0), pushed);
}

Symbol Chapter8::joined_label(NodeId a, NodeId b) {
  constexpr size_t longest = 1000;  // labels of labels of labels would double without end
  ir::Module& module = graph_.module();
  auto text = [&](NodeId n) { return is_none(static_cast<Symbol>(graph_.note(n))) ? std::string_view() : module.name(static_cast<Symbol>(graph_.note(n))); };
  std::string label(text(a));
  if (label.size() + text(b).size() <= longest) label += text(b);
  return module.symbol(label);
}

// ---- phis ----

NodeId Chapter8::step_phi(NodeId n) {
  NodeId region = graph_.input(n, 0);
  if (in_progress(region)) return no_node;
  if (graph_.op(region) == NodeOp::loop) settle_since(region);
  if (is_over_) return no_node;
  uint32_t count = graph_.input_count(n);
  NodeId first = graph_.input(n, 1);
  if (has_value(first)) {
    bool same = true;
    for (uint32_t i = 2; i < count && same; ++i) same = has_value(graph_.input(n, i)) && bits(graph_.input(n, i)) == bits(first);
    if (same) return becomes_number(n, bits(first), Rewrite::chapter8_fold);
  }
  bool dead_loop = graph_.op(region) == NodeOp::loop && is_dead_control(graph_.input(region, 0));
  NodeId live = no_node;
  bool unique = !dead_loop;
  for (uint32_t i = 1; i < count && unique; ++i) {
    NodeId value = graph_.input(n, i);
    if (is_dead_control(graph_.input(region, i - 1)) || value == n) continue;
    unique = is_none(live) || live == value;
    live = value;
  }
  if (unique && !is_none(live)) return becomes(n, live, Rewrite::chapter8_phi_same_input);
  if (!is_binary(graph_.op(first))) return no_node;
  for (uint32_t i = 2; i < count; ++i)
    if (graph_.op(graph_.input(n, i)) != graph_.op(first)) return no_node;
  frames_.push_back({Frame::Kind::replaced, n});
  frames_.push_back({Frame::Kind::phi_left, n});
  tell(Rewrite::chapter8_phi_common_operation, n);
  return phi_of_sides(n, 0);
}

/// The phi of the left or right sides of what comes into a phi.
NodeId Chapter8::phi_of_sides(NodeId phi, uint32_t side) {
  std::vector<NodeId> inputs{graph_.input(phi, 0)};
  for (uint32_t i = 1; i < graph_.input_count(phi); ++i) {
    if (side == 0) settle_if_loose(graph_.input(phi, i));
    inputs.push_back(graph_.input(graph_.input(phi, i), side));
  }
  NodeId n = graph_.make(node_op(Op::phi), i64, inputs);
  graph_.set_note(n, graph_.note(phi));
  return n;
}

}  // namespace braid::sea
