// A module with one function `@f`, to be filled by hand: for shapes of any size.
#pragma once

#include "ir/module.h"

namespace braid::ir {

struct OneFunction {
  Module module;
  Function* f;

  explicit OneFunction(const Signature& signature) : f(&module.add_function(module.symbol("f"), signature)) {}
};

}  // namespace braid::ir
