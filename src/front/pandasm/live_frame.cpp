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
  Frame live = frame;
  forget_dead(vm_, types_, live);
  RunResult rest = interpreter_.resume({&live, 1}, frame.depth - frames_of(vm_.program().functions[frame.function]));
  registers_ = std::move(rest.registers);
  switch (rest.kind) {
    case RunResult::Kind::returned: return {LoopAnswer::Kind::returned, rest.value};
    case RunResult::Kind::stopped: return {LoopAnswer::Kind::stopped};
    case RunResult::Kind::threw: break;
  }
  return {LoopAnswer::Kind::threw, 0, {}, std::move(rest.trace)};
}

void forget_dead(const Vm& vm, const std::vector<FunctionTypes>& types, Frame& frame) {
  FrameFacts facts(vm.program(), vm.links(), frame.function, types[frame.function]);
  std::vector<uint64_t> live(frame.registers.size(), 0);
  for (uint32_t number : facts.live(frame.pc)) live[number] = frame.registers[number];
  frame.registers = std::move(live);
}

}  // namespace braid::pandasm
