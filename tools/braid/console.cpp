#include "console.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/colour.h"
#include "options.h"

namespace braid::tool {
namespace {

[[noreturn]] void output_failed(int error) {
  if (error != EPIPE) report_error("cannot write '<stdout>': " + std::string(std::strerror(error)));
  std::_Exit(error == EPIPE ? exit_ok : exit_bad_input);
}

}  // namespace

void write_out(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) output_failed(errno);
}

void flush_out() {
  if (std::fflush(stdout) != 0) output_failed(errno);
}

void write_error(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void report(const Diagnostics& diagnostics) {
  write_error(render(diagnostics, colour_wanted(stderr)));
}

void report_error(std::string_view message) {
  Diagnostics diagnostics;
  diagnostics.error(std::string(message), "braid");
  report(diagnostics);
}

}  // namespace braid::tool
