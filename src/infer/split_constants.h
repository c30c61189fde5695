// Constants by use: a register machine's constant is 64 bits without a type, and one may be read as an integer here,
// as a float there, as an object elsewhere. Every operand gets a constant of the type that it needs.
#pragma once

#include <vector>

#include "ir/function.h"
#include "ir/verify.h"

namespace braid::infer {

struct SplitConstants {
  uint32_t operands = 0;               ///< that have a constant of another type now
  std::vector<ir::Finding> conflicts;  ///< operands that no constant of these bits fits
};

/// For a front end, before its function is verified: an i64 constant where a float is needed becomes the float of
/// these bits, a narrower integer its low bits; 0 becomes the null reference or pointer. Any other constant used as a
/// reference is a conflict. Each operand is looked at for itself. Of operations that take any type, the type of the
/// other operand decides. O(operands).
SplitConstants split_constants(ir::Function& f);

/// What an operand must be: the type of a parameter, of a variable, of the phi, …; `none` if anything will do.
Type needed_type(const ir::Function& f, ir::Operand id, uint32_t i);
/// The constant of this type with these bits; undef if there is none.
ir::Operand constant_as(ir::Module& module, uint64_t bits, Type type);

}  // namespace braid::infer
