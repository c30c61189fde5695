// Interpreting hot integer loops, against LLVM's interpreter and Lua on the same loops. The others are processes of their
// own: their processor time counts, without that of the same loop run zero times.
#include <algorithm>
#include <limits>

#include "foreign_program.h"
#include "interp/interpreter.h"
#include "ir/module.h"
#include "lua_loops.h"
#include "subjects.h"
#include "text/parse.h"

namespace braid::bench {
namespace {

/// One loop in three languages; each gets the number of rounds and answers the same number.
struct Loop {
  std::string_view name;
  double steps;  ///< rounds of the innermost loop per round that is asked for
  std::string_view braid, llvm, lua;
};

constexpr Loop loops[] = {
    {"multiply, shift, xor", 1,
     R"(
func @loop(n: i64) -> i64 {
entry:
  jump head
head:
  %i = phi i64 [entry: 0, body: %next]
  %x = phi i64 [entry: 1, body: %mixed]
  %s = phi i64 [entry: 0, body: %sum]
  %more = slt i64 %i, %n
  branch %more, body, done
body:
  %product = mul i64 %x, 1103515245
  %mixed = add i64 %product, 12345
  %high = ashr i64 %mixed, 16
  %sum = xor i64 %s, %high
  %next = add i64 %i, 1
  jump head
done:
  ret %s
}
)",
     R"(
define i64 @loop(i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %x = phi i64 [ 1, %entry ], [ %mixed, %body ]
  %s = phi i64 [ 0, %entry ], [ %sum, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %product = mul i64 %x, 1103515245
  %mixed = add i64 %product, 12345
  %high = ashr i64 %mixed, 16
  %sum = xor i64 %s, %high
  %next = add i64 %i, 1
  br label %head
done:
  ret i64 %s
}
)",
     lua_mix},
    {"steps of 3n+1 with a branch", 111,
     R"(
func @loop(n: i64) -> i64 {
entry:
  jump head
head:
  %i = phi i64 [entry: 0, after: %next]
  %s = phi i64 [entry: 0, after: %count]
  %more = slt i64 %i, %n
  branch %more, inner, done
inner:
  %c = phi i64 [head: 27, latch: %d]
  %count = phi i64 [head: %s, latch: %counted]
  %again = ne i64 %c, 1
  branch %again, step, after
step:
  %bit = and i64 %c, 1
  %odd = ne i64 %bit, 0
  branch %odd, up, down
up:
  %triple = mul i64 %c, 3
  %plus = add i64 %triple, 1
  jump latch
down:
  %half = sdiv i64 %c, 2
  jump latch
latch:
  %d = phi i64 [up: %plus, down: %half]
  %counted = add i64 %count, 1
  jump inner
after:
  %next = add i64 %i, 1
  jump head
done:
  ret %s
}
)",
     R"(
define i64 @loop(i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %after ]
  %s = phi i64 [ 0, %entry ], [ %count, %after ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %inner, label %done
inner:
  %c = phi i64 [ 27, %head ], [ %d, %latch ]
  %count = phi i64 [ %s, %head ], [ %counted, %latch ]
  %again = icmp ne i64 %c, 1
  br i1 %again, label %step, label %after
step:
  %bit = and i64 %c, 1
  %odd = icmp ne i64 %bit, 0
  br i1 %odd, label %up, label %down
up:
  %triple = mul i64 %c, 3
  %plus = add i64 %triple, 1
  br label %latch
down:
  %half = sdiv i64 %c, 2
  br label %latch
latch:
  %d = phi i64 [ %plus, %up ], [ %half, %down ]
  %counted = add i64 %count, 1
  br label %inner
after:
  %next = add i64 %i, 1
  br label %head
done:
  ret i64 %s
}
)",
     lua_collatz},
};

std::string llvm_main(const Loop& loop, int64_t rounds) {
  return std::string(loop.llvm) + "define i32 @main() {\n  %r = call i64 @loop(i64 " + std::to_string(rounds) +
         ")\n  %t = trunc i64 %r to i32\n  %low = and i32 %t, 127\n  ret i32 %low\n}\n";
}
std::string lua_main(const Loop& loop, int64_t rounds) {
  return std::string(loop.lua) + "os.exit(loop(" + std::to_string(rounds) + ") & 127)\n";
}

}  // namespace

void measure_interpret(Table& table, const Effort& effort) {
  ForeignProgram lli(".ll", {"lli-19", "-force-interpreter"}), lua(".lua", {"lua5.4"});
  for (int against_lua = 0; against_lua < 2; ++against_lua) {
    table.section("interpreting, per round of the loop", against_lua ? "lua5.4" : "lli interpreter");
    for (const Loop& loop : loops) {
      SourceFile source("loop.braid", std::string(loop.braid));
      text::ParsedModule parsed = std::move(text::parse_module(source).value());
      const ir::Function& f = *parsed.module->find_function("loop");
      interp::Interpreter interpreter(*parsed.module);
      auto run = [&](int64_t rounds) {
        Value argument(rounds);
        interp::Outcome outcome = interpreter.run(f, std::span(&argument, 1));
        if (outcome.kind != interp::OutcomeKind::value) fail("the loop does not end well: " + to_string(outcome));
        return outcome.value.as_i64();
      };
      // About a quarter of a second each.
      int64_t our_rounds = static_cast<int64_t>(2e7 / loop.steps), lua_rounds = our_rounds;
      int64_t lli_rounds = our_rounds / 100;
      int64_t their_rounds = against_lua ? lua_rounds : lli_rounds;
      int64_t answer = run(their_rounds), nothing = run(0);
      const ForeignProgram& program = against_lua ? lua : lli;
      auto text = [&](int64_t rounds) { return against_lua ? lua_main(loop, rounds) : llvm_main(loop, rounds); };
      double ours = std::numeric_limits<double>::infinity(), theirs = ours, startup = ours;
      for (uint32_t i = 0; i < effort.repetitions; ++i) {
        double begin = processor_seconds();
        run(our_rounds);
        ours = std::min(ours, processor_seconds() - begin);
        theirs = std::min(theirs, program.seconds(text(their_rounds), answer));
        startup = std::min(startup, program.seconds(text(0), nothing));
      }
      table.add({std::string(loop.name), 0, ours * 1e9 / (static_cast<double>(our_rounds) * loop.steps),
                 (theirs - startup) * 1e9 / (static_cast<double>(their_rounds) * loop.steps), "ns", Goal::at_least,
                 against_lua ? 1.0 : 10.0});
    }
  }
}

}  // namespace braid::bench
