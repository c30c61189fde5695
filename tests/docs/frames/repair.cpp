// Copied blocks, and the values that have two definitions then.
#include <braid/braid.h>

#include "ir/uses.h"
#include "ssa/repair.h"

using namespace braid;

static void copy(ir::Function& f, const std::vector<ir::BlockId>& blocks) {
#include "block.inc"
}

int main() {
  Expected<Module> m = parse(
      "func @f(n: i64) -> i64 {\nentry:\n  jump next\nnext:\n  %1 = add i64 %n, 1\n  jump last\nlast:\n  ret %1\n}\n");
  copy(*m->find("f"), {ir::BlockId{1}});
  return verify(*m) ? 0 : 1;
}
