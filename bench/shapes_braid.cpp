// The shapes through Braid's public Builder, as a front end would write them: variables and structured control flow.
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

void straight(Builder& b, uint32_t count) {
  Var x = b.param(0u), y = b.param(1u), z = b.param(2u);
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
    b.while_([&] { return i < n; }, [&] {
      b.while_([&] { return j < n; }, [&] {
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

}  // namespace

Func& build(Module& module, Shape shape, uint32_t statements) {
  Builder b(module, "f", {{"a", i64}, {"b", i64}, {"c", i64}, {"d", i64}}, i64);
  uint32_t count = pieces(shape, statements);
  switch (shape) {
    case Shape::straight: straight(b, count); break;
    case Shape::diamonds: diamonds(b, count); break;
    case Shape::loops: loops(b, count); break;
  }
  return *b.try_done(false).value();
}

}  // namespace braid::bench
