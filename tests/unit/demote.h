// Variables into memory: the opposite of promotion, so that programs over variables test what moves loads and
// stores.
#pragma once

#include <string>
#include <vector>

#include "ir/compact.h"
#include "ir/function.h"

namespace braid {

/// Moves variables that are certainly defined, or zero until they are, to stack slots and globals. Of some
/// the address is not a known one, so that reading them may fail for all that can be seen: every second one,
/// counted from `first_hidden`. `always_set` are variables that are set first.
class Demote {
 public:
  Demote(ir::Function& f, std::vector<std::string> always_set, uint32_t first_hidden = 1)
      : f_(f), always_set_(std::move(always_set)), first_hidden_(first_hidden) {}

  void run() {
    using namespace ir;
    std::vector<bool> may_move(f_.variables.size());
    for (uint32_t v = 0; v < may_move.size(); ++v)
      may_move[v] = is_candidate(f_.variables[static_cast<VarId>(v)]);
    for_each_mention([&](Operand, const Stmt& stmt) {
      bool undefines = stmt.op == Op::is_defined || (stmt.op == Op::set && f_.operand(stmt, 1).is_undef());
      if (undefines) may_move[stmt.arg[0]] = false;
    });
    std::vector<Operand> addresses(may_move.size());
    Point start = f_.at_start(Function::entry());
    for (uint32_t v = 0; v < may_move.size(); ++v)
      if (may_move[v]) addresses[v] = address(start, v);
    for_each_mention([&](Operand id, const Stmt& stmt) {
      if (!may_move[stmt.arg[0]]) return;
      Operand at = addresses[stmt.arg[0]];
      if (stmt.op == Op::get)
        f_.overwrite(id, f_.make(Op::load, f_.type(id), {at}));
      else
        f_.overwrite(id, f_.make(Op::store, void_type, {f_.operand(stmt, 1), at}));
    });
    compact(f_);
  }

 private:
  bool is_candidate(const ir::Variable& variable) const {
    if (variable.undef == ir::UndefMeaning::zero) return true;
    for (const std::string& name : always_set_)
      if (f_.module().name(variable.name) == name) return true;
    return false;
  }

  template <class Visit>
  void for_each_mention(Visit&& visit) {
    for (uint32_t i = 0; i < f_.size(); ++i) {
      ir::Operand id = static_cast<ir::Ref>(i);
      ir::Stmt stmt = f_.stmt(id);
      if (stmt.op == ir::Op::get || stmt.op == ir::Op::set || stmt.op == ir::Op::is_defined) visit(id, stmt);
    }
  }

  ir::Operand address(ir::Point start, uint32_t v) {
    using namespace ir;
    Module& module = f_.module();
    Operand base;
    if (v % 3 == 0) {
      GlobalId global = module.add_global({module.symbol("g" + std::to_string(v)), 16, 8, false, {}});
      uint32_t words[] = {index(global)};
      base = f_.insert(start, f_.make(Op::global_addr, ptr, words));
    } else {
      uint32_t words[] = {16, 8};
      base = f_.insert(start, f_.make(Op::stack_slot, ptr, words));
    }
    Operand distance = module.constant(i64, 8);
    if ((v + first_hidden_) % 2 == 0)
      distance = f_.insert(start, f_.make(Op::and_, i64, {Operand::param(0), module.constant(i64, 8)}));
    return f_.insert(start, f_.make(Op::ptr_add, ptr, {base, distance}));
  }

  ir::Function& f_;
  std::vector<std::string> always_set_;
  uint32_t first_hidden_;
};

}  // namespace braid
