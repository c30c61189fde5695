#include "dessa/webs.h"

#include <algorithm>

namespace braid::dessa {

using ir::BlockId;
using ir::Op;
using ir::Operand;
using ir::Ref;
using ir::Stmt;

Webs::Webs(const ir::Function& f) : f_(f), statement_count_(f.size()) {
  find_phis();
  if (empty()) return;
  if (has_copies_) find_copies();
  if (!slots.empty()) find_upsilons();
  for (const Web& web : webs)
    for (uint32_t word : f_.args(f_.columns().stmt(web.phi))) add_operand(Operand::from_word(word));
  for (const Upsilon& upsilon : upsilons) add_operand(operand(upsilon));
  // Places and values; what an operand is made of is known now.
  for (uint32_t b = 0; b < f_.block_count(); ++b) {
    const ir::Block& block = f_.block(static_cast<BlockId>(b));
    for (uint32_t i = block.first; i < block.end; ++i) {
      if (node_of_[i] == nothing) continue;
      Node& node = nodes[node_of_[i]];
      node.block = b;
      node.point = ir::is_phi_like(f_.columns().stmt(i).op) ? start_point(block.first) : write_point(i);
      node.value = value_of(node.id);
    }
  }
}

void Webs::find_phis() {
  const Stmt* stmts = f_.columns().stmts();
  first_web_.reserve(f_.block_count() + 1);
  for (uint32_t b = 0; b < f_.block_count(); ++b) {
    const ir::Block& block = f_.block(static_cast<BlockId>(b));
    first_web_.push_back(static_cast<uint32_t>(webs.size()));
    for (uint32_t i = block.first; i < block.end && ir::may_precede_phi(stmts[i].op); ++i) {
      if (!ir::is_phi_like(stmts[i].op) || f_.columns().type(i) == token_type) continue;
      if (stmts[i].op == Op::phi) {
        has_copies_ |= block.pred_count == 1;
        webs.push_back({i, b, nothing, nothing});
      } else {
        slots.push_back({i, b, nothing, nothing, 0, 0});
      }
    }
    // A copy needs a pi, and where nothing flows together nobody asks.
    for (uint32_t i = block.first; i < block.end && !has_copies_; ++i) has_copies_ = stmts[i].op == Op::pi;
  }
  first_web_.push_back(static_cast<uint32_t>(webs.size()));
  if (empty()) return;
  node_of_.assign(statement_count_ + f_.param_count(), nothing);
  nodes.reserve(3 * webs.size() + 3 * slots.size());
  for (Web& web : webs) {
    web.node = static_cast<uint32_t>(nodes.size());
    Operand id(static_cast<Ref>(web.phi));
    nodes.push_back(
        {Node::Kind::web, web.block, 0, static_cast<uint32_t>(&web - webs.data()), id, f_.type(id)});
    web.value = add_value(id, web.block, 0);
  }
  for (Slot& slot : slots) {
    slot.node = static_cast<uint32_t>(nodes.size());
    Operand id(static_cast<Ref>(slot.phi_c));
    nodes.push_back(
        {Node::Kind::slot, slot.block, 0, static_cast<uint32_t>(&slot - slots.data()), id, f_.type(id)});
    slot.value = add_value(id, slot.block, 0);
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
  auto first = std::lower_bound(slots.begin(), slots.end(), block,
                                [](const Slot& s, uint32_t b) { return s.block < b; });
  auto end = first;
  while (end != slots.end() && end->block == block) ++end;
  return {first, end};
}

uint32_t Webs::add_value(Operand operand, uint32_t block, uint32_t point) {
  uint32_t& node = node_of_[operand.is_stmt() ? operand.number() : statement_count_ + operand.number()];
  if (node != nothing) return node;
  node = static_cast<uint32_t>(nodes.size());
  nodes.push_back({Node::Kind::value, block, point, operand.word(), operand, f_.type_of(operand)});
  return node;
}

/// A terminator's value cannot be assigned where it is made.
void Webs::add_operand(Operand operand) {
  has_undef |= operand.is_undef();
  if (operand.is_param())
    add_value(operand, 0, 0);
  else if (operand.is_stmt() && !ir::is_terminator(f_.columns().stmt(operand.number()).op))
    add_value(operand, nothing, 0);
}

}  // namespace braid::dessa
