#include "ir/undef_uses.h"

#include <algorithm>

#include "ir/undef_flow.h"

namespace braid::ir {

namespace {

template <typename F>
void for_each_value(const Function& f, Ref r, F&& visit) {
  const Stmt& s = f.stmt(r);
  const OpInfo& op = info(s.op);
  std::span<const uint32_t> words = f.args(s);
  for (uint32_t i = 0; i < words.size(); ++i)
    if (op.is_value(i)) visit(Operand::from_word(words[i]));
}

bool undef_flows(const Function& f) {
  for (uint32_t i = 0; i < f.size(); ++i) {
    // Hardly any word is that of `undef`, whatever it means, but in states, which take it and hand it to nobody.
    const Stmt& s = f.columns().stmt(i);
    const std::span<const uint32_t> words = f.args(s);
    if (s.op == Op::save_state || std::find(words.begin(), words.end(), Operand::undef().word()) == words.end()) continue;
    bool found = false;
    for_each_value(f, static_cast<Ref>(i), [&](Operand value) { found = found || value.is_undef(); });
    if (found) return true;
  }
  return false;
}

BitSet defined_values(const Function& f) {
  return find_defined(f.size(), [&](auto&& from, auto&& define) {
    for (uint32_t i = 0; i < f.size(); ++i) {
      if (!passes_undef_on(f.op(static_cast<Ref>(i)))) continue;
      for_each_value(f, static_cast<Ref>(i), [&](Operand value) {
        if (value.is_stmt() && passes_undef_on(f.op(value)))
          from(i, value.number());
        else if (!value.is_undef())
          define(i);
      });
    }
  });
}

}  // namespace

bool end_at_undef_uses(Function& f) {
  if (!undef_flows(f)) return false;
  BitSet defined = defined_values(f);
  auto is_undefined = [&](Operand value) {
    return value.is_undef() || (value.is_stmt() && passes_undef_on(f.op(value)) && !defined.test(value.number()));
  };
  bool changed = false;
  for (uint32_t b = 0; b < f.block_count(); ++b) {
    const Block block = f.block(static_cast<BlockId>(b));
    for (uint32_t i = block.first; i < block.end; ++i) {
      bool traps_here = false;
      if (!may_take_undef(f.op(static_cast<Ref>(i))))
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

Analysis compact_to_defined(Function& f, CompactOptions options) {
  Analysis unchanged = compact(f, options);
  while (end_at_undef_uses(f)) {
    compact(f, options);
    unchanged = Analysis::none;
  }
  return unchanged;
}

}  // namespace braid::ir
