#include "dessa/webs.h"

#include <algorithm>

namespace braid::dessa {

using ir::BlockId;
using ir::Op;
using ir::Operand;
using ir::Ref;
using ir::Stmt;

Webs::Webs(const ir::Function& f) : f_(f), statement_count_(f.size()), param_count_(f.param_count()) {
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

inline uint32_t Webs::add_value(Operand operand, Node::Kind kind) {
  uint32_t node = static_cast<uint32_t>(nodes.size());
  node_of_[operand.is_stmt() ? operand.number() : statement_count_ + operand.number()] = node;
  Type type = operand.is_stmt() ? f_.columns().type(operand.number()) : f_.type_of(operand);
  nodes.push({0, 0, operand.word(), operand, type, kind});
  return node;
}

/// What comes to a phi or slot. Statements become nodes later, in their order: all that follows goes from block to block.
inline void Webs::want(Operand operand) {
  if (operand.is_param()) {
    if (node_of(operand) == nothing) mark_hub(add_value(operand, Node::Kind::value));
  } else if (operand.is_stmt() && node_of_[operand.number()] == nothing) {
    node_of_[operand.number()] = wanted;
    ++wanted_count_;
  }
}

void Webs::find_phis() {
  const Stmt* stmts = f_.columns().stmts();
  first_web_.resize(f_.block_count() + 1);
  bool has_pi = false;
  for (uint32_t b = 0; b < f_.block_count(); ++b) {
    const ir::Block& block = f_.block(static_cast<BlockId>(b));
    first_web_[b] = static_cast<uint32_t>(webs.size());
    uint32_t i = block.first;
    for (; i < block.end && ir::may_precede_phi(stmts[i].op); ++i) {
      if (!ir::is_phi_like(stmts[i].op) || f_.columns().type(i) == token_type) continue;
      if (stmts[i].op == Op::phi) {
        has_copies_ |= block.pred_count == 1;
        webs.push({i, b, nothing, nothing, f_.args(stmts[i]).data()});
      } else {
        slots.push_back({i, b, nothing, nothing, 0, 0});
      }
    }
    for (; i < block.end; ++i) has_pi |= stmts[i].op == Op::pi;
  }
  first_web_[f_.block_count()] = static_cast<uint32_t>(webs.size());
  // A copy needs a pi, or a phi where nothing flows together.
  has_copies_ |= has_pi;
  if (empty()) return;
  node_of_.assign(statement_count_ + param_count_, nothing);
  nodes.reserve(3 * webs.size() + 3 * slots.size() + param_count_);
  for (Web& web : webs) web.node = web.value = add_value(static_cast<Ref>(web.phi), Node::Kind::phi);
  for (Slot& slot : slots) {
    slot.node = static_cast<uint32_t>(nodes.size());
    Operand id(static_cast<Ref>(slot.phi_c));
    nodes.push({slot.block, 0, static_cast<uint32_t>(&slot - slots.data()), id, f_.type(id), Node::Kind::slot});
    slot.value = add_value(id, Node::Kind::value);
  }
}

void Webs::find_runs() {
  uint32_t most = 0;
  for (const Web& web : webs)
    if (size_t count = operands(web).size(); count > most_narrow) most += static_cast<uint32_t>(count);
  if (most == 0) return;
  runs_.reserve(most);
  first_run_.resize(webs.size() + 1);
  Run* next = runs_.data();
  for (uint32_t w = 0; w < webs.size(); ++w) {
    const std::span<const uint32_t> words = operands(webs[w]);
    const uint32_t count = static_cast<uint32_t>(words.size());
    first_run_[w] = static_cast<uint32_t>(next - runs_.data());
    if (count <= most_narrow) continue;
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
/// variables begin with.
void Webs::find_operands() {
  std::vector<uint32_t> last(node_of_.size(), nothing);  // by position, then by parameter: the web that it came to
  std::vector<Operand> hub_operands;
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
      want(operand);
      uint32_t& before = last[operand.number() + (operand.is_stmt() ? 0 : statement_count_)];
      if (before < w && before >= first_of_block) hub_operands.push_back(operand);
      before = w;
    });
  }
  value_operands -= undef + constant_operands;
  for (const Upsilon& upsilon : upsilons) {
    undef += operand(upsilon).is_undef();
    want(operand(upsilon));
  }
  has_undef = undef != 0;
  find_places();
  for (Operand operand : hub_operands)
    if (uint32_t node = node_of(operand); node != nothing) mark_hub(node);
}

/// Which statements are nodes is hard to guess for a processor, so all of them are noted and those that are none
/// overwritten. A terminator's value cannot be assigned where it is made.
void Webs::find_places() {
  const uint32_t count = f_.block_count();
  made_.resize(nodes.size() + wanted_count_ + 1);
  first_made_.resize(count + 1);
  uint32_t next = 0;
  for (uint32_t b = 0; b < count; ++b) {
    const ir::Block& block = f_.block(static_cast<BlockId>(b));
    first_made_[b] = next;
    if (node_of_[block.end - 1] == wanted) node_of_[block.end - 1] = nothing;
    for (uint32_t i = block.first; i < block.end; ++i) {
      made_[next] = i;
      next += node_of_[i] != nothing;
    }
    for (uint32_t k = first_made_[b]; k < next; ++k) {
      const uint32_t position = made_[k];
      const bool is_new = node_of_[position] == wanted;
      made_[k] = is_new ? add_value(static_cast<Ref>(position), Node::Kind::value) : node_of_[position];
      Node& node = nodes[made_[k]];
      const bool is_phi = !is_new && ir::is_phi_like(f_.columns().stmt(position).op);
      node.block = b;
      node.point = is_phi ? start_point(block.first) : write_point(position);
    }
  }
  first_made_[count] = next;
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
  Node copy = nodes[node];
  copy.is_hub = false;
  nodes.push(copy);
  return static_cast<uint32_t>(nodes.size() - 1);
}

void Webs::find_words() {
  for (Web& web : webs) web.words = f_.args(f_.columns().stmt(web.phi)).data();
}

void Webs::part(Web& web) {
  uint32_t number = static_cast<uint32_t>(&web - webs.data());
  Node node = nodes[web.value];
  nodes[web.value].kind = Node::Kind::value;
  node.kind = Node::Kind::web;
  node.value = number;
  node.is_hub = false;
  web.node = static_cast<uint32_t>(nodes.size());
  nodes.push(node);
}

}  // namespace braid::dessa
