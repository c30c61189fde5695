// A pass that is a loop over a compaction.
#include <braid/braid.h>

#include <cstdio>

#include "ir/compact.h"

using namespace braid;

static void fold(ir::Function& f) {
#include "block.inc"
}

int main() {
  Expected<Module> m = parse("func @f(n: i64) -> i64 {\nentry:\n  %0 = add i64 %n, 0\n  ret %0\n}\n");
  fold(*m->find("f"));
  std::puts(to_text(*m->find("f")).c_str());
  return verify(*m) && statement_count(*m->find("f")) == 1 ? 0 : 1;
}
