#include "sea/graph.h"

#include "sea/layout.h"

namespace braid::sea {

void Graph::reset(ir::Module& module) {
  module_ = &module;
  start = stop = no_node;
  nodes_.clear();
  pool_.clear();
  words_.resize(1);
  word_table_.clear();
  table_.clear();
  word_count_ = live_ = 0;
  skips_.clear();
  dying_.clear();
  changes_ = nullptr;
  spares_values_ = false;
}

std::unique_ptr<Graph> Graph::copy_for_keeping() const {
  auto copy = std::make_unique<Graph>(*module_);
  copy->start = start;
  copy->stop = stop;
  // Copies of vectors are as long as what they hold.
  copy->nodes_ = nodes_;
  copy->pool_ = pool_;
  copy->words_ = words_;
  copy->word_table_ = word_table_;
  copy->word_count_ = word_count_;
  copy->live_ = live_;
  copy->skips_ = skips_;
  copy->spares_values_ = spares_values_;
  for (Node& x : copy->nodes_) x.flags &= static_cast<uint8_t>(~in_table);
  return copy;
}

NodeId Graph::make(NodeOp op, Type type, std::span<const NodeId> inputs, uint32_t payload, ir::Loc loc) {
  NodeId n = static_cast<NodeId>(nodes_.size());
  uint32_t count = static_cast<uint32_t>(inputs.size());
  if (count <= 2) {
    Node& x = add_node(op, static_cast<uint8_t>(count), type, payload, loc);
    for (uint32_t i = 0; i < count; ++i) link(x.slot[i], index(n) << 1 | i, inputs[i]);
    return n;
  }
  const uint32_t first = static_cast<uint32_t>(pool_.size());
  add_node(op, Node::pooled, type, payload, loc).slot[0] = {static_cast<NodeId>(first), count, count};
  for (uint32_t i = 0; i < count; ++i) pool_.push_back({{no_node, no_slot, no_slot}, n});
  for (uint32_t i = 0; i < count; ++i) link(pool_[first + i].slot, (first + i) | pool_bit, inputs[i]);
  return n;
}

NodeId Graph::make_constant(Type type, uint64_t bits, ir::Loc loc) {
  ir::Operand operand = module_->constants.get(type, bits);
  return make(NodeOp::constant, module_->constant_type(operand), {}, operand.word(), loc);
}

std::vector<Graph::Use> Graph::uses(NodeId n) const {
  std::vector<Use> all;
  for_each_use(n, [&](NodeId user, uint32_t number) { all.push_back({user, number}); });
  return all;
}

// ---- the circles of uses ----

void Graph::unlink(uint32_t name) {
  UseSlot& at = slot(name);
  if (is_none(at.def)) return;
  Node& x = mutable_node(at.def);
  if (at.next == name) {
    x.first_use = no_slot;
  } else {
    slot(at.next).previous = at.previous;
    slot(at.previous).next = at.next;
    if (x.first_use == name) x.first_use = at.next;
  }
  at.def = no_node;
}

/// Takes over the place of a slot in its circle.
void Graph::move_slot(uint32_t from, uint32_t to) {
  const UseSlot old = slot(from);
  UseSlot& at = slot(to);
  at = old;
  if (is_none(old.def)) return;
  Node& x = mutable_node(old.def);
  if (old.next == from) {
    at.next = at.previous = to;
  } else {
    slot(old.next).previous = to;
    slot(old.previous).next = to;
  }
  if (x.first_use == from) x.first_use = to;
  slot(from).def = no_node;
}

void Graph::grow_inputs(NodeId n) {
  Node& x = mutable_node(n);
  if (x.shape < 2) {
    ++x.shape;
    x.slot[x.shape - 1].def = no_node;
    return;
  }
  if (x.shape == Node::pooled && x.slot[0].next < x.slot[0].previous) {
    ++x.slot[0].next;
    return;
  }
  uint32_t count = input_count(n);
  uint32_t room = 2 * count;
  uint32_t offset = static_cast<uint32_t>(pool_.size());
  pool_.resize(offset + room, {{no_node, no_slot, no_slot}, n});
  for (uint32_t i = 0; i < count; ++i) move_slot(slot_name(n, i), (offset + i) | pool_bit);
  x.shape = Node::pooled;
  x.slot[0] = {static_cast<NodeId>(offset), count + 1, room};
}

void Graph::drop_last_input(NodeId n) {
  Node& x = mutable_node(n);
  if (x.shape == Node::pooled)
    --x.slot[0].next;
  else
    --x.shape;
}

// ---- changing ----

void Graph::set_op(NodeId n, NodeOp op) {
  leave_table(n);
  mutable_node(n).op = op;
  changed(n);
}

bool Graph::is_link_under_control(NodeId n) const {
  const NodeOp op = node(n).op;
  if (!is_table_op(op) || ir::is_terminator(table_op(op)) || !is_link(*this, n)) return false;
  const NodeId control = input(n, 0);
  return !is_none(control) && !is_dead_control(*this, control);
}

void Graph::release(NodeId def) {
  if (is_none(def)) return;
  if (!has_uses(def) && !is_kept(def) && !is_spared(def))
    kill(def);
  else
    changed(def);
}

void Graph::set_input(NodeId n, uint32_t i, NodeId def) {
  NodeId old = input(n, i);
  if (old == def) return;
  leave_table(n);
  uint32_t name = slot_name(n, i);
  unlink(name);
  link(name, def);
  changed(n);
  release(old);
}

void Graph::add_input(NodeId n, NodeId def) {
  leave_table(n);
  grow_inputs(n);
  link(slot_name(n, input_count(n) - 1), def);
  changed(n);
}

void Graph::swap_inputs(NodeId n) {
  assert(input_count(n) == 2);
  const NodeId left = input(n, 0), right = input(n, 1);
  leave_table(n);
  const uint32_t first = slot_name(n, 0), second = slot_name(n, 1);
  unlink(first);
  unlink(second);
  link(first, right);
  link(second, left);
  changed(n);
  changed(left);
  changed(right);
}

void Graph::remove_input(NodeId n, uint32_t i) {
  leave_table(n);
  NodeId old = input(n, i);
  unlink(slot_name(n, i));
  for (uint32_t k = i + 1; k < input_count(n); ++k) move_slot(slot_name(n, k), slot_name(n, k - 1));
  drop_last_input(n);
  changed(n);
  release(old);
}

void Graph::swap_remove_input(NodeId n, uint32_t i) {
  leave_table(n);
  NodeId old = input(n, i);
  uint32_t last = input_count(n) - 1;
  unlink(slot_name(n, i));
  if (i != last) move_slot(slot_name(n, last), slot_name(n, i));
  drop_last_input(n);
  changed(n);
  release(old);
}

void Graph::replace(NodeId n, NodeId by) {
  assert(n != by);
  Node& x = mutable_node(n);
  for (uint32_t name = x.first_use; name != no_slot; name = x.first_use) {
    NodeId user = use_of(name).user;
    leave_table(user);
    unlink(name);
    link(name, by);
    changed(user);
  }
  changed(by);
  kill_unused(n);
  if (is_dead(n)) x.payload = index(by);
}

void Graph::kill(NodeId n) {
  assert(!has_uses(n));
  size_t base = dying_.size();
  dying_.push_back(n);
  while (dying_.size() > base) {
    NodeId dying = dying_.back();
    dying_.pop_back();
    leave_table(dying);
    for (uint32_t i = input_count(dying); i-- > 0;) {
      NodeId def = input(dying, i);
      if (is_none(def)) continue;
      unlink(slot_name(dying, i));
      if (has_uses(def) || is_kept(def) || is_spared(def))
        changed(def);
      else if (def != dying)
        dying_.push_back(def);
    }
    Node& x = mutable_node(dying);
    x.op = NodeOp::dead;
    x.shape = 0;
    x.payload = index(no_node);
    --live_;
  }
}

}  // namespace braid::sea
