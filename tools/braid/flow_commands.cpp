// ssa, types, dessa, cfg, analyze.
#include "commands.h"
#include "console.h"
#include "driver/compare.h"
#include "driver/types.h"
#include "driver/views.h"
#include "memory_meter.h"

namespace braid::tool {
namespace {

int compare(const Arguments& arguments, const OpenedProgram& program) {
  std::string out;
  AllocationMeter meter;
  ir::Module& module = program.session->module();
  for (uint32_t i = 0; i < module.function_count(); ++i) {
    const ir::Function& f = module.function(static_cast<ir::FuncId>(i));
    bool is_meant = program.function ? program.function == &f : !f.variables.empty();
    if (f.is_external() || !is_meant) continue;
    if (!out.empty()) out += '\n';
    out += driver::comparison_table(f, &meter);
  }
  if (out.empty()) {
    report_error("there is no function with variables");
    return exit_bad_input;
  }
  return write_result(arguments, out);
}

}  // namespace

int ssa_command(const Arguments& arguments) {
  driver::SsaView view;
  view.construct.algorithm = *ssa::find_algorithm(arguments.value(Option::algorithm).value_or("cytron"));
  view.construct.prune = *ssa::find_prune(arguments.value(Option::prune).value_or("pruned"));
  view.trace = arguments.value(Option::trace_variable).value_or("");
  view.seed_style = arguments.value(Option::trace_style) == "seed";
  view.log_as_json = arguments.has(Option::log);
  view.style = style_of(arguments);
  bool is_cytron = view.construct.algorithm == ssa::Algorithm::cytron;
  auto wrong = [](std::string_view message) { return usage_error(Command::ssa, message); };
  if (!is_cytron && view.construct.prune != ssa::Prune::pruned)
    return wrong("'--prune' is for '--algorithm=cytron'");
  if (!is_cytron && view.seed_style) return wrong("'--trace-style=seed' is for '--algorithm=cytron'");
  if (arguments.has(Option::trace_variable) && view.trace.empty())
    return wrong("'--trace' needs the name of a variable");
  if (view.trace.empty() && arguments.has(Option::trace_style))
    return wrong("'--trace-style' is for '--trace'");
  int shown = !view.trace.empty() + view.log_as_json + arguments.has(Option::compare);
  if (shown > 1) return wrong("'--trace', '--log' and '--compare' print different things; choose one");

  if (arguments.has(Option::compare) && (arguments.has(Option::algorithm) || arguments.has(Option::prune)))
    return wrong("'--compare' is about all constructors; it takes no '--algorithm' and no '--prune'");
  if (shown > 0 && arguments.has(Option::style)) return wrong("'--style' is for programs; '--trace', '--log' and '--compare' print none");

  OpenedProgram program = open_program(arguments);
  if (!program.session) return program.code;
  if (arguments.has(Option::compare)) return compare(arguments, program);
  Expected<std::string> text = driver::show_ssa(*program.session, program.function, view);
  if (!text) return bad_input(text.error());
  if (Diagnostics found = program.session->verify(); found.has_errors()) {
    // A constructor that breaks a valid program is our fault, not the input's.
    report(found);
    return exit_internal;
  }
  return write_result(arguments, *text);
}

int types_command(const Arguments& arguments) {
  if (arguments.has(Option::dot) && arguments.has(Option::report))
    return usage_error(Command::types, "'--report' and '--dot' print different things; choose one");
  if (arguments.has(Option::style) && (arguments.has(Option::dot) || arguments.has(Option::report)))
    return usage_error(Command::types, "'--style' is for programs; '--report' and '--dot' print none");
  if (arguments.has(Option::dot) && (arguments.has(Option::mixed) || arguments.has(Option::budget)))
    return usage_error(Command::types, "'--dot' shows phis before they are resolved; it takes no '--mixed' and no '--budget'");
  driver::TypesView view;
  view.has_report = arguments.has(Option::report);
  view.way = *driver::find_way(arguments.value(Option::mixed).value_or("auto"));
  if (arguments.has(Option::budget))
    view.budget = static_cast<uint32_t>(std::min<uint64_t>(number(arguments, Option::budget), 1'000'000'000));
  OpenedProgram program = open_program(arguments);
  if (!program.session) return program.code;
  if (arguments.has(Option::dot)) return write_result(arguments, driver::show_phi_graph(*program.session, program.function));
  Expected<std::string> report = driver::resolve_types(*program.session, program.function, view);
  if (!report) return bad_input(report.error());
  if (Diagnostics found = program.session->verify(); found.has_errors()) {
    braid::tool::report(found);
    return exit_internal;
  }
  if (view.has_report) return write_result(arguments, *report);
  return write_result(arguments, program.session->print(style_of(arguments), program.function));
}

int dessa_command(const Arguments& arguments) {
  if (arguments.has(Option::style) && arguments.has(Option::report))
    return usage_error(Command::dessa, "'--style' is for programs; '--report' prints none");
  OpenedProgram program = open_program(arguments);
  if (!program.session) return program.code;
  std::string report = driver::leave_ssa(*program.session, program.function);
  if (Diagnostics found = program.session->verify(); found.has_errors()) {
    braid::tool::report(found);
    return exit_internal;
  }
  if (arguments.has(Option::report)) return write_result(arguments, report);
  return write_result(arguments, program.session->print(style_of(arguments), program.function));
}

int cfg_command(const Arguments& arguments) {
  using Form = driver::CfgView::Form;
  driver::CfgView view;
  int forms = 0;
  for (auto [option, form] :
       {std::pair{Option::text, Form::text}, {Option::dot, Form::dot}, {Option::json, Form::json}}) {
    if (!arguments.has(option)) continue;
    view.form = form;
    ++forms;
  }
  if (forms > 1) return usage_error(Command::cfg, "'--text', '--dot' and '--json' exclude each other");
  if (std::optional<std::string> list = arguments.value(Option::show))
    view.shown = *driver::parse_shown_facts(*list);
  OpenedProgram program = open_program(arguments);
  if (!program.session) return program.code;
  Expected<std::string> text = driver::show_cfg(*program.session, program.function, view);
  return text ? write_result(arguments, *text) : bad_input(text.error());
}

int analyze_command(const Arguments& arguments) {
  OpenedProgram program = open_program(arguments);
  if (!program.session) return program.code;
  Expected<std::string> text = driver::show_analyses(*program.session, program.function);
  return text ? write_result(arguments, *text) : bad_input(text.error());
}

}  // namespace braid::tool
