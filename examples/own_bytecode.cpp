// A bytecode of one's own, brought to SSA: one class says what its instructions read, write and mean.
#include <braid/braid.h>
#include <cstdio>
using namespace braid;
using namespace braid::bytecode;

enum class Do { set, add, sub, divide, repeat, leave };
struct Step {
  Do what;
  uint32_t a, b = 0;  // registers; of set a number, of repeat where to go while the register is not zero
};

class Tiny final : public Meaning {
 public:
  std::vector<Step> steps;
  std::vector<TryRange> ranges;

  uint32_t size() const override { return static_cast<uint32_t>(steps.size()); }
  uint32_t register_count() const override { return 4; }
  std::span<const TryRange> tries() const override { return ranges; }
  std::vector<Param> parameters() const override { return {{"n", i64}, {"start", i64}}; }
  Type result() const override { return i64; }

  void decode(Pc pc, Decoded& d) const override {
    const auto [what, a, b] = steps[pc];
    const bool computes = what == Do::add || what == Do::sub || what == Do::divide;
    if (what != Do::set) d.reads.push_back(a);
    if (computes) d.reads.push_back(b);
    if (computes || what == Do::set) d.writes.push_back(a);
    if (what == Do::repeat) d.targets.push_back(b);
    d.falls_through = what != Do::leave;
    d.may_throw = what == Do::divide;
  }

  void translate(Pc pc, Writer& w) override {
    const auto [what, a, b] = steps[pc];
    switch (what) {
      case Do::set: return w.write(a, w.constant(i64, b));
      case Do::add: return w.write(a, w.op("add", {w.read(a), w.read(b)}));
      case Do::sub: return w.write(a, w.op("sub", {w.read(a), w.read(b)}));
      case Do::divide: return w.write(a, w.op("sdiv", {w.read(a), w.op("check_zero", {w.read(b)})}));
      case Do::repeat: return w.branch(w.op("ne", {w.read(a), w.constant(i64, 0)}));
      case Do::leave: return w.ret(w.read(a));
    }
  }
};

int main() {
  Tiny code;
  code.steps = {{Do::set, 2, 1},
                {Do::add, 1, 0}, {Do::sub, 0, 2}, {Do::repeat, 0, 1},    // start += n, down to n = 1
                {Do::set, 3, 1000}, {Do::divide, 3, 1}, {Do::leave, 3},  // 1000 / start
                {Do::set, 3, 7}, {Do::leave, 3}};                        // where that throws, 7
  code.ranges = {{.begin = 4, .end = 7, .handler = 7, .takes_all = true}};

  Module m;
  Expected<Func*> f = to_ssa(m, "tiny", code);
  Expected<Entry> entry = entry_at(m, "tiny_at_1", code, loop_headers(code)[0]);
  if (!f || !entry) return std::fputs(render(f ? entry.error() : f.error()).c_str(), stderr), 1;
  std::printf("%s", to_text(**f).c_str());
  std::printf("%lld %lld\n", (long long)interpret(**f, 4, 0).as_i64(), (long long)interpret(**f, 4, -10).as_i64());
  // In the middle of the loop: registers 0, 1 and 2 are live there.
  std::printf("%lld\n", (long long)interpret(*entry->function, 2, 7, 1).as_i64());
}
