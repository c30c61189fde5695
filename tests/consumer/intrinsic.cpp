// An operation of one's own, declared against the installed library: built by name, typed by its signature and by the operands,
// run by the function given here.
#include <braid/braid.h>

#include <algorithm>
#include <cstdint>
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
                         },
                         .refine = [](TypeTable& types, std::span<const Type> operands) {
                           auto a = range_of(types, operands[0], Kind::i64), b = range_of(types, operands[1], Kind::i64);
                           const bool has_floor = a && b && a->first >= 0 && b->first >= 0;
                           return int_range(types, Kind::i64, has_floor ? 0 : INT64_MIN, 42);
                         }});

  Builder b(m, "capped", {{"x", i64}}, i64);
  Var x = b.param("x");
  b.ret(b.intrinsic("capped.add", {x, x}));
  Func& f = b.done();

  // What is known of the result folds the comparison.
  Builder c(m, "is_low", {{"x", i64}}, i1);
  Val low = c.op("and", {c.param("x"), 15});
  c.ret(c.intrinsic("capped.add", {low, low}) >= 0);
  Func& g = c.done();
  optimize(g, "infer,dce").value();
  std::puts(to_text(g).c_str());
  if (statement_count(g) != 1 || !interpret(g, -5).as_bool()) return 1;

  std::puts(to_text(f).c_str());
  std::printf("%lld\n", (long long)interpret(f, 40).as_i64());
}
