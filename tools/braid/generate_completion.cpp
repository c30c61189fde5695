// Completions for bash, zsh and fish: commands, the options of each, and the words that values may be.
#include "generate.h"
#include "options.h"

namespace braid::tool {
namespace {

std::string joined(const std::vector<std::string_view>& words, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i != 0) out += separator;
    out += words[i];
  }
  return out;
}

std::string names_of_commands(std::string_view separator) { return joined(words_for(Value::command), separator); }

bool belongs(const OptionInfo& option, const CommandInfo& command) { return (option.commands & in(command.id)) != 0; }

bool is_path(Value value) { return value == Value::file || value == Value::path; }

/// What stands before the value: the option, after any command, or after its own where others have one of the same name.
std::string bash_pattern(const OptionInfo& option) {
  std::string name = ":--" + std::string(option.name);
  bool is_shared = false;
  for (const OptionInfo& other : options()) is_shared |= other.id != option.id && other.name == option.name;
  std::string out = is_shared ? "" : "*" + name;
  for (const CommandInfo& command : commands())
    if (is_shared && belongs(option, command)) out += (out.empty() ? "" : " | ") + std::string(command.name) + name;
  if (option.letter) out += std::string(" | *:-") + option.letter;
  return out;
}

/// For single quotes of a shell; `also` is escaped with a backslash.
std::string quoted(std::string_view text, std::string_view also = "") {
  std::string out;
  for (char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (also.find(c) != std::string_view::npos)
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string bash_completion() {
  std::string out =
      "# bash completion for braid; made by 'braid generate bash'\n"
      "_braid() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= i\n"
      "  local IFS=$' \\t\\n'\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    if [[ ${COMP_WORDS[i]} != -* ]]; then command=${COMP_WORDS[i]}; break; fi\n"
      "  done\n"
      "  # '=' is a word of its own where it breaks words.\n"
      "  if [[ $word == = ]]; then word=; elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
      "  local done=${word%\"${word##*,}\"}  # of a list, what stands before its last part\n"
      "  case $command:$before in\n";
  for (const OptionInfo& option : options()) {
    if (option.value == Value::none) continue;
    std::vector<std::string_view> words = words_for(option.value);
    out += "    " + bash_pattern(option);
    if (!words.empty() && is_list(option.value))
      out += ") COMPREPLY=($(compgen -P \"$done\" -W '" + joined(words, " ") + "' -- \"${word##*,}\")); compopt -o nospace; return ;;\n";
    else if (!words.empty())
      out += ") COMPREPLY=($(compgen -W '" + joined(words, " ") + "' -- \"$word\")); return ;;\n";
    else
      out += is_path(option.value) ? ") COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n" : ") return ;;\n";
  }
  out += "  esac\n  local names files=\n  case $command in\n";
  for (const CommandInfo& command : commands()) {
    out += "    " + std::string(command.name) + ") names='" + joined(words_for(command.first), " ");
    for (const OptionInfo& option : options()) {
      if (!belongs(option, command)) continue;
      out += " --" + std::string(option.name);
      if (!option.value_name.empty()) out += '=';
    }
    out += is_path(command.first) ? "' files=yes ;;\n" : "' ;;\n";
  }
  out += "    *) names='" + names_of_commands(" ") +
         " --help --version' ;;\n"
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$names\" -- \"$word\"))\n"
         "  if [[ $files && $word != -* ]]; then COMPREPLY+=($(compgen -f -- \"$word\")); fi\n"
         "  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi\n"
         "}\n"
         "complete -o filenames -F _braid braid\n";
  return out;
}

std::string zsh_completion() {
  std::string out =
      "#compdef braid\n# zsh completion for braid; made by 'braid generate zsh'\n_braid() {\n  local -a commands\n  commands=(\n";
  for (const CommandInfo& command : commands())
    out += "    '" + std::string(command.name) + ":" + quoted(command.summary, ":") + "'\n";
  out += "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $command in\n";
  for (const CommandInfo& command : commands()) {
    out += "    " + std::string(command.name) + ")\n      _arguments -s";
    for (const OptionInfo& option : options()) {
      if (!belongs(option, command)) continue;
      std::string value;
      if (option.value != Value::none) {
        std::vector<std::string_view> words = words_for(option.value);
        value = ":" + std::string(option.value_name) + ":";
        if (is_list(option.value))
          value += "_values -s , " + std::string(option.value_name) + " " + joined(words, " ");
        else if (!words.empty())
          value += "(" + joined(words, " ") + ")";
        else if (is_path(option.value))
          value += "_files";
      }
      std::string doc = "[" + quoted(option.doc, "[]:") + "]";
      if (option.letter)
        out += std::string(" \\\n        '-") + option.letter + (option.value == Value::none ? "" : "+") + doc + value + "'";
      out += " \\\n        '--" + std::string(option.name) + (option.value == Value::none ? "" : "=") + doc + value + "'";
    }
    std::vector<std::string_view> words = words_for(command.first);
    out += words.empty() ? " \\\n        '*:file:_files' ;;\n" : " \\\n        '1:" + std::string(command.arguments) + ":(" + joined(words, " ") + ")' ;;\n";
  }
  out += "  esac\n}\n_braid \"$@\"\n";
  return out;
}

std::string fish_completion() {
  std::string none = "'not __fish_seen_subcommand_from " + names_of_commands(" ") + "'";
  std::string out = "# fish completion for braid; made by 'braid generate fish'\n";
  for (const CommandInfo& command : commands())
    out += "complete -c braid -f -n " + none + " -a " + std::string(command.name) + " -d '" + quoted(command.summary) + "'\n";
  for (const CommandInfo& command : commands()) {
    std::string seen = "'__fish_seen_subcommand_from " + std::string(command.name) + "'";
    std::vector<std::string_view> words = words_for(command.first);
    if (!words.empty()) out += "complete -c braid -f -n " + seen + " -a '" + joined(words, " ") + "'\n";
    for (const OptionInfo& option : options()) {
      if (!belongs(option, command)) continue;
      out += "complete -c braid -n " + seen + " -l " + std::string(option.name);
      if (option.letter) out += std::string(" -s ") + option.letter;
      std::vector<std::string_view> values = words_for(option.value);
      if (option.value != Value::none) out += values.empty() && is_path(option.value) ? " -r -F" : " -x";
      if (!values.empty()) out += " -a '" + joined(values, " ") + "'";
      out += " -d '" + quoted(option.doc) + "'\n";
    }
  }
  return out;
}

}  // namespace braid::tool
