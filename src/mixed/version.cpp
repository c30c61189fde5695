#include "mixed/version.h"

#include <algorithm>
#include <unordered_map>

#include "infer/apply.h"
#include "ir/compact.h"
#include "mixed/cut.h"
#include "mixed/demand.h"
#include "mixed/plan.h"
#include "mixed/write_versions.h"

namespace braid::mixed {

using ir::BlockId;
using ir::Op;
using ir::Operand;
using ir::Ref;

namespace {

/// Copies of a save state cannot be told apart by a phi.
bool has_states_elsewhere(const ir::Function& f) {
  for (uint32_t b = 0; b < f.block_count(); ++b) {
    const ir::Block& block = f.block(static_cast<BlockId>(b));
    for (uint32_t p = block.first; p < block.end; ++p) {
      const ir::Stmt& s = f.columns().stmt(p);
      for (uint32_t i = 0; i < f.operand_count(s); ++i) {
        const Operand operand = ir::info(s.op).is_value(i) ? f.operand(s, i) : Operand::undef();
        if (!operand.is_stmt() || f.op(operand) != Op::save_state) continue;
        if (operand.number() < block.first || operand.number() >= p) return true;
      }
    }
  }
  return false;
}

bool wants_anything(const ir::Function& f, const Demand& demand) {
  for (uint32_t b = 0; b < f.block_count(); ++b)
    if (!demand.at_start(static_cast<BlockId>(b)).empty()) return true;
  return false;
}

/// Straight lines that cutting and copying have left: a block without a name goes into the one that jumps to it.
void join_lines(ir::Function& f) {
  bool changed = false;
  for (uint32_t b = 0; b < f.block_count(); ++b) {
    const BlockId block = static_cast<BlockId>(b);
    while (true) {
      const Operand t = f.terminator(block);
      if (t.is_undef() || f.op(t) != Op::jump) break;
      const BlockId next = f.edge(static_cast<ir::EdgeId>(f.arg(f.stmt(t), 0))).to;
      if (next == block || next == f.entry() || !is_none(f.block(next).name) || !f.has_one_live_pred(next)) break;
      f.merge_successor(block);
      changed = true;
    }
  }
  if (changed) ir::compact(f);
}

/// What was made of parameters only to be cut behind.
void drop_idle_variants(ir::Function& f) {
  bool changed = false;
  for (uint32_t p = 0; p < f.size(); ++p) {
    const Ref r = static_cast<Ref>(p);
    if (f.op(r) != Op::variant_make || !f.operand(r, 0).is_param() || f.type_of(f.operand(r, 0)) != f.type(r)) continue;
    f.replace(r, f.operand(r, 0));
    changed = true;
  }
  if (changed) ir::compact(f);
}

class Versioning {
 public:
  Versioning(ir::Function& f, const VersionOptions& options, const infer::Summaries* summaries)
      : f_(f), options_(options), summaries_(summaries), left_(options.budget) {}

  VersionReport run() {
    if (f_.is_external() || f_.block_count() == 0) return report_;
    infer::infer_types(f_, summaries_);
    ir::compact(f_);
    report_.has_states_elsewhere = has_states_elsewhere(f_);
    if (report_.has_states_elsewhere) return report_;
    bool changed = false;
    for (uint32_t k = 0; k < options_.rounds && round(k == 0); ++k) changed = true;
    report_.budget_used = options_.budget - left_;
    drop_idle_variants(f_);
    if (changed) infer::infer_types(f_, summaries_);
    join_lines(f_);
    return report_;
  }

 private:
  bool round(bool is_first) {
    if (!wants_anything(f_, Demand(f_, infer::infer(f_)))) return false;
    cut_behind_definitions(f_);
    const infer::Types types = infer::infer(f_);
    const Demand demand(f_, types);
    const std::vector<Operand> cut_at = cut_points(f_, demand);
    const Plan plan(f_, types, demand, cut_at, {left_, options_.versions_of_block});
    report_.ended_by_budget |= plan.ended_by_budget();
    if (is_first) describe(plan, demand);
    if (!plan.changes_anything()) return false;
    left_ -= std::min(left_, plan.copied());
    report_.copied += plan.copied();
    ++report_.rounds;
    write_versions(f_, plan, cut_at);
    infer::infer_types(f_, summaries_);
    ir::compact(f_);
    return true;
  }

  /// For every mixed phi that is wanted: the versions of its block, and which blocks are copied for it.
  void describe(const Plan& plan, const Demand& demand) {
    name_blocks();
    std::unordered_map<uint32_t, size_t> row_of;  // by the word of the phi
    for (uint32_t b = 0; b < f_.block_count(); ++b)
      for (const Want& want : demand.at_start(static_cast<BlockId>(b)))
        if (want.value.is_stmt() && f_.op(want.value) == Op::phi && f_.block_of(want.value) == static_cast<BlockId>(b)) {
          row_of.emplace(want.value.word(), report_.phis.size());
          report_.phis.push_back({f_.loc(want.value), {}, {}, 0});
        }
    for (uint32_t b = 0; b < f_.block_count(); ++b) {
      const BlockId block = static_cast<BlockId>(b);
      std::span<const Want> wants = demand.at_start(block);
      for (size_t i = 0; i < wants.size(); ++i) {
        auto found = row_of.find(wants[i].value.word());
        if (found == row_of.end()) continue;
        VersionedPhi& row = report_.phis[found->second];
        std::vector<KindSet> known;
        for (uint32_t version : plan.versions_of(block)) known.push_back(plan.versions()[version].known[i]);
        std::sort(known.begin(), known.end());
        known.erase(std::unique(known.begin(), known.end()), known.end());
        if (known.size() > 1) {
          if (std::find(row.copied.begin(), row.copied.end(), names_[b]) == row.copied.end())
            row.copied.push_back(names_[b]);
          row.cost += static_cast<uint32_t>(known.size() - 1) * (f_.block(block).end - f_.block(block).first);
        }
        if (f_.block_of(wants[i].value) == block) row.versions = std::move(known);
      }
    }
  }
  /// What was cut off, or made by inference, goes by the name of the block that leads to it.
  void name_blocks() {
    names_.clear();
    for (uint32_t b = 0; b < f_.block_count(); ++b) {
      Symbol name = f_.block(static_cast<BlockId>(b)).name;
      f_.for_each_pred(static_cast<BlockId>(b), [&](ir::EdgeId e) {
        if (is_none(name) && index(f_.edge(e).from) < b) name = names_[index(f_.edge(e).from)];
      });
      names_.push_back(name);
    }
  }
  ir::Function& f_;
  const VersionOptions options_;
  const infer::Summaries* summaries_;
  uint32_t left_;
  std::vector<Symbol> names_;  ///< of blocks, as the report calls them
  VersionReport report_;
};

}  // namespace

VersionReport version(ir::Function& f, const VersionOptions& options, const infer::Summaries* summaries) {
  return Versioning(f, options, summaries).run();
}

}  // namespace braid::mixed
