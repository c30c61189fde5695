#include "driver/golden_simple.h"

#include <string>
#include <string_view>
#include <vector>

#include "base/number_text.h"
#include "driver/diff.h"
#include "driver/execute.h"
#include "driver/golden_file.h"
#include "driver/session.h"
#include "driver/simple_program.h"
#include "driver/value_text.h"
#include "interp/code.h"

namespace braid::driver {
namespace {

class Runner {
 public:
  Runner(const SourceFile& source, const GoldenOptions& options) : source_(source), options_(options), program_(source.name(), "") {}

  GoldenResult run() {
    read();
    if (result_.report.empty()) check_errors();
    if (result_.report.empty() && errors_.empty()) {
      check_tests();
      check_evaluations();
    }
    result_.passed = result_.report.empty();
    return std::move(result_);
  }

 private:
  struct Test {
    uint32_t line;
    simple::ParseOptions options;
  };
  struct Evaluations {
    uint32_t line;
    std::vector<int64_t> arguments;
    std::vector<std::string> expected;
  };
  struct Expect {
    uint32_t line;
    std::string text;
  };

  void fail(uint32_t line, std::string_view what, std::string_view details = {}) {
    result_.report += source_.name() + ":" + std::to_string(line) + ": " + std::string(what) + "\n";
    for (std::string_view detail : split_lines(details)) result_.report += "    " + std::string(detail) + "\n";
  }

  // ---- reading ----
  void read() {
    std::vector<std::string_view> lines = split_lines(source_.text());
    size_t first = 0, behind = lines.size();
    while (first < lines.size() && lines[first].starts_with("; ")) ++first;
    while (behind > first && (lines[behind - 1].starts_with("; |") || lines[behind - 1] == "; expect")) --behind;
    std::string text;
    for (size_t i = 0; i < behind; ++i) {
      if (i < first)
        directive(static_cast<uint32_t>(i + 1), lines[i].substr(2));
      else
        text += lines[i];
      text += '\n';
    }
    for (size_t i = behind; i < lines.size(); ++i) {
      if (lines[i] == "; expect") {
        expects_.push_back({static_cast<uint32_t>(i + 1), {}});
      } else if (!expects_.empty()) {
        std::string_view line = lines[i].substr(3);
        if (line.starts_with(' ')) line.remove_prefix(1);
        expects_.back().text += std::string(line) + "\n";
      }
    }
    for (size_t i = 0; i < behind; ++i) before_expects_ += std::string(lines[i]) + "\n";
    program_ = SourceFile(source_.name(), std::move(text));
  }

  void directive(uint32_t line, std::string_view text) {
    std::string_view word = text.substr(0, text.find(' '));
    std::string_view rest = text.substr(std::min(word.size() + 1, text.size()));
    if (word == "language") {
      if (rest != "simple8" && rest != "simple") fail(line, "there is no language '" + std::string(rest) + "'");
      language_ = rest == "simple8" ? simple::Language::simple8 : simple::Language::simple;
    } else if (word == "test") {
      test(line, rest);
    } else if (word == "eval") {
      evaluations(line, rest);
    } else if (word == "error") {
      errors_.push_back(std::string(rest));
      if (error_line_ == 0) error_line_ = line;
    } else {
      fail(line, "there is no directive '" + std::string(word) + "'");
    }
  }

  void test(uint32_t line, std::string_view words) {
    Test test{line, {}};
    while (!words.empty()) {
      std::string_view word = words.substr(0, words.find(' '));
      words.remove_prefix(std::min(word.size() + 1, words.size()));
      if (word == "peepholes=off") {
        test.options.peepholes = false;
      } else if (word == "single-region") {
        test.options.single_region = true;
      } else if (word.starts_with("assume-arg=") && parse_i64(word.substr(11))) {
        test.options.assumed_arg = *parse_i64(word.substr(11));
      } else {
        fail(line, "unknown word '" + std::string(word) + "'");
      }
    }
    tests_.push_back(test);
  }

  void evaluations(uint32_t line, std::string_view text) {
    size_t middle = text.find("==");
    Evaluations all{line, {}, {}};
    bool sound = middle != std::string_view::npos;
    if (sound) {
      all.expected = split_arguments(text.substr(middle + 2));
      for (const std::string& argument : split_arguments(text.substr(0, middle))) {
        auto number = parse_i64(argument);
        sound = sound && number;
        if (number) all.arguments.push_back(*number);
      }
    }
    if (!sound || all.arguments.size() != all.expected.size()) return fail(line, "expected 'eval A, B == X, Y'");
    evaluations_.push_back(std::move(all));
  }

  // ---- checking ----
  Expected<SimpleProgram> open(simple::ParseOptions options) const {
    options.language = language_;
    return SimpleProgram::open(program_, options);
  }

  void check_errors() {
    std::string expected, found;
    for (const std::string& error : errors_) expected += error + "\n";
    Expected<SimpleProgram> program = open({});
    if (!program)
      for (const Diagnostic& error : program.error())
        found += std::to_string(error.line) + ":" + std::to_string(error.column) + ": " + error.message + "\n";
    std::string diff = unified_diff(expected, found, "expected", "found");
    if (!diff.empty()) fail(error_line_ == 0 ? 1 : error_line_, "the errors are not those expected", diff);
  }

  void check_tests() {
    std::string blessed = before_expects_;
    for (size_t i = 0; i < tests_.size(); ++i) {
      Expected<SimpleProgram> program = open(tests_[i].options);
      std::string printed = program->shown() + program->print(SeaForm::text);
      blessed += "; expect\n";
      for (std::string_view line : split_lines(printed)) blessed += "; | " + std::string(line) + "\n";
      if (options_.bless) continue;
      if (i >= expects_.size()) {
        fail(tests_[i].line, "no expect block for this test; 'braid test --bless' writes it");
        continue;
      }
      std::string diff = unified_diff(expects_[i].text, printed, "expected", "printed");
      if (!diff.empty()) fail(expects_[i].line, "the graph printed is not the one expected", diff);
    }
    if (!options_.bless && expects_.size() > tests_.size())
      fail(expects_[tests_.size()].line, "an expect block without a test");
    if (options_.bless && blessed != source_.text()) result_.blessed = std::move(blessed);
  }

  void check_evaluations() {
    for (const Evaluations& all : evaluations_) {
      check_steps(all);
      for (int way = 0; way < 4; ++way) {
        simple::ParseOptions options;
        options.peepholes = (way & 1) == 0;
        options.single_region = (way & 2) != 0;
        Expected<SimpleProgram> program = open(options);
        std::string label = std::string(options.peepholes ? "with" : "without") + " peepholes" + (options.single_region ? ", one region" : "");
        Expected<std::string> values = program->evaluate(all.arguments);
        compare(all, values ? *values : render(values.error()), label);
        run_landed(all, options, label);
      }
    }
  }

  /// No rewrite on the way changes what the program is worth.
  void check_steps(const Evaluations& all) {
    simple::ParseOptions options;
    options.language = language_;
    Expected<StepCheck> check = check_each_step(program_, options, all.arguments);
    if (!check->fault.empty()) fail(all.line, check->fault);
  }

  void compare(const Evaluations& all, std::string_view found, const std::string& label) {
    std::string expected;
    for (const std::string& value : all.expected) expected += value + "\n";
    std::string diff = unified_diff(expected, found, "expected", label);
    if (!diff.empty()) fail(all.line, "the graph is worth something else", diff);
  }

  /// Only what is worth a value, or falls through, ends there for sure.
  void run_landed(const Evaluations& all, simple::ParseOptions options, const std::string& label) {
    options.language = language_;
    Expected<Session> session = Session::open_simple(program_, options);
    if (Diagnostics broken = session->verify(); broken.has_errors()) return fail(all.line, "landing breaks the program", render(broken));
    ir::Function& main = **session->function("main");
    for (size_t i = 0; i < all.arguments.size(); ++i) {
      const bool falls_through = all.expected[i] == "fallthrough";
      if (!falls_through && !parse_i64(all.expected[i])) continue;
      const Value argument(all.arguments[i]);
      Execution execution = execute(main, std::span(&argument, 1), {});
      if (falls_through ? !execution.text.starts_with(interp::fell_through) : execution.text != all.expected[i])
        fail(all.line, "linear SSA gives " + execution.text + " for " + std::to_string(all.arguments[i]) + ", " + label);
    }
  }

  const SourceFile& source_;
  const GoldenOptions& options_;
  SourceFile program_;
  GoldenResult result_;
  simple::Language language_ = simple::Language::simple;
  std::vector<Test> tests_;
  std::vector<Evaluations> evaluations_;
  std::vector<std::string> errors_;
  uint32_t error_line_ = 0;
  std::vector<Expect> expects_;
  std::string before_expects_;
};

}  // namespace

GoldenResult run_golden_simple(const SourceFile& source, const GoldenOptions& options) { return Runner(source, options).run(); }

}  // namespace braid::driver
