// Runs a program after every single rewrite of its graphs, and names the first rewrite that changes what a run does.
//
// Functions of linear SSA, or over variables, are lifted and optimised one after another, and run in between. A program in
// Simple is parsed again and again, each time with one rewrite more, so that there is a complete graph to run after each
// rewrite that is done while parsing, and in the optimiser behind the parser. That is one parse for each rewrite; programs so
// large that it would take long are looked at after every second rewrite, third, and so on, and one by one only between two
// looks that differ: O(program), and no more than a bounded number of nodes beside.
#pragma once

#include <braid/value.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/source_file.h"
#include "front/simple/simple.h"
#include "ir/function.h"
#include "sea/graph.h"

namespace braid::driver {

struct StepCheck {
  uint64_t count = 0;  ///< rewrites
  uint64_t every = 1;  ///< so many of them were done from one look to the next
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

struct ReplayOptions {
  uint64_t most_nodes = uint64_t{1} << 26;  ///< made in all parses together, about
  uint64_t least_looks = 64;                ///< however large the program is
  /// How a program is parsed; `simple::parse` if it is empty.
  std::function<Expected<simple::Program>(ir::Module&, const SourceFile&, const simple::ParseOptions&)> parse;
};

/// What is done to a program in Simple from its first node on, against the graph without peepholes.
Expected<StepCheck> check_each_step(const SourceFile& source, const simple::ParseOptions& options,
                                    std::span<const int64_t> arguments, const ReplayOptions& replay = {});

}  // namespace braid::driver
