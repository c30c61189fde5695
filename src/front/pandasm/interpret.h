// The direct interpreter of pandasm: the first tier, and what all others must agree with. It keeps its own stack of
// frames, so
// that calls and initialisers of classes nest as deep as its limit says, whatever the stack of the process is.
//
// It can begin in the middle: `resume` takes frames with their registers, innermost last, and goes on from there.
// And it can be
// left in the middle: a watcher of loops is asked at every backward jump, and may do the rest of the function itself.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "front/pandasm/dense_code.h"
#include "front/pandasm/receivers.h"
#include "front/pandasm/verify.h"
#include "front/pandasm/vm.h"

namespace braid::pandasm {

/// A frame of bytecode at an instruction that it has not executed yet; a caller, at the call that it is in.
struct Frame {
  uint32_t function = 0;
  bytecode::Pc pc = 0;
  std::vector<uint64_t> registers;  ///< the accumulator is the last; of a caller in initobj it holds the new object
  uint32_t depth = 0;               ///< of the frame; nobody reads it where frames are resumed
};

struct TraceEntry {
  uint32_t function = 0;
  bytecode::Pc pc = 0;
};

struct RunResult {
  enum class Kind : uint8_t {
    returned,
    threw,    ///< the exception is pending
    stopped,  ///< the limit of steps was reached
  };
  Kind kind = Kind::returned;
  uint64_t value = 0;
  std::vector<TraceEntry> trace;  ///< where it was thrown, then the callers
  /// What the frames that the run began with held when they returned or threw, the innermost first, of each the accumulator last; only if
  /// the options ask for it.
  std::vector<uint64_t> registers = {};
};

/// What a watcher of loops wants.
struct LoopAnswer {
  enum class Kind : uint8_t {
    go_on,
    returned,  ///< the function has returned `value`
    threw,     ///< the function has thrown; the exception is pending, and came through `trace`
    replaced,  ///< go on with `frames` instead of the frame, innermost last
    stopped,   ///< the limit of steps was reached
  };
  Kind kind = Kind::go_on;
  uint64_t value = 0;
  std::vector<Frame> frames = {};
  std::vector<TraceEntry> trace = {};  ///< with the frame itself
  uint32_t frame_count = 1;            ///< of `returned` and `threw`: the frame and callers of it that have ended, too
};
class LoopWatcher {
 public:
  virtual ~LoopWatcher() = default;
  /// Before a frame executes the instruction that a backward jump leads to; `count` jumps have led there. Or before
  /// the instruction of
  /// `InterpreterOptions::watch_at`; then it is 0. The frame's references stay roots.
  virtual LoopAnswer at_loop_header(const Frame& frame, uint32_t count) = 0;
};

struct InterpreterOptions {
  uint32_t max_depth = 10'000;                  ///< of calls, as `frames_of` counts them; one more throws
  uint64_t max_steps = uint64_t{1} << 62;       ///< backward jumps, calls and handlers: nothing else goes on for ever
  LoopWatcher* watcher = nullptr;
  uint64_t throw_at = 0;                        ///< the number of the instruction that may throw and that does; 0: none
  uint32_t watch_after = 1;                     ///< backward jumps to one place before the watcher is asked
  uint64_t watch_at = 0;                        ///< it is also asked before this instruction that may throw; 0: it is not
  bool keeps_registers = false;                 ///< results tell them
};

class Interpreter final : private heap::RootSource {
 public:
  /// `types` are those of the program (verify.h).
  Interpreter(Vm& vm, const std::vector<FunctionTypes>& types, const InterpreterOptions& options = {});
  ~Interpreter() override;
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  /// Initialises the function's record first if a call would. May be used while a run is under way, by a watcher.
  /// `below`: the depth of who
  /// calls.
  RunResult call(uint32_t function, std::span<const uint64_t> arguments, uint32_t below = 0);
  /// At least one frame. What its last one returns goes to the one before it, and so on.
  RunResult resume(std::span<const Frame> frames, uint32_t below = 0);
  /// Runs what must run before a record can be used.
  RunResult initialise(uint32_t record, uint32_t below);
  /// For a watcher, what it is asked about: the frame, with as many of its callers as there are up to so many frames, innermost last.
  std::vector<Frame> running_frames(uint32_t count) const;
  /// What virtual calls at an instruction have met.
  Receivers receivers_at(uint32_t function, bytecode::Pc pc) const;
  /// The nth instruction from now on that may throw throws an IllegalStateException instead of doing anything.
  void throw_at(uint64_t n);
  /// How many more of them there must be until it does; 0: none will.
  uint64_t throws_in() const { return throws_in_; }

 private:
  struct Activation {
    DenseCode* code;
    bytecode::Pc pc;
    uint64_t accumulator;
    uint32_t base;                     ///< of its registers in stack_
    uint32_t initialises = unlinked;   ///< the record whose initialiser this is
    uint32_t depth = 0;
  };
  enum class Flow : uint8_t { next, raise, done };

  void visit_roots(heap::RootVisitor& visitor) override;
  DenseCode& dense(uint32_t function);
  FrameFacts& facts(DenseCode& code);
  RunResult run(size_t base);
  /// The loop: until the frame above `base` has returned or thrown, or the steps are used up.
  RunResult::Kind execute(size_t base);

  /// A call of which nothing is left to find out; false if there is, or if it is time to look at other things.
  bool enter(const CallSite& site) {
    DenseCode& code = *site.direct;
    const Activation& caller = activations_.back();
    const uint32_t base = caller.base + caller.code->register_count;
    const uint32_t depth = caller.depth + code.frames;
    if (budget_ <= 1 || depth > options_.max_depth || base + code.register_count > stack_.size()) return false;
    --budget_;
    const uint32_t* from = caller.code->arguments.data() + site.first_argument;
    uint64_t* to = stack_.data() + base + code.first_parameter;
    for (uint32_t i = 0; i < site.argument_count; ++i) to[i] = argument(caller, from[i]);
    activations_.push_back({&code, 0, 0, base, unlinked, depth});
    return true;
  }
  // What the loop leaves to others. The frame is saved; afterwards the last one is the one to go on with.
  Flow call(CallSite& site);
  Flow begin_initialising(uint32_t record);
  /// The last frame returns a value. False: it was the one above `base`.
  bool leave(size_t base, uint64_t value);
  /// What is pending goes to the nearest handler. False: there is none above `base`.
  bool unwind(size_t base);
  /// The budget is used up at a backward jump; `done` says that the run has come to the end in ended_.
  Flow look(size_t base);

  /// False: an exception is pending, the stack is full.
  bool push(uint32_t function, uint32_t initialises, uint32_t below);
  void append(DenseCode& code, uint32_t initialises, uint32_t below);
  Flow call_library(const CallSite& site, uint32_t callee, Reference made);
  bool pay();
  Flow watch(size_t base);
  Flow ask(size_t base, uint32_t count);
  void pop();
  Frame image(const Activation& activation) const;
  void push_image(const Frame& frame, uint32_t below);
  uint64_t argument(const Activation& from, uint32_t number) const {
    return number == from.code->register_count ? from.accumulator : stack_[from.base + number];
  }

  Vm& vm_;
  const std::vector<FunctionTypes>& types_;
  InterpreterOptions options_;
  std::vector<std::unique_ptr<DenseCode>> codes_;  ///< by function
  std::vector<Activation> activations_;
  std::vector<uint64_t> stack_;                    ///< registers of all frames
  std::vector<uint64_t> outgoing_;                 ///< arguments on their way
  int64_t budget_ = 0;                             ///< steps until something must be looked at
  uint64_t steps_left_ = 0, chunk_ = 0;
  uint64_t result_ = 0;
  uint64_t throws_in_ = 0;                         ///< instructions that may throw until one must; 0: none must
  bool is_counted_ = false;                        ///< the next one is executed again
  RunResult::Kind ended_ = RunResult::Kind::returned;
  std::vector<TraceEntry> trace_;
  size_t kept_ = 0;                                ///< frames that the run began with and that have not ended
  std::vector<uint64_t> last_registers_;           ///< of those that have, if they are kept
};

}  // namespace braid::pandasm
