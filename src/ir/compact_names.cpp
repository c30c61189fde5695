// The names of a walk: what an operand stands for while its statement is ahead, finished or gone.
#include "ir/compact.h"

namespace braid::ir {

using Tag = Operand::Tag;

/// A word of a statement that waits in the old function, as the walk names it.
Operand Compact::walk_name(Operand waiting) const {
  switch (waiting.tag()) {
    case Tag::stmt:
    case Tag::pending: return static_cast<OldRef>(f_.dense(waiting));
    case Tag::final_stmt: return Operand::make(Tag::stmt, waiting.number());
    case Tag::final_pending: return Operand::make(Tag::pending, waiting.number());
    default: return waiting;
  }
}

/// Follows a name to the end, through `same` and `nothing` ahead and behind. Links that are final by now are shortened.
uint32_t Compact::follow(Operand name, bool& late) {
  for (size_t steps = 0; steps <= rename_.size() + out_.size() + behind_.size(); ++steps) {
    if (name.is_old()) {
      Operand last = name;
      while (last.is_old() && rename_[last.number()] != not_yet) last = Operand::from_word(rename_[last.number()]);
      bool may_vanish = last.is_stmt() && last.number() + 1 >= out_.size();
      while (!may_vanish && name != last && Operand::from_word(rename_[name.number()]) != last) {
        uint32_t& link = rename_[name.number()];
        name = Operand::from_word(link);
        link = last.word();
      }
      name = last;
    }
    if (!name.is_old() && (!has_holes_ || !(name.is_stmt() || name.is_pending()))) return name.word();
    if (name.is_stmt() && name.number() == out_.size()) return name.word();  // a phi that is being emitted
    const Stmt& s = name.is_old() ? stmt(name.old_ref()) : finished_stmt(name);
    if (s.op == Op::nothing) return Operand::erased().word();
    if (s.op != Op::same) {
      late |= name.is_old();
      return name.word();
    }
    Operand meaning = Operand::from_word(s.arg[0]);
    name = name.is_old() ? walk_name(meaning) : meaning;
  }
  return Operand::erased().word();  // a ring
}

Operand Compact::renamed(OldRef old) const {
  Operand operand(old);
  while (operand.is_old() && rename_[operand.number()] != not_yet)
    operand = Operand::from_word(rename_[operand.number()]);
  return operand;
}

Type Compact::type_of(Operand operand) const {
  switch (operand.tag()) {
    case Tag::stmt: return out_.type(operand.number());
    case Tag::pending: return behind_.type(operand.number());
    case Tag::old: return old_type(operand.number());
    default: return f_.type_of(operand);
  }
}

Operand Compact::operand(OldRef old, uint32_t i) const {
  Operand name = walk_name(f_.operand(f_.from_dense(index(old)), i));
  return name.is_old() ? renamed(name.old_ref()) : name;
}

}  // namespace braid::ir
