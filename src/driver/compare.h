// All constructors over the same function, side by side: phis, dead phis, time, peak memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/function.h"
#include "ssa/construct.h"

namespace braid::driver {

/// Knows how much memory is in use. The library cannot: it does not own the allocator.
class MemoryMeter {
 public:
  virtual ~MemoryMeter() = default;
  virtual void start() = 0;
  /// The most bytes in use at once since `start`, beyond those in use then.
  virtual uint64_t stop() = 0;
};

struct ComparedConstruction {
  ssa::ConstructOptions options;
  uint32_t phis = 0;        ///< and phi_cs
  uint32_t dead_phis = 0;   ///< whose value reaches no statement but other phis
  double milliseconds = 0;  ///< the fastest of several runs
  uint64_t peak_bytes = 0;  ///< 0 without a meter
};

/// Works on copies: cytron in its three forms, braun, regmap.
std::vector<ComparedConstruction> compare_constructions(const ir::Function& f, MemoryMeter* meter);
std::string comparison_table(const ir::Function& f, MemoryMeter* meter);

}  // namespace braid::driver
