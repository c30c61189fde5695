// The commands. Each answers the exit code.
#pragma once

#include <braid/diagnostic.h>

#include <optional>
#include <string_view>

#include "driver/session.h"
#include "front/simple/simple.h"
#include "options.h"

namespace braid::tool {

int run_command(const Arguments& arguments);
/// The same for a program in pandasm.
int run_pandasm_command(const Arguments& arguments);
int print_command(const Arguments& arguments);
int verify_command(const Arguments& arguments);
int opt_command(const Arguments& arguments);
int ssa_command(const Arguments& arguments);
int types_command(const Arguments& arguments);
int dessa_command(const Arguments& arguments);
int cfg_command(const Arguments& arguments);
int analyze_command(const Arguments& arguments);
int sea_command(const Arguments& arguments);
int bytecode_command(const Arguments& arguments);
int reduce_command(const Arguments& arguments);
int test_command(const Arguments& arguments);
int generate_command(const Arguments& arguments);
int help_command(const Arguments& arguments);

/// Says what is wrong with the command line.
int usage_error(Command command, std::string_view message);
/// Whether every option means something for the kinds of the files; says what does not.
bool check_placed(const Arguments& arguments);
/// Says what is wrong with the input.
int bad_input(const Diagnostics& errors);
/// To the file of -o, or to standard output.
int write_result(const Arguments& arguments, std::string_view text);
/// Whether the result goes where colours are wanted.
bool colour_of_result(const Arguments& arguments);
uint64_t number(const Arguments& arguments, Option option);
driver::Style style_of(const Arguments& arguments);
/// Of --language.
simple::Language language_of(const Arguments& arguments);
/// A file, read as its language wants it.
Expected<SourceFile> load_source(const Arguments& arguments, const std::string& path);

/// The program of the only argument, verified, and the function of --function, null without it. On failure `code` is the
/// exit code, and everything is said.
struct OpenedProgram {
  std::optional<driver::Session> session;
  ir::Function* function = nullptr;
  int code = exit_ok;
};
OpenedProgram open_program(const Arguments& arguments);

}  // namespace braid::tool
