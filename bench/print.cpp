// Printing a function into a string.
#include <llvm/IR/Function.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "shapes.h"
#include "subjects.h"
#include "text/print.h"

namespace braid::bench {

void measure_print(Table& table, const Effort& effort) {
  table.section("printing, per statement", "LLVM print");
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
            std::string printed = text::to_text(ours);
            watch.stop();
            keep(printed);
          },
          [&](Stopwatch& watch) {
            watch.start();
            std::string printed;
            llvm::raw_string_ostream stream(printed);
            theirs.print(stream);
            watch.stop();
            keep(printed);
          });
      uint32_t statements = statement_count(ours);
      double scale = 1e9 / statements;
      table.add({std::string(name(shape)), statements, times.ours * scale, times.theirs * scale});
    }
}

}  // namespace braid::bench
