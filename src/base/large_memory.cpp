#include "base/large_memory.h"

#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace braid {

void prefer_large_pages([[maybe_unused]] void* data, [[maybe_unused]] size_t bytes) {
#if defined(__linux__)
  constexpr uintptr_t large_page = uintptr_t{2} << 20;
  const uintptr_t first = reinterpret_cast<uintptr_t>(data);
  const uintptr_t begin = (first + large_page - 1) & ~(large_page - 1), end = (first + bytes) & ~(large_page - 1);
  // If it is refused, it is slower, and no more.
  if (begin < end) static_cast<void>(madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE));
#endif
}

}  // namespace braid
