// Rewriting ends: every rule goes down in one well-founded order, checked here.
//
// After Knuth and Bendix 1970, with linear weights. The weight of an operation is its cost plus a multiple of
// the weights of its inputs; a leaf weighs 1. A rule is fine if, for all weights of its variables,
//   1. the weight falls; or it stays, and
//   2. there are fewer constants on the left of operations that can be turned round; or as many, and
//   3. the operations go down in the list below, or are equal and the inputs go down, the last one counting
//   most, where a
//      constant is less than anything else, and less than a constant that is greater as an unsigned number.
// What 3 needs of a rule (a variable that is no constant, a constant that shrinks) becomes a test in the
// matcher, and something to prove. Operations made: a rule may not make more than it removes.
#include <algorithm>
#include <map>

#include "rule.h"

namespace braid::rulec {
namespace {

using ir::Op;
using ir::TypeRule;

struct Cost {
  int64_t own;
  int64_t factor = 1;  ///< above 1 where a rule may use an input several times
};

Cost cost(Op op) {
  switch (op) {
    case Op::neg:
    case Op::not_:
    case Op::and_:
    case Op::or_:
    case Op::xor_:
    case Op::shl:
    case Op::lshr:
    case Op::ashr: return {3};
    case Op::sub: return {5};  // more than a sum: what is taken away twice is taken away at once
    case Op::mul: return {7};
    case Op::smulh:
    case Op::umulh: return {10};
    case Op::sdiv:
    case Op::udiv:
    case Op::srem:
    case Op::urem: return {24, 4};
    case Op::select:
    case Op::ptr_index: return {5};
    case Op::fadd:
    case Op::fsub: return {8};
    case Op::fmul: return {10, 2};
    case Op::fdiv: return {20, 2};
    case Op::fneg:
    case Op::fabs: return {3};
    case Op::extract:
    case Op::bitcast: return {2};
    default: break;
  }
  switch (ir::info(op).rule) {
    case TypeRule::int_narrow:
    case TypeRule::int_extend: return {3};
    case TypeRule::overflow: return {12};
    case TypeRule::int_unary: return {6};
    default: return {4};
  }
}

/// Higher goes to lower where weights are equal.
int rank(Op op) {
  constexpr Op falling[] = {
      Op::smin, Op::smax, Op::umin, Op::umax, Op::uge,  Op::ugt,    Op::ule,  Op::ult,  Op::sge,  Op::sgt,
      Op::sle,  Op::slt,  Op::eq,   Op::ne,   Op::fge,  Op::fgt,    Op::fle,  Op::flt,  Op::sext, Op::trunc,
      Op::rotr, Op::rotl, Op::mul,  Op::ashr, Op::shl,  Op::lshr,   Op::srem, Op::sdiv, Op::urem, Op::udiv,
      Op::sub,  Op::add,  Op::xor_, Op::or_,  Op::and_, Op::select, Op::neg,  Op::not_, Op::zext,
  };
  if (op == Op::ne) op = Op::eq;  // each may become the other
  const Op* found = std::find(std::begin(falling), std::end(falling), op);
  return static_cast<int>(std::end(falling) - found);
}

bool can_turn(Op op) {
  if (ir::has(op, ir::commutes)) return true;
  TypeRule rule = ir::info(op).rule;
  return rule == TypeRule::signed_compare || rule == TypeRule::unsigned_compare ||
         rule == TypeRule::float_compare;
}

/// A linear form: the weight of an expression over those of its variables.
struct Weight {
  int64_t constant = 0;
  std::map<std::string, int64_t> factors;
};

class Order {
 public:
  explicit Order(Rule& rule) : rule_(rule) {}

  bool falls() {
    int weights = compare_weights(rule_.pattern, rule_.result);
    if (weights != 0) return weights > 0;
    int before = left_constants(rule_.pattern, false), after = left_constants(rule_.result, true);
    if (before != after) return before > after;
    return compare(rule_.pattern, rule_.result) == Answer::greater;
  }

 private:
  enum class Answer : uint8_t { greater, equal, no };

  Weight weight(NodeId id) const {
    const Node& node = rule_[id];
    Weight sum;
    if (is_constant(rule_, id)) {
      sum.constant = node.is_immediate ? 0 : 1;
    } else if (node.kind == NodeKind::value) {
      sum.factors[node.name] = 1;
    } else {
      Cost of = cost(node.op);
      sum.constant = of.own;
      for (NodeId input : node.inputs) {
        Weight below = weight(input);
        sum.constant += of.factor * below.constant;
        for (auto& [name, factor] : below.factors) sum.factors[name] += of.factor * factor;
      }
    }
    return sum;
  }
  /// 1: always greater; 0: never less, and equal where all variables are leaves; -1: may be less.
  int compare_weights(NodeId a, NodeId b) const {
    Weight left = weight(a);
    const Weight right = weight(b);
    for (auto& [name, factor] : right.factors) left.factors[name] -= factor;
    int64_t least = left.constant - right.constant;
    for (auto& [name, factor] : left.factors) {
      if (factor < 0) return -1;
      least += factor;
    }
    return least > 0 ? 1 : least == 0 ? 0 : -1;
  }

  /// In the result a variable on the left may be a constant unless it stands so in the pattern, too.
  int left_constants(NodeId id, bool in_result) {
    int count = 0;
    for_each_below(rule_, id, [&](NodeId below) {
      const Node& node = rule_[below];
      if (node.kind != NodeKind::op || !can_turn(node.op) || is_constant(rule_, below)) return;
      NodeId left = node.inputs[0];
      if (is_constant(rule_, left)) {
        ++count;
        need_no_constant(node.inputs[1]);
      } else if (in_result && rule_[left].kind == NodeKind::value) {
        need_no_constant(left);
      }
    });
    return count;
  }
  void need_no_constant(NodeId id) {
    const Node& node = rule_[id];
    if (node.kind != NodeKind::value) return;
    if (std::find(rule_.not_constant.begin(), rule_.not_constant.end(), node.name) ==
        rule_.not_constant.end())
      rule_.not_constant.push_back(node.name);
  }

  Answer compare(NodeId a, NodeId b) {
    if (same(rule_, a, b)) return Answer::equal;
    if (is_constant(rule_, b)) {
      if (is_constant(rule_, a)) rule_.decreasing.push_back({b, a});
      need_no_constant(a);
      return Answer::greater;
    }
    if (is_constant(rule_, a) || rule_[a].kind == NodeKind::value) return Answer::no;
    if (rule_[b].kind == NodeKind::value)
      return find_variable(rule_, a, rule_[b].name) != no_node ? Answer::greater : Answer::no;
    int weights = compare_weights(a, b);
    if (weights != 0) return weights > 0 ? Answer::greater : Answer::no;
    const Node &left = rule_[a], &right = rule_[b];
    if (rank(left.op) != rank(right.op)) return rank(left.op) > rank(right.op) ? Answer::greater : Answer::no;
    if (left.inputs.size() != right.inputs.size()) return Answer::no;
    for (size_t i = left.inputs.size(); i-- > 0;) {
      Answer answer = compare(left.inputs[i], right.inputs[i]);
      if (answer != Answer::equal) return answer;
    }
    return Answer::no;
  }

  Rule& rule_;
};

/// Operations that the rule makes: those of the result that do not stand in the pattern.
void count_made(const Rule& rule, NodeId id, int& count) {
  if (is_constant(rule, id) || rule[id].kind == NodeKind::value) return;
  bool is_there = false;
  for_each_below(rule, rule.pattern,
                 [&](NodeId below) { is_there |= below != rule.pattern && same(rule, below, id); });
  if (is_there) return;
  ++count;
  for (NodeId input : rule[id].inputs) count_made(rule, input, count);
}

int inner_operations(const Rule& rule) {
  int count = 0;
  for_each_below(rule, rule.pattern, [&](NodeId id) {
    count += id != rule.pattern && rule[id].kind == NodeKind::op && !is_constant(rule, id);
  });
  return count;
}

}  // namespace

void check_order(Rule& rule, Errors& errors) {
  if (rule[rule.pattern].kind != NodeKind::op || is_constant(rule, rule.pattern))
    return errors.add(rule, rule[rule.pattern].column, "a pattern is an operation on values");
  if (!Order(rule).falls())
    return errors.add(rule, rule[rule.result].column,
                      "the result is not less than the pattern: rewriting might not end");
  int made = 0;
  count_made(rule, rule.result, made);
  const bool grows = made > 1 + inner_operations(rule);
  if (grows)
    errors.add(rule, rule[rule.result].column, "the result makes more operations than go");
  else if (made > 1 && !rule.once)
    errors.add(rule, rule[rule.result].column, "the result makes more than one operation; the rule needs 'once'");
  if (rule.once && made <= 1)
    errors.add(rule, rule[rule.result].column, "the rule does not need 'once'");
}

void check_together(const std::vector<Rule>& rules, Errors& errors) {
  std::map<std::string, const Rule*> by_name;
  std::map<Op, const Rule*> turned;
  for (const Rule& rule : rules) {
    auto [known, is_new] = by_name.emplace(rule.name, &rule);
    if (!is_new)
      errors.add(rule, 1,
                 "rule '" + rule.name + "' is already in line " + std::to_string(known->second->line));
    const Node& root = rule[rule.pattern];
    if (root.inputs.size() == 2 && rule[root.inputs[0]].kind == NodeKind::constant &&
        rule[root.inputs[1]].kind == NodeKind::value && rule.condition == no_node)
      turned.emplace(root.op, &rule);
  }
  for (const Rule& rule : rules)
    for_each_below(rule, rule.pattern, [&](NodeId id) {
      const Node& node = rule[id];
      if (node.kind != NodeKind::op || !ir::has(node.op, ir::commutes) || is_constant(rule, id)) return;
      bool has_constant = is_constant(rule, node.inputs[0]) || is_constant(rule, node.inputs[1]);
      if (has_constant && !turned.contains(node.op))
        errors.add(rule, node.column,
                   "no rule moves constants of '" + std::string(ir::info(node.op).text) + "' to the right");
    });
}

}  // namespace braid::rulec
