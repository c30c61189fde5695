// The one table of commands and options. Parsing, --help, the man page and the completions of three shells read it.
#pragma once

#include <braid/expected.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace braid::tool {

enum class Command : uint8_t { run, print, verify, opt, ssa, types, dessa, cfg, analyze, sea, bc, reduce, test, generate, help };
using CommandSet = uint32_t;
constexpr CommandSet in(Command command) { return 1u << static_cast<unsigned>(command); }
template <typename... Rest>
constexpr CommandSet in(Command first, Rest... rest) {
  return (in(first) | ... | in(rest));
}

enum class Option : uint8_t {
  output, style, compacting, function, passes, print_after, verify_each, time_passes, list,
  warnings, trace, max_steps, max_depth, max_memory, entry, heap, gc_stress, engine, osr, deopt_at, throw_at,
  algorithm, prune, compare, trace_variable, trace_style, log, report, text, dot, json, show, mixed, budget, check, max_checks,
  language, no_peepholes, single_region, assume_arg, print, eval, check_each_step,
  bless, all_points, jobs, help, version
};

/// What the value of an option or an argument is; shells complete by it.
enum class Value : uint8_t {
  none, file, path, style, function, pass, passes, number, size, page, command, text,
  algorithm, prune, trace_style, log_format, facts, language, sea_form, way, engine
};
/// Several words, separated by commas.
constexpr bool is_list(Value value) { return value == Value::passes || value == Value::facts; }

struct CommandInfo {
  Command id;
  std::string_view name;
  std::string_view arguments;   ///< as in the usage line
  std::string_view summary;     ///< a few words
  std::string_view description; ///< paragraphs, separated by empty lines
  Value first;                  ///< what its first argument is
};

struct OptionInfo {
  Option id;
  CommandSet commands;
  char letter;                  ///< 0: none
  std::string_view name;        ///< without `--`
  std::string_view value_name;  ///< empty: it takes none
  Value value;
  std::string_view doc;
  CommandSet only_pandasm = 0;  ///< where it is for programs in pandasm alone
  CommandSet not_pandasm = 0;   ///< where it is not for them
};

std::span<const CommandInfo> commands();
std::span<const OptionInfo> options();
const CommandInfo& info(Command command);
const OptionInfo& info(Option option);
/// The words that a value may be; empty where anything is possible.
std::vector<std::string_view> words_for(Value value);

struct ExitCode {
  int code;
  std::string_view name, doc;
};
inline constexpr int exit_ok = 0, exit_bad_input = 1, exit_usage = 2, exit_internal = 70;
std::span<const ExitCode> exit_codes();

struct Arguments {
  Command command = Command::help;
  std::vector<std::string> words;  ///< what is not an option
  bool has(Option option) const { return find(option) != nullptr; }
  /// The value given last; nothing if the option is not there.
  std::optional<std::string> value(Option option) const;

  struct Given {
    Option option;
    std::string value;
  };
  std::vector<Given> given;

 private:
  const Given* find(Option option) const;
};

/// Two commands may have options of the same name; then the command comes first. `--name=value`, `--name value`, `-o value`, `-ovalue`; `--` ends the options; a number may begin with `-`.
Expected<Arguments> parse_arguments(std::span<const std::string> words);

/// `4096`, `64K`, `64M`, `2G`; nothing if it is no size, or one of more than 62 bits.
std::optional<uint64_t> parse_size(std::string_view text);

/// The text of --help, of all commands or of one.
std::string help();
std::string help(Command command);

}  // namespace braid::tool
