// Other forms of an operation on a number, which do with another number, or without one.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "sea/graph.h"

namespace braid::sea {

/// Another operation of the same value, and which number it needs to be there.
struct ConstantForm {
  enum Right : uint8_t { number, number_first, left_again, nothing };

  ir::Op op;
  Right right;            ///< the number stands on the right, or on the left
  bool needs_number;
  NodeId left;
  uint64_t bits;  ///< of the number
  NodeId multiple = no_node;  ///< that stood there, and stands around it then
};

/// Numbers that may have been seen: what was not is told at once.
class SeenNumbers {
 public:
  explicit SeenNumbers(size_t count) : bits_(std::bit_ceil(count * 8 / 64 + 1)) {}

  /// Whether it may be there already.
  bool add(Kind kind, uint64_t bits) {
    const auto [word, bit] = place(kind, bits);
    const bool known = (bits_[word] & bit) != 0;
    bits_[word] |= bit;
    return known;
  }
  bool may_have(Kind kind, uint64_t bits) const {
    const auto [word, bit] = place(kind, bits);
    return (bits_[word] & bit) != 0;
  }

 private:
  std::pair<size_t, uint64_t> place(Kind kind, uint64_t bits) const {
    const uint64_t hash = hash_combine(static_cast<uint64_t>(kind), bits);
    return {hash / 64 & (bits_.size() - 1), uint64_t{1} << hash % 64};
  }

  std::vector<uint64_t> bits_;
};

class ConstantForms {
 public:
  /// Of the constants in `there`, or more.
  ConstantForms(const Graph& graph, const SeenNumbers& there) : graph_(graph), there_(there) {}

  /// For an operation that has this constant as an operand.
  std::optional<ConstantForm> find(NodeId user, uint32_t operand, Kind kind, uint64_t bits) const;
  bool is_there(Kind kind, uint64_t bits) const;

 private:
  std::optional<ConstantForm> with_negative(NodeId value, Kind kind, uint64_t bits) const;
  std::optional<ConstantForm> by_other_multiple(NodeId value, Kind kind, uint64_t bits) const;
  std::optional<ConstantForm> with_number_inside(NodeId multiple, Kind kind, uint64_t bits, bool is_taken_away) const;
  template <typename F>
  NodeId find_use(NodeId value, F&& f) const;

  const Graph& graph_;
  const SeenNumbers& there_;
};

}  // namespace braid::sea
