// Copying blocks of a function that is edited.
#include "ir/clone.h"

#include "ir/order.h"

namespace braid::ir {
namespace {

struct FunctionCloneHost {
  Function& f;
  PendingLists lists;  ///< they hold while nothing is appended: the cloner reads first

  const Function& graph() const { return f; }
  std::vector<Operand> statements(BlockId b) const {
    std::vector<Operand> names;
    for_each_statement(f, lists, b, [&](Operand id) { names.push_back(id); });
    return names;
  }
  Operand terminator(BlockId b) const { return f.terminator(b); }
  const Stmt& stmt(Operand name) const { return f.stmt(name); }
  CloneDraft read(Operand name) const {
    const Stmt& s = f.stmt(name);
    std::span<const uint32_t> words = f.args(s);
    CloneDraft draft{s.op,     f.type(name), {words.begin(), words.end()}, f.loc(name),
                     s.flags, f.source_variable(name)};
    for (uint32_t i = 0; i < words.size(); ++i)
      if (info(s.op).is_value(i)) draft.words[i] = f.resolve(Operand::from_word(words[i])).word();
    return draft;
  }
  BlockId new_block() { return f.new_block(); }
  Operand append(BlockId b, const CloneDraft& draft) {
    Inst inst = f.make(draft.op, draft.type, draft.words, draft.loc);
    inst.stmt.flags = draft.flags;
    Ref copy = f.append(b, inst);
    if (!is_none(draft.source_variable)) f.set_source_variable(copy, draft.source_variable);
    return copy;
  }
  void terminate(BlockId b, const CloneDraft& draft) {
    f.terminate(b, draft.op, draft.words, draft.loc);
    f.set_flags(f.terminator(b), draft.flags);
  }
  void set_operand(Operand name, uint32_t i, Operand value) { f.set_operand(name, i, value); }
  void add_upsilon(Operand phi_c, Operand upsilon) { f.add_upsilon(phi_c, upsilon); }
};

}  // namespace

std::vector<BlockId> Function::clone_blocks(std::span<const BlockId> blocks) {
  FunctionCloneHost host{*this, PendingLists(*this)};
  return clone_blocks_in(host, blocks);
}

}  // namespace braid::ir
