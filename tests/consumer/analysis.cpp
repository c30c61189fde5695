// What a program can ask of the installed library beyond building: construction by a chosen algorithm, warnings, frame states,
// and the lattice of types.
#include <braid/braid.h>

#include <cstdio>
using namespace braid;

int main() {
  Module m = parse("func @f(c: i1) -> i64 {\n  var s: i64\nentry:\n  branch %c, yes, no\nyes:\n  set s, 5\n  jump no\n"
                   "no:\n  %3 = get s\n  ret %3\n}\n")
                 .value();
  Func& f = *m.find("f");
  Diagnostics found = warnings(f);
  for (Construction how : {Construction::cytron, Construction::braun, Construction::regmap}) {
    Module copy = parse(to_text(m)).value();
    construct(copy, how).value();
    if (phi_count(*copy.find("f")) == 0) return 1;
  }

  Builder b(m, "guarded", {{"x", i64}}, i64);
  Var x = b.param("x");
  b.guard(x > 0, b.save_state(3, {{0, x}}));
  b.ret(x);
  Value zero(int64_t{0});
  std::puts(run(b.done(), {&zero, 1}).message.c_str());

  Type digit = int_range(m, Kind::i64, 0, 9);
  Type optional = join(m, digit, null_type);
  bool laws = is_within(m, digit, optional) && meet(m, optional, i64) == digit &&
              parse_type(m, to_text(m, optional)).value() == optional;
  std::printf("%zu %d %s\n", found.size(), laws, to_text(m, optional).c_str());
}
