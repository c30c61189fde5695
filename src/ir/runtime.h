// What engines ask their surroundings: host functions, managed objects, exceptions, what happens at safepoints.
//
// A managed reference is 64 bits that only the runtime understands; 0 is null. Hosts and callers of an engine may make up
// references, so every question here has an answer for any bits.
#pragma once

#include <braid/value.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/memory.h"
#include "ir/module.h"

namespace braid::ir {

/// The exceptions that operations throw by themselves. Hosts and intrinsics may throw others, by name.
enum class ErrorKind : uint8_t { null_, zero, negative, bounds, overflow, cast, undefined, assertion, bad_call, type };

constexpr std::string_view error_name(ErrorKind kind) {
  constexpr std::string_view names[] = {"null", "zero",      "negative",  "bounds",  "overflow",
                                        "cast", "undefined", "assertion", "bad_call", "type"};
  return names[static_cast<unsigned>(kind)];
}

/// How an interpreter goes on from a saved state.
enum class ResumeKind : uint32_t { reexecute, after_call, handler };

constexpr std::string_view resume_name(ResumeKind kind) {
  constexpr std::string_view names[] = {"reexecute", "aftercall", "handler"};
  return static_cast<uint32_t>(kind) < 3 ? names[static_cast<uint32_t>(kind)] : "unknown";
}

/// What a `save_state` describes, with values.
struct FrameState {
  struct Register {
    uint32_t number;
    std::optional<Value> value;  ///< nothing: undefined
    friend bool operator==(const Register&, const Register&) = default;
  };
  uint32_t position = 0;
  ResumeKind resume = ResumeKind::reexecute;
  std::vector<Register> registers;
  friend bool operator==(const FrameState&, const FrameState&) = default;
};

/// A safepoint or a loop header that the program has reached. Reading the state costs something; not asking does not.
class StopPoint {
 public:
  virtual ~StopPoint() = default;
  virtual bool is_loop_header() const = 0;                     ///< osr_state, otherwise safepoint
  virtual std::vector<FrameState> read_state() const = 0;      ///< the frame first, then its callers
};

/// The activations of a run, for a collector.
class RunningFrames {
 public:
  virtual ~RunningFrames() = default;
  /// The registers that hold references, by their types, and what is thrown or handled. One that is not written yet or not needed any more
  /// may hold the reference of an object that is gone.
  virtual void visit_references(const std::function<void(uint64_t)>& visit) const = 0;
  /// How deep the innermost one is, with what was inlined and with what was said to be below the run.
  virtual uint32_t depth() const = 0;
};

class Runtime;

struct HostCall {
  const Module& module;
  std::span<const Value> arguments;
  Memory& memory;
  Runtime& runtime;
};

/// A value, or an exception: an object of the runtime, or the name (and text) of an error that the engine makes; or the run ends,
/// because a limit was reached, which `text` names.
struct HostResult {
  enum class Kind : uint8_t { value, exception, error, limit };
  Kind kind = Kind::value;
  Value value;
  uint64_t exception = 0;
  std::string name, text;

  HostResult() = default;
  HostResult(Value v) : value(std::move(v)) {}
  static HostResult raise(std::string name, std::string text = {}) {
    HostResult result;
    result.kind = Kind::error;
    result.name = std::move(name);
    result.text = std::move(text);
    return result;
  }
  static HostResult raise_object(uint64_t object) {
    HostResult result;
    result.kind = Kind::exception;
    result.exception = object;
    return result;
  }
  static HostResult stop(std::string text) {
    HostResult result;
    result.kind = Kind::limit;
    result.text = std::move(text);
    return result;
  }
};

using HostFunction = std::function<HostResult(HostCall&)>;

/// An intrinsic over operands and a result of one register each, for engines that keep registers as bits (ir/bits.h).
/// False: it throws `Runtime::raised`.
using RawIntrinsic = bool (*)(Runtime& runtime, const uint64_t* operands, uint64_t& result);
inline constexpr uint32_t most_raw_operands = 8;

class Runtime {
 public:
  virtual ~Runtime() = default;

  /// Null if the host has none of this name. The answer stays valid until the end of the run.
  virtual const HostFunction* host_function(std::string_view name) = 0;

  /// By the numbers of the module's intrinsics; where there is none, or null, the intrinsic is evaluated. Valid until
  /// the end of the run.
  virtual std::span<const RawIntrinsic> raw_intrinsics() { return {}; }
  virtual uint64_t raised() { return 0; }

  /// New objects; null (0) if there is no room left.
  virtual uint64_t box(const Value& value) = 0;
  virtual uint64_t make_error(std::string_view kind, std::string_view text) = 0;
  virtual uint64_t make_string(std::string_view text) = 0;
  /// The text of a string that this runtime has made; nothing if the object is not one. Valid until the next new object.
  virtual std::optional<std::string_view> string(uint64_t object) const = 0;
  /// The value in a box; null if the object is not one.
  virtual const Value* unbox(uint64_t object) const = 0;
  /// An object in a few words: `null`, `zero`, `undefined 'x'`, `box 5`.
  virtual std::string describe(uint64_t object) const = 0;

  /// The exception of a check that has failed: of a value, and of what bounded it.
  virtual uint64_t make_failure(ErrorKind kind, uint64_t /*value*/, uint64_t /*bound*/) {
    return make_error(error_name(kind), {});
  }
  /// The exception of a call that is one too deep; null ends the run at its limit.
  virtual uint64_t make_stack_overflow() { return 0; }

  /// Called at `safepoint` and `osr_state`. False ends the run.
  virtual bool stop_point(const StopPoint&) { return true; }
  /// Compiled code was left to these states, the frame first, then its callers that are part of the same function. Who goes on from there
  /// answers what the outermost of them returns or throws; otherwise the run ends. `is_first`: nothing in the run has called it.
  virtual std::optional<HostResult> resume(std::span<const FrameState>, bool /*is_first*/) { return std::nullopt; }
  /// A call that is too deep for this run: who can run it elsewhere answers what it returns or throws. `depth`: of the caller.
  virtual std::optional<HostResult> call_elsewhere(FuncId, std::span<const Value>, uint32_t /*depth*/) { return std::nullopt; }
  /// An exception is thrown by a statement at this place, or leaves a function that was called there. Without a place: by one that passes on
  /// what was thrown before, as a handler does that does not take it.
  virtual void throws_at(Loc) {}
  virtual void unwinds_to(Loc) {}
  /// Between these two the frames can be asked at any time. Runs nest.
  virtual void run_begins(const RunningFrames&) {}
  virtual void run_ends(const RunningFrames&) {}
};

/// Host functions in a table, objects in a vector that grows until `clear`.
class SimpleRuntime final : public Runtime {
 public:
  explicit SimpleRuntime(uint64_t max_bytes = uint64_t{1} << 28) : max_bytes_(max_bytes) {}

  void bind(std::string name, HostFunction function) { functions_[std::move(name)] = std::move(function); }
  void clear() {
    objects_.clear();
    bytes_ = 0;
  }

  const HostFunction* host_function(std::string_view name) override;
  uint64_t box(const Value& value) override;
  uint64_t make_error(std::string_view kind, std::string_view text) override;
  uint64_t make_string(std::string_view text) override;
  std::optional<std::string_view> string(uint64_t object) const override;
  const Value* unbox(uint64_t object) const override;
  std::string describe(uint64_t object) const override;
  bool stop_point(const StopPoint& point) override { return !on_stop_point || on_stop_point(point); }

  std::function<bool(const StopPoint&)> on_stop_point;  ///< may be empty

 private:
  struct Object {
    enum class Kind : uint8_t { box, error, string } kind;
    Value value;            ///< of a box
    std::string error;      ///< the name of an error
    std::string text;       ///< of an error or a string
  };
  uint64_t add(Object object, uint64_t extra_bytes);
  const Object* find(uint64_t object) const {
    return object - 1 < objects_.size() ? &objects_[static_cast<size_t>(object - 1)] : nullptr;
  }

  std::unordered_map<std::string, HostFunction> functions_;
  std::vector<Object> objects_;  ///< reference n is object n - 1
  uint64_t bytes_ = 0, max_bytes_;
};

/// `5`, `true`, `1.5`, `null`, `(1, 2)`; an address in hex; a reference that is not null by its number.
std::string to_string(const Value& value);

/// What a program left to: `deopts 12 [0: 5, 1: undef]`, and its callers.
std::string to_string(std::span<const FrameState> states);

}  // namespace braid::ir
