#include "mixed/write_versions.h"

#include <algorithm>

#include "ir/undef_uses.h"
#include "ir/uses.h"
#include "ssa/repair.h"

namespace braid::mixed {

using ir::BlockId;
using ir::EdgeId;
using ir::Op;
using ir::Operand;
using ir::Ref;

namespace {

class Writer {
 public:
  Writer(ir::Function& f, const Plan& plan, const std::vector<Operand>& cut_at)
      : f_(f), plan_(plan), cut_at_(cut_at), uses_(f), block_count_(f.block_count()), block_of_(plan.versions().size()) {}

  void run() {
    edges_.resize(block_count_);
    for (uint32_t b = 0; b < block_count_; ++b)
      f_.for_each_succ(static_cast<BlockId>(b), [&](EdgeId e) { edges_[b].push_back(e); });
    copy_blocks();
    for (uint32_t b = 0; b < block_count_; ++b)
      for (uint32_t version : plan_.versions_of(static_cast<BlockId>(b))) lead(version);
    ssa::repair(f_, definitions_, uses_);
  }

 private:
  void copy_blocks() {
    for (uint32_t k = 0;; ++k) {
      std::vector<BlockId> blocks;
      for (uint32_t b = 0; b < block_count_; ++b)
        if (plan_.versions_of(static_cast<BlockId>(b)).size() > k) blocks.push_back(static_cast<BlockId>(b));
      if (blocks.empty()) return;
      // The first version is the block itself.
      std::vector<BlockId> copies = k == 0 ? blocks : f_.clone_blocks(blocks);
      for (size_t i = 0; i < blocks.size(); ++i) block_of_[plan_.versions_of(blocks[i])[k]] = copies[i];
      if (k == 0) continue;
      std::vector<ssa::NewDefinition> made = ssa::definitions_of_copies(f_, blocks, copies);
      definitions_.insert(definitions_.end(), made.begin(), made.end());
    }
  }

  std::vector<Operand> phis_of(BlockId b) const {
    std::vector<Operand> phis;
    bool in_front = true;
    f_.for_each_range(b, [&](uint32_t first, uint32_t end) {
      for (uint32_t p = first; p < end && in_front; ++p) {
        const Operand id = static_cast<Ref>(p);
        if (f_.op(id) == Op::phi) phis.push_back(id);
        in_front = ir::may_precede_phi(f_.op(id));
      }
    });
    return phis;
  }

  /// A new edge brings what the original one brings, by the names of the original: repair finds the right
  /// definitions. A phi of the original reads the value already, so it is among the users of it.
  void fill_column(EdgeId made, EdgeId original) {
    const BlockId from = f_.edge(original).to, to = f_.edge(made).to;
    const std::vector<Operand> phis = phis_of(from), copies = phis_of(to);
    for (size_t i = 0; i < phis.size(); ++i)
      f_.set_operand(copies[i], f_.edge(made).pred_index, f_.operand(phis[i], f_.edge(original).pred_index));
  }

  void lead(uint32_t number) {
    const Version& version = plan_.versions()[number];
    const std::vector<EdgeId>& originals = edges_[index(version.block)];
    const BlockId b = block_of_[number];
    std::vector<EdgeId> edges;
    f_.for_each_succ(b, [&](EdgeId e) { edges.push_back(e); });
    if (edges.size() == 1 && version.ways[0].size() > 1) return test_kinds(b, version, originals[0]);
    for (size_t i = 0; i < edges.size(); ++i) {
      if (version.ways[i].empty()) continue;
      const BlockId to = block_of_[version.ways[i][0].version];
      if (f_.edge(edges[i]).to != to) fill_column(f_.redirect_edge(edges[i], to), originals[i]);
    }
    for (size_t i = 0; i < edges.size(); ++i)
      if (version.ways[i].empty()) f_.remove_edge(edges[i]);
  }

  /// In place of the jump of `b`: a test for each kind but the last, and a pi on each way.
  void test_kinds(BlockId b, const Version& version, EdgeId original) {
    const std::vector<WayOn>& ways = version.ways[0];
    const Operand value = cut_at_[index(version.block)];
    const ir::Loc loc = f_.loc(f_.terminator(b));
    auto go = [&](BlockId from, const WayOn& way) {
      const Type type = f_.module().types.only(f_.type(value), way.kinds);
      definitions_.push_back({value, f_.append(from, f_.make(Op::pi, type, {value}, loc))});
      f_.jump(from, block_of_[way.version], loc);
      f_.for_each_succ(from, [&](EdgeId e) { fill_column(e, original); });
    };
    for (size_t i = 0; i + 1 < ways.size(); ++i) {
      const uint32_t words[] = {value.word(), tested(ways[i].kinds, value)};
      const Operand is_kind = test_at_end(b, f_.make(Op::is, i1, words, loc));
      const BlockId yes = f_.new_block(), no = f_.new_block();
      f_.branch(b, is_kind, yes, no, loc);
      go(yes, ways[i]);
      b = no;
    }
    go(b, ways.back());
  }
  uint32_t tested(KindSet kinds, Operand value) const {
    return (kinds & f_.module().types.kinds(f_.type(value)));
  }
  Operand test_at_end(BlockId b, const ir::Inst& test) {
    if (f_.terminator(b).is_undef()) return f_.append(b, test);
    return f_.insert(f_.at_end(b), test);
  }

  ir::Function& f_;
  const Plan& plan_;
  const std::vector<Operand>& cut_at_;
  const ir::Uses uses_;
  const uint32_t block_count_;
  std::vector<std::vector<EdgeId>> edges_;  ///< out of each block, before anything was copied
  std::vector<BlockId> block_of_;           ///< by version
  std::vector<ssa::NewDefinition> definitions_;
};

}  // namespace

void write_versions(ir::Function& f, const Plan& plan, const std::vector<Operand>& cut_at) {
  Writer(f, plan, cut_at).run();
  ir::compact_to_defined(f);
}

}  // namespace braid::mixed
