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
uint32_t word_of(uint32_t placeholder) { return Operand(static_cast<ir::NewRef>(placeholder)).word(); }
}  // namespace

bool OnTheFly::comes_from_reachable(EdgeId e) const {
  return !f_->edge(e).dead && !blocks_[index(f_->edge(e).from)].unreachable;
}

/// Reads the variable at the end of each predecessor; what is not known there becomes a placeholder of its own and gets
/// its turn. Ends after one round per (block, live-in variable). An edge that is never taken brings the phi itself, which
/// counts for nothing.
void OnTheFly::demand_operands() {
  for (uint32_t p = 0; p < placeholders_.size(); ++p) {
    first_operand_.push_back(static_cast<uint32_t>(operands_.size()));
    BlockId b = placeholders_[p].block;
    if (blocks_[index(b)].unreachable || value_[p] != word_of(p)) continue;
    if (placeholders_[p].is_parents) {
      // A loop head's parent is its first predecessor.
      uint32_t word = placeholders_[p].known[0];
      if (word == unknown) word = read_at_end(blocks_[index(b)].parent, placeholders_[p].variable);
      operands_.push_back(word);
      continue;
    }
    if (blocks_[index(b)].handler) {
      demand_upsilons(p);
      continue;
    }
    uint32_t number = 0;
    for (EdgeId e = f_->block(b).first_pred; !is_none(e); e = f_->edge(e).next_pred, ++number) {
      const Placeholder& placeholder = placeholders_[p];
      uint32_t word = word_of(p);
      if (comes_from_reachable(e)) {
        word = number < 2 ? placeholder.known[number] : unknown;
        if (word == unknown) word = read_at_end(f_->edge(e).from, placeholder.variable);
      }
      operands_.push_back(word);
    }
  }
  first_operand_.push_back(static_cast<uint32_t>(operands_.size()));
}

/// What a word stands for; paths are shortened on the way.
uint32_t OnTheFly::resolved(uint32_t word) {
  uint32_t root = word;
  while (is_placeholder(root) && value_[number(root)] != root) root = value_[number(root)];
  while (word != root) {
    uint32_t next = value_[number(word)];
    value_[number(word)] = root;
    word = next;
  }
  return root;
}

void OnTheFly::watch(uint32_t placeholder, uint32_t word) {
  if (!is_placeholder(word)) return;
  WatcherList& list = watched_by_[number(word)];
  uint32_t added = static_cast<uint32_t>(watchers_.size());
  watchers_.push_back({placeholder, list.first});
  list.first = added;
  if (list.last == nobody) list.last = added;
  ++list.count;
}

/// Makes a placeholder whose operands are one value besides itself stand for that; answers whether it does.
bool OnTheFly::settle_now(uint32_t p) {
  uint32_t itself = word_of(p), only = itself;
  for (uint32_t i = first_operand_[p]; i < first_operand_[p + 1]; ++i) {
    uint32_t word = resolved(operands_[i]);
    if (word == itself || word == only) continue;
    if (only != itself) return false;
    only = word;
  }
  value_[p] = only == itself ? Operand::undef().word() : only;
  return true;
}

/// Removes every phi whose operands are one value besides itself. Few looks at all of them are enough for most programs; what
/// is left then is looked at again only when one of the two different values that keep it may have become the other.
void OnTheFly::remove_trivial() {
  uint32_t count = static_cast<uint32_t>(placeholders_.size());
  bool again = true;
  for (int round = 0; again && round < 3; ++round) {
    again = false;
    for (uint32_t p = 0; p < count; ++p)
      if (value_[p] == word_of(p)) again |= settle_now(p);
  }
  if (!again) return;
  searches_.resize(count);
  watched_by_.resize(count);
  for (uint32_t p = 0; p < count; ++p) searches_[p] = {nobody, first_operand_[p], nobody};
  for (uint32_t next = 0; next < count; ++next) {
    work_.push_back(next);
    while (!work_.empty()) {
      uint32_t p = work_.back();
      work_.pop_back();
      if (value_[p] == word_of(p)) settle(p);
    }
  }
}

/// A phi stays as long as two of its operands are different values, neither of them itself. The cursor looks for the
/// second; what it has passed equals the first or the phi, and stays so, since values only ever become equal. Each operand
/// is looked at once, however often the phi is.
void OnTheFly::settle(uint32_t p) {
  uint32_t itself = word_of(p);
  Search& search = searches_[p];
  uint32_t first = search.witness == nobody ? itself : resolved(search.witness);
  for (; search.cursor < first_operand_[p + 1]; ++search.cursor) {
    uint32_t word = resolved(operands_[search.cursor]);
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
void OnTheFly::resolve_to(uint32_t p, uint32_t word) {
  value_[p] = word;
  auto tell = [&](const WatcherList& list) {
    for (uint32_t w = list.first; w != nobody; w = watchers_[w].next) work_.push_back(watchers_[w].placeholder);
  };
  WatcherList& mine = watched_by_[p];
  if (!is_placeholder(word)) return tell(mine);
  WatcherList& other = watched_by_[number(word)];
  work_.push_back(number(word));
  tell(mine.count < other.count ? mine : other);
  if (mine.count == 0) return;
  watchers_[mine.last].next = other.first;
  other.first = mine.first;
  if (other.last == nobody) other.last = mine.last;
  other.count += mine.count;
}

void OnTheFly::write_phis() {
  std::vector<uint32_t> words;
  for (uint32_t p = 0; p < placeholders_.size(); ++p) {
    Operand itself(static_cast<ir::NewRef>(p));
    uint32_t value = resolved(itself.word());
    if (value != itself.word()) {
      f_->replace(itself, Operand::from_word(value));
      continue;
    }
    if (blocks_[index(placeholders_[p].block)].handler) continue;
    words.clear();
    for (uint32_t i = first_operand_[p]; i < first_operand_[p + 1]; ++i) words.push_back(resolved(operands_[i]));
    f_->overwrite(itself, f_->make(Op::phi, variables_[placeholders_[p].variable].type, words));
  }
}

}  // namespace braid::ssa
