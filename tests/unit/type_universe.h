// A small universe of types that has every kind of refinement, alone, in unions and nested; for laws that are
// checked over all pairs and triples.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "type/type_table.h"

namespace braid {

struct TypeUniverse {
  TypeTable table;
  // animal > dog > puppy, animal > cat, and plant apart from them
  ClassId animal = table.add_class("Animal");
  ClassId dog = table.add_class("Dog", animal);
  ClassId puppy = table.add_class("Puppy", dog);
  ClassId cat = table.add_class("Cat", animal);
  ClassId plant = table.add_class("Plant");
  std::vector<Type> types;

  Type tuple_of(std::vector<Type> elements) { return table.tuple(elements); }

  TypeUniverse() {
    for (int k = 0; k < kind_count; ++k) types.push_back(of(static_cast<Kind>(k)));
    const auto add = [&](Type type) { types.push_back(type); };
    const auto unite = [&](Type a, Type b) { return table.join(a, b); };

    for (Type type : {none, any, i64 | f64, i64 | null_type, any | token_type, any | void_type}) add(type);

    add(table.int_constant(Kind::i1, 0));
    add(table.int_constant(Kind::i1, 1));
    add(table.int_range(Kind::i8, -128, 126));
    for (auto [lo, hi] :
         {std::pair<int64_t, int64_t>{0, 0}, {1, 1}, {0, 1}, {0, 10}, {5, 20}, {11, 12}, {-3, 5}}) {
      add(table.int_range(Kind::i64, lo, hi));
    }
    add(table.int_range(Kind::i64, 0, std::numeric_limits<int64_t>::max()));
    add(table.int_range(Kind::i64, std::numeric_limits<int64_t>::min(), -1));

    add(table.float_constant(Kind::f64, 0));
    add(table.float_constant(Kind::f64, 0x8000'0000'0000'0000u));
    add(table.float_constant(Kind::f64, 0x7ff8'0000'0000'0000u));
    add(table.float_constant(Kind::f32, 0x3fc0'0000u));
    add(table.string_constant(3));
    add(table.string_constant(4));

    for (ClassId id : {animal, dog, puppy, cat, plant}) {
      add(table.of_class(Kind::object, id));
      add(table.of_class(Kind::object, id, true));
    }
    add(table.of_class(Kind::ref, animal));
    add(table.of_class(Kind::ref, dog, true));

    const Type one = table.int_constant(Kind::i64, 1);
    const Type small = table.int_range(Kind::i64, 0, 10);
    add(tuple_of({}));
    add(tuple_of({i64}));
    add(tuple_of({one}));
    add(tuple_of({i64, i1}));
    add(tuple_of({small, i1}));
    add(tuple_of({any, any}));
    add(tuple_of({tuple_of({i64})}));
    add(tuple_of({tuple_of({one})}));
    add(tuple_of({unite(small, tuple_of({i64, f64}))}));
    add(tuple_of({table.of_class(Kind::object, dog), null_type | i64}));

    add(unite(one, null_type));
    add(unite(small, table.float_constant(Kind::f64, 0)));
    add(unite(table.of_class(Kind::object, dog), null_type));
    add(unite(table.of_class(Kind::object, dog), table.of_class(Kind::ref, cat)));
    add(unite(table.of_class(Kind::object, cat, true), table.string_constant(3)));
    add(unite(unite(tuple_of({one}), table.int_range(Kind::i8, 0, 3)), string_type));
    add(table.join(table.without(any, kind_bit(Kind::i64)), small));
  }
};

}  // namespace braid
