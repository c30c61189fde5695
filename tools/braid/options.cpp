#include "options.h"

#include <algorithm>

#include "base/number_text.h"
#include "base/suggestion.h"
#include "driver/flow_facts.h"
#include "driver/simple_program.h"
#include "driver/types.h"
#include "passes/pass.h"
#include "ssa/construct.h"

namespace braid::tool {
namespace {

using enum Command;

constexpr CommandInfo command_table[] = {
    {run, "run", "FILE [@FUNCTION] [ARGUMENT...]", "run a function and print its result",
     "Verifies FILE and interprets a function of it: the one that is named, @main, or the only one. Arguments are "
     "read by the types of the parameters: 5, -1, true, 1.5, 0x10, null.\n\n"
     "An exception that nobody catches is an error. The host function @print writes its arguments to standard output.\n\n"
     "Of a program in pandasm (a .pa file, docs/pandasm.md) it runs main, or the function of --entry, which gets the arguments as "
     "an array of texts, or as numbers. What the function returns is the exit code.",
     Value::file},
    {print, "print", "FILE", "print a program",
     "Parses FILE and prints it in canonical form, or in another style. The program need not be valid.", Value::file},
    {verify, "verify", "FILE...", "check that programs are valid",
     "Reports every rule that a program breaks, with its place in the source and in the listing.", Value::file},
    {opt, "opt", "FILE", "run passes over a program and print it",
     "Verifies FILE, runs the passes in the order given, and prints the result. Without --passes it runs all of them in "
     "the order of --list, but for those that run only if named. The result is verified, too: one that is not valid is an internal "
     "error.\n\n"
     "What --print-after and --time-passes print goes to standard error, so that the output is the program and nothing else.",
     Value::file},
    {ssa, "ssa", "FILE", "take variables to SSA, and show how",
     "Verifies FILE, takes its functions with variables to SSA, and prints the result. cytron places phis by dominance "
     "frontiers and renames over the dominator tree, braun works backwards from the reads, regmap walks forward with a map "
     "from variables to values; all give the same phis, up to those that stand for a single value, of which cytron may keep some.\n\n"
     "With --trace it prints how the phis of a variable were placed and what every mention of it became instead; with --log "
     "everything that happened, for other programs (docs/log.md); with --compare a table of all constructors.",
     Value::file},
    {types, "types", "FILE", "type the phis, resolve those of several storages",
     "Verifies FILE, takes its functions to SSA, infers the types of all values, and prints the result. A phi of whole-number "
     "literals and floats becomes a float where nobody can tell. For a mixed phi the blocks behind it are copied, one version for each "
     "kind, as far as the budget goes; what is left becomes variants with fast paths. A phi without a type is an error.\n\n"
     "With --report it prints instead, for each phi, what flows in, its type, how it is resolved, which blocks are copied for it, and "
     "how many statements that costs; and the rings of phis that read each other. With --dot it prints the graph of what flows into "
     "which phi.",
     Value::file},
    {dessa, "dessa", "FILE", "leave SSA: phis become variables",
     "Verifies FILE, turns the phis of its functions into variables, and prints the result. Values that flow into a phi live in "
     "its variable wherever nothing interferes; otherwise a copy remains. With --report it prints what became of each phi "
     "instead.",
     Value::file},
    {cfg, "cfg", "FILE", "show control-flow graphs",
     "Verifies FILE and prints the graph of each function: as text, in the language of Graphviz, or as JSON. Edges that "
     "cannot be taken, but are kept to be shown, are dashed.",
     Value::file},
    {analyze, "analyze", "FILE", "print every analysis of the control-flow graphs",
     "Verifies FILE and prints of each function: orders, dominators, post-dominators, dominance frontiers, the iterated "
     "frontier of each variable, control dependence, the loop forest, what is live, and whether the graph is reducible.",
     Value::file},
    {sea, "sea", "FILE [ARGUMENT...]", "show and evaluate the graph of a program in Simple",
     "Parses FILE, a program in Simple (docs/simple.md), straight into a graph, and prints it: what it returns, as an expression.\n\n"
     "With --eval it evaluates the graph instead, or as well, and prints a line for each argument: the value, timeout (after "
     "1000 rounds of loops) or fallthrough (the program ends without a return).",
     Value::file},
    {bc, "bc", "FILE", "show register bytecode",
     "Verifies FILE, a program in pandasm (docs/pandasm.md), and prints its functions: blocks and where they lead, the handlers that "
     "protect each, what registers hold at its start, and behind every instruction the registers that are live before it. acc is "
     "the accumulator.",
     Value::file},
    {reduce, "reduce", "FILE --check=COMMAND", "make a program smaller as long as a check holds",
     "Runs the shell command with the path of a candidate as its last word, again and again. Exit code 0 means: still "
     "interesting; any other: not. What the command prints is not shown. Prints the smallest program found, from which no "
     "single function, block, edge, statement or operand can be taken. A program in Simple (.smp) is reduced as text: statements, "
     "parentheses, words.\n\n"
     "If FILE is a valid program, all candidates are. The result depends on nothing but FILE and the answers of the command.",
     Value::file},
    {test, "test", "[PATH...]", "run golden files",
     "Runs the .braid, .smp and .pa files given, and those in the folders given (default: tests/files). Each file says in comments what "
     "to print, what to run and which errors to expect.",
     Value::path},
    {generate, "generate", "PAGE", "write a page from the tool's own tables",
     "PAGE is man (the manual page), bash, zsh or fish (completions for that shell), or ir (docs/ir.md: every operation "
     "and every rule of the verifier).",
     Value::page},
    {help, "help", "[COMMAND]", "explain a command", "Prints what --help prints.", Value::command},
};

constexpr CommandSet every = in(run, print, verify, opt, ssa, types, dessa, cfg, analyze, sea, bc, reduce, test, generate, help);

constexpr OptionInfo option_table[] = {
    {Option::output, in(print, opt, ssa, types, dessa, cfg, analyze, sea, bc, reduce, generate), 'o', "output", "FILE", Value::file,
     "write to FILE instead of standard output"},
    {Option::style, in(print, opt, ssa, types, dessa), 0, "style", "STYLE", Value::style, "the form of the text: braid (default) or julia"},
    {Option::compacting, in(print), 0, "compacting", "N", Value::number,
     "the program, which must be valid, in the middle of compaction, when N statements of each function are emitted: in the style "
     "of julia what is emitted and what is ahead, in that of braid what is emitted"},
    {Option::function, in(run, print, opt, ssa, types, dessa, cfg, analyze), 'f', "function", "@NAME", Value::function, "only this function", 0, in(run)},
    {Option::passes, in(opt, run), 'p', "passes", "LIST", Value::passes, "the passes to run, separated by commas; to run a program in pandasm, over its SSA", in(run)},
    {Option::print_after, in(opt), 0, "print-after", "PASS", Value::pass,
     "print the program to standard error after this pass, or after each"},
    {Option::verify_each, in(opt), 0, "verify-each", "", Value::none, "verify the program after every pass, not only the result"},
    {Option::time_passes, in(opt), 0, "time-passes", "", Value::none,
     "print time and number of statements of every pass to standard error"},
    {Option::list, in(opt), 0, "list", "", Value::none, "print the table of passes"},
    {Option::warnings, in(verify), 'w', "warnings", "", Value::none,
     "also warn about code that is never executed, missing returns and variables that are read unassigned"},
    {Option::trace, in(run), 't', "trace", "", Value::none, "print executed statements and values to standard error; of pandasm, ways between engines"},
    {Option::max_steps, in(run), 0, "max-steps", "N", Value::number, "end the run after N statements, in pandasm calls and backward jumps (default, or with 0: no limit)"},
    {Option::max_depth, in(run), 0, "max-depth", "N", Value::number, "allow at most N nested calls (default, or with 0: 1000000; of a program in pandasm 10000)"},
    {Option::max_memory, in(run), 0, "max-memory", "N", Value::number, "allow at most N bytes of memory, of registers and of objects, each (default, or with 0: 268435456)", 0, in(run)},
    {Option::entry, in(run), 0, "entry", "NAME", Value::text, "of a program in pandasm: the function to run (default: main)", in(run)},
    {Option::heap, in(run), 0, "heap", "SIZE", Value::size,
     "of a program in pandasm: how much its objects may take, in bytes or with K, M or G behind (default: 64M)", in(run)},
    {Option::gc_stress, in(run), 0, "gc-stress", "", Value::none,
     "of a program in pandasm: collect garbage wherever that is possible", in(run)},
    {Option::engine, in(run), 0, "engine", "NAME", Value::engine,
     "of a program in pandasm: bytecode (default), ssa, or both, which must agree", in(run)},
    {Option::osr, in(run), 0, "osr", "N", Value::number,
     "of a program in pandasm: a loop goes on in SSA after N rounds in bytecode (default, or with 0: never)", in(run)},
    {Option::deopt_at, in(run), 0, "deopt-at", "N", Value::text,
     "of a program in pandasm: leave SSA for bytecode at the Nth state that is reached, or at all of them", in(run)},
    {Option::throw_at, in(run), 0, "throw-at", "N", Value::number,
     "of a program in pandasm: throw an exception instead of executing the Nth instruction that may throw", in(run)},
    {Option::algorithm, in(ssa, run), 'a', "algorithm", "NAME", Value::algorithm, "how: cytron (default), braun or regmap; to run pandasm, regmap is the default", in(run)},
    {Option::prune, in(ssa), 0, "prune", "HOW", Value::prune,
     "which phis cytron keeps: minimal (where definitions meet), semi (of variables that some block reads before assigning "
     "them), pruned (whose value is read; default)"},
    {Option::compare, in(ssa), 0, "compare", "", Value::none,
     "print phis, dead phis (that reach nothing but phis), time and peak memory of every constructor; takes no --algorithm or --prune"},
    {Option::trace_variable, in(ssa), 0, "trace", "VARIABLE", Value::text,
     "print how the phis of VARIABLE were placed and its mentions renamed"},
    {Option::trace_style, in(ssa), 0, "trace-style", "STYLE", Value::trace_style,
     "the form of the trace: braid (default), or seed, the renaming table as ckompiler prints it"},
    {Option::log, in(ssa), 0, "log", "FORMAT", Value::log_format, "print the log of all events: json"},
    {Option::report, in(types, dessa), 0, "report", "", Value::none, "print what became of each phi, and what is left or copied for it"},
    {Option::text, in(cfg), 0, "text", "", Value::none, "a paragraph per block (default)"},
    {Option::dot, in(types, cfg), 0, "dot", "", Value::none, "a drawing for Graphviz"},
    {Option::json, in(cfg), 0, "json", "", Value::none, "blocks, edges and facts, for other programs (docs/log.md)"},
    {Option::show, in(cfg), 0, "show", "LIST", Value::facts,
     "what to add to the graph, separated by commas: dom (dominators), frontier, loops, live; --json has all of them without this option"},
    {Option::mixed, in(types), 0, "mixed", "HOW", Value::way,
     "mixed phis by: version (copies of blocks), variant (tag and payload), auto (versions as far as the budget goes; default)"},
    {Option::budget, in(types), 0, "budget", "N", Value::number, "copy at most so many statements of a function (default: 500)"},
    {Option::check, in(reduce), 'c', "check", "COMMAND", Value::text, "the shell command that tells if a candidate will do"},
    {Option::max_checks, in(reduce), 0, "max-checks", "N", Value::number, "end after N runs of the command (default: 10000; 0: no limit)"},
    {Option::language, in(run, print, verify, opt, ssa, types, dessa, cfg, analyze, sea, reduce), 0, "language", "NAME", Value::language,
     "the language of a program in Simple: simple (default) or simple8, chapter 8 of the original to the letter", 0, every},
    {Option::no_peepholes, in(sea), 0, "no-peepholes", "", Value::none, "leave every node as it is"},
    {Option::single_region, in(sea), 0, "single-region", "", Value::none,
     "let all breaks of a loop meet in one region, and its continues, instead of a stack of regions with two ways in"},
    {Option::assume_arg, in(sea), 0, "assume-arg", "N", Value::text, "compile with arg known to be N"},
    {Option::print, in(sea), 0, "print", "FORM", Value::sea_form, "the form of the graph: text, table, dot or json"},
    {Option::eval, in(sea), 0, "eval", "LIST", Value::text, "evaluate the graph with these arguments, separated by commas"},
    {Option::check_each_step, in(sea), 0, "check-each-step", "", Value::none,
     "optimise the graphs, run the program for the arguments behind FILE after every single rewrite, and name the first one "
     "that changes a result; FILE may be one of linear SSA, with @NAME and its arguments behind it"},
    {Option::bless, in(test), 0, "bless", "", Value::none, "write what is printed now into the expect blocks"},
    {Option::all_points, in(test), 0, "all-points", "", Value::none,
     "leave and interrupt bytecode wherever it can be, not only at some places"},
    {Option::jobs, in(test), 'j', "jobs", "N", Value::number, "use N threads (default: one per processor)"},
    {Option::help, every, 'h', "help", "", Value::none, "explain the tool or the command"},
    {Option::version, every, 'V', "version", "", Value::none, "print the version"},
};

/// Tables are indexed by what they describe.
static_assert([] {
  for (size_t i = 0; i < std::size(command_table); ++i)
    if (command_table[i].id != static_cast<Command>(i)) return false;
  for (size_t i = 0; i < std::size(option_table); ++i)
    if (option_table[i].id != static_cast<Option>(i)) return false;
  return true;
}());

constexpr ExitCode exit_code_table[] = {
    {exit_ok, "ok", "everything went well"},
    {exit_bad_input, "bad input", "an input is not valid or cannot be read, a program threw or trapped, a test failed, or there is not "
     "enough memory"},
    {exit_usage, "usage", "the command line is wrong"},
    {exit_internal, "internal error", "a fault of the tool, or a program that broke a rule which only a run can see"},
};

Diagnostic usage_error(std::string message) {
  Diagnostic diagnostic;
  diagnostic.message = std::move(message);
  return diagnostic;
}

bool is_negative_number(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && (word[1] == '.' || (word[1] >= '0' && word[1] <= '9') || word == "-inf");
}

class ArgumentParser {
 public:
  explicit ArgumentParser(std::span<const std::string> words) : words_(words) {}

  Expected<Arguments> run() {
    for (; at_ < words_.size(); ++at_) {
      const std::string& word = words_[at_];
      if (only_words_ || word.size() < 2 || word[0] != '-' || is_negative_number(word)) {
        plain(word);
      } else if (word == "--") {
        only_words_ = true;
      } else if (word[1] == '-') {
        long_option(std::string_view(word).substr(2));
      } else {
        short_options(std::string_view(word).substr(1));
      }
    }
    check_commands();
    if (errors_.has_errors()) return errors_;
    return std::move(result_);
  }

 private:
  void plain(const std::string& word) {
    if (have_command_) {
      result_.words.push_back(word);
      return;
    }
    have_command_ = true;
    for (const CommandInfo& command : commands()) {
      if (command.name != word) continue;
      result_.command = command.id;
      return;
    }
    std::vector<std::string_view> names;
    for (const CommandInfo& command : commands()) names.push_back(command.name);
    errors_.add(usage_error("unknown command '" + word + "'" + did_you_mean(word, names)));
  }

  void long_option(std::string_view text) {
    size_t equals = text.find('=');
    std::string_view name = text.substr(0, equals);
    const OptionInfo* option = nullptr;
    for (const OptionInfo& candidate : options()) {
      if (candidate.name != name) continue;
      bool belongs = have_command_ && (candidate.commands & in(result_.command));
      if (option == nullptr || belongs) option = &candidate;
    }
    if (option == nullptr) {
      std::vector<std::string_view> names;
      for (const OptionInfo& candidate : options()) names.push_back(candidate.name);
      errors_.add(usage_error("unknown option '--" + std::string(name) + "'" + did_you_mean(name, names, "--")));
    } else if (equals == std::string_view::npos) {
      take(*option, std::nullopt);
    } else if (option->value == Value::none) {
      errors_.add(usage_error("option '--" + std::string(name) + "' takes no value"));
    } else {
      take(*option, text.substr(equals + 1));
    }
  }

  void short_options(std::string_view letters) {
    while (!letters.empty()) {
      const OptionInfo* option = nullptr;
      for (const OptionInfo& candidate : options())
        if (candidate.letter == letters[0]) option = &candidate;
      if (option == nullptr) {
        errors_.add(usage_error("unknown option '-" + std::string(1, letters[0]) + "'"));
        return;
      }
      letters.remove_prefix(1);
      if (option->value != Value::none && !letters.empty()) return take(*option, letters);
      take(*option, std::nullopt);
    }
  }

  void take(const OptionInfo& option, std::optional<std::string_view> value) {
    std::string text(value.value_or(""));
    if (option.value != Value::none && !value) {
      if (at_ + 1 == words_.size()) {
        errors_.add(usage_error("option '--" + std::string(option.name) + "' needs a value"));
        return;
      }
      text = words_[++at_];
    }
    check_value(option, text);
    result_.given.push_back({option.id, std::move(text)});
  }

  void check_value(const OptionInfo& option, std::string_view text) {
    std::string name = "'--" + std::string(option.name) + "'";
    if (option.value == Value::number) {
      constexpr size_t most_digits = 18;
      bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
      if (digits && text.size() > most_digits)
        errors_.add(usage_error(name + " is too large: " + std::string(text) + " has more than " + std::to_string(most_digits) +
                                " digits"));
      if (!digits) errors_.add(usage_error(name + " needs a number, not '" + std::string(text) + "'"));
    } else if (option.value == Value::size) {
      if (!parse_size(text)) errors_.add(usage_error(name + " needs a size such as 64M, not '" + std::string(text) + "'"));
      return;
    }
    std::vector<std::string_view> words = words_for(option.value);
    if (words.empty() || option.value == Value::passes) return;  // passes are checked where they are looked up
    for (size_t at = 0; at <= text.size();) {
      size_t end = is_list(option.value) ? std::min(text.find(',', at), text.size()) : text.size();
      std::string_view word = text.substr(at, end - at);
      at = end + 1;
      if (std::find(words.begin(), words.end(), word) != words.end()) continue;
      errors_.add(usage_error("'" + std::string(word) + "' is no value of " + name + did_you_mean(word, words)));
    }
  }

  void check_commands() {
    if (!have_command_) return;
    for (const Arguments::Given& given : result_.given) {
      const OptionInfo& option = info(given.option);
      if (option.commands & in(result_.command)) continue;
      errors_.add(usage_error("option '--" + std::string(option.name) + "' does not belong to 'braid " +
                              std::string(info(result_.command).name) + "'"));
    }
  }

  std::span<const std::string> words_;
  size_t at_ = 0;
  bool only_words_ = false, have_command_ = false;
  Arguments result_;
  Diagnostics errors_;
};

/// Breaks at blanks so that no line is longer than `width`.
void append_wrapped(std::string& out, std::string_view text, size_t indent, size_t width) {
  size_t column = indent;
  bool first = true;
  while (!text.empty()) {
    size_t end = std::min(text.find_first_of(" \n"), text.size());
    std::string_view word = text.substr(0, end);
    if (!first && column + 1 + word.size() > width) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
    } else if (!first && column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    first = false;
    if (text.substr(end).starts_with("\n\n")) {
      out += "\n\n";
      out.append(indent, ' ');
      column = indent;
      end += 1;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out += '\n';
}

void append_row(std::string& out, std::string_view left, std::string_view right) {
  constexpr size_t margin = 24;
  out += "  ";
  out += left;
  if (left.size() + 4 > margin) {
    out += '\n';
    out.append(margin, ' ');
  } else {
    out.append(margin - 2 - left.size(), ' ');
  }
  append_wrapped(out, right, margin, 100);
}

/// Those that all of `commands` have.
void append_options(std::string& out, CommandSet commands) {
  out += "\noptions:\n";
  for (const OptionInfo& option : options()) {
    if ((option.commands & commands) != commands) continue;
    std::string left = option.letter ? std::string("-") + option.letter + ", " : "    ";
    left += "--" + std::string(option.name);
    if (!option.value_name.empty()) left += "=" + std::string(option.value_name);
    append_row(out, left, option.doc);
  }
}

}  // namespace

std::span<const CommandInfo> commands() { return command_table; }
std::span<const OptionInfo> options() { return option_table; }
std::span<const ExitCode> exit_codes() { return exit_code_table; }
const CommandInfo& info(Command command) { return command_table[static_cast<size_t>(command)]; }
const OptionInfo& info(Option option) { return option_table[static_cast<size_t>(option)]; }

std::vector<std::string_view> words_for(Value value) {
  std::vector<std::string_view> words;
  if (value == Value::style) words = {"braid", "julia"};
  if (value == Value::algorithm)
    for (ssa::Algorithm algorithm : ssa::all_algorithms) words.push_back(ssa::name(algorithm));
  if (value == Value::prune)
    for (ssa::Prune prune : ssa::all_prunings) words.push_back(ssa::name(prune));
  if (value == Value::trace_style) words = {"braid", "seed"};
  if (value == Value::log_format) words = {"json"};
  if (value == Value::facts) words.assign(std::begin(driver::shown_fact_names), std::end(driver::shown_fact_names));
  if (value == Value::language)
    for (simple::Language language : simple::all_languages) words.push_back(simple::name(language));
  if (value == Value::sea_form) words.assign(std::begin(driver::sea_form_names), std::end(driver::sea_form_names));
  if (value == Value::way) words.assign(std::begin(driver::way_names), std::end(driver::way_names));
  if (value == Value::engine) words = {"bytecode", "ssa", "both"};
  if (value == Value::page) words = {"man", "bash", "zsh", "fish", "ir"};
  if (value == Value::pass) words = {"all"};
  if (value == Value::pass || value == Value::passes)
    for (const passes::Pass& pass : passes::all_passes()) words.push_back(pass.name);
  if (value == Value::command)
    for (const CommandInfo& command : commands()) words.push_back(command.name);
  return words;
}

const Arguments::Given* Arguments::find(Option option) const {
  const Given* found = nullptr;
  for (const Given& one : given)
    if (one.option == option) found = &one;
  return found;
}

std::optional<std::string> Arguments::value(Option option) const {
  const Given* found = find(option);
  return found == nullptr ? std::nullopt : std::optional(found->value);
}

Expected<Arguments> parse_arguments(std::span<const std::string> words) { return ArgumentParser(words).run(); }

std::optional<uint64_t> parse_size(std::string_view text) {
  constexpr std::string_view units = "KMG";
  unsigned shift = 0;
  if (!text.empty() && units.find(text.back()) != std::string_view::npos) {
    shift = 10 * (static_cast<unsigned>(units.find(text.back())) + 1);
    text.remove_suffix(1);
  }
  const ParsedNumber<uint64_t> number = parse_u64(text);
  if (!number || (*number << shift) >> shift != *number || *number << shift >> 62 != 0) return std::nullopt;
  return *number << shift;
}

std::string help() {
  std::string out = "usage: braid COMMAND [OPTION...] [ARGUMENT...]\n\nBraid is an SSA compiler toolkit. FILE is a .braid file, or - for "
                    "standard input; a .smp file is a program in Simple, a .pa file pandasm.\n\ncommands:\n";
  for (const CommandInfo& command : commands()) append_row(out, command.name, command.summary);
  append_options(out, every);
  out += "\nexit codes:\n";
  for (const ExitCode& code : exit_codes()) append_row(out, std::to_string(code.code), code.doc);
  out += "\n'braid help COMMAND' says more.\n";
  return out;
}

std::string help(Command command) {
  const CommandInfo& c = info(command);
  std::string out = "usage: braid " + std::string(c.name) + " [OPTION...] " + std::string(c.arguments) + "\n\n";
  append_wrapped(out, c.description, 0, 100);
  append_options(out, in(command));
  return out;
}

}  // namespace braid::tool
