// Bytecode whose registers have no types: 64 bits that each instruction takes for what it likes. Types are found
// when the code is in
// SSA; what has none that fits is an error. Random code does what a plain loop over its instructions does to bits.
#include <braid/braid.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <random>

#include "bytecode/build.h"
#include "infer/fix_types.h"
#include "ir/function.h"

namespace braid::bytecode {
namespace {

/// Two integers, two floats, a reference by their use, and two registers for anything; the last one pays for jumps.
struct Bits final : Meaning {
  enum class Do : uint8_t { bits, move, add, fadd, to_float, to_int, is_null, divide, call, jump, if_less, if_more, leave };
  struct Step {
    Do what;
    uint32_t a = 0, b = 0;
    int64_t value = 0;  ///< bits, or where to go
  };
  static constexpr uint32_t registers = 8, fuel = 7;
  static constexpr uint64_t arrived = 0xa44117edu;
  std::vector<Step> steps;
  std::vector<TryRange> ranges;
  const Func* callee = nullptr;  ///< its argument and 3

  uint32_t size() const override { return static_cast<uint32_t>(steps.size()); }
  uint32_t register_count() const override { return registers; }
  bool is_typed() const override { return false; }
  std::vector<Param> parameters() const override {
    return {{"a", i64}, {"b", i64}, {"x", f64}, {"y", f64}, {"r", ref}, {"s", i64}, {"t", i64}, {"fuel", i64}};
  }
  Type result() const override { return i64; }
  std::span<const TryRange> tries() const override { return ranges; }

  void decode(Pc pc, Decoded& d) const override {
    const Step& s = steps[pc];
    switch (s.what) {
      case Do::bits: d.writes = {s.a}; break;
      case Do::move: case Do::to_float: case Do::to_int: case Do::is_null: case Do::call: d.reads = {s.b}, d.writes = {s.a}; break;
      case Do::add: case Do::fadd: d.reads = {s.a, s.b}, d.writes = {s.a}; break;
      case Do::divide: d.reads = {s.a, s.b}, d.writes = {s.a}, d.may_throw = true; break;
      case Do::jump: d.reads = {fuel}, d.writes = {fuel}, d.targets = {static_cast<Pc>(s.value)}; break;
      case Do::if_less: case Do::if_more:
        d.reads = {fuel, s.a, s.b}, d.writes = {fuel}, d.targets = {static_cast<Pc>(s.value)};
        break;
      case Do::leave: d.reads = {s.a}, d.falls_through = false; break;
    }
  }

  void translate(Pc pc, Writer& w) override {
    const Step& s = steps[pc];
    auto pay = [&] {
      const Item left = w.op("sub", {w.read(fuel, i64), w.constant(i64, 1)});
      w.write(fuel, left);
      return w.op("sge", {left, w.constant(i64, 0)});
    };
    switch (s.what) {
      case Do::bits: return w.write(s.a, w.constant(s.value));
      case Do::move: return w.write(s.a, w.read(s.b));
      case Do::add: return w.write(s.a, w.op("add", {w.read(s.a, i64), w.read(s.b, i64)}));
      case Do::fadd: return w.write(s.a, w.op("fadd", {w.read(s.a, f64), w.read(s.b, f64)}));
      case Do::to_float: return w.write(s.a, w.op("sitofp", {w.read(s.b, i64)}, f64));
      case Do::to_int: return w.write(s.a, w.op("fptosi", {w.read(s.b, f64)}, i64));
      case Do::is_null: return w.write(s.a, w.op("zext", {w.op("eq", {w.read(s.b, ref), w.constant(ref, 0)})}, i64));
      case Do::divide: return w.write(s.a, w.op("sdiv", {w.read(s.a, i64), w.op("check_zero", {w.read(s.b, i64)})}));
      case Do::call: {
        const Item argument = w.read(s.b, i64);
        return w.write(s.a, w.call(*callee, {&argument, 1}));
      }
      case Do::jump: return w.branch(pay());
      case Do::if_less: {
        const Item is_less = w.op("slt", {w.read(s.a, i64), w.read(s.b, i64)});
        return w.branch(w.op("and", {is_less, pay()}));
      }
      case Do::if_more: {
        const Item is_more = w.op("fgt", {w.read(s.a, f64), w.read(s.b, f64)});
        return w.branch(w.op("and", {is_more, pay()}));
      }
      case Do::leave: return w.ret(w.read(s.a, i64));
    }
  }

  /// From an instruction on, over bits; nothing if nobody handles what it throws. Handlers stand behind what they
  /// protect, so
  /// that nothing goes on for ever without a jump.
  std::optional<uint64_t> run(Pc pc, std::vector<uint64_t> r) const { return run_until(no_pc, pc, r); }
  /// … or before another instruction; then `r` is what registers hold there.
  std::optional<uint64_t> run_until(Pc stop, Pc pc, std::vector<uint64_t>& r) const {
    auto real = [&](uint32_t number) { return std::bit_cast<double>(r[number]); };
    auto whole = [&](uint32_t number) { return static_cast<int64_t>(r[number]); };
    auto keep = [&](uint32_t number, double value) {
      r[number] = std::bit_cast<uint64_t>(value != value ? std::numeric_limits<double>::quiet_NaN() : value);
    };
    auto pays = [&] { return static_cast<int64_t>(--r[fuel]) >= 0; };
    for (bool is_first = true;; ++pc, is_first = false) {
      if (pc == stop && !is_first) return arrived;
      const Step& s = steps[pc];
      bool jumps = false;
      switch (s.what) {
        case Do::bits: r[s.a] = static_cast<uint64_t>(s.value); break;
        case Do::move: r[s.a] = r[s.b]; break;
        case Do::add: r[s.a] += r[s.b]; break;
        case Do::fadd: keep(s.a, real(s.a) + real(s.b)); break;
        case Do::to_float: keep(s.a, static_cast<double>(whole(s.b))); break;
        case Do::to_int: {
          const double x = real(s.b);
          const bool fits = x >= -0x1p63 && x < 0x1p63;
          r[s.a] = static_cast<uint64_t>(fits ? static_cast<int64_t>(x) : x != x ? 0 : x < 0 ? INT64_MIN : INT64_MAX);
          break;
        }
        case Do::is_null: r[s.a] = r[s.b] == 0; break;
        case Do::divide:
          if (r[s.b] == 0) {
            auto at = std::find_if(ranges.begin(), ranges.end(), [&](const TryRange& t) { return pc >= t.begin && pc < t.end; });
            if (at == ranges.end()) return std::nullopt;
            pc = at->handler - 1;
            continue;
          }
          r[s.a] = whole(s.b) == -1 ? 0 - r[s.a] : static_cast<uint64_t>(whole(s.a) / whole(s.b));
          break;
        case Do::call: r[s.a] = r[s.b] + 3; break;
        case Do::jump: jumps = pays(); break;
        case Do::if_less: { const bool is_less = whole(s.a) < whole(s.b); jumps = pays() && is_less; break; }
        case Do::if_more: { const bool is_more = real(s.a) > real(s.b); jumps = pays() && is_more; break; }
        case Do::leave: return r[s.a];
      }
      if (jumps) pc = static_cast<Pc>(s.value) - 1;
    }
  }
};

std::string error_of(std::vector<Bits::Step> steps) {
  Bits code;
  code.steps = std::move(steps);
  Module m;
  Expected<Func*> f = to_ssa(m, "f", code);
  return f ? "" : f.error()[0].message;
}

int64_t bits_of(double value) { return std::bit_cast<int64_t>(value); }

TEST(BytecodeUntyped, EveryUserSaysWhatAConstantIs) {
  using Do = Bits::Do;
  Bits code;
  // One 0 as an integer, as a float and as null; 1.5 as the bits of it.
  code.steps = {{Do::bits, 5, 0, 0}, {Do::add, 0, 5}, {Do::fadd, 2, 5}, {Do::is_null, 1, 5},
                {Do::bits, 5, 0, bits_of(1.5)}, {Do::fadd, 2, 5}, {Do::to_int, 6, 2}, {Do::add, 0, 6}, {Do::add, 0, 1}, {Do::leave, 0}};
  Module m;
  Expected<Func*> f = to_ssa(m, "f", code, {.safepoints = false, .osr_states = false});
  ASSERT_TRUE(f) << render(f.error());
  EXPECT_EQ(to_text(**f),
            "func @f(a: i64, b: i64, x: f64, y: f64, r: ref, s: i64, t: i64, fuel: i64) -> i64 {\n"
            "entry:\n"
            "  jump b1\n"
            "b1:\n"
            "  %1 = add i64 %a, 0\n"
            "  %2 = fadd f64 %x, 0x0p+0\n"
            "  %3 = eq ref null, null\n"
            "  %4 = zext i1 %3 to i64\n"
            "  %5 = fadd f64 %2, 0x1.8p+0\n"
            "  %6 = fptosi f64 %5 to i64\n"
            "  %7 = add i64 %1, %6\n"
            "  %8 = add i64 %7, %4\n"
            "  ret %8\n"
            "}\n");
}

TEST(BytecodeUntyped, PhisAreWhatTheyAreMadeOfAndUsedFor) {
  using Do = Bits::Do;
  // Constants alone: a user decides.
  Bits code;
  code.steps = {{Do::bits, 5, 0, bits_of(0.5)}, {Do::if_less, 0, 1, 3}, {Do::bits, 5, 0, bits_of(2.5)},
                {Do::fadd, 2, 5}, {Do::to_int, 0, 2}, {Do::leave, 0}};
  Module m;
  Expected<Func*> f = to_ssa(m, "f", code, {.safepoints = false, .osr_states = false});
  ASSERT_TRUE(f) << render(f.error());
  EXPECT_NE(to_text(**f).find("phi f64 [b1: 0x1p-1, b2: 0x1.4p+1]"), std::string::npos) << to_text(**f);
  // 0 or a reference: null.
  code.steps = {{Do::if_less, 0, 1, 2}, {Do::bits, 4, 0, 0}, {Do::is_null, 0, 4}, {Do::leave, 0}};
  f = to_ssa(m, "g", code, {.safepoints = false, .osr_states = false});
  ASSERT_TRUE(f) << render(f.error());
  EXPECT_NE(to_text(**f).find("phi ref [b1: %r, b2: null]"), std::string::npos) << to_text(**f);
}

TEST(BytecodeUntyped, ConflictsAreErrors) {
  using Do = Bits::Do;
  EXPECT_EQ(error_of({{Do::bits, 5, 0, 5}, {Do::is_null, 0, 5}, {Do::leave, 0}}),
            "instruction 1: register 5 holds the constant 5, which is no ref");
  EXPECT_EQ(error_of({{Do::fadd, 2, 3}, {Do::add, 0, 2}, {Do::leave, 0}}),
            "instruction 1: register 2 holds f64, and i64 is needed");
  EXPECT_EQ(error_of({{Do::fadd, 2, 3}, {Do::if_less, 0, 1, 2}, {Do::add, 0, 2}, {Do::leave, 0}}),
            "a register is f64 by instruction 0 and i64 by instruction 2, where these meet");
  // An integer here, a float there: harmless until it is read.
  const std::vector<Bits::Step> differs = {{Do::if_less, 0, 1, 3}, {Do::to_float, 5, 0}, {Do::jump, 0, 0, 4}, {Do::move, 5, 6}};
  auto then = [&](std::vector<Bits::Step> steps) {
    std::vector<Bits::Step> all = differs;
    all.insert(all.end(), steps.begin(), steps.end());
    return error_of(all);
  };
  EXPECT_EQ(then({{Do::leave, 0}}), "");
  const char* meet = "a register is f64 by instruction 1 and i64 by parameter 6, where these meet";
  EXPECT_EQ(then({{Do::add, 0, 5}, {Do::leave, 0}}), meet);
  EXPECT_EQ(then({{Do::move, 6, 5}, {Do::add, 0, 6}, {Do::leave, 0}}), meet);
  // Only constants, but two users that disagree; and 5 or nothing as a reference.
  const std::vector<Bits::Step> chosen = {{Do::bits, 5, 0, 0}, {Do::if_less, 0, 1, 3}, {Do::bits, 5, 0, 5}};
  auto chosen_then = [&](std::vector<Bits::Step> steps) {
    std::vector<Bits::Step> all = chosen;
    all.insert(all.end(), steps.begin(), steps.end());
    return error_of(all);
  };
  EXPECT_EQ(chosen_then({{Do::add, 0, 5}, {Do::fadd, 2, 5}, {Do::leave, 0}}),
            "a register is i64 by instruction 3 and f64 by instruction 4, where these meet");
  EXPECT_EQ(chosen_then({{Do::is_null, 0, 5}, {Do::leave, 0}}), "where registers meet: the constant 5 is used as a value of type ref");
  EXPECT_EQ(chosen_then({{Do::add, 0, 5}, {Do::leave, 0}}), "");
}

/// Registers 0 and 1 are integers, 2 and 3 floats, 4 a reference; 5 and 6 hold what was put there last. One of 8
/// reads them carelessly.
Bits random_code(uint32_t seed) {
  using Do = Bits::Do;
  std::mt19937 random(seed);
  auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  Bits code;
  const uint32_t count = 6 + below(24);
  auto whole = [&] { return below(2); };
  auto real = [&] { return 2 + below(2); };
  auto any = [&] { return 5 + below(2); };
  while (code.steps.size() < count) {
    const uint32_t scratch = any();
    switch (below(14)) {
      case 0: code.steps.push_back({Do::bits, whole(), 0, static_cast<int64_t>(below(5)) - 2}); break;
      case 1: code.steps.push_back({Do::bits, real(), 0, bits_of(below(9) * 0.5 - 1)}); break;
      case 2: code.steps.push_back({Do::bits, 4, 0, 0}); break;
      case 3: code.steps.push_back({Do::add, whole(), whole()}); break;
      case 4: code.steps.push_back({Do::fadd, real(), real()}); break;
      case 5: code.steps.push_back({Do::to_float, real(), whole()}); break;
      case 6: code.steps.push_back({Do::to_int, whole(), real()}); break;
      case 7: code.steps.push_back({Do::is_null, whole(), 4}); break;
      case 8: code.steps.push_back({Do::divide, whole(), whole()}); break;
      case 9: code.steps.push_back({below(2) == 0 ? Do::jump : Do::if_less, whole(), whole(), below(count)}); break;
      case 10: code.steps.push_back({Do::if_more, real(), real(), below(count)}); break;
      case 12: code.steps.push_back({Do::call, whole(), whole()}); break;
      case 11:  // the same bits twice, or something that was moved
        code.steps.push_back(below(2) == 0 ? Bits::Step{Do::bits, scratch, 0, 0} : Bits::Step{Do::move, scratch, below(5)});
        if (code.steps.back().what == Do::move) {
          const uint32_t from = code.steps.back().b;
          code.steps.push_back({Do::move, from, scratch});
          break;
        }
        code.steps.push_back({Do::add, whole(), scratch});
        code.steps.push_back({Do::fadd, real(), scratch});
        code.steps.push_back({Do::move, 4, scratch});
        break;
      default:
        if (seed % 8 == 0 && below(3) == 0) code.steps.push_back({Do::add, whole(), scratch});
        else code.steps.push_back({Do::move, whole(), whole()});
    }
  }
  code.steps.push_back({Do::leave, whole()});
  const uint32_t size = static_cast<uint32_t>(code.steps.size());
  for (uint32_t n = below(3); n != 0; --n) {
    const Pc begin = below(size - 1), end = begin + 1 + below(size - 1 - begin);
    code.ranges.push_back({begin, end, end + below(size - end), true});
  }
  return code;
}

TEST(BytecodeUntyped, RandomCodeRunsAsItsBits) {
  uint32_t compared = 0, rejected = 0, entries = 0, thrown = 0, open_phis = 0;
  for (uint32_t seed = 1; seed <= 600; ++seed) {
    Bits code = random_code(seed);
    Module m;
    Builder callee(m, "plus", {{"x", i64}}, i64);
    callee.ret(callee.param("x") + 3);
    code.callee = &callee.done();
    Expected<Func*> f = to_ssa(m, "f", code, {.safepoints = seed % 2 == 0, .osr_states = seed % 3 == 0});
    if (!f) {
      // What was put into a register for anything may be something else on another way.
      ++rejected;
      ASSERT_NE(f.error()[0].message.find(seed % 8 == 0 ? "" : "where these meet"), std::string::npos) << seed << ": " << render(f.error());
      continue;
    }
    ASSERT_TRUE(braid::verify(**f)) << seed << "\n" << to_text(**f);
    open_phis += to_text(**f).find("phi f64") != std::string::npos || to_text(**f).find("phi ref") != std::string::npos;
    auto compare = [&](const Func& g, std::span<const uint32_t> registers, Pc pc, const std::vector<uint64_t>& r) {
      std::vector<Value> arguments;
      for (uint32_t i = 0; i < registers.size(); ++i) arguments.emplace_back(g.param_type(i), r[registers[i]]);
      const std::optional<uint64_t> expected = code.run(pc, r);
      const RunResult result = braid::run(g, arguments);
      thrown += !expected;
      ++compared;
      ASSERT_EQ(expected ? RunResult::Kind::value : RunResult::Kind::exception, result.kind) << seed << " from " << pc << "\n" << to_text(g);
      if (!expected) return;
      EXPECT_EQ(*expected, static_cast<uint64_t>(result.value.as_i64())) << seed << " from " << pc << "\n" << to_text(g);
    };
    const uint32_t all[] = {0, 1, 2, 3, 4, 5, 6, 7};
    const std::vector<uint64_t> start = {seed % 5, ~uint64_t{0}, static_cast<uint64_t>(bits_of(1.25)), static_cast<uint64_t>(bits_of(-3.0)),
                                         seed % 2, 1, 2, 12};
    compare(**f, all, 0, start);
    for (Pc header : loop_headers(code)) {
      Expected<Entry> entry = entry_at(m, "at" + std::to_string(header), code, header);
      ASSERT_TRUE(entry) << seed << ": " << render(entry.error());
      // As it comes there, so that what is always the same at the header is.
      std::vector<uint64_t> r = start;
      if (code.run_until(header, 0, r) != Bits::arrived) continue;
      ++entries;
      compare(*entry->function, entry->registers, header, r);
    }
    if (HasFailure()) return;
  }
  std::printf("%u rejected, %u runs compared, %u of them throw, %u entries, %u programs with phis of floats or references\n", rejected,
              compared, thrown, entries, open_phis);
  EXPECT_GT(compared, 700u);
  EXPECT_GT(entries, 200u);
  EXPECT_GT(open_phis, 100u);
  EXPECT_GT(rejected, 5u);
  EXPECT_LT(rejected, 200u);
}

}  // namespace
}  // namespace braid::bytecode
