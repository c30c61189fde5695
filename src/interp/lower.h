// Lowering: from a function, with variables or in SSA, also with edits pending, to register code.
#pragma once

#include <memory>

#include "interp/code.h"
#include "interp/layout.h"
#include "ir/function.h"

namespace braid::interp {

/// Never fails: code that cannot be made says why in its `error`. With `trace`, every statement stands for itself and
/// reports its value. O(statements + operands).
std::unique_ptr<Code> lower(const ir::Function& f, Layouts& layouts, bool trace = false);

}  // namespace braid::interp
