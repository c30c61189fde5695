#include "driver/views.h"

#include <vector>

#include "base/suggestion.h"
#include "driver/cfg.h"
#include "driver/trace.h"
#include "ir/compact.h"
#include "ir/graph_view.h"

namespace braid::driver {

using namespace ir;

namespace {

std::vector<Function*> bodies(const Session& session, const Function* only) {
  std::vector<Function*> found;
  for (uint32_t i = 0; i < session.module().function_count(); ++i) {
    Function& f = session.module().function(static_cast<FuncId>(i));
    if (!f.is_external() && (only == nullptr || only == &f)) found.push_back(&f);
  }
  return found;
}

Diagnostic no_variable(const Session& session, const std::vector<LoggedConstruction>& runs,
                       const std::string& variable) {
  std::vector<std::string_view> names;
  for (const LoggedConstruction& run : runs)
    names.insert(names.end(), run.variables.begin(), run.variables.end());
  Diagnostic error;
  error.file = session.source().name();
  error.message = "there is no variable '" + variable + "'" + did_you_mean(variable, names);
  return error;
}

/// At rest, as the analyses want it.
std::vector<Function> copies(const Session& session, const Function* only) {
  std::vector<Function> result;
  for (const Function* f : bodies(session, only)) {
    result.push_back(*f);
    if (!f->is_at_rest()) compact(result.back());
  }
  return result;
}

/// The log of cytron lists all frontiers.
Expected<void> check_log(const Function& f, ssa::Algorithm algorithm) {
  if (algorithm != ssa::Algorithm::cytron) return {};
  BlockDominance dominance(f);
  uint64_t entries = flow::count_frontier_entries(dominance.graph(), dominance.tree(), most_entries);
  return check_entries(f, "list of dominance frontiers", entries);
}

}  // namespace

Expected<std::string> show_ssa(Session& session, Function* only, const SsaView& view) {
  std::vector<Function*> functions = bodies(session, only);
  if (view.trace.empty() && !view.log_as_json) {
    session.construct(functions, view.construct);
    return session.print(view.style, only);
  }
  session.note_change();
  std::vector<LoggedConstruction> runs;
  for (Function* f : functions) {
    if (Expected<void> fits = check_log(*f, view.construct.algorithm); !fits) return fits.error();
    runs.push_back(construct_logged(*f, view.construct));
  }
  if (view.log_as_json) return log_json(runs);
  std::string out;
  for (const LoggedConstruction& run : runs) {
    if (!has_variable(run, view.trace)) continue;
    if (!out.empty()) out += '\n';
    out += view.seed_style ? seed_table(run, view.trace) : trace_tables(run, view.trace);
  }
  if (out.empty()) return no_variable(session, runs, view.trace);
  return out;
}

Expected<std::string> show_cfg(const Session& session, const Function* only, const CfgView& view) {
  std::vector<Function> functions = copies(session, only);
  if (view.form == CfgView::Form::json) {
    std::vector<const Function*> pointers;
    for (const Function& f : functions) pointers.push_back(&f);
    return cfg_json(pointers, view.shown);
  }
  std::string out;
  for (const Function& f : functions) {
    if (!out.empty()) out += '\n';
    Expected<std::string> text =
        view.form == CfgView::Form::dot ? cfg_dot(f, view.shown) : cfg_text(f, view.shown);
    if (!text) return text;
    out += *text;
  }
  return out;
}

Expected<std::string> show_analyses(const Session& session, const Function* only) {
  std::string out;
  for (const Function& f : copies(session, only)) {
    if (!out.empty()) out += '\n';
    Expected<std::string> text = analysis_text(f);
    if (!text) return text;
    out += *text;
  }
  return out;
}

}  // namespace braid::driver
