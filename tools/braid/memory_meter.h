// Counts the memory in use. The linker sends calls of malloc, calloc, realloc and free in this program to
// memory_meter.cpp
// (--wrap), and `operator new` calls them there.
#pragma once

#include "driver/compare.h"

namespace braid::tool {

/// One at a time, on one thread.
class AllocationMeter : public driver::MemoryMeter {
 public:
  void start() override;
  uint64_t stop() override;
};

}  // namespace braid::tool
