// The SSA engine of pandasm: the whole program as SSA, run by the interpreter of IR over the same Vm as the direct
// interpreter.
//
// What compiled code leaves (`pa.stays` says no, a guard fails) goes on in the direct interpreter: the frame is rebuilt
// from the save state. What the direct interpreter is in the middle of can go on here: as a watcher of its loops the
// engine takes over at a loop header, in code that was built for that header and that has its live registers as
// parameters.
//
// The program is built when it is first needed. Who begins in the direct interpreter has met the receivers of
// virtual calls by
// then, which says what to inline; where a guess fails too often, code is built again without it.
//
// Exceptions tell where they came from as they do in the direct interpreter, and calls are as deep as there: what
// was inlined counts,
// and where that might be too deep the direct interpreter does the call.
//
// The registers of all running SSA frames that hold references are roots.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "front/pandasm/interpret.h"
#include "front/pandasm/tier_trace.h"
#include "front/pandasm/translation.h"
#include "front/pandasm/vm.h"
#include "interp/interpreter.h"
#include "passes/runner.h"
#include "ssa/construct.h"

namespace braid::pandasm {

struct SsaOptions {
  ssa::Algorithm algorithm = ssa::Algorithm::regmap;
  passes::Pipeline passes;      ///< run over the module
  uint32_t max_depth = 10'000;  ///< of calls, as `frames_of` counts them; one more throws
  uint64_t max_steps = uint64_t{1} << 62;
  /// What is known of virtual calls when they are inlined; empty: what the direct interpreter has met.
  std::function<Receivers(uint32_t function, bytecode::Pc pc)> receivers;
  /// Whether to stay in compiled code at a state; empty: always, and no code asks. A position is `Translation::place`.
  std::function<bool(uint32_t position)> stays;
  TierTrace::Sink trace = {};  ///< gets a line wherever compiled code is entered or left; may be empty
};

struct SsaStatistics {
  uint64_t entries = 0;        ///< into the middle of functions
  uint64_t leaves = 0;         ///< of compiled code
  uint64_t failed_guesses = 0; ///< … because the receiver of a call was another one
  uint64_t guesses = 0;        ///< calls for which one was made
  uint64_t checked_guesses = 0;  ///< how often one was asked for
  uint64_t rebuilt = 0;        ///< functions and entries whose guesses failed too often
  uint64_t run_directly = 0;   ///< calls that might be too deep for inlined code
};

class SsaEngine final : public LoopWatcher, private ir::Runtime, private heap::RootSource {
 public:
  /// All of them outlive the engine.
  SsaEngine(const SourceFile& source, const std::vector<FunctionTypes>& types, Vm& vm, const SsaOptions& options = {});
  ~SsaEngine() override;
  SsaEngine(const SsaEngine&) = delete;
  SsaEngine& operator=(const SsaEngine&) = delete;

  /// Initialises the function's record first if a call would.
  RunResult call(uint32_t function, std::span<const uint64_t> arguments);
  LoopAnswer at_loop_header(const Frame& frame, uint32_t count) override;

  /// Who goes on where compiled code is left; without one a run ends there.
  void set_direct(Interpreter& direct) { direct_ = &direct; }
  /// Builds the program if that has not been done.
  Translation& translation();
  /// After `Vm::restart`: as if nothing had been run, but what was built stays. Only while nothing runs.
  void restart();
  const SsaStatistics& statistics() const { return statistics_; }
  /// What the frames that were left last held when they ended (InterpreterOptions::keeps_registers), the innermost first.
  const std::vector<uint64_t>& left_registers() const { return left_registers_; }
  /// How many they were: more than one where calls were inlined.
  uint32_t left_frames() const { return left_frames_; }

 private:
  /// How an intrinsic that is evaluated says that an exception is pending in the Vm.
  static constexpr std::string_view thrown = "pa.thrown";

  // ---- what the interpreter of IR asks ----
  const ir::HostFunction* host_function(std::string_view name) override;
  std::span<const ir::RawIntrinsic> raw_intrinsics() override { return raw_; }
  uint64_t raised() override { return vm_.take_pending(); }
  uint64_t box(const Value&) override { return 0; }
  uint64_t make_error(std::string_view kind, std::string_view text) override;
  uint64_t make_string(std::string_view) override { return 0; }
  std::optional<std::string_view> string(uint64_t) const override { return std::nullopt; }
  const Value* unbox(uint64_t) const override { return nullptr; }
  std::string describe(uint64_t object) const override { return vm_.describe(object); }
  uint64_t make_failure(ir::ErrorKind kind, uint64_t value, uint64_t bound) override;
  uint64_t make_stack_overflow() override;
  bool stop_point(const ir::StopPoint&) override {
    vm_.safepoint();
    return true;
  }
  std::optional<ir::HostResult> resume(std::span<const ir::FrameState> states, bool is_first) override;
  std::optional<ir::HostResult> call_elsewhere(ir::FuncId id, std::span<const Value> arguments, uint32_t depth) override;
  void throws_at(ir::Loc loc) override;
  void unwinds_to(ir::Loc loc) override;
  void run_begins(const ir::RunningFrames& frames) override {
    runs_.push_back({&frames, std::exchange(next_entry_, no_entry)});
  }
  void run_ends(const ir::RunningFrames&) override { runs_.pop_back(); }
  void visit_roots(heap::RootVisitor& visitor) override;

  void build();
  /// Calls, constructs and passes for one function, or for all.
  void finish(ir::FuncId only);
  void construct(ir::FuncId function);
  /// Frames in one activation of a function beside the one that counts anyway.
  static uint32_t more_frames(const ir::Function& f) { return f.inlined_frames + std::max(f.frames, 1u) - 1; }
  void bind();
  void bind_functions();
  /// What of the intrinsics is only reading and writing of the heap.
  void bind_accesses();
  static ir::RawIntrinsic raw(Managed operation);
  /// What the engine is that runs an intrinsic.
  static SsaEngine& of(ir::Runtime& runtime) { return static_cast<SsaEngine&>(runtime); }
  static bool give(const Outcome& outcome, uint64_t& result) {
    result = outcome.value;
    return !outcome.threw;
  }
  ClassId class_of(uint64_t number) const { return classes_[static_cast<uint32_t>(number)]; }
  Outcome begin_init(uint32_t record);
  Outcome end_init(Reference exception);
  std::vector<Frame> frames_of(std::span<const ir::FrameState> states) const;
  ir::HostResult host_result(RunResult result, braid::Type type);
  /// How many calls a run may nest for sure, whatever was inlined, with so many frames below.
  uint32_t sure_depth(uint32_t below) const;
  interp::Outcome run(const ir::Function& f, std::span<const Value> arguments, uint32_t below);
  RunResult result_of(interp::Outcome outcome);
  Receivers receivers_at(uint32_t function, bytecode::Pc pc) const;
  bool guessed(bool is_right) {
    ++statistics_.checked_guesses;
    guess_failed_ = !is_right;
    return is_right;
  }
  void note_failure(std::span<const ir::FrameState> states, bool leaves_entry);
  /// Functions whose guesses have failed too often. What is in the middle of one goes on in its old code.
  void rebuild();

  const SourceFile& source_;
  const std::vector<FunctionTypes>& types_;
  Vm& vm_;
  Interpreter* direct_ = nullptr;
  SsaOptions options_;
  std::unique_ptr<Translation> translation_;
  std::unique_ptr<interp::Interpreter> interpreter_;
  std::vector<ir::RawIntrinsic> raw_;   ///< by the numbers of intrinsics
  interp::HeapAccess access_;
  std::vector<ClassId> classes_;        ///< by the numbers of types
  std::vector<uint32_t> initialising_;  ///< records, the innermost last
  std::unordered_map<std::string_view, ir::HostFunction> library_;
  std::unordered_map<uint64_t, Translation::Entry> entries_;  ///< by function and loop header
  static constexpr uint64_t no_entry = ~uint64_t{0};
  struct Run {
    const ir::RunningFrames* frames;
    uint64_t entry;  ///< if it began at a loop header: the direct interpreter waits for the answer
  };
  std::vector<Run> runs_;  ///< the innermost last
  uint64_t next_entry_ = no_entry;
  uint32_t most_inlined_ = 0;                        ///< frames in one activation beside its own
  uint64_t steps_left_ = 0;
  std::unordered_map<uint32_t, uint32_t> failures_;  ///< of guesses, by position
  std::vector<uint32_t> outdated_;                   ///< functions to be built again, callees first
  bool guess_failed_ = false;                        ///< … the one checked last
  std::vector<TraceEntry> trace_;                    ///< of the last exception
  TierTrace told_;
  std::vector<uint64_t> left_registers_;
  uint32_t left_frames_ = 0;
  SsaStatistics statistics_;
};

}  // namespace braid::pandasm
