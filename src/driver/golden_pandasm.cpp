#include "driver/golden_pandasm.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "driver/diff.h"
#include "driver/golden_file.h"
#include "driver/pandasm_run.h"
#include "passes/pass.h"

namespace braid::driver {

using pandasm::RunResult;

namespace {

constexpr uint64_t most_steps = 2'000'000;
constexpr uint32_t most_depth = 500;  ///< programs that call without end are run in many ways
constexpr uint64_t most_points = 16;             ///< at which a file is left, drawn over its calls
constexpr uint64_t most_of_all_points = 2'000;   ///< of one call, where all of them are wanted
constexpr std::string_view inlining = "inline,simplify,dce";
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
    Expected<std::unique_ptr<PandasmProgram>> program = PandasmProgram::open(source_);
    if (program) {
      program_ = std::move(*program);
      return;
    }
    for (const Diagnostic& error : program.error())
      errors_ += std::to_string(error.line) + ":" + std::to_string(error.column) + ": " + error.message + "\n";
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
    optimised.engine = PandasmEngine::bytecode;
    optimised.osr = 2;
    compare(transcript, transcript_of(optimised), "entering optimised SSA at hot loop headers");
    PandasmRunOptions way;
    for (way.osr = 1; way.osr <= (options_.all_points ? 16 : 1); ++way.osr)
      compare(transcript, transcript_of(way), "entering SSA at every loop header, iteration " + std::to_string(way.osr));
    way.osr = 1;
    way.engine = PandasmEngine::ssa;
    way.deopt_always = true;
    way.heap.stress = true;
    compare(transcript, transcript_of(way), "leaving SSA at every state, with collections");
    if (program_) compare_points();
  }

  /// Left at the nth instruction that may throw, or with an exception there, a call does what it does in bytecode:
  /// also to registers.
  void compare_points() {
    const size_t points_of_each = (most_points + calls_.size() - 1) / calls_.size();
    for (size_t number = 0; number < calls_.size(); ++number) {
      PandasmRunOptions way;
      way.engine = PandasmEngine::ssa;
      way.counts_points = true;
      const uint64_t count = run(calls_[number], way).points;
      // Near the limit of depth, code with inlined calls leaves the rest to bytecode, whose points do not count.
      way.passes = *passes::parse_pipeline(inlining);
      const bool inlined_too = run(calls_[number], way).points == count;
      const uint64_t points = options_.all_points ? std::min(count, most_of_all_points) : std::min<uint64_t>(count, points_of_each);
      for (uint64_t i = 0; i < points; ++i)
        compare_point(calls_[number], points == count ? i + 1 : 1 + mix64(number * most_points + i) % count, inlined_too);
    }
  }

  void compare_point(const Call& call, uint64_t point, bool inlined_too) {
    const std::string where = call.text + ", instruction " + std::to_string(point) + " of those that may throw: ";
    for (const std::string_view passes : {std::string_view(), inlining}) {
      if (!passes.empty() && !inlined_too) break;
      const std::string how = passes.empty() ? "" : " where it is inlined";
      PandasmRunOptions way;
      way.keeps_registers = true;
      way.engine = PandasmEngine::ssa;
      way.passes = *passes::parse_pipeline(passes);
      way.deopt_at = point;
      const Ran left = run(call, way);
      if (left.frames == 0) continue;
      way = {};
      way.keeps_registers = true;
      way.forget_at = point;
      way.forget_frames = left.frames;
      const Ran forgets = run(call, way);
      compare(forgets.shown, left.shown, where + "left there" + how);
      const bool is_comparable = !forgets.has_collected && !left.has_collected;
      if (is_comparable && forgets.registers != left.registers)
        result_.report += source_.name() + ": " + where + "registers are not the same in the end" + how + "\n";
    }
    PandasmRunOptions raise;
    raise.interpreter.throw_at = point;
    const Ran direct = run(call, raise);
    raise.engine = PandasmEngine::ssa;
    compare(direct.shown, run(call, raise).shown, where + "an exception there");
  }

  /// One call: what it prints, how it ends, where an exception came from.
  struct Ran {
    Transcript shown;
    std::vector<uint64_t> registers;
    uint32_t frames = 0;
    uint64_t points = 0;
    bool has_collected = false;
  };
  Ran run(const Call& call, PandasmRunOptions options) const {
    Ran ran;
    std::string& text = ran.shown.text;
    options.interpreter.max_steps = most_steps;
    options.interpreter.max_depth = most_depth;
    options.output = [&](std::string_view printed) { text += printed; };
    Expected<PandasmRun> run = run_pandasm(*program_, call.function, call.arguments, options);
    if (!text.empty() && text.back() != '\n') text += '\n';
    text += call.text;
    if (!run) {
      text += " fails: " + run.error()[0].message + "\n";
      return ran;
    }
    switch (run->kind) {
      case RunResult::Kind::returned: text += run->text.empty() ? " returns" : " == " + run->text; break;
      case RunResult::Kind::threw: text += " throws " + run->text; break;
      case RunResult::Kind::stopped: text += " stops: " + run->text; break;
    }
    text += '\n';
    ran.shown.stacks = call.text + "\n" + run->stack;
    ran.registers = std::move(run->registers);
    ran.frames = run->frames;
    ran.points = run->points;
    ran.has_collected = run->has_collected;
    return ran;
  }

  Transcript transcript_of(const PandasmRunOptions& way) const {
    Transcript transcript;
    transcript.text = errors_;
    if (!program_) return transcript;
    for (const Call& call : calls_) {
      const Ran ran = run(call, way);
      transcript.text += ran.shown.text;
      transcript.stacks += ran.shown.stacks;
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
  std::unique_ptr<PandasmProgram> program_;
  std::string errors_;  ///< why there is none
  std::string before_, expected_;
  bool has_expect_ = false;
};

}  // namespace

GoldenResult run_golden_pandasm(const SourceFile& source, const GoldenOptions& options) { return Runner(source, options).run(); }

}  // namespace braid::driver
