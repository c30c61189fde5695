// Value numbering: the tables of equal nodes and of equal payloads.
#include <algorithm>
#include <string>

#include "base/hash.h"
#include "sea/graph.h"

namespace braid::sea {

namespace {

uint64_t hash_without_inputs(NodeOp op, uint32_t payload, Type type) {
  return (static_cast<uint64_t>(op) << 32 | payload) * 0x9e3779b97f4a7c15u ^ type.bits;
}
uint64_t with_input(uint64_t hash, NodeId input) { return (hash ^ hash >> 29 ^ index(input)) * 0xbf58476d1ce4e5b9u; }
uint32_t folded(uint64_t hash) { return static_cast<uint32_t>(hash ^ hash >> 32); }
/// Its type follows from the operand. Eight numbers in a row stand in one line of the cache.
uint32_t hash_of_constant(uint32_t operand) {
  return (folded(hash_without_inputs(NodeOp::constant, operand >> 3, none)) & ~7u) | (operand & 7);
}

}  // namespace

uint32_t Graph::hash(NodeId n) const {
  const Node& x = node(n);
  if (x.op == NodeOp::constant) return hash_of_constant(x.payload);
  uint64_t h = hash_without_inputs(x.op, x.payload, x.type);
  if (x.shape == 2) return folded(with_input(with_input(h, x.slot[0].def), x.slot[1].def));
  uint32_t count = input_count(n);
  for (uint32_t i = 0; i < count; ++i) h = with_input(h, input(n, i));
  return folded(h);
}

bool Graph::equal(NodeId a, NodeId b) const {
  const Node& x = node(a);
  const Node& y = node(b);
  uint32_t count = input_count(a);
  if (x.op != y.op || x.type != y.type || x.payload != y.payload || count != input_count(b)) return false;
  for (uint32_t i = 0; i < count; ++i)
    if (input(a, i) != input(b, i)) return false;
  return true;
}

void Graph::grow_table() {
  std::vector<TableEntry> old = std::move(table_);
  table_.assign(std::max<size_t>(64, old.size() * 2), {});
  const size_t mask = table_.size() - 1;
  for (const TableEntry& entry : old) {
    if (is_none(entry.node)) continue;
    size_t at = entry.hash & mask;
    while (!is_none(table_[at].node)) at = (at + 1) & mask;
    table_[at] = entry;
  }
}

NodeId Graph::unify(NodeId n) {
  if (is_unified(n)) return n;
  if ((table_count_ + 1) * 3 > table_.size() * 2) grow_table();
  const size_t mask = table_.size() - 1;
  const uint32_t h = hash(n);
  size_t at = h & mask;
  for (; !is_none(table_[at].node); at = (at + 1) & mask)
    if (table_[at].hash == h && equal(table_[at].node, n)) return table_[at].node;
  table_[at] = {n, h};
  ++table_count_;
  mutable_node(n).flags |= in_table;
  return n;
}

/// Where it stands in the table, or the free place where it would.
size_t Graph::find_constant_place(uint32_t operand, uint32_t h) const {
  const size_t mask = table_.size() - 1;
  size_t at = h & mask;
  for (; !is_none(table_[at].node); at = (at + 1) & mask) {
    if (table_[at].hash != h) continue;
    const Node& x = node(table_[at].node);
    if (x.op == NodeOp::constant && x.payload == operand) break;
  }
  return at;
}

NodeId Graph::find_constant(Type type, uint64_t bits) const {
  if (table_.empty()) return no_node;
  const uint32_t operand = module_->constants.get(type, bits).word();
  return table_[find_constant_place(operand, hash_of_constant(operand))].node;
}

NodeId Graph::shared_constant(Type type, uint64_t bits, ir::Loc loc) {
  if ((table_count_ + 1) * 3 > table_.size() * 2) grow_table();
  const ir::Operand operand = module_->constants.get(type, bits);
  const uint32_t h = hash_of_constant(operand.word());
  TableEntry& entry = table_[find_constant_place(operand.word(), h)];
  if (is_none(entry.node)) {
    entry = {make(NodeOp::constant, module_->constant_type(operand), {}, operand.word(), loc), h};
    ++table_count_;
    mutable_node(entry.node).flags |= in_table;
  }
  return entry.node;
}

/// Closes the gap by moving later entries of the same run up, so that no marks of deleted entries pile up.
void Graph::remove_from_table(NodeId n) {
  const size_t mask = table_.size() - 1;
  size_t at = hash(n) & mask;
  while (table_[at].node != n) {
    assert(!is_none(table_[at].node) && "a node of the table was changed behind its back");
    at = (at + 1) & mask;
  }
  for (size_t next = (at + 1) & mask; !is_none(table_[next].node); next = (next + 1) & mask) {
    const size_t home = table_[next].hash & mask;
    if (((next - home) & mask) < ((next - at) & mask)) continue;
    table_[at] = table_[next];
    at = next;
  }
  table_[at] = {};
  --table_count_;
  mutable_node(n).flags &= static_cast<uint8_t>(~in_table);
}

uint32_t Graph::payload_of(std::span<const uint32_t> words) {
  if (words.empty()) return 0;
  auto hash_of = [](std::span<const uint32_t> list) {
    uint64_t h = list.size();
    for (uint32_t word : list) h = hash_combine(h, word);
    return h;
  };
  if ((word_count_ + 1) * 3 > word_table_.size() * 2) {
    std::vector<uint32_t> old = std::move(word_table_);
    word_table_.assign(std::max<size_t>(16, old.size() * 2), 0);
    for (uint32_t payload : old) {
      if (payload == 0) continue;
      size_t at = hash_of(words_at(payload)) & (word_table_.size() - 1);
      while (word_table_[at] != 0) at = (at + 1) & (word_table_.size() - 1);
      word_table_[at] = payload;
    }
  }
  size_t mask = word_table_.size() - 1;
  size_t at = hash_of(words) & mask;
  for (; word_table_[at] != 0; at = (at + 1) & mask)
    if (std::ranges::equal(words_at(word_table_[at]), words)) return word_table_[at];
  words_.push_back(static_cast<uint32_t>(words.size()));
  uint32_t payload = static_cast<uint32_t>(words_.size());
  words_.insert(words_.end(), words.begin(), words.end());
  word_table_[at] = payload;
  ++word_count_;
  return payload;
}

std::string Graph::check() const {
  uint32_t live = 0, in_tables = 0;
  auto fault = [](NodeId n, const char* what) { return "node " + std::to_string(index(n)) + ": " + what; };
  for (uint32_t k = 0; k < size(); ++k) {
    NodeId n = static_cast<NodeId>(k);
    if (is_dead(n)) {
      if (has_uses(n)) return fault(n, "dead, but used");
      if (is_unified(n)) return fault(n, "dead, but in the table");
      continue;
    }
    ++live;
    if (is_unified(n)) ++in_tables;
    for (uint32_t i = 0; i < input_count(n); ++i) {
      NodeId def = input(n, i);
      if (is_none(def)) continue;
      if (is_dead(def)) return fault(n, "has a dead input");
      const UseSlot& at = slot(slot_name(n, i));
      if (slot(at.next).previous != slot_name(n, i) || slot(at.previous).next != slot_name(n, i) ||
          slot(at.next).def != def)
        return fault(n, "is not in the circle of its input's uses");
    }
    bool sound = true;
    for_each_use(n, [&](NodeId user, uint32_t number) { sound = sound && input(user, number) == n; });
    if (!sound) return fault(n, "has a use that names another node");
  }
  if (live != live_) return "the count of live nodes is wrong";
  if (in_tables != table_count_) return "the count of nodes in the table is wrong";
  for (const auto& [n, h] : table_) {
    if (is_none(n)) continue;
    if (is_dead(n) || !is_unified(n)) return fault(n, "in the table without knowing it");
    if (h != hash(n)) return fault(n, "has changed since it is in the table");
  }
  return {};
}

}  // namespace braid::sea
