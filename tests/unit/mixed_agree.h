// Whether a random dynamic program does the same with variables, in SSA, typed, versioned, with variants, with both,
// and after leaving SSA. And what the programs covered, for floors.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "dessa/leave_ssa.h"
#include "infer/apply.h"
#include "infer/lift.h"
#include "infer/numeric.h"
#include "infer/pi.h"
#include "interp/interpreter.h"
#include "ir/verify.h"
#include "mixed/resolve.h"
#include "random_dynamic_programs.h"
#include "ssa/construct.h"
#include "text/parse.h"
#include "text/print.h"

namespace braid {

struct MixedCoverage {
  uint32_t programs = 0, forms = 0, runs = 0, throwing = 0, handlers = 0, mixed_phis = 0, overflows = 0, versioned = 0, rounds = 0,
           copied = 0, cut_short = 0, variants = 0, fast_paths = 0, conversions = 0, literals = 0, irreducible = 0, too_large = 0;

  void print() const {
    std::printf("%u programs, %u too large, %u forms beside that with variables, %u runs, %u throw, %u with handlers, %u irreducible; %u mixed phis, %u overflow checks; %u functions versioned in "
                "%u rounds, %u statements copied, %u times the budget ended; %u variant phis, %u fast paths, %u conversions; %u "
                "literals became floats\n",
                programs, too_large, forms, runs, throwing, handlers, irreducible, mixed_phis, overflows, versioned, rounds, copied, cut_short, variants,
                fast_paths, conversions, literals);
  }
};

class MixedAgree {
 public:
  explicit MixedAgree(MixedCoverage& seen) : seen_(seen) {}

  /// What is wrong, with the program; empty if nothing is. The seed chooses constructor, passes and budget.
  std::string check(const std::string& source, uint64_t seed) {
    Module module = parse(source);
    if (!module) return "does not parse\n" + source;
    expected_ = outcomes(*module, 1 << 20);
    ++seen_.programs;
    // Strings that double in nested loops: all forms would fill the memory, some sooner than others.
    for (const std::string& outcome : expected_)
      if (outcome.starts_with("stops")) {
        ++seen_.too_large;
        return {};
      }
    seen_.irreducible += source.find("second") != std::string::npos;
    seen_.handlers += source.find("enter") != std::string::npos;
    for (const std::string& outcome : expected_) {
      ++seen_.runs;
      seen_.throwing += outcome.starts_with("throws");
      if (outcome.starts_with("traps")) return outcome + "\n" + source;
    }
    ssa::construct(function(*module), {ssa::all_algorithms[seed % std::size(ssa::all_algorithms)], ssa::Prune::pruned});
    const std::string in_ssa = text::to_text(*module);
    if (std::string wrong = check_forms(in_ssa, seed); !wrong.empty())
      return wrong + "\nseed " + std::to_string(seed) + "\n" + source;
    return {};
  }

 private:
  using Module = std::unique_ptr<ir::Module>;

  static Module parse(const std::string& source) {
    Expected<text::ParsedModule> parsed = text::parse_module(SourceFile("random", source));
    return parsed ? std::move(parsed->module) : nullptr;
  }
  static ir::Function& function(ir::Module& module) { return *module.find_function("f"); }
  static std::vector<std::string> outcomes(ir::Module& module, uint64_t memory = 1 << 22) {
    interp::RunOptions options;
    options.max_memory = memory;
    options.max_steps = 2'000'000;
    interp::Interpreter interpreter(module, options);
    std::vector<std::string> out;
    for (const std::vector<Value>& values : testing_dynamic::RandomProgram::arguments(module))
      out.push_back(to_string(interpreter.run(function(module), values)));
    return out;
  }
  static uint32_t budget(uint64_t seed) {
    constexpr uint32_t budgets[] = {300, 100, 40, 200, 10, 0};
    return budgets[seed / 3 % std::size(budgets)];
  }

  /// In SSA, typed, and each way by itself and out of SSA.
  std::string check_forms(const std::string& in_ssa, uint64_t seed) {
    Module module = parse(in_ssa);
    if (!module) return "does not parse in SSA\n" + in_ssa;
    ir::Function& f = function(*module);
    if (std::string wrong = check_now(*module, "in SSA"); !wrong.empty()) return wrong;
    if (seed % 3 != 0) seen_.literals += infer::commit_numerics(f).literals;
    if (seed % 4 != 0) infer::insert_pis(f);
    const ir::Function untyped = f;
    infer::infer_types(f);
    count_phis(f);
    if (seed % 5 == 1) infer::lift_over_phis(f);
    if (std::string wrong = check_now(*module, "typed"); !wrong.empty()) return wrong + in_ssa;
    const ir::Function typed = f;
    using mixed::Way;
    for (Way way : {Way::version, Way::variant, Way::automatic}) {
      // Variants do not need types.
      f = way == Way::variant && seed % 5 != 1 ? untyped : typed;
      if (std::string wrong = check_way(*module, way, seed); !wrong.empty())
        return wrong + in_ssa + "\nas " + std::to_string(static_cast<int>(way));
    }
    return {};
  }

  std::string check_way(ir::Module& module, mixed::Way way, uint64_t seed) {
    ir::Function& f = function(module);
    const mixed::Resolution resolved = mixed::resolve(f, way, {budget(seed), seed % 5 == 0 ? 3u : 8u});
    note(resolved);
    if (resolved.versions.copied > budget(seed)) return "more is copied than the budget allows\n";
    if (std::string wrong = check_now(module, "resolved"); !wrong.empty()) return wrong;
    const ir::Function before = f;
    dessa::leave_ssa(f);
    if (std::string wrong = check_now(module, "out of SSA"); !wrong.empty()) {
      f = before;
      return wrong + text::to_text(module);
    }
    return {};
  }

  std::string check_now(ir::Module& module, const std::string& when) {
    ++seen_.forms;
    if (std::vector<ir::Finding> found = ir::verify(module); !found.empty())
      return when + ": " + found[0].message + "\n" + text::to_text(module);
    const std::vector<std::string> got = outcomes(module);
    for (size_t i = 0; i < got.size(); ++i)
      if (got[i] != expected_[i])
        return when + ", run " + std::to_string(i) + ": was " + expected_[i] + ", is " + got[i] + "\n" + text::to_text(module);
    return {};
  }

  void count_phis(const ir::Function& f) {
    const TypeTable& table = f.module().types;
    for (uint32_t p = 0; p < f.size(); ++p) {
      const ir::Op op = f.columns().stmt(p).op;
      seen_.mixed_phis += op == ir::Op::phi && table.storage(f.columns().type(p)) == Storage::mixed;
      seen_.overflows += op == ir::Op::sadd_overflow || op == ir::Op::smul_overflow || op == ir::Op::ssub_overflow;
    }
  }
  void note(const mixed::Resolution& resolved) {
    seen_.versioned += resolved.versions.rounds != 0;
    seen_.rounds += resolved.versions.rounds;
    seen_.copied += resolved.versions.copied;
    seen_.cut_short += resolved.versions.ended_by_budget;
    seen_.variants += resolved.variants.phis;
    seen_.fast_paths += resolved.variants.fast_paths;
    seen_.conversions += resolved.variants.conversions;
  }

  MixedCoverage& seen_;
  std::vector<std::string> expected_;
};

}  // namespace braid
