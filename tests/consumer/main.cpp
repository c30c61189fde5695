#include <braid/braid.h>
#include <cstdio>
using namespace braid;

int main() {
  Module m;
  Builder b(m, "sum", {{"n", i64}}, i64);        // i64 sum(i64 n)
  Var n = b.param("n");
  Var s = b.var("s", i64, 0);

  b.while_([&] { return n > 0; }, [&] {          // no phi(), no seal(), no list of blocks
    s += n;
    n -= 1;
  });
  b.ret(s);
  Func& f = b.done();                            // verified

  std::puts(to_text(f).c_str());                 // the text form, phis included
  std::printf("%lld\n", (long long)interpret(f, 100).as_i64());
}
