// What an op is, in one byte: the columns of the op table that every look at a node asks for.
//
// The rows of the table are too large for loops over whole graphs, and most questions about a node are answered by its op
// alone. What hangs on words of a node (the callee of a call) is asked for by the functions of sea/layout.h.
#pragma once

#include <array>
#include <cstdint>

#include "sea/effect_role.h"
#include "sea/node.h"

namespace braid::sea {

using OpClass = uint8_t;
inline constexpr OpClass computes = 1;     ///< only computes, whatever its words are
inline constexpr OpClass may_compute = 2;  ///< computes unless it takes an effect
inline constexpr OpClass compares = 4;     ///< its value is a truth
inline constexpr OpClass commuting = 8;    ///< its two inputs may change places
inline constexpr OpClass of_two = 16;      ///< computes from two values and nothing else
inline constexpr OpClass leads_on = 32;    ///< control that leads to other control
inline constexpr OpClass may_act = 64;     ///< may have to stay though nothing uses it
inline constexpr OpClass takes_effects = 128;  ///< has control and effect, unless its callee says that it has not

constexpr OpClass class_of_rule(ir::TypeRule rule) {
  using ir::TypeRule;
  switch (rule) {
    case TypeRule::int_binary: return computes | of_two;
    case TypeRule::signed_compare:
    case TypeRule::equality: return computes | of_two | compares;
    case TypeRule::unsigned_compare:
    case TypeRule::float_compare: return may_compute | compares;
    case TypeRule::none:
    case TypeRule::phi:
    case TypeRule::pi:
    case TypeRule::phi_c: return 0;
    case TypeRule::branch:
    case TypeRule::switch_: return leads_on;
    case TypeRule::enter: return may_compute | leads_on;
    default: return may_compute;
  }
}

constexpr std::array<OpClass, static_cast<size_t>(NodeOp::end)> op_classes = [] {
  using namespace ir;
  std::array<OpClass, static_cast<size_t>(NodeOp::end)> classes{};
  auto set = [&](NodeOp op, ir::TypeRule rule, ir::Traits traits) {
    OpClass all = class_of_rule(rule);
    if ((traits & ir::commutes) != 0) all |= commuting;
    // Whether a variable may be undefined, and what happens then, is not in the table.
    if (((traits & ir::keeps_alive) != 0 && rule != ir::TypeRule::pi) || rule == ir::TypeRule::get) all |= may_act;
    const bool only_chooses = rule == ir::TypeRule::branch || rule == ir::TypeRule::switch_;
    if (!only_chooses && effect_role(table_op(op), traits) != EffectRole::none) all |= takes_effects;
    classes[static_cast<size_t>(op)] = all;
  };
#define SECTION(title)
#define OP(id, text, operands, rule, traits, shown, doc) set(NodeOp::id, ir::TypeRule::rule, traits);
#include "ir/ops.def"
#undef OP
#undef SECTION
  classes[static_cast<size_t>(NodeOp::is_zero)] = computes;
  for (NodeOp op : {NodeOp::projection, NodeOp::region, NodeOp::loop, NodeOp::never})
    classes[static_cast<size_t>(op)] = leads_on;
  return classes;
}();
constexpr OpClass class_of(NodeOp op) { return op_classes[static_cast<size_t>(op)]; }
constexpr bool has(NodeOp op, OpClass any) { return (class_of(op) & any) != 0; }

}  // namespace braid::sea
