// Accesses to the heap that the machine does itself, against the same programs with an intrinsic called for each.
#include "heap/heap.h"

#include <climits>

#include "interp_testing.h"

namespace braid::interp {
namespace {

using heap::Element;
using heap::Reference;

struct Kind {
  std::string_view name;   ///< of the intrinsics: t.load_i8, t.store_i8
  Access load, store;
  Element element;
  Type type;
};
constexpr Kind kinds[] = {
    {"i8", Access::load_i8, Access::store_8, Element::bits8, i32},
    {"u8", Access::load_u8, Access::store_8, Element::bits8, i32},
    {"i16", Access::load_i16, Access::store_16, Element::bits16, i32},
    {"u16", Access::load_u16, Access::store_16, Element::bits16, i32},
    {"i32", Access::load_i32, Access::store_32, Element::bits32, i32},
    {"f32", Access::load_u32, Access::store_32, Element::bits32, f32},
    {"i64", Access::load_64, Access::store_64, Element::bits64, i64},
    {"ref", Access::load_ref, Access::none, Element::reference, ref},
};

/// A module with intrinsics over a heap. They throw what no check throws, so that a check that is missed shows.
class HeapProgram {
 public:
  HeapProgram() : module(std::make_unique<ir::Module>()) {
    access.heap = &heap;
    for (unsigned i = 0; i < 5; ++i)
      arrays[i] = heap.add_class({heap::Shape::array, static_cast<Element>(i), 0, {}});
    pair = heap.add_class({heap::Shape::object, Element::bits8, 2, {1}});
    add("t.length", {ref}, i32, ir::no_traits, Access::length, [this](std::span<const Value> v) -> IntrinsicResult {
      if (heap.any_array(v[0].bits) == nullptr) return IntrinsicResult::raise("no array");
      return Value(i32, heap.length(v[0].bits));
    });
    for (const Kind& kind : kinds) add_element(kind);
    add("t.get", {ref, i32}, i64, ir::reads_memory, Access::get, [this](std::span<const Value> v) -> IntrinsicResult {
      const uint64_t* field = heap.field(v[0].bits, static_cast<uint32_t>(v[1].bits) - 10);
      if (field == nullptr) return IntrinsicResult::raise("no field");
      return Value(i64, *field);
    });
    auto put = [this](std::span<const Value> v) -> IntrinsicResult {
      uint64_t* field = heap.field(v[0].bits, static_cast<uint32_t>(v[1].bits) - 10);
      if (field == nullptr) return IntrinsicResult::raise("no field");
      *field = v[1].bits == 11 ? v[2].bits & 0xff : v[2].bits;
      return IntrinsicResult(Value());
    };
    add("t.put", {ref, i32, i64}, void_type, ir::writes_memory, Access::put, put);
    // The fields of a pair are called 10 and 11; the second one cuts off what it gets.
    access.fields.assign(12, {99, false});
    access.fields[10] = {0, true};
    access.fields[11] = {1, false};
  }

  /// Once with calls of all intrinsics, once with accesses.
  std::string run(std::string_view name, const std::vector<Value>& values) {
    std::string results[2];
    uint64_t steps[2] = {};
    for (const bool accesses : {false, true}) {
      RunOptions options;
      options.runtime = &runtime;
      options.heap = accesses ? &access : nullptr;
      runtime.clear();
      Interpreter interpreter(*module, options);
      const Outcome outcome = interpreter.run(*module->find_function(name), values);
      results[accesses] = to_string(outcome);
      steps[accesses] = outcome.steps;
    }
    EXPECT_EQ(results[0], results[1]) << name;
    EXPECT_EQ(steps[0], steps[1]) << name;
    return results[1];
  }

  void parse(std::string text) {
    Program program(std::move(text), std::move(module));
    module = std::move(program.module);
  }

  std::unique_ptr<ir::Module> module;
  heap::Heap heap;
  heap::ClassId arrays[5], pair;
  HeapAccess access;
  ir::SimpleRuntime runtime;

 private:
  void add(std::string_view name, std::vector<Type> parameters, Type result, ir::Traits traits, Access what,
           IntrinsicEval evaluate) {
    const ir::SigId signature = module->signature({std::move(parameters), result});
    ir::Intrinsic intrinsic{module->symbol(name), signature, traits | ir::throws, std::move(evaluate), {}};
    const uint32_t number = index(module->add_intrinsic(std::move(intrinsic)));
    access.intrinsics.resize(std::max<size_t>(access.intrinsics.size(), number + 1), Access::none);
    access.intrinsics[number] = what;
  }
  void add_element(const Kind& kind) {
    const unsigned size = heap::size_of(kind.element);
    auto at = [this, kind, size](std::span<const Value> v) -> uint8_t* {
      const heap::Heap::Elements elements = heap.elements(v[0].bits, kind.element);
      const uint32_t number = static_cast<uint32_t>(v[1].bits);
      return number < elements.length ? static_cast<uint8_t*>(elements.data) + size_t{number} * size : nullptr;
    };
    add("t.load_" + std::string(kind.name), {ref, i32}, kind.type, ir::reads_memory, kind.load,
        [at, kind, size](std::span<const Value> v) -> IntrinsicResult {
          uint64_t word = 0;
          const uint8_t* from = at(v);
          if (from == nullptr) return IntrinsicResult::raise("no element");
          std::memcpy(&word, from, size);
          const unsigned unused = 64 - 8 * size;
          if (kind.name[0] == 'i') word = static_cast<uint64_t>(static_cast<int64_t>(word << unused) >> unused);
          return Value(kind.type, word);
        });
    if (kind.store == Access::none) return;
    add("t.store_" + std::string(kind.name), {ref, i32, kind.type}, void_type, ir::writes_memory, kind.store,
        [at, size](std::span<const Value> v) -> IntrinsicResult {
          uint8_t* to = at(v);
          if (to == nullptr) return IntrinsicResult::raise("no element");
          std::memcpy(to, &v[2].bits, size);
          return IntrinsicResult(Value());
        });
  }
};

std::string with(std::string text, const Kind& kind) {
  for (size_t at; (at = text.find('$')) != std::string::npos;) text.replace(at, 1, kind.name);
  const std::string_view names[] = {"i32", "i64", "f32", "ref"};
  const Type types[] = {i32, i64, f32, ref};
  for (size_t at; (at = text.find('~')) != std::string::npos;)
    for (unsigned i = 0; i < 4; ++i)
      if (kind.type == types[i]) text.replace(at, 1, names[i]);
  return text;
}

std::vector<int32_t> places(int32_t length) { return {0, length - 1, length, -1, 1, INT_MAX, INT_MIN}; }

/// An intrinsic may know more than the machine does.
TEST(InterpHeap, TheLongWayMayEndWell) {
  HeapProgram p;
  const ir::IntrinsicId length = p.module->find_intrinsic(p.module->symbol("t.length"));
  p.module->intrinsics[length].evaluate = [](std::span<const Value>) -> IntrinsicResult { return Value(i32, 7); };
  p.parse(R"(
func @twice(a: ref) -> i32 {
entry:
  %0 = check_null ref %a
  %1 = t.length(%0)
  %2 = add i32 %1, 1
  %3 = t.length(%a)
  %4 = add i32 %2, %3
  ret %4
}
)");
  const Reference object = p.heap.new_object(p.pair);
  EXPECT_EQ(p.run("twice", {Value(ref, object)}), "15");
}

TEST(InterpHeap, ElementsOfEveryKind) {
  for (const Kind& kind : kinds) {
    HeapProgram p;
    std::string text = with(R"(
func @load(a: ref, i: i32) -> ~ {
entry:
  %c = check_null ref %a
  %n = t.length(%c)
  %k = check_bounds i32 %i, %n
  %v = t.load_$(%c, %k)
  ret %v
}
func @unchecked(a: ref, i: i32) -> ~ {
entry:
  %v = t.load_$(%a, %i)
  ret %v
}
func @loop(a: ref, from: i32, to: i32) -> ~ {
entry:
  %first = t.load_$(%a, 1)
  jump head
head:
  %i = phi i32 [entry: %from, body: %j]
  %s = phi ~ [entry: %first, body: %v]
  %d = sge i32 %i, %to
  branch %d, done, body
body:
  %c = check_null ref %a
  %n = t.length(%c)
  %k = check_bounds i32 %i, %n
  %v = t.load_$(%c, %k)
  %j = add i32 %i, 1
  jump head
done:
  ret %s
}
func @length(a: ref) -> i32 {
entry:
  %c = check_null ref %a
  %n = t.length(%c)
  ret %n
}
)", kind);
    if (kind.store != Access::none)
      text += with(R"(
func @store(a: ref, i: i32, x: ~) -> ~ {
entry:
  %c = check_null ref %a
  %n = t.length(%c)
  %k = check_bounds i32 %i, %n
  t.store_$(%c, %k, %x)
  %v = t.load_$(%c, %k)
  ret %v
}
func @fill(a: ref, from: i32, to: i32, x: ~) -> ~ {
entry:
  jump head
head:
  %i = phi i32 [entry: %from, body: %j]
  %d = sge i32 %i, %to
  branch %d, done, body
body:
  %c = check_null ref %a
  %n = t.length(%c)
  %k = check_bounds i32 %i, %n
  t.store_$(%c, %k, %x)
  %j = add i32 %i, 1
  jump head
done:
  %v = t.load_$(%a, 1)
  ret %v
}
)", kind);
    p.parse(std::move(text));
    const unsigned number = static_cast<unsigned>(kind.element);
    const Reference array = p.heap.new_array(p.arrays[number], 3);
    const Reference other = p.heap.new_array(p.arrays[(number + 1) % 5], 3);
    const Reference object = p.heap.new_object(p.pair);
    const Reference gone = p.heap.new_array(p.arrays[number], 3) + (uint64_t{1} << 32);
    EXPECT_EQ(p.run("load", {Value(ref, 0), Value(i32, 1)}), "throws null");
    EXPECT_EQ(p.run("load", {Value(ref, array), Value(i32, 3)}), "throws bounds");
    EXPECT_EQ(p.run("unchecked", {Value(ref, array), Value(i32, 3)}), "throws no element");
    EXPECT_EQ(p.run("load", {Value(ref, other), Value(i32, 1)}), "throws no element");
    EXPECT_EQ(p.run("load", {Value(ref, object), Value(i32, 1)}), "throws no array");
    EXPECT_EQ(p.run("load", {Value(ref, gone), Value(i32, 1)}), "throws no array");
    EXPECT_EQ(p.run("length", {Value(ref, array)}), "3");
    EXPECT_EQ(p.run("length", {Value(ref, 0)}), "throws null");
    EXPECT_EQ(p.run("length", {Value(ref, object)}), "throws no array");
    constexpr uint64_t samples[] = {0, 0x7f, 0x80, 0x8000, ~uint64_t{0}, 0x8000000080008080};
    for (uint64_t bits : samples) {
      const Value value(kind.type, kind.type == i32   ? static_cast<uint64_t>(int64_t{static_cast<int32_t>(bits)})
                                   : kind.type == f32 ? bits & 0xffffffffu
                                                      : bits);
      if (kind.store == Access::none) *static_cast<uint64_t*>(p.heap.elements(array, kind.element).data) = object;
      for (const Reference where : {array, other, object, gone, heap::null})
        for (int32_t at : places(3)) {
          const Value index(i32, static_cast<uint64_t>(int64_t{at}));
          if (kind.store != Access::none) {
            p.run("store", {Value(ref, where), index, value});
            p.run("fill", {Value(ref, where), index, Value(i32, 3), value});
            p.run("fill", {Value(ref, where), Value(i32, 0), index, value});
          }
          p.run("load", {Value(ref, where), index});
          p.run("loop", {Value(ref, where), index, Value(i32, 3)});
          p.run("loop", {Value(ref, where), Value(i32, 0), Value(i32, 4)});
        }
    }
  }
}

TEST(InterpHeap, Fields) {
  HeapProgram p;
  p.parse(R"(
func @both(a: ref, x: i64) -> i64 {
entry:
  %c = check_null ref %a
  t.put(%c, 10, %x)
  t.put(%c, 11, %x)
  %u = t.get(%c, 10)
  %v = t.get(%c, 11)
  %w = mul i64 %v, 1000003
  %s = add i64 %u, %w
  ret %s
}
func @count(a: ref, n: i64) -> i64 {
entry:
  jump head
head:
  %i = phi i64 [entry: 0, body: %j]
  %d = sge i64 %i, %n
  branch %d, done, body
body:
  %c = check_null ref %a
  %u = t.get(%c, 10)
  %v = add i64 %u, %i
  t.put(%c, 10, %v)
  %w = add i64 %v, 7
  t.put(%c, 11, %w)
  %j = add i64 %i, 1
  jump head
done:
  %r = t.get(%a, 11)
  ret %r
}
func @none(a: ref) -> i64 {
entry:
  %u = t.get(%a, 9)
  ret %u
}
)");
  const Reference object = p.heap.new_object(p.pair);
  const Reference array = p.heap.new_array(p.arrays[0], 3);
  EXPECT_EQ(p.run("both", {Value(ref, object), Value(i64, 0x1ff)}), "255001276");
  EXPECT_EQ(p.run("both", {Value(ref, 0), Value(i64, 1)}), "throws null");
  EXPECT_EQ(p.run("both", {Value(ref, array), Value(i64, 1)}), "throws no field");
  EXPECT_EQ(p.run("none", {Value(ref, object)}), "throws no field");
  *p.heap.field(object, 0) = 0;
  EXPECT_EQ(p.run("count", {Value(ref, 0), Value(i64, 3)}), "throws null");
  EXPECT_EQ(p.run("count", {Value(ref, array), Value(i64, 3)}), "throws no field");
  RunOptions options;
  options.heap = &p.access;
  Interpreter interpreter(*p.module, options);
  const std::vector<Value> arguments = {Value(ref, object), Value(i64, 100)};
  EXPECT_EQ(to_string(interpreter.run(*p.module->find_function("count"), arguments)), "93");  // (4950 + 7) & 255
}

TEST(InterpHeap, WhatThrowsFirstIsThrown) {
  HeapProgram p;
  p.parse(R"(
func @between(a: ref, i: i32, z: i32) -> i32 {
entry:
  %c = check_null ref %a
  %y = check_zero i32 %z
  %n = t.length(%c)
  %k = check_bounds i32 %i, %n
  %m = mul i32 %i, %y
  %v = t.load_i32(%c, %k)
  %s = add i32 %v, %m
  ret %s
}
func @two(a: ref, b: ref, i: i32) -> i32 {
entry:
  %c = check_null ref %a
  %n = t.length(%c)
  %d = check_null ref %b
  %m = t.length(%d)
  %k = check_bounds i32 %i, %n
  %l = check_bounds i32 %i, %m
  %v = t.load_i32(%d, %l)
  %w = t.load_i32(%c, %k)
  %s = sub i32 %v, %w
  ret %s
}
func @shared(a: ref, i: i32) -> i32 {
entry:
  %c = check_null ref %a
  %n = t.length(%c)
  %k = check_bounds i32 %i, %n
  %v = t.load_i32(%c, %k)
  %s = add i32 %v, %n
  ret %s
}
func @other(a: ref, b: ref, i: i32) -> i32 {
entry:
  %c = check_null ref %a
  %d = check_null ref %b
  %m = t.length(%d)
  %k = check_bounds i32 %i, %m
  %v = t.load_i32(%c, %k)
  ret %v
}
)");
  const Reference longer = p.heap.new_array(p.arrays[2], 5), shorter = p.heap.new_array(p.arrays[2], 2);
  int32_t* elements = static_cast<int32_t*>(p.heap.elements(longer, Element::bits32).data);
  for (int32_t i = 0; i < 5; ++i) elements[i] = 10 * i;
  EXPECT_EQ(p.run("between", {Value(ref, 0), Value(i32, 9), Value(i32, 0)}), "throws null");
  EXPECT_EQ(p.run("between", {Value(ref, longer), Value(i32, 9), Value(i32, 0)}), "throws zero");
  EXPECT_EQ(p.run("between", {Value(ref, longer), Value(i32, 9), Value(i32, 2)}), "throws bounds");
  EXPECT_EQ(p.run("between", {Value(ref, longer), Value(i32, 3), Value(i32, 2)}), "36");
  EXPECT_EQ(p.run("shared", {Value(ref, longer), Value(i32, 3)}), "35");
  EXPECT_EQ(p.run("shared", {Value(ref, longer), Value(i32, 5)}), "throws bounds");
  // The bound is that of another array.
  EXPECT_EQ(p.run("other", {Value(ref, longer), Value(ref, shorter), Value(i32, 3)}), "throws bounds");
  EXPECT_EQ(p.run("other", {Value(ref, shorter), Value(ref, longer), Value(i32, 3)}), "throws no element");
  for (const Reference a : {longer, shorter, heap::null})
    for (const Reference b : {longer, shorter, heap::null})
      for (int32_t at : places(2)) {
        const Value index(i32, static_cast<uint64_t>(int64_t{at}));
        p.run("two", {Value(ref, a), Value(ref, b), index});
        p.run("other", {Value(ref, a), Value(ref, b), index});
      }
}

TEST(InterpHeap, AnObjectIsHeldUntilTheNextOne) {
  HeapProgram p;
  p.parse(R"(
func @rows(a: ref, rows: i32) -> i32 {
entry:
  jump outer
outer:
  %r = phi i32 [entry: 0, next: %r2]
  %s = phi i32 [entry: 0, next: %t]
  %over = sge i32 %r, %rows
  branch %over, done, row
row:
  %w = t.load_ref(%a, %r)
  jump inner
inner:
  %i = phi i32 [row: 0, body: %j]
  %t = phi i32 [row: %s, body: %u]
  %n = t.length(%w)
  %end = sge i32 %i, %n
  branch %end, next, body
body:
  %v = t.load_i32(%w, %i)
  %m = mul i32 %t, 31
  %u = add i32 %m, %v
  %j = add i32 %i, 1
  jump inner
next:
  %r2 = add i32 %r, 1
  jump outer
done:
  ret %s
}
)");
  const Reference rows = p.heap.new_array(p.arrays[4], 3);
  for (uint32_t r = 0; r < 3; ++r) {
    const Reference row = p.heap.new_array(p.arrays[2], r + 1);
    static_cast<Reference*>(p.heap.elements(rows, Element::reference).data)[r] = row;
    int32_t* elements = static_cast<int32_t*>(p.heap.elements(row, Element::bits32).data);
    for (uint32_t i = 0; i <= r; ++i) elements[i] = static_cast<int32_t>(5 * r + i + 1);
  }
  EXPECT_EQ(p.run("rows", {Value(ref, rows), Value(i32, 3)}), "34389770");
  EXPECT_EQ(p.run("rows", {Value(ref, rows), Value(i32, 4)}), "throws no element");
  EXPECT_EQ(p.run("rows", {Value(ref, 0), Value(i32, 0)}), "0");
}

TEST(InterpHeap, ElementsThatAreChanged) {
  HeapProgram p;
  std::string text;
  std::vector<std::string> names;
  for (const std::string type : {"i32", "i64"})
    for (const std::string op : {"add", "sub", "xor", "mul"})
      for (const std::string operands : {"%v, %x", "%x, %v", "%v, 3", "%v, %v"})
        for (const std::string stored : {"%w", "%x", "%v"}) {
          names.push_back("f" + std::to_string(names.size()));
          text += "func @" + names.back() + "(a: ref, b: ref, n: i32, x: " + type + ") -> " + type + R"( {
entry:
  jump head
head:
  %i = phi i32 [entry: 0, body: %j]
  %s = phi )" + type + R"( [entry: %x, body: %t]
  %d = sge i32 %i, %n
  branch %d, done, body
body:
  %c = check_null ref %a
  %m = t.length(%c)
  %k = check_bounds i32 %i, %m
  %v = t.load_)" + type + R"((%c, %k)
  %e = check_null ref %b
  %o = t.length(%e)
  %l = check_bounds i32 %i, %o
  %w = )" + op + " " + type + " " + operands + R"(
  t.store_)" + type + "(%e, %l, " + stored + R"()
  %u = mul )" + type + R"( %s, 31
  %t = add )" + type + R"( %u, %w
  %j = add i32 %i, 1
  jump head
done:
  ret %s
}
)";
        }
  p.parse(std::move(text));
  for (const std::string& name : names) {
    const Type type = p.module->find_function(name)->param_type(3);
    const unsigned kind = type == i32 ? 2 : 3;
    const Reference four = p.heap.new_array(p.arrays[kind], 4), two = p.heap.new_array(p.arrays[kind], 2);
    const unsigned size = heap::size_of(static_cast<Element>(kind));
    auto data = [&](Reference array) {
      return static_cast<uint8_t*>(p.heap.elements(array, static_cast<Element>(kind)).data);
    };
    auto fill = [&] {
      for (const Reference array : {four, two})
        for (uint32_t i = 0; i < p.heap.length(array) * size; ++i) data(array)[i] = static_cast<uint8_t>(37 * i + 200);
    };
    for (const Reference a : {four, two, heap::null})
      for (const Reference b : {four, two, heap::null})
        for (int32_t n : {0, 2, 3, 4, 5}) {
          std::string results[2];
          for (const bool accesses : {false, true}) {
            fill();
            RunOptions options;
            options.runtime = &p.runtime;
            options.heap = accesses ? &p.access : nullptr;
            p.runtime.clear();
            Interpreter interpreter(*p.module, options);
            const Value rounds(i32, static_cast<uint64_t>(n));
            const std::vector<Value> arguments = {Value(ref, a), Value(ref, b), rounds, Value(type, 11)};
            results[accesses] = to_string(interpreter.run(*p.module->find_function(name), arguments));
            for (const Reference array : {four, two})
              for (uint32_t i = 0; i < p.heap.length(array) * size; ++i)
                results[accesses] += ' ' + std::to_string(data(array)[i]);
          }
          ASSERT_EQ(results[0], results[1]) << name << " " << n;
        }
  }
}

TEST(InterpHeap, PairsOfInstructions) {
  std::string text;
  const std::string_view operations[] = {"add", "sub", "mul", "and", "or", "xor", "shl", "ashr", "lshr"};
  std::vector<std::string> names;
  for (const std::string type : {"i32", "i64"})
    for (std::string_view first : operations)
      for (std::string_view second : operations) {
        const std::string a(first), b(second);
        names.push_back("f" + std::to_string(names.size()));
        // In both orders of operands, as a temporary and as one that is used again, with constants and without.
        text += "func @" + names.back() + "(x: " + type + ", y: " + type + ") -> " + type + " {\nentry:\n" +
                "  %a = " + a + " " + type + " %x, %y\n  %b = " + b + " " + type + " %a, %y\n" +
                "  %c = " + a + " " + type + " %b, 3\n  %d = " + b + " " + type + " %y, %c\n" +
                "  %e = " + a + " " + type + " %d, %x\n  %f = " + b + " " + type + " %e, 5\n" +
                "  %g = " + a + " " + type + " %f, %e\n" +
                "  %h = sdiv " + type + " %g, 4\n  %k = srem " + type + " %g, 8\n  %l = sub " + type + " %h, %k\n" +
                "  %m = add " + type + " %l, 1\n  %t = slt " + type + " %m, %x\n  branch %t, less, more\nless:\n" +
                "  %n = and " + type + " %m, 255\n  %z = eq " + type + " %y, 7\n  branch %z, more, out\n" +
                "out:\n  ret %n\nmore:\n  ret %m\n}\n";
      }
  Program p(text);
  for (const std::string& name : names) {
    const bool is_wide = p.function(name).param_type(0) == i64;
    for (int64_t x : {int64_t{0}, int64_t{-1}, int64_t{7}, INT64_MIN, INT64_MAX, int64_t{-123456789}})
      for (int64_t y : {int64_t{1}, int64_t{-8}, int64_t{7}, INT64_MAX}) {
        if (is_wide) p.run(name, x, y);
        else p.run(name, static_cast<int32_t>(x >> 32 ^ x), static_cast<int32_t>(y >> 32 ^ y));
      }
  }
}

TEST(InterpHeap, DivisionByPowersOfTwo) {
  std::string text;
  const std::string_view types[] = {"i8", "i16", "i32", "i64"};
  const unsigned bits[] = {8, 16, 32, 64};
  for (unsigned t = 0; t < 4; ++t)
    for (unsigned k = 1; k < 31 && k + 1 < bits[t]; ++k) {
      const std::string type(types[t]), n = std::to_string(uint64_t{1} << k);
      text += "func @" + type + "_" + std::to_string(k) + "(x: " + type + ") -> " + type + " {\nentry:\n" +
              "  %q = sdiv " + type + " %x, " + n + "\n  %r = srem " + type + " %x, " + n + "\n" +
              "  %s = mul " + type + " %r, 3\n  %t = xor " + type + " %q, %s\n  ret %t\n}\n";
    }
  Program p(text);
  for (unsigned t = 0; t < 4; ++t)
    for (unsigned k = 1; k < 31 && k + 1 < bits[t]; ++k)
      for (int shift = 0; shift < 64; shift += 3)
        for (int64_t base : {int64_t{-1}, int64_t{1}, int64_t{-3}, INT64_MIN, INT64_MAX, int64_t{0}}) {
          const int64_t x = (base << shift >> (64 - bits[t]));
          const unsigned rest = 64 - bits[t];
          const uint64_t canonical = static_cast<uint64_t>(x << rest >> rest);
          const Type type = t == 0 ? i8 : t == 1 ? i16 : t == 2 ? i32 : i64;
          const int64_t value = static_cast<int64_t>(canonical), by = int64_t{1} << k;
          const uint64_t thrice = static_cast<uint64_t>(value % by) * 3;
          const int64_t expected = (value / by) ^ static_cast<int64_t>(thrice << rest) >> rest;
          const std::string name = std::string(types[t]) + "_" + std::to_string(k);
          ASSERT_EQ(p.run_values(name, {Value(type, canonical)}), std::to_string(expected)) << name << " of " << value;
        }
}

}  // namespace
}  // namespace braid::interp
