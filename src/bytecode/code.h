// Any register bytecode, as far as blocks and liveness need to know it. Whoever brings one describes its instructions through
// this interface; an accumulator is just another register.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace braid::bytecode {

/// Instructions are numbered from 0, whatever their size is; a *pc* is such a number.
using Pc = uint32_t;
inline constexpr Pc no_pc = 0xffffffffu;

/// What one instruction does. It reads everything, then may throw, then writes.
struct Decoded {
  std::vector<uint32_t> reads, writes;  ///< registers
  std::vector<Pc> targets;              ///< where it may jump, in the order of its cases
  bool falls_through = true;            ///< the next instruction may be executed after it; the last way, behind the targets
  bool may_throw = false;

  void clear() {
    reads.clear();
    writes.clear();
    targets.clear();
    falls_through = true;
    may_throw = false;
  }
};

/// What is thrown in [begin, end) goes to the handler, if it takes it; the search goes through the ranges in their order.
struct TryRange {
  Pc begin, end, handler;
  /// It takes whatever is thrown: nothing behind it is asked.
  bool takes_all = false;
};

class Code {
 public:
  virtual ~Code() = default;
  virtual uint32_t size() const = 0;
  virtual uint32_t register_count() const = 0;
  /// `decoded` is clear. Targets are pcs of instructions.
  virtual void decode(Pc pc, Decoded& decoded) const = 0;
  virtual std::span<const TryRange> tries() const = 0;
  /// What a handler finds written when it starts: the accumulator that holds the exception, or nothing.
  virtual std::span<const uint32_t> written_by_throw() const { return {}; }
};

}  // namespace braid::bytecode
