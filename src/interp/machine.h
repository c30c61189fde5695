// The machine: runs register code. One per run, so that host functions may start runs of their own.
//
// Activations stand in a vector of their own: the depth of calls does not use the C++ stack. machine.cpp has the dispatch
// loop, machine_slow.cpp what needs more than a few instructions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "interp/activations.h"
#include "interp/code.h"
#include "interp/interpreter.h"
#include "ir/memory.h"

namespace braid::interp {

class Machine final : private ir::RunningFrames {
 public:
  Machine(Interpreter& interpreter, ir::Runtime& runtime);
  ~Machine();
  /// `below`: how many frames stand below the run.
  Outcome run(const Code& code, std::span<const Value> arguments, uint32_t below);
  /// Activations of some code go on in the same code, which has moved. Only while the runtime goes on elsewhere for one of them, or does a
  /// call: the loop asks the activations for the code afterwards.
  void replace_code(const Code& from, const Code& to);
  /// Null if nothing has begun.
  const Code* running_code() const { return activations_.empty() ? nullptr : activations_.back().code; }

 private:
  struct Handler {
    const Instr* target;      ///< null: there is none, a throw is an internal error
  };
  /// How a slow instruction ended.
  enum class Flow : uint8_t {
    next,
    raise,
    stop,
    resume,  ///< in the last activation, at resume_at_
  };

  void visit_references(const std::function<void(uint64_t)>& visit) const override;
  uint32_t depth() const override;
  void execute();
  /// Makes room for the frame of a function that is called, and starts it. The arguments are copied by the caller.
  Flow push(const Code* code, const Instr* return_to, const CallSite* site, uint64_t base);
  /// A call that is too deep for this run: someone else may run it; otherwise it throws or ends the run.
  Flow too_deep(const Code& code, const Instr* return_to, const CallSite* site);
  void grow_stack(uint64_t registers);
  void find_last_plain();
  /// The site that an activation was called from, in the code of its caller.
  static const CallSite& site_of(const Activation& activation, const Code& caller) {
    return caller.calls[activation.call().a];
  }
  /// Whether a function can be started at once: nothing to do but to fill its frame, for which there is room.
  bool is_ready(const Code& callee, const uint64_t* frame) const {
    return callee.is_plain && !activations_.is_full() && frame <= last_plain_;
  }
  void pop(const Activation& activation);

  Flow call_host(const Code& code, const CallSite& site, uint64_t* base);
  Flow call_intrinsic(const Code& code, const CallSite& site, uint64_t* base);
  Flow thrown_outside(const CallSite& site, std::string_view what, std::string_view name);
  Flow thrown_by_raw(const CallSite& site);
  /// In values_.
  void find_arguments(const Code& code, const CallSite& site, const ir::Signature& signature, const uint64_t* base);
  Flow store_result(const CallSite& site, const Value& value, std::string_view what, std::string_view name, uint64_t* base);
  Flow convert(const Conversion& conversion, uint64_t* base);
  Flow element(const Conversion& conversion, uint32_t field, uint64_t* base);
  Flow dynamic(const DynamicSite& site, uint64_t* base);
  Flow box(Type type, uint64_t* to, const uint64_t* from);
  Flow unbox(Type type, uint64_t* to, uint64_t object);
  Flow stop_point(const Code& code, uint32_t state, bool loop_header, const uint64_t* base);
  /// The function is left to a state: who goes on there answers for it, and its caller goes on at resume_at_; or the
  /// run ends.
  Flow leave_to(uint32_t state);
  /// What someone else has answered for a call from the last activation, which goes on at `return_to`.
  Flow answer(const ir::HostResult& result, const CallSite& site, const Instr* return_to, std::string_view name);
  std::vector<ir::FrameState> read_states(const Code& code, uint32_t state, const uint64_t* base);
  std::string shown(const Value& value) const;
  void trace(const Code& code, const TracePoint& point, const uint64_t* base);

  Flow raise(std::string_view kind, std::string_view text = {});
  Flow raise(ir::ErrorKind kind, std::string_view text = {}) { return raise(ir::error_name(kind), text); }
  /// A check that failed; `safe` is what the program claims: that it cannot.
  Flow failed_check(ir::ErrorKind kind, bool safe, std::string_view text = {});
  Flow failed_check(ir::ErrorKind kind, bool safe, uint64_t value, uint64_t bound);
  /// The statement that the instruction belongs to, and the exception.
  void trace_throw(const Instr* at);
  void trace_stop(const Code& code, const Instr* at);
  /// Where an instruction of the last activation comes from.
  ir::Loc place_of(const Instr* at) const;
  /// From the instruction that throws, or from wherever the last activation is, to the innermost handler for `pending_`: resume_at_, in the
  /// last activation. False if the run ends.
  bool unwind(const Instr* at);
  Flow stop(OutcomeKind kind, std::string message);
  Flow out_of_memory();

  Interpreter& interpreter_;
  ir::Runtime& runtime_;
  const RunOptions& options_;
  Layouts& layouts_;
  ir::Memory memory_;
  TupleStore tuples_;
  std::vector<uint64_t> stack_;
  const uint64_t* last_plain_ = nullptr;  ///< where a frame of plain code may begin at the latest
  Activations activations_;
  std::vector<Handler> handlers_;
  std::vector<uint64_t> exceptions_;
  std::span<const ir::RawIntrinsic> raw_intrinsics_;
  const heap::Heap* heap_;
  std::vector<Value> values_;         ///< arguments on their way out
  std::vector<uint64_t> words_;
  uint32_t below_ = 0;                ///< frames below the run
  uint64_t pending_ = 0;              ///< the exception that is being thrown
  const Instr* resume_at_ = nullptr;
  const Code* callee_ = nullptr;      ///< of a call that takes the long way
  int64_t fuel_ = 0;
  Outcome outcome_;
};

}  // namespace braid::interp
