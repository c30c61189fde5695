// How phis get their types: from what flows in (Recki-CT's text on phis, made exact).
//
//   same     everything that flows in has one storage: that is the type
//   numeric  integer literals and floats: float, if nobody can tell (infer/numeric.h)
//   mixed    different storages: the union of what flows in
//   unknown  nothing that is defined flows in: an error, with the reason
//
// Phis that read each other, also through pis, form rings; the type of a ring is that of what enters it from outside,
// never of the phis themselves. Rings are strongly connected components of the graph whose edges lead from what a phi
// reads to the phi. O(phis + operands).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "infer/infer.h"
#include "ir/function.h"

namespace braid::infer {

enum class PhiRule : uint8_t { same, numeric, mixed, unknown };
std::string_view to_string(PhiRule rule);

struct PhiInput {
  ir::EdgeId edge;
  ir::Operand value;
  Type type;            ///< `none` of undef and of what is never computed
  bool is_literal;      ///< a whole number that a float can hold exactly: not committed yet
};

struct TypedPhi {
  static constexpr uint32_t no_ring = 0xffffffffu;

  ir::Operand phi;
  std::vector<PhiInput> inputs;  ///< by edges that can be taken
  Type type;                     ///< what inference says
  PhiRule rule;
  uint32_t ring = no_ring;
  std::string reason;            ///< of `unknown`
};

/// Phis, and pis between them, that read each other.
struct PhiRing {
  std::vector<ir::Operand> members;
  std::vector<ir::Operand> entering;  ///< what they read from outside, each value once
  Type type = none;                   ///< the join of these
  bool is_numeric = true;             ///< they are whole-number literals and floats
};

struct PhiTypes {
  std::vector<TypedPhi> phis;   ///< of values, in the order of statements, in blocks that can be reached
  std::vector<PhiRing> rings;   ///< in the order of their first members
};

/// Needs what `infer` answered for `f` as it is.
PhiTypes type_phis(const ir::Function& f, const Types& types);

/// Whether a float holds the integer constant exactly.
bool is_numeric_literal(const ir::Function& f, ir::Operand operand);

}  // namespace braid::infer
