// From placeholders to phis: finding operands, and removing what stands for a single value.
#include <algorithm>
#include <cassert>

#include "ssa/on_the_fly.h"

namespace braid::ssa {

using ir::BlockId;
using ir::EdgeId;
using ir::Op;
using ir::Operand;

namespace {
bool is_placeholder(uint32_t word) { return Operand::from_word(word).is_pending(); }
uint32_t number(uint32_t word) { return Operand::from_word(word).number(); }
}  // namespace

/// Reads the variable at the end of each predecessor; what is not known there becomes a placeholder of its own and gets
/// its turn. Ends after one round per (block, live-in variable).
void OnTheFly::demand_operands() {
  for (uint32_t p = 0; p < placeholders_.size(); ++p) {
    first_operand_.push_back(static_cast<uint32_t>(operands_.size()));
    BlockId b = placeholders_[p].block;
    uint32_t variable = placeholders_[p].variable;
    if (info_of(b).handler) {
      demand_upsilons(p);
    } else if (b == ir::Function::entry()) {
      operands_.push_back(variables_[variable].initial);
    } else {
      for (EdgeId e = f_.block(b).first_pred; !is_none(e); e = f_.edge(e).next_pred)
        operands_.push_back(f_.edge(e).dead ? Operand::undef().word() : read_at_end(f_.edge(e).from, variable));
    }
  }
  first_operand_.push_back(static_cast<uint32_t>(operands_.size()));
}

/// What a word stands for; paths are shortened on the way.
uint32_t OnTheFly::resolved(uint32_t word) {
  uint32_t root = word;
  while (is_placeholder(root) && value_[number(root)] != root) root = value_[number(root)];
  while (is_placeholder(word) && value_[number(word)] != word) {
    uint32_t next = value_[number(word)];
    value_[number(word)] = root;
    word = next;
  }
  return root;
}

void OnTheFly::watch(uint32_t placeholder, uint32_t word) {
  if (!is_placeholder(word)) return;
  uint32_t& head = watched_by_[number(word)];
  watchers_.push_back({placeholder, head});
  head = static_cast<uint32_t>(watchers_.size() - 1);
}

/// A phi stays as long as two of its operands are different values, neither of them itself. The cursor looks for the
/// second; what it has passed equals the first or the phi, and stays so, since values only ever become equal. Each operand
/// is looked at once, however often the phi is.
bool OnTheFly::settle(uint32_t p, std::vector<uint32_t>& work) {
  uint32_t itself = Operand(static_cast<ir::NewRef>(p)).word();
  uint32_t& cursor = cursor_[p];
  uint32_t end = first_operand_[p + 1];
  uint32_t first = witness_[p] == nobody ? itself : resolved(witness_[p]);
  for (; cursor < end; ++cursor) {
    uint32_t word = resolved(operands_[cursor]);
    if (word == itself || word == first) continue;
    if (first == itself) {
      first = witness_[p] = word;
      continue;
    }
    watch(p, first);
    watch(p, word);
    return true;
  }
  value_[p] = first == itself ? Operand::undef().word() : first;
  for (uint32_t w = watched_by_[p]; w != nobody; w = watchers_[w].next) work.push_back(watchers_[w].placeholder);
  if (is_placeholder(value_[p])) {
    // Who watched this one watches what it stands for from now on.
    uint32_t other = number(value_[p]);
    uint32_t w = watched_by_[p];
    if (w != nobody) {
      while (watchers_[w].next != nobody) w = watchers_[w].next;
      watchers_[w].next = watched_by_[other];
      watched_by_[other] = watched_by_[p];
    }
  }
  watched_by_[p] = nobody;
  return false;
}

void OnTheFly::remove_trivial() {
  uint32_t count = static_cast<uint32_t>(placeholders_.size());
  value_.resize(count);
  witness_.assign(count, nobody);
  cursor_.assign(first_operand_.begin(), first_operand_.end() - 1);
  watched_by_.assign(count, nobody);
  for (uint32_t p = 0; p < count; ++p) value_[p] = Operand(static_cast<ir::NewRef>(p)).word();
  std::vector<uint32_t> work;
  for (uint32_t p = count; p-- > 0;) work.push_back(p);
  while (!work.empty()) {
    uint32_t p = work.back();
    work.pop_back();
    uint32_t itself = Operand(static_cast<ir::NewRef>(p)).word();
    if (value_[p] != itself || info_of(placeholders_[p].block).handler) continue;
    settle(p, work);
  }
}

/// In an irreducible graph several phis may stand for one value together without any of them being trivial: a strongly
/// connected group with a single operand from outside (Braun et al., algorithm 5). Groups are taken operands first.
void OnTheFly::remove_redundant_groups() {
  std::vector<std::vector<uint32_t>> later(1);
  for (uint32_t p = 0; p < placeholders_.size(); ++p)
    if (resolved(Operand(static_cast<ir::NewRef>(p)).word()) == Operand(static_cast<ir::NewRef>(p)).word() &&
        !info_of(placeholders_[p].block).handler)
      later[0].push_back(p);

  std::vector<uint32_t> member(placeholders_.size(), 0), number_of(placeholders_.size()), low(placeholders_.size());
  std::vector<bool> open(placeholders_.size());
  uint32_t round = 0;
  while (!later.empty()) {
    std::vector<uint32_t> set = std::move(later.back());
    later.pop_back();
    ++round;
    for (uint32_t p : set) {
      member[p] = round;
      number_of[p] = 0;
    }
    // Tarjan's components of the phis in `set`, with an explicit stack; a component is complete when its root is left.
    struct Frame {
      uint32_t phi, operand;
    };
    std::vector<Frame> frames;
    std::vector<uint32_t> stack;
    uint32_t counter = 0;
    for (uint32_t start : set) {
      if (number_of[start] != 0) continue;
      auto push = [&](uint32_t p) {
        number_of[p] = low[p] = ++counter;
        open[p] = true;
        stack.push_back(p);
        frames.push_back({p, first_operand_[p]});
      };
      push(start);
      while (!frames.empty()) {
        Frame& frame = frames.back();
        if (frame.operand < first_operand_[frame.phi + 1]) {
          uint32_t word = resolved(operands_[frame.operand++]);
          if (!is_placeholder(word) || member[number(word)] != round) continue;
          uint32_t used = number(word);
          if (number_of[used] == 0)
            push(used);
          else if (open[used])
            low[frame.phi] = std::min(low[frame.phi], number_of[used]);
          continue;
        }
        uint32_t phi = frame.phi;
        frames.pop_back();
        if (!frames.empty()) low[frames.back().phi] = std::min(low[frames.back().phi], low[phi]);
        if (low[phi] != number_of[phi]) continue;
        size_t bottom = stack.size();
        do {
          --bottom;
          open[stack[bottom]] = false;
        } while (stack[bottom] != phi);
        std::vector<uint32_t> group(stack.begin() + static_cast<ptrdiff_t>(bottom), stack.end());
        stack.resize(bottom);
        process_group(group, later);
      }
    }
  }
}

void OnTheFly::process_group(std::span<const uint32_t> group, std::vector<std::vector<uint32_t>>& later) {
  std::vector<uint32_t> sorted(group.begin(), group.end());
  std::sort(sorted.begin(), sorted.end());
  auto inside = [&](uint32_t word) {
    return is_placeholder(word) && std::binary_search(sorted.begin(), sorted.end(), number(word));
  };
  uint32_t outer = nobody;
  bool several = false;
  std::vector<uint32_t> inner;
  for (uint32_t p : group) {
    bool only_inside = true;
    for (uint32_t i = first_operand_[p]; i < first_operand_[p + 1]; ++i) {
      uint32_t word = resolved(operands_[i]);
      if (inside(word)) continue;
      only_inside = false;
      several |= outer != nobody && outer != word;
      outer = word;
    }
    if (only_inside) inner.push_back(p);
  }
  if (!several) {
    for (uint32_t p : group) value_[p] = outer == nobody ? Operand::undef().word() : outer;
  } else if (group.size() > 1 && !inner.empty()) {
    later.push_back(std::move(inner));
  }
}

void OnTheFly::write_phis() {
  std::vector<uint32_t> words;
  for (uint32_t p = 0; p < placeholders_.size(); ++p) {
    Operand itself(static_cast<ir::NewRef>(p));
    if (info_of(placeholders_[p].block).handler) continue;
    uint32_t value = resolved(itself.word());
    if (value != itself.word()) {
      f_.replace(itself, Operand::from_word(value));
      continue;
    }
    words.clear();
    for (uint32_t i = first_operand_[p]; i < first_operand_[p + 1]; ++i) words.push_back(resolved(operands_[i]));
    f_.overwrite(itself, f_.make(Op::phi, variables_[placeholders_[p].variable].type, words));
  }
}

}  // namespace braid::ssa
