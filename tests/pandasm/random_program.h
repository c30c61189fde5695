// Random pandasm programs that end: for comparing engines.
//
// Every register has one type for good, but for a few that hold whatever was put there last and are read at once; so any
// label may be jumped to from anywhere: loops with several ways in, and try ranges that overlap, begin anywhere and protect
// their own handlers, which may be any label that pays. What limits a program is fuel in a static field, which every
// jump and
// every handler pays for. Careless programs also read such a register later on, and are rejected by the verifier now
// and then.
// Instructions come from the opcode table by the letters of their operands, so that a new one is covered at once; only those
// that need a name are listed here.
#pragma once

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "front/pandasm/opcode.h"

namespace braid::pandasm {

struct RandomProgramOptions {
  uint32_t functions = 3;
  uint32_t groups = 14;  ///< of instructions in each, between two labels
  uint32_t fuel = 120;
  bool careless = false;

  /// Most programs of a long row are small, so that there can be many of them; one of 32 is large, one of 8 is careless.
  static RandomProgramOptions of(uint64_t seed) {
    RandomProgramOptions options;
    options.careless = seed % 8 == 3;
    if (seed % 32 == 0) return options;
    options.functions = 1 + static_cast<uint32_t>(seed % 3 != 0);
    options.groups = 3 + static_cast<uint32_t>(seed % 4);
    options.fuel = 24;
    return options;
  }
};

class RandomProgram {
 public:
  explicit RandomProgram(uint64_t seed, const RandomProgramOptions& options = {}) : random_(seed), options_(options) {}

  /// Its `main` takes nothing and returns an i64 that depends on everything.
  std::string text() {
    prelude();
    for (uint32_t i = 0; i < options_.functions; ++i) function(i);
    line(".function i64 main() {");
    line("  movi v0, " + number(32));
    line("  movi.64 v1, " + number(64));
    line("  newobj v2, " + made());
    line("begin:\n  call f0, v0, v1, v2\n  sta.64 v1\nend:\n  ldstatic.64 G.sum\n  xor2.64 v1\n  return.64");
    line("handler:\n  sta.obj v2\n  call IO.printObj, v2\n  ldstatic.64 G.sum\n  return.64");
    line(chance(2) ? ".catchall begin, end, handler\n}" : "}");
    return std::move(out_);
  }

 private:
  // The registers of every function, by what they hold.
  static constexpr uint32_t i32_first = 0, i32_count = 5, i64_first = 5, i64_count = 3, f32_first = 8, f32_count = 2,
                            f64_first = 10, f64_count = 2, object_a = 12, object_b = 13, any = 14, objects = 15, row_first = 16,
                            scratch = 24, caught = 26, never_null = 27;
  struct Row {
    std::string_view type, load, store;
    char holds;
  };
  static constexpr std::array<Row, 8> rows = {{{"i32", "ldarr", "starr", 'i'}, {"i8", "ldarr.8", "starr.8", 'i'},
                                               {"u8", "ldarru.8", "starr.8", 'i'}, {"i16", "ldarr.16", "starr.16", 'i'},
                                               {"u16", "ldarru.16", "starr.16", 'i'}, {"i64", "ldarr.64", "starr.64", 'l'},
                                               {"f32", "fldarr.32", "fstarr.32", 'f'}, {"f64", "fldarr.64", "fstarr.64", 'd'}}};

  uint32_t below(uint32_t bound) { return static_cast<uint32_t>(random_() % bound); }
  bool chance(uint32_t in) { return below(in) == 0; }
  template <typename List>
  typename List::value_type pick(const List& list) {
    return list[below(static_cast<uint32_t>(list.size()))];
  }
  void line(std::string_view text) { out_.append(text).push_back('\n'); }
  void op(std::string_view name, const std::string& operands = {}) {
    out_.append("  ").append(name).append(operands.empty() ? "" : " ").append(operands).push_back('\n');
  }
  static std::string v(uint32_t number) { return "v" + std::to_string(number); }
  std::string label() { return "L" + std::to_string(below(options_.groups)); }

  std::string number(unsigned bits) {
    static constexpr std::array<int64_t, 12> special = {0, 1, -1, 2, -2, 7, 31, 33, 63, 65, 100, -100};
    const uint64_t wide = random_();
    int64_t value = chance(3) ? static_cast<int64_t>(wide) : pick(special);
    if (chance(8)) value = bits == 64 ? INT64_MIN : -(int64_t{1} << (bits - 1));
    if (bits < 64) value = static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - bits)) >> (64 - bits);
    return std::to_string(value);
  }
  std::string real(bool is_f64) {
    if (chance(5)) return is_f64 ? "0x7ff8000000000000" : "0x7fc00000";
    if (chance(5)) return is_f64 ? "0xfff0000000000000" : "0xff800000";
    return std::string(pick(std::array{"0.0", "-0.0", "1.5", "-2.25", "1e10", "-3e9", "0.1", "1e-30"}));
  }
  /// A register for a letter of the table.
  std::string of(char letter) {
    switch (letter) {
      case 'i': return chance(6) ? "a0" : v(i32_first + below(i32_count));
      case 'l': return chance(6) ? "a1" : v(i64_first + below(i64_count));
      case 'f': return v(f32_first + below(f32_count));
      case 'd': return v(f64_first + below(f64_count));
      default: return v(any);
    }
  }
  static std::string suffix(char letter) { return letter == 'l' || letter == 'd' ? ".64" : letter == 'r' ? ".obj" : ""; }
  void load(char letter) { op("lda" + suffix(letter), of(letter)); }
  void keep(char letter) { op("sta" + suffix(letter), of(letter)); }
  std::string object() { return v(chance(2) ? object_a : object_b); }
  std::string receiver() { return chance(4) ? object() : v(never_null); }
  std::string made() { return std::string(pick(std::array{"A", "B", "C"})); }
  std::string index() { return chance(4) ? of('i') : v(i32_first); }

  void prelude() {
    line(".record A {\n  i32 x\n  i64 y\n  A next\n  f32 f\n  f64 d\n  u8 b\n}");
    line(".record B <extends=A> {\n  i16 z\n  i32 count <static>\n}\n.record C <extends=B> {}");
    line(".record G {\n  i32 fuel <static, value=" + std::to_string(options_.fuel) +
         ">\n  i64 sum <static>\n  A held <static>\n  f64 real <static>\n}");
    line(".record E <extends=panda.Exception> {}\n.record F <extends=E> {}\n.record S {\n  i32 told <static>\n}");
    line(".function void S.init() <cctor> {\n  movi v0, 77\n  lda v0\n  ststatic S.told\n  call IO.printI32, v0\n  return.void\n}");
    line(".array numbers i32 3 { 1 -2 3 }");
    line(".function void B.init() <cctor> {\n  ldai 5\n  ststatic B.count\n  ldstatic.64 G.sum\n  sta.64 v0\n  ldai.64 17\n"
         "  add2.64 v0\n  ststatic.64 G.sum\n  return.void\n}");
    line(".function void A.ctor(A a0, i32 a1) <ctor> {\n  lda a1\n  stobj a0, A.x\n  jnez fine\n  newobj v0, F\n  throw v0\nfine:\n"
         "  return.void\n}");
    const std::array<std::string_view, 3> names = {"A", "B", "C"};
    for (std::string_view name : names) {
      if (name == "B" && chance(2)) continue;
      line(".function i32 " + std::string(name) + ".m(" + std::string(name) + " a0, i32 a1) {\n  ldobj a0, A.x");
      op(pick(std::array{"add2", "sub2", "mul2", "xor2", "div2"}), "a1");
      line("  return\n}");
    }
    line(".function i32 A.one(A a0) {\n  ldai 1\n  return\n}\n.function i32 C.one(C a0) {\n  ldobj a0, A.x\n  return\n}");
    line(".function i32 A.deep(A a0, i32 a1) {\nbegin:\n  call.virt A.m, a0, a1\n  sta v0\nend:\n  call.virt A.one, a0\n  add2 v0\n  return\n"
         "handler:\n  lda a1\n  return\n.catch panda.ArithmeticException, begin, end, handler\n}");
    line(".function A same(A a0) {\n  lda.obj a0\n  return.obj\n}");
    line(".function i64 six(i32 a0, i32 a1, i32 a2, i32 a3, i32 a4, i64 a5) {\n  add a0, a1\n  xor2 a2\n  sub2 a3\n  mul2 a4\n"
         "  i32toi64\n  add2.64 a5\n  return.64\n}");
  }

  void function(uint32_t number_of_function) {
    number_ = number_of_function;
    line(".function i64 f" + std::to_string(number_) + "(i32 a0, i64 a1, A a2) {");
    for (uint32_t i = 0; i < i32_count; ++i) op("movi", v(i32_first + i) + ", " + number(32));
    for (uint32_t i = 0; i < i64_count; ++i) op("movi.64", v(i64_first + i) + ", " + number(64));
    for (uint32_t i = 0; i < f32_count; ++i) op("fmovi", v(f32_first + i) + ", " + real(false));
    for (uint32_t i = 0; i < f64_count; ++i) op("fmovi.64", v(f64_first + i) + ", " + real(true));
    op("mov.obj", v(object_a) + ", a2");
    op("mov.null", v(object_b));
    op("mov.obj", v(any) + ", a2");
    op("mov.null", v(caught));
    op("newobj", v(never_null) + ", " + made());
    op("movi", v(scratch) + ", " + std::to_string(below(5)));
    op("newarr", v(objects) + ", " + v(scratch) + ", A[]");
    for (uint32_t i = 0; i < rows.size(); ++i)
      if (chance(4))
        op("mov.null", v(row_first + i));
      else
        op("newarr", v(row_first + i) + ", " + v(scratch) + ", " + std::string(rows[i].type) + "[]");
    pays_.clear();
    for (uint32_t i = 0; i < options_.groups; ++i) pays_.push_back(chance(4));
    for (uint32_t i = 0; i < options_.groups; ++i) {
      line("L" + std::to_string(i) + ":");
      if (pays_[i]) pay();
      for (uint32_t k = below(4) + 1; k-- > 0;) group();
      if (chance(2)) jump();
    }
    line("  jmp done");
    handlers();
    finish();
  }

  /// Pays for a jump, or ends the function.
  void pay() {
    op("ldstatic", "G.fuel");
    op("addi", "-1");
    op("ststatic", "G.fuel");
    op("jltz", "done");
  }

  void jump() {
    pay();
    const std::string target = label();
    switch (below(7)) {
      case 5: compare_and_jump('l', pick(std::array{"cmp.64", "ucmp.64"}), target); break;
      case 6: compare_and_jump('d', pick(std::array{"fcmpl.64", "fcmpg.64"}), target); break;
      case 0: load('i'); op("j" + condition(), of('i') + ", " + target); break;
      case 1: load('i'); op("j" + condition() + "z", target); break;
      case 2: op("lda.obj", object()); op(pick(std::array{"jeqz.obj", "jnez.obj"}), target); break;
      case 3: op("lda.obj", object()); op(pick(std::array{"jeq.obj", "jne.obj"}), v(any) + ", " + target); break;
      default:
        if (chance(4)) op("jmp", target);  // what follows is reached by jumps only
        else load('i'), op("j" + condition(), of('i') + ", " + target);
    }
  }
  /// Sometimes the result of the comparison is needed behind the jump.
  void compare_and_jump(char letter, std::string_view compare, const std::string& target) {
    load(letter);
    op(compare, of(letter));
    op("j" + condition() + "z", target);
    if (chance(4)) keep('i');
  }
  std::string condition() { return std::string(pick(std::array{"eq", "ne", "lt", "gt", "le", "ge"})); }

  void handlers() {
    const uint32_t count = below(4);
    std::vector<std::string> places;
    for (uint32_t i = 0; i < count; ++i) places.push_back("H" + std::to_string(i));
    for (uint32_t i = 0; i < options_.groups && count != 0; ++i)
      if (pays_[i]) places.push_back("L" + std::to_string(i));
    for (uint32_t i = 0; i < count; ++i) {
      line("H" + std::to_string(i) + ":");
      op("sta.obj", v(caught));
      pay();
      if (chance(3)) op("call", "IO.printObj, " + v(caught));
      group();
      op("jmp", label());
    }
    for (uint32_t i = 0; i < 2 * count; ++i) {
      uint32_t first = below(options_.groups), last = below(options_.groups + 1);
      if (first > last) std::swap(first, last);
      const std::string end = chance(6) ? "done" : last == options_.groups ? "H0" : "L" + std::to_string(last);
      const std::string range = "L" + std::to_string(first) + ", " + end + ", " + pick(places);
      if (chance(4)) tries_ += ".catchall " + range + "\n";
      else
        tries_ += ".catch " + std::string(pick(std::array{"panda.ArithmeticException", "panda.RuntimeException", "E", "F",
                                                          "panda.NullPointerException", "panda.Exception", "panda.Error"})) +
                  ", " + range + "\n";
    }
  }

  /// What the function returns depends on what registers hold.
  void finish() {
    line("done:");
    for (uint32_t i = 0; i < i32_count; ++i) fold("lda", i32_first + i, "i32toi64");
    for (uint32_t i = 0; i < i64_count; ++i) fold("lda.64", i64_first + i, "");
    for (uint32_t i = 0; i < f32_count; ++i) fold("lda", f32_first + i, "f32toi64");
    for (uint32_t i = 0; i < f64_count; ++i) fold("lda.64", f64_first + i, "f64toi64");
    op("lda.obj", v(object_a));
    op("jeqz.obj", "end");
    op("ldobj.v.64", v(i64_first + 1) + ", " + v(object_a) + ", A.y");
    fold("lda.64", i64_first + 1, "");
    line("end:\n  lda.64 v5\n  return.64");
    line(tries_ + "}");
    tries_.clear();
  }
  void fold(std::string_view load, uint32_t from, std::string_view cast) {
    op("movi.64", "v6, 31");
    op("lda.64", "v5");
    op("mul2.64", "v6");
    op("sta.64", "v5");
    op(load, v(from));
    if (!cast.empty()) op(cast);
    op("add2.64", "v5");
    op("sta.64", "v5");
  }

  /// A few instructions that leave every register with its type.
  void group() {
    switch (below(12)) {
      case 0: return field();
      case 1: return element();
      case 2: return make();
      case 3: return call();
      case 4: return look();
      case 5: return scratch_use();
      case 6:
        if (chance(3)) return constant();
        return static_field();
      case 7:
        if (chance(5)) return raise();
        return from_table();
      default: return from_table();
    }
  }

  /// Any instruction whose operands are registers and numbers.
  void from_table() {
    for (;;) {
      const OpcodeInfo& about = info(static_cast<Opcode>(below(opcode_count)));
      if ((about.traits & (jumps | ends | calls)) != 0 || about.acc_in == 'r' || about.acc_out == 'r') continue;
      if (about.operands.find_first_of("LTMPGAK") != std::string_view::npos) continue;
      if (about.text.find("arr") != std::string_view::npos) continue;
      // What is 32 or 64 bits wide is one thing throughout.
      const bool is_float = chance(2);
      auto resolve = [&](char letter) {
        return letter == 'w' ? (is_float ? 'f' : 'i') : letter == 'q' ? (is_float ? 'd' : 'l') : letter;
      };
      std::string operands;
      for (uint32_t i = 0; i < about.operand_count(); ++i) {
        if (i != 0) operands += ", ";
        const char holds = about.holds(i);
        if (about.what(i) == 'I') operands += number(holds == 'n' ? 4 : holds == 'b' ? 8 : holds == 'm' ? 32 : 64);
        else if (about.what(i) == 'F') operands += real(holds == 'd');
        else operands += of(resolve(holds));
      }
      if (about.acc_in != '-') load(resolve(about.acc_in));
      op(about.text, operands);
      if (about.acc_out != '=' ) keep(resolve(about.acc_out));
      return;
    }
  }

  void field() {
    struct Named {
      std::string_view name;
      char holds;
    };
    static constexpr std::array<Named, 6> fields = {
        {{"A.x", 'i'}, {"A.y", 'l'}, {"A.f", 'f'}, {"A.d", 'd'}, {"A.b", 'i'}, {"A.next", 'r'}}};
    const Named f = pick(fields);
    const std::string o = object(), name(f.name), value = f.holds == 'r' ? object() : of(f.holds);
    switch (below(4)) {
      case 0: op("ldobj" + suffix(f.holds), o + ", " + name); op("sta" + suffix(f.holds), value); break;
      case 1: op("lda" + suffix(f.holds), value); op("stobj" + suffix(f.holds), o + ", " + name); break;
      case 2: op("ldobj.v" + suffix(f.holds), value + ", " + o + ", " + name); break;
      default: op("stobj.v" + suffix(f.holds), value + ", " + o + ", " + name);
    }
  }

  void static_field() {
    switch (below(6)) {
      case 5: op("ldstatic", "S.told"); keep('i'); break;
      case 0: op("ldstatic.64", "G.sum"); op("add2.64", of('l')); op("ststatic.64", "G.sum"); break;
      case 1: op("ldstatic", "B.count"); keep('i'); break;
      case 2: op("lda.obj", object()); op("ststatic.obj", "G.held"); break;
      case 3: op("ldstatic.obj", "G.held"); op("sta.obj", object()); break;
      default: load('d'); op("ststatic.64", "G.real"); op("ldstatic.64", "G.real"); keep('d');
    }
  }

  void element() {
    if (chance(5)) {
      if (chance(2)) {
        op("lda.obj", object());
        op("starr.obj", v(objects) + ", " + index());
      } else {
        op("lda", index());
        op("ldarr.obj", v(objects));
        op("sta.obj", object());
      }
      return;
    }
    const uint32_t i = below(rows.size());
    const Row& row = rows[i];
    if (chance(5)) {
      op("lenarr", v(row_first + i));
      keep('i');
    } else if (chance(2)) {
      op("lda", index());
      op(row.load, v(row_first + i));
      keep(row.holds);
    } else {
      load(row.holds);
      op(row.store, v(row_first + i) + ", " + index());
    }
  }

  void make() {
    switch (below(8)) {
      case 6: case 7: op("newobj", v(never_null) + ", " + made()); break;
      case 0: op("newobj", object() + ", " + made()); break;
      case 1: op(pick(std::array{"initobj", "initobj.short", "initobj.range"}), "A.ctor, " + of('i')); op("sta.obj", object()); break;
      case 2: {
        const uint32_t i = below(rows.size());
        // Negative or small: no way may run out of memory before another.
        op("andiv", v(scratch) + ", " + of('i') + ", 0x8000000f");
        op("newarr", v(row_first + i) + ", " + v(scratch) + ", " + std::string(rows[i].type) + "[]");
        break;
      }
      case 3: op("lda.const", v(row_first) + ", numbers"); break;
      case 4: op("mov.null", object()); break;
      default: op("movi", v(scratch) + ", " + std::to_string(below(4))); op("newarr", v(objects) + ", " + v(scratch) + ", A[]");
    }
  }

  void call() {
    if (number_ + 1 < options_.functions && chance(2)) {
      const std::string callee = "f" + std::to_string(number_ + 1 + below(options_.functions - number_ - 1));
      switch (below(3)) {
        case 0: op("call", callee + ", " + of('i') + ", " + of('l') + ", " + object()); break;
        case 1: op("lda.64", of('l')); op("call.acc", callee + ", " + of('i') + ", " + object() + ", 1"); break;
        default: op("call.short", callee + ", " + of('i') + ", " + of('l') + ", " + object());
      }
      keep('l');
      return;
    }
    switch (below(13)) {
      case 9: op("call.virt", "A.one, " + receiver()); keep('i'); break;
      case 10: case 11: op("call.virt", "A.m, " + receiver() + ", " + of('i')); keep('i'); break;
      case 12:
      case 7: load('i'); op("call.acc", "A.m, " + object() + ", 1"); keep('i'); break;
      case 8: op("call.virt", "A.deep, " + receiver() + ", " + of('i')); keep('i'); break;
      case 0: op("call.range", "six, v0"); keep('l'); break;
      case 1: op(pick(std::array{"call.virt", "call.virt.short"}), "A.m, " + object() + ", " + of('i')); keep('i'); break;
      case 2: load('i'); op(pick(std::array{"call.virt.acc", "call.virt.acc.short"}), "A.m, " + object() + ", 1"); keep('i'); break;
      case 3: op("call", "IO.printI32, " + of('i')); break;
      case 4: op("call", "Math.absI32, " + of('i')); keep('i'); break;
      case 5: load('i'); op("call.acc.short", "Math.minI32, " + of('i') + ", " + std::to_string(below(2))); keep('i'); break;
      default: op(chance(2) ? "call.virt.range" : "call.range", "A.one, " + object()); keep('i');
    }
  }

  void look() {
    const std::string type(pick(std::array{"A", "B", "C", "i32[]", "panda.Object", "A[]"}));
    switch (below(4)) {
      case 0: op("lda.obj", v(any)); op("isinstance", type); keep('i'); break;
      case 1:
        op("lda.obj", v(any));
        op(pick(std::array{"checkcast", "checkcast.nonnull"}), pick(std::array{"A", "B"}));
        op("sta.obj", object());
        break;
      case 2: op("lda.obj", chance(2) ? object() : chance(2) ? v(row_first) : v(caught)); op("sta.obj", v(any)); break;
      default: op("call", "same, " + object()); op("sta.obj", object());
    }
  }

  void constant() {
    switch (below(3)) {
      case 0: op("lda.str", "\"t" + std::to_string(below(3)) + "\""); op("sta.obj", v(any)); break;
      case 1: op("lda.type", std::string(pick(std::array{"A", "i32", "C[][]"}))); op("sta.obj", v(any)); break;
      default: op("lda.null"); op("sta.obj", v(any)); break;
    }
  }

  /// Registers that hold different things on different paths.
  void scratch_use() {
    const std::string r = v(scratch + below(2));
    if (options_.careless && chance(6)) return op("mov", of('i') + ", " + r);
    switch (below(4)) {
      case 0: op("movi", r + ", " + number(32)); op("lda", r); keep('i'); break;
      case 1: op("fmovi.64", r + ", " + real(true)); op("lda.64", r); keep('d'); break;
      case 2: op("mov.obj", r + ", " + object()); op("ldobj", r + ", A.x"); keep('i'); break;
      default: op("newobj", r + ", B"); op("mov.obj", v(object_b) + ", " + r);
    }
  }

  void raise() {
    if (chance(6)) return op("throw", chance(2) ? v(caught) : v(any));
    op("newobj", v(caught) + ", " + std::string(pick(std::array{"E", "F", "panda.IllegalStateException"})));
    op("lda", of('i'));
    const std::string past = "P" + std::to_string(++passed_);
    op("jgtz", past);
    op("throw", v(caught));
    line(past + ":");
  }

  std::mt19937_64 random_;
  RandomProgramOptions options_;
  std::string out_, tries_;
  std::vector<bool> pays_;  ///< by label
  uint32_t number_ = 0, passed_ = 0;
};

}  // namespace braid::pandasm
