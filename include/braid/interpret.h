// Running functions.
#pragma once

#include <braid/intrinsic.h>
#include <braid/module.h>
#include <braid/value.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace braid {

/// A function of the host: gets the arguments, answers a value or raises an exception by name. A value that the declared result
/// does not have ends the run with an error.
using HostFunc = std::function<IntrinsicResult(std::span<const Value> arguments)>;

struct RunOptions {
  /// Statements. No function and no intrinsic is called, and no line of a trace is written, by one that comes after them.
  uint64_t max_steps = 1'000'000'000;
  uint32_t max_depth = 100'000;            ///< calls
  uint64_t max_memory = uint64_t{1} << 30; ///< bytes: registers, stack slots, globals, objects
  std::map<std::string, HostFunc> host;    ///< what external functions do, by name
  std::function<void(std::string_view line)> trace;  ///< gets a line per executed statement
};

/// How a run ended.
struct RunResult {
  enum class Kind {
    value,      ///< it returned
    exception,  ///< an exception that nobody handled
    deopt,      ///< it left to a saved state
    trap,       ///< a bad address, or an internal error such as the use of an undefined value
    limit,      ///< steps, depth or memory ran out
    error,      ///< it could not start: wrong arguments, no such host function
  };
  Kind kind = Kind::error;
  Value value;
  std::string message;  ///< the end in words: `5050`, `throws zero`, `deopts 12 [0: 5]`
  /// Statements that were executed, phis and the one that ended the run among them, and one more for each 64 bytes that
  /// one of them copied or cleared. Never more than the limit.
  uint64_t steps = 0;
  explicit operator bool() const { return kind == Kind::value; }
};

/// Runs `f`, for once: a `Runner` keeps the code that this makes. Integers among the arguments take the width of the parameter
/// if they fit, unsigned ones without a sign; numbers that of its float. What the parameter's type does not have is an error.
RunResult run(const Func& f, std::span<const Value> arguments, const RunOptions& options = {});

/// Runs functions of one module, which outlives it, and keeps the code that it makes of them: the next run of a function starts
/// at once. What is built, optimized or turned into SSA in between is noticed. A reference among the results is good until the
/// next run. Host functions may use the runner that runs them.
class Runner {
 public:
  explicit Runner(Module& m, RunOptions options = {});
  ~Runner();
  Runner(Runner&&) noexcept;
  Runner& operator=(Runner&&) noexcept;

  RunResult run(const Func& f, std::span<const Value> arguments);
  /// How often it has made code for a function.
  uint64_t code_made() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Runs `f` and answers its value. If it ends in another way, prints how and exits with 70.
Value interpret_values(const Func& f, std::span<const Value> arguments);
template <typename... Arguments>
Value interpret(const Func& f, Arguments... arguments) {
  std::array<Value, sizeof...(Arguments)> values{Value(arguments)...};
  return interpret_values(f, values);
}

}  // namespace braid
