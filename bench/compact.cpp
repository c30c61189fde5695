// Compaction alone, and with a pass that reads every statement inside the walk.
#include "ir/compact.h"

#include "shapes.h"
#include "subjects.h"

namespace braid::bench {

void measure_compact(Table& table, const Effort& effort) {
  table.section("compaction with a reading pass inside", "alone");
  for (Shape shape : shapes)
    for (uint32_t size = 1000; size <= effort.largest; size *= 10) {
      Module module;
      const Func& f = build(module, shape, size);
      uint64_t seen = 0;
      Times times = interleave(
          effort,
          [&](Stopwatch& watch) {
            ir::Function copy = f;
            watch.start();
            ir::Compact walk(copy);
            for (ir::Ref r : walk) {
              const ir::Stmt& statement = walk.stmt(r);
              if (ir::has(statement.op, ir::commutes)) seen += index(r) + walk.type(r).bits;
            }
            walk.finish();
            watch.stop();
          },
          [&](Stopwatch& watch) {
            ir::Function copy = f;
            watch.start();
            ir::compact(copy);
            watch.stop();
          });
      keep(seen);
      double scale = 1e9 / f.size();
      table.add({std::string(name(shape)), f.size(), times.ours * scale, times.theirs * scale, "ns", Goal::at_most, 1.3});
    }
}

}  // namespace braid::bench
