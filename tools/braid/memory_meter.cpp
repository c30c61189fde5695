#include "memory_meter.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "base/resize_memory.h"

namespace {

bool is_counting = false;
int64_t in_use = 0, most = 0;

void count(int64_t bytes) {
  in_use += bytes;
  most = std::max(most, in_use);
}

int64_t size_of(void* memory) {
  return memory == nullptr ? 0 : static_cast<int64_t>(malloc_usable_size(memory));
}

}  // namespace

// The names are the linker's.
extern "C" {
void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* memory, size_t size);
void __real_free(void* memory);

void* __wrap_malloc(size_t size) {
  void* memory = __real_malloc(size);
  if (is_counting) count(size_of(memory));
  return memory;
}
void* __wrap_calloc(size_t items, size_t size) {
  void* memory = __real_calloc(items, size);
  if (is_counting) count(size_of(memory));
  return memory;
}
void* __wrap_realloc(void* memory, size_t size) {
  int64_t before = is_counting ? size_of(memory) : 0;
  void* grown = __real_realloc(memory, size);
  // While it moves, both are there; whether it does is the allocator's secret.
  if (is_counting && grown != nullptr) count(size_of(grown) - before);
  return grown;
}
void __wrap_free(void* memory) {
  if (is_counting) count(-size_of(memory));
  __real_free(memory);
}
}

// Not inlined: g++ would warn that memory of `new` goes to `free`.
[[gnu::noinline]] void* operator new(size_t size) {
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) braid::out_of_memory();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace braid::tool {

void AllocationMeter::start() {
  in_use = most = 0;
  is_counting = true;
}

uint64_t AllocationMeter::stop() {
  is_counting = false;
  return static_cast<uint64_t>(most);
}

}  // namespace braid::tool
