#include "opt/simplify.h"

#include <array>
#include <optional>
#include <vector>

#include "ir/compact.h"
#include "ir/uses.h"
#include "rules/simplify.h"

namespace braid::opt {

using namespace ir;

namespace {

/// Rules within rules; far more than the longest chain that the rules' tests have met.
constexpr int deepest = 24;

/// The finished part of a walk, as the rules see it.
class WalkView {
 public:
  using Value = Operand;
  static constexpr bool may_grow = false;

  WalkView(Function& f, Compact& walk) : module_(f.module()), walk_(walk), old_uses_(f) {}

  Op op(Operand v) const { return v.is_stmt() ? walk_.op(v.ref()) : Op::nothing; }
  Kind kind(Operand v) const { return kind_of(walk_.type_of(v)); }
  Operand input(Operand v, uint32_t i) const { return walk_.operand(v.ref(), i); }
  uint64_t immediate(Operand v) const { return immediate_of(walk_.stmt(v.ref())); }
  std::optional<uint64_t> constant_of(Operand v) const {
    if (!v.is_constant()) return std::nullopt;
    return module_.constants.value(v).bits;
  }
  bool same(Operand a, Operand b) const { return a == b; }
  bool once(Operand v) const { return v.is_stmt() && v.number() < uses_.size() && uses_[v.number()] <= 1; }

  Operand constant(Kind kind, uint64_t bits) { return module_.constants.get(of(kind), bits); }
  Operand make(Op op, Kind kind, std::span<const Operand> inputs) {
    std::array<Operand, 3> kept;  // `inputs` may be gone when rules within rules are done
    std::copy(inputs.begin(), inputs.end(), kept.begin());
    inputs = {kept.data(), inputs.size()};
    if (depth_ < deepest) {
      ++depth_;
      std::optional<Operand> simpler = rules::simplify(*this, op, kind, inputs);
      --depth_;
      if (simpler) return *simpler;
    }
    std::array<uint32_t, 3> words;
    for (size_t i = 0; i < inputs.size(); ++i) words[i] = inputs[i].word();
    Ref made =
        walk_.insert_here({op, type_for(op, kind, inputs), std::span(words).first(inputs.size()), loc_});
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
    std::optional<Operand> made = rules::simplify(
        *this, stmt.op, kind_of(type), std::span<const Operand>(inputs).first(count), immediate_of(stmt));
    if (!made) return;
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
  Kind kind_of(Type type) const {
    if (std::optional<Kind> kind = module_.types.single_kind(type)) return *kind;
    return module_.types.storage(type) == Storage::ref ? Kind::ref : Kind::void_;
  }
  static uint64_t immediate_of(const Stmt& stmt) {
    return stmt.op == Op::extract ? stmt.arg[1] : stmt.op == Op::ptr_index ? stmt.arg[2] : 0;
  }
  Type type_for(Op op, Kind kind, std::span<const Operand> inputs) {
    if (op == Op::select) return module_.types.join(walk_.type_of(inputs[1]), walk_.type_of(inputs[2]));
    if (kind != Kind::tuple) return of(kind);
    const Type elements[] = {of(this->kind(inputs[0])), i1};
    return module_.types.tuple(elements);
  }
  uint32_t old_uses(OldRef old) const {
    const uint32_t dense = index(old);
    if (dense >= old_uses_.statement_count()) return 2;
    return old_uses_.count(static_cast<Ref>(dense));
  }

  Module& module_;
  Compact& walk_;
  Uses old_uses_;
  /// Of each finished statement: how many uses it had, with those of what it replaces; 1 for what rules made.
  std::vector<uint32_t> uses_;
  Loc loc_{};
  int depth_ = 0;
  bool changed_ = false;
};

}  // namespace

void simplify(Function& f) {
  bool changed;
  {
    Compact walk(f, {.remove_dead = true});
    WalkView view(f, walk);
    for (Ref r : walk) view.visit(r);
    walk.finish();
    changed = view.changed();
  }
  // What was replaced and what has lost its last use are holes.
  if (changed) compact(f, {.remove_dead = true});
}

}  // namespace braid::opt
