// Lowering: from a function, with variables or in SSA, also with edits pending, to register code.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "interp/code.h"
#include "interp/layout.h"
#include "ir/function.h"

namespace braid::interp {

/// How a traced statement is shown.
using StatementText = std::function<std::string(const ir::Function&, ir::Operand)>;

/// Never fails: code that cannot be made says why in its `error`. With `trace`, every statement stands for itself and
/// reports its value. O(statements + operands).
std::unique_ptr<Code> lower(const ir::Function& f, Layouts& layouts, const StatementText* trace);

}  // namespace braid::interp
