// A pass that is a loop over a compaction.
#include <braid/braid.h>

#include <cstdio>

#include "ir/analyses.h"
#include "ir/compact.h"

using namespace braid;

#include "block.inc"

int main() {
  Expected<Module> m = parse("func @f(n: i64) -> i64 {\nentry:\n  %0 = add i64 %n, 0\n  ret %0\n}\n");
  ir::Function& f = *m->find("f");
  ir::Analyses analyses(f);
  fold_zeros(f, analyses);
  std::puts(to_text(f).c_str());
  return verify(*m) && statement_count(f) == 1 ? 0 : 1;
}
