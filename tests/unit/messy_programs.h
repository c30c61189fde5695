// Random programs as a front end leaves them: blocks that only jump or branch, dead code, impossible edges,
// endless loops, regions with handlers; over variables, or over stack slots.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace braid {

struct MessyOptions {
  bool slots = false;     ///< stack slots in the place of variables
  bool undefined = true;  ///< variables may be read unassigned
  bool endless = true;    ///< blocks without statements may form loops, which never end
  uint32_t most_blocks = 24;
  uint32_t most_variables = 5;
};

/// Blocks with statements burn fuel, so that only loops of empty blocks are endless. The function is
/// `@f(n: i64) -> i64`.
class MessyProgram {
 public:
  explicit MessyProgram(uint32_t seed, MessyOptions options = {}) : random_(seed), options_(options) {}

  std::string text() {
    blocks_ = 2 + pick(options_.most_blocks);
    variables_ = 1 + pick(options_.most_variables);
    out_ = "func @f(n: i64) -> i64 {\n";
    if (!options_.slots) out_ += "  var fuel: i64\n  var acc: i64\n";
    for (uint32_t v = 0; v < variables_ && !options_.slots; ++v)
      out_ += "  var v" + std::to_string(v) + ": i64" + (pick(2) ? " zero" : "") + "\n";
    out_ += "entry:\n";
    if (options_.slots) declare_slots();
    write("fuel", "30");
    write("acc", "%n");
    for (uint32_t v = 0; v < variables_; ++v)
      if (!options_.undefined || pick(2)) write("v" + std::to_string(v), std::to_string(v));
    for (int i = 0; i < 3; ++i) {
      std::string bit = value(), condition = "%c" + std::to_string(i);
      out_ += "  " + bit + " = and i64 %n, " + std::to_string(1 << i) + "\n  " + condition + " = ne i64 " +
              bit + ", 0\n";
    }
    out_ += "  jump " + any_block() + "\n";
    for (uint32_t b = 0; b < blocks_; ++b) make_block(b);
    out_ += "exit:\n  %r = " + read("acc") + "  ret %r\n}\n";
    return out_;
  }

 private:
  uint32_t pick(uint32_t below) { return static_cast<uint32_t>(random_() % below); }
  std::string value() { return "%t" + std::to_string(next_++); }
  std::string variable() { return "v" + std::to_string(pick(variables_)); }
  /// Without endless loops empty blocks lead forward only.
  std::string any_block(uint32_t from = 0) {
    uint32_t b = from + pick(blocks_ - from + 1);
    return b == blocks_ ? "exit" : "b" + std::to_string(b);
  }

  void declare_slots() {
    for (const char* name : {"fuel", "acc"}) out_ += std::string("  %") + name + " = stack_slot 8, 8\n";
    for (uint32_t v = 0; v < variables_; ++v) {
      std::string name = "v" + std::to_string(v);
      out_ += "  %" + name + " = stack_slot " + (pick(4) ? "8" : "16") + ", 8\n";
      // Some addresses go elsewhere: these slots must stay.
      if (pick(4) == 0) out_ += "  %" + name + "_end = ptr_add %" + name + ", 0\n";
    }
  }
  std::string read(const std::string& name) {
    return options_.slots ? "load i64 %" + name + "\n" : "get " + name + "\n";
  }
  void write(const std::string& name, const std::string& what) {
    out_ +=
        options_.slots ? "  store i64 " + what + ", %" + name + "\n" : "  set " + name + ", " + what + "\n";
  }

  void add_to_result(const std::string& what) {
    std::string a = value(), b = value(), c = value();
    out_ += "  " + a + " = " + read("acc") + "  " + b + " = mul i64 " + a + ", 31\n  " + c + " = add i64 " +
            b + ", " + what + "\n";
    write("acc", c);
  }

  void make_events() {
    for (uint32_t i = pick(3); i > 0; --i) {
      std::string a = value(), b = value();
      switch (pick(options_.undefined && !options_.slots ? 6 : 4)) {
        case 0:
          out_ += "  " + a + " = " + read("acc");
          write(variable(), a);
          break;
        case 1:
          if (!options_.slots) break;
          // A slot of its own for each execution, zero at first, narrower than the others.
          out_ += "  " + a + " = stack_slot 4, 4\n";
          for (int i = 0; i < 2; ++i) {
            std::string loaded = value(), wide = value();
            out_ +=
                "  " + loaded + " = load i32 " + a + "\n  " + wide + " = sext i32 " + loaded + " to i64\n";
            add_to_result(wide);
            out_ += "  store i32 " + std::to_string(1 + pick(9)) + ", " + a + "\n";
          }
          break;
        case 4: out_ += "  set " + variable() + ", undef\n"; break;
        case 5:
          out_ += "  " + a + " = is_defined " + variable() + "\n  " + b + " = zext i1 " + a + " to i64\n";
          add_to_result(b);
          break;
        default:
          out_ += "  " + a + " = " + read(variable());
          add_to_result(a);
          if (pick(2)) {
            out_ += "  " + b + " = add i64 " + a + ", " + std::to_string(1 + pick(5)) + "\n";
            write(variable(), b);
          }
      }
    }
  }

  void make_block(uint32_t b) {
    std::string name = "b" + std::to_string(b);
    out_ += name + ":\n";
    uint32_t from = options_.endless ? 0 : b + 1;
    std::string shown = pick(4) == 0 ? " !impossible " + any_block() : "";
    switch (pick(8)) {
      case 0:
      case 1: out_ += "  jump " + any_block(from) + (pick(3) == 0 ? shown : "") + "\n"; return;
      case 2:
      case 3: {
        std::string condition = "%c" + std::to_string(pick(3));
        if (options_.undefined && !options_.slots && pick(4) == 0) {
          condition = value();
          out_ += "  " + condition + " = is_defined " + variable() + "\n";
        }
        out_ += "  branch " + condition + ", " + any_block(from) + ", " + any_block(from) + "\n";
        return;
      }
      case 4: {
        std::string a = value();
        make_events();
        out_ += "  " + a + " = " + read("acc") + "  ret " + a + shown + "\n";
        return;
      }
      default: make_body(name, shown);
    }
  }

  void make_body(const std::string& name, const std::string& shown) {
    make_events();
    if (pick(4) == 0) {
      std::string token = value(), a = value(), c = value();
      out_ += "  " + token + " = enter " + name + ".handler, " + name + ".body\n" + name + ".body:\n";
      make_events();
      out_ += "  " + a + " = " + read("acc") + "  " + c + " = and i64 " + a + ", 1\n  " + value() +
              " = check_zero i64 " + c + "\n";
      make_events();
      out_ += "  leave " + token + "\n  jump " + name + ".after\n" + name + ".handler:\n  pop_exception " +
              token + "\n";
      if (pick(2)) make_events();
      out_ += "  jump " + name + ".after\n" + name + ".after:\n";
    }
    std::string f = value(), left = value(), more = value(), s = value(), t = value();
    out_ += "  " + f + " = " + read("fuel") + "  " + left + " = sub i64 " + f + ", 1\n";
    write("fuel", left);
    out_ += "  " + more + " = sgt i64 " + left + ", 0\n  branch " + more + ", " + name + ".go, exit\n" +
            name + ".go:\n";
    if (pick(3) == 0) {
      out_ += "  jump " + any_block() + shown + "\n";
    } else {
      out_ += "  " + s + " = " + read("acc") + "  " + t + " = and i64 " + s + ", 3\n  switch i64 " + t +
              ", " + any_block() + ", [0: " + any_block() + ", 1: " + any_block() + "]\n";
    }
  }

  std::mt19937 random_;
  MessyOptions options_;
  std::string out_;
  uint32_t blocks_ = 0, variables_ = 0, next_ = 0;
};

}  // namespace braid
