#include "passes/pass.h"

#include <algorithm>

#include "base/suggestion.h"
#include "dessa/leave_ssa.h"
#include "infer/apply.h"
#include "infer/lift.h"
#include "infer/numeric.h"
#include "infer/pi.h"
#include "infer/split_constants.h"
#include "ir/compact.h"
#include "ir/undef_uses.h"
#include "mixed/variants.h"
#include "mixed/version.h"
#include "opt/clean_graph.h"
#include "opt/dce.h"
#include "opt/inline.h"
#include "opt/simplify.h"
#include "opt/simplify_edges.h"
#include "sea/land.h"
#include "sea/lift.h"
#include "sea/optimise.h"
#include "ssa/promote.h"

namespace braid::passes {
namespace {

void run_compact(ir::Function& f, ir::Analyses& analyses) { analyses.keep(ir::compact(f)); }
void run_split_constants(ir::Function& f, ir::Analyses&) { infer::split_constants(f); }
void run_promote(ir::Function& f, ir::Analyses& analyses) { ssa::promote(f, analyses); }
void run_clean_graph(ir::Function& f, ir::Analyses& analyses) { opt::clean_graph(f, analyses); }
void run_numeric(ir::Function& f, ir::Analyses& analyses) { infer::commit_numerics(f, analyses); }
void run_pi(ir::Function& f, ir::Analyses& analyses) { infer::insert_pis(f, analyses); }
void run_infer(ir::Function& f, ir::Analyses& analyses, const infer::Summaries* callees) {
  infer::infer_types(f, analyses, callees);
}
void run_lift(ir::Function& f, ir::Analyses& analyses) { infer::lift_over_phis(f, analyses); }
void run_simplify(ir::Function& f, ir::Analyses& analyses) { opt::simplify(f, analyses); }
void run_simplify_edges(ir::Function& f, ir::Analyses& analyses) { opt::simplify_edges(f, analyses); }
void run_dce(ir::Function& f, ir::Analyses& analyses) { opt::dce(f, analyses); }

// These change the graph most of the time, or work on forms of their own.
void run_version(ir::Function& f, ir::Analyses& analyses, const infer::Summaries* callees) {
  mixed::version(f, {}, callees);
  analyses.keep(Analysis::none);
}
void run_variants(ir::Function& f, ir::Analyses& analyses, const infer::Summaries* callees) {
  mixed::use_variants(f, callees);
  analyses.keep(Analysis::none);
}
void run_inline(ir::Function& f, ir::Analyses& analyses) {
  opt::inline_calls(f);
  analyses.keep(Analysis::none);
}
void run_dessa(ir::Function& f, ir::Analyses& analyses) {
  dessa::leave_ssa(f);
  analyses.keep(Analysis::none);
}
void run_code_motion(ir::Function& f, ir::Analyses& analyses) {
  sea::SourceNames names;
  sea::Graph graph = sea::lift(f, analyses.dominators(), &names);
  analyses.keep(Analysis::none);
  sea::land(graph, f, &names);
}
void run_sea(ir::Function& f, ir::Analyses& analyses) {
  sea::SourceNames names;
  sea::Graph graph = sea::lift(f, analyses.dominators(), &names);
  analyses.keep(Analysis::none);
  sea::OptimiseOptions options;
  options.constants_are_nodes = false;  // in a function they cost nothing
  sea::optimise(graph, options);
  sea::land(graph, f, &names);
  // Without the ways that are never taken, what is left of a value may be undefined.
  while (ir::end_at_undef_uses(f)) ir::compact(f);
}

using enum Analysis;

constexpr Pass table_of_passes[] = {
    {"compact", run_compact, needs(none), keeps(graph), "first: buffered edits get their place, unreachable blocks go"},
    {"split-constants", run_split_constants, needs(none), keeps(all),
     "only if named, first: untyped constants get the types of their uses", true, true},
    {"promote", run_promote, needs(none), keeps(graph), "before SSA construction: stack slots become variables"},
    {"clean-graph", run_clean_graph, needs(cfg), keeps(graph), "before SSA construction: fewer blocks, fewer phis"},
    {"numeric", run_numeric, needs(uses), keeps(all), "before pi: literals that meet floats in phis are floats, if nobody can tell"},
    {"pi", run_pi, needs(dominators), keeps(graph), "before infer: what branches decide narrows types"},
    {"infer", run_infer, needs(uses), keeps(all), "after SSA construction: types, constants, dynamic operations become plain"},
    {"lift", run_lift, needs(dominators | uses), keeps(all),
     "after infer: tests of phis become phis of outcomes, pis of one value the value"},
    {"version", run_version, needs(none), keeps(none), "only if named, after pi: blocks behind mixed phis are copied by kind", true},
    {"variants", run_variants, needs(none), keeps(none), "only if named, after version: what is mixed is tested by its tag", true},
    {"inline", run_inline, needs(none), keeps(none), "only if named, in SSA: calls of small functions become their bodies", true},
    {"simplify", run_simplify, needs(uses), keeps(all), "before simplify-edges: folded conditions fold branches"},
    {"simplify-edges", run_simplify_edges, needs(cfg | uses), keeps(all), "before dce: folded branches leave dead conditions"},
    {"sea", run_sea, needs(dominators), keeps(none), "after SSA construction: optimised as a graph"},
    {"code-motion", run_code_motion, needs(dominators), keeps(none), "after what makes values equal: they go to the cheapest block"},
    {"dce", run_dce, needs(cfg), keeps(graph), "last: removes what the passes before it have left unused"},
    {"dessa", run_dessa, needs(none), keeps(none), "only if named, behind all that needs SSA: phis become variables", true},
};

std::string_view trimmed(std::string_view text) {
  size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::span<const Pass> all_passes() { return table_of_passes; }

const Pass* find_pass(std::string_view name, std::span<const Pass> table) {
  auto found = std::find_if(table.begin(), table.end(), [&](const Pass& pass) { return pass.name == name; });
  return found == table.end() ? nullptr : &*found;
}

Expected<Pipeline> parse_pipeline(std::string_view text, std::span<const Pass> table) {
  Pipeline pipeline;
  Diagnostics errors;
  if (trimmed(text).empty()) return pipeline;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find(',', at), text.size());
    std::string_view name = trimmed(text.substr(at, end - at));
    at = end + 1;
    if (const Pass* pass = find_pass(name, table)) {
      pipeline.push_back(pass);
      continue;
    }
    std::vector<std::string_view> names;
    for (const Pass& pass : table) names.push_back(pass.name);
    errors.error(name.empty() ? "empty name in the list of passes"
                              : "unknown pass '" + std::string(name) + "'" + did_you_mean(name, names));
  }
  if (errors.has_errors()) return errors;
  return pipeline;
}

std::string pass_list(std::span<const Pass> table) {
  std::vector<std::vector<std::string>> rows = {{"pass", "needs", "keeps", "place"}};
  for (const Pass& pass : table)
    rows.push_back({std::string(pass.name), to_string(pass.needs), to_string(pass.keeps), std::string(pass.reason)});
  size_t widths[4] = {};
  for (const auto& row : rows)
    for (size_t i = 0; i < 4; ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto& row : rows) {
    for (size_t i = 0; i < 3; ++i) {
      text += row[i];
      text.append(widths[i] - row[i].size() + 2, ' ');
    }
    text += row[3];
    text += '\n';
  }
  return text;
}

}  // namespace braid::passes
