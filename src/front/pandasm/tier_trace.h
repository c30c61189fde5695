// What a program does between its engines, told line by line: where compiled code is entered, where it is left, what
// registers hold
// there, and which code was built for it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "front/pandasm/translation.h"
#include "front/pandasm/vm.h"
#include "ir/runtime.h"

namespace braid::pandasm {

class TierTrace {
 public:
  using Sink = std::function<void(std::string_view line)>;
  /// With an empty sink nothing is told. The Vm outlives it.
  TierTrace(const Vm& vm, Sink sink) : vm_(vm), sink_(std::move(sink)) {}

  explicit operator bool() const { return static_cast<bool>(sink_); }
  void builds(Translation::Place header, const ir::Function& code);
  /// `registers` is what the code gets, as a state would have it.
  void enters(Translation::Place at, const ir::FrameState& registers);
  /// `because`: why, or empty. The frame first, then those that it was inlined into.
  void leaves(const Translation& translation, std::span<const ir::FrameState> states, std::string_view because);
  void returns(Translation::Place at, const Value& value);
  void throws(Translation::Place at);

 private:
  /// `sum at 5, ldarr a0`
  std::string place(Translation::Place at) const;
  std::string value(const Value& value) const;
  std::string registers(Translation::Place at, const ir::FrameState& state) const;

  const Vm& vm_;
  Sink sink_;
};

}  // namespace braid::pandasm
