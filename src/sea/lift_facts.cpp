#include "sea/lift_facts.h"

#include "flow/endless_parts.h"
#include "flow/iterated_frontier.h"
#include "ir/undef_flow.h"

namespace braid::sea {

using namespace ir;

LiftFacts::LiftFacts(const Function& f, const PendingLists& lists, const BlockDominance& dominance)
    : f_(f), dominance_(dominance) {
  find_roles(lists);
  find_undef(lists);
  find_ways();
  find_meetings();
  find_exits();
}

// ---- statements ----

void LiftFacts::find_roles(const PendingLists& lists) {
  roles_.assign(f_.dense_count(), 0);
  changing_.resize(f_.block_count());
  for (flow::Node n : dominance_.tree().preorder())
    for_each_statement(f_, lists, block(n), [&](Operand id) {
      uint8_t role = role_of(id);
      roles_[f_.dense(id)] = role;
      bool leads_on = !is_terminator(f_.op(id)) || f_.op(id) == Op::enter;
      if (leads_on && static_cast<EffectRole>(role & role_mask) == EffectRole::changes)
        changing_.set(index(n));
    });
}

uint8_t LiftFacts::role_of(Operand id) const {
  const Stmt& stmt = f_.stmt(id);
  if (stmt.op == Op::nothing || stmt.op == Op::same) return 0;
  constexpr uint8_t reads = static_cast<uint8_t>(EffectRole::reads);
  if (stmt.op == Op::load && is_within_bounds(stmt, f_.type(id))) return reads | safe;
  EffectRole role = effect_role(stmt.op, f_.traits(id));
  if (role == EffectRole::none) {
    // Proved not to throw where it stands, and only there: it keeps its control.
    std::span<const uint32_t> words = f_.args(stmt);
    return effect_role(stmt.op, declared_traits(f_.module(), stmt.op, words)) == EffectRole::none ? 0 : reads;
  }
  bool is_safe =
      stmt.op == Op::is_defined ||
      (stmt.op == Op::get && f_.variables[static_cast<VarId>(stmt.arg[0])].undef == UndefMeaning::zero);
  // Of what comes behind it, a read may need its value: then it is a link of the chain (`is_link`), also if it can only trap.
  if (stmt.op == Op::get && !is_safe && (stmt.flags & cannot_throw) == 0) role = EffectRole::changes;
  return static_cast<uint8_t>(role) | (is_safe ? safe : 0);
}

/// A load from a slot or global at a constant distance, inside of it.
bool LiftFacts::is_within_bounds(const Stmt& load, Type type) const {
  std::optional<Kind> kind = f_.module().types.single_kind(type);
  if (!kind) return false;
  uint64_t bytes = bit_width(*kind) == 0 ? 8 : (static_cast<uint64_t>(bit_width(*kind)) + 7) / 8;
  uint64_t offset = 0;
  constexpr int longest_chain = 8;
  Operand at = f_.resolve(f_.operand(load, 0));
  for (int step = 0; step < longest_chain && (at.is_stmt() || at.is_pending()); ++step) {
    const Stmt& stmt = f_.stmt(at);
    auto fits = [&](uint64_t size) { return offset <= size && bytes <= size - offset; };
    if (stmt.op == Op::stack_slot) return fits(stmt.arg[0]);
    if (stmt.op == Op::global_addr) return fits(f_.module().globals[static_cast<GlobalId>(stmt.arg[0])].size);
    if (stmt.op != Op::ptr_add && stmt.op != Op::ptr_index) return false;
    Operand distance = f_.resolve(f_.operand(stmt, 1));
    if (!distance.is_constant()) return false;
    uint64_t factor = stmt.op == Op::ptr_index ? stmt.arg[2] : 1;
    offset += f_.module().constants.value(distance).bits * factor;
    at = f_.resolve(f_.operand(stmt, 0));
  }
  return false;
}

/// The values that `undef` may flow into: through phis and what else passes it on.
void LiftFacts::find_undef(const PendingLists& lists) {
  std::vector<uint32_t> work;
  auto for_each_flow = [&](auto&& visit) {
    for (flow::Node n : dominance_.tree().preorder())
      for_each_statement(f_, lists, block(n), [&](Operand id) {
        const Stmt& stmt = f_.stmt(id);
        if (!passes_undef_on(stmt.op)) return;
        for (uint32_t word : f_.args(stmt)) visit(id, f_.resolve(Operand::from_word(word)));
      });
  };
  for_each_flow([&](Operand id, Operand operand) {
    if (!operand.is_undef()) return;
    if (maybe_undef_.size() == 0) maybe_undef_.resize(f_.dense_count());
    if (maybe_undef_.insert(f_.dense(id))) work.push_back(f_.dense(id));
  });
  if (work.empty()) return;
  auto users = Csr<uint32_t>::build(f_.dense_count(), [&](auto&& emit) {
    for_each_flow([&](Operand id, Operand operand) {
      if (operand.is_stmt() || operand.is_pending()) emit(f_.dense(operand), f_.dense(id));
    });
  });
  while (!work.empty()) {
    uint32_t at = work.back();
    work.pop_back();
    for (uint32_t user : users.row(at))
      if (maybe_undef_.insert(user)) work.push_back(user);
  }
}

// ---- blocks ----

void LiftFacts::find_ways() {
  handlers_.resize(f_.block_count());
  loops_.resize(f_.block_count());
  auto for_each_way = [&](BlockId b, auto&& visit) {
    f_.for_each_pred(b, [&](EdgeId e) {
      if (dominance_.is_reachable(f_.edge(e).from)) visit(e);
    });
  };
  for (flow::Node n : dominance_.tree().preorder()) {
    uint32_t from_outside = 0, from_inside = 0;
    for_each_way(block(n), [&](EdgeId e) {
      if (f_.edge(e).kind == EdgeKind::exceptional) handlers_.set(index(n));
      ++(dominance_.dominates(block(n), f_.edge(e).from) ? from_inside : from_outside);
    });
    if (from_outside == 1 && from_inside != 0 && !handlers_.test(index(n))) loops_.set(index(n));
  }
  ways_.build_again(f_.block_count(), [&](auto&& emit) {
    for (flow::Node n : dominance_.tree().preorder()) {
      bool is_loop = loops_.test(index(n));
      auto emit_those = [&](bool inside) {
        for_each_way(block(n), [&](EdgeId e) {
          if (!is_loop || dominance_.dominates(block(n), f_.edge(e).from) == inside) emit(index(n), e);
        });
      };
      emit_those(false);
      if (is_loop) emit_those(true);
    }
  });
}

void LiftFacts::find_meetings() {
  std::vector<flow::Node> set;
  for (flow::Node n : dominance_.tree().preorder())
    if (changing_.test(index(n)) || handlers_.test(index(n))) set.push_back(n);
  effects_meet_.resize(f_.block_count());
  flow::IteratedFrontier frontier(dominance_.graph(), dominance_.tree());
  for (flow::Node n : frontier.of(set)) effects_meet_.set(index(n));
}

/// Of the blocks that lead to no end of the function, the last ones get an exit until all lead to one.
void LiftFacts::find_exits() {
  exits_.resize(f_.block_count());
  for (flow::Node n : flow::exits_of_endless_parts(dominance_.graph(), dominance_.tree().preorder())) exits_.set(index(n));
}

}  // namespace braid::sea
