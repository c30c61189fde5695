#include "interp/pair_up.h"

#include <array>
#include <utility>

namespace braid::interp {
namespace {

enum class PairKind : uint8_t { none, chain, branch, store, other };
struct Pair {
  PairKind kind = PairKind::none;
  Opcode op = Opcode::trap;
  Opcode chained = Opcode::trap;  ///< of a branch: if it compares what the first one computes
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

/// What the two are together, or nothing.
Pair pair_of(const Instr& a, Instr& b) {
  Pair pair = table.find(a.op, b.op);
  if (pair.kind == PairKind::branch && a.a == b.a) pair.op = pair.chained;
  if (pair.kind == PairKind::store && a.a != b.a) return {};
  if (pair.kind != PairKind::chain) return pair;
  if (a.cost != 1) return {};
  if (b.b == a.a) return pair;
  if (!is_symmetric(b.op) || b.c != a.a) return {};
  std::swap(b.b, b.c);
  return pair;
}

}  // namespace

void pair_up(std::vector<Instr>& instrs) {
  // From the end: how many are executed to get there, and whether the first two of them as one.
  std::vector<Pair> pairs(instrs.size());
  uint32_t next = 0, next_but_one = 0;
  for (size_t i = instrs.size(); i-- > 0;) {
    const Pair pair = i + 1 < instrs.size() ? pair_of(instrs[i], instrs[i + 1]) : Pair{};
    uint32_t here = next + 1;
    // A chain does not write its first value, which is worth something even if it saves no dispatch.
    if (pair.kind != PairKind::none && (next_but_one < next || pair.kind == PairKind::chain)) {
      here = next_but_one + 1;
      pairs[i] = pair;
    }
    next_but_one = std::exchange(next, here);
  }
  for (size_t i = 0; i < instrs.size(); ++i)
    if (pairs[i].kind != PairKind::none) instrs[i].op = pairs[i].op;
}

}  // namespace braid::interp
