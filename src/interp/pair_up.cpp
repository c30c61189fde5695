#include "interp/pair_up.h"

#include <array>
#include <span>
#include <utility>

namespace braid::interp {
namespace {

enum class PairKind : uint8_t { none, chain, branch, store, load, other };
struct Pair {
  PairKind kind = PairKind::none;
  Opcode op = Opcode::trap;
  /// Of a branch: if it compares what the first one computes. Of a load: if what is computed from it is stored then.
  Opcode chained = Opcode::trap;
};

/// Rows and columns for those opcodes only that are in a pair; 0 is for all others.
struct PairTable {
  static constexpr uint8_t most_firsts = 64, most_seconds = 64;
  std::array<uint8_t, opcode_count> first{}, second{};
  uint8_t firsts = 1, seconds = 1;
  std::array<std::array<Pair, most_seconds>, most_firsts> pairs{};

  constexpr void add(Opcode a, Opcode b, PairKind kind, Opcode op, Opcode chained = Opcode::trap) {
    uint8_t& row = first[static_cast<unsigned>(a)];
    uint8_t& column = second[static_cast<unsigned>(b)];
    if (row == 0) row = firsts++;
    if (column == 0) column = seconds++;
    pairs[row][column] = {kind, op, chained};
  }
  Pair find(Opcode a, Opcode b) const {
    return pairs[first[static_cast<unsigned>(a)]][second[static_cast<unsigned>(b)]];
  }
};

constexpr PairTable make_table() {
  PairTable t;
#define INT_BINARY(id, W)
#define OVERFLOWING(id, W)
#define INT_UNARY(id, W)
#define INT_COMPARE(id)
#define FLOAT_BINARY(id, F)
#define FLOAT_UNARY(id, F)
#define FLOAT_COMPARE(id, F)
#define NARROW(id, W)
#define EXTEND(id, W)
#define INT_TO_FLOAT(id, W, F)
#define FLOAT_TO_INT(id, F, W)
#define PLAIN(name)
#define CHAIN(a, W, form, b, form2)                                                 \
  t.add(Opcode::a##_##W##_##form, Opcode::b##_##W##_##form2, PairKind::chain, \
        Opcode::a##_##W##_##form##_then_##b##_##form2);
#define CHAIN_BRANCH(a, W, form, id, form2)
#define THEN_BRANCH(a, W, form, id, form2)                                           \
  t.add(Opcode::a##_##W##_##form, Opcode::branch_##id##_##form2, PairKind::branch, \
        Opcode::a##_##W##_##form##_then_branch_##id##_##form2,                       \
        Opcode::a##_##W##_##form##_chain_branch_##id##_##form2);
#define CHAIN_STORE(a, W, form, size)                                                \
  t.add(Opcode::a##_##W##_##form, Opcode::held_store_##size, PairKind::store,        \
        Opcode::a##_##W##_##form##_chain_held_store_##size);
#define CHAIN_LOAD(element, W, op, form)
#define LOAD_STORE(element, W, op, form)                                                              \
  t.add(Opcode::held_load_##element, Opcode::op##_##W##_##form, PairKind::load,                       \
        Opcode::held_load_##element##_then_##op##_##W##_##form,                                       \
        Opcode::held_load_##element##_then_##op##_##W##_##form##_then_store);
#define THEN(a, W, form, name) \
  t.add(Opcode::a##_##W##_##form, Opcode::name, PairKind::other, Opcode::a##_##W##_##form##_then_##name);
#include "interp/opcodes.def"
  return t;
}

constexpr PairTable table = make_table();

bool is_symmetric(Opcode op) {
  switch (op) {
    case Opcode::add_32_rr: case Opcode::add_64_rr:
    case Opcode::and__32_rr: case Opcode::and__64_rr:
    case Opcode::xor__32_rr: case Opcode::xor__64_rr: return true;
    default: return false;
  }
}

bool is_held_store(Opcode op) { return op == Opcode::held_store_32 || op == Opcode::held_store_64; }

/// What instructions are together, and how many words they have; or nothing.
struct Group {
  Opcode op = Opcode::trap;
  uint32_t words = 0;
  bool hands_over = false;  ///< a value is not written to its register
};
Group group_at(std::span<Instr> instrs) {
  const Instr& a = instrs[0];
  const bool is_wide = a.op == Opcode::held_load_i32 || a.op == Opcode::held_load_64;
  const uint32_t behind = is_wide ? 2 : 1;
  if (instrs.size() <= behind) return {};
  Instr& b = instrs[behind];
  const Pair pair = table.find(a.op, b.op);
  switch (pair.kind) {
    case PairKind::none: return {};
    case PairKind::other: return {pair.op, 2, false};
    case PairKind::branch: return {a.a == b.a ? pair.chained : pair.op, 2, false};
    case PairKind::store: return a.a == b.a ? Group{pair.op, 2, false} : Group{};
    case PairKind::chain:
    case PairKind::load: break;
  }
  if (a.cost != 1) return {};
  if (b.b != a.a) {
    if (!is_symmetric(b.op) || b.c != a.a) return {};
    std::swap(b.b, b.c);
  }
  if (pair.kind == PairKind::chain) return {pair.op, 2, true};
  if (instrs.size() > 4 && is_held_store(instrs[3].op) && instrs[3].a == b.a &&
      (instrs[3].op == Opcode::held_store_32) == (a.op == Opcode::held_load_i32))
    return {pair.chained, 5, true};
  return {pair.op, 3, true};
}

}  // namespace

void pair_up(std::vector<Instr>& instrs) {
  // From the end: how many are executed to get there. The second word of an instruction counts as one, always.
  std::vector<uint32_t> count(instrs.size() + 1, 0);
  std::vector<Opcode> ops(instrs.size());
  for (size_t i = instrs.size(); i-- > 0;) {
    ops[i] = instrs[i].op;
    count[i] = count[i + 1] + 1;
    const Group group = group_at(std::span(instrs).subspan(i));
    if (group.words == 0) continue;
    const uint32_t together = count[i + group.words] + 1;
    if (together > count[i] || (together == count[i] && !group.hands_over)) continue;
    count[i] = together;
    ops[i] = group.op;
  }
  for (size_t i = 0; i < instrs.size(); ++i) instrs[i].op = ops[i];
}

}  // namespace braid::interp
