// Handlers in on-the-fly construction: which assignments a handler may see, and the upsilons that bring them there.
#include <cassert>

#include "ssa/on_the_fly.h"

namespace braid::ssa {

using ir::BlockId;
using ir::EdgeId;
using ir::Op;
using ir::Operand;

/// The protected region of every block and of every logged assignment: a forward walk; the verifier proves later that all
/// paths agree. A region is one (handler, enter block); regions form a tree by nesting.
void OnTheFly::find_regions() {
  std::vector<std::vector<uint32_t>> leaves_of(f_.block_count()), writes_of(f_.block_count());
  for (uint32_t i = 0; i < leaves_.size(); ++i) leaves_of[index(leaves_[i].block)].push_back(i);
  for (uint32_t i = 0; i < writes_.size(); ++i) writes_of[index(writes_[i].block)].push_back(i);
  writes_of_variable_ = Csr<uint32_t>::build(variables_.size(), [&](auto&& emit) {
    for (uint32_t i = 0; i < writes_.size(); ++i) emit(writes_[i].variable, i);
  });
  region_of_block_.assign(f_.block_count(), nobody);
  region_of_write_.assign(writes_.size(), nobody);
  auto pop = [&](uint32_t region, uint32_t count) {
    for (; count > 0 && region != nobody; --count) region = regions_[region].outer;
    return region;
  };

  std::vector<bool> seen(f_.block_count(), false);
  std::vector<BlockId> work = {ir::Function::entry()};
  seen[0] = true;
  while (!work.empty()) {
    BlockId b = work.back();
    work.pop_back();
    uint32_t region = region_of_block_[index(b)];
    const std::vector<uint32_t>& leaves = leaves_of[index(b)];
    size_t next_leave = 0;
    // Positions inside a block only grow, so assignments and leaves merge by them.
    for (uint32_t w : writes_of[index(b)]) {
      uint32_t position = writes_[w].after.is_undef() ? 0 : writes_[w].after.number() + 1;
      while (next_leave < leaves.size() && index(leaves_[leaves[next_leave]].leave) < position)
        region = pop(region, leaves_[leaves[next_leave++]].popped);
      region_of_write_[w] = region;
    }
    while (next_leave < leaves.size()) region = pop(region, leaves_[leaves[next_leave++]].popped);

    f_.for_each_succ(b, [&](EdgeId e) {
      const ir::Edge& edge = f_.edge(e);
      if (seen[index(edge.to)]) return;
      seen[index(edge.to)] = true;
      uint32_t target = region;
      if (f_.op(f_.terminator(b)) == Op::enter && edge.kind == ir::EdgeKind::normal) {
        const ir::Stmt& enter = f_.stmt(f_.terminator(b));
        EdgeId to_handler = static_cast<EdgeId>(enter.arg[0]);
        BlockId handler = is_none(to_handler) ? none_id<BlockId> : f_.edge(to_handler).to;
        regions_.push_back({handler, b, region});
        target = static_cast<uint32_t>(regions_.size() - 1);
      }
      region_of_block_[index(edge.to)] = target;
      work.push_back(edge.to);
    });
  }
}

/// One upsilon just before each enter, one behind each assignment in a region of this handler, also from regions inside.
void OnTheFly::demand_upsilons(uint32_t placeholder) {
  BlockId handler = placeholders_[placeholder].block;
  uint32_t variable = placeholders_[placeholder].variable;
  for (EdgeId e = f_.block(handler).first_pred; !is_none(e); e = f_.edge(e).next_pred) {
    if (f_.edge(e).dead) continue;
    BlockId from = f_.edge(e).from;
    operands_.push_back(read_at_end(from, variable));
    upsilons_.push_back({placeholder, static_cast<uint32_t>(operands_.size() - 1), f_.at_end(from)});
  }
  for (uint32_t w : writes_of_variable_.row(variable)) {
    const Write& write = writes_[w];
    bool covered = false;
    for (uint32_t r = region_of_write_[w]; r != nobody && !covered; r = regions_[r].outer)
      covered = regions_[r].handler == handler;
    if (!covered) continue;
    operands_.push_back(write.word);
    ir::Point point = write.after.is_undef() ? f_.at_start(write.block) : f_.after(write.after);
    upsilons_.push_back({placeholder, static_cast<uint32_t>(operands_.size() - 1), point});
  }
}

void OnTheFly::write_upsilons() {
  std::vector<uint32_t> words;
  for (size_t i = 0; i < upsilons_.size();) {
    uint32_t p = upsilons_[i].phi_c;
    Type type = variables_[placeholders_[p].variable].type;
    words.clear();
    for (; i < upsilons_.size() && upsilons_[i].phi_c == p; ++i) {
      Operand value = Operand::from_word(resolved(operands_[upsilons_[i].word]));
      words.push_back(Operand(f_.insert(upsilons_[i].point, f_.make(Op::upsilon, type, {value}))).word());
    }
    f_.overwrite(Operand(static_cast<ir::NewRef>(p)), f_.make(Op::phi_c, type, words));
  }
}

}  // namespace braid::ssa
