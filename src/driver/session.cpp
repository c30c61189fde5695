#include "driver/session.h"

#include <vector>

#include "base/suggestion.h"
#include "driver/pandasm_program.h"
#include "driver/simple_program.h"
#include "infer/split_constants.h"
#include "ir/compact.h"
#include "ir/settle.h"
#include "ir/verify.h"
#include "opt/warnings.h"
#include "text/findings.h"
#include "text/print.h"
#include "text/print_julia.h"

namespace braid::driver {

using namespace ir;

Expected<Session> Session::open(SourceFile source) {
  Expected<text::ParsedModule> parsed = text::parse_module(source);
  if (!parsed) return std::move(parsed).error();
  return Session(std::move(source), std::move(*parsed));
}

Expected<Session> Session::open_valid(SourceFile source) {
  Expected<Session> session = open(std::move(source));
  if (!session) return session;
  Diagnostics found = session->verify();
  if (found.has_errors()) return found;
  return session;
}

Expected<Session> Session::open_simple(SourceFile source, const simple::ParseOptions& options) {
  Expected<SimpleProgram> program = SimpleProgram::open(source, options);
  if (!program) return std::move(program).error();
  std::string shown = program->shown();
  Session session(std::move(source), {program->land(), {}});
  session.changed_ = true;
  session.shown_ = std::move(shown);
  return session;
}

Expected<Session> Session::open_pandasm(SourceFile source) {
  Expected<std::unique_ptr<PandasmProgram>> program = PandasmProgram::open(std::move(source));
  if (!program) return std::move(program).error();
  PandasmProgram& p = **program;
  pandasm::Translation translation(p.source, p.program, p.links, p.types);
  Session session(std::move(p.source), {translation.take_module(), {}});
  // To be shown as it is.
  for (uint32_t i = 0; i < session.module().function_count(); ++i)
    if (Function& f = session.module().function(static_cast<FuncId>(i)); !f.is_at_rest()) ir::settle(f);
  session.changed_ = true;
  return session;
}

Diagnostics Session::split_constants() {
  std::vector<Finding> conflicts;
  for (uint32_t i = 0; i < module().function_count(); ++i) {
    infer::SplitConstants split = infer::split_constants(module().function(static_cast<FuncId>(i)));
    conflicts.insert(conflicts.end(), split.conflicts.begin(), split.conflicts.end());
  }
  return describe(conflicts);
}

Diagnostics Session::verify() const {
  VerifyOptions options;
  options.limit = 1'000'000;  // most are only counted
  if (!changed_)
    options.name = [&](const Function& f, Operand id) { return text::source_name(f, id, source_, parsed_.positions); };
  return describe(ir::verify(module(), options));
}

Diagnostics Session::describe(std::span<const Finding> findings) const {
  return text::describe(module(), findings, source_, changed_ ? nullptr : &parsed_.positions);
}

Diagnostics Session::warnings() const {
  Diagnostics found;
  for (uint32_t i = 0; i < module().function_count(); ++i)
    opt::warnings(module().function(static_cast<FuncId>(i)), found, &source_, changed_ ? nullptr : &parsed_.positions);
  return found;
}

Expected<Function*> Session::function(std::string_view name) const {
  if (name.starts_with('@')) name.remove_prefix(1);
  std::vector<Function*> bodies;
  std::vector<std::string_view> names;
  for (uint32_t i = 0; i < module().function_count(); ++i) {
    Function& f = module().function(static_cast<FuncId>(i));
    if (f.is_external()) continue;
    bodies.push_back(&f);
    names.push_back(f.name_text());
    if (f.name_text() == (name.empty() ? "main" : name)) return &f;
  }
  Diagnostic error;
  error.file = source_.name();
  if (!name.empty())
    error.message = "there is no function '@" + std::string(name) + "'" + did_you_mean(name, names);
  else if (bodies.size() == 1)
    return bodies[0];
  else
    error.message = bodies.empty() ? "there is no function with a body"
                                   : "there is no function '@main'; name one of the " + std::to_string(bodies.size());
  return error;
}

Expected<passes::RunReport> Session::run(const passes::Pipeline& pipeline, const passes::RunOptions& options) {
  changed_ = true;
  passes::RunOptions verifying = options;
  verifying.verify_result = true;
  passes::RunReport report = passes::run_passes(module(), pipeline, verifying);
  if (report.ok()) return report;
  std::string behind = "pass '" + std::string(report.broken_by) + "'";
  if (report.broken_by.empty()) behind = "the passes; with --verify-each the first is named that breaks it";
  Diagnostics errors;
  if (report.findings.empty()) {
    errors.error(report.broken_contract, source_.name());
    return errors;
  }
  errors.error("the program is not valid after " + behind, source_.name());
  errors.merge(text::describe(module(), report.findings, source_, nullptr));
  return errors;
}

void Session::construct(std::span<Function* const> functions, const ssa::ConstructOptions& options) {
  changed_ = true;
  for (Function* f : functions) ssa::construct(*f, options);
}

std::string Session::print(Style style, const Function* function, bool colour) const {
  if (style == Style::braid) return function ? text::to_text(*function) : text::to_text(module());
  if (function) return text::to_julia(*function, colour);
  std::string out;
  for (uint32_t i = 0; i < module().function_count(); ++i) {
    const Function& f = module().function(static_cast<FuncId>(i));
    if (f.is_external()) continue;
    if (!out.empty()) out += '\n';
    out += text::to_julia(f, colour);
  }
  return out;
}

std::string Session::print_compacting(Style style, uint64_t steps, Function* function, bool colour) {
  changed_ = true;
  std::string out;
  for (uint32_t i = 0; i < module().function_count(); ++i) {
    Function& f = module().function(static_cast<FuncId>(i));
    if (f.is_external() || (function != nullptr && &f != function)) continue;
    if (!out.empty()) out += '\n';
    Compact walk(f);
    for (uint64_t done = 0; done < steps && walk.next(); ++done) {}
    out += style == Style::julia ? text::to_julia(walk, colour) : text::to_text(walk.finished_part());
    walk.finish();
  }
  return out;
}

}  // namespace braid::driver
