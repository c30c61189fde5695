// The sea of nodes: a function as a graph of values, control and effects (Click and Paleczny 1995).
//
// Ids are never reused. A node whose last use goes dies, and so do its inputs if that was their last use; `keep` protects
// what is still to be used. Equal nodes are found by `unify`; a node that stands in the table leaves it when an
// input changes. Nothing here is recursive; all steps are O(1), expected for the table, or O(inputs + uses touched).
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/large_memory.h"
#include "ir/module.h"
#include "sea/node.h"
#include "sea/op_class.h"
#include "sea/value_table.h"

namespace braid::sea {

class Graph {
 public:
  explicit Graph(ir::Module& module) : module_(&module) {}

  /// As if it were new, but with its memory.
  void reset(ir::Module& module);
  /// A copy of what is complete, without room for growing and without the table of equal nodes: whoever changes it later fills
  /// that again. O(graph).
  std::unique_ptr<Graph> copy_for_keeping() const;

  ir::Module& module() const { return *module_; }
  NodeId start = no_node;
  NodeId stop = no_node;

  // ---- reading ----
  /// One more than the greatest id; dead ones count.
  uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }
  uint32_t live_count() const { return live_; }
  /// So many nodes it has room for.
  uint32_t capacity() const { return static_cast<uint32_t>(nodes_.capacity()); }
  /// All of it at once, until another node is made.
  const Node& node(NodeId n) const {
    assert(index(n) < nodes_.size());
    return nodes_[index(n)];
  }
  /// For walks over nodes that stand anywhere: it is going to be read soon.
  void expect_read(NodeId n) const {
    const Node* x = &nodes_[index(n)];
    __builtin_prefetch(x);
    __builtin_prefetch(&x->slot[1].previous);  // often on another line
  }
  /// The same of its uses, for which the node itself is read.
  void expect_read_of_uses(NodeId n) const {
    const uint32_t first = node(n).first_use;
    if (first == no_slot) return;
    __builtin_prefetch(&slot(first));
    if ((first & pool_bit) == 0) __builtin_prefetch(&nodes_[first >> 1]);
  }
  bool is_dead(NodeId n) const { return node(n).op == NodeOp::dead; }
  NodeOp op(NodeId n) const { return node(n).op; }
  bool is(NodeId n, ir::Op op) const { return node(n).op == node_op(op); }
  Type type(NodeId n) const { return node(n).type; }
  ir::Loc loc(NodeId n) const { return node(n).loc; }
  uint32_t note(NodeId n) const { return node(n).note; }
  uint32_t payload(NodeId n) const { return node(n).payload; }
  uint32_t input_count(NodeId n) const {
    const Node& x = node(n);
    return x.shape == Node::pooled ? x.slot[0].next : x.shape;
  }
  NodeId input(NodeId n, uint32_t i) const {
    const Node& x = node(n);
    if (x.shape == Node::pooled) {
      assert(i < x.slot[0].next);
      return pool_[index(x.slot[0].def) + i].slot.def;
    }
    assert(i < x.shape);
    return x.slot[i & 1].def;
  }
  bool has_uses(NodeId n) const { return node(n).first_use != no_slot; }
  bool has_one_use(NodeId n) const {
    uint32_t first = node(n).first_use;
    return first != no_slot && slot(first).next == first;
  }
  /// Calls `f(user, input number)` for every use, in the order in which they came, or until `f` returns false. `f` must not
  /// change uses of `n`.
  template <typename F>
  void for_each_use(NodeId n, F&& f) const {
    uint32_t first = node(n).first_use;
    if (first == no_slot) return;
    uint32_t at = first;
    do {
      Use use = use_of(at);
      if constexpr (std::is_same_v<decltype(f(use.user, use.number)), bool>) {
        if (!f(use.user, use.number)) return;
      } else {
        f(use.user, use.number);
      }
      at = slot(at).next;
    } while (at != first);
  }
  struct Use {
    NodeId user;
    uint32_t number;
  };
  /// The first use; there must be one.
  Use first_use(NodeId n) const { return use_of(node(n).first_use); }
  /// The one that came last; there must be one.
  Use last_use(NodeId n) const { return use_of(slot(node(n).first_use).previous); }
  /// The same from the last use to the first, until `f` returns false.
  template <typename F>
  void for_each_use_backwards(NodeId n, F&& f) const {
    uint32_t first = node(n).first_use;
    if (first == no_slot) return;
    uint32_t at = first;
    do {
      at = slot(at).previous;
      Use use = use_of(at);
      if (!f(use.user, use.number)) return;
    } while (at != first);
  }
  /// A copy of the uses, for callers that change them.
  std::vector<Use> uses(NodeId n) const;

  bool is_constant(NodeId n) const { return op(n) == NodeOp::constant; }
  ir::Constant constant_value(NodeId n) const {
    return module_->constants.value(ir::Operand::from_word(payload(n)));
  }
  /// The words of a table op that are no values (callee, immediates, cases), in the order of the table.
  std::span<const uint32_t> words(NodeId n) const { return words_at(payload(n)); }

  // ---- building ----
  /// Room for so many nodes, some of them with more than two inputs.
  void reserve(uint32_t nodes) {
    reserve_large(nodes_, nodes);
    reserve_large(pool_, nodes / 2);
    dying_.reserve(16);
    // Small programs are many, and each clears its table; large ones should not have to copy theirs.
    table_.expect(nodes < 4096 ? nodes / 2 : nodes - nodes / 5);
  }
  NodeId make(NodeOp op, Type type, std::span<const NodeId> inputs, uint32_t payload = 0, ir::Loc loc = {});
  NodeId make(NodeOp op, Type type, std::initializer_list<NodeId> inputs, uint32_t payload = 0, ir::Loc loc = {}) {
    return make(op, type, std::span(inputs.begin(), inputs.size()), payload, loc);
  }
  NodeId make(ir::Op op, Type type, std::initializer_list<NodeId> inputs, uint32_t payload = 0, ir::Loc loc = {}) {
    return make(node_op(op), type, inputs, payload, loc);
  }
  /// The same for two inputs and no payload, which most nodes have.
  NodeId make_of_two(NodeOp op, Type type, NodeId left, NodeId right, ir::Loc loc = {}) {
    const uint32_t number = size();
    Node& x = add_node(op, 2, type, 0, loc);
    link(x.slot[0], number << 1, left);
    link(x.slot[1], number << 1 | 1, right);
    return static_cast<NodeId>(number);
  }
  /// A constant without inputs, of the type that holds nothing else. Equal constants are not the same node unless unified.
  NodeId make_constant(Type type, uint64_t bits, ir::Loc loc = {});
  /// The payload for words of a table op; equal words, equal payload. None is 0.
  uint32_t payload_of(std::span<const uint32_t> words);

  // ---- numbers ----
  /// What a node is called where people read it: its id, and one more for every number skipped before it was made.
  uint64_t number(NodeId n) const {
    auto behind = std::upper_bound(skips_.begin(), skips_.end(), index(n),
                                   [](uint32_t node, const Skip& skip) { return node < skip.before; });
    return index(n) + (behind == skips_.begin() ? 0 : std::prev(behind)->total);
  }
  void reserve_skips(uint32_t count) { skips_.reserve(count); }
  /// For forms that count things which this graph does without, or, if negative, do not count things that it has.
  void skip_numbers(int64_t count) {
    uint64_t total = (skips_.empty() ? 0 : skips_.back().total) + static_cast<uint64_t>(count);
    if (!skips_.empty() && skips_.back().before == size())
      skips_.back().total = total;
    else
      skips_.push_back({size(), total});
  }

  // ---- changing ----
  void set_type(NodeId n, Type type) {
    leave_table(n);
    mutable_node(n).type = type;
  }
  void set_note(NodeId n, uint32_t note) { mutable_node(n).note = note; }
  void set_loc(NodeId n, ir::Loc loc) { mutable_node(n).loc = loc; }
  void set_op(NodeId n, NodeOp op);
  /// The one setter of inputs. The old input dies if this was its last use.
  void set_input(NodeId n, uint32_t i, NodeId def);
  void add_input(NodeId n, NodeId def);
  /// Of a node with two.
  void swap_inputs(NodeId n);
  /// The inputs behind it move up.
  void remove_input(NodeId n, uint32_t i);
  /// The last input takes its place.
  void swap_remove_input(NodeId n, uint32_t i);
  /// All uses of `n` become uses of `by`; `n` dies unless it is kept.
  void replace(NodeId n, NodeId by);
  /// Of a dead node: what it was replaced by (which may be dead, too), or none.
  NodeId replacement(NodeId n) const {
    assert(is_dead(n));
    return static_cast<NodeId>(node(n).payload);
  }
  /// For a node without uses that is not kept: it dies, and so do inputs that have no other use.
  void kill_unused(NodeId n) {
    if (!has_uses(n) && !is_kept(n) && !is_dead(n)) kill(n);
  }
  /// It must have no uses. Kept inputs live on.
  void kill(NodeId n);
  void keep(NodeId n) {
    assert((node(n).flags & keep_mask) != keep_mask && "kept too often");
    ++mutable_node(n).flags;
  }
  /// Does not kill.
  void unkeep(NodeId n) {
    assert((node(n).flags & keep_mask) != 0);
    --mutable_node(n).flags;
  }
  /// While this is on, values that lose their last use stay: a parser may hold one that was shared with what dies.
  void spare_values(bool on) { spares_values_ = on; }
  bool is_kept(NodeId n) const { return (node(n).flags & (keep_mask | held)) != 0; }
  /// Kept once more, however often it is held.
  void hold(NodeId n) { mutable_node(n).flags |= held; }
  /// Does not kill. True if it was held.
  bool let_go(NodeId n) {
    if ((node(n).flags & held) == 0) return false;
    mutable_node(n).flags &= static_cast<uint8_t>(~held);
    return true;
  }
  /// It has an effect where control may come, and so outlives its last use: a loop behind it may have lost its way out.
  bool acts(NodeId n) const { return has(node(n).op, may_act) && is_link_under_control(n); }

  // ---- value numbering ----
  /// An older node of the same op, type, payload and inputs, or `n` itself, which is then in the table.
  NodeId unify(NodeId n) { return is_unified(n) ? n : find_or_enter(n); }
  /// The same for a node that was just made, which goes if there is an older one.
  NodeId unify_new(NodeId n) {
    const NodeId known = unify(n);
    if (known != n) kill(n);
    return known;
  }
  /// The constant in the table that `make_constant` would make another of, or none.
  NodeId find_constant(Type type, uint64_t bits) const;
  /// The same, which is made if it is not there.
  NodeId shared_constant(Type type, uint64_t bits, ir::Loc loc = {});
  bool is_unified(NodeId n) const { return (node(n).flags & in_table) != 0; }

  /// Every node whose inputs or uses change from now on is appended there; null ends it.
  void record_changes(std::vector<NodeId>* changes) { changes_ = changes; }

  /// Uses fit inputs, dead nodes are unused, the table is sound. Names the first fault; empty if all is well. O(graph).
  std::string check() const;

 private:
  /// A slot is named by node and number if it stands in the node (bit 31 clear), or by its place in the pool.
  static constexpr uint32_t no_slot = 0xffffffffu;
  static constexpr uint32_t pool_bit = 0x80000000u;
  static constexpr uint8_t keep_mask = 0x3f;
  static constexpr uint8_t in_table = 0x40;
  static constexpr uint8_t held = 0x80;
  struct PooledSlot {
    UseSlot slot;
    NodeId user;
  };
  struct Skip {
    uint32_t before;  ///< the next node at that time
    uint64_t total;   ///< all that were skipped so far
  };

  Node& mutable_node(NodeId n) {
    assert(index(n) < nodes_.size());
    return nodes_[index(n)];
  }
  const UseSlot& slot(uint32_t encoded) const {
    if ((encoded & pool_bit) != 0) return pool_[encoded & ~pool_bit].slot;
    return nodes_[encoded >> 1].slot[encoded & 1];
  }
  UseSlot& slot(uint32_t encoded) { return const_cast<UseSlot&>(static_cast<const Graph*>(this)->slot(encoded)); }
  Use use_of(uint32_t encoded) const {
    if ((encoded & pool_bit) == 0) return {static_cast<NodeId>(encoded >> 1), encoded & 1};
    uint32_t place = encoded & ~pool_bit;
    NodeId user = pool_[place].user;
    return {user, place - index(node(user).slot[0].def)};
  }
  uint32_t slot_name(NodeId n, uint32_t i) const {
    const Node& x = node(n);
    return x.shape == Node::pooled ? (index(x.slot[0].def) + i) | pool_bit : index(n) << 1 | i;
  }
  std::span<const uint32_t> words_at(uint32_t payload) const {
    if (payload == 0) return {};
    return {words_.data() + payload, words_[payload - 1]};
  }
  void link(uint32_t name, NodeId def) { link(slot(name), name, def); }
  /// The slot of this name becomes the last use.
  void link(UseSlot& at, uint32_t name, NodeId def) {
    at.def = def;
    if (is_none(def)) return;
    Node& x = mutable_node(def);
    assert(x.op != NodeOp::dead && "a use of a dead node");
    if (x.first_use == no_slot) {
      at.next = at.previous = name;
      x.first_use = name;
      return;
    }
    UseSlot& first = slot(x.first_use);
    at.next = x.first_use;
    at.previous = first.previous;
    slot(first.previous).next = name;
    first.previous = name;
  }
  void unlink(uint32_t name);
  void changed(NodeId n) {
    if (changes_ != nullptr) changes_->push_back(n);
  }
  /// Room for one more input, moving them to the pool or to a larger part of it.
  void grow_inputs(NodeId n);
  void move_slot(uint32_t from, uint32_t to);
  void release(NodeId def);
  bool is_spared(NodeId n) const {
    const NodeOp op = node(n).op;
    if (acts(n)) return true;
    if (!spares_values_) return false;
    if (is_table_op(op)) return !ir::is_terminator(table_op(op));
    return op == NodeOp::constant || op == NodeOp::parameter || op == NodeOp::undef || op == NodeOp::is_zero;
  }
  bool is_link_under_control(NodeId n) const;
  void drop_last_input(NodeId n);

  /// Its inputs are still to be linked.
  Node& add_node(NodeOp op, uint8_t shape, Type type, uint32_t payload, ir::Loc loc) {
    constexpr uint32_t no_note = 0xffffffffu;
    ++live_;
    // Written where it stands, and not copied there: a wide read of fields that were just written waits for them.
    return nodes_.emplace_back(op, shape, uint8_t{0}, type, no_slot, payload, no_note, loc);
  }
  NodeId find_or_enter(NodeId n);
  NodeId find_constant(uint32_t operand) const;
  ValueTable::Key key(NodeId n) const;
  void enter_table(ValueTable::Key key, NodeId n);
  bool equal(NodeId a, NodeId b) const;
  void leave_table(NodeId n) {
    if (is_unified(n)) remove_from_table(n);
  }
  void remove_from_table(NodeId n) {
    table_.remove(key(n), n);
    mutable_node(n).flags &= static_cast<uint8_t>(~in_table);
  }

  ir::Module* module_;
  std::vector<Node> nodes_;
  std::vector<PooledSlot> pool_;
  std::vector<uint32_t> words_ = {0};  ///< payloads: the count, then the words
  std::vector<uint32_t> word_table_;   ///< open addressing: payload, 0 is free
  uint32_t word_count_ = 0;
  ValueTable table_;
  uint32_t live_ = 0;
  std::vector<Skip> skips_;
  std::vector<NodeId> dying_;
  std::vector<NodeId>* changes_ = nullptr;
  bool spares_values_ = false;
};

}  // namespace braid::sea
