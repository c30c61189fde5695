// What a parser or a pass does with a node as soon as it is made.
#pragma once

#include <array>
#include <cstdint>

#include "sea/graph.h"

namespace braid::sea {

class Peepholes {
 public:
  virtual ~Peepholes() = default;
  /// The node to use in place of `n`, which is new and has all its inputs (of a loop or its phis, those there are so far).
  /// If that is another node, `n` is dead unless it is kept. At the end of a loop its phis come once more, used and kept,
  /// with all their inputs: the caller puts the answer in their place.
  virtual NodeId apply(NodeId n) = 0;
  /// A number of 64 bits; those who share equal nodes need not make one.
  virtual NodeId constant(Graph& graph, int64_t value) {
    return apply(graph.make_constant(i64, static_cast<uint64_t>(value)));
  }
};

/// Leaves every node as it is. For one graph.
class NoPeepholes final : public Peepholes {
 public:
  NodeId apply(NodeId n) override { return n; }
  NodeId constant(Graph& graph, int64_t value) override {
    Known& known = known_[static_cast<uint64_t>(value) % known_.size()];
    if (known.value != value || known.type.is_none()) {
      const ir::Operand operand = graph.module().constants.get(i64, static_cast<uint64_t>(value));
      known = {value, operand.word(), graph.module().constant_type(operand)};
    }
    return graph.make(NodeOp::constant, known.type, {}, known.operand);
  }

 private:
  /// A number that was asked for: programs name the same few again and again.
  struct Known {
    int64_t value = 0;
    uint32_t operand = 0;
    Type type = none;
  };
  std::array<Known, 64> known_;
};

}  // namespace braid::sea
