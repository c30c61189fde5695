// Parsing: the same functions, each as printed by its own system, from memory. Making the module is timed on both sides,
// destroying it is not. Neither side verifies.
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include "shapes.h"
#include "subjects.h"
#include "text/parse.h"
#include "text/print.h"

namespace braid::bench {

void measure_parse(Table& table, const Effort& effort) {
  table.section("parsing text, per statement", "LLVM AsmParser");
  llvm::LLVMContext context;
  for (Shape shape : shapes)
    for (uint32_t size = 1000; size <= effort.largest; size *= 10) {
      Module braid_module;
      uint32_t statements = statement_count(build(braid_module, shape, size));
      SourceFile source("f.braid", text::to_text(braid_module.ir()));
      std::string assembly;
      {
        llvm::Module module("m", context);
        build(module, shape, size);
        llvm::raw_string_ostream stream(assembly);
        module.print(stream, nullptr);
      }
      llvm::MemoryBufferRef buffer(assembly, "f.ll");
      Times times = interleave(
          effort,
          [&](Stopwatch& watch) {
            watch.start();
            Expected<text::ParsedModule> parsed = text::parse_module(source);
            watch.stop();
            if (!parsed) fail("Braid does not parse what it printed: " + render(parsed.error()));
          },
          [&](Stopwatch& watch) {
            llvm::SMDiagnostic error;
            watch.start();
            std::unique_ptr<llvm::Module> module = llvm::parseAssembly(buffer, error, context);
            watch.stop();
            if (!module) fail("LLVM does not parse what it printed");
          });
      double scale = 1e9 / statements;
      table.add({std::string(name(shape)), statements, times.ours * scale, times.theirs * scale, "ns", Goal::at_least, 5});
    }
}

}  // namespace braid::bench
