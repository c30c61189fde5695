// What a walk of compaction looks like on the way.
#include <braid/braid.h>

#include <cstdio>

#include "ir/compact.h"
#include "text/print_julia.h"

using namespace braid;

static void show(ir::Function& f) {
#include "block.inc"
}

int main() {
  Expected<Module> m = parse(
      "func @f(n: i64) -> i64 {\nentry:\n  jump head\nhead:\n  %1 = phi i64 [entry: %n, body: %5]\n"
      "  %2 = sgt i64 %1, 10\n  branch %2, body, done\nbody:\n  %4 = mul i64 %1, 3\n  %5 = sub i64 %4, %n\n"
      "  jump head\ndone:\n  ret %1\n}\n");
  show(*m->find("f"));
  return verify(*m) ? 0 : 1;
}
