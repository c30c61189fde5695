// Whether a random program survives leaving SSA: it verifies, runs as before, becomes SSA again and still
// runs as before. And what the programs covered, for floors.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "dessa/leave_ssa.h"
#include "ir/verify.h"
#include "opt/dce.h"
#include "opt/simplify.h"
#include "opt/simplify_edges.h"
#include "passes/pass.h"
#include "program_runs.h"
#include "random_variable_programs.h"
#include "ssa/construct.h"
#include "text/parse.h"
#include "text/print.h"

namespace braid {

struct LeavingCoverage {
  uint32_t functions = 0, optimised = 0;
  uint32_t states = 0, assigned_behind = 0;  ///< states, and assignments between one and its last user in its block
  uint32_t deoptimised = 0;                  ///< runs that were left to a state
  dessa::Report sum;

  void add(const dessa::Report& report) {
    ++functions;
    sum.phis += report.phis;
    sum.phi_cs += report.phi_cs;
    sum.upsilons += report.upsilons;
    sum.operands += report.operands;
    sum.constants += report.constants;
    sum.variables += report.variables;
    sum.edge_copies += report.edge_copies;
    sum.start_copies += report.start_copies;
    sum.early_copies += report.early_copies;
    sum.stores += report.stores;
    sum.temporaries += report.temporaries;
    sum.split_edges += report.split_edges;
  }
  void print() const {
    std::printf(
        "%u functions left SSA, %u of them optimised before: %u phis with %u values and %u constants, %u "
        "phi_cs with %u "
        "upsilons became %u variables; left are %u copies on edges, %u at starts of blocks, %u where values "
        "are made, %u stores for handlers, %u "
        "temporaries; %u edges were split\n",
        functions, optimised, sum.phis, sum.operands, sum.constants, sum.phi_cs, sum.upsilons, sum.variables,
        sum.edge_copies, sum.start_copies, sum.early_copies, sum.stores, sum.temporaries, sum.split_edges);
    if (states != 0)
      std::printf("%u states, %u assignments behind one and before its user, %u runs left to one\n", states, assigned_behind,
                  deoptimised);
  }
};

class LeavesSsa {
 public:
  explicit LeavesSsa(LeavingCoverage& coverage) : coverage_(coverage) {}

  /// What is wrong, with the program; empty if nothing is.
  std::string check(RandomVariableProgram& program, uint32_t seed) {
    std::string text = program.make();
    std::string wrong = check_text(text, program, seed);
    return wrong.empty() ? wrong : wrong + "\n" + text;
  }

 private:
  static bool has_phis(const ir::Function& f) {
    for (uint32_t i = 0; i < f.size(); ++i) {
      const ir::Stmt& s = f.columns().stmt(i);
      if ((ir::is_phi_like(s.op) || s.op == ir::Op::upsilon) && f.columns().type(i) != token_type)
        return true;
    }
    return false;
  }

  static void run_pass(const passes::Pass& pass, ir::Function& f) {
    ir::Analyses analyses(f);
    pass.run(f, analyses);
  }
  /// Passes that move values away from where their variables were.
  static void optimise(ir::Function& f, uint32_t kind) {
    for (std::string_view name : kind == 1 ? std::vector<std::string_view>{"simplify", "simplify-edges"}
                                           : std::vector<std::string_view>{"sea"})
      run_pass(*passes::find_pass(name), f);
  }

  /// In one block: what was assigned since a state, where it is used.
  void count_states(const ir::Function& f) {
    uint32_t state = f.size(), assigned = 0;
    for (uint32_t i = 0; i < f.size(); ++i) {
      const ir::Stmt& s = f.columns().stmt(i);
      if (ir::is_terminator(s.op)) state = f.size();
      if (s.op == ir::Op::save_state) ++coverage_.states, state = i, assigned = 0;
      if (s.op == ir::Op::set) ++assigned;
      for (uint32_t k = 0; s.op != ir::Op::save_state && k < f.operand_count(s); ++k) {
        if (!ir::info(s.op).is_value(k) || !f.operand(s, k).is_stmt() || f.operand(s, k).number() != state) continue;
        coverage_.assigned_behind += assigned;
        assigned = 0;
      }
    }
  }

  std::string check_text(const std::string& text, const RandomVariableProgram& program, uint32_t seed) {
    Expected<text::ParsedModule> parsed = text::parse_module(SourceFile("random", text));
    if (!parsed) return render(parsed.error());
    ir::Module& module = *parsed->module;
    ir::Function& f = module.function(ir::FuncId{0});
    std::vector<ProgramRuns::Run> expected = runs_.run_all(module, program);
    for (const ProgramRuns::Run& run : expected) coverage_.deoptimised += run.outcome.kind == interp::OutcomeKind::deopt;
    auto check_now = [&](const std::string& when) -> std::string {
      if (std::vector<ir::Finding> found = ir::verify(f); !found.empty())
        return when + ": " + found[0].message + "\n" + text::to_text(f);
      std::string different = ProgramRuns::compare(expected, runs_.run_all(module, program));
      return different.empty() ? different : when + ": " + different + "\n" + text::to_text(f);
    };
    ssa::construct(f, {ssa::all_algorithms[seed % 3], ssa::Prune::pruned});
    uint32_t kind = seed / 3 % 3;
    if (kind != 0) optimise(f, kind);
    coverage_.optimised += kind != 0;
    std::string before = text::to_text(f);
    coverage_.add(dessa::leave_ssa(f));
    count_states(f);
    if (has_phis(f)) return "a phi is left\n" + text::to_text(f);
    if (std::string wrong = check_now("out of SSA"); !wrong.empty()) return wrong + before;
    std::string without = text::to_text(f);
    ssa::construct(f, {ssa::all_algorithms[(seed + 1) % 3], ssa::Prune::pruned});
    if (std::string wrong = check_now("in SSA again"); !wrong.empty()) return wrong + without;
    return {};
  }

  LeavingCoverage& coverage_;
  ProgramRuns runs_;
};

}  // namespace braid
