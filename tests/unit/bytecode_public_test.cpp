// The public interface to bytecode: what is wrong is said, whatever a user's class answers; random code of it runs as a plain loop over
// its instructions does.
#include <braid/braid.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <random>

namespace braid::bytecode {
namespace {

/// Each instruction brings what it says of itself.
struct Free final : Meaning {
  std::vector<Decoded> decoded;
  std::vector<TryRange> ranges;
  std::vector<uint32_t> thrown;
  std::function<void(Pc, Writer&)> write = [](Pc, Writer& w) { w.ret(w.constant(i64, 1)); };

  uint32_t size() const override { return static_cast<uint32_t>(decoded.size()); }
  uint32_t register_count() const override { return 3; }
  void decode(Pc pc, Decoded& d) const override { d = decoded[pc]; }
  std::span<const TryRange> tries() const override { return ranges; }
  std::span<const uint32_t> written_by_throw() const override { return thrown; }
  std::vector<Param> parameters() const override { return {{"n", i64}}; }
  Type result() const override { return i64; }
  void translate(Pc pc, Writer& w) override { write(pc, w); }
};

Decoded end() {
  Decoded d;
  d.falls_through = false;
  return d;
}

std::string error_of(Free& code) {
  Module m;
  Expected<Func*> f = to_ssa(m, "f", code);
  return f ? "" : f.error()[0].message;
}

TEST(BytecodePublic, SaysWhatIsWrong) {
  Free code;
  EXPECT_EQ("there are no instructions", error_of(code));
  code.decoded = {end()};
  EXPECT_EQ("", error_of(code));
  code.decoded[0].targets = {7};
  EXPECT_EQ("instruction 0 jumps to 7, where nothing is", error_of(code));
  code.decoded[0] = Decoded();
  EXPECT_EQ("instruction 0 is the last one and goes on", error_of(code));
  code.decoded[0] = end();
  code.decoded[0].writes = {3};
  EXPECT_EQ("instruction 0 names the register 3, which is not there", error_of(code));
  code.decoded[0] = end();
  code.decoded[0].reads = {1};
  EXPECT_EQ("register r1 is read before it is written", error_of(code));
  code.decoded[0] = end();
  code.ranges = {{0, 1, 4, true}};
  EXPECT_EQ("a try range leads out of the code", error_of(code));
  code.ranges = {};
  code.thrown = {9};
  EXPECT_EQ("a throw writes the register 9, which is not there", error_of(code));
  code.thrown = {};
  code.write = [](Pc, Writer& w) { w.ret(w.read(2)); };
  EXPECT_EQ("instruction 0: a register is read that decode does not name", error_of(code));
  code.write = [](Pc, Writer& w) { w.jump(); };
  EXPECT_EQ("instruction 0: the block ends in another way than decode says", error_of(code));
  code.write = [](Pc, Writer& w) { w.ret(w.op("no_such", {})); };
  EXPECT_EQ("instruction 0: 'no_such' is not an operation that can be built by name", error_of(code));
  code.write = [](Pc, Writer& w) { w.ret(w.op("add", {w.read(0)})); };
  EXPECT_NE("", error_of(code));
  code.write = [](Pc, Writer& w) { w.ret(w.constant(f64, 0)); };
  EXPECT_NE("", error_of(code));  // the verifier's
  code.write = [](Pc, Writer&) {};
  EXPECT_EQ("", error_of(code));  // it ends nowhere: running it would be an internal error

  Module m;
  code.write = [](Pc, Writer& w) { w.ret(w.constant(i64, 1)); };
  ASSERT_TRUE(to_ssa(m, "f", code));
  EXPECT_FALSE(to_ssa(m, "f", code));
  EXPECT_FALSE(entry_at(m, "g", code, 5));
  EXPECT_TRUE(loop_headers(code).empty());
}

/// A machine with 64-bit registers: sums, divisions that may throw, jumps of three kinds, handlers.
struct Random final : Meaning {
  enum class Do : uint8_t { set, add, divide, jump, repeat, choose, leave };
  struct Step {
    Do what;
    uint32_t a = 0, b = 0, c = 0;
  };
  static constexpr uint32_t registers = 4;  ///< the last one pays for jumps
  std::vector<Step> steps;
  std::vector<TryRange> ranges;

  explicit Random(uint32_t seed) {
    std::mt19937 random(seed);
    auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    const uint32_t count = 4 + below(20);
    for (uint32_t i = 0; i < count; ++i)
      steps.push_back({static_cast<Do>(below(6)), below(registers - 1), below(registers - 1), below(count)});
    steps.push_back({Do::leave, below(registers - 1), 0, 0});
    for (uint32_t n = below(4); n != 0; --n) {
      const Pc begin = below(count), length = 1 + below(count);
      ranges.push_back({begin, std::min<Pc>(begin + length, count), below(count), true});
    }
  }

  uint32_t size() const override { return static_cast<uint32_t>(steps.size()); }
  uint32_t register_count() const override { return registers; }
  std::vector<Param> parameters() const override { return {{"a", i64}, {"b", i64}, {"c", i64}, {"fuel", i64}}; }
  Type result() const override { return i64; }
  std::span<const TryRange> tries() const override { return ranges; }

  void decode(Pc pc, Decoded& d) const override {
    const Step& s = steps[pc];
    // Each instruction pays, and dividing by what is left ends the program in an exception or a handler.
    d.reads = {registers - 1};
    d.writes = {registers - 1};
    if (s.what == Do::set || s.what == Do::add || s.what == Do::divide) d.writes.push_back(s.a);
    if (s.what != Do::set && s.what != Do::jump) d.reads.push_back(s.a);
    if (s.what == Do::add || s.what == Do::divide) d.reads.push_back(s.b);
    if (s.what == Do::jump || s.what == Do::repeat) d.targets = {s.c};
    if (s.what == Do::choose) d.targets = {s.c, s.b};
    d.falls_through = s.what != Do::jump && s.what != Do::leave;
    d.may_throw = s.what == Do::divide;
  }

  void translate(Pc pc, Writer& w) override {
    const Step& s = steps[pc];
    const uint32_t fuel = registers - 1;
    const Item left = w.op("sub", {w.read(fuel), w.constant(i64, 1)});
    const Item a = s.what == Do::set || s.what == Do::jump ? Item{} : w.read(s.a);
    if (s.what == Do::divide) {
      const Item sum = w.op("add", {a, w.read(s.b)});
      const Item quotient = w.op("sdiv", {w.constant(i64, 1000), w.op("check_zero", {sum})});
      w.write(fuel, left);
      return w.write(s.a, quotient);
    }
    w.write(fuel, left);
    const Item is_over = w.op("slt", {left, w.constant(i64, 0)});
    switch (s.what) {
      case Do::set: return w.write(s.a, w.constant(i64, s.b));
      case Do::add: return w.write(s.a, w.op("add", {a, w.read(s.b)}));
      case Do::jump: return w.jump();
      case Do::repeat: return w.branch(w.op("and", {w.op("ne", {a, w.constant(i64, 0)}), w.op("xor", {is_over, w.constant(i1, 1)})}));
      case Do::choose: return w.choose(w.op("select", {is_over, w.constant(i64, 9), w.op("and", {a, w.constant(i64, 1)})}));
      default: return w.ret(a);
    }
  }

  /// Integers wrap, in the machine and here.
  static int64_t sum_of(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }

  /// From an instruction on; nothing if it takes too long or nobody handles what it throws.
  std::optional<int64_t> run(Pc pc, std::vector<int64_t> r) const {
    for (int rounds = 0; rounds < 2000; ++rounds) {
      const Step& s = steps[pc];
      const int64_t left = sum_of(r[registers - 1], -1);
      Pc next = pc + 1;
      if (s.what == Do::divide) {
        const int64_t sum = sum_of(r[s.a], r[s.b]);
        if (sum == 0) {
          auto at = std::find_if(ranges.begin(), ranges.end(), [&](const TryRange& t) { return pc >= t.begin && pc < t.end; });
          if (at == ranges.end()) return std::nullopt;
          pc = at->handler;
          continue;
        }
        r[registers - 1] = left;
        r[s.a] = 1000 / sum;
        pc = next;
        continue;
      }
      const int64_t a = r[s.a];
      r[registers - 1] = left;
      switch (s.what) {
        case Do::set: r[s.a] = s.b; break;
        case Do::add: r[s.a] = sum_of(a, r[s.b]); break;
        case Do::jump: next = s.c; break;
        case Do::repeat: if (a != 0 && left >= 0) next = s.c; break;
        case Do::choose: if (left >= 0) next = (a & 1) == 0 ? s.c : s.b; break;
        default: return a;
      }
      pc = next;
    }
    return std::nullopt;
  }
};

/// Whether each cycle of instructions, through handlers too, goes through one of these.
bool every_cycle_has_one(const Code& code, std::span<const Pc> headers) {
  std::vector<std::vector<Pc>> next(code.size());
  std::vector<bool> is_header(code.size(), false);
  for (Pc header : headers) is_header[header] = true;
  for (Pc pc = 0; pc < code.size(); ++pc) {
    Decoded d;
    code.decode(pc, d);
    next[pc] = d.targets;
    if (d.falls_through) next[pc].push_back(pc + 1);
    auto covers = [&](const TryRange& t) { return pc >= t.begin && pc < t.end; };
    auto at = std::find_if(code.tries().begin(), code.tries().end(), covers);  // all of them take all
    if (d.may_throw && at != code.tries().end()) next[pc].push_back(at->handler);
  }
  std::vector<bool> reached(code.size(), false);
  std::vector<Pc> work = {0};
  while (!work.empty()) {
    const Pc pc = work.back();
    work.pop_back();
    if (reached[pc]) continue;
    reached[pc] = true;
    work.insert(work.end(), next[pc].begin(), next[pc].end());
  }
  // What can be taken away because nothing is left before it is in no cycle.
  std::vector<uint32_t> before(code.size(), 0);
  for (Pc pc = 0; pc < code.size(); ++pc)
    for (Pc to : next[pc]) before[to] += reached[pc] && !is_header[pc];
  for (Pc pc = 0; pc < code.size(); ++pc)
    if (before[pc] == 0) work.push_back(pc);
  size_t taken = 0;
  while (!work.empty()) {
    const Pc pc = work.back();
    work.pop_back();
    ++taken;
    if (!reached[pc] || is_header[pc]) continue;
    for (Pc to : next[pc])
      if (--before[to] == 0) work.push_back(to);
  }
  return taken == code.size();
}

TEST(BytecodePublic, RandomCodeRunsAsItsInstructions) {
  uint32_t returned = 0, not_compared = 0, entries = 0, with_handlers = 0;
  for (uint32_t seed = 1; seed <= 250; ++seed) {
    Random code(seed);
    Module m;
    Expected<Func*> f = to_ssa(m, "f", code, {.safepoints = seed % 2 == 0, .osr_states = seed % 3 == 0});
    ASSERT_TRUE(f) << seed << ": " << render(f.error());
    ASSERT_TRUE(verify(**f)) << seed;
    with_handlers += !code.ranges.empty();
    RunOptions limits;
    limits.max_steps = 20'000;
    auto compare = [&](const Func& g, std::span<const uint32_t> registers, Pc pc, std::vector<int64_t> r) {
      std::vector<Value> arguments;
      for (uint32_t number : registers) arguments.emplace_back(static_cast<long long>(r[number]));
      const std::optional<int64_t> expected = code.run(pc, r);
      const RunResult result = braid::run(g, arguments, limits);
      if (!expected) {
        ++not_compared;
        EXPECT_NE(RunResult::Kind::trap, result.kind);
        return;
      }
      ++returned;
      EXPECT_EQ(RunResult::Kind::value, result.kind) << seed << " from " << pc;
      EXPECT_EQ(*expected, result.value.as_i64()) << seed << " from " << pc << "\n" << to_text(g);
    };
    const uint32_t all[] = {0, 1, 2, 3};
    const std::vector<int64_t> start = {static_cast<int64_t>(seed % 7), -3, 5, static_cast<int64_t>(10 + seed % 40)};
    compare(**f, all, 0, start);
    ASSERT_TRUE(every_cycle_has_one(code, loop_headers(code))) << seed;
    for (Pc header : loop_headers(code)) {
      Expected<Entry> entry = entry_at(m, "at" + std::to_string(header), code, header);
      ASSERT_TRUE(entry) << seed << ": " << render(entry.error());
      ++entries;
      compare(*entry->function, entry->registers, header, {-2, static_cast<int64_t>(seed % 5), 1, 20});
    }
    if (HasFailure()) return;
  }
  std::printf("%u runs compared, %u that do not return, %u entries, %u programs with handlers\n", returned, not_compared, entries,
              with_handlers);
  EXPECT_GT(returned, 300u);
  EXPECT_GT(entries, 500u);
  EXPECT_GT(with_handlers, 150u);
}

}  // namespace
}  // namespace braid::bytecode
