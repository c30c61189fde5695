// Lowering: from a function, with variables or in SSA, also with edits pending, to register code.
#pragma once

#include <memory>

#include "interp/code.h"
#include "interp/heap_access.h"
#include "interp/layout.h"
#include "ir/function.h"

namespace braid::interp {

struct LowerOptions {
  bool trace = false;         ///< every statement stands for itself and reports its value
  bool passes_stops = false;  ///< without the places where the runtime may stop a program
  const HeapAccess* heap = nullptr;
};

/// Never fails: code that cannot be made says why in its `error`. O(statements + operands).
std::unique_ptr<Code> lower(const ir::Function& f, Layouts& layouts, const LowerOptions& options);

}  // namespace braid::interp
