// What a save state must be enough for: the rest of a frame, run with nothing but the registers that are live. Tests compare
// what compiled code does that is left to a state with it, to the last register.
#pragma once

#include <vector>

#include "front/pandasm/interpret.h"

namespace braid::pandasm {

/// The watcher of an interpreter that asks at one instruction (InterpreterOptions::watch_at).
class LiveFrameRunner final : public LoopWatcher {
 public:
  /// All of them outlive it. The limits are those of the options.
  LiveFrameRunner(Vm& vm, const std::vector<FunctionTypes>& types, const InterpreterOptions& options);

  LoopAnswer at_loop_header(const Frame& frame, uint32_t count) override;
  /// What the frame held when it ended; empty if nobody has asked.
  const std::vector<uint64_t>& registers() const { return registers_; }

 private:
  Vm& vm_;
  const std::vector<FunctionTypes>& types_;
  Interpreter interpreter_;
  std::vector<uint64_t> registers_;
};

/// Registers that are dead before the frame's instruction become zero.
void forget_dead(const Vm& vm, const std::vector<FunctionTypes>& types, Frame& frame);

}  // namespace braid::pandasm
