#include "ir/undef_uses.h"

#include <vector>

#include "base/bit_set.h"
#include "base/csr.h"

namespace braid::ir {

namespace {

bool passes_on(Op op) { return is_phi_like(op) || op == Op::pi || op == Op::upsilon; }
bool takes_undef(Op op) { return passes_on(op) || op == Op::same || op == Op::set || op == Op::save_state; }

template <typename F>
void for_each_value(const Function& f, Ref r, F&& visit) {
  const Stmt& s = f.stmt(r);
  const OpInfo& op = info(s.op);
  std::span<const uint32_t> words = f.args(s);
  for (uint32_t i = 0; i < words.size(); ++i)
    if (op.is_value(i)) visit(Operand::from_word(words[i]));
}

bool undef_flows(const Function& f) {
  bool found = false;
  for (uint32_t i = 0; i < f.size() && !found; ++i)
    for_each_value(f, static_cast<Ref>(i), [&](Operand value) { found = found || value.is_undef(); });
  return found;
}

/// Optimistic: what passes values on is undefined until a defined one comes to it, so that rings of phis fall out right.
BitSet defined_values(const Function& f) {
  BitSet defined(f.size());
  std::vector<uint32_t> work;
  auto users = Csr<uint32_t>::build(f.size(), [&](auto&& emit) {
    for (uint32_t i = 0; i < f.size(); ++i) {
      if (!passes_on(f.op(static_cast<Ref>(i)))) continue;
      for_each_value(f, static_cast<Ref>(i), [&](Operand value) {
        if (value.is_stmt() && passes_on(f.op(value)))
          emit(value.number(), i);
        else if (!value.is_undef() && defined.insert(i))
          work.push_back(i);
      });
    }
  });
  while (!work.empty()) {
    uint32_t i = work.back();
    work.pop_back();
    for (uint32_t user : users.row(i))
      if (defined.insert(user)) work.push_back(user);
  }
  return defined;
}

}  // namespace

bool end_at_undef_uses(Function& f) {
  if (!undef_flows(f)) return false;
  BitSet defined = defined_values(f);
  auto is_undefined = [&](Operand value) {
    return value.is_undef() || (value.is_stmt() && passes_on(f.op(value)) && !defined.test(value.number()));
  };
  bool changed = false;
  for (uint32_t b = 0; b < f.block_count(); ++b) {
    const Block block = f.block(static_cast<BlockId>(b));
    for (uint32_t i = block.first; i < block.end; ++i) {
      bool traps_here = false;
      if (!takes_undef(f.op(static_cast<Ref>(i))))
        for_each_value(f, static_cast<Ref>(i), [&](Operand value) { traps_here = traps_here || is_undefined(value); });
      if (!traps_here) continue;
      for (uint32_t k = i; k < block.end; ++k)
        if (static_cast<Ref>(k) != block.terminator.ref()) f.erase(static_cast<Ref>(k));
      f.unreachable(static_cast<BlockId>(b), f.loc(static_cast<Ref>(i)));
      changed = true;
      break;
    }
  }
  return changed;
}

}  // namespace braid::ir
