// Where the values that concern leaving SSA are read: one walk over the statements.
#include <algorithm>

#include "dessa/live_ranges.h"
#include "ir/words.h"

namespace braid::dessa {

using ir::BlockId;
using ir::Operand;
using ir::Stmt;

/// What comes to the phis of very wide blocks.
void LiveRanges::collect_runs() {
  if (!webs_.has_wide()) return;
  const Webs::NodeTable nodes = webs_.node_table();
  for (uint32_t w = 0; w < webs_.webs.size(); ++w) {
    const Web& web = webs_.webs[w];
    if (!is_very_wide(web)) continue;
    last_run_.resize(values_.size(), nothing);
    first_single_.resize(webs_.wide_edge_count, nothing);
    uint32_t* const first_single = first_single_.data() + webs_.first_wide_edge(web.block);
    webs_.for_each_run(w, [&](uint32_t word, uint32_t first, uint32_t count) __attribute__((always_inline)) {
      const uint32_t node = nodes[word];
      if (node == nothing) return;
      if (count == 1) {
        singles_.push({word, first_single[first]});
        first_single[first] = singles_.size() - 1;
      } else {
        runs_.push({web.block, first, count, last_run_[node]});
        last_run_[node] = runs_.size() - 1;
        values_[node].has_runs = true;
      }
    });
  }
}

/// One walk over the statements. Of each block the last place. Whether an operand is a node, and whether the block has read
/// it before, is hard to guess for a processor; so both sides are written, and the one that counts is kept.
void LiveRanges::collect_reads() {
  const Stmt* stmts = f_.columns().stmts();
  const uint32_t no_node = static_cast<uint32_t>(values_.size() - 1);  // all that is no node counts there
  reads_.reserve(2 * no_node + 2 * f_.block_count() + f_.size() + 64);
  reads_.push({nothing, 0, no_read});
  Value* values = values_.data();
  Read* reads = reads_.data();
  uint32_t size = reads_.size();
  auto make_room = [&](size_t more) __attribute__((always_inline)) {
    if (reads_.capacity() - size >= more) return;
    reads_.add(size - reads_.size());
    reads_.reserve(static_cast<uint32_t>(2 * reads_.capacity() + more));
    reads = reads_.data();
  };
  const Webs::NodeTable nodes = webs_.node_table();
  auto record = [&](uint32_t word, uint32_t block) __attribute__((always_inline)) -> Read& {
    uint32_t& last = values[std::min(nodes[word], no_node)].last_read;
    const uint32_t before = last, is_known = reads[before].block == block;
    reads[size] = {block, 0, before};
    // A choice would be compiled to a branch.
    const uint32_t at = size + ((before - size) & -is_known);
    last = at;
    size += 1 - is_known;
    return reads[at];
  };
  for (uint32_t b = 0; b < f_.block_count(); ++b) {
    const ir::Block& block = f_.block(static_cast<BlockId>(b));
    uint32_t i = block.first;
    while (i < block.end && ir::may_precede_phi(stmts[i].op)) ++i;
    make_room(3 * size_t{block.end - i} + 1);
    for (; i < block.end; ++i) {
      const Stmt& s = stmts[i];
      const ir::OpInfo& op = ir::info(s.op);
      if (s.is_pooled()) {
        std::span<const uint32_t> words = f_.args(s);
        make_room(words.size() + 3 * size_t{block.end - i} + 1);
        ir::for_each_word(ir::OperandKind::value, op, words, [&](uint32_t word) __attribute__((always_inline)) {
          record(word, b).at = 2 * read_point(i);
        });
        continue;
      }
      uint32_t mask = op.value_mask;
      for (uint32_t k = 0; k < s.n; ++k)
        if (mask >> k & 1) record(s.arg[k], b).at = 2 * read_point(i);
    }
    for (const WebEdge& edge : webs_.edges_from(b)) {
      const std::span<const Web> into = webs_.webs_at(edge);
      const uint32_t column = edge.column;
      make_room(into.size() + 1);
      if (is_very_wide(into[0])) {
        for (uint32_t k = first_single_[webs_.wide_edge(edge)]; k != nothing; k = singles_[k].next)
          record(singles_[k].word, b).at |= 1;
        continue;
      }
      // Variables that begin with the same value bring it again and again.
      uint32_t last = nothing, before_last = nothing;
      for (const Web& web : into) {
        uint32_t word = web.words[column];
        if (word == last || word == before_last) continue;
        before_last = last;
        last = word;
        record(word, b).at |= 1;
      }
    }
  }
  reads_.add(size - reads_.size());
  values_.pop_back();
}

}  // namespace braid::dessa
