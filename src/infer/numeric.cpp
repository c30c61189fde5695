#include "infer/numeric.h"

#include <bit>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "infer/infer.h"
#include "infer/phi_types.h"
#include "ir/compact.h"
#include "ir/dynamic_types.h"
#include "ir/fit_types.h"

namespace braid::infer {

using ir::BlockId;
using ir::Op;
using ir::Operand;

namespace {

class Commitment {
 public:
  Commitment(ir::Function& f, ir::Analyses& analyses, NumericReport& report)
      : f_(f), analyses_(analyses), report_(report), table_(f.module().types), types_(infer(f)), phis_(type_phis(f, types_)) {}

  bool run() {
    collect_webs();
    if (web_of_.empty()) return false;
    const ir::Uses& uses = analyses_.uses();
    for (const auto& [position, web] : members_)
      for (Operand user : uses.of(static_cast<ir::Ref>(position)))
        if (can_tell(user, static_cast<ir::Ref>(position))) told_[find(web)] = true;
    report_.observed = 0;
    bool changed = false;
    for (const TypedPhi& phi : phis_.phis) {
      auto found = web_of_.find(phi.phi.number());
      if (found == web_of_.end()) continue;
      if (told_[find(found->second)]) {
        ++report_.observed;
        continue;
      }
      if (!commit(phi)) continue;
      committed_[find(found->second)] = true;
      changed = true;
    }
    if (changed) forget_numbers();
    return changed;
  }

 private:
  static constexpr KindSet numbers = (i64 | f64).bits;

  uint32_t find(uint32_t web) {
    while (parent_[web] != web) web = parent_[web] = parent_[parent_[web]];
    return web;
  }

  /// Phis of literals and floats; pis that keep both kinds are other names.
  void collect_webs() {
    for (const TypedPhi& phi : phis_.phis) {
      if (table_.kinds(phi.type) != numbers) continue;
      add(phi.phi);
    }
    for (uint32_t p = 0; p < f_.size(); ++p)
      if (f_.columns().stmt(p).op == Op::pi && table_.kinds(types_.at(p)) == numbers) add(static_cast<ir::Ref>(p));
    for (const auto& [position, web] : members_) {
      const Operand member = static_cast<ir::Ref>(position);
      if (f_.op(member) == Op::pi) join(web, f_.operand(member, 0));
    }
    for (const TypedPhi& phi : phis_.phis) {
      auto found = web_of_.find(phi.phi.number());
      if (found == web_of_.end()) continue;
      for (const PhiInput& input : phi.inputs) join(found->second, input.value, input.is_literal, input.type);
    }
  }
  void add(Operand member) {
    const uint32_t web = static_cast<uint32_t>(parent_.size());
    web_of_.emplace(member.number(), web);
    members_.push_back({member.number(), web});
    parent_.push_back(web);
    told_.push_back(false);
    committed_.push_back(false);
  }
  /// What a member reads: another member, a literal, a float; anything else must keep its kind.
  void join(uint32_t web, Operand value, bool is_literal = false, Type type = none) {
    if (auto other = value.is_stmt() ? web_of_.find(value.number()) : web_of_.end(); other != web_of_.end()) {
      const uint32_t a = find(web), b = find(other->second);
      parent_[b] = a;
      told_[a] = told_[a] || told_[b];
    } else if (!is_literal && table_.kinds(type) != f64.bits) {
      told_[find(web)] = true;
    }
  }

  bool commit(const TypedPhi& phi) {
    bool changed = false;
    for (const PhiInput& input : phi.inputs) {
      if (!input.is_literal) continue;
      const double value = static_cast<double>(static_cast<int64_t>(f_.module().constants.value(input.value).bits));
      f_.set_operand(phi.phi, f_.edge(input.edge).pred_index,
                     f_.module().constants.get(f64, std::bit_cast<uint64_t>(value)));
      ++report_.literals;
      changed = true;
    }
    report_.phis += changed;
    return changed;
  }

  /// What was known of the numbers in a web was known of integers: phis and pis are declared with their kinds alone.
  void forget_numbers() {
    for (const auto& [position, web] : members_)
      if (const auto member = static_cast<ir::Ref>(position); committed_[find(web)] && !f_.type(member).is_plain())
        f_.set_type(member, Type{table_.kinds(f_.type(member))});
    ir::fit_types(f_, analyses_);
  }

  /// Whether a use of a member could have another outcome with a float in place of an equal integer.
  bool can_tell(Operand user, Operand member) const {
    const ir::Stmt& s = f_.stmt(user);
    if (web_of_.contains(user.number())) return false;
    if (ir::info(s.op).rule != ir::TypeRule::dynamic) return true;
    const bool is_binary = f_.operand_count(s) == 2;
    const uint32_t other = is_binary && f_.operand(s, 0) == member ? 1 : 0;
    // Of both operands at once the sum of two integers is an integer.
    if (is_binary && f_.operand(s, other) == member) return true;
    const Type type = is_binary ? types_.of(f_.operand(s, other)) : none;
    const KindSet kinds = table_.kinds(type);
    switch (s.op) {
      case Op::dyn_add:
      case Op::dyn_sub:
      case Op::dyn_mul:
      case Op::dyn_div: return kinds != f64.bits;
      // Both operands as integers: an exact float is the same one.
      case Op::dyn_rem:
      case Op::dyn_shl:
      case Op::dyn_shr:
      case Op::dyn_and:
      case Op::dyn_or:
      case Op::dyn_xor:
      case Op::dyn_not:
      case Op::dyn_truth:
      case Op::dyn_to_int:
      case Op::dyn_to_float: return false;
      case Op::dyn_eq:
      case Op::dyn_lt:
      case Op::dyn_le: return (kinds & ~(f64 | null_type | i1).bits) != 0 && !is_small_integer(type);
      default: return true;
    }
  }
  /// Integers that are compared as floats without rounding.
  bool is_small_integer(Type type) const {
    if (table_.single_kind(type) != Kind::i64) return false;
    constexpr int64_t exact = int64_t{1} << 53;
    auto [low, high] = table_.range(type, Kind::i64);
    return low >= -exact && high <= exact;
  }

  ir::Function& f_;
  ir::Analyses& analyses_;
  NumericReport& report_;
  TypeTable& table_;
  const Types types_;
  const PhiTypes phis_;
  struct Member {
    uint32_t position, web;
  };
  std::vector<Member> members_;
  std::unordered_map<uint32_t, uint32_t> web_of_;  ///< by position
  std::vector<uint32_t> parent_;
  std::vector<bool> told_;       ///< by the representative: somebody can tell
  std::vector<bool> committed_;  ///< … and literals of it were made floats
};

}  // namespace

NumericReport commit_numerics(ir::Function& f) {
  ir::Analyses analyses(f);
  return commit_numerics(f, analyses);
}

NumericReport commit_numerics(ir::Function& f, ir::Analyses& analyses) {
  constexpr uint32_t most_rounds = 8;
  NumericReport report;
  if (f.is_external() || f.block_count() == 0) return report;
  if (!f.is_at_rest()) analyses.keep(ir::compact(f));
  for (uint32_t round = 0; round < most_rounds && Commitment(f, analyses, report).run(); ++round) {}
  return report;
}

}  // namespace braid::infer
