// The SSA engine of pandasm: the whole program as SSA, run by the interpreter of IR over the same Vm as the direct
// interpreter.
//
// What compiled code leaves (`pa.stays` says no, a guard fails) goes on in the direct interpreter: the frame is rebuilt
// from the save state. What the direct interpreter is in the middle of can go on here: as a watcher of its loops the
// engine takes over at a loop header, in code that was built for that header and that has its live registers as
// parameters.
//
// The registers of all running SSA frames that hold references are roots.
#pragma once

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
#include "front/pandasm/translation.h"
#include "front/pandasm/vm.h"
#include "interp/interpreter.h"
#include "passes/runner.h"
#include "ssa/construct.h"

namespace braid::pandasm {

struct SsaOptions {
  ssa::Algorithm algorithm = ssa::Algorithm::regmap;
  passes::Pipeline passes;      ///< run over the module
  uint32_t max_depth = 10'000;  ///< calls; one more throws
  uint64_t max_steps = uint64_t{1} << 62;
  /// Whether to stay in compiled code at a state; empty: always, and no code asks. A position is `Translation::place`.
  std::function<bool(uint32_t position)> stays;
};

struct SsaStatistics {
  uint64_t entries = 0;  ///< into the middle of functions
  uint64_t leaves = 0;   ///< of compiled code
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
  Translation& translation() { return *translation_; }
  const SsaStatistics& statistics() const { return statistics_; }

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
  void run_begins(const ir::RunningFrames& frames) override {
    runs_.push_back({&frames, std::exchange(next_is_entry_, false)});
  }
  void run_ends(const ir::RunningFrames&) override { runs_.pop_back(); }
  void visit_roots(heap::RootVisitor& visitor) override;

  void bind();
  void bind_functions();
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
  RunResult result_of(interp::Outcome outcome);

  Vm& vm_;
  Interpreter* direct_ = nullptr;
  SsaOptions options_;
  std::unique_ptr<Translation> translation_;
  std::unique_ptr<interp::Interpreter> interpreter_;
  std::vector<ir::RawIntrinsic> raw_;   ///< by the numbers of intrinsics
  std::vector<ClassId> classes_;        ///< by the numbers of types
  std::vector<uint32_t> initialising_;  ///< records, the innermost last
  std::unordered_map<std::string_view, ir::HostFunction> library_;
  std::unordered_map<uint64_t, Translation::Entry> entries_;  ///< by function and loop header
  struct Run {
    const ir::RunningFrames* frames;
    bool is_entry;  ///< it began at a loop header: the direct interpreter waits for the answer
  };
  std::vector<Run> runs_;  ///< the innermost last
  bool next_is_entry_ = false;
  SsaStatistics statistics_;
};

}  // namespace braid::pandasm
