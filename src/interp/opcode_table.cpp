// The tables, filled at compile time.
#include "interp/opcode_table.h"

namespace braid::interp {
namespace {

constexpr unsigned width_number(int width) {
  return width == 1 ? 0 : width == 8 ? 1 : width == 16 ? 2 : width == 32 ? 3 : 4;
}
template <typename Float>
constexpr unsigned float_number = sizeof(Float) == 4 ? 0 : 1;

constexpr OpcodeTable make_table() {
  OpcodeTable t;
  for (auto& row : t.by_float) row.fill(OpcodeTable::absent);
  for (auto& row : t.by_float_and_width)
    for (auto& column : row) column.fill(OpcodeTable::absent);
#define ROW(table, id) t.table[static_cast<unsigned>(ir::Op::id)]
#define INT_BINARY(id, W) ROW(by_width, id)[width_number(W)] = {Opcode::id##_##W##_rr, Opcode::id##_##W##_ri};
#define OVERFLOWING(id, W) ROW(by_width, id)[width_number(W)] = {Opcode::id##_##W##_rr, Opcode::id##_##W##_ri};
#define INT_UNARY(id, W) ROW(by_width, id)[width_number(W)].plain = Opcode::id##_##W;
#define INT_COMPARE(id)                                                                                       \
  ROW(int_compare, id) = {Opcode::id##_rr, Opcode::id##_ri, Opcode::branch_##id##_rr, Opcode::branch_##id##_ri, \
                          OpcodeTable::absent, Opcode::add_branch_##id##_rr, Opcode::add_branch_##id##_ri};
#define FLOAT_BINARY(id, F) ROW(by_float, id)[float_number<F>] = Opcode::id##_##F;
#define FLOAT_UNARY(id, F) ROW(by_float, id)[float_number<F>] = Opcode::id##_##F;
#define FLOAT_COMPARE(id, F)                                                                                   \
  ROW(float_compare, id)[float_number<F>] = {Opcode::id##_##F, OpcodeTable::absent, Opcode::branch_##id##_##F, \
                                             OpcodeTable::absent, Opcode::branch_not_##id##_##F,            \
                                             OpcodeTable::absent, OpcodeTable::absent};
#define NARROW(id, W) ROW(by_width, id)[width_number(W)].plain = Opcode::id##_##W;
#define EXTEND(id, W) ROW(by_width, id)[width_number(W)].plain = Opcode::id##_##W;
#define INT_TO_FLOAT(id, W, F) ROW(by_float_and_width, id)[float_number<F>][width_number(W)] = Opcode::id##_##W##_##F;
#define FLOAT_TO_INT(id, F, W) ROW(by_float_and_width, id)[float_number<F>][width_number(W)] = Opcode::id##_##F##_##W;
#define PLAIN(name)
#define MAY_END(name) t.may_end[static_cast<unsigned>(Opcode::name)] = true;
#define CHAIN(first, W, form, second, form2)
#define CHAIN_BRANCH(first, W, form, id, form2)
#define THEN_BRANCH(first, W, form, id, form2)
#define CHAIN_STORE(first, W, form, size)
#define CHAIN_LOAD(element, W, op, form)
#define LOAD_STORE(element, W, op, form)
#define THEN(first, W, form, name)
#include "interp/opcodes.def"
#undef ROW
  return t;
}

}  // namespace

constexpr OpcodeTable opcode_table = make_table();

}  // namespace braid::interp
