// sea: the graphs of a program in Simple.
#include <algorithm>
#include <vector>

#include "base/number_text.h"
#include "commands.h"
#include "console.h"
#include "driver/simple_program.h"
#include "driver/step_check.h"
#include "driver/value_text.h"

namespace braid::tool {
namespace {

/// Numbers separated by commas; false after saying what is wrong.
bool parse_numbers(std::string_view text, std::string_view option, std::vector<int64_t>& numbers) {
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find(',', at), text.size());
    std::string_view word = text.substr(at, end - at);
    auto number = parse_i64(word);
    if (!number) {
      usage_error(Command::sea, "'--" + std::string(option) + "' needs numbers, not '" + std::string(word) + "'");
      return false;
    }
    numbers.push_back(*number);
    at = end + 1;
  }
  return true;
}

}  // namespace

simple::Language language_of(const Arguments& arguments) {
  return arguments.value(Option::language).value_or("simple") == "simple8" ? simple::Language::simple8 : simple::Language::simple;
}

namespace {

int report_steps(const Arguments& arguments, const driver::StepCheck& check) {
  if (check.fault.empty()) {
    const std::string looks = check.every == 1 ? "" : ", looked at after every " + std::to_string(check.every);
    return write_result(arguments, std::to_string(check.count) + " rewrites" + looks + ", none of them changes a result\n");
  }
  report_error(check.fault);
  return exit_internal;
}

/// A program in Simple is run once for each argument. If it is parsed without peepholes, the optimiser begins with that graph.
/// Other files are lifted, and their arguments are those of one call.
int check_each_step(const Arguments& arguments, simple::ParseOptions options) {
  if (arguments.has(Option::eval)) return usage_error(Command::sea, "the arguments of '--check-each-step' stand behind the file, not in '--eval'");
  if (arguments.has(Option::print)) return usage_error(Command::sea, "'--check-each-step' prints no graph: there is no '--print' with it");
  if (arguments.words.empty()) return usage_error(Command::sea, "expected a file, and arguments behind it");
  if (!driver::is_simple_file(arguments.words[0]) && arguments.words[0] != "-") {
    Arguments file = arguments;
    file.words.resize(1);
    OpenedProgram program = open_program(file);
    if (!program.session) return program.code;
    bool is_named = arguments.words.size() > 1 && arguments.words[1].starts_with('@');
    Expected<ir::Function*> function = program.session->function(is_named ? arguments.words[1] : "");
    if (!function) return bad_input(function.error());
    auto values = driver::parse_values(**function, std::span(arguments.words).subspan(is_named ? 2 : 1));
    if (!values) return bad_input(values.error());
    return report_steps(arguments, driver::check_each_step(**function, *values));
  }
  std::vector<int64_t> numbers;
  for (const std::string& word : std::span(arguments.words).subspan(1))
    if (!parse_numbers(word, "check-each-step", numbers)) return exit_usage;
  if (numbers.empty()) numbers = {0, 1, 10};
  Expected<SourceFile> source = load_source(arguments, arguments.words[0]);
  if (!source) return bad_input(source.error());
  if (options.peepholes) {
    Expected<driver::StepCheck> check = driver::check_each_step(*source, options, numbers);
    return check ? report_steps(arguments, *check) : bad_input(check.error());
  }
  Expected<driver::SimpleProgram> program = driver::SimpleProgram::open(*source, options);
  if (!program) return bad_input(program.error());
  return report_steps(arguments, program->check_each_step(numbers));
}

}  // namespace

int sea_command(const Arguments& arguments) {
  simple::ParseOptions options;
  options.language = language_of(arguments);
  options.peepholes = !arguments.has(Option::no_peepholes);
  options.single_region = arguments.has(Option::single_region);
  std::vector<int64_t> assumed, wanted;
  if (std::optional<std::string> text = arguments.value(Option::assume_arg)) {
    if (!parse_numbers(*text, "assume-arg", assumed)) return exit_usage;
    if (assumed.size() != 1) return usage_error(Command::sea, "'--assume-arg' needs one number");
    options.assumed_arg = assumed[0];
  }
  if (arguments.has(Option::check_each_step)) return check_each_step(arguments, options);
  if (arguments.words.empty()) return usage_error(Command::sea, "expected one file");
  if (arguments.words.size() > 1)
    return usage_error(Command::sea, "arguments behind the file are for '--check-each-step'; '--eval=" + arguments.words[1] +
                                         "' evaluates the graph");
  std::optional<std::string> eval = arguments.value(Option::eval);
  if (eval && !parse_numbers(*eval, "eval", wanted)) return exit_usage;
  Expected<SourceFile> source = load_source(arguments, arguments.words[0]);
  if (!source) return bad_input(source.error());
  Expected<driver::SimpleProgram> program = driver::SimpleProgram::open(*source, options);
  if (!program) return bad_input(program.error());
  std::string out = program->shown();
  if (std::optional<std::string> form = arguments.value(Option::print); form || !eval) {
    auto found = std::find(std::begin(driver::sea_form_names), std::end(driver::sea_form_names), form.value_or("text"));
    out += program->print(static_cast<driver::SeaForm>(found - std::begin(driver::sea_form_names)));
  }
  if (eval) {
    Expected<std::string> values = program->evaluate(wanted);
    if (!values) return bad_input(values.error());
    out += *values;
  }
  return write_result(arguments, out);
}

}  // namespace braid::tool
