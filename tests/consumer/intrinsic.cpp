// An operation of one's own, declared against the installed library: built by name, typed by its signature, run by the
// function given here.
#include <braid/braid.h>

#include <algorithm>
#include <cstdio>
#include <span>
using namespace braid;

int main() {
  Module m;
  m.declare(IntrinsicDef{.name = "capped.add",
                         .params = {i64, i64},
                         .result = i64,
                         .effects = Effects::pure,
                         .evaluate = [](std::span<const Value> v) -> IntrinsicResult {
                           return Value(std::min<int64_t>(v[0].as_i64() + v[1].as_i64(), 42));
                         }});

  Builder b(m, "capped", {{"x", i64}}, i64);
  Var x = b.param("x");
  b.ret(b.intrinsic("capped.add", {x, x}));
  Func& f = b.done();

  std::puts(to_text(f).c_str());
  std::printf("%lld\n", (long long)interpret(f, 40).as_i64());
}
