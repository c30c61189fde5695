// A vector indexed by one kind of id, and by no other.
#pragma once

#include <cassert>
#include <vector>

#include "base/id.h"

namespace braid {

template <Id I, typename T>
class IdMap {
 public:
  IdMap() = default;
  explicit IdMap(size_t size, const T& fill = T()) : data_(size, fill) {}

  T& operator[](I id) {
    assert(index(id) < data_.size());
    return data_[index(id)];
  }
  const T& operator[](I id) const {
    assert(index(id) < data_.size());
    return data_[index(id)];
  }

  I push(T value) {
    data_.push_back(std::move(value));
    return static_cast<I>(data_.size() - 1);
  }
  size_t size() const { return data_.size(); }
  bool empty() const { return data_.empty(); }
  bool contains(I id) const { return index(id) < data_.size(); }
  void resize(size_t size, const T& fill = T()) { data_.resize(size, fill); }
  void assign(size_t size, const T& fill) { data_.assign(size, fill); }
  void reserve(size_t size) { data_.reserve(size); }
  void clear() { data_.clear(); }

  auto begin() { return data_.begin(); }
  auto end() { return data_.end(); }
  auto begin() const { return data_.begin(); }
  auto end() const { return data_.end(); }
  std::vector<T>& raw() { return data_; }
  const std::vector<T>& raw() const { return data_; }
  bool operator==(const IdMap&) const = default;

 private:
  std::vector<T> data_;
};

}  // namespace braid
