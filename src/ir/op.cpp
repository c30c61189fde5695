// The op table as data, decoded at compile time from ops.def.
#include "ir/op.h"

#include <algorithm>
#include <array>

#include "ir/plain_op.h"

namespace braid::ir {
namespace {

constexpr OperandKind kind_of_letter(char letter) {
  switch (letter) {
    case 'v': return OperandKind::value;
    case 'b': return OperandKind::block;
    case 'x': return OperandKind::variable;
    case 'f': return OperandKind::function;
    case 'g': return OperandKind::global;
    case 'n': return OperandKind::intrinsic;
    case 's': return OperandKind::symbol;
    case 'S': return OperandKind::signature;
    case 't': return OperandKind::type;
    default: return OperandKind::immediate;
  }
}

constexpr OpInfo make(std::string_view id, std::string_view text, std::string_view operands, TypeRule rule,
                      Traits traits, TypeShown shown, std::string_view section, std::string_view doc) {
  OpInfo info{id, text, operands, rule, traits, shown, section, doc, 0, 0, 0, {}, {}};
  bool in_group = false;
  for (char letter : operands) {
    if (letter == '(') {
      in_group = true;
    } else if (letter != ')') {
      if (in_group)
        info.group[info.group_count++] = kind_of_letter(letter);
      else
        info.fixed[info.fixed_count++] = kind_of_letter(letter);
    }
  }
  for (uint32_t i = 0; i < 8; ++i) {
    if (i >= info.fixed_count && info.group_count == 0) break;
    if (info.kind_of(i) == OperandKind::value) info.value_mask |= static_cast<uint8_t>(1u << i);
  }
  return info;
}

}  // namespace

// SECTION cannot assign inside an array initialiser, so each op's section is found by position.
namespace {
struct SectionMark {
  unsigned first;
  std::string_view title;
};
constexpr auto section_marks = [] {
  std::array<SectionMark, 32> marks{};
  unsigned count = 0, position = 0;
#define SECTION(title) marks[count++] = {position, title};
#define OP(id, text, operands, rule, traits, shown, doc) ++position;
#include "ir/ops.def"
#undef OP
#undef SECTION
  for (; count < marks.size(); ++count) marks[count] = {~0u, {}};
  return marks;
}();
constexpr std::string_view section_of(unsigned position) {
  std::string_view title;
  for (const SectionMark& mark : section_marks)
    if (mark.first <= position) title = mark.title;
  return title;
}
}  // namespace

constexpr OpInfo op_table[op_count] = {
#define SECTION(title)
#define OP(id, text, operands, rule, traits, shown, doc) \
  make(#id, text, operands, TypeRule::rule, traits, TypeShown::shown, section_of(unsigned(Op::id)), doc),
#include "ir/ops.def"
#undef OP
#undef SECTION
};

constexpr PlainOp plain_ops[op_count] = {
#define SECTION(title)
#define OP(id, text, operands, rule, traits, shown, doc) PlainOp(Op::id, op_table[unsigned(Op::id)]),
#include "ir/ops.def"
#undef OP
#undef SECTION
};

constexpr auto by_text = [] {
  std::array<Op, op_count> order{};
  for (unsigned i = 0; i < op_count; ++i) order[i] = static_cast<Op>(i);
  std::sort(order.begin(), order.end(), [](Op a, Op b) {
    return op_table[unsigned(a)].text < op_table[unsigned(b)].text;
  });
  return order;
}();

std::optional<Op> find_op(std::string_view text) {
  auto found = std::lower_bound(by_text.begin(), by_text.end(), text,
                                [](Op op, std::string_view t) { return info(op).text < t; });
  if (found == by_text.end() || info(*found).text != text) return std::nullopt;
  return *found;
}

std::optional<Op> opposite_comparison(Op op) {
  switch (op) {
    case Op::eq: return Op::ne;
    case Op::ne: return Op::eq;
    case Op::slt: return Op::sge;
    case Op::sge: return Op::slt;
    case Op::sle: return Op::sgt;
    case Op::sgt: return Op::sle;
    case Op::ult: return Op::uge;
    case Op::uge: return Op::ult;
    case Op::ule: return Op::ugt;
    case Op::ugt: return Op::ule;
    case Op::feq: return Op::fne;
    case Op::fne: return Op::feq;
    default: return std::nullopt;
  }
}

Op swapped_comparison(Op op) {
  switch (op) {
    case Op::slt: return Op::sgt;
    case Op::sle: return Op::sge;
    case Op::sgt: return Op::slt;
    case Op::sge: return Op::sle;
    case Op::ult: return Op::ugt;
    case Op::ule: return Op::uge;
    case Op::ugt: return Op::ult;
    case Op::uge: return Op::ule;
    default: return op;
  }
}

}  // namespace braid::ir
