// A stack of plain values with 32-bit sizes. Pushing is a compare and a store; growing is one realloc.
#pragma once

#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/id.h"
#include "base/resize_memory.h"

namespace braid {

template <typename T>
class Stack {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Stack() = default;
  ~Stack() { std::free(data_); }
  Stack(const Stack& other) { *this = other; }
  Stack& operator=(const Stack& other) {
    if (this == &other) return *this;
    reserve(other.size_);
    size_ = other.size_;
    if (size_ != 0) std::memcpy(static_cast<void*>(data_), other.data_, size_t{size_} * sizeof(T));
    return *this;
  }
  Stack(Stack&& other) noexcept { swap(other); }
  Stack& operator=(Stack&& other) noexcept {
    swap(other);
    return *this;
  }
  void swap(Stack& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  uint32_t size() const { return size_; }
  uint32_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  T& operator[](uint32_t i) {
    assert(i < size_);
    return data_[i];
  }
  const T& operator[](uint32_t i) const {
    assert(i < size_);
    return data_[i];
  }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

  void reserve(uint32_t capacity) {
    if (capacity > capacity_) reallocate(capacity);
  }
  /// The value is none of ours.
  void push(const T& value) {
    if (size_ == capacity_) [[unlikely]] grow();
    data_[size_++] = value;
  }
  /// So many more, which the caller writes next, part by part: values that are put together elsewhere and copied as a whole
  /// have to wait until they are there.
  T* add(uint32_t count = 1) {
    while (capacity_ - size_ < count) [[unlikely]] grow();
    T* added = data_ + size_;
    size_ += count;
    return added;
  }
  bool is_full() const { return size_ == capacity_; }
  void make_room() { grow(); }
  void pop() {
    assert(size_ != 0);
    --size_;
  }
  void clear() { size_ = 0; }
  void shrink_to_fit() {
    if (capacity_ > size_ && size_ != 0) reallocate(size_);
  }
  /// Drops what is behind.
  void cut(uint32_t size) {
    assert(size <= size_);
    size_ = size;
  }

 private:
  /// In large steps while it is small: what is not used is not touched either.
  [[gnu::noinline]] void grow() {
    reallocate(capacity_ < 16 ? 32 : capacity_ < (1u << 16) ? 4 * capacity_ : 2 * capacity_);
  }
  void reallocate(uint32_t capacity) {
    data_ = resize_memory(data_, capacity);
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  uint32_t size_ = 0, capacity_ = 0;
};

/// The same, indexed by one kind of id.
template <Id I, typename T>
class IdStack {
 public:
  T& operator[](I id) { return values_[index(id)]; }
  const T& operator[](I id) const { return values_[index(id)]; }
  I push(const T& value) {
    values_.push(value);
    return static_cast<I>(values_.size() - 1);
  }
  /// So many more, which the caller writes next.
  T* add(uint32_t count = 1) { return values_.add(count); }
  /// Drops what is behind.
  void cut(uint32_t size) { values_.cut(size); }
  uint32_t size() const { return values_.size(); }
  uint32_t capacity() const { return values_.capacity(); }
  void reserve(uint32_t size) { values_.reserve(size); }
  void shrink_to_fit() { values_.shrink_to_fit(); }
  T* begin() { return values_.begin(); }
  T* end() { return values_.end(); }
  const T* begin() const { return values_.begin(); }
  const T* end() const { return values_.end(); }

 private:
  Stack<T> values_;
};

}  // namespace braid
