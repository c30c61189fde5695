#include "front/pandasm/live_frame.h"

#include "front/pandasm/frame_facts.h"

namespace braid::pandasm {

namespace {

InterpreterOptions on_its_own(InterpreterOptions options) {
  options.watcher = nullptr;
  options.throw_at = options.watch_at = 0;
  options.keeps_registers = true;
  return options;
}

}  // namespace

LiveFrameRunner::LiveFrameRunner(Vm& vm, const std::vector<FunctionTypes>& types, const InterpreterOptions& options)
    : vm_(vm), types_(types), interpreter_(vm, types, on_its_own(options)) {}

LoopAnswer LiveFrameRunner::at_loop_header(const Frame& frame, uint32_t count) {
  if (count != 0) return {};
  std::vector<Frame> live = frame_count_ > 1 ? direct_->running_frames(frame_count_) : std::vector{frame};
  for (Frame& each : live) forget_dead(vm_, types_, each, &each != &live.back());
  const Frame& outermost = live.front();
  RunResult rest = interpreter_.resume(live, outermost.depth - frames_of(vm_.program().functions[outermost.function]));
  registers_ = std::move(rest.registers);
  const uint32_t ended = static_cast<uint32_t>(live.size());
  switch (rest.kind) {
    case RunResult::Kind::returned: return {LoopAnswer::Kind::returned, rest.value, {}, {}, ended};
    case RunResult::Kind::stopped: return {LoopAnswer::Kind::stopped};
    case RunResult::Kind::threw: break;
  }
  return {LoopAnswer::Kind::threw, 0, {}, std::move(rest.trace), ended};
}

void forget_dead(const Vm& vm, const std::vector<FunctionTypes>& types, Frame& frame, bool is_caller) {
  FrameFacts facts(vm.program(), vm.links(), frame.function, types[frame.function]);
  std::vector<uint32_t> needed = is_caller ? facts.live_in_call(frame.pc) : facts.live(frame.pc);
  const Opcode opcode = vm.program().functions[frame.function].code[frame.pc].opcode;
  // What is being made is in the accumulator.
  if (is_caller && makes_object(opcode)) needed.push_back(static_cast<uint32_t>(frame.registers.size()) - 1);
  std::vector<uint64_t> live(frame.registers.size(), 0);
  for (uint32_t number : needed) live[number] = frame.registers[number];
  frame.registers = std::move(live);
}

}  // namespace braid::pandasm
