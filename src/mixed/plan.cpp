#include "mixed/plan.h"

#include <algorithm>
#include <bit>
#include <map>

#include "ir/transfer.h"

namespace braid::mixed {

using ir::BlockId;
using ir::EdgeId;
using ir::Op;
using ir::Operand;

namespace {

uint32_t size_of(const ir::Function& f, BlockId b) { return f.block(b).end - f.block(b).first; }

/// Ways whose targets have the same number by `number_of` become one, to that number.
template <typename NumberOf>
std::vector<WayOn> merged_ways(const std::vector<WayOn>& ways, NumberOf&& number_of) {
  std::vector<WayOn> merged;
  for (const WayOn& way : ways) {
    const uint32_t target = number_of(way.version);
    auto same = std::find_if(merged.begin(), merged.end(), [&](const WayOn& one) { return one.version == target; });
    if (same == merged.end()) merged.push_back({way.kinds, target});
    else same->kinds |= way.kinds;
  }
  return merged;
}

}  // namespace

Plan::Plan(const ir::Function& f, const infer::Types& types, const Demand& demand, const std::vector<Operand>& cut_at,
           Budget budget)
    : f_(f), types_(types), demand_(demand), cut_at_(cut_at), table_(f.module().types), budget_(budget),
      of_block_(f.block_count()) {
  version_of(f.entry(), std::vector<KindSet>(demand.at_start(f.entry()).size(), 0));
  for (uint32_t number = 0; number < versions_.size(); ++number) walk(number);
  merge_equal();
  finish();
}

uint32_t Plan::version_of(BlockId b, const std::vector<KindSet>& known) {
  for (uint32_t number : of_block_[index(b)])
    if (versions_[number].known == known) return number;
  const bool knows_something = std::any_of(known.begin(), known.end(), [](KindSet kind) { return kind != 0; });
  if (knows_something) {
    const uint32_t cost = size_of(f_, b);
    // The last place is for the version that knows nothing.
    if (of_block_[index(b)].size() + 1 >= budget_.versions_of_block || budget_.statements < cost) {
      ended_by_budget_ = true;
      return version_of(b, std::vector<KindSet>(known.size(), 0));
    }
    budget_.statements -= cost;
  }
  const uint32_t number = static_cast<uint32_t>(versions_.size());
  versions_.push_back({b, known, {}, {}});
  of_block_[index(b)].push_back(number);
  return number;
}

Type Plan::type_of(Operand operand) const {
  auto found = narrowed_.find(operand.word());
  return found == narrowed_.end() ? types_.of(operand) : found->second;
}

void Plan::walk(uint32_t number) {
  narrowed_.clear();
  const BlockId b = versions_[number].block;
  std::span<const Want> wants = demand_.at_start(b);
  for (size_t i = 0; i < wants.size(); ++i)
    if (const KindSet kind = versions_[number].known[i]; kind != 0)
      narrowed_.emplace(wants[i].value.word(), table_.only(types_.of(wants[i].value), kind));
  std::vector<uint32_t> gains;
  for (uint32_t p = f_.block(b).first; p < f_.block(b).end; ++p) look_at(p, gains);
  versions_[number].gains = std::move(gains);
  leave(number);
}

void Plan::look_at(uint32_t position, std::vector<uint32_t>& gains) {
  const ir::Stmt& s = f_.columns().stmt(position);
  if (s.op == Op::phi) return;
  const ir::OpInfo& op = ir::info(s.op);
  std::span<const uint32_t> words = f_.args(s);
  bool is_narrowed = false;
  operands_.clear();
  for (uint32_t i = 0; i < words.size(); ++i) {
    const Operand value = Operand::from_word(words[i]);
    operands_.push_back(op.is_value(i) ? type_of(value) : none);
    if (!op.is_value(i) || !narrowed_.contains(words[i])) continue;
    is_narrowed = true;
    const KindSet kinds = table_.kinds(operands_.back());
    const KindSet gaining = s.op == Op::ret ? kinds : gaining_kinds(f_, types_, s, i);
    if (std::has_single_bit(kinds) && (kinds & gaining) != 0) {
      gains.push_back(position);
      gains.push_back(i);
      gains.push_back(kinds);
    }
  }
  if (!is_narrowed || ir::is_terminator(s.op) || s.op == Op::upsilon) return;
  const Type known = types_.at(position), type = ir::transfer(f_, s, known, operands_);
  if (type != known && !type.is_none()) narrowed_.emplace(Operand(static_cast<ir::Ref>(position)).word(), type);
}

void Plan::leave(uint32_t number) {
  const BlockId b = versions_[number].block;
  const Operand t = f_.terminator(b);
  std::vector<EdgeId> edges;
  f_.for_each_succ(b, [&](EdgeId e) { edges.push_back(e); });
  std::vector<std::vector<WayOn>> ways(edges.size());
  const Operand cut = cut_at_[index(b)];
  std::optional<TypeConstant> condition;
  if (f_.op(t) == Op::branch) condition = table_.as_constant(type_of(f_.operand(t, 0)));
  for (size_t i = 0; i < edges.size(); ++i) {
    if (!types_.is_open(edges[i])) continue;
    if (condition && edges.size() == 2 && (condition->bits != 0) != (i == 0)) continue;
    if (cut.is_undef()) {
      ways[i].push_back(way_to(edges[i], ~KindSet{0}));
      continue;
    }
    // By the kind of what was just made: one way for each kind of number worth knowing, one for the others.
    const Type type = type_of(cut);
    const KindSet useful = demand_.useful_into_phis(cut);
    KindSet rest = table_.kinds(type);
    for (KindSet kinds = rest & useful & (i64 | f64).bits; kinds != 0; kinds &= kinds - 1) {
      const KindSet kind = kinds & (0 - kinds);
      narrowed_[cut.word()] = table_.only(type, kind);
      ways[i].push_back(way_to(edges[i], kind));
      rest &= ~kind;
    }
    if (rest != 0) {
      narrowed_[cut.word()] = table_.only(type, rest);
      ways[i].push_back(way_to(edges[i], rest));
    }
  }
  versions_[number].ways = std::move(ways);
}

WayOn Plan::way_to(EdgeId e, KindSet kinds) {
  const ir::Edge& edge = f_.edge(e);
  std::span<const Want> wants = demand_.at_start(edge.to);
  std::vector<KindSet> known(wants.size(), 0);
  if (edge.kind != ir::EdgeKind::exceptional) {
    for (size_t i = 0; i < wants.size(); ++i) {
      Operand value = wants[i].value;
      if (value.is_stmt() && f_.block_of(value) == edge.to) value = f_.operand(value, edge.pred_index);
      const KindSet coming = table_.kinds(type_of(value));
      if (std::has_single_bit(coming) && (coming & wants[i].useful) != 0) known[i] = coming;
    }
  }
  return {kinds, version_of(edge.to, known)};
}

// ---- the coarsest partition ----

/// What a version is, as far as anybody can tell: its class so far, what its statements gain, and where it goes, by class.
/// Ways of several kinds to one class are one way.
std::vector<uint32_t> Plan::looks(uint32_t number, const std::vector<uint32_t>& class_of) const {
  std::vector<uint32_t> what = {class_of[number]};
  what.insert(what.end(), versions_[number].gains.begin(), versions_[number].gains.end());
  for (const std::vector<WayOn>& ways : versions_[number].ways) {
    what.push_back(0xffffffffu);
    const std::vector<WayOn> merged = merged_ways(ways, [&](uint32_t v) { return class_of[v]; });
    for (const WayOn& way : merged) {
      what.push_back(way.version);
      if (merged.size() != 1) what.push_back(way.kinds);
    }
  }
  return what;
}

void Plan::merge_equal() {
  // Only blocks with several versions can have equal ones. Classes are split until nothing changes.
  std::vector<uint32_t> class_of(versions_.size()), several;
  const uint32_t all = static_cast<uint32_t>(versions_.size());
  for (uint32_t v = 0; v < all; ++v) {
    const BlockId b = versions_[v].block;
    class_of[v] = of_block_[index(b)][0];
    if (of_block_[index(b)].size() > 1) several.push_back(v);
  }
  // In long rows this takes many rounds; ended early, more is merged, which is right as well.
  uint64_t rounds = 64 + 20'000'000 / (several.size() + 1);
  for (size_t count = 0; rounds != 0; --rounds) {
    std::map<std::vector<uint32_t>, uint32_t> classes;
    std::vector<uint32_t> next;
    for (uint32_t v : several)
      next.push_back(classes.try_emplace(looks(v, class_of), all + static_cast<uint32_t>(classes.size())).first->second);
    for (size_t i = 0; i < several.size(); ++i) class_of[several[i]] = next[i];
    if (classes.size() == count) break;
    count = classes.size();
  }
  std::vector<uint32_t> first_of(size_t{all} * 2, 0xffffffffu);
  for (uint32_t v = 0; v < versions_.size(); ++v)
    if (first_of[class_of[v]] == 0xffffffffu) first_of[class_of[v]] = v;
  for (uint32_t v = 0; v < versions_.size(); ++v) {
    for (std::vector<WayOn>& ways : versions_[v].ways)
      ways = merged_ways(ways, [&](uint32_t target) { return first_of[class_of[target]]; });
  }
  for (std::vector<uint32_t>& list : of_block_)
    std::erase_if(list, [&](uint32_t v) { return first_of[class_of[v]] != v; });
}

void Plan::finish() {
  // What a merged version led to may be reached by nobody now.
  std::vector<bool> reached(versions_.size());
  std::vector<uint32_t> list = {of_block_[index(f_.entry())][0]};
  reached[list[0]] = true;
  for (size_t at = 0; at < list.size(); ++at)
    for (const std::vector<WayOn>& ways : versions_[list[at]].ways) {
      changes_ |= ways.size() > 1;
      for (const WayOn& way : ways) {
        if (reached[way.version]) continue;
        reached[way.version] = true;
        list.push_back(way.version);
      }
    }
  for (uint32_t b = 0; b < f_.block_count(); ++b) {
    std::erase_if(of_block_[b], [&](uint32_t v) { return !reached[v]; });
    if (of_block_[b].size() < 2) continue;
    changes_ = true;
    copied_ += static_cast<uint32_t>(of_block_[b].size() - 1) * size_of(f_, static_cast<BlockId>(b));
  }
}

}  // namespace braid::mixed
