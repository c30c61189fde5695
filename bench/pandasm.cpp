// Pandasm: its two engines on hot loops, against Lua on the same loops; and how long it takes from the text to code.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "foreign_program.h"
#include "front/pandasm/pandasm.h"
#include "front/pandasm/ssa_engine.h"
#include "lua_loops.h"
#include "subjects.h"

namespace braid::bench {
namespace {

using pandasm::RunResult;

/// One loop in both languages; each gets the number of rounds and answers the same number.
struct Loop {
  std::string_view name;
  double steps;  ///< rounds of the innermost loop per round that is asked for
  std::string_view pandasm, lua;
};

constexpr Loop loops[] = {
    {"multiply, shift, xor", 1,
     R"(
.function i64 loop(i64 a0) {
  movi.64 v0, 0
  movi.64 v1, 1
  movi.64 v2, 0
  movi.64 v3, 1103515245
  movi.64 v4, 12345
  movi.64 v5, 16
  movi.64 v6, 1
head:
  lda.64 v0
  cmp.64 a0
  jgez done
  lda.64 v1
  mul2.64 v3
  add2.64 v4
  sta.64 v1
  ashr2.64 v5
  xor2.64 v2
  sta.64 v2
  lda.64 v0
  add2v.64 v0, v6
  jmp head
done:
  lda.64 v2
  return.64
}
)",
     lua_mix},
    {"steps of 3n+1 with a branch", 111,
     R"(
.function i64 loop(i64 a0) {
  lda.64 a0
  i64toi32
  sta v0
  movi v1, 0
  movi v2, 0
head:
  lda v1
  jge v0, done
  movi v3, 27
inner:
  lda v3
  addi -1
  jeqz after
  lda v3
  andi 1
  jeqz half
  muliv v3, v3, 3
  inci v3, 1
  jmp latch
half:
  diviv v3, v3, 2
latch:
  inci v2, 1
  jmp inner
after:
  inci v1, 1
  jmp head
done:
  lda v2
  i32toi64
  return.64
}
)",
     lua_collatz},
    {"calls", 177,
     R"(
.function i32 fib(i32 a0) {
  lda a0
  addi -2
  jltz small
  addiv v0, a0, -1
  addiv v1, a0, -2
  call fib, v0
  sta v0
  call fib, v1
  add2 v0
  return
small:
  lda a0
  return
}
.function i64 loop(i64 a0) {
  lda.64 a0
  i64toi32
  sta v0
  movi v1, 0
  movi v2, 0
  movi v3, 10
head:
  lda v1
  jge v0, done
  call fib, v3
  add2 v2
  sta v2
  inci v1, 1
  jmp head
done:
  lda v2
  i32toi64
  return.64
}
)",
     R"(
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local function loop(n)
  local s, i = 0, 0
  while i < n do
    s = s + fib(10)
    i = i + 1
  end
  return s
end
)"},
    {"elements of an array", 100,
     R"(
.function i64 loop(i64 a0) {
  lda.64 a0
  i64toi32
  sta v0
  movi v1, 0
  movi v2, 100
  newarr v3, v2, i32[]
  movi v6, 0
head:
  lda v1
  jge v0, done
  movi v4, 0
inner:
  lda v4
  jge v2, after
  ldarr v3
  add2 v4
  starr v3, v4
  add2 v6
  andi 0xfffff
  sta v6
  inci v4, 1
  jmp inner
after:
  inci v1, 1
  jmp head
done:
  lda v6
  i32toi64
  return.64
}
)",
     R"(
local function loop(n)
  local a, s, i = {}, 0, 0
  for k = 0, 99 do a[k] = 0 end
  while i < n do
    local k = 0
    while k < 100 do
      local x = a[k] + k
      a[k] = x
      s = (s + x) & 0xfffff
      k = k + 1
    end
    i = i + 1
  end
  return s
end
)"},
};

struct Verified {
  explicit Verified(std::string text) : source("bench.pa", std::move(text)) {
    program = std::move(pandasm::parse(source).value());
    links = std::move(pandasm::link(source, program).value());
    types = std::move(pandasm::verify(source, program, links).value());
  }
  uint32_t function(std::string_view name) const {
    uint32_t i = 0;
    while (program.symbols.view(program.functions[i].name) != name) ++i;
    return i;
  }

  SourceFile source;
  pandasm::Program program;
  pandasm::Links links;
  std::vector<pandasm::FunctionTypes> types;
};

void measure_engines(Table& table, const Effort& effort) {
  ForeignProgram lua(".lua", {"lua5.4"});
  for (const bool is_ssa : {false, true}) {
    table.section(is_ssa ? "pandasm in SSA, per round of the loop" : "pandasm, per round of the loop",
                  is_ssa ? "direct interpreter" : "lua5.4");
    for (const Loop& loop : loops) {
      const Verified v{std::string(loop.pandasm)};
      const uint32_t function = v.function("loop");
      pandasm::Vm vm(v.program, v.links);
      pandasm::Interpreter interpreter(vm, v.types);
      pandasm::SsaOptions options;
      for (const passes::Pass& pass : passes::all_passes())
        if (!pass.is_on_request && pass.name != "sea") options.passes.push_back(&pass);
      pandasm::SsaEngine engine(v.source, v.types, vm, options);
      auto run = [&](bool by_ssa, int64_t rounds) {
        const std::array<uint64_t, 1> arguments = {static_cast<uint64_t>(rounds)};
        const RunResult result = by_ssa ? engine.call(function, arguments) : interpreter.call(function, arguments);
        if (result.kind != RunResult::Kind::returned) fail("the loop does not end well");
        return static_cast<int64_t>(result.value);
      };
      const int64_t rounds = static_cast<int64_t>(1e7 / loop.steps), answer = run(false, rounds), nothing = run(false, 0);
      if (run(true, rounds) != answer) fail("the engines do not agree");
      auto text = [&](int64_t n) { return std::string(loop.lua) + "os.exit(loop(" + std::to_string(n) + ") & 127)\n"; };
      auto timed = [&](bool by_ssa) {
        const double begin = processor_seconds();
        run(by_ssa, rounds);
        return processor_seconds() - begin;
      };
      double ours = std::numeric_limits<double>::infinity(), theirs = ours, startup = is_ssa ? 0 : ours;
      for (uint32_t i = 0; i < effort.repetitions; ++i) {
        ours = std::min(ours, timed(is_ssa));
        theirs = std::min(theirs, is_ssa ? timed(false) : lua.seconds(text(rounds), answer));
        if (!is_ssa) startup = std::min(startup, lua.seconds(text(0), nothing));
      }
      const double scale = 1e9 / (static_cast<double>(rounds) * loop.steps);
      table.add({std::string(loop.name), 0, ours * scale, (theirs - startup) * scale, "ns", Goal::at_least, is_ssa ? 1.5 : 1.0});
    }
  }
}

/// Straight code with a branch and a call here and there.
std::string plain_code(uint32_t instructions) {
  std::string text = ".function i32 g(i32 a0) {\n  lda a0\n  return\n}\n"
                     ".function i32 f(i32 a0, i32 a1) {\n  movi v0, 1\n  movi v1, 2\n";
  for (uint32_t i = 0; i < instructions / 10; ++i) {
    const std::string n = std::to_string(i);
    text += "  lda a0\n  add2 v0\n  sta v1\n  muliv v0, v1, 3\n  lda v0\n  jlt a1, l" + n +
            "\n  call g, v1\n  sta v0\n  div v0, a1\n  sta v1\nl" + n + ":\n";
  }
  return text + "  lda v1\n  return\n}\n";
}

/// Many try ranges, one behind the other.
std::string many_tries(uint32_t count) {
  std::string text = ".function i32 f(i32 a0) {\n  movi v0, 0\n", catches;
  for (uint32_t i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    text += "b" + n + ":\n  lda v0\n  div2 a0\n  sta v0\ne" + n + ":\n  jmp n" + n + "\nh" + n + ":\n  inci v0, 1\nn" + n + ":\n";
    catches += ".catch panda.ArithmeticException, b" + n + ", e" + n + ", h" + n + "\n";
  }
  return text + "  lda v0\n  return\n" + catches + "}\n";
}

/// Nests of 32 try ranges, one nest behind the other.
std::string nested_tries(uint32_t nests) {
  constexpr uint32_t depth = 32;
  std::string text = ".function i32 f(i32 a0) {\n  movi v0, 0\n", catches;
  for (uint32_t i = 0; i < nests; ++i) {
    auto label = [&](char kind, uint32_t k) { return kind + std::to_string(i) + "_" + std::to_string(k); };
    std::string handlers;
    for (uint32_t k = 0; k < depth; ++k) text += label('b', k) + ":\n  inci v0, 1\n";
    text += "  lda v0\n  div2 a0\n  sta v0\n";
    for (uint32_t k = depth; k-- > 0;) {
      text += label('e', k) + ":\n  inci v0, 1\n";
      handlers += label('h', k) + ":\n  inci v0, 1\n  jmp n" + std::to_string(i) + "\n";
      catches += ".catch panda.ArithmeticException, " + label('b', k) + ", " + label('e', k) + ", " + label('h', k) + "\n";
    }
    text += "  jmp n" + std::to_string(i) + "\n" + handlers + "n" + std::to_string(i) + ":\n";
  }
  return text + "  lda v0\n  return\n" + catches + "}\n";
}

struct Way {
  uint64_t instructions = 0;
  double each = 0;  ///< nanoseconds per instruction
};
Way measure_way(const std::string& text, const Effort& effort) {
  Way way;
  const double seconds = least_time(effort, [&](Stopwatch& watch) {
    watch.start();
    const Verified v(text);
    pandasm::Translation translation(v.source, v.program, v.links, v.types);
    ir::Module& module = translation.module();
    for (uint32_t i = 0; i < module.function_count(); ++i)
      if (ir::Function& f = module.function(static_cast<ir::FuncId>(i)); !f.is_external())
        ssa::construct(f, {ssa::Algorithm::regmap, ssa::Prune::pruned, nullptr});
    watch.stop();
    way.instructions = 0;
    for (const pandasm::Function& f : v.program.functions) way.instructions += f.code.size();
  });
  way.each = seconds * 1e9 / static_cast<double>(way.instructions);
  return way;
}

void measure_ways(Table& table, const Effort& effort) {
  struct Subject {
    std::string_view name;
    std::string (*text)(uint32_t);
    uint32_t size;  ///< of the larger one
    double goal;
  };
  // Try ranges, of which the text has one every five instructions and nothing else, are measured for their growth.
  const Subject subjects[] = {{"straight code, branches, calls", plain_code, effort.largest, 500},
                              {"10,000 try ranges", many_tries, 10'000, 0},
                              {"100 nests of 32 try ranges", nested_tries, 100, 0}};
  std::vector<std::pair<Way, Way>> ways;
  for (const Subject& subject : subjects)
    ways.emplace_back(measure_way(subject.text(subject.size / 10), effort), measure_way(subject.text(subject.size), effort));
  table.section("pandasm from the text to SSA, per instruction", "");
  for (size_t i = 0; i < ways.size(); ++i) {
    const Way& way = ways[i].second;
    const Goal goal = subjects[i].goal == 0 ? Goal::none : Goal::at_most;
    table.add({std::string(subjects[i].name), way.instructions, way.each, 0, "ns", goal, subjects[i].goal});
  }
  table.section("pandasm to SSA, growth per instruction", "a tenth of it");
  for (size_t i = 0; i < ways.size(); ++i)
    table.add({std::string(subjects[i].name), ways[i].second.instructions, ways[i].second.each, ways[i].first.each, "ns",
               Goal::at_most, 2});
}

}  // namespace

void measure_pandasm(Table& table, const Effort& effort) {
  measure_engines(table, effort);
  measure_ways(table, effort);
}

}  // namespace braid::bench
