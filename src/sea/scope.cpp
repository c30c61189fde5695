#include "sea/scope.h"

#include <algorithm>
#include <utility>

namespace braid::sea {

using ir::Op;

// ---- names ----

bool Scopes::define(Symbol name, Type type, NodeId value) {
  if (index(name) >= slot_of_.size()) slot_of_.resize(index(name) + 1, no_slot);
  uint32_t shadowed = slot_of_[index(name)];
  if (shadowed != no_slot && shadowed >= levels_.back()) return false;
  hold(value);
  slot_of_[index(name)] = now_.count;
  names_.push_back({name, type, shadowed});
  maps_.set(now_.values, now_.count++, value);
  return true;
}

void Scopes::forget_names(uint32_t count) {
  while (names_.size() > count) {
    slot_of_[index(names_.back().symbol)] = names_.back().shadowed;
    names_.pop_back();
  }
  now_.count = count;
}

// ---- values ----

NodeId Scopes::make_phi(uint32_t slot, std::span<const NodeId> inputs) {
  NodeId phi = graph_->make(node_op(Op::phi), names_[slot].type, inputs);
  graph_->set_note(phi, index(names_[slot].symbol));
  NodeId better = peepholes_->apply(phi);
  hold(better);
  return better;
}

NodeId Scopes::lookup_in_loops(Scope& scope, uint32_t slot) {
  needing_.clear();
  NodeId outside;
  for (uint32_t at = scope.loop;; at = loops_[at].head.loop) {
    Loop& loop = loops_[at];
    outside = value(loop.head, slot);
    if (!is_none(outside) && is_phi_of(outside, loop.region)) break;
    needing_.push_back(at);
    if (!is_none(outside)) break;
  }
  for (size_t i = needing_.size(); i-- > 0;) {
    Loop& loop = loops_[needing_[i]];
    const NodeId inputs[] = {loop.region, outside, no_node};
    outside = make_phi(slot, inputs);
    maps_.set(loop.head.values, slot, outside);
    loop.touched.push_back(slot);
  }
  maps_.set(scope.values, slot, outside);
  return outside;
}

// ---- ways that part and meet ----

Scope Scopes::fork() {
  if (numbered_) graph_->skip_numbers(1);
  return {now_.control, maps_.copy(now_.values), now_.loop, now_.count};
}

Scope Scopes::use(Scope scope) {
  Scope before = now_;
  forget_names(std::min(scope.count, now_.count));
  now_ = scope;
  return before;
}

NodeId Scopes::merge(Scope& into, Scope& other, std::span<const NodeId> values) {
  NodeId region = graph_->make(NodeOp::region, control_type, {into.control, other.control});
  graph_->keep(region);
  differing_.clear();
  maps_.for_each_difference(into.values, other.values, into.count, [&](uint32_t slot) { differing_.push_back(slot); });
  for (uint32_t slot : differing_) {
    NodeId a = value(into, slot), b = value(other, slot);
    if (a == b && !is_none(a)) continue;
    if (is_none(a)) a = lookup_in_loops(into, slot);
    if (is_none(b)) b = lookup_in_loops(other, slot);
    const NodeId inputs[] = {region, a, b};
    maps_.set(into.values, slot, make_phi(slot, inputs));
  }
  NodeId joined = no_node;
  if (!values.empty()) {
    joined = values[0];
    if (values[0] != values[1]) joined = peepholes_->apply(graph_->make(Op::phi, i64, {region, values[0], values[1]}));
    hold(joined);
  }
  drop(other);
  graph_->unkeep(region);
  into.control = peepholes_->apply(region);
  hold(into.control);
  return joined;
}

Scope Scopes::merge_all(std::span<Scope> scopes) {
  Scope result = scopes[0];
  if (scopes.size() == 1) return result;
  inputs_.clear();
  for (const Scope& scope : scopes) inputs_.push_back(scope.control);
  NodeId region = graph_->make(NodeOp::region, control_type, inputs_);
  graph_->keep(region);
  differing_.clear();
  for (const Scope& scope : scopes.subspan(1))
    maps_.for_each_difference(result.values, scope.values, result.count, [&](uint32_t slot) { differing_.push_back(slot); });
  std::sort(differing_.begin(), differing_.end());
  differing_.erase(std::unique(differing_.begin(), differing_.end()), differing_.end());
  for (uint32_t slot : differing_) {
    inputs_.assign(1, region);
    for (Scope& scope : scopes) inputs_.push_back(lookup(scope, slot));
    maps_.set(scopes[0].values, slot, make_phi(slot, inputs_));
  }
  result.values = scopes[0].values;
  for (Scope& scope : scopes.subspan(1)) drop(scope);
  graph_->unkeep(region);
  result.control = peepholes_->apply(region);
  hold(result.control);
  return result;
}

// ---- loops ----

void Scopes::begin_loop() {
  set_control(peepholes_->apply(graph_->make(NodeOp::loop, control_type, {now_.control, no_node})));
  if (numbered_) graph_->skip_numbers(1);
  loops_.push_back({now_, now_.control, {}});
  loops_.back().touched.reserve(8);
  now_.values = {};
  now_.loop = static_cast<uint32_t>(loops_.size() - 1);
}

void Scopes::end_loop(Scope exit) {
  Loop& loop = loops_.back();
  graph_->set_input(loop.region, 1, now_.control);
  std::sort(loop.touched.begin(), loop.touched.end());
  for (uint32_t slot : loop.touched) {
    NodeId phi = value(loop.head, slot), back = value(now_, slot);
    graph_->set_input(phi, 2, is_none(back) ? phi : back);
  }
  drop(now_);
  close_phis(loop);
  // What the loop did not touch is as before it.
  differing_.clear();
  maps_.for_each(exit.values, loop.head.count, [&](uint32_t slot) { differing_.push_back(slot); });
  Scope behind = loop.head;
  for (uint32_t slot : differing_) maps_.set(behind.values, slot, value(exit, slot));
  behind.control = exit.control;
  drop(exit);
  loops_.pop_back();
  if (loops_.empty()) replace_waiting();
  forget_names(behind.count);
  now_ = behind;
}

/// The phis of the loop, by the order of names; those that are stale, too, where there are not too many names to look for them.
void Scopes::close_phis(Loop& loop) {
  constexpr uint32_t most_names = 1000;
  bool looks_for_stale = numbered_ && loop.head.count <= most_names;
  size_t next = 0;
  while (next < loop.touched.size() && (stale_.empty() || !looks_for_stale)) close_phi(loop, loop.touched[next++]);
  if (stale_.empty() || !looks_for_stale) return;
  for (uint32_t slot = next == 0 ? 0 : loop.touched[next - 1] + 1; slot < loop.head.count; ++slot) {
    NodeId phi = value(loop.head, slot);
    if (is_none(phi) || !graph_->is(phi, Op::phi) || !(is_phi_of(phi, loop.region) || is_stale(phi))) continue;
    close_phi(loop, slot);
  }
  std::erase_if(stale_, [&](Stale& stale) { return graph_->is_dead(stale.phi) || stale.loops-- == 0; });
}

bool Scopes::is_stale(NodeId phi) const {
  return std::any_of(stale_.begin(), stale_.end(), [&](const Stale& stale) { return stale.phi == phi; });
}

/// Its users are going to have another input.
void Scopes::note_stale(NodeId replaced) {
  constexpr uint32_t patience = 4;
  constexpr size_t most = 32;
  graph_->for_each_use(replaced, [&](NodeId user, uint32_t number) {
    if (number > 0 && graph_->is(user, Op::phi) && user != replaced && stale_.size() < most && !is_stale(user))
      stale_.push_back({user, patience});
  });
}

void Scopes::close_phi(Loop& loop, uint32_t slot) {
  NodeId phi = value(loop.head, slot);
  std::erase_if(stale_, [&](const Stale& stale) { return stale.phi == phi; });
  NodeId better = peepholes_->apply(phi);
  if (better == phi) return;
  if (numbered_) note_stale(phi);
  hold(better);
  if (may_go_further(phi, better)) {
    waiting_by_phi_.emplace(index(phi), static_cast<uint32_t>(waiting_.size()));
    waiting_.push_back({phi, better});
    maps_.set(loop.head.values, slot, better);
    return;
  }
  graph_->let_go(phi);
  graph_->replace(phi, better);
  maps_.set(loop.head.values, slot, better);
}

/// Whether the phi has many uses, and what takes its place is the phi of a loop that is not closed: then that may have to hand them
/// on to the next loop out, and so on. In the original's graphs the uses move at once.
bool Scopes::may_go_further(NodeId phi, NodeId by) const {
  constexpr uint32_t many = 16;
  if (numbered_ || !graph_->is(by, Op::phi) || graph_->input_count(by) != 3 || !is_none(graph_->input(by, 2))) return false;
  uint32_t uses = 0;
  graph_->for_each_use(phi, [&](NodeId, uint32_t) { return ++uses < many; });
  return uses == many;
}

/// From the outermost to the innermost, so that each goes where all uses end.
void Scopes::replace_waiting() {
  for (; !waiting_.empty(); waiting_.pop_back()) {
    const auto [phi, by] = waiting_.back();
    waiting_by_phi_.erase(index(phi));
    if (graph_->is_dead(phi)) continue;
    NodeId better = current(by);
    hold(better);
    graph_->let_go(phi);
    graph_->replace(phi, better);
  }
}

void Scopes::finish() {
  for (uint32_t k = graph_->size(); k-- > 0;) {
    NodeId n = static_cast<NodeId>(k);
    if (graph_->let_go(n) && !graph_->is_dead(n) && !graph_->acts(n)) graph_->kill_unused(n);
  }
}

}  // namespace braid::sea
