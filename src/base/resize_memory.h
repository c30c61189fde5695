// Memory in blocks that grow in place where they can. What cannot be had ends the program, as it does for `new`: after the
// handler of std::set_new_handler, if there is one.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>

namespace braid {

[[noreturn, gnu::noinline, gnu::cold]] inline void out_of_memory() {
  if (std::new_handler handler = std::get_new_handler()) handler();
  std::abort();
}

/// The same values in a block that has room for `capacity` of them, which is not 0.
template <typename T>
T* resize_memory(T* data, size_t capacity) {
  static_assert(std::is_trivially_copyable_v<T>);
  void* grown = std::realloc(static_cast<void*>(data), capacity * sizeof(T));
  if (grown == nullptr) out_of_memory();
  return static_cast<T*>(grown);
}

}  // namespace braid
