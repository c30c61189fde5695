// Random functions with variables, for tests of what takes them to SSA.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace braid {

/// A random graph of blocks over variables, as text. Every block burns fuel, so that all programs end; reads
/// may meet unassigned variables; some blocks protect a part of themselves by a handler.
class RandomVariableProgram {
 public:
  explicit RandomVariableProgram(uint32_t seed) : random_(seed) {}

  std::string make() {
    blocks_ = 1 + pick(pick(8) == 0 ? 60 : 12);
    variables_ = 1 + pick(6);
    out_ = "func @f(n: i64) -> i64 {\n  var fuel: i64\n  var acc: i64\n";
    for (uint32_t v = 0; v < variables_; ++v)
      out_ += "  var v" + std::to_string(v) + ": i64" + (pick(3) == 0 ? " zero" : "") + "\n";
    out_ += "entry:\n  set fuel, 40\n  set acc, %n\n";
    for (uint32_t v = 0; v < variables_; ++v)
      if (pick(2) == 0) out_ += "  set v" + std::to_string(v) + ", " + std::to_string(v) + "\n";
    out_ += "  jump " + block(pick(blocks_)) + "\n";
    for (uint32_t b = 0; b < blocks_; ++b) make_block(b);
    out_ += "exit:\n  %r = get acc\n  ret %r\n}\n";
    return out_;
  }

 private:
  uint32_t pick(uint32_t below) { return static_cast<uint32_t>(random_() % below); }
  static std::string block(uint32_t b) { return "block" + std::to_string(b); }
  std::string variable() { return "v" + std::to_string(pick(variables_)); }
  std::string value() { return "%t" + std::to_string(next_++); }

  void make_events() {
    for (uint32_t i = pick(4); i > 0; --i) {
      std::string a = value();
      switch (pick(5)) {
        case 0: out_ += "  set " + variable() + ", undef\n"; break;
        case 1: {
          std::string c = value(), d = value();
          out_ += "  " + a + " = is_defined " + variable() + "\n  " + c + " = zext i1 " + a + " to i64\n";
          add_to_result(c);
          break;
        }
        case 2: {
          out_ += "  " + a + " = get acc\n  set " + variable() + ", " + a + "\n";
          break;
        }
        default: {
          out_ += "  " + a + " = get " + variable() + "\n";
          add_to_result(a);
          if (pick(2) == 0) {
            std::string c = value();
            out_ += "  " + c + " = add i64 " + a + ", " + std::to_string(1 + pick(9)) + "\n  set " +
                    variable() + ", " + c + "\n";
          }
        }
      }
    }
  }

  void add_to_result(const std::string& v) {
    std::string a = value(), b = value(), c = value();
    out_ += "  " + a + " = get acc\n  " + b + " = mul i64 " + a + ", 31\n  " + c + " = add i64 " + b + ", " +
            v + "\n  set acc, " + c + "\n";
  }

  void make_block(uint32_t b) {
    std::string name = block(b);
    out_ += name + ":\n";
    make_events();
    if (pick(3) == 0) {
      std::string token = value(), a = value(), c = value();
      out_ += "  " + token + " = enter " + name + ".handler, " + name + ".body\n" + name + ".body:\n";
      make_events();
      out_ += "  " + a + " = get acc\n  " + c + " = and i64 " + a + ", 1\n  " + value() +
              " = check_zero i64 " + c + "\n";
      make_events();
      out_ += "  leave " + token + "\n";
      if (pick(2) == 0) make_events();
      out_ += "  jump " + name + ".after\n" + name + ".handler:\n  pop_exception " + token + "\n";
      if (pick(2) == 0) make_events();
      out_ += "  jump " + name + ".after\n" + name + ".after:\n";
    }
    std::string f = value(), left = value(), more = value();
    out_ += "  " + f + " = get fuel\n  " + left + " = sub i64 " + f + ", 1\n  set fuel, " + left + "\n  " +
            more + " = sgt i64 " + left + ", 0\n  branch " + more + ", " + name + ".go, exit\n" + name +
            ".go:\n";
    std::string s = value(), t = value();
    out_ += "  " + s + " = get acc\n  " + t + " = and i64 " + s + ", 3\n";
    if (pick(3) == 0) {
      out_ += "  jump " + block(pick(blocks_)) + "\n";
    } else if (pick(2) == 0) {
      std::string u = value();
      out_ += "  " + u + " = eq i64 " + t + ", 1\n  branch " + u + ", " + block(pick(blocks_)) + ", " +
              block(pick(blocks_)) + "\n";
    } else {
      out_ += "  switch i64 " + t + ", exit, [0: " + block(pick(blocks_)) + ", 1: " + block(pick(blocks_)) +
              ", 2: " + block(pick(blocks_)) + "]\n";
    }
  }

  std::mt19937 random_;
  std::string out_;
  uint32_t blocks_ = 0, variables_ = 0, next_ = 0;
};

}  // namespace braid
