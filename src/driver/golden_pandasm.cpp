#include "driver/golden_pandasm.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/diff.h"
#include "driver/golden_file.h"
#include "driver/pandasm_run.h"
#include "passes/pass.h"

namespace braid::driver {

using pandasm::RunResult;

namespace {

constexpr uint64_t most_steps = 2'000'000;
constexpr uint32_t most_depth = 500;  ///< programs that call without end are run in many ways
constexpr std::string_view run_mark = "# run ", expect_mark = "# expect", line_mark = "# |";

struct Call {
  std::string text, function;
  std::vector<std::string> arguments;
};

/// What a file does: what its calls print and how they end, and, which files do not show, where exceptions came from.
struct Transcript {
  std::string text, stacks;
};

class Runner {
 public:
  Runner(const SourceFile& source, const GoldenOptions& options) : source_(source), options_(options) {}

  GoldenResult run() {
    read();
    const Transcript transcript = transcript_of({});
    PandasmRunOptions way;
    way.heap.stress = true;
    compare(transcript, transcript_of(way), "with a collection at every safepoint");
    compare_ssa(transcript);
    if (options_.bless && result_.report.empty() && (transcript.text != expected_ || !has_expect_)) {
      result_.blessed = before_ + std::string(expect_mark) + "\n";
      for (std::string_view line : split_lines(transcript.text))
        *result_.blessed += std::string(line_mark) + (line.empty() ? "" : " ") + std::string(line) + "\n";
    } else {
      compare(expected_, transcript.text, "expected");
    }
    result_.passed = result_.report.empty();
    return std::move(result_);
  }

 private:
  void read() {
    for (std::string_view line : split_lines(source_.text())) {
      if (has_expect_) {
        line.remove_prefix(std::min(line_mark.size(), line.size()));
        if (line.starts_with(' ')) line.remove_prefix(1);
        expected_ += std::string(line) + "\n";
        continue;
      }
      has_expect_ = line == expect_mark;
      if (has_expect_) continue;
      before_ += std::string(line) + "\n";
      if (line.starts_with(run_mark)) add_call(line.substr(run_mark.size()));
    }
    if (calls_.empty()) add_call("main()");
  }

  /// A function may have types behind its name, so the arguments are in the last parentheses.
  void add_call(std::string_view text) {
    const size_t open = text.rfind('(');
    const std::string_view inner =
        open == std::string_view::npos || !text.ends_with(')') ? std::string_view{} : text.substr(open + 1, text.size() - open - 2);
    calls_.push_back({std::string(text), std::string(text.substr(0, open)), split_arguments(inner)});
  }

  /// By every constructor, after passes, left at states and entered at loop headers, SSA does the same.
  void compare_ssa(const Transcript& transcript) {
    for (ssa::Algorithm algorithm : ssa::all_algorithms) {
      PandasmRunOptions way;
      way.engine = PandasmEngine::ssa;
      way.algorithm = algorithm;
      compare(transcript, transcript_of(way), "in SSA by " + std::string(name(algorithm)));
    }
    PandasmRunOptions optimised;
    optimised.engine = PandasmEngine::ssa;
    optimised.passes = *passes::parse_pipeline("inline,pi,infer,simplify,simplify-edges,sea,dce");
    compare(transcript, transcript_of(optimised), "optimised");
    PandasmRunOptions way;
    way.osr = 1;
    compare(transcript, transcript_of(way), "entering SSA at every loop header");
    way.engine = PandasmEngine::ssa;
    constexpr uint64_t states[] = {1, 2, 3, 5, 8, 13, 21, 34};
    for_each_sample(states, [&](const Choice& state_of) {
      auto leave = [&](PandasmRunOptions& options, size_t call) { options.deopt_at = state_of(call); };
      compare(transcript, transcript_of(way, leave), "leaving SSA at some state");
    });
    compare_throws();
    way.deopt_always = true;
    way.heap.stress = true;
    compare(transcript, transcript_of(way), "leaving SSA at every state, with collections");
  }

  /// An exception at the nth instruction that may throw leads to the same in both engines.
  void compare_throws() {
    constexpr uint64_t instructions[] = {1, 2, 3, 4, 6, 9, 14, 22};
    for_each_sample(instructions, [&](const Choice& instruction_of) {
      auto raise = [&](PandasmRunOptions& options, size_t call) { options.interpreter.throw_at = instruction_of(call); };
      PandasmRunOptions way;
      const Transcript direct = transcript_of(way, raise);
      way.engine = PandasmEngine::ssa;
      compare(direct, transcript_of(way, raise), "throwing at some instruction");
    });
  }

  /// By the number of a call.
  using Choice = std::function<uint64_t(size_t)>;
  /// So often that each of the points is tried with some call, and each call with some point.
  template <typename Try>
  void for_each_sample(std::span<const uint64_t> points, Try&& attempt) {
    const size_t rounds = (points.size() + calls_.size() - 1) / calls_.size();
    for (size_t round = 0; round < rounds; ++round)
      attempt([&](size_t call) { return points[(call * rounds + round) % points.size()]; });
  }

  using Vary = std::function<void(PandasmRunOptions&, size_t)>;
  /// `vary` says what is different for a call.
  Transcript transcript_of(const PandasmRunOptions& way, const Vary& vary = {}) const {
    Expected<std::unique_ptr<PandasmProgram>> program = PandasmProgram::open(source_);
    Transcript transcript;
    std::string& text = transcript.text;
    if (!program) {
      for (const Diagnostic& error : program.error())
        text += std::to_string(error.line) + ":" + std::to_string(error.column) + ": " + error.message + "\n";
      return transcript;
    }
    for (size_t number = 0; number < calls_.size(); ++number) {
      const Call& call = calls_[number];
      PandasmRunOptions options = way;
      if (vary) vary(options, number);
      options.interpreter.max_steps = most_steps;
      options.interpreter.max_depth = most_depth;
      options.output = [&](std::string_view printed) { text += printed; };
      Expected<PandasmRun> run = run_pandasm(**program, call.function, call.arguments, options);
      if (!text.empty() && text.back() != '\n') text += '\n';
      text += call.text;
      if (!run) {
        text += " fails: " + run.error()[0].message + "\n";
        continue;
      }
      switch (run->kind) {
        case RunResult::Kind::returned: text += run->text.empty() ? " returns" : " == " + run->text; break;
        case RunResult::Kind::threw: text += " throws " + run->text; break;
        case RunResult::Kind::stopped: text += " stops: " + run->text; break;
      }
      text += '\n';
      transcript.stacks += call.text + "\n" + run->stack;
    }
    return transcript;
  }

  void compare(const Transcript& expected, const Transcript& actual, std::string_view what) {
    compare(expected.text, actual.text, what);
    compare(expected.stacks, actual.stacks, std::string(what) + ", exceptions come from");
  }

  void compare(std::string_view expected, std::string_view actual, std::string_view what) {
    if (expected == actual) return;
    result_.report += source_.name() + ": " + std::string(what) + "\n";
    const std::string diff = unified_diff(expected, actual, "expected", "actual");
    for (std::string_view line : split_lines(diff))
      result_.report += "    " + std::string(line) + "\n";
  }

  const SourceFile& source_;
  const GoldenOptions& options_;
  GoldenResult result_;
  std::vector<Call> calls_;
  std::string before_, expected_;
  bool has_expect_ = false;
};

}  // namespace

GoldenResult run_golden_pandasm(const SourceFile& source, const GoldenOptions& options) { return Runner(source, options).run(); }

}  // namespace braid::driver
