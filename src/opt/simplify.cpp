#include "opt/simplify.h"

#include <array>
#include <vector>

#include "ir/compact.h"
#include "ir/fit_types.h"
#include "rules/operand_view.h"

namespace braid::opt {

using namespace ir;

namespace {

/// The finished part of a walk, as the rules see it.
class WalkView : public rules::OperandView<WalkView> {
 public:
  WalkView(Module& module, Compact& walk, const Uses& old_uses, std::span<uint64_t> fired)
      : OperandView(module), walk_(walk), old_uses_(old_uses), fired_(fired) {}

  Op op(Operand v) const { return v.is_stmt() ? walk_.op(v.ref()) : Op::nothing; }
  Type type_of(Operand v) const { return walk_.type_of(v); }
  Operand input(Operand v, uint32_t i) const { return walk_.operand(v.ref(), i); }
  uint64_t immediate(Operand v) const { return immediate_of(walk_.stmt(v.ref())); }
  bool once(Operand v) const { return v.is_stmt() && v.number() < uses_.size() && uses_[v.number()] <= 1; }
  Operand place(Op op, Type type, std::span<const uint32_t> words) {
    Ref made = walk_.insert_here({op, type, words, loc_});
    uses_.resize(index(made) + 1, 1);
    return made;
  }

  /// Looks at the statement that the walk has just emitted.
  void visit(Ref r) {
    uses_.resize(index(r) + 1, 1);
    uses_[index(r)] = old_uses(walk_.old_here());
    const Stmt stmt = walk_.stmt(r);
    if (!rules::can_simplify(stmt.op)) return;
    std::array<Operand, 3> inputs;
    uint32_t count = 0;
    const OpInfo& info = ir::info(stmt.op);
    std::span<const uint32_t> words = walk_.args(stmt);
    for (uint32_t i = 0; i < words.size() && i < 3; ++i) {
      if (!info.is_value(i)) continue;
      Operand input = Operand::from_word(words[i]);
      // What is undefined, or not there yet in an unreachable ring, is left alone.
      if (!input.is_stmt() && !input.is_constant() && !input.is_param()) return;
      inputs[count++] = input;
    }
    const Type type = walk_.type(r);
    loc_ = walk_.loc(r);
    const uint32_t before = walk_.size();
    rules::RuleId rule = rules::RuleId::none;
    Maybe<Operand> made = rules::simplify(
        *this, stmt.op, kind_of(type), std::span<const Operand>(inputs).first(count), immediate_of(stmt), &rule);
    if (!made) return;
    if (!fired_.empty()) ++fired_[static_cast<size_t>(rule)];
    if (made->is_stmt()) {
      // It has the same value, so that what was known of the statement is known of a new one, too.
      if (made->number() >= before && !type.is_plain()) walk_.set_type(made->ref(), type);
      uses_[made->number()] += made->number() >= before ? uses_[index(r)] - 1 : uses_[index(r)];
    }
    walk_.replace(r, *made);
    changed_ = true;
  }
  bool changed() const { return changed_; }

 private:
  static uint64_t immediate_of(const Stmt& stmt) {
    return stmt.op == Op::extract ? stmt.arg[1] : stmt.op == Op::ptr_index ? stmt.arg[2] : 0;
  }
  uint32_t old_uses(OldRef old) const {
    const uint32_t dense = index(old);
    if (dense >= old_uses_.statement_count()) return 2;
    return old_uses_.count(static_cast<Ref>(dense));
  }

  Compact& walk_;
  const Uses& old_uses_;
  /// Of each finished statement: how many uses it had, with those of what it replaces; 1 for what rules made.
  std::vector<uint32_t> uses_;
  std::span<uint64_t> fired_;
  Loc loc_{};
  bool changed_ = false;
};

}  // namespace

void simplify(Function& f) { simplify(f, std::span<uint64_t>()); }
void simplify(Function& f, std::span<uint64_t> fired) {
  Analyses analyses(f);
  simplify(f, analyses, fired);
}

void simplify(Function& f, Analyses& analyses, std::span<uint64_t> fired) {
  const Uses& old_uses = analyses.uses();
  Compact walk(f, {.remove_dead = true});
  WalkView view(f.module(), walk, old_uses, fired);
  for (Ref r : walk) view.visit(r);
  walk.finish();
  analyses.keep(walk.unchanged());
  if (!view.changed()) return;
  // What was replaced and what has lost its last use are holes.
  analyses.keep(Analysis::graph);
  analyses.keep(compact(f, {.remove_dead = true}));
  fit_types(f, analyses);
}

}  // namespace braid::opt
