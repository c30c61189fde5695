// A bump allocator: memory is taken in growing chunks and given back all at once. Addresses stay valid until
// then.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace braid {

class Arena {
 public:
  Arena() = default;
  Arena(Arena&& other) noexcept { swap(other); }
  Arena& operator=(Arena&& other) noexcept {
    Arena taken(std::move(other));
    swap(taken);
    return *this;
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void* allocate(size_t bytes, size_t alignment = alignof(std::max_align_t)) {
    assert(alignment != 0 && (alignment & (alignment - 1)) == 0);
    size_t padding = (0 - reinterpret_cast<uintptr_t>(next_)) & (alignment - 1);
    if (!next_ || bytes > static_cast<size_t>(end_ - next_) ||
        padding > static_cast<size_t>(end_ - next_) - bytes) {
      add_chunk(bytes + alignment);
      padding = (0 - reinterpret_cast<uintptr_t>(next_)) & (alignment - 1);
    }
    char* result = next_ + padding;
    next_ = result + bytes;
    return result;
  }

  /// An array of value-initialised elements. Destructors are never run, so there must be none.
  template <typename T>
  std::span<T> make_array(size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    T* data = static_cast<T*>(allocate(count * sizeof(T), alignof(T)));
    std::uninitialized_value_construct_n(data, count);
    return {data, count};
  }

  std::string_view copy(std::string_view text) {
    char* data = static_cast<char*>(allocate(text.size(), 1));
    if (!text.empty()) std::memcpy(data, text.data(), text.size());
    return {data, text.size()};
  }

  /// Gives back everything.
  void clear() { *this = Arena(); }
  /// What was taken from the system.
  size_t capacity() const { return capacity_; }

 private:
  static constexpr size_t first_chunk = 1024;
  static constexpr size_t largest_regular_chunk = size_t{1} << 20;

  void add_chunk(size_t at_least) {
    size_t size = std::max(at_least, std::clamp(capacity_, first_chunk, largest_regular_chunk));
    chunks_.emplace_back(new char[size]);
    next_ = chunks_.back().get();
    end_ = next_ + size;
    capacity_ += size;
  }

  void swap(Arena& other) {
    std::swap(chunks_, other.chunks_);
    std::swap(next_, other.next_);
    std::swap(end_, other.end_);
    std::swap(capacity_, other.capacity_);
  }

  std::vector<std::unique_ptr<char[]>> chunks_;
  char* next_ = nullptr;
  char* end_ = nullptr;
  size_t capacity_ = 0;
};

}  // namespace braid
