#include "sea/sum_candidates.h"

#include <array>
#include <utility>

#include "ir/bits.h"
#include "sea/columns.h"
#include "sea/sum_parts.h"

namespace braid::sea {
namespace {

using ir::Op;

constexpr uint32_t most_near = 4;  ///< uses, or steps upwards

class Candidate {
 public:
  Candidate(const Graph& graph, const Rewriter& rewriter) : graph_(graph), rewriter_(rewriter) {}

  /// Cheap, and asked of many: whether a part that others use, taken apart, has something to join.
  bool look_at(NodeId n) const {
    std::array<SumOperand, 2> all;
    const uint32_t count = sum_operands(graph_, n, all);
    if (count == 1 && has_another_multiple(all[0].value, n)) return true;
    if (graph_.is(n, Op::not_) && graph_.has_one_use(n) && joins_number(n, graph_.first_use(n).user)) return true;
    for (uint32_t i = 0; i < count; ++i) {
      const NodeId value = all[i].value;
      if (graph_.is_constant(value)) continue;
      if (may_have_columns(graph_, value) && !is_none(region_of_columns(graph_, rewriter_, value))) return true;
      if (!is_linear_sum(graph_, value)) continue;
      if (count == 2 && graph_.is_constant(all[1 - i].value) && is_multiple_of_known(value, all[1 - i])) return true;
      const bool adds = is_addition(value), with_number = adds && ends_in_number(value);
      if ((with_number || graph_.is(value, Op::not_)) && joins_number(value, n)) return true;
      if ((graph_.is(n, Op::sub) || graph_.is(value, Op::sub)) && meets_its_like(value, n)) return true;
      if (graph_.has_one_use(value)) {
        if (with_number && (count == 1 || graph_.is_constant(all[1 - i].value))) return true;
        continue;
      }
      if (!adds && (count == 1 || has_another_multiple(graph_.input(value, 0), value))) return true;
      if (with_number && is_only_in_sums(value)) return true;
      if ((with_number || has_three_uses(value)) && is_in_one_sum(value)) return true;
    }
    return false;
  }

 private:
  bool ends_in_number(NodeId n) const {
    return graph_.is_constant(graph_.input(n, 1)) || graph_.is_constant(graph_.input(n, 0));
  }
  template <typename F>
  bool all_uses(NodeId n, F&& f) const {
    uint32_t seen = 0;
    bool all = !graph_.is_kept(n);
    graph_.for_each_use(n, [&](NodeId user, uint32_t) { return all = all && ++seen <= most_near && f(user); });
    return all;
  }
  template <typename F>
  bool any_near_use(NodeId n, F&& f) const {
    uint32_t seen = 0;
    bool any = false;
    graph_.for_each_use(n, [&](NodeId user, uint32_t) { return !(any = f(user)) && ++seen < most_near; });
    return any;
  }
  bool is_multiple(NodeId n) const {
    return !is_addition(n) || graph_.input(n, 0) == graph_.input(n, 1);
  }
  bool is_addition(NodeId n) const { return graph_.is(n, Op::add) || graph_.is(n, Op::sub); }
  bool is_only_in_sums(NodeId n) const {
    return all_uses(n, [&](NodeId user) { return is_linear_sum(graph_, user) || is_sum_equation(graph_, user); });
  }
  bool has_three_uses(NodeId n) const {
    uint32_t uses = 0;
    graph_.for_each_use(n, [&](NodeId, uint32_t) { return ++uses < 3; });
    return uses == 3;
  }
  bool is_in_one_sum(NodeId n) const {
    if (!is_sum_op(graph_.op(graph_.last_use(n).user))) return false;
    NodeId top = no_node;
    return all_uses(n, [&](NodeId user) {
      if (!is_linear_sum(graph_, user) || !graph_.has_uses(user)) return false;
      if (user == top) return true;
      const NodeId before = std::exchange(top, top_of_sum(graph_, user));
      return is_none(before) || before == top;
    });
  }
  bool has_another_multiple(NodeId value, NodeId n) const {
    return any_near_use(value, [&](NodeId user) {
      return user != n && is_sum_op(graph_.op(user)) && is_multiple(user) && is_linear_sum(graph_, user);
    });
  }
  /// The sum above ends in a number, too. If that of the part joins it, one addition goes unless others use the part, which pays
  /// unless what both make is a new number, and others need both.
  bool joins_number(NodeId part, NodeId n) const {
    const bool part_goes = graph_.has_one_use(part);
    if (!part_goes && graph_.is(n, Op::mul)) return false;  // hardly ever, and asked often
    NodeId number_of_part = no_node;
    uint64_t number = own_number(part, number_of_part);
    std::array<SumOperand, 2> all;
    for (uint32_t k = 0; k < most_near && is_linear_sum(graph_, n); ++k) {
      const uint32_t count = sum_operands(graph_, n, all);
      number *= all[count == 1 || all[0].value == part ? 0 : 1].factor;
      NodeId constant = no_node;
      if (const uint64_t own = own_number(n, constant); own != 0) {
        const uint64_t bits = ir::canonical(kind_of_sum(graph_, n), number + own);
        if (bits == 0) return true;
        const bool goes = is_gone_with(constant);
        if (part_goes ? goes || is_gone_with(number_of_part) : !goes) return part_goes;
        const Kind kind = kind_of_sum(graph_, n);
        return is_there(kind, bits) || is_there(kind, ir::canonical(kind, 0 - bits));
      }
      if (!graph_.has_one_use(n)) return false;
      part = std::exchange(n, graph_.first_use(n).user);
    }
    return false;
  }
  bool is_there(Kind kind, uint64_t bits) const { return !is_none(graph_.find_constant(of(kind), bits)); }
  bool is_gone_with(NodeId constant) const { return is_none(constant) || graph_.has_one_use(constant); }
  /// What a sum adds to its values, and which node stands for it, if one does.
  uint64_t own_number(NodeId n, NodeId& constant) const {
    if (graph_.is(n, Op::not_)) return ~uint64_t{0};
    if (!is_addition(n)) return 0;
    const bool on_left = graph_.is_constant(graph_.input(n, 0));
    const NodeId operand = graph_.input(n, on_left ? 0 : 1);
    if (!graph_.is_constant(operand)) return 0;
    constant = operand;
    const uint64_t bits = graph_.constant_value(operand).bits;
    return !on_left && graph_.is(n, Op::sub) ? 0 - bits : bits;
  }
  /// A multiple and a number that are one multiple of a sum which is there.
  bool is_multiple_of_known(NodeId part, const SumOperand& other) const {
    std::array<SumOperand, 2> all;
    if (sum_operands(graph_, part, all) != 1 || graph_.is(part, Op::not_)) return false;
    const auto number = static_cast<int64_t>(other.factor * graph_.constant_value(other.value).bits);
    const auto factor = static_cast<int64_t>(all[0].factor);
    if (factor == 0 || factor == -1 || number % factor != 0) return false;
    return any_near_use(all[0].value, [&](NodeId user) {
      NodeId constant;
      return is_addition(user) && is_linear_sum(graph_, user) &&
             own_number(user, constant) == static_cast<uint64_t>(number / factor);
    });
  }
  /// What stands in the part stands in the sum beside it, too.
  bool meets_its_like(NodeId part, NodeId n) const {
    const NodeId top = top_of_sum(graph_, n);
    for (uint32_t i = 0; i < graph_.input_count(part); ++i) {
      const NodeId value = graph_.input(part, i);
      if (!graph_.is_constant(value) && any_near_use(value, [&](NodeId user) {
            return user != part && is_linear_sum(graph_, user) && graph_.has_uses(user) && top_of_sum(graph_, user) == top;
          }))
        return true;
    }
    return false;
  }

  const Graph& graph_;
  const Rewriter& rewriter_;
};

}  // namespace

bool is_promising_sum(const Graph& graph, const Rewriter& rewriter, NodeId n) { return Candidate(graph, rewriter).look_at(n); }

}  // namespace braid::sea
