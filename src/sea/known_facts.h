// Facts about values that hold in a part of the dominator tree, and their undoing when the walk leaves it.
#pragma once

#include <optional>
#include <vector>

#include "sea/rewriter.h"

namespace braid::sea {

class KnownFacts {
 public:
  KnownFacts(Graph& graph, Rewriter& rewriter)
      : graph_(graph), rewriter_(rewriter), types_(rewriter.types()), narrowed_(graph.size()) {}

  /// Everything learned after this goes when `forget` gets the answer.
  size_t mark() const { return undo_.size(); }
  void forget(size_t mark);

  void learn_truth(NodeId condition, bool holds);
  void learn_equal(NodeId value, uint64_t bits);

  /// The value of a condition, if it is decided here: zero or not.
  std::optional<bool> decide(NodeId condition);
  /// Whether it was asked as it is, or as its negation.
  bool was_asked(NodeId condition) const;
  /// The number that a value is known to be here, though not everywhere.
  std::optional<TypeConstant> known_number(NodeId value) const;

  static constexpr uint32_t most_steps = 16;  ///< parts of a condition that are learned from
  static constexpr uint32_t levels = 3;       ///< of operands whose facts tell of a condition
  /// Whether nobody but the one who tells of it can ask for it.
  static bool is_private(const Graph& graph, NodeId n) { return graph.has_one_use(n); }

 private:
  /// Sets of orders that two values may stand in: less, equal, greater; signed in the low bits, unsigned above them.
  using Orders = uint8_t;
  /// Open addressing; what was once there stays, and says nothing when it is undone.
  class PairTable {
   public:
    /// Null if nothing was ever known.
    const Orders* find(uint64_t pair) const;
    Orders& get(uint64_t pair);

   private:
    struct Entry {
      uint64_t pair;
      Orders orders;
    };
    static constexpr uint64_t free = ~uint64_t{0};
    size_t place(uint64_t pair) const;
    std::vector<Entry> entries_;
    size_t count_ = 0;
  };
  struct Undo {
    NodeId value;  ///< none: `pair` is meant
    Type type;
    uint64_t pair;
    Orders orders;
  };

  Type here(NodeId n) const {
    return index(n) < narrowed_.size() && narrowed_[index(n)] != none ? narrowed_[index(n)] : types_.of(n);
  }
  Type type_here(NodeId n, uint32_t depth);
  void narrow_range(NodeId n, int64_t low, int64_t high);
  bool is_private(NodeId n) const { return is_private(graph_, n); }
  void narrow_orders(uint64_t pair, Orders orders);
  /// The pair of a value and zero: ranges cannot leave out zero alone.
  static uint64_t with_zero(NodeId n) { return static_cast<uint64_t>(index(n)) << 32 | 0xffffffffu; }
  bool is_not_zero(NodeId n) const;
  void learn_comparison(ir::Op op, NodeId a, NodeId b);
  std::optional<bool> decide_by_order(NodeId condition) const;
  static std::optional<uint64_t> pair_of(NodeId a, NodeId b, bool& flipped);

  Graph& graph_;
  Rewriter& rewriter_;
  NodeTypes& types_;
  std::vector<Type> narrowed_;  ///< by node; none: nothing beside its type
  uint32_t narrowed_count_ = 0;
  PairTable orders_;  ///< by pair of nodes, the lesser id first
  std::vector<Undo> undo_;
  struct Truth {
    NodeId condition;
    bool holds;
  };
  std::vector<Truth> list_;
};

}  // namespace braid::sea
