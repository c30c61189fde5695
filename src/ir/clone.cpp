// Copying blocks of a function that is edited.
#include "ir/clone.h"

#include "ir/order.h"

namespace braid::ir {
namespace {

/// Where statements of a callee are once they stand in the place of a call.
class InlinedLocations {
 public:
  InlinedLocations(Module& module, Loc call) : module_(module), call_(call) {}

  Loc operator()(Loc loc) {
    if (loc == Loc{} || call_ == Loc{}) return loc;
    // The places of calls inside of the callee come first: they are named by what was inlined there.
    chain_.clear();
    for (; loc != Loc{} && !known_.contains(index(loc)); loc = module_.location(loc).inlined_at) chain_.push_back(loc);
    Loc around = loc == Loc{} ? call_ : known_[index(loc)];
    for (size_t i = chain_.size(); i-- > 0;) {
      const Location at = module_.location(chain_[i]);
      around = known_[index(chain_[i])] = module_.location(at.file, at.line, at.column, around);
    }
    return around;
  }

 private:
  Module& module_;
  const Loc call_;
  std::unordered_map<uint32_t, Loc> known_;
  std::vector<Loc> chain_;
};

struct FunctionCloneHost {
  const Function& from;
  Function& to;
  PendingLists lists;             ///< of `from`; they hold while nothing is appended: the cloner reads first
  bool leaves_returns_open = false;
  InlinedLocations* locations = nullptr;  ///< what to do with them; null: nothing

  const Function& graph() const { return from; }
  std::vector<Operand> statements(BlockId b) const {
    std::vector<Operand> names;
    for_each_statement(from, lists, b, [&](Operand id) { names.push_back(id); });
    return names;
  }
  Operand terminator(BlockId b) const {
    Operand t = from.terminator(b);
    return leaves_returns_open && !t.is_undef() && from.op(t) == Op::ret ? Operand::undef() : t;
  }
  const Stmt& stmt(Operand name) const { return from.stmt(name); }
  CloneDraft read(Operand name) const { return read(from, name); }

  const Function& target() const { return to; }
  BlockId new_block() { return to.new_block(); }
  Operand append(BlockId b, const CloneDraft& draft) {
    Inst inst = to.make(draft.op, draft.type, draft.words, moved(draft.loc));
    inst.stmt.flags = draft.flags;
    Ref copy = to.append(b, inst);
    // Another function's variables have other numbers.
    if (!is_none(draft.source_variable) && &from == &to) to.set_source_variable(copy, draft.source_variable);
    return copy;
  }
  void terminate(BlockId b, const CloneDraft& draft) {
    to.terminate(b, draft.op, draft.words, moved(draft.loc));
    to.set_flags(to.terminator(b), draft.flags);
  }
  Operand copied_terminator(BlockId b) const { return to.terminator(b); }
  CloneDraft read_copy(Operand name) const { return read(to, name); }
  void set_operand(Operand name, uint32_t i, Operand value) { to.set_operand(name, i, value); }
  void add_upsilon(Operand phi_c, Operand upsilon) { to.add_upsilon(phi_c, upsilon); }

 private:
  Loc moved(Loc loc) { return locations == nullptr ? loc : (*locations)(loc); }
  static CloneDraft read(const Function& f, Operand name) {
    const Stmt& s = f.stmt(name);
    std::span<const uint32_t> words = f.args(s);
    CloneDraft draft{s.op,     f.type(name), {words.begin(), words.end()}, f.loc(name),
                     s.flags, f.source_variable(name)};
    for (uint32_t i = 0; i < words.size(); ++i)
      if (info(s.op).is_value(i)) draft.words[i] = f.resolve(Operand::from_word(words[i])).word();
    return draft;
  }
};

}  // namespace

std::vector<BlockId> Function::clone_blocks(std::span<const BlockId> blocks) {
  FunctionCloneHost host{*this, *this, PendingLists(*this)};
  return clone_blocks_in(host, blocks);
}

CopiedBody copy_body(Function& f, const Function& callee, std::span<const Operand> arguments, Loc call) {
  std::vector<BlockId> blocks;
  for (uint32_t b = 0; b < callee.block_count(); ++b) blocks.push_back(static_cast<BlockId>(b));
  InlinedLocations locations(f.module(), call);
  FunctionCloneHost host{callee, f, PendingLists(callee), true, &locations};
  BlockCloner<FunctionCloneHost> cloner(host, blocks);
  for (uint32_t i = 0; i < arguments.size(); ++i) cloner.rename(Operand::param(i), arguments[i]);
  CopiedBody body;
  body.blocks = cloner.run();
  for (BlockId b : blocks) {
    const Stmt& end = callee.stmt(callee.terminator(b));
    if (end.op != Op::ret) continue;
    const Operand value = callee.operand_count(end) == 0 ? Operand::undef() : callee.resolve(callee.operand(end, 0));
    body.returns.push_back({body.blocks[index(b)], cloner.renamed(value)});
  }
  for (uint32_t i = 0; i < callee.size(); ++i) {
    const Stmt& s = callee.columns().stmt(i);
    if (s.op == Op::save_state && callee.operand(s, 2).is_undef())
      body.outermost.push_back(cloner.renamed(static_cast<Ref>(i)));
  }
  return body;
}

}  // namespace braid::ir
