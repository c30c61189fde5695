// Nodes of the sea: 48 bytes with two inputs and their places in use lists, without pointers.
//
// What a node does is an op of the one op table (`ir/ops.def`); the few ops that only a graph needs stand behind them.
//
//   pure ops            inputs are the values, in the order of the op table; the node floats
//   ops with effects    control, effect, values: control says in which block they stand, effect what comes before them.
//                       The node is its own effect for what comes behind it. A read takes an effect and is none; one
//                       that cannot fail may do without control. Which is which, sea/effects.h says.
//   pi                  control, value. A pi of something that may be undef must stay even if it says no more than its
//                       value's type: it holds the use of that value below the place where it was found to be defined.
//   save_state          control, effect, state of the caller or undef, registers
//   branch, switch      control, value; `enter`: control, effect. Each way out is a projection.
//   ret, throw, deopt,
//   unreachable         control, effect, values; all are inputs of stop
//   region, loop        one control per way in; of a loop, input 0 comes from outside and all others are back edges
//   phi                 region, one value per way in. A phi of type void is a phi of effects.
//   phi_c               region of the handler, effect at its start, upsilons
//   never               control: projection 0 goes on, projection 1 is never taken. It leads an endless loop to stop.
//
// Two things are looser than in a function, so that languages whose conditions are integers need no conversions: a comparison
// may have any integer type (its value is 0 or 1), and a branch may ask any integer (it is true unless zero). Landing
// inserts what is missing.
//
// An input may be none: a back edge that is still to come, an effect where nobody counts them.
#pragma once

#include <braid/type.h>

#include <cstdint>

#include "base/id.h"
#include "ir/op.h"
#include "ir/operand.h"

namespace braid::sea {

enum class NodeId : uint32_t {};
inline constexpr NodeId no_node = none_id<NodeId>;

/// An op of the table, with the same number, or one of those that only graphs have.
enum class NodeOp : uint16_t {
#define SECTION(title)
#define OP(id, text, operands, rule, traits, shown, doc) id,
#include "ir/ops.def"
#undef OP
#undef SECTION
  start,                 ///< where the function begins; parameters and projections hang on it
  stop,                  ///< every way to the end of the function
  constant,              ///< payload: the operand of the module's constant table
  parameter,             ///< of start; payload: its number
  undef,                 ///< no value
  is_zero,               ///< 1 if its one input is zero, otherwise 0; of any integer type
  projection,            ///< one way out of its input; payload: which
  region,                ///< where ways meet; without any way in, and of type none: control that cannot be reached
  loop,                  ///< a region with back edges
  never,                 ///< a way out of an endless loop that is never taken
  effect_entry,          ///< of a region: an effect of which nothing is known, as at the start of a handler
  dead,                  ///< what a killed node becomes
  end
};
static_assert(static_cast<unsigned>(NodeOp::start) == ir::op_count);
constexpr NodeOp node_op(ir::Op op) { return static_cast<NodeOp>(op); }
constexpr bool is_table_op(NodeOp op) { return static_cast<unsigned>(op) < ir::op_count; }
constexpr ir::Op table_op(NodeOp op) { return static_cast<ir::Op>(op); }
constexpr bool is_region(NodeOp op) { return op == NodeOp::region || op == NodeOp::loop; }
constexpr bool operator==(NodeOp a, ir::Op b) { return a == node_op(b); }

/// Control that can be reached; control that cannot is of type `none`.
inline constexpr Type control_type = void_type;

/// One input: what it names, and its neighbours in the circle of all uses of that node.
struct UseSlot {
  NodeId def;
  uint32_t next, previous;  ///< encoded slots, see Graph
};

struct Node {
  static constexpr uint8_t pooled = 3;  ///< more than two inputs: slot[0].def is the offset, next the count, previous the room

  NodeOp op;
  uint8_t shape;  ///< the number of inputs in the node itself, or `pooled`
  uint8_t flags;
  Type type;
  uint32_t first_use;  ///< an encoded slot; the last use is its `previous`
  uint32_t payload;    ///< what the op needs beside its inputs: see Graph::payload
  uint32_t note;       ///< a name (phi, projection), or the place in a ControlTree
  ir::Loc loc;
  UseSlot slot[2];
};
static_assert(sizeof(Node) == 48);

}  // namespace braid::sea
