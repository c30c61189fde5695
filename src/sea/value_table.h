// The table of equal nodes, laid out so that a program that grows finds its way in the caches.
//
// An ordinary hash table is a miss of the cache for every node that is made. Here a node stands in a line of eight entries that
// belongs to its newest input, and lines of neighbours are neighbours: what is made now is looked up where the last nodes were. A
// line that is full sends the rest to an ordinary table (open addressing, linear), so that an input with very many users costs no
// more than there. O(1) expected.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

#include "base/large_memory.h"
#include "sea/node.h"

namespace braid::sea {

class ValueTable {
 public:
  struct Key {
    uint32_t line;  ///< near for nodes that are asked for at the same time
    uint32_t hash;  ///< of all that makes them equal
  };

  uint32_t size() const { return count_; }
  /// About so many entries will be needed, those that stay free included: the first of them makes room for all.
  void expect(size_t entries) { first_size_ = std::bit_ceil(std::max(least_size, entries)); }
  /// Its memory stays.
  void clear() {
    lines_.clear();
    more_.clear();
    count_ = more_count_ = 0;
  }
  /// What `same` says yes to, among those with this hash, or none.
  template <typename Same>
  NodeId find(Key key, Same&& same) const {
    if (lines_.empty()) return no_node;
    for (size_t at = begin(key), end = at + width; at < end; ++at) {
      if (lines_[at].node == no_node) return no_node;
      if (lines_[at].hash == key.hash && lines_[at].node != gone && same(lines_[at].node)) return lines_[at].node;
    }
    return find_more(key, same);
  }
  /// The same, but if there is none, `n` is put there and returned.
  template <typename Same, typename KeyOf>
  NodeId find_or_insert(Key key, NodeId n, Same&& same, KeyOf&& key_of) {
    if (2 * (count_ + 1) > lines_.size()) grow(key_of);
    size_t room = no_room;
    for (size_t at = begin(key), end = at + width; at < end; ++at) {
      Entry& entry = lines_[at];
      if (entry.node == no_node) {
        entry = {n, key.hash};
        ++count_;
        return n;
      }
      if (entry.node == gone)
        room = at;
      else if (entry.hash == key.hash && same(entry.node))
        return entry.node;
    }
    if (NodeId known = find_more(key, same); !is_none(known)) return known;
    ++count_;
    if (room == no_room)
      place_more_growing({n, key.hash});
    else
      lines_[room] = {n, key.hash};
    return n;
  }
  /// It must not be there. If the table grows, `key_of` is asked for all that it holds.
  template <typename KeyOf>
  void insert(Key key, NodeId n, KeyOf&& key_of) {
    if (2 * (count_ + 1) > lines_.size()) grow(key_of);
    place(key, n);
    ++count_;
  }
  /// It must be there.
  void remove(Key key, NodeId n);
  template <typename F>
  void for_each(F&& f) const {
    for (const std::vector<Entry>* entries : {&lines_, &more_})
      for (const Entry& entry : *entries)
        if (entry.node != no_node && entry.node != gone) f(entry.node, entry.hash);
  }

 private:
  static constexpr size_t width = 8, least_size = 8 * width;
  static constexpr size_t no_room = ~size_t{0};
  /// Was there when its line was full: others may stand in the second table because of it.
  static constexpr NodeId gone{0xfffffffeu};
  struct Entry {
    NodeId node = no_node;
    uint32_t hash = 0;
  };

  /// Among those whose line was full.
  template <typename Same>
  NodeId find_more(Key key, Same&& same) const {
    if (more_.empty()) return no_node;
    for (size_t at = key.hash & (more_.size() - 1); more_[at].node != no_node; at = (at + 1) & (more_.size() - 1))
      if (more_[at].hash == key.hash && same(more_[at].node)) return more_[at].node;
    return no_node;
  }
  size_t begin(Key key) const { return (key.line & (lines_.size() / width - 1)) * width; }
  template <typename KeyOf>
  void grow(KeyOf&& key_of) {
    const size_t size = lines_.size();
    if (size == 0) {
      reserve_large(lines_, first_size_);
      return lines_.assign(first_size_, {});
    }
    std::vector<Entry> old, more = std::move(more_);
    reserve_large(old, 2 * size);
    old.resize(2 * size);
    old.swap(lines_);
    more_.clear();
    more_count_ = 0;
    for (const std::vector<Entry>* entries : {&old, &more})
      for (const Entry& entry : *entries)
        if (entry.node != no_node && entry.node != gone) place({key_of(entry.node).line, entry.hash}, entry.node);
  }
  void place(Key key, NodeId n);
  void place_more_growing(Entry entry);
  void place_more(Entry entry);

  std::vector<Entry> lines_, more_;
  size_t first_size_ = least_size;
  uint32_t count_ = 0;       ///< in both
  uint32_t more_count_ = 0;
};

}  // namespace braid::sea
