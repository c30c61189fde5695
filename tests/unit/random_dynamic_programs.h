// Random dynamic programs, as text with variables: types change in branches and loops, integers overflow, operations throw
// inside of handlers. Every loop counts down a fuel of its own, so that all of them end.
#pragma once

#include <braid/value.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/function.h"
#include "ir/strings.h"

namespace braid::testing_dynamic {

class RandomProgram {
 public:
  /// `numbers`: parameters are numbers and nearly everything is arithmetic, so that types are known but for phis and overflow.
  enum class Style : uint8_t { anything, numbers };
  explicit RandomProgram(uint64_t seed, Style style = Style::anything)
      : state_(seed * 0x9e3779b97f4a7c15u + 1), style_(style) {}
  /// The bytes choose, as long as there are any.
  RandomProgram(std::span<const uint8_t> bytes, Style style) : state_(bytes.size()), bytes_(bytes), style_(style) {}
  static Style style_of(uint64_t seed) { return seed % 2 == 0 ? Style::numbers : Style::anything; }

  /// Of programs of any style: what does not fit the parameters of one is left out.
  static std::vector<std::vector<Value>> arguments(ir::Module& m) {
    auto text = [&](std::string_view s) { return Value(string_type, ir::string_literal(m.symbol(s))); };
    const std::vector<std::vector<Value>> all = {{Value(int64_t{5}), Value(int64_t{-2}), Value(int64_t{3})},
                                                 {Value(1.5), Value(INT64_MAX), Value(INT64_MAX)},
                                                 {Value(null_type, 0), text("12"), Value(int64_t{0})},
                                                 {text("abc"), Value(true), Value(INT64_MIN)},
                                                 {Value(int64_t{1} << 40), Value(-0.0), Value(int64_t{1} << 40)},
                                                 {Value(int64_t{3}), Value(0.5), Value(int64_t{7})},
                                                 {Value(INT64_MAX), Value(1e300), Value(int64_t{-1})}};
    std::vector<std::vector<Value>> fitting;
    const ir::Function& f = *m.find_function("f");
    for (const std::vector<Value>& values : all) {
      bool fits = true;
      for (uint32_t i = 0; i < values.size(); ++i) fits &= m.types.leq(values[i].type, f.param_type(i));
      if (fits) fitting.push_back(values);
    }
    return fitting;
  }

  /// A module with `@f(a: T, b: T, c: i64) -> T`.
  std::string text() {
    const std::string first = style_ == Style::numbers ? "i64" : any(), second = style_ == Style::numbers ? "f64" : any();
    const std::string one = style_ == Style::numbers && below(2) != 0 ? "i64|f64" : first;
    out_ = "language php\nfunc @f(a: " + one + ", b: " + second + ", c: i64) -> " + any() + " {\n";
    for (uint32_t v = 0; v < variable_count; ++v) out_ += "  var " + variable(v) + ": " + any() + "\n";
    for (uint32_t k = 0; k < loop_count; ++k) out_ += "  var fuel" + std::to_string(k) + ": i64 reject\n";
    out_ += "entry:\n  set v0, %a\n  set v1, %b\n  set v2, %c\n  set v3, " + literal() + "\n";
    body(4 + below(4), 0);
    line("ret " + get(below(variable_count)));
    out_ += "}\n";
    return out_;
  }

 private:
  static constexpr uint32_t variable_count = 4, loop_count = 3;

  static std::string any() { return "null|i1|i64|f64|string"; }
  static std::string variable(uint32_t v) { return "v" + std::to_string(v); }
  uint32_t below(uint32_t limit) {
    if (!bytes_.empty()) {
      const uint8_t byte = bytes_[0];
      bytes_ = bytes_.subspan(1);
      return byte % limit;
    }
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>((state_ >> 33) % limit);
  }
  void line(const std::string& text) { out_ += "  " + text + "\n"; }
  std::string fresh() { return "%t" + std::to_string(next_++); }
  std::string label(const char* what) { return std::string(what) + std::to_string(next_++); }
  void begin(const std::string& name) { out_ += name + ":\n"; }

  std::string get(uint32_t v) {
    std::string name = fresh();
    line(name + " = get " + variable(v));
    return name;
  }
  std::string literal() {
    if (style_ == Style::numbers && below(12) != 0) return number();
    static const char* const texts[] = {
        "null null", "i1 true", "i1 false", "i64 0", "i64 1", "i64 -3", "i64 7", "i64 64", "i64 9223372036854775807",
        "i64 -9223372036854775808", "i64 4611686018427387904", "f64 0x1.8p+0", "f64 -0x0p+0", "f64 0x1p+70",
        "string \"\"", "string \"12\"", "string \"1e3\"", "string \"abc\"", "string \"5 apples\""};
    return texts[below(std::size(texts))];
  }
  std::string number() {
    static const char* const texts[] = {"i64 0", "i64 1", "i64 2", "i64 -3", "i64 9223372036854775807", "i64 4611686018427387904",
                                        "f64 0x1.8p+0", "f64 0x1p+0", "f64 -0x0p+0"};
    return texts[below(std::size(texts))];
  }
  /// A literal or a variable; mostly numbers, so that not every second operation throws.
  std::string operand() {
    if (below(3) != 0) return get(below(variable_count));
    if (below(2) != 0) return "i64 " + std::to_string(static_cast<int>(below(9)) - 2);
    return literal();
  }
  std::string expression() {
    static const char* const binary[] = {"dyn.add", "dyn.add", "dyn.sub", "dyn.mul", "dyn.mul", "dyn.div", "dyn.rem", "dyn.and",
                                         "dyn.or", "dyn.xor", "dyn.shl", "dyn.shr", "dyn.concat", "dyn.eq", "dyn.lt", "dyn.le",
                                         "dyn.identical"};
    static const char* const unary[] = {"dyn.not", "dyn.truth", "dyn.to_int", "dyn.to_float", "dyn.to_string"};
    static const char* const arithmetic[] = {"dyn.add", "dyn.sub", "dyn.mul", "dyn.add"};
    if (style_ == Style::numbers && below(4) != 0) {
      std::string a = operand(), b = operand(), name = fresh();
      line(name + " = " + arithmetic[below(4)] + " " + a + ", " + b);
      return name;
    }
    if (below(5) == 0) {
      std::string a = operand(), name = fresh();
      line(name + " = " + unary[below(std::size(unary))] + " " + a);
      return name;
    }
    if (below(8) == 0) return literal();
    std::string a = operand(), b = operand(), name = fresh();
    line(name + " = " + binary[below(std::size(binary))] + " " + a + ", " + b);
    return name;
  }
  std::string condition() {
    static const char* const tests[] = {"null", "i64", "f64", "string", "i64|f64", "i1|null"};
    std::string a = operand(), name = fresh();
    switch (below(4)) {
      case 0: line(name + " = is " + a + ", " + tests[below(std::size(tests))]); break;
      case 1: line(name + " = dyn.truth " + a); break;
      default: {
        std::string b = below(2) != 0 ? literal() : operand();
        static const char* const compares[] = {"dyn.lt", "dyn.le", "dyn.eq", "dyn.identical"};
        line(name + " = " + compares[below(4)] + " " + a + ", " + b);
      }
    }
    return name;
  }

  void body(uint32_t statements, uint32_t depth) {
    for (uint32_t i = 0; i < statements; ++i) statement(depth);
  }
  void statement(uint32_t depth) {
    const uint32_t choice = depth >= 3 ? 9 : below(10);
    if (choice < 2) return style_ == Style::numbers && below(3) == 0 ? numeric_choice() : if_else(depth);
    if (choice == 2 && loops_ < loop_count) return loop(depth);
    if (choice == 3 && handlers_ < 2) return protect(depth);
    if (choice == 4 && loops_ < loop_count && below(4) == 0) return tangle(depth);
    line("set " + variable(below(variable_count)) + ", " + expression());
  }
  void if_else(uint32_t depth) {
    std::string yes = label("yes"), no = label("no"), after = label("after");
    line("branch " + condition() + ", " + yes + ", " + no);
    begin(yes);
    body(1 + below(2), depth + 1);
    line("jump " + after);
    begin(no);
    body(below(2), depth + 1);
    line("jump " + after);
    begin(after);
  }
  /// A whole number on one side, a float on the other, and a use to which they are the same, or nearly.
  void numeric_choice() {
    std::string yes = label("yes"), after = label("after"), v = variable(below(variable_count));
    line("set " + v + ", i64 " + std::to_string(below(5)));
    line("branch " + condition() + ", " + yes + ", " + after);
    begin(yes);
    line("set " + v + ", f64 0x1.8p+" + std::to_string(below(3)));
    line("jump " + after);
    begin(after);
    static const char* const uses[] = {"dyn.mul T, %b", "dyn.div %b, T", "dyn.rem T, i64 3", "dyn.lt T, %b",  "dyn.truth T",
                                       "dyn.to_int T",  "dyn.add T, %c", "dyn.le T, i64 2",  "dyn.lt T, %c", "dyn.to_string T"};
    std::string value = fresh(), used = uses[below(std::size(uses))], result = fresh();
    line(value + " = get " + v);
    used.replace(used.find('T'), 1, value);
    line(result + " = " + used);
    line("set " + v + ", " + result);
  }
  void loop(uint32_t depth) {
    std::string fuel = "fuel" + std::to_string(loops_++), head = label("head"), go = label("go"), in = label("in"), out = label("out");
    line("set " + fuel + ", i64 " + std::to_string(2 + below(5)));
    line("jump " + head);
    begin(head);
    std::string left = fresh(), some = fresh(), less = fresh();
    line(left + " = get " + fuel);
    line(some + " = sgt i64 " + left + ", 0");
    line("branch " + some + ", " + go + ", " + out);
    begin(go);
    line(less + " = sub i64 " + left + ", 1");
    line("set " + fuel + ", " + less);
    line("branch " + condition() + ", " + in + ", " + (below(2) != 0 ? out : in));
    begin(in);
    body(1 + below(3), depth + 1);
    line("jump " + head);
    begin(out);
  }
  /// A loop with two ways in: no graph of structured code has it.
  void tangle(uint32_t depth) {
    std::string fuel = "fuel" + std::to_string(loops_++), first = label("first"), on = label("on"), second = label("second"),
                out = label("out"), left = fresh(), some = fresh(), less = fresh();
    line("set " + fuel + ", i64 " + std::to_string(2 + below(4)));
    line("branch " + condition() + ", " + first + ", " + second);
    begin(first);
    body(1 + below(2), depth + 1);
    line(left + " = get " + fuel);
    line(some + " = sgt i64 " + left + ", 0");
    line("branch " + some + ", " + on + ", " + out);
    begin(on);
    line(less + " = sub i64 " + left + ", 1");
    line("set " + fuel + ", " + less);
    line("branch " + condition() + ", " + second + ", " + first);
    begin(second);
    body(1 + below(2), depth + 1);
    line("jump " + first);
    begin(out);
  }
  void protect(uint32_t depth) {
    ++handlers_;
    std::string handler = label("handler"), in = label("in"), after = label("after"), token = fresh();
    line(token + " = enter " + handler + ", " + in);
    begin(in);
    body(1 + below(3), depth + 1);
    line("leave " + token);
    line("jump " + after);
    begin(handler);
    line("pop_exception " + token);
    line("set " + variable(below(variable_count)) + ", " + literal());
    line("jump " + after);
    begin(after);
    --handlers_;
  }

  uint64_t state_;
  std::span<const uint8_t> bytes_;
  Style style_;
  std::string out_;
  uint32_t next_ = 0, loops_ = 0, handlers_ = 0;
};

}  // namespace braid::testing_dynamic
