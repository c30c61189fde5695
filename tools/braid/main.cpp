// The command-line tool: reads the arguments and hands over to a command.
#ifndef __wasi__
#include <csignal>
#endif
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "commands.h"
#include "console.h"
#include "options.h"

namespace braid::tool {
namespace {

int dispatch(const Arguments& arguments) {
  switch (arguments.command) {
    case Command::run: return run_command(arguments);
    case Command::print: return print_command(arguments);
    case Command::verify: return verify_command(arguments);
    case Command::opt: return opt_command(arguments);
    case Command::ssa: return ssa_command(arguments);
    case Command::types: return types_command(arguments);
    case Command::dessa: return dessa_command(arguments);
    case Command::cfg: return cfg_command(arguments);
    case Command::analyze: return analyze_command(arguments);
    case Command::sea: return sea_command(arguments);
    case Command::bc: return bytecode_command(arguments);
    case Command::reduce: return reduce_command(arguments);
    case Command::test: return test_command(arguments);
    case Command::generate: return generate_command(arguments);
    case Command::help: return help_command(arguments);
  }
  return exit_usage;
}

int run(const std::vector<std::string>& words) {
  Expected<Arguments> arguments = parse_arguments(words);
  if (!arguments) {
    for (const Diagnostic& error : arguments.error()) report_error(error.message);
    return exit_usage;
  }
  if (arguments->has(Option::version)) {
    write_out("braid " BRAID_VERSION "\n");
    return exit_ok;
  }
  if (arguments->has(Option::help)) {
    bool general = arguments->command == Command::help;
    write_out(general ? help() : help(arguments->command));
    return exit_ok;
  }
  if (words.empty()) {
    report_error("no command; try 'braid --help'");
    return exit_usage;
  }
  return check_placed(*arguments) ? dispatch(*arguments) : exit_usage;
}

/// There is no memory for a diagnostic either.
[[noreturn]] void out_of_memory() {
  std::fputs("braid: error: out of memory\n", stderr);
  std::_Exit(exit_bad_input);
}

}  // namespace
}  // namespace braid::tool

int main(int argc, char** argv) {
#ifndef __wasi__
  // A write to a closed pipe fails instead of killing the process, so that console.cpp can end it quietly.
  std::signal(SIGPIPE, SIG_IGN);
#endif
  std::set_new_handler([] { braid::tool::out_of_memory(); });
  int code = braid::tool::run(std::vector<std::string>(argv + 1, argv + argc));
  braid::tool::flush_out();
  return code;
}
