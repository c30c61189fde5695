// Copying a function, and what a statement takes in memory. Braid's columns are copied with one memcpy each.
#include <malloc.h>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "ir/function.h"
#include "ir/uses.h"
#include "shapes.h"
#include "subjects.h"

namespace braid::bench {
namespace {

/// Bytes that the program has from malloc by now.
size_t allocated() {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

}  // namespace

void measure_copy(Table& table, const Effort& effort) {
  table.section("copying a function, per statement", "LLVM CloneFunction");
  llvm::LLVMContext context;
  for (Shape shape : shapes) {
    uint32_t size = effort.largest / 10;
    Module braid_module;
    const Func& ours = build(braid_module, shape, size);
    llvm::Module module("m", context);
    llvm::Function& theirs = build(module, shape, size);
    Times times = interleave(
        effort,
        [&](Stopwatch& watch) {
          watch.start();
          ir::Function copy = ours;
          watch.stop();
          keep(copy);
        },
        [&](Stopwatch& watch) {
          llvm::ValueToValueMapTy map;
          watch.start();
          llvm::Function* copy = llvm::CloneFunction(&theirs, map);
          watch.stop();
          copy->eraseFromParent();
        });
    double scale = 1e9 / ours.size();
    table.add({std::string(name(shape)), ours.size(), times.ours * scale, times.theirs * scale});
  }

  table.section("memory per statement, from malloc", "LLVM");
  for (Shape shape : shapes) {
    uint32_t size = effort.largest / 10;
    Module braid_module;
    const Func& built = build(braid_module, shape, size);
    double count = built.size();
    size_t before = allocated();
    ir::Function copy = built;
    double at_rest = static_cast<double>(allocated() - before);
    ir::Uses uses(copy);
    double with_uses = static_cast<double>(allocated() - before);
    before = allocated();
    llvm::Module module("m", context);
    build(module, shape, size);
    double theirs = static_cast<double>(allocated() - before);
    // The numbers to hold are those of plain two-operand statements; blocks and edges come on top in the other shapes.
    Goal goal = shape == Shape::straight ? Goal::at_most : Goal::none;
    table.add({std::string(name(shape)), copy.size(), at_rest / count, 0, "B", goal, 24.05});
    table.add({std::string(name(shape)) + ", with uses", copy.size(), with_uses / count, 0, "B", goal, 36.05});
    table.add({std::string(name(shape)) + ", against LLVM", copy.size(), at_rest / count, theirs / count, "B"});
  }
}

}  // namespace braid::bench
