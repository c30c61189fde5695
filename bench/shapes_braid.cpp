// The shapes through Braid's public Builder: as a front end would write them, with variables and structured
// control flow; and by hand, with blocks and phis, as one does who has SSA already.
#include <braid/builder.h>

#include "shapes.h"

namespace braid::bench {

std::string_view name(Shape shape) {
  switch (shape) {
    case Shape::straight: return "straight line";
    case Shape::diamonds: return "chain of diamonds";
    case Shape::loops: return "nested loops";
  }
  return {};
}

uint32_t pieces(Shape shape, uint32_t statements) {
  uint32_t of_one = shape == Shape::straight ? 6 : shape == Shape::diamonds ? 10 : 24;
  return statements / of_one;
}

namespace {

/// Without branches, values are written as variables are.
template <typename Handle>
void straight(Builder& b, uint32_t count) {
  Handle x = b.param(0u), y = b.param(1u), z = b.param(2u);
  for (uint32_t i = 0; i < count; ++i) {
    x = x + y;
    y = y ^ z;
    z = z * x;
    x = x - z;
    y = y & x;
    z = z | y;
  }
  b.ret(x + y + z);
}

void diamonds(Builder& b, uint32_t count) {
  Var x = b.param(0u), y = b.param(1u), z = b.param(2u);
  for (uint32_t i = 0; i < count; ++i) {
    b.if_(x < y, [&] { x = x + z; }, [&] { y = y - z; });
    z = z ^ x;
    z = z + y;
  }
  b.ret(x + y + z);
}

void loops(Builder& b, uint32_t count) {
  Var i = b.param(0u), j = b.param(1u), k = b.param(2u), n = b.param(3u);
  for (uint32_t c = 0; c < count; ++c) {
    b.while_([&] { return i < n; },
             [&] {
               b.while_([&] { return j < n; },
                        [&] {
                          b.while_([&] { return k < n; }, [&] { k = k + j; });
                          k = k - i;
                          j = j + i;
                        });
               j = j - k;
               i = i + j;
             });
    i = i ^ n;
  }
  b.ret(i + j + k);
}

// ---- by hand ----

void diamonds_by_hand(Builder& b, uint32_t count) {
  Val x = b.param(0u), y = b.param(1u), z = b.param(2u);
  for (uint32_t i = 0; i < count; ++i) {
    Label then = b.label(), otherwise = b.label(), after = b.label();
    b.branch(x < y, then, otherwise);
    b.at(then);
    b.jump(after, {x + z, y});
    b.at(otherwise);
    b.jump(after, {x, y - z});
    b.at(after);
    x = b.phi(i64);
    y = b.phi(i64);
    z = z ^ x;
    z = z + y;
  }
  b.ret(x + y + z);
}

void loops_by_hand(Builder& b, uint32_t count) {
  Val i = b.param(0u), j = b.param(1u), k = b.param(2u), n = b.param(3u);
  for (uint32_t c = 0; c < count; ++c) {
    Label head1 = b.label(), body1 = b.label(), head2 = b.label(), body2 = b.label(), head3 = b.label();
    Label body3 = b.label(), after3 = b.label(), after2 = b.label(), after1 = b.label();
    b.jump(head1, {i, j, k});
    b.at(head1);
    Val i1 = b.phi(i64), j1 = b.phi(i64), k1 = b.phi(i64);
    b.branch(i1 < n, body1, after1);
    b.at(body1);
    b.jump(head2, {j1, k1});
    b.at(head2);
    Val j2 = b.phi(i64), k2 = b.phi(i64);
    b.branch(j2 < n, body2, after2);
    b.at(body2);
    b.jump(head3, {k2});
    b.at(head3);
    Val k3 = b.phi(i64);
    b.branch(k3 < n, body3, after3);
    b.at(body3);
    b.jump(head3, {k3 + j2});
    b.at(after3);
    Val k4 = k3 - i1;
    b.jump(head2, {j2 + i1, k4});
    b.at(after2);
    Val difference = j2 - k2;
    b.jump(head1, {i1 + difference, difference, k2});
    b.at(after1);
    i = i1 ^ n;
    j = j1;
    k = k1;
  }
  b.ret(i + j + k);
}

using Fill = void (*)(Builder&, uint32_t);

Func& build_by(Module& module, Shape shape, uint32_t statements, Fill fill_straight, Fill fill_diamonds,
               Fill fill_loops) {
  Builder b(module, "f", {{"a", i64}, {"b", i64}, {"c", i64}, {"d", i64}}, i64);
  uint32_t count = pieces(shape, statements);
  switch (shape) {
    case Shape::straight: fill_straight(b, count); break;
    case Shape::diamonds: fill_diamonds(b, count); break;
    case Shape::loops: fill_loops(b, count); break;
  }
  return *b.try_done(false).value();
}

}  // namespace

Func& build(Module& module, Shape shape, uint32_t statements) {
  return build_by(module, shape, statements, straight<Var>, diamonds, loops);
}

Func& build_by_hand(Module& module, Shape shape, uint32_t statements) {
  return build_by(module, shape, statements, straight<Val>, diamonds_by_hand, loops_by_hand);
}

}  // namespace braid::bench
