// Optimises the graphs of a program one after another, and runs the program after every single rewrite.
#pragma once

#include <braid/value.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/function.h"
#include "sea/graph.h"

namespace braid::driver {

struct StepCheck {
  uint64_t count = 0;  ///< rewrites
  std::string fault;   ///< the first of them that changed what a run does, and how; empty if none did
};

struct CheckedGraph {
  ir::FuncId id;
  std::string_view name;
  sea::Graph* graph;
};

/// The first graph is the program: it is run with each list of arguments. What `@print` writes is part of what a run does.
StepCheck check_each_step(std::span<const CheckedGraph> graphs, const ir::Function* function,
                          std::span<const std::vector<uint64_t>> arguments);

/// The same for a function of linear SSA, or over variables, and all that its module has.
StepCheck check_each_step(const ir::Function& f, std::span<const Value> arguments);

}  // namespace braid::driver
