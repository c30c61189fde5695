#include "bytecode/tokens.h"

#include "ssa/redundant_phis.h"

namespace braid::bytecode {

using ir::EdgeId;
using ir::Op;
using ir::Operand;

void Tokens::finish() {
  const auto token = [&](const Region& region) { return f_.terminator(region.entrance); };
  for (size_t i = 0; i < leaves_.items.size(); ++i)
    if (const Region& region = regions_[leaves_.lists[i]]; region.enter_count == 1)
      f_.set_operand(leaves_.items[i].leave, 0, token(region));
  bool any_others = false;
  for (const Region& region : regions_) {
    if (region.enter_count == 1 && !is_none(region.handler)) f_.set_operand(region.pop, 0, token(region));
    any_others |= region.enter_count > 1;
  }
  if (!any_others) return;
  const Csr<Enter> enters = enters_.rows(regions_.size());
  const Csr<Leave> leaves = leaves_.rows(regions_.size());
  const Csr<ir::BlockId> blocks = blocks_.rows(regions_.size());
  for (size_t list = 0; list < regions_.size(); ++list)
    if (regions_[list].enter_count > 1) connect(regions_[list], enters.row(list), leaves.row(list), blocks.row(list));
}

/// The token with which a block starts. One without a phi has the one of its predecessor.
uint32_t Tokens::token_of(ir::BlockId block) {
  walk_.clear();
  while (token_[index(block)] == unknown) {
    walk_.push_back(block);
    block = f_.edge(f_.block(block).first_pred).from;
  }
  const uint32_t token = token_[index(block)];
  for (ir::BlockId b : walk_) token_[index(b)] = token;
  return token;
}

void Tokens::connect(const Region& region, std::span<const Enter> enters, std::span<const Leave> leaves,
                     std::span<const ir::BlockId> blocks) {
  token_.resize(f_.block_count(), unknown);
  for (const Enter& enter : enters) token_[index(enter.body)] = f_.terminator(enter.block).word();
  std::vector<ir::BlockId> phis;
  for (ir::BlockId b : blocks) {
    if (f_.block(b).pred_count < 2) continue;
    token_[index(b)] = ssa::PhiCandidates::word_of(static_cast<uint32_t>(phis.size()));
    phis.push_back(b);
  }

  ssa::PhiCandidates candidates;
  for (ir::BlockId b : phis) {
    candidates.begin_operands(ssa::PhiCandidates::number(candidates.add()));
    f_.for_each_pred(b, [&](EdgeId e) { candidates.add_operand(token_of(f_.edge(e).from)); });
  }
  candidates.remove_redundant();

  // Only what someone leaves by is put.
  std::vector<Operand> placed(phis.size(), Operand::undef());
  std::vector<uint32_t> work;
  auto final = [&](uint32_t word) {
    const Operand operand = Operand::from_word(candidates.resolved(word));
    if (!operand.is_pending()) return operand;
    Operand& phi = placed[operand.number()];
    if (phi.is_undef()) {
      phi = f_.insert(f_.phis_of(phis[operand.number()]), {{}, token_type, {}});
      work.push_back(operand.number());
    }
    return phi;
  };
  for (const Leave& leave : leaves) f_.set_operand(leave.leave, 0, final(token_of(leave.block)));
  std::vector<uint32_t> words;
  while (!work.empty()) {
    const uint32_t p = work.back();
    work.pop_back();
    words.clear();
    for (uint32_t word : candidates.operands(p)) words.push_back(final(word).word());
    f_.overwrite(placed[p], f_.make(Op::phi, token_type, words));
  }
  if (is_none(region.handler)) return;
  words.clear();
  for (const Enter& enter : enters) words.push_back(enter.upsilon.word());
  f_.set_operand(region.pop, 0, f_.insert(f_.phis_of(region.handler), f_.make(Op::phi_c, token_type, words)));
}

}  // namespace braid::bytecode
