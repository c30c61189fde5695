#include "dessa/webs.h"

#include <algorithm>

#include "ir/words.h"

namespace braid::dessa {

using ir::BlockId;
using ir::EdgeId;
using ir::Op;
using ir::Operand;
using ir::Ref;
using ir::Stmt;

Webs::Webs(const ir::Function& f, const Survey& survey)
    : f_(f), statement_count_(f.size()), param_count_(f.param_count()), has_copies_(survey.has(Op::pi)) {
  find_phis();
  if (empty()) return;
  if (!slots.empty()) find_upsilons();
  find_runs();
  find_operands();
  if (!has_copies_) return;
  find_copies();
  for (Node& node : nodes)
    if (node.kind == Node::Kind::value || node.kind == Node::Kind::phi) node.value = value_of(node.id);
}

/// Its place is found later.
inline uint32_t Webs::add_statement(uint32_t position, Node::Kind kind) {
  const uint32_t node = nodes.size();
  const Operand id(static_cast<Ref>(position));
  const Type type = f_.columns().type(position);
  node_of_[position] = node;
  Node* const added = nodes.add();
  added->value = id.word();
  added->id = id;
  added->type = type;
  added->kind = kind;
  has_one_type &= type == nodes[0].type;
  return node;
}

uint32_t Webs::add_parameter(Operand operand) {
  const uint32_t node = node_entry(operand) = nodes.size();
  nodes.push({0, 0, operand.word(), operand, f_.type_of(operand), Node::Kind::value});
  has_one_type &= nodes.back().type == nodes[0].type;
  return node;
}

/// A copy needs a pi, or a phi where nothing flows together.
void Webs::find_phis() {
  const Stmt* stmts = f_.columns().stmts();
  const Type* types = f_.columns().types();
  const uint32_t count = f_.block_count();
  first_web_.reserve(count + 1);
  first_web_.add(count + 1);
  for (uint32_t b = 0; b < count; ++b) {
    const ir::Block& block = f_.block(static_cast<BlockId>(b));
    first_web_[b] = webs.size();
    for (uint32_t i = block.first; i < block.end && ir::may_precede_phi(stmts[i].op); ++i) {
      if (!ir::is_phi_like(stmts[i].op) || types[i] == token_type) continue;
      if (stmts[i].op == Op::phi) {
        has_copies_ |= block.pred_count == 1;
        Web* const web = webs.add();
        web->count = block.pred_count;
        web->block = b;
        web->node = i;
        web->words = f_.args(stmts[i]).data();
      } else {
        slots.push_back({i, b, nothing, nothing, 0, 0});
      }
    }
  }
  first_web_[count] = webs.size();
  if (empty()) return;
  node_of_.assign(statement_count_ + param_count_ + 1, nothing);
  nodes.reserve(webs.size() + 2 * static_cast<uint32_t>(slots.size()) + param_count_);
  // Until now the number of the node was that of the statement.
  for (Web& web : webs) web.node = web.value = add_statement(web.node, Node::Kind::phi);
  for (Slot& slot : slots) {
    slot.node = static_cast<uint32_t>(nodes.size());
    Operand id(static_cast<Ref>(slot.phi_c));
    nodes.push({slot.block, 0, static_cast<uint32_t>(&slot - slots.data()), id, f_.type(id), Node::Kind::slot});
    slot.value = add_statement(slot.phi_c, Node::Kind::value);
  }
}

void Webs::find_runs() {
  uint32_t most = 0;
  for (const Web& web : webs)
    if (web.count > most_narrow) most += web.count;
  if (most == 0) return;
  runs_.reserve(most);
  first_run_.resize(webs.size() + 1);
  first_wide_edge_.reserve(f_.block_count());
  first_wide_edge_.add(f_.block_count());
  Run* next = runs_.data();
  for (uint32_t w = 0; w < webs.size(); ++w) {
    const std::span<const uint32_t> words = operands(webs[w]);
    const uint32_t count = static_cast<uint32_t>(words.size());
    first_run_[w] = static_cast<uint32_t>(next - runs_.data());
    if (count <= most_narrow) continue;
    if (w == first_web_[webs[w].block]) {
      first_wide_edge_[webs[w].block] = wide_edge_count;
      wide_edge_count += count;
    }
    // Whether a word is that of before is hard to guess for a processor; so all of them are noted.
    uint32_t last = ~words[0];
    for (uint32_t i = 0; i < count; ++i) {
      *next = {words[i], i};
      next += words[i] != last;
      last = words[i];
    }
  }
  runs_.add(static_cast<uint32_t>(next - runs_.data()));
  first_run_[webs.size()] = runs_.size();
}

/// Of a value that comes to several phis of one block, at most one can have it; parameters are often what several
/// variables begin with. Statements become nodes later, in their order: all that follows goes from block to block.
void Webs::find_operands() {
  std::vector<uint32_t> last(nodes.size() + param_count_, nothing);  // by node: the web that it came to, like `wanted`
  std::vector<Operand> hub_operands;
  std::vector<uint32_t> hubs;
  uint32_t undef = 0;
  for (uint32_t w = 0; w < webs.size(); ++w) {
    const uint32_t first_of_block = first_web_[webs[w].block];
    for_each_run(w, [&](uint32_t word, uint32_t, uint32_t count) __attribute__((always_inline)) {
      Operand operand = Operand::from_word(word);
      value_operands += count;
      if (!operand.is_stmt() && !operand.is_param()) {
        constant_operands += operand.is_constant() ? count : 0;
        undef += operand.is_undef() ? count : 0;
        return;
      }
      uint32_t& node = node_entry(operand);
      if (node == nothing && operand.is_param()) hubs.push_back(add_parameter(operand));
      wanted_count_ += node == nothing;
      uint32_t& before = node < wanted ? last[node] : node;
      if (before - (wanted + first_of_block) < w - first_of_block) hub_operands.push_back(operand);
      before = wanted + w;
    });
  }
  value_operands -= undef + constant_operands;
  for (const Upsilon& upsilon : upsilons) {
    Operand stored = operand(upsilon);
    undef += stored.is_undef();
    if (!stored.is_stmt() && !stored.is_param()) continue;
    uint32_t& node = node_entry(stored);
    if (node != nothing) continue;
    if (stored.is_param()) {
      hubs.push_back(add_parameter(stored));
    } else {
      node = wanted_by_no_web;
      ++wanted_count_;
    }
  }
  has_undef = undef != 0;
  find_places();
  is_hub_.resize(nodes.size());
  for (uint32_t hub : hubs) mark_hub(hub);
  for (Operand operand : hub_operands)
    if (uint32_t node = node_of(operand); node != nothing) mark_hub(node);
}

/// Which statements are nodes is hard to guess for a processor, so all of them are noted and those that are none
/// overwritten. A terminator's value cannot be assigned where it is made.
void Webs::find_places() {
  const uint32_t count = f_.block_count();
  nodes.reserve(nodes.size() + wanted_count_);
  made_.reserve(nodes.size() + wanted_count_ + 1);
  places_.reserve(count + 1);
  edges_.reserve(f_.edge_count());
  uint32_t* const made = made_.data();
  uint32_t next = 0;
  for (uint32_t b = 0; b < count; ++b) {
    const ir::Block& block = f_.block(static_cast<BlockId>(b));
    const uint32_t first = next, last = block.end - 1;
    places_.push({first, edges_.size()});
    if (is_wanted(node_of_[last])) node_of_[last] = nothing;
    for (uint32_t i = block.first; i < last; ++i) {
      made[next] = i;
      next += node_of_[i] != nothing;
    }
    for (uint32_t k = first; k < next; ++k) {
      const uint32_t position = made[k];
      const bool is_new = node_of_[position] >= wanted;
      made[k] = is_new ? add_statement(position, Node::Kind::value) : node_of_[position];
      Node& node = nodes[made[k]];
      node.block = b;
      node.point = is_new ? write_point(position) : start_point(block.first);
    }
    find_edges(f_.columns().stmt(last));
  }
  places_.push({next, edges_.size()});
  made_.add(next);
}

[[gnu::always_inline]] inline void Webs::find_edges(const Stmt& terminator) {
  auto look_at = [&](EdgeId e) __attribute__((always_inline)) {
    const ir::Edge& edge = f_.edge(e);
    const uint32_t first = first_web_[index(edge.to)], end = first_web_[index(edge.to) + 1];
    if (first == end) return;
    WebEdge* const added = edges_.add();
    added->edge = e;
    added->column = edge.pred_index;
    added->comes_from_jump = terminator.op == Op::jump;
    added->first_web = first;
    added->end_web = end;
  };
  if (terminator.op == Op::jump || terminator.op == Op::branch) {
    const uint32_t end = terminator.n;
    for (uint32_t k = terminator.op == Op::branch; k < end; ++k) look_at(static_cast<EdgeId>(terminator.arg[k]));
  } else if (terminator.op != Op::ret) {
    ir::for_each_word(ir::OperandKind::block, ir::info(terminator.op), f_.args(terminator), [&](uint32_t word) {
      if (EdgeId e = static_cast<EdgeId>(word); !is_none(e)) look_at(e);
    });
  }
}

/// A statement stands behind what it copies: dominators come first.
void Webs::find_copies() {
  copied_.resize(statement_count_);
  for (uint32_t i = 0; i < statement_count_; ++i) {
    const Stmt& s = f_.columns().stmt(i);
    copied_[i] = Operand(static_cast<Ref>(i)).word();
    bool is_copy = s.op == Op::pi || (s.op == Op::phi && f_.operand_count(s) == 1);
    if (Operand from = is_copy ? f_.operand(s, 0) : Operand(); is_copy && !from.is_undef())
      copied_[i] = value_of(from);
  }
}

void Webs::find_upsilons() {
  std::vector<uint32_t> slot_of(statement_count_, nothing);
  for (uint32_t s = 0; s < slots.size(); ++s)
    for (uint32_t word : f_.args(f_.columns().stmt(slots[s].phi_c)))
      if (Operand upsilon = Operand::from_word(word); upsilon.is_stmt()) slot_of[upsilon.number()] = s;
  for (uint32_t b = 0; b < f_.block_count(); ++b) {
    const ir::Block& block = f_.block(static_cast<BlockId>(b));
    for (uint32_t i = block.first; i < block.end; ++i)
      if (slot_of[i] != nothing && f_.columns().stmt(i).op == Op::upsilon)
        upsilons.push_back({i, b, slot_of[i]});
  }
  std::sort(upsilons.begin(), upsilons.end(), [](const Upsilon& a, const Upsilon& b) {
    return a.slot != b.slot ? a.slot < b.slot : a.position < b.position;
  });
  for (uint32_t i = 0; i < upsilons.size(); ++i) {
    Slot& slot = slots[upsilons[i].slot];
    if (slot.end_upsilon == 0) slot.first_upsilon = i;
    slot.end_upsilon = i + 1;
  }
}

std::span<const Slot> Webs::slots_of(uint32_t block) const {
  if (slots.empty()) return {};
  auto first = std::lower_bound(slots.begin(), slots.end(), block,
                                [](const Slot& s, uint32_t b) { return s.block < b; });
  auto end = first;
  while (end != slots.end() && end->block == block) ++end;
  return {first, end};
}

uint32_t Webs::add_copy_of(uint32_t node) {
  nodes.push(Node(nodes[node]));
  is_hub_.push_back(0);
  return static_cast<uint32_t>(nodes.size() - 1);
}

void Webs::part(Web& web) {
  uint32_t number = static_cast<uint32_t>(&web - webs.data());
  Node node = nodes[web.value];
  nodes[web.value].kind = Node::Kind::value;
  node.kind = Node::Kind::web;
  node.value = number;
  web.node = static_cast<uint32_t>(nodes.size());
  nodes.push(node);
  is_hub_.push_back(0);
}

}  // namespace braid::dessa
