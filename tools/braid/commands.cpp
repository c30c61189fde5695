// run, print, verify, opt, generate, help.
#include "commands.h"

#include <algorithm>
#include <cstdio>

#include "base/colour.h"
#include "base/number_text.h"
#include "console.h"
#include "driver/execute.h"
#include "driver/load.h"
#include "driver/pandasm_program.h"
#include "driver/session.h"
#include "driver/simple_program.h"
#include "driver/value_text.h"
#include "generate.h"
#include "passes/runner.h"

namespace braid::tool {

using driver::Session;
using driver::Style;

namespace {

enum class Validity : uint8_t {
  any,
  valid,
  after_splitting,  ///< once constants have the types of their uses
};

Expected<Session> open_text(SourceFile source, Validity validity) {
  if (validity == Validity::valid) return Session::open_valid(std::move(source));
  Expected<Session> session = Session::open(std::move(source));
  if (!session || validity == Validity::any) return session;
  Diagnostics found = session->split_constants();
  if (!found.has_errors()) found = session->verify();
  if (found.has_errors()) return found;
  return session;
}

Expected<Session> open(const Arguments& arguments, const std::string& path, Validity validity) {
  Expected<SourceFile> source = load_source(arguments, path);
  if (!source) return source.error();
  if (driver::is_simple_file(path) || arguments.has(Option::language)) {
    simple::ParseOptions options;
    options.language = language_of(arguments);
    Expected<Session> session = Session::open_simple(std::move(*source), options);
    if (session) write_out(session->shown());
    return session;
  }
  if (driver::is_pandasm_file(path)) return Session::open_pandasm(std::move(*source));
  return open_text(std::move(*source), validity);
}

/// The function of --function; null without it.
Expected<ir::Function*> chosen_function(const Arguments& arguments, const Session& session) {
  std::optional<std::string> name = arguments.value(Option::function);
  if (!name) return static_cast<ir::Function*>(nullptr);
  return session.function(*name);
}

int exit_code_of(driver::Execution::Kind kind) {
  switch (kind) {
    case driver::Execution::Kind::returned:
    case driver::Execution::Kind::deoptimised: return exit_ok;
    case driver::Execution::Kind::internal_error: return exit_internal;
    default: return exit_bad_input;
  }
}

}  // namespace

/// Chapter 8 reads bytes, and a byte order mark is none of its letters.
Expected<SourceFile> load_source(const Arguments& arguments, const std::string& path) {
  const bool is_chapter8 = language_of(arguments) == simple::Language::simple8;
  return driver::load(path, is_chapter8 ? driver::ByteOrderMark::kept : driver::ByteOrderMark::dropped);
}

int bad_input(const Diagnostics& errors) {
  report(errors);
  return exit_bad_input;
}

/// To the file of -o, or to standard output.
int write_result(const Arguments& arguments, std::string_view text) {
  std::string path = arguments.value(Option::output).value_or("-");
  if (path == "-") {
    write_out(text);
    return exit_ok;
  }
  if (Expected<void> saved = driver::save(path, text); !saved) return bad_input(saved.error());
  return exit_ok;
}

bool colour_of_result(const Arguments& arguments) {
  return arguments.value(Option::output).value_or("-") == "-" && colour_wanted(stdout);
}

uint64_t number(const Arguments& arguments, Option option) {
  std::optional<std::string> text = arguments.value(option);
  return text ? *parse_u64(*text) : 0;
}

Style style_of(const Arguments& arguments) {
  return arguments.value(Option::style).value_or("braid") == "julia" ? Style::julia : Style::braid;
}

/// What an option is not for; empty if all that are given mean something.
static std::string misplaced(const Arguments& arguments) {
  for (const Arguments::Given& given : arguments.given) {
    const OptionInfo& option = info(given.option);
    const bool only_pandasm = option.only_pandasm & in(arguments.command), not_pandasm = option.not_pandasm & in(arguments.command);
    for (const std::string& path : arguments.words) {
      const bool is_pandasm = driver::is_pandasm_file(path);
      if (is_pandasm ? not_pandasm : only_pandasm)
        return "'--" + std::string(option.name) + "' is " + (is_pandasm ? "not " : "") + "for programs in pandasm (.pa files)" +
               (is_pandasm ? " such as '" : ", not for '") + path + "'";
      if (arguments.command == Command::run) break;  // the others are arguments of the program
    }
  }
  return {};
}

bool check_placed(const Arguments& arguments) {
  const std::string wrong = misplaced(arguments);
  if (!wrong.empty()) usage_error(arguments.command, wrong);
  return wrong.empty();
}

int usage_error(Command command, std::string_view message) {
  report_error(message);
  std::fprintf(stderr, "usage: braid %s [OPTION...] %s\n", std::string(info(command).name).c_str(),
               std::string(info(command).arguments).c_str());
  return exit_usage;
}

static OpenedProgram open_program(const Arguments& arguments, Validity validity) {
  OpenedProgram program;
  if (arguments.words.size() != 1) {
    program.code = usage_error(arguments.command, "expected one file");
    return program;
  }
  Expected<Session> session = open(arguments, arguments.words[0], validity);
  if (!session) {
    program.code = bad_input(session.error());
    return program;
  }
  Expected<ir::Function*> f = chosen_function(arguments, *session);
  if (!f) {
    program.code = bad_input(f.error());
    return program;
  }
  program.session.emplace(std::move(*session));
  program.function = *f;
  return program;
}

OpenedProgram open_program(const Arguments& arguments) { return open_program(arguments, Validity::valid); }

int run_command(const Arguments& arguments) {
  if (arguments.words.empty()) return usage_error(Command::run, "no file");
  if (driver::is_pandasm_file(arguments.words[0])) return run_pandasm_command(arguments);
  Expected<Session> session = open(arguments, arguments.words[0], Validity::valid);
  if (!session) return bad_input(session.error());

  std::string name = arguments.value(Option::function).value_or("");
  size_t first = 1;
  if (name.empty() && arguments.words.size() > 1 && arguments.words[1].starts_with('@')) name = arguments.words[first++];
  Expected<ir::Function*> f = session->function(name);
  if (!f) return bad_input(f.error());
  Expected<std::vector<braid::Value>> values = driver::parse_values(**f, std::span(arguments.words).subspan(first));
  if (!values) {
    bad_input(values.error());
    return exit_usage;
  }

  driver::ExecuteOptions options;
  options.max_steps = number(arguments, Option::max_steps);
  options.max_depth = number(arguments, Option::max_depth);
  options.max_memory = number(arguments, Option::max_memory);
  options.output = [](std::string_view text) { write_out(text); };
  if (arguments.has(Option::trace))
    options.trace = [](std::string_view line) { write_error(std::string(line) + "\n"); };
  driver::Execution execution = driver::execute(**f, *values, options);
  switch (execution.kind) {
    case driver::Execution::Kind::returned:
      if (!execution.value.is_void()) write_out(execution.text + "\n");
      break;
    case driver::Execution::Kind::deoptimised: write_out("deopt " + execution.text + "\n"); break;
    case driver::Execution::Kind::threw: flush_out(); report_error("uncaught exception: " + execution.text); break;
    case driver::Execution::Kind::trapped: flush_out(); report_error(execution.text); break;
    case driver::Execution::Kind::internal_error:
      flush_out();
      report_error("internal error: " + execution.text);
      break;
  }
  return exit_code_of(execution.kind);
}

int print_command(const Arguments& arguments) {
  if (arguments.words.size() != 1) return usage_error(Command::print, "expected one file");
  const bool is_compacting = arguments.has(Option::compacting);
  Expected<Session> session = open(arguments, arguments.words[0], is_compacting ? Validity::valid : Validity::any);
  if (!session) return bad_input(session.error());
  Expected<ir::Function*> f = chosen_function(arguments, *session);
  if (!f) return bad_input(f.error());
  if (is_compacting)
    return write_result(arguments, session->print_compacting(style_of(arguments), number(arguments, Option::compacting), *f,
                                                             colour_of_result(arguments)));
  return write_result(arguments, session->print(style_of(arguments), *f, colour_of_result(arguments)));
}

int verify_command(const Arguments& arguments) {
  if (arguments.words.empty()) return usage_error(Command::verify, "no file");
  int code = exit_ok;
  for (const std::string& path : arguments.words) {
    Expected<Session> session = open(arguments, path, Validity::valid);
    if (!session)
      code = bad_input(session.error());
    else if (arguments.has(Option::warnings))
      report(session->warnings());
  }
  return code;
}

int opt_command(const Arguments& arguments) {
  if (arguments.has(Option::list)) {
    bool alone = arguments.words.empty();
    for (const Arguments::Given& given : arguments.given) alone &= given.option == Option::list || given.option == Option::output;
    if (!alone) return usage_error(Command::opt, "'--list' prints the table of passes; it takes no FILE, and no option but '--output'");
    return write_result(arguments, passes::pass_list());
  }
  passes::Pipeline pipeline;
  for (const passes::Pass& pass : passes::all_passes())
    if (!pass.is_on_request) pipeline.push_back(&pass);
  if (std::optional<std::string> list = arguments.value(Option::passes)) {
    Expected<passes::Pipeline> given = passes::parse_pipeline(*list);
    if (!given) {
      for (const Diagnostic& error : given.error()) report_error(error.message);
      return exit_usage;
    }
    pipeline = *given;
  }
  std::string print_after = arguments.value(Option::print_after).value_or("");
  auto runs = [&](std::string_view name) {
    return std::any_of(pipeline.begin(), pipeline.end(), [&](const passes::Pass* pass) { return pass->name == name; });
  };
  if (!print_after.empty() && print_after != "all" && !runs(print_after))
    return usage_error(Command::opt, "'--print-after' names the pass '" + print_after + "', which does not run");
  bool splits = !pipeline.empty() && pipeline.front()->takes_any_constants;
  OpenedProgram program = open_program(arguments, splits ? Validity::after_splitting : Validity::valid);
  if (!program.session) return program.code;

  passes::RunOptions options;
  if (program.function) options.only = program.function->id();
  options.verify_each = arguments.has(Option::verify_each);
  options.print_after = print_after;
  options.print = [&](std::string_view pass) {
    write_error("; after " + std::string(pass) + "\n" + program.session->print(style_of(arguments), program.function, colour_wanted(stderr)));
  };
  Expected<passes::RunReport> result = program.session->run(pipeline, options);
  if (!result) {
    // A pass that breaks a valid program is our fault, not the input's.
    report(result.error());
    return exit_internal;
  }
  if (arguments.has(Option::time_passes)) {
    write_error(passes::time_table(*result));
  }
  return write_result(arguments, program.session->print(style_of(arguments), program.function, colour_of_result(arguments)));
}

int generate_command(const Arguments& arguments) {
  if (arguments.words.size() != 1) return usage_error(Command::generate, "expected one page");
  struct Page {
    std::string_view name;
    std::string (*make)();
  };
  constexpr Page pages[] = {{"man", man_page}, {"bash", bash_completion}, {"zsh", zsh_completion},
                            {"fish", fish_completion}, {"ir", ir_reference}};
  for (const Page& page : pages)
    if (page.name == arguments.words[0]) return write_result(arguments, page.make());
  return usage_error(Command::generate, "there is no page '" + arguments.words[0] + "'");
}

int help_command(const Arguments& arguments) {
  if (arguments.words.empty()) {
    write_out(help());
    return exit_ok;
  }
  if (arguments.words.size() > 1) return usage_error(Command::help, "expected one command");
  for (const CommandInfo& command : commands()) {
    if (command.name != arguments.words[0]) continue;
    write_out(help(command.id));
    return exit_ok;
  }
  return usage_error(Command::help, "there is no command '" + arguments.words[0] + "'");
}

}  // namespace braid::tool
