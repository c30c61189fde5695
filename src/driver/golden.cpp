#include "driver/golden.h"

#include <algorithm>
#include <vector>

#include "driver/diff.h"
#include "driver/execute.h"
#include "driver/golden_file.h"
#include "driver/golden_pandasm.h"
#include "driver/golden_simple.h"
#include "driver/pandasm_program.h"
#include "driver/session.h"
#include "driver/simple_program.h"
#include "driver/value_text.h"
#include "driver/types.h"
#include "driver/views.h"
#include "text/equal.h"
#include "text/print.h"

namespace braid::driver {

using namespace ir;

namespace {

constexpr uint64_t most_steps = 50'000'000;

std::string indented(std::string_view text) {
  std::string out;
  for (std::string_view line : split_lines(text)) {
    out += line.empty() ? "" : "    ";
    out += line;
    out += '\n';
  }
  return out;
}

std::string_view name_of(GoldenRun::Outcome outcome) {
  switch (outcome) {
    case GoldenRun::Outcome::returns: return "==";
    case GoldenRun::Outcome::throws: return "throws";
    case GoldenRun::Outcome::traps: return "traps";
    case GoldenRun::Outcome::deopts: return "deopts";
  }
  return "";
}

GoldenRun::Outcome outcome_of(const Execution& execution) {
  switch (execution.kind) {
    case Execution::Kind::returned: return GoldenRun::Outcome::returns;
    case Execution::Kind::threw: return GoldenRun::Outcome::throws;
    case Execution::Kind::deoptimised: return GoldenRun::Outcome::deopts;
    default: return GoldenRun::Outcome::traps;
  }
}

bool meets(const GoldenRun& run, const Execution& execution, const Function& f) {
  if (outcome_of(execution) != run.outcome) return false;
  if (execution.text == run.expected) return true;
  switch (run.outcome) {
    case GoldenRun::Outcome::returns: {
      Expected<Value> value = parse_value(f.module(), f.result_type(), run.expected);
      return value && *value == execution.value;
    }
    // `throws undefined` is enough for `undefined 'x'`.
    case GoldenRun::Outcome::throws: return execution.text.substr(0, execution.text.find(' ')) == run.expected;
    default: return execution.text.find(run.expected) != std::string::npos;
  }
}

class GoldenRunner {
 public:
  GoldenRunner(const SourceFile& source, const GoldenOptions& options) : source_(source), options_(options) {}

  GoldenResult run() {
    Expected<GoldenFile> file = parse_golden(source_);
    if (!file) return broken(file.error());
    file_ = std::move(*file);
    check_program();
    return finish();
  }

 private:
  GoldenResult broken(const Diagnostics& errors) {
    result_.report += render(errors);
    failed_ = true;
    return finish();
  }
  GoldenResult finish() {
    for (const FormFault& fault : form_faults_) fail(fault.line, fault.what + ", " + listed(fault.forms), fault.details);
    result_.passed = !failed_;
    return std::move(result_);
  }
  void fail(uint32_t line, std::string_view what, std::string_view details = {}) {
    failed_ = true;
    result_.report += source_.name() + ":" + std::to_string(line) + ": " + std::string(what) + "\n" + indented(details);
  }

  /// Remembers what is wrong in one form of the program: forms that fail alike are reported together, at the end.
  void fail_in(std::string_view form, uint32_t line, std::string what, std::string details = {}) {
    failed_ = true;
    for (FormFault& fault : form_faults_)
      if (fault.line == line && fault.what == what && fault.details == details) return fault.forms.push_back(std::string(form));
    form_faults_.push_back({line, std::move(what), std::move(details), {std::string(form)}});
  }
  /// Where the program fails as it is written, nobody asks what becomes of it.
  static std::string listed(const std::vector<std::string>& forms) {
    if (forms[0] == as_written)
      return forms[0] + (forms.size() == 1 ? "" : " and in " + std::to_string(forms.size() - 1) + " other forms");
    std::string out;
    for (const std::string& form : forms) out += (out.empty() ? "" : "; ") + form;
    return out;
  }

  void check_program() {
    Expected<Session> session = Session::open(source_);
    if (!session) {
      match_errors(session.error());
      return;
    }
    check_identity(*session);
    if (file_.empty()) return;
    for (const GoldenTest& test : file_.tests) {
      Expected<passes::Pipeline> pipeline = passes::parse_pipeline(test.passes);
      splits_constants_ |= pipeline && !pipeline->empty() && pipeline->front()->takes_any_constants;
    }
    Diagnostics found;
    if (splits_constants_) found = session->split_constants();
    if (!found.has_errors()) found = session->verify();
    match_errors(found);
    bool valid = !found.has_errors();
    check_outputs(valid);
    if (valid) {
      check_runs();
      check_constructions();
      check_mixed_phis();
    }
    if (!valid && !file_.runs.empty()) fail(file_.runs[0].line, "a program that is not valid cannot run");
  }

  /// Every error is expected where it is, and every expectation is met.
  void match_errors(const Diagnostics& found) {
    std::vector<bool> met(file_.errors.size(), false);
    Diagnostics unexpected;
    bool is_expected = true;
    for (const Diagnostic& error : found) {
      if (error.severity == Severity::error) {
        is_expected = false;
        for (size_t i = 0; i < file_.errors.size() && !is_expected; ++i) {
          const ExpectedError& wanted = file_.errors[i];
          if (met[i] || wanted.line != error.line || error.message.find(wanted.text) == std::string::npos) continue;
          if (!wanted.rule.empty() && wanted.rule != error.rule) continue;
          met[i] = is_expected = true;
        }
      }
      if (!is_expected) unexpected.add(error);  // with the notes behind it
    }
    if (unexpected.has_errors()) fail(unexpected[0].line, "an error that is not expected", render(unexpected));
    for (size_t i = 0; i < met.size(); ++i) {
      if (met[i]) continue;
      const ExpectedError& wanted = file_.errors[i];
      std::string what = "there is no error '" + wanted.text + "'";
      if (!wanted.rule.empty()) what += " of rule '" + wanted.rule + "'";
      fail(wanted.written_at, what + " on line " + std::to_string(wanted.line));
    }
  }

  /// Printing and parsing again gives the same program, and the same text.
  void check_identity(const Session& session) {
    std::string first = text::to_text(session.module());
    Expected<Session> again = Session::open(SourceFile(source_.name() + " (printed)", first));
    if (!again) {
      fail(1, "what is printed cannot be parsed", render(again.error()) + first);
      return;
    }
    std::string difference;
    if (!text::ir_equal(session.module(), again->module(), &difference))
      fail(1, "printing and parsing changes the program", difference);
    std::string second = text::to_text(again->module());
    if (first != second) fail(1, "printing twice differs", unified_diff(first, second, "printed", "printed again"));
  }

  /// The program, with the types of constants if tests begin with them.
  Session opened() const {
    Expected<Session> session = Session::open(source_);
    if (splits_constants_) session->split_constants();
    return std::move(*session);
  }

  /// A program of its own after these passes, verified after each. Nothing if that failed.
  std::optional<Session> after_passes(uint32_t line, std::string_view names) {
    Expected<passes::Pipeline> pipeline = passes::parse_pipeline(names);
    if (!pipeline) {
      fail(line, "bad list of passes", render(pipeline.error()));
      return std::nullopt;
    }
    Session session = opened();
    passes::RunOptions options;
    options.verify_each = true;
    Expected<passes::RunReport> report = session.run(*pipeline, options);
    if (!report) {
      fail(line, "passes " + std::string(names) + " break the program", render(report.error()));
      return std::nullopt;
    }
    return session;
  }

  /// With the name of the file alone: where it lies does not matter.
  std::string warnings() const {
    std::string name = source_.name().substr(source_.name().find_last_of('/') + 1);
    return render(Session::open(SourceFile(name, std::string(source_.text())))->warnings());
  }

  Expected<std::string> shown(const GoldenTest& test, Session& session, Function* function) const {
    switch (test.subject) {
      case GoldenTest::Subject::ssa: {
        SsaView view = test.ssa;
        view.style = test.style;
        return show_ssa(session, function, view);
      }
      case GoldenTest::Subject::cfg: return show_cfg(session, function, test.cfg);
      case GoldenTest::Subject::analyses: return show_analyses(session, function);
      case GoldenTest::Subject::warnings: return warnings();
      case GoldenTest::Subject::program: break;
    }
    if (test.steps) return session.print_compacting(test.style, *test.steps, function);
    return session.print(test.style, function);
  }

  bool all_construct(const GoldenTest& test) {
    for (ssa::Algorithm algorithm : test.also) {
      std::optional<Session> session = after_passes(test.line, "");
      if (!session) return false;
      SsaView view;
      view.construct = test.ssa.construct;
      view.construct.algorithm = algorithm;
      const Expected<std::string> made = show_ssa(*session, nullptr, view);
      const Diagnostics found = made ? session->verify() : made.error();
      if (!found.has_errors()) continue;
      fail(test.line, "by " + std::string(ssa::name(algorithm)) + ": " + found[0].message);
      return false;
    }
    return true;
  }

  void check_outputs(bool valid) {
    std::vector<std::string> outputs;
    for (const GoldenTest& test : file_.tests) {
      if (!test.shows) continue;
      if (!valid && splits_constants_) continue;  // the errors are what is shown
      if (!valid && (!test.passes.empty() || test.steps || test.subject != GoldenTest::Subject::program)) {
        fail(test.line, "this test needs a valid program");
        continue;
      }
      std::optional<Session> session = after_passes(test.line, test.passes);
      if (!session) return;
      Function* function = nullptr;
      if (!test.function.empty()) {
        Expected<Function*> found = session->function(test.function);
        if (!found) return fail(test.line, found.error()[0].message);
        function = *found;
      }
      if (!all_construct(test)) return;
      Expected<std::string> output = shown(test, *session, function);
      if (!output) return fail(test.line, output.error()[0].message);
      outputs.push_back(std::move(*output));
      size_t number = outputs.size() - 1;
      if (options_.bless) continue;
      if (number >= file_.expects.size()) {
        fail(test.line, "no expect block for this test; 'braid test --bless' writes it");
        continue;
      }
      std::string diff = unified_diff(file_.expects[number].text(), outputs.back(), "expected", "printed");
      if (!diff.empty()) fail(file_.expects[number].line, "the text printed is not the one expected", diff);
    }
    if (file_.expects.size() > outputs.size())
      fail(file_.expects[outputs.size()].line, "an expect block that no test owns");
    if (!options_.bless || failed_) return;
    std::string text = blessed(source_, file_, outputs);
    if (text != source_.text()) result_.blessed = std::move(text);
  }

  /// Every run gives what is expected as the program is written, after each pass, and after each pipeline of the file.
  void check_runs() {
    if (file_.runs.empty()) return;
    std::vector<std::string> forms = {"", "compact"};
    std::string all;
    for (const passes::Pass& pass : passes::all_passes()) {
      forms.emplace_back(pass.name);
      all += (all.empty() ? "" : ",") + std::string(pass.name);
    }
    forms.push_back(all);
    for (const GoldenTest& test : file_.tests) forms.push_back(test.passes);
    for (size_t i = 0; i < forms.size(); ++i) {
      if (std::find(forms.begin(), forms.begin() + static_cast<std::ptrdiff_t>(i), forms[i]) !=
          forms.begin() + static_cast<std::ptrdiff_t>(i))
        continue;
      std::optional<Session> session = after_passes(file_.runs[0].line, forms[i]);
      if (!session) continue;
      for (const GoldenRun& run : file_.runs) check_run(run, *session, forms[i].empty() ? as_written : "after passes " + forms[i]);
    }
  }

  /// Functions with variables are valid in SSA, whoever takes them there, and give the same.
  void check_constructions() {
    constexpr ssa::ConstructOptions ways[] = {{ssa::Algorithm::cytron, ssa::Prune::minimal},
                                              {ssa::Algorithm::cytron, ssa::Prune::semi},
                                              {ssa::Algorithm::cytron, ssa::Prune::pruned},
                                              {ssa::Algorithm::braun, ssa::Prune::pruned},
                                              {ssa::Algorithm::regmap, ssa::Prune::pruned}};
    for (const ssa::ConstructOptions& way : ways) {
      Session session = opened();
      std::vector<Function*> functions;
      for (uint32_t i = 0; i < session.module().function_count(); ++i)
        if (Function& f = session.module().function(static_cast<FuncId>(i)); !f.variables.empty()) functions.push_back(&f);
      if (functions.empty()) return;
      session.construct(functions, way);
      std::string form = "in SSA by " + std::string(name(way.algorithm)) + ", " + std::string(name(way.prune));
      if (Diagnostics found = session.verify(); found.has_errors())
        fail(file_.runs.empty() ? 1 : file_.runs[0].line, "the program is not valid " + form, render(found));
      else
        for (const GoldenRun& run : file_.runs) check_run(run, session, form);
    }
  }

  /// Whichever way mixed phis are resolved.
  void check_mixed_phis() {
    if (file_.runs.empty()) return;
    for (std::string_view way : way_names) {
      Session session = opened();
      // A program with a phi that has no type is none for this.
      if (!resolve_types(session, nullptr, {.way = *find_way(way)})) return;
      const std::string form = "with mixed phis by " + std::string(way);
      if (Diagnostics found = session.verify(); found.has_errors())
        fail(file_.runs[0].line, "the program is not valid " + form, render(found));
      else
        for (const GoldenRun& run : file_.runs) check_run(run, session, form);
    }
  }

  void check_run(const GoldenRun& run, const Session& session, std::string_view form) {
    Function* f = session.module().find_function(run.function);
    if (f == nullptr || f->is_external()) return fail_in(form, run.line, "there is no function '@" + run.function + "' with a body");
    Expected<std::vector<Value>> arguments = parse_values(*f, run.arguments);
    if (!arguments) return fail_in(form, run.line, "bad arguments", render(arguments.error()));
    ExecuteOptions options;
    options.max_steps = most_steps;
    std::string output;
    options.output = [&](std::string_view text) { output += text; };
    Execution execution = execute(*f, *arguments, options);
    if (!meets(run, execution, *f))
      fail_in(form, run.line, "run @" + run.function,
              "expected " + std::string(name_of(run.outcome)) + " " + run.expected + "\ngot      " +
               std::string(name_of(outcome_of(execution))) + " " + execution.text + "\n");
    std::string expected_output;
    for (const std::string& line : run.output) expected_output += line + "\n";
    if (output != expected_output)
      fail_in(form, run.line, "run @" + run.function + " prints something else",
              unified_diff(expected_output, output, "expected", "printed"));
  }

  struct FormFault {
    uint32_t line;
    std::string what, details;
    std::vector<std::string> forms;
  };
  static inline const std::string as_written = "as written";

  const SourceFile& source_;
  const GoldenOptions& options_;
  GoldenFile file_;
  std::vector<FormFault> form_faults_;
  GoldenResult result_;
  bool failed_ = false;
  bool splits_constants_ = false;  ///< a test begins with constants that have not the types of their uses
};

GoldenResult run_language(const SourceFile& source, const GoldenOptions& options) {
  if (is_simple_file(source.name())) return run_golden_simple(source, options);
  if (is_pandasm_file(source.name())) return run_golden_pandasm(source, options);
  return GoldenRunner(source, options).run();
}

/// Lines that were written end as the first one of `model` does.
std::string with_line_ends_of(std::string_view model, std::string text) {
  const size_t first = model.find('\n');
  if (first == std::string_view::npos || first == 0 || model[first - 1] != '\r') return text;
  std::string out;
  for (std::string_view line : split_lines(text)) {
    out += line;
    out += line.ends_with('\r') ? "\n" : "\r\n";
  }
  return out;
}

}  // namespace

GoldenResult run_golden(const SourceFile& source, const GoldenOptions& options) {
  GoldenResult result = run_language(source, options);
  if (result.blessed) {
    result.blessed = with_line_ends_of(source.text(), std::move(*result.blessed));
    if (*result.blessed == source.text()) result.blessed.reset();
  }
  return result;
}

}  // namespace braid::driver
