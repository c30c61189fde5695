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
/// Its type follows from the operand. Of numbers that follow each other, four share a line, and the lines stand in a row.
ValueTable::Key key_of_constant(uint32_t operand) {
  return {operand >> 2, folded(hash_without_inputs(NodeOp::constant, operand, none))};
}
constexpr uint32_t near = 2;  ///< bits of ids that make no difference
/// Of what most nodes are: apart, so that it stands where it is asked for.
inline ValueTable::Key key_of_two(const Node& x) {
  const NodeId left = x.slot[0].def, right = x.slot[1].def;
  const uint64_t hash = with_input(with_input(hash_without_inputs(x.op, x.payload, x.type), left), right);
  return {std::max(index(left), index(right)) >> near, folded(hash)};
}

}  // namespace

ValueTable::Key Graph::key(NodeId n) const {
  const Node& x = node(n);
  if (x.op == NodeOp::constant) return key_of_constant(x.payload);
  if (x.shape == 2) return key_of_two(x);
  uint64_t h = hash_without_inputs(x.op, x.payload, x.type);
  uint32_t newest = 0;
  const uint32_t count = input_count(n);
  for (uint32_t i = 0; i < count; ++i) {
    h = with_input(h, input(n, i));
    newest = std::max(newest, index(input(n, i)));
  }
  return {newest >> near, folded(h)};
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

NodeId Graph::find_or_enter(NodeId n) {
  const Node& x = node(n);
  const NodeId known = table_.find_or_insert(
      x.shape == 2 ? key_of_two(x) : key(n), n, [&](NodeId other) { return equal(other, n); },
      [this](NodeId other) { return key(other); });
  if (known == n) mutable_node(n).flags |= in_table;
  return known;
}

void Graph::enter_table(ValueTable::Key place, NodeId n) {
  table_.insert(place, n, [this](NodeId other) { return key(other); });
  mutable_node(n).flags |= in_table;
}

NodeId Graph::find_constant(uint32_t operand) const {
  return table_.find(key_of_constant(operand), [&](NodeId other) {
    return node(other).op == NodeOp::constant && node(other).payload == operand;
  });
}

NodeId Graph::find_constant(Type type, uint64_t bits) const {
  return find_constant(module_->constants.get(type, bits).word());
}

NodeId Graph::shared_constant(Type type, uint64_t bits, ir::Loc loc) {
  const ir::Operand operand = module_->constants.get(type, bits);
  NodeId known = find_constant(operand.word());
  if (!is_none(known)) return known;
  NodeId n = make(NodeOp::constant, module_->constant_type(operand), {}, operand.word(), loc);
  enter_table(key_of_constant(operand.word()), n);
  return n;
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
  if (in_tables != table_.size()) return "the count of nodes in the table is wrong";
  std::string wrong;
  table_.for_each([&](NodeId n, uint32_t h) {
    if (is_dead(n) || !is_unified(n))
      wrong = fault(n, "in the table without knowing it");
    else if (h != key(n).hash)
      wrong = fault(n, "has changed since it is in the table");
  });
  return wrong;
}

}  // namespace braid::sea
