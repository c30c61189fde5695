// The types that a register machine leaves open, found after its code is in SSA (the third phase of Panda's builder).
//
// A move, a constant, a phi have no type of their own there: what a value is, is said by whoever computed it and by
// whoever uses it. A
// *web* is phis without a type (type `any`), also phi_cs and upsilons, that read each other. What flows into a web
// from outside and
// what its users need must be one type, which all of them get; integer constants take any type. A web of which nobody says
// anything is an i64. Then every operand that is a constant gets one of the type that it needs
// (infer/split_constants.h): the
// float of the same bits, or null for 0.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/function.h"
#include "ir/verify.h"

namespace braid::infer {

/// A web that is one type by what flows into it, or by who uses it, and another one by another.
struct TypeConflict {
  ir::Operand first, second;
  Type first_type, second_type;
};

struct FixedTypes {
  uint32_t webs = 0;                      ///< that have a type now
  uint32_t by_users = 0;                  ///< … because of their users alone
  uint32_t constants = 0;                 ///< operands that have a constant of another type now
  std::vector<TypeConflict> conflicts;    ///< one for each web that has any
  std::vector<ir::Finding> bad_constants; ///< operands that no constant of these bits fits
};

/// Needs a function in SSA whose phis are complete. A use says what it needs by being an operand of something that
/// takes one type, or by a
/// `pi`, which goes where it says nothing more. After conflicts the function is not valid. O(statements + operands).
FixedTypes fix_types(ir::Function& f);

}  // namespace braid::infer
