// Runs of random programs with variables (random_variable_programs.h): outcomes, and what `@see` was called
// with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interp/interpreter.h"
#include "random_variable_programs.h"

namespace braid {

class ProgramRuns {
 public:
  struct Seen {
    int64_t mark, value;
    friend bool operator==(const Seen&, const Seen&) = default;
  };
  struct Run {
    interp::Outcome outcome;
    std::vector<Seen> seen;
  };

  ProgramRuns() {
    runtime_.bind("see", [this](ir::HostCall& call) -> ir::HostResult {
      seen_.push_back({call.arguments[0].as_i64(), call.arguments[1].as_i64()});
      return Value(int64_t{0});
    });
    // Under two names, for programs in which one calls another one.
    for (const char* name : {"risk", "hazard"})
      runtime_.bind(name, [](ir::HostCall& call) -> ir::HostResult {
        if (call.arguments[0].as_i64() == 2) return ir::HostResult::raise("risk");
        return call.arguments[0];
      });
  }
  ProgramRuns(const ProgramRuns&) = delete;
  ProgramRuns& operator=(const ProgramRuns&) = delete;

  std::vector<Run> run_all(ir::Module& module, const RandomVariableProgram& program) {
    interp::RunOptions options;
    options.max_steps = program.has_fuel() ? 2'000'000 : 3'000;
    options.runtime = &runtime_;
    interp::Interpreter interpreter(module, options);
    std::vector<Run> runs;
    for (int64_t n : program.arguments()) {
      Value argument(n);
      seen_.clear();
      runtime_.clear();
      runs.push_back({interpreter.run(module.function(ir::FuncId{0}), {&argument, 1}), {}});
      runs.back().seen = std::move(seen_);
    }
    return runs;
  }

  /// What is different; empty if nothing is.
  static std::string compare(const std::vector<Run>& expected, const std::vector<Run>& got) {
    for (size_t i = 0; i < got.size(); ++i) {
      // Steps are not the same in all forms: where one comes to the limit, what it did until then must still
      // agree.
      bool is_cut = expected[i].outcome.kind == interp::OutcomeKind::limit ||
                    got[i].outcome.kind == interp::OutcomeKind::limit;
      std::string want = interp::to_string(expected[i].outcome), is = interp::to_string(got[i].outcome);
      if (!is_cut && want != is) return "run " + std::to_string(i) + ": " + want + " is now " + is;
      size_t common = std::min(expected[i].seen.size(), got[i].seen.size());
      if (!is_cut && expected[i].seen.size() != got[i].seen.size())
        return "run " + std::to_string(i) + ": other calls";
      if (!std::equal(got[i].seen.begin(), got[i].seen.begin() + static_cast<ptrdiff_t>(common),
                      expected[i].seen.begin()))
        return "run " + std::to_string(i) + ": calls with other values";
    }
    return {};
  }

 private:
  ir::SimpleRuntime runtime_;
  std::vector<Seen> seen_;
};

}  // namespace braid
