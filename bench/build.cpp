// Building a function, the same work on both sides: blocks and phis by hand, by Braid's Builder and LLVM's IRBuilder; and from
// variables, where the Builder finds the phis itself, against IRBuilder with stack slots and mem2reg. What finding them costs
// shows the third comparison, with IRBuilder's phis by hand.
// Module, function, all statements and `try_done` (phis, compaction) are timed; verifying and destroying are not.
#include <braid/builder.h>

#include <llvm/IR/Function.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "shapes.h"
#include "subjects.h"

namespace braid::bench {

namespace {

using BuildBraid = Func& (*)(Module&, Shape, uint32_t);
using BuildLlvm = llvm::Function& (*)(llvm::Module&, Shape, uint32_t);

void measure(Table& table, const Effort& effort, BuildBraid build_braid, BuildLlvm build_llvm, Goal goal) {
  llvm::LLVMContext context;
  for (Shape shape : shapes)
    for (uint32_t size = 1000; size <= effort.largest; size *= 10) {
      uint32_t statements = 0, instructions = 0;
      Times times = interleave(
          effort,
          [&](Stopwatch& watch) {
            watch.start();
            Module module;
            statements = statement_count(build_braid(module, shape, size));
            watch.stop();
          },
          [&](Stopwatch& watch) {
            watch.start();
            llvm::Module module("m", context);
            llvm::Function& f = build_llvm(module, shape, size);
            watch.stop();
            instructions = f.getInstructionCount();
          });
      if (statements != instructions)
        fail("building: Braid has " + std::to_string(statements) + " statements, LLVM " + std::to_string(instructions));
      double scale = 1e9 / statements;
      table.add({std::string(name(shape)), statements, times.ours * scale, times.theirs * scale, "ns", goal, 8});
    }
}

}  // namespace

void measure_build(Table& table, const Effort& effort) {
  table.section("building by hand, per statement", "LLVM IRBuilder");
  measure(table, effort, build_by_hand, build, Goal::at_least);
  table.section("building from variables, per statement", "LLVM with mem2reg");
  measure(table, effort, build, build_and_promote, Goal::at_least);
  // Not the same work: what one side finds, the other is given. It says what finding phis costs.
  table.section("building, phis found, and given to LLVM", "LLVM IRBuilder");
  measure(table, effort, build, build, Goal::none);
}

}  // namespace braid::bench
