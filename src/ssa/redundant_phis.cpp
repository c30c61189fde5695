#include "ssa/redundant_phis.h"

#include <algorithm>

#include "flow/dominators.h"
#include "ir/compact.h"
#include "ir/operand.h"

namespace braid::ssa {

using ir::Operand;

namespace {

constexpr uint32_t nobody = 0xffffffffu;

/// Phis that are left when a few looks at all of them were not enough: one is looked at again only when one of the two different
/// values that keep it may have become the other.
class Watchers {
 public:
  explicit Watchers(PhiCandidates& phis) : phis_(phis), searches_(phis.count()), watched_by_(phis.count()) {}

  void run() {
    for (uint32_t next = 0; next < phis_.count(); ++next) {
      work_.push_back(next);
      while (!work_.empty()) {
        uint32_t p = work_.back();
        work_.pop_back();
        if (phis_.stays(p)) settle(p);
      }
    }
  }

 private:
  struct Search {
    uint32_t witness = nobody;  ///< a value that flows in
    uint32_t cursor = 0;        ///< the operand that is another one
    uint32_t watched = nobody;  ///< the operand at which it watches that
  };
  struct Watcher {
    uint32_t phi, next;
  };
  struct WatcherList {
    uint32_t first = nobody, last = nobody, count = 0;
  };

  void watch(uint32_t phi, uint32_t word) {
    if (!PhiCandidates::is_phi(word)) return;
    WatcherList& list = watched_by_[PhiCandidates::number(word)];
    uint32_t added = static_cast<uint32_t>(watchers_.size());
    watchers_.push_back({phi, list.first});
    list.first = added;
    if (list.last == nobody) list.last = added;
    ++list.count;
  }

  /// A phi stays as long as two of its operands are different values, neither of them itself. The cursor looks for the
  /// second; what it has passed equals the first or the phi, and stays so, since values only ever become equal. Each operand
  /// is looked at once, however often the phi is.
  void settle(uint32_t p) {
    uint32_t itself = PhiCandidates::word_of(p);
    Search& search = searches_[p];
    uint32_t first = search.witness == nobody ? itself : phis_.resolved(search.witness);
    std::span<const uint32_t> operands = phis_.operands(p);
    for (; search.cursor < operands.size(); ++search.cursor) {
      uint32_t word = phis_.resolved(operands[search.cursor]);
      if (word == itself || word == first) continue;
      if (first == itself) {
        first = search.witness = word;
        watch(p, word);
        continue;
      }
      if (search.watched != search.cursor) watch(p, word);
      search.watched = search.cursor;
      return;
    }
    resolve_to(p, first == itself ? Operand::undef().word() : first);
  }

  /// Makes two values one. Who watches only one of them need not know: of two lists of watchers the shorter is told, and
  /// both become one. So nobody is told more than a logarithm of times.
  void resolve_to(uint32_t p, uint32_t word) {
    phis_.set_value(p, word);
    auto tell = [&](const WatcherList& list) {
      for (uint32_t w = list.first; w != nobody; w = watchers_[w].next) work_.push_back(watchers_[w].phi);
    };
    WatcherList& mine = watched_by_[p];
    if (!PhiCandidates::is_phi(word)) return tell(mine);
    WatcherList& other = watched_by_[PhiCandidates::number(word)];
    work_.push_back(PhiCandidates::number(word));
    tell(mine.count < other.count ? mine : other);
    if (mine.count == 0) return;
    watchers_[mine.last].next = other.first;
    other.first = mine.first;
    if (other.last == nobody) other.last = mine.last;
    other.count += mine.count;
  }

  PhiCandidates& phis_;
  std::vector<Search> searches_;
  std::vector<Watcher> watchers_;
  std::vector<WatcherList> watched_by_;
  std::vector<uint32_t> work_;
};

}  // namespace

/// Makes a phi whose operands are one value besides itself stand for that; answers whether it does.
bool PhiCandidates::settle_now(uint32_t p) {
  uint32_t itself = word_of(p), only = itself;
  for (uint32_t operand : operands(p)) {
    uint32_t word = resolved(operand);
    if (word == itself || word == only) continue;
    if (only != itself) return false;
    only = word;
  }
  value_[p] = only == itself ? Operand::undef().word() : only;
  return true;
}

void PhiCandidates::remove_single() {
  bool again = true;
  for (int round = 0; again && round < 3; ++round) {
    again = false;
    for (uint32_t p = 0; p < count(); ++p)
      if (stays(p)) again |= settle_now(p);
  }
  if (again) Watchers(*this).run();
}

/// Looks at all phis in order. If each that stays has operands from before it only, all that stand for one value do so now: a
/// group of them would be a ring.
bool PhiCandidates::settle_in_order() {
  bool is_done = true;
  for (uint32_t p = 0; p < count(); ++p) {
    if (!stays(p) || settle_now(p)) continue;
    for (uint32_t operand : operands(p))
      if (uint32_t word = resolved(operand); is_phi(word) && number(word) > p) is_done = false;
  }
  return is_done;
}

void PhiCandidates::remove_redundant() {
  if (settle_in_order()) return;
  std::vector<uint32_t> nodes;  // words, by node - 1; phis first
  std::vector<uint32_t> node_of(value_.size());
  for (uint32_t p = 0; p < count(); ++p) {
    if (!stays(p)) continue;
    nodes.push_back(word_of(p));
    node_of[p] = static_cast<uint32_t>(nodes.size());
  }
  size_t phi_count = nodes.size();
  auto for_each_operand = [&](auto&& visit) {
    for (uint32_t n = 1; n <= phi_count; ++n)
      for (uint32_t operand : operands(number(nodes[n - 1]))) visit(n, resolved(operand));
  };
  std::vector<uint32_t> leaves;
  for_each_operand([&](uint32_t, uint32_t word) {
    if (!is_phi(word)) leaves.push_back(word);
  });
  std::sort(leaves.begin(), leaves.end());
  leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
  nodes.insert(nodes.end(), leaves.begin(), leaves.end());

  auto node_of_word = [&](uint32_t word) {
    if (is_phi(word)) return node_of[number(word)];
    auto at = std::lower_bound(leaves.begin(), leaves.end(), word);
    return static_cast<uint32_t>(phi_count + 1 + static_cast<size_t>(at - leaves.begin()));
  };
  constexpr flow::Node root{0};
  flow::Graph graph = flow::Graph::build(nodes.size() + 1, root, [&](auto&& emit) {
    for (size_t n = phi_count + 1; n <= nodes.size(); ++n) emit(root, static_cast<flow::Node>(n));
    for_each_operand([&](uint32_t phi, uint32_t word) {
      emit(static_cast<flow::Node>(node_of_word(word)), static_cast<flow::Node>(phi));
    });
  });
  flow::Dominators dominators(graph);
  for (flow::Node top : dominators.children(root))
    for (flow::Node n : dominators.dominated_by(top))
      if (n != top) value_[number(nodes[index(n) - 1])] = nodes[index(top) - 1];
  for (uint32_t n = 1; n <= phi_count; ++n)
    if (!dominators.is_reachable(static_cast<flow::Node>(n)))
      value_[number(nodes[n - 1])] = Operand::undef().word();
}

void remove_redundant_phis(ir::Function& f) {
  if (!f.is_at_rest()) ir::compact(f);
  std::vector<ir::Ref> phis;
  std::vector<uint32_t> number_of(f.size(), nobody);
  PhiCandidates candidates;
  for (uint32_t i = 0; i < f.size(); ++i) {
    if (!ir::is_phi_like(f.columns().stmt(i).op)) continue;
    number_of[i] = candidates.count();
    candidates.add();
    phis.push_back(static_cast<ir::Ref>(i));
  }
  // An upsilon is what it stores.
  auto named = [&](Operand operand) {
    if (operand.is_stmt() && f.op(operand) == ir::Op::upsilon) operand = f.operand(operand, 0);
    bool is_one = operand.is_stmt() && number_of[operand.number()] != nobody;
    return is_one ? PhiCandidates::word_of(number_of[operand.number()]) : operand.word();
  };
  for (uint32_t p = 0; p < phis.size(); ++p) {
    candidates.begin_operands(p);
    for (uint32_t word : f.args(f.stmt(phis[p]))) candidates.add_operand(named(Operand::from_word(word)));
  }
  candidates.remove_redundant();
  bool changed = false;
  for (uint32_t p = 0; p < phis.size(); ++p) {
    if (candidates.stays(p)) continue;
    uint32_t value = candidates.resolved(PhiCandidates::word_of(p));
    bool is_phi = PhiCandidates::is_phi(value);
    f.replace(phis[p], is_phi ? Operand(phis[PhiCandidates::number(value)]) : Operand::from_word(value));
    changed = true;
  }
  if (changed) ir::compact(f);
}

}  // namespace braid::ssa
