// What both parsers do in the same way.
#pragma once

#include <memory>
#include <utility>

#include "front/simple/simple.h"
#include "ir/function.h"

namespace braid::simple {

/// Declares `main`, or finds it declared.
inline ir::FuncId declare_main(ir::Module& module) {
  Symbol name = module.symbol("main");
  if (ir::Function* found = module.find_function(name)) return found->id();
  ir::Function& main = module.add_function(name, {{i64}, i64});
  main.param_names = {module.symbol("arg")};
  return main.id();
}

inline FunctionGraph main_function(ir::Module& module, std::unique_ptr<sea::Graph> graph) {
  return {module.symbol("main"), declare_main(module), 1, std::move(graph)};
}

}  // namespace braid::simple
