// Building a function: Braid's Builder, which finds the phis itself, against LLVM's IRBuilder with phis placed by hand.
// Module, function, all statements and `try_done` (phis, compaction) are timed; verifying and destroying are not.
#include <braid/builder.h>

#include <llvm/IR/Function.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "shapes.h"
#include "subjects.h"

namespace braid::bench {

void measure_build(Table& table, const Effort& effort) {
  table.section("building, per statement", "LLVM IRBuilder");
  llvm::LLVMContext context;
  for (Shape shape : shapes)
    for (uint32_t size = 1000; size <= effort.largest; size *= 10) {
      uint32_t statements = 0, instructions = 0;
      Times times = interleave(
          effort,
          [&](Stopwatch& watch) {
            watch.start();
            Module module;
            statements = statement_count(build(module, shape, size));
            watch.stop();
          },
          [&](Stopwatch& watch) {
            watch.start();
            llvm::Module module("m", context);
            llvm::Function& f = build(module, shape, size);
            watch.stop();
            instructions = f.getInstructionCount();
          });
      if (statements != instructions)
        fail("building: Braid has " + std::to_string(statements) + " statements, LLVM " + std::to_string(instructions));
      double scale = 1e9 / statements;
      table.add({std::string(name(shape)), statements, times.ours * scale, times.theirs * scale, "ns", Goal::at_least, 8});
    }
}

}  // namespace braid::bench
