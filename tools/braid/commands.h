// The commands. Each answers the exit code.
#pragma once

#include "options.h"

namespace braid::tool {

int run_command(const Arguments& arguments);
int print_command(const Arguments& arguments);
int verify_command(const Arguments& arguments);
int opt_command(const Arguments& arguments);
int test_command(const Arguments& arguments);
int generate_command(const Arguments& arguments);
int help_command(const Arguments& arguments);

/// Says what is wrong with the command line.
int usage_error(Command command, std::string_view message);

}  // namespace braid::tool
