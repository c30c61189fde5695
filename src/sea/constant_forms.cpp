#include "sea/constant_forms.h"

#include "ir/bits.h"
#include "sea/sum_parts.h"

namespace braid::sea {

using ir::Op;

namespace {

constexpr uint32_t most_uses = 16;

ConstantForm doubled(NodeId value) { return {Op::add, ConstantForm::left_again, false, value, 0}; }

}  // namespace

template <typename F>
NodeId ConstantForms::find_use(NodeId value, F&& f) const {
  NodeId found = no_node;
  uint32_t seen = 0;
  graph_.for_each_use(value, [&](NodeId user, uint32_t number) {
    if (number == 0 && f(user)) found = user;
    return is_none(found) && ++seen < most_uses;
  });
  return found;
}

std::optional<ConstantForm> ConstantForms::find(NodeId user, uint32_t operand, Kind kind, uint64_t bits) const {
  const NodeOp op = graph_.op(user);
  if (!is_table_op(op) || kind == Kind::i1 || graph_.input_count(user) != 2) return std::nullopt;
  const NodeId value = graph_.input(user, 1 - operand);
  if (graph_.is_constant(value)) return std::nullopt;
  if (operand == 0) {
    if (table_op(op) != Op::sub) return std::nullopt;
    if (std::optional<ConstantForm> inside = with_number_inside(value, kind, bits, true)) return inside;
    return with_negative(value, kind, bits);
  }
  const int width = bit_width(kind);
  const uint64_t least = ir::canonical(kind, uint64_t{1} << (width - 1)), most = ~least;
  const uint64_t unsigned_most = ir::canonical(kind, ~uint64_t{0});
  auto with = [&](Op to, uint64_t number) {
    return ConstantForm{to, ConstantForm::number, true, value, ir::canonical(kind, number)};
  };
  auto unless = [&](uint64_t limit, Op to, uint64_t number) {
    return bits == limit ? std::nullopt : std::optional(with(to, number));
  };
  switch (table_op(op)) {
    case Op::shl:
      if (bits == 1) return doubled(value);
      return bits < static_cast<uint64_t>(width) ? std::optional(with(Op::mul, uint64_t{1} << bits)) : std::nullopt;
    case Op::mul: return bits == 2 ? doubled(value) : by_other_multiple(value, kind, bits);
    case Op::add:
      if (is_there(kind, 0 - bits)) return with(Op::sub, 0 - bits);
      if (std::optional<ConstantForm> inside = with_number_inside(value, kind, bits, false)) return inside;
      return with(Op::sub, 0 - bits);
    case Op::sub: return with(Op::add, 0 - bits);
    case Op::slt: return unless(least, Op::sle, bits - 1);
    case Op::sge: return unless(least, Op::sgt, bits - 1);
    case Op::sgt: return unless(most, Op::sge, bits + 1);
    case Op::sle: return unless(most, Op::slt, bits + 1);
    case Op::ult: return unless(0, Op::ule, bits - 1);
    case Op::uge: return unless(0, Op::ugt, bits - 1);
    case Op::ugt: return unless(unsigned_most, Op::uge, bits + 1);
    case Op::ule: return unless(unsigned_most, Op::ult, bits + 1);
    default: return std::nullopt;
  }
}

bool ConstantForms::is_there(Kind kind, uint64_t bits) const {
  if (!there_.may_have(kind, ir::canonical(kind, bits))) return false;
  const NodeId n = graph_.find_constant(of(kind), ir::canonical(kind, bits));
  return !is_none(n) && graph_.has_uses(n);
}

/// C - x is (-x) - (-C).
std::optional<ConstantForm> ConstantForms::with_negative(NodeId value, Kind kind, uint64_t bits) const {
  const NodeId negative = find_negative(graph_, value);
  if (is_none(negative)) return std::nullopt;
  return ConstantForm{Op::sub, ConstantForm::number, true, negative, ir::canonical(kind, 0 - bits)};
}

/// x * C is -(x * -C), and x * (C / 2) added to itself.
std::optional<ConstantForm> ConstantForms::by_other_multiple(NodeId value, Kind kind, uint64_t bits) const {
  const uint64_t opposite = ir::canonical(kind, 0 - bits);
  const uint64_t half = ir::canonical(kind, static_cast<uint64_t>(static_cast<int64_t>(bits) / 2));
  uint64_t number = 0;
  const NodeId multiple = find_use(value, [&](NodeId user) {
    if (!graph_.is(user, Op::mul) || !graph_.is_constant(graph_.input(user, 1))) return false;
    number = graph_.constant_value(graph_.input(user, 1)).bits;
    return number == opposite || (number == half && bits % 2 == 0);
  });
  if (is_none(multiple)) return std::nullopt;
  const bool negates = number == opposite;
  return ConstantForm{negates ? Op::neg : Op::add, negates ? ConstantForm::nothing : ConstantForm::left_again, true, multiple, number};
}

/// x * F + C is (x + C / F) * F, and C - x * F is (C / F - x) * F, if the product is here only.
std::optional<ConstantForm> ConstantForms::with_number_inside(NodeId multiple, Kind kind, uint64_t bits, bool is_taken_away) const {
  const bool is_mul = graph_.is(multiple, Op::mul);
  if ((!is_mul && !graph_.is(multiple, Op::shl)) || !graph_.has_one_use(multiple) || graph_.is_kept(multiple)) return std::nullopt;
  const NodeId by = graph_.input(multiple, 1), value = graph_.input(multiple, 0);
  if (!graph_.is_constant(by)) return std::nullopt;
  const uint64_t number = graph_.constant_value(by).bits;
  if (!is_mul && number >= static_cast<uint64_t>(bit_width(kind))) return std::nullopt;
  const uint64_t times = is_mul ? number : uint64_t{1} << number;
  const auto factor = static_cast<int64_t>(times), all = static_cast<int64_t>(bits);
  // Twice something needs no number, and may come to that.
  if ((factor >= -1 && factor <= 2) || all % factor != 0) return std::nullopt;
  const auto inside = ir::canonical(kind, static_cast<uint64_t>(all / factor));
  if (is_taken_away) return ConstantForm{Op::sub, ConstantForm::number_first, true, value, inside, multiple};
  const uint64_t opposite = ir::canonical(kind, 0 - inside);
  const bool adds = is_there(kind, inside) || (!is_there(kind, opposite) && all / factor > 0);
  return ConstantForm{adds ? Op::add : Op::sub, ConstantForm::number, true, value, adds ? inside : opposite, multiple};
}

}  // namespace braid::sea
