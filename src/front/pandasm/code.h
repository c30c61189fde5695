// A pandasm function as bytecode: its frame's registers and the accumulator behind them.
#pragma once

#include <vector>

#include "bytecode/code.h"
#include "front/pandasm/link.h"

namespace braid::pandasm {

class FunctionCode final : public bytecode::Code {
 public:
  /// The number of the function, and what it calls.
  FunctionCode(const Program& program, const Links& links, uint32_t function);

  uint32_t size() const override { return static_cast<uint32_t>(function_.code.size()); }
  uint32_t register_count() const override { return accumulator_ + 1; }
  uint32_t accumulator() const { return accumulator_; }
  void decode(bytecode::Pc pc, bytecode::Decoded& decoded) const override;
  std::span<const bytecode::TryRange> tries() const override { return tries_; }
  /// The line that a try range comes from.
  const Catch& catch_of(uint32_t range) const { return function_.catches[catch_of_[range]]; }
  /// Handlers start with the exception in the accumulator.
  std::span<const uint32_t> written_by_throw() const override { return {&accumulator_, 1}; }

 private:
  void sort_catches();

  const Program& program_;
  const std::vector<uint32_t>& callees_;
  const Function& function_;
  uint32_t accumulator_;
  std::vector<bytecode::TryRange> tries_;
  std::vector<uint32_t> catch_of_;  ///< by try range
};

}  // namespace braid::pandasm
