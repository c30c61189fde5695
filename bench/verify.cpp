// Verifying one function that is right, with all rules.
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>

#include "ir/verify.h"
#include "shapes.h"
#include "subjects.h"

namespace braid::bench {

void measure_verify(Table& table, const Effort& effort) {
  table.section("verifying, per statement", "LLVM verifier");
  llvm::LLVMContext context;
  for (Shape shape : shapes)
    for (uint32_t size = 1000; size <= effort.largest; size *= 10) {
      Module braid_module;
      const Func& ours = build(braid_module, shape, size);
      llvm::Module module("m", context);
      const llvm::Function& theirs = build(module, shape, size);
      Times times = interleave(
          effort,
          [&](Stopwatch& watch) {
            watch.start();
            bool sound = ir::verify(ours).empty();
            watch.stop();
            if (!sound) fail("Braid's verifier rejects a shape");
          },
          [&](Stopwatch& watch) {
            watch.start();
            bool broken = llvm::verifyFunction(theirs);
            watch.stop();
            if (broken) fail("LLVM's verifier rejects a shape");
          });
      uint32_t statements = statement_count(ours);
      double scale = 1e9 / statements;
      table.add({std::string(name(shape)), statements, times.ours * scale, times.theirs * scale, "ns", Goal::at_least, 3});
    }
}

}  // namespace braid::bench
