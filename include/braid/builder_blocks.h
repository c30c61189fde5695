// Blocks, jumps and phis of the Builder's user, without a call where nothing is special. Part of builder.h, which includes it.
#pragma once

#include <braid/builder.h>

namespace braid {

inline Builder& Builder::at(Label block) {
  bool is_simple = is_in_order(block) && flow_.labels[block.block_] == 1 && writer_.may_reopen() &&
                   flow_.blocks != flow_.block_room;
  if (!is_simple) [[unlikely]] {
    take_up(block);
    return *this;
  }
  flow_.start(block.block_, writer_.position);
  writer_.reopen();
  return *this;
}

inline Val Builder::phi(Type type) {
  uint32_t position = writer_.position;
  bool is_simple = position == flow_.next_phi && position != writer_.room && detail::is_plain_value(type);
  if (!is_simple) [[unlikely]] return Val(this, phi_slow(type));
  flow_.next_phi = position + 1;
  return Val(this, writer_.write(detail::phi_head, 0, 0, type), type);
}

template <size_t... i>
inline void Builder::jump_with(Label target, [[maybe_unused]] const Arg* values, std::index_sequence<i...>) {
  constexpr uint32_t count = sizeof...(i);
  bool is_simple = is_in_order(target) && writer_.position != writer_.room && flow_.value_room - flow_.brought >= count &&
                   (is_current(values[i]) && ...);
  if (!is_simple) [[unlikely]] {
    if constexpr (count == 0) {
      jump(target, std::span<const Arg>());
    } else {
      const Arg copies[] = {values[i]...};  // who gives away an address cannot keep the values in registers
      jump(target, std::span<const Arg>(copies));
    }
    return;
  }
  uint32_t first = flow_.brought;
  flow_.brought = first + count;
  [[maybe_unused]] detail::TypedWord* to = flow_.values + first;
  ((to[i] = values[i].value_), ...);
  flow_.labels[target.block_] |= 1;
  writer_.write(detail::jump_head, target.block_, count, void_type, first);
  close();
}

inline void Builder::branch(const Arg& condition, Label if_true, Label if_false) {
  bool is_simple = is_in_order(if_true) && is_in_order(if_false) && writer_.position != writer_.room && is_current(condition);
  if (!is_simple) [[unlikely]] return branch_slow(condition, if_true, if_false);
  flow_.labels[if_true.block_] |= 1;
  flow_.labels[if_false.block_] |= 1;
  writer_.write(detail::branch_head, condition.word(), if_true.block_, void_type, if_false.block_);
  close();
}

}  // namespace braid
