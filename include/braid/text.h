// The text form of modules and functions.
#pragma once

#include <braid/expected.h>
#include <braid/module.h>

#include <string>
#include <string_view>

namespace braid {

std::string to_text(const Func& f);
std::string to_text(const Module& m);
/// In the style of Julia's IR printer, for reading only; with `colour`, what waits in the insertion buffer is green.
std::string to_julia(const Func& f, bool colour = false);
/// Reads and verifies a module; errors have positions in `file`.
Expected<Module> parse(std::string_view text, std::string_view file = "<text>");
/// The same into a module that has something already: the text may use it, may declare it again in the same way, and may define
/// functions that it only declares. If that fails, of functions of the text only declarations stay, so that they can be defined
/// by the next one; and of everything else what was read, which the next one may declare again.
Expected<void> parse_into(Module& m, std::string_view text, std::string_view file = "<text>");

}  // namespace braid
