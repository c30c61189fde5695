#include "sea/alias_classes.h"

#include <optional>

#include "sea/effects.h"

namespace braid::sea {

using ir::Op;

namespace {

/// Bytes that a value of this type takes in memory; none if that is not known.
uint64_t size_in_memory(const Graph& graph, Type type) {
  std::optional<Kind> kind = graph.module().types.single_kind(type);
  if (!kind) return ~uint64_t{0};
  return bit_width(*kind) == 0 ? 8 : (static_cast<uint64_t>(bit_width(*kind)) + 7) / 8;
}

}  // namespace

AliasClasses::AliasClasses(const Graph& graph) : graph_(graph) {
  for (uint32_t k = 0; k < graph.size() && count_ < most; ++k)
    if (NodeId n = static_cast<NodeId>(k); graph.is(n, Op::stack_slot) && claim(n, static_cast<uint8_t>(count_))) ++count_;
}

/// Gives a slot and its loads and stores a class of their own, if its address goes nowhere.
bool AliasClasses::claim(NodeId slot, uint8_t number) {
  const uint64_t size = graph_.words(slot)[0];
  bool goes_nowhere = true;
  claimed_.assign(1, slot);
  work_.assign(1, {slot, 0});
  while (!work_.empty() && goes_nowhere) {
    const Address address = work_.back();
    work_.pop_back();
    graph_.for_each_use(address.node, [&](NodeId user, uint32_t i) {
      const NodeOp op = graph_.op(user);
      auto fits = [&](Type type) {
        const uint64_t bytes = size_in_memory(graph_, type);
        return address.distance <= size && bytes <= size - address.distance;
      };
      if (op == Op::load && i == 2 && fits(graph_.type(user))) {
        claimed_.push_back(user);
      } else if (op == Op::store && i == 3 && fits(graph_.type(graph_.input(user, 2)))) {
        claimed_.push_back(user);
      } else if ((op == Op::ptr_add || op == Op::ptr_index) && i == 0 && graph_.is_constant(graph_.input(user, 1))) {
        const uint64_t factor = op == Op::ptr_index ? graph_.words(user)[0] : 1;
        work_.push_back({user, address.distance + graph_.constant_value(graph_.input(user, 1)).bits * factor});
      } else {
        // The slot is a link as well: what hangs on it by its effect has not got its address.
        goes_nowhere = address.node == slot && is_effect_input(graph_, user, i);
      }
      return goes_nowhere;
    });
  }
  if (!goes_nowhere) return false;
  of_.resize(graph_.size(), rest);
  for (NodeId n : claimed_) of_[index(n)] = number;
  return true;
}

}  // namespace braid::sea
