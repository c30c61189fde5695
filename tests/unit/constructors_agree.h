// Whether all constructors agree on a random program: their results verify, run as the program over variables does, and the
// pruned forms are the same function up to the numbers of values. And what the programs covered, for floors.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "canonical_form.h"
#include "ir/verify.h"
#include "program_runs.h"
#include "random_variable_programs.h"
#include "ssa/construct.h"
#include "ssa/redundant_phis.h"
#include "text/parse.h"
#include "text/print.h"

namespace braid {

struct AgreementCoverage {
  uint32_t programs = 0, runs = 0, values = 0, exceptions = 0, limits = 0;
  std::array<uint32_t, 3> shapes = {};      ///< by RandomVariableProgram::Shape
  uint32_t of_one_node = 0, large = 0;      ///< programs; large: 500 nodes and more
  uint32_t sparse = 0;                      ///< programs with many variables that few blocks mention
  uint32_t blocks = 0, executed = 0, handlers = 0, entered = 0;  ///< of the programs with marks
  std::array<uint32_t, ir::op_count> ops = {};  ///< statements of the programs over variables
  std::array<uint32_t, ir::op_count> ssa_ops = {};               ///< and of pruned SSA
  std::array<uint32_t, 2> edges = {};           ///< by ir::EdgeKind

  uint32_t ended_percent() const { return 100 * (values + exceptions) / runs; }
  uint32_t executed_percent() const { return 100 * executed / blocks; }
  uint32_t entered_percent() const { return 100 * entered / handlers; }

  void print() const {
    std::printf("%u programs (%u structured, %u reducible, %u irreducible; %u of one node, %u of 500 nodes and more, %u "
                "with many variables)\n",
                programs, shapes[0], shapes[1], shapes[2], of_one_node, large, sparse);
    std::printf("%u runs: %u%% ended within the limits (%u values, %u exceptions)\n", runs, ended_percent(), values,
                exceptions);
    std::printf("%u%% of %u blocks executed, %u%% of %u handlers entered; %u normal and %u exceptional edges\n",
                executed_percent(), blocks, entered_percent(), handlers, edges[0], edges[1]);
    for (unsigned op = 0; op < ir::op_count; ++op)
      if (ops[op] != 0) std::printf("%s %u, ", std::string(ir::op_table[op].text).c_str(), ops[op]);
    std::printf("and in SSA: phi %u, phi_c %u, upsilon %u, throw_undef %u\n", of_ssa(ir::Op::phi), of_ssa(ir::Op::phi_c),
                of_ssa(ir::Op::upsilon), of_ssa(ir::Op::throw_undef));
  }
  uint32_t of_ssa(ir::Op op) const { return ssa_ops[static_cast<unsigned>(op)]; }
};

class ConstructorsAgree {
 public:
  explicit ConstructorsAgree(AgreementCoverage& coverage) : coverage_(coverage) {}

  /// What is wrong, with the program; empty if nothing is.
  std::string check(RandomVariableProgram& program) {
    std::string text = program.make();
    std::string wrong = check_text(text, program);
    return wrong.empty() ? wrong : wrong + "\n" + text;
  }

 private:
  struct Form {
    ssa::ConstructOptions options;
    const char* name;
  };
  static constexpr Form forms[] = {
      {{ssa::Algorithm::cytron, ssa::Prune::pruned}, "cytron pruned"},
      {{ssa::Algorithm::braun, ssa::Prune::pruned}, "braun"},
      {{ssa::Algorithm::regmap, ssa::Prune::pruned}, "regmap"},
      {{ssa::Algorithm::cytron, ssa::Prune::semi}, "cytron semi-pruned"},
      {{ssa::Algorithm::cytron, ssa::Prune::minimal}, "cytron minimal"},
  };
  std::string check_text(const std::string& text, const RandomVariableProgram& program) {
    Expected<text::ParsedModule> parsed = text::parse_module(SourceFile("random", text));
    if (!parsed) return render(parsed.error());
    ir::Module& module = *parsed->module;
    ir::Function& f = module.function(ir::FuncId{0});
    std::vector<ir::Finding> findings = ir::verify(module);
    if (!findings.empty()) return "the program does not verify: " + findings[0].message;
    const ir::Function original = f;
    std::vector<ProgramRuns::Run> expected = runs_.run_all(module, program);
    cover(original, program, expected);

    std::string first_form, first_text;
    for (const Form& form : forms) {
      f = original;
      ssa::construct(f, form.options);
      std::string with = std::string(form.name) + ": ";
      findings = ir::verify(f);
      if (!findings.empty()) return with + findings[0].message + "\n" + text::to_text(f);
      for (uint32_t i = 0; i < f.size(); ++i)
        if (f.columns().stmt(i).op == ir::Op::nothing) return with + "a hole is left\n" + text::to_text(f);
      std::string different = ProgramRuns::compare(expected, runs_.run_all(module, program));
      if (!different.empty()) return with + different + "\n" + text::to_text(f);
      if (form.options.prune != ssa::Prune::pruned) continue;
      ssa::remove_redundant_phis(f);
      findings = ir::verify(f);
      if (!findings.empty()) return with + "without redundant phis: " + findings[0].message + "\n" + text::to_text(f);
      std::string canonical = CanonicalForm(f).text();
      if (&form == &forms[0]) {
        for (uint32_t i = 0; i < f.size(); ++i) ++coverage_.ssa_ops[static_cast<unsigned>(f.columns().stmt(i).op)];
        first_form = std::move(canonical);
        first_text = text::to_text(f);
      } else if (canonical != first_form) {
        return with + "other statements than cytron pruned: " + first_difference(first_form, canonical) + "\n" +
               first_text + text::to_text(f);
      }
    }
    return {};
  }

  void cover(const ir::Function& f, const RandomVariableProgram& program, const std::vector<ProgramRuns::Run>& runs) {
    ++coverage_.programs;
    ++coverage_.shapes[static_cast<unsigned>(program.shape())];
    coverage_.of_one_node += program.node_count() == 1;
    coverage_.large += program.node_count() >= 500;
    coverage_.sparse += program.is_sparse();
    for (uint32_t i = 0; i < f.size(); ++i) ++coverage_.ops[static_cast<unsigned>(f.columns().stmt(i).op)];
    for (uint32_t e = 0; e < f.edge_count(); ++e)
      ++coverage_.edges[static_cast<unsigned>(f.edge(static_cast<ir::EdgeId>(e)).kind)];
    std::vector<bool> executed(program.mark_count(), false);
    for (const ProgramRuns::Run& run : runs) {
      ++coverage_.runs;
      coverage_.values += run.outcome.kind == interp::OutcomeKind::value;
      coverage_.exceptions += run.outcome.kind == interp::OutcomeKind::exception;
      coverage_.limits += run.outcome.kind == interp::OutcomeKind::limit;
      for (const ProgramRuns::Seen& seen : run.seen) executed[static_cast<size_t>(seen.mark)] = true;
    }
    if (!program.is_marked()) return;
    for (bool is_executed : executed) {
      ++coverage_.blocks;
      coverage_.executed += is_executed;
    }
    for (uint32_t mark : program.handler_marks()) {
      ++coverage_.handlers;
      coverage_.entered += executed[mark];
    }
  }

  static std::string first_difference(const std::string& a, const std::string& b) {
    size_t line = 0, i = 0;
    for (; i < a.size() && i < b.size() && a[i] == b[i]; ++i)
      if (a[i] == '\n') line = i + 1;
    auto rest = [&](const std::string& s) { return s.substr(line, s.find('\n', i) - line); };
    return "'" + rest(a) + "' and '" + rest(b) + "'";
  }

  AgreementCoverage& coverage_;
  ProgramRuns runs_;
};

}  // namespace braid
