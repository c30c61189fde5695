// A value or none, made of whole words: for answers of functions that are asked for every operation and stay out of line.
//
// g++ gives a std::optional back through memory: it writes the flag as one byte and reads it as a part of a word, and the
// processor waits for the store each time.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

namespace braid {

template <typename T>
class Maybe {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) >= sizeof(uint32_t));

 public:
  constexpr Maybe() = default;
  constexpr Maybe(std::nullopt_t) {}
  constexpr Maybe(T value) : value_(value), is_there_(1) {}

  constexpr bool has_value() const { return is_there_ != 0; }
  constexpr explicit operator bool() const { return has_value(); }
  constexpr const T& operator*() const { return value_; }
  constexpr const T* operator->() const { return &value_; }

 private:
  T value_{};
  std::conditional_t<sizeof(T) == sizeof(uint32_t), uint32_t, uint64_t> is_there_ = 0;
};

}  // namespace braid
