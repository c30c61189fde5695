// Whether the body of a function can stand in the place of a call of it.
#pragma once

#include <cstdint>

#include "ir/function.h"

namespace braid::opt {

struct Callee {
  bool can_be_inlined = false;
  bool has_states = false;
};

/// Looks at a function of at most so many statements. O(its size), with handlers times the nesting of what
/// they handle.
Callee look_at_callee(const ir::Function& callee, uint32_t most_statements);

}  // namespace braid::opt
