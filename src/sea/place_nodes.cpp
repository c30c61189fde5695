#include "sea/place_nodes.h"

#include "flow/iterated_frontier.h"
#include "sea/effects.h"

namespace braid::sea {

using ir::Op;

namespace {

bool has_no_place(NodeOp op) {
  return op == NodeOp::constant || op == NodeOp::parameter || op == NodeOp::undef || op == NodeOp::start ||
         op == NodeOp::projection || op == NodeOp::never || is_region(op);
}

bool is_effect_phi(const Graph& graph, NodeId n) {
  return graph.is(n, Op::phi) && graph.type(n) == void_type;
}

bool is_terminator(const Graph& graph, NodeId n) {
  return is_table_op(graph.op(n)) && ir::is_terminator(table_op(graph.op(n)));
}

}  // namespace

PlaceNodes::PlaceNodes(const Graph& graph, const ControlBlocks& control)
    : block_of(graph.size(), nowhere),
      need(graph.size(), Need::nothing),
      graph_(graph),
      control_(control),
      flow_(control.flow_graph()),
      tree_(flow_) {
  // Few graphs need more of each.
  work_.reserve(64);
  order_.reserve(64);
  stack_.reserve(16);
  find_needed();
  order_floating();
  find_changes();
  place_late();
}

// ---- what is needed ----

void PlaceNodes::find_needed() {
  for (const ControlBlocks::Block& block : control_.blocks)
    if (!is_none(block.last)) need_value(block.last);
  // Links that must not vanish, also where no way leads from them to stop.
  for (uint32_t k = 0; k < graph_.size(); ++k) {
    NodeId n = static_cast<NodeId>(k);
    NodeOp op = graph_.op(n);
    if (!is_table_op(op) || op == Op::upsilon || !takes_effect(graph_, n) || is_terminator(graph_, n))
      continue;
    if (control_.of(graph_.input(n, 0)) == nowhere || !is_link(graph_, n)) continue;
    bool only_new = ir::has(table_op(op), ir::identity) && !ir::has(table_op(op), ir::keeps_alive);
    if (op == Op::intrinsic || op == Op::call)
      only_new = (declared_traits(graph_.module(), table_op(op), graph_.words(n)) & ir::keeps_alive) == 0;
    if (!only_new) need_value(n);
  }
  while (!work_.empty()) {
    NodeId n = work_.back();
    work_.pop_back();
    need_inputs(n);
  }
}

void PlaceNodes::need_value(NodeId n) {
  Need& state = need[index(n)];
  if (state == Need::value) return;
  state = Need::value;
  if (is_pinned(n) && !has_no_place(graph_.op(n))) block_of[index(n)] = control_.of(graph_.input(n, 0));
  work_.push_back(n);
}

void PlaceNodes::need_order(NodeId n) {
  if (need[index(n)] != Need::nothing) return;
  need[index(n)] = Need::order;
  if (!has_no_place(graph_.op(n))) block_of[index(n)] = control_.of(graph_.input(n, 0));
  work_.push_back(n);
}

void PlaceNodes::need_inputs(NodeId n) {
  NodeOp op = graph_.op(n);
  if (has_no_place(op) || op == NodeOp::effect_entry) return;
  uint32_t count = graph_.input_count(n);
  if (op == Op::phi) {
    NodeId region = graph_.input(n, 0);
    for (uint32_t i = 1; i < count; ++i) {
      if (is_none(graph_.input(n, i)) || control_.of(graph_.input(region, i - 1)) == nowhere) continue;
      if (is_effect_phi(graph_, n))
        need_order(graph_.input(n, i));
      else
        need_value(graph_.input(n, i));
    }
    return;
  }
  uint32_t first = first_value(graph_, n);
  if (first == 2 && !is_none(graph_.input(n, 1))) need_order(graph_.input(n, 1));
  if (need[index(n)] == Need::order) return;
  for (uint32_t i = first; i < count; ++i) {
    NodeId input = graph_.input(n, i);
    if (is_none(input) || (op == Op::phi_c && control_.of(graph_.input(input, 0)) == nowhere)) continue;
    need_value(input);
  }
}

bool PlaceNodes::is_pinned(NodeId n) const {
  NodeOp op = graph_.op(n);
  if (has_no_place(op)) return true;
  if (op == Op::phi || op == Op::phi_c || op == Op::pi || op == NodeOp::effect_entry ||
      is_terminator(graph_, n))
    return true;
  return takes_effect(graph_, n) && is_link(graph_, n);
}

// ---- early ----

/// A node that is needed and has not got its block by being pinned.
bool PlaceNodes::floats(NodeId n) const {
  return need[index(n)] == Need::value && block_of[index(n)] == nowhere && !has_no_place(graph_.op(n));
}

void PlaceNodes::order_floating() {
  early_.assign(graph_.size(), nowhere);
  for (uint32_t k = 0; k < graph_.size(); ++k) {
    NodeId n = static_cast<NodeId>(k);
    if (floats(n) && early_[k] == nowhere) visit_floating(n);
  }
}

void PlaceNodes::visit_floating(NodeId root) {
  constexpr uint32_t open = nowhere - 1;
  stack_.push_back({root, 0});
  early_[index(root)] = open;
  while (!stack_.empty()) {
    Frame& top = stack_.back();
    if (top.next < graph_.input_count(top.node)) {
      NodeId input = graph_.input(top.node, top.next++);
      if (is_none(input) || !floats(input) || early_[index(input)] != nowhere) continue;
      early_[index(input)] = open;
      stack_.push_back({input, 0});
      continue;
    }
    NodeId n = top.node;
    stack_.pop_back();
    early_[index(n)] = earliest(n);
    order_.push_back(n);
    if (takes_effect(graph_, n)) reads_.push_back(n);
  }
}

uint32_t PlaceNodes::earliest(NodeId n) const {
  uint32_t early = 0;
  auto below = [&](uint32_t b) {
    if (b != nowhere && tree_.level(b) > tree_.level(early)) early = b;
  };
  bool takes = takes_effect(graph_, n);
  for (uint32_t i = 0; i < graph_.input_count(n); ++i) {
    NodeId input = graph_.input(n, i);
    if (is_none(input)) continue;
    if (takes && i == 0)
      below(control_.of(input));
    else if (takes && i == 1)
      below(block_behind(input));
    else
      below(floats(input) ? early_[index(input)] : block_of[index(input)]);
  }
  return early;
}

uint32_t PlaceNodes::block_of_effect(NodeId effect) const {
  return effect == graph_.start ? 0 : block_of[index(effect)];
}

/// Where the state that an effect leaves can be read. An `enter` ends its block.
uint32_t PlaceNodes::block_behind(NodeId effect) const {
  uint32_t b = block_of_effect(effect);
  if (!graph_.is(effect, Op::enter)) return b;
  return control_.targets_of(b)[1].block;
}

// ---- late ----

void PlaceNodes::place_late() {
  for (size_t i = order_.size(); i-- > 0;) {
    NodeId n = order_[i];
    uint32_t early = early_[index(n)];
    uint32_t late = latest(n);
    NodeOp op = graph_.op(n);
    // What the host provides is not run where the program would not have run it.
    bool is_foreign = op == Op::call || op == Op::intrinsic;
    bool reads = takes_effect(graph_, n) && op != Op::save_state;
    if (reads) late = above_changes(n, late);
    block_of[index(n)] = is_foreign ? late : tree_.cheapest(late, early);
  }
}

uint32_t PlaceNodes::latest(NodeId n) const {
  uint32_t late = nowhere;
  auto above = [&](uint32_t b) {
    if (b != nowhere) late = late == nowhere ? b : tree_.common(late, b);
  };
  graph_.for_each_use(n, [&](NodeId user, uint32_t i) {
    if (need[index(user)] != Need::value) return;
    if (graph_.is(user, Op::phi))
      above(control_.of(graph_.input(graph_.input(user, 0), i - 1)));
    else
      above(block_of[index(user)]);
  });
  assert(late != nowhere && "a node that is needed by nobody");
  return late;
}

/// The chain is in SSA, so the state at a place is that of the nearest effect above it in the dominator tree:
/// going down from the effect, the read must not pass the first block that has another of its class.
uint32_t PlaceNodes::above_changes(NodeId read, uint32_t late) const {
  NodeId effect = graph_.input(read, 1);
  if (is_none(effect)) return late;
  const Changes& changes = *changes_[table_of(classes_->of_read(read))];
  uint32_t early = early_[index(read)];
  const uint32_t last = changes.last_link[early];
  bool ends_here = block_of_effect(effect) == early ? last > position[index(effect)] : last != 0;
  if (ends_here) return early;
  uint32_t change = tree_.highest(changes.marks, late, early);
  if (change == early) return late;
  return changes.meets.test(change) ? tree_.idom(change) : change;
}

/// Whether it is a link that has its place, and is no end of a block without effects behind it.
bool PlaceNodes::leads_on(NodeId n) const {
  if (block_of[index(n)] == nowhere || need[index(n)] == Need::nothing || !takes_effect(graph_, n)) return false;
  return graph_.is(n, Op::enter) || !is_terminator(graph_, n);
}

void PlaceNodes::find_positions() {
  position.assign(graph_.size(), 0);
  std::vector<NodeId> way;
  for (uint32_t k = 0; k < graph_.size(); ++k) {
    NodeId n = static_cast<NodeId>(k);
    if (position[k] != 0 || !leads_on(n)) continue;
    way.assign(1, n);
    NodeId before = graph_.input(n, 1);
    auto is_here = [&] {
      return !is_none(before) && before != graph_.start && block_of[index(before)] == block_of[k] && leads_on(before);
    };
    while (is_here() && position[index(before)] == 0) {
      way.push_back(before);
      before = graph_.input(before, 1);
    }
    uint32_t number = is_here() ? position[index(before)] : 0;
    while (!way.empty()) {
      position[index(way.back())] = ++number;
      way.pop_back();
    }
  }
}

void PlaceNodes::find_changes() {
  if (reads_.empty()) return;
  find_positions();
  classes_.emplace(graph_);
  changes_.resize(classes_->count() + 1);
  for (NodeId read : reads_) {
    const uint8_t read_class = classes_->of_read(read);
    if (std::optional<Changes>& changes = changes_[table_of(read_class)]; !changes) changes = changes_of(read_class);
  }
}

/// Effects meet where the dominance frontiers of the blocks with links say, whether or not somebody needs a
/// phi there.
PlaceNodes::Changes PlaceNodes::changes_of(uint8_t read_class) const {
  Changes changes{std::vector<uint32_t>(control_.size(), 0), BitSet(control_.size()), {}};
  for (uint32_t k = 0; k < graph_.size(); ++k) {
    NodeId n = static_cast<NodeId>(k);
    uint32_t b = block_of[k];
    if (b == nowhere || need[k] == Need::nothing) continue;
    if (graph_.op(n) == NodeOp::effect_entry) changes.meets.set(b);
    if (position[k] > changes.last_link[b] && classes_->ends(n, read_class)) changes.last_link[b] = position[k];
  }
  std::vector<flow::Node> set;
  for (uint32_t b = 0; b < control_.size(); ++b)
    if (changes.last_link[b] != 0 || changes.meets.test(b)) set.push_back(static_cast<flow::Node>(b));
  flow::IteratedFrontier frontier(flow_, tree_.dominators());
  for (flow::Node n : frontier.of(set)) changes.meets.set(index(n));
  BitSet marked = changes.meets;
  for (flow::Node n : set) marked.set(index(n));
  changes.marks = tree_.mark(std::move(marked));
  return changes;
}

}  // namespace braid::sea
