// Where the tool writes: results to standard output, messages to standard error.
#pragma once

#include <braid/diagnostic.h>

#include <string_view>

namespace braid::tool {

/// Writes to standard output. A reader that went away (`braid print big | head`) ends the tool without a word; any other
/// failure is an error.
void write_out(std::string_view text);
void flush_out();
/// To standard error, as it is.
void write_error(std::string_view text);

/// Errors and notes to standard error, in colour where that is a terminal.
void report(const Diagnostics& diagnostics);
/// `braid: error: message`
void report_error(std::string_view message);

}  // namespace braid::tool
