// Random pandasm programs, as text: jumps anywhere, try ranges that overlap, handlers at any label, all families of
// instructions, objects, arrays, virtual calls, class initialisers, output. Every program ends: each label pays from a
// register, and leaves when it is empty.
//
// A snippet assumes nothing of the accumulator, so that any label may be a handler. Most registers hold values of one
// type all the time; some are used freely, so that now and then a program is rejected by the verifier.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace braid::testing {

class RandomPandasm {
 public:
  explicit RandomPandasm(uint32_t seed) : random_(seed) {}

  std::string program() {
    text_ = records;
    const uint32_t count = 1 + below(3);
    for (uint32_t i = 0; i < count; ++i) function(i);
    text_ += ".function i32 main() {\n  movi v0, " + number(-20, 20) + "\n  movi.64 v1, " + number(-9, 9) +
             "\n  mov.null v2\n  call f" + std::to_string(count - 1) + ", v0, v1, v2\n  return\n}\n";
    return text_;
  }

 private:
  static constexpr const char* records = R"(
.record R { i32 x
  i64 y
  f64 z
  R next
  i8 b
  u16 h }
.record S <extends=R> { i32 w }
.record Ex1 <extends=panda.Exception> { i32 c }
.record Ex2 <extends=Ex1>
.record G { i32 s <static>
  i64 t <static>
  R r <static> }
.array data i32 4 { 7 -3 100000 0 }
.function void G.init() <cctor, static> {
  movi v0, 77
  lda v0
  ststatic G.s
  call IO.printI32, v0
  return.void
}
.function void R.ctor(R a0, i32 a1) <ctor> {
  lda a1
  stobj a0, R.x
  stobj a0, R.b
  stobj a0, R.h
  return.void
}
.function i32 R.get(R a0, i32 a1) {
  ldobj a0, R.x
  add2 a1
  return
}
.function i32 S.get(S a0, i32 a1) {
  ldobj a0, R.h
  sta v0
  div v0, a1
  return
}
)";

  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  bool chance(uint32_t percent) { return below(100) < percent; }
  std::string number(int least, int most) {
    return std::to_string(least + static_cast<int>(below(static_cast<uint32_t>(most - least + 1))));
  }
  template <size_t n>
  const char* one(const char* const (&of)[n]) {
    return of[below(n)];
  }
  void line(const std::string& text) { text_ += "  " + text + "\n"; }
  std::string i32_register() { return "v" + std::to_string(1 + below(4)); }
  std::string i64_register() { return "v" + std::to_string(5 + below(2)); }
  std::string f64_register() { return "v" + std::to_string(7 + below(2)); }
  std::string free_register() { return "v" + std::to_string(15 + below(2)); }
  std::string label() { return "L" + std::to_string(below(labels_)); }

  void function(uint32_t which) {
    which_ = which;
    labels_ = 2 + below(9);
    text_ += ".function i32 f" + std::to_string(which) + "(i32 a0, i64 a1, R a2) {\n";
    line("movi v0, " + number(3, 40));
    for (uint32_t i = 1; i <= 4; ++i) line("movi v" + std::to_string(i) + ", " + number(-3, 9));
    line("mov v2, a0");
    line("mov.64 v5, a1");
    line("movi.64 v6, " + std::string(chance(20) ? "0x8000000000000000" : "12"));
    line("fmovi.64 v7, " + std::string(chance(20) ? "0x7ff8000000000000" : "2.5"));
    line("fmovi.64 v8, -0.75");
    line("fmovi v9, 1.5");
    line("movi v10, " + number(0, 4));
    line("newarr v10, v10, i32[]");
    line("mov.obj v11, a2");
    line("mov.null v12");
    line("mov.null v13");
    line("movi v14, 0");
    for (uint32_t i = 0; i < labels_; ++i) {
      text_ += "L" + std::to_string(i) + ":\n";
      pay();
      for (uint32_t n = 1 + below(4); n != 0; --n) snippet();
      if (chance(60)) jump();
    }
    text_ += "exit:\n";
    finish();
    text_ += "keep:\n";  // a handler that looks at what it was given
    line("sta.obj v13");
    line("jmp " + label());
    for (uint32_t n = below(5); n != 0; --n) protect();
    text_ += "}\n";
  }

  void pay() {
    line("inci v0, -1");
    line("lda v0");
    line("jltz exit");
  }

  void protect() {
    uint32_t from = below(labels_), to = below(labels_ + 1);
    if (from > to) std::swap(from, to);
    const std::string end = to == labels_ ? "exit" : "L" + std::to_string(to);
    const std::string range = "L" + std::to_string(from) + ", " + end + ", " + (chance(30) ? "keep" : label());
    constexpr const char* classes[] = {"panda.ArithmeticException", "panda.NullPointerException",
                                       "panda.ArrayIndexOutOfBoundsException", "panda.RuntimeException", "panda.Exception",
                                       "Ex1", "Ex2"};
    if (chance(30))
      text_ += ".catchall " + range + "\n";
    else
      text_ += ".catch " + std::string(one(classes)) + ", " + range + "\n";
  }

  void jump() {
    constexpr const char* conditions[] = {"jeq", "jne", "jlt", "jgt", "jle", "jge"};
    constexpr const char* compares[] = {"cmp.64 ", "ucmp.64 "};
    constexpr const char* float_compares[] = {"fcmpl.64 ", "fcmpg.64 "};
    switch (below(7)) {
      case 0: line("jmp " + label()); break;
      case 5:
        line("lda.64 " + i64_register()), line(one(compares) + i64_register());
        line(std::string(one(conditions)) + "z " + label());
        break;
      case 6:
        line("lda.64 " + f64_register()), line(one(float_compares) + f64_register());
        line(std::string(one(conditions)) + "z " + label());
        if (chance(20)) line("sta v1");  // the accumulator is needed behind the jump
        break;
      case 1:
        line("lda " + i32_register());
        line(std::string(one(conditions)) + "z " + label());
        break;
      case 2:
        line("lda.obj " + std::string(chance(50) ? "v11" : "v10"));
        line(std::string(chance(50) ? "jeqz.obj " : "jnez.obj ") + label());
        break;
      default:
        line("lda " + i32_register());
        line(std::string(one(conditions)) + " " + i32_register() + ", " + label());
    }
  }

  void snippet() {
    switch (below(18)) {
      case 0: case 1: case 2: integers(); break;
      case 3: longs(); break;
      case 4: floats(); break;
      case 5: casts(); break;
      case 6: case 7: array(); break;
      case 8: case 9: object(); break;
      case 10: statics(); break;
      case 11: calls(); break;
      case 12: throws(); break;
      case 13: free_use(); break;
      case 14: compare(); break;
      case 15: line("lda " + i32_register()), line("sta v14"), line("call IO.printI32, v14"); break;
      case 16: types(); break;
      default: line("mov " + i32_register() + ", " + i32_register());
    }
  }

  void integers() {
    constexpr const char* names[] = {"add", "sub", "mul", "and", "or", "xor", "shl", "shr", "ashr", "div", "mod"};
    const std::string name = one(names);
    switch (below(6)) {
      case 0: line("lda " + i32_register()), line(name + "2 " + i32_register()), line("sta " + i32_register()); break;
      case 1: line("lda " + i32_register()), line(name + "2v " + i32_register() + ", " + i32_register()); break;
      case 2: line(name + " " + i32_register() + ", " + i32_register()), line("sta " + i32_register()); break;
      case 3: line(name + "v " + i32_register() + ", " + i32_register()); break;
      case 4: line(name + "iv " + i32_register() + ", " + i32_register() + ", " + number(-8, 8)); break;
      default: line("lda " + i32_register()), line(name + "i " + number(-128, 127)), line("sta " + i32_register());
    }
    if (chance(20)) line("inci " + i32_register() + ", " + number(-8, 7));
  }

  void longs() {
    constexpr const char* names[] = {"add", "sub", "mul", "and", "or", "xor", "shl", "shr", "ashr", "div", "mod", "divu", "modu"};
    const std::string name = one(names);
    line("lda.64 " + i64_register());
    if (chance(50))
      line(name + "2v.64 " + i64_register() + ", " + i64_register());
    else
      line(name + "2.64 " + i64_register()), line("sta.64 " + i64_register());
  }

  void floats() {
    constexpr const char* names[] = {"fadd", "fsub", "fmul", "fdiv", "fmod"};
    const std::string name = one(names);
    if (chance(30)) {
      line("lda v9"), line(name + "2 v9"), line(chance(30) ? "fneg" : "nop"), line("sta v9");
      return;
    }
    line("lda.64 " + f64_register());
    if (chance(50))
      line(name + "2v.64 " + f64_register() + ", " + f64_register());
    else
      line(name + "2.64 " + f64_register()), line(chance(30) ? "fneg.64" : "nop"), line("sta.64 " + f64_register());
  }

  void casts() {
    constexpr const char* narrow[] = {"i32toi8", "i32tou8", "i32toi16", "i32tou16", "i32tou1", "neg", "not"};
    constexpr const char* to_long[] = {"i32toi64", "u32toi64"};
    constexpr const char* from_long[] = {"i64toi32", "i64tou1", "u64toi32", "u64tou32"};
    constexpr const char* to_float[] = {"i32tof64", "u32tof64"};
    constexpr const char* long_to_float[] = {"i64tof64", "u64tof64"};
    constexpr const char* from_float[] = {"f64toi32", "f64tou32"};
    constexpr const char* float_to_long[] = {"f64toi64", "f64tou64"};
    switch (below(8)) {
      case 0: line("lda " + i32_register()), line(one(narrow)), line("sta " + i32_register()); break;
      case 1: line("lda " + i32_register()), line(one(to_long)), line("sta.64 " + i64_register()); break;
      case 2: line("lda.64 " + i64_register()), line(one(from_long)), line("sta " + i32_register()); break;
      case 3: line("lda " + i32_register()), line(one(to_float)), line("sta.64 " + f64_register()); break;
      case 4: line("lda.64 " + i64_register()), line(one(long_to_float)), line("sta.64 " + f64_register()); break;
      case 5: line("lda.64 " + f64_register()), line(one(from_float)), line("sta " + i32_register()); break;
      case 6: line("lda.64 " + f64_register()), line(one(float_to_long)), line("sta.64 " + i64_register()); break;
      default: line("lda.64 " + f64_register()), line("f64tof32"), line("sta v9");
    }
  }

  void array() {
    switch (below(6)) {
      case 0: line("newarr v10, " + i32_register() + ", i32[]"); break;
      case 1: line("lenarr v10"), line("sta " + i32_register()); break;
      case 2: line("lda " + i32_register()), line("ldarr v10"), line("sta " + i32_register()); break;
      case 3: line("lda " + i32_register()), line("starr v10, " + i32_register()); break;
      case 4: line("lda.const v10, data"); break;
      default: line("mov.null v10");
    }
  }

  void object() {
    switch (below(7)) {
      case 0: line(std::string("newobj v11, ") + (chance(50) ? "R" : "S")); break;
      case 1: line("initobj R.ctor, " + i32_register()), line("sta.obj v11"); break;
      case 2: line("ldobj v11, R.x"), line("sta " + i32_register()); break;
      case 3: line("ldobj.v.64 " + i64_register() + ", v11, R.y"); break;
      case 4: line("lda " + i32_register()), line(std::string("stobj v11, R.") + (chance(50) ? "b" : "h")); break;
      case 5: line("lda.obj v11"), line("stobj.obj v11, R.next"); break;
      default: line("ldobj.obj v11, R.next"), line("sta.obj v11");
    }
  }

  void statics() {
    switch (below(4)) {
      case 0: line("ldstatic G.s"), line("sta " + i32_register()); break;
      case 1: line("lda " + i32_register()), line("ststatic G.s"); break;
      case 2: line("lda.obj v11"), line("ststatic.obj G.r"); break;
      default: line("ldstatic.obj G.r"), line("sta.obj v11");
    }
  }

  void calls() {
    if (which_ != 0 && chance(50)) {
      line("call f" + std::to_string(below(which_)) + ", " + i32_register() + ", " + i64_register() + ", v11");
    } else if (chance(60)) {
      line("call.virt R.get, v11, " + i32_register());
    } else {
      line("lda " + i32_register());
      line("call.acc R.get, v11, 1");
    }
    line("sta " + i32_register());
  }

  void throws() {
    if (chance(50)) return line("throw v13");
    line(std::string("newobj v12, ") + (chance(50) ? "Ex1" : "Ex2"));
    line("throw v12");
  }

  void free_use() {
    const std::string r = free_register();
    switch (below(6)) {
      case 0: line("mov " + r + ", " + i32_register()); break;
      case 1: line("mov.64 " + r + ", " + f64_register()); break;
      case 2: line("mov.obj " + r + ", v11"); break;
      case 3: line("mov.64 " + r + ", " + i64_register()), line("lda.64 " + r), line("sta.64 " + i64_register()); break;
      case 4: line("movi " + r + ", 3"), line("mov " + i32_register() + ", " + r); break;
      default:
        if (chance(40)) line("mov " + i32_register() + ", " + r);
    }
  }

  void compare() {
    switch (below(4)) {
      case 0: line("lda.64 " + i64_register()), line((chance(50) ? "cmp.64 " : "ucmp.64 ") + i64_register()); break;
      case 1: line("lda " + i32_register()), line("ucmp " + i32_register()); break;
      default: line("lda.64 " + f64_register()), line((chance(50) ? "fcmpl.64 " : "fcmpg.64 ") + f64_register());
    }
    line("sta " + i32_register());
  }

  void types() {
    switch (below(4)) {
      case 0: line("lda.obj v11"), line("isinstance S"), line("sta " + i32_register()); break;
      case 1: line("lda.obj v11"), line("checkcast S"), line("sta.obj v11"); break;
      case 2: line("lda.str \"text\""), line("isinstance panda.String"), line("sta " + i32_register()); break;
      default: line("lda.type R"), line("sta.obj v12");
    }
  }

  /// Everything that lives to the end goes into the result.
  void finish() {
    line("lda.64 v5"), line("xor2.64 v6"), line("i64toi32"), line("sta v14");
    line("lda.64 v7"), line("f64toi32"), line("xor2 v14"), line("sta v14");
    line("lda v9"), line("f32toi32"), line("xor2 v14"), line("sta v14");
    for (uint32_t i = 1; i <= 4; ++i)
      line("muliv v14, v14, 31"), line("lda v14"), line("add2 v" + std::to_string(i)), line("sta v14");
    line("lda v14"), line("return");
  }

  std::mt19937 random_;
  std::string text_;
  uint32_t labels_ = 0, which_ = 0;
};

}  // namespace braid::testing
