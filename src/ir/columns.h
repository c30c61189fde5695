// The statement columns: statement (16 B), type (4 B), location (4 B), side by side.
//
// One size and one capacity serve all columns, so appending is one check and three stores. Copying is one memcpy per column.
#pragma once

#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/resize_memory.h"
#include "ir/stmt.h"

namespace braid::ir {

class Columns {
 public:
  Columns() = default;
  ~Columns() { release(); }
  Columns(const Columns& other) { *this = other; }
  Columns(Columns&& other) noexcept { swap(other); }
  Columns& operator=(const Columns& other) {
    if (this == &other) return *this;
    if (capacity_ < other.size_) reallocate(other.size_);
    size_ = other.size_;
    if (size_ == 0) return *this;
    std::memcpy(static_cast<void*>(stmts_), other.stmts_, size_ * sizeof(Stmt));
    std::memcpy(static_cast<void*>(types_), other.types_, size_ * sizeof(Type));
    std::memcpy(static_cast<void*>(locs_), other.locs_, size_ * sizeof(Loc));
    return *this;
  }
  Columns& operator=(Columns&& other) noexcept {
    swap(other);
    return *this;
  }
  void swap(Columns& other) noexcept {
    std::swap(stmts_, other.stmts_);
    std::swap(types_, other.types_);
    std::swap(locs_, other.locs_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  uint32_t size() const { return size_; }
  uint32_t capacity() const { return capacity_; }
  uint32_t room() const { return capacity_ - size_; }
  void reserve(uint32_t capacity) {
    if (capacity > capacity_) reallocate(capacity);
  }
  void shrink_to_fit() {
    if (capacity_ > size_) reallocate(size_);
  }
  /// Room for at least one more.
  void reserve_more() { grow(); }
  /// The caller has written up to here, or drops what is behind.
  void set_size(uint32_t size) {
    assert(size <= capacity_);
    size_ = size;
  }
  void clear() { size_ = 0; }
  void pop() { --size_; }
  /// Makes room for `size` statements whose contents the caller writes next.
  void resize_uninitialized(uint32_t size) {
    reserve(size);
    size_ = size;
  }

  uint32_t push(const Stmt& stmt, Type type, Loc loc) {
    if (size_ == capacity_) grow();
    stmts_[size_] = stmt;
    types_[size_] = type;
    locs_[size_] = loc;
    return size_++;
  }
  /// Where there is room: `head` with other words as its first two operands.
  uint32_t push_in_room(const Stmt& head, uint32_t a, uint32_t b, Type type, Loc loc) {
    assert(size_ < capacity_);
    Stmt& stmt = stmts_[size_];
    stmt = head;
    stmt.arg[0] = a;
    stmt.arg[1] = b;
    types_[size_] = type;
    locs_[size_] = loc;
    return size_++;
  }
  uint32_t push(const Inst& inst) { return push(inst.stmt, inst.type, inst.loc); }

  Stmt& stmt(uint32_t i) {
    assert(i < size_);
    return stmts_[i];
  }
  const Stmt& stmt(uint32_t i) const {
    assert(i < size_);
    return stmts_[i];
  }
  Type& type(uint32_t i) {
    assert(i < size_);
    return types_[i];
  }
  Type type(uint32_t i) const {
    assert(i < size_);
    return types_[i];
  }
  Loc& loc(uint32_t i) {
    assert(i < size_);
    return locs_[i];
  }
  Loc loc(uint32_t i) const {
    assert(i < size_);
    return locs_[i];
  }
  Inst inst(uint32_t i) const { return {stmt(i), type(i), loc(i)}; }
  const Stmt* stmts() const { return stmts_; }
  Stmt* stmts() { return stmts_; }
  const Type* types() const { return types_; }
  const Loc* locs() const { return locs_; }
  Type* types() { return types_; }
  Loc* locs() { return locs_; }

  size_t bytes() const { return size_t{capacity_} * (sizeof(Stmt) + sizeof(Type) + sizeof(Loc)); }

 private:
  /// In large steps while it is small: what is not used is not touched either, and copying is what growing costs.
  [[gnu::noinline]] void grow() {
    constexpr uint32_t small = 1u << 16;
    reallocate(capacity_ < 32 ? 32 : capacity_ < small ? 4 * capacity_ : 2 * capacity_);
  }
  void reallocate(uint32_t capacity) {
    stmts_ = resized(stmts_, capacity);
    types_ = resized(types_, capacity);
    locs_ = resized(locs_, capacity);
    capacity_ = capacity;
  }
  template <typename T>
  static T* resized(T* data, uint32_t capacity) {
    if (capacity == 0) {
      std::free(data);
      return nullptr;
    }
    return resize_memory(data, capacity);
  }
  void release() {
    std::free(stmts_);
    std::free(types_);
    std::free(locs_);
  }

  Stmt* stmts_ = nullptr;
  Type* types_ = nullptr;
  Loc* locs_ = nullptr;
  uint32_t size_ = 0, capacity_ = 0;
};

}  // namespace braid::ir
