// The interpreter: runs functions of a module, with variables or in SSA, with limits and with every end as an `Outcome`.
#pragma once

#include <braid/value.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interp/code.h"
#include "interp/heap_access.h"
#include "interp/layout.h"
#include "interp/lower.h"
#include "ir/function.h"
#include "ir/runtime.h"

namespace braid::interp {

enum class OutcomeKind : uint8_t {
  value,      ///< returned
  exception,  ///< thrown and not caught
  trap,       ///< a bad address, or what a verified program cannot do: an internal error
  limit,      ///< of steps, depth or memory
  deopt,      ///< left to a saved state
  error,      ///< could not be run: wrong arguments, a host function that is not there
};

struct Outcome {
  OutcomeKind kind = OutcomeKind::value;
  Value value;                         ///< the result, or the thrown reference
  std::string message;                 ///< what happened; of a reference: what it refers to
  std::vector<ir::FrameState> states;  ///< of a deopt: the frame, then its callers
  uint64_t steps = 0;                  ///< see RunResult
};

/// `5050`, `throws zero`, `throws undefined 'x'`, `throws box 5`, `deopts 12 [0: 5]`, `traps …`, `stops: …`, `fails: …`.
std::string to_string(const Outcome& outcome);

struct RunOptions {
  uint64_t max_steps = uint64_t{1} << 62;    ///< statements: see the public RunOptions
  uint32_t max_depth = 1'000'000;            ///< calls
  uint64_t max_memory = uint64_t{1} << 28;   ///< bytes of memory, of registers and of objects, each
  ir::Runtime* runtime = nullptr;            ///< null: one inside, without host functions; its references live until the next run
  /// Safepoints and loop headers are passed without asking the runtime: a loop then costs what it would without them.
  bool passes_stops = false;
  const HeapAccess* heap = nullptr;          ///< null: all intrinsics are called
  bool trace = false;
  std::function<void(std::string_view)> trace_sink = {};  ///< gets one line per executed statement, without its end
};

class Machine;

class Interpreter {
 public:
  explicit Interpreter(ir::Module& module, RunOptions options = {});
  ~Interpreter();

  /// Runs a function. One that is not the module's own (a copy that is being edited) is lowered anew each time.
  /// `below`: how many frames stand below it, for those who ask how deep it is; the limit of depth does not count them.
  Outcome run(const ir::Function& f, std::span<const Value> arguments, uint32_t below = 0);
  /// Forgets the code of a function that has changed, and all code if it was called as an external one and has a body now. What
  /// is in the middle of it goes on in the code that it began.
  void invalidate(ir::FuncId id);
  void invalidate_all();  ///< not while running
  bool is_running() const { return !running_.empty(); }
  /// How often code was made, and kept, for a function.
  uint64_t lowered() const { return lowered_; }
  /// Whether the function that runs now, in the innermost run, began before it was invalidated.
  bool is_outdated() const;

  const RunOptions& options() const { return options_; }
  void set_limits(uint64_t max_steps, uint32_t max_depth, uint64_t max_memory);

 private:
  friend class Machine;

  const Code* code(ir::FuncId id) {
    if (index(id) < codes_.size() && codes_[index(id)]->is_lowered) return codes_[index(id)].get();
    return lower_function(id);
  }
  const Code* lower_function(ir::FuncId id);
  void forget(ir::FuncId id);
  /// Where the code of a function is, or will be: it never moves.
  Code& place_of(ir::FuncId id);
  /// Calls get to know the code that they call.
  void link(Code& code);
  LowerOptions lower_options() const {
    return {options_.trace, options_.passes_stops && !options_.trace, options_.trace ? nullptr : options_.heap};
  }

  ir::Module& module_;
  RunOptions options_;
  Layouts layouts_;
  std::unique_ptr<ir::SimpleRuntime> own_runtime_;
  std::vector<std::unique_ptr<Code>> codes_;  ///< by function
  std::vector<bool> is_called_outside_;       ///< by function: some code calls it as an external one
  uint64_t lowered_ = 0;
  std::vector<std::unique_ptr<Code>> outdated_;  ///< that something may still run
  std::vector<Machine*> running_;             ///< the innermost last
  std::vector<uint64_t> spare_stack_;         ///< of a run that has ended: the next one need not clear as much memory
};

}  // namespace braid::interp
