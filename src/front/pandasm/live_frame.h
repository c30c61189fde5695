// What a save state must be enough for: the rest of a frame and of some callers, run with nothing but the registers that are live. Tests
// compare what compiled code does that is left to a state with it, to the last register.
#pragma once

#include <vector>

#include "front/pandasm/interpret.h"

namespace braid::pandasm {

/// The watcher of an interpreter that asks at one instruction (InterpreterOptions::watch_at).
class LiveFrameRunner final : public LoopWatcher {
 public:
  /// All of them outlive it. The limits are those of the options.
  LiveFrameRunner(Vm& vm, const std::vector<FunctionTypes>& types, const InterpreterOptions& options);
  /// Who asks, and how many frames are to forget.
  void set_direct(const Interpreter& direct, uint32_t frame_count) {
    direct_ = &direct;
    frame_count_ = frame_count;
  }

  LoopAnswer at_loop_header(const Frame& frame, uint32_t count) override;
  /// What the frames held when they ended, the innermost first; empty if nobody has asked.
  const std::vector<uint64_t>& registers() const { return registers_; }

 private:
  Vm& vm_;
  const std::vector<FunctionTypes>& types_;
  Interpreter interpreter_;
  const Interpreter* direct_ = nullptr;
  uint32_t frame_count_ = 1;
  std::vector<uint64_t> registers_;
};

/// Registers that are dead before the frame's instruction become zero; of a caller, those that are dead while it waits for its call.
void forget_dead(const Vm& vm, const std::vector<FunctionTypes>& types, Frame& frame, bool is_caller = false);

}  // namespace braid::pandasm
