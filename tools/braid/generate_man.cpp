// The manual page, in the macros of man(7).
#include "generate.h"
#include "options.h"

namespace braid::tool {
namespace {

/// A dash and a backslash mean something to roff, and so does a dot or a quote that begins a line.
std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  if (out.starts_with('.') || out.starts_with('\'')) out.insert(0, "\\&");
  return out;
}

void append_paragraphs(std::string& out, std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find("\n\n", at), text.size());
    if (at != 0) out += ".PP\n";
    out += escaped(text.substr(at, end - at)) + "\n";
    at = end + 2;
  }
}

void append_option(std::string& out, const OptionInfo& option) {
  out += ".TP\n.B ";
  if (option.letter) out += std::string("\\-") + option.letter + ", ";
  out += escaped("--" + std::string(option.name));
  if (!option.value_name.empty()) out += "=\\fI" + escaped(option.value_name) + "\\fR";
  out += "\n" + escaped(option.doc);
  std::vector<std::string_view> words = words_for(option.value);
  if (!words.empty()) {
    out += " (";
    for (size_t i = 0; i < words.size(); ++i) out += (i ? ", " : "") + escaped(words[i]);
    out += ")";
  }
  out += "\n";
}

}  // namespace

std::string man_page() {
  std::string out = ".TH BRAID 1 \"\" \"braid " BRAID_VERSION "\" \"User Commands\"\n.SH NAME\nbraid \\- SSA compiler toolkit\n";
  out += ".SH SYNOPSIS\n";
  for (const CommandInfo& command : commands()) {
    out += ".B braid " + escaped(command.name) + "\n[\\fIOPTION\\fR...] " + escaped(command.arguments) + "\n.br\n";
  }
  out += ".SH DESCRIPTION\nBraid prints, checks, optimises and runs programs in SSA form, written in the text form .braid, in Simple (.smp) or in pandasm (.pa).\n"
         "A file named \\- is standard input.\n.SH COMMANDS\n";
  for (const CommandInfo& command : commands()) {
    out += ".SS braid " + escaped(command.name) + " " + escaped(command.arguments) + "\n";
    append_paragraphs(out, command.description);
    for (const OptionInfo& option : options()) {
      bool only_some = option.id != Option::help && option.id != Option::version;
      if (only_some && (option.commands & in(command.id))) append_option(out, option);
    }
  }
  out += ".SH OPTIONS OF ALL COMMANDS\n";
  for (const OptionInfo& option : options())
    if (option.id == Option::help || option.id == Option::version) append_option(out, option);
  out += ".SH EXIT STATUS\n";
  for (const ExitCode& code : exit_codes())
    out += ".TP\n.B " + std::to_string(code.code) + "\n" + escaped(code.doc) + "\n";
  out += ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf it is set and not empty, messages have no colours.\n";
  return out;
}

}  // namespace braid::tool
