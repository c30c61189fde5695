#include "sea/value_table.h"

namespace braid::sea {

void ValueTable::place(Key key, NodeId n) {
  for (size_t at = begin(key), end = at + width; at < end; ++at)
    if (lines_[at].node == no_node || lines_[at].node == gone) {
      lines_[at] = {n, key.hash};
      return;
    }
  place_more_growing({n, key.hash});
}

void ValueTable::place_more_growing(Entry entry) {
  if ((more_count_ + 1) * 3 > more_.size() * 2) {
    std::vector<Entry> old(std::max<size_t>(16, 2 * more_.size()));
    old.swap(more_);
    for (const Entry& known : old)
      if (!is_none(known.node)) place_more(known);
  }
  place_more(entry);
  ++more_count_;
}

void ValueTable::place_more(Entry entry) {
  const size_t mask = more_.size() - 1;
  size_t at = entry.hash & mask;
  while (!is_none(more_[at].node)) at = (at + 1) & mask;
  more_[at] = entry;
}

void ValueTable::remove(Key key, NodeId n) {
  --count_;
  const size_t first = begin(key), last = first + width - 1;
  for (size_t at = first; at <= last; ++at)
    if (lines_[at].node == n) {
      // Behind a free entry nobody looks any further.
      const bool was_full = !is_none(lines_[last].node);
      if (!was_full) {
        while (at < last && !is_none(lines_[at + 1].node)) {
          lines_[at] = lines_[at + 1];
          ++at;
        }
      }
      lines_[at] = {was_full ? gone : no_node, 0};
      return;
    }
  // Closes the gap by moving later entries of the same run up, so that no marks of removed entries pile up.
  const size_t mask = more_.size() - 1;
  size_t at = key.hash & mask;
  while (more_[at].node != n) {
    assert(!is_none(more_[at].node) && "a node of the table was changed behind its back");
    at = (at + 1) & mask;
  }
  for (size_t next = (at + 1) & mask; !is_none(more_[next].node); next = (next + 1) & mask) {
    const size_t home = more_[next].hash & mask;
    if (((next - home) & mask) < ((next - at) & mask)) continue;
    more_[at] = more_[next];
    at = next;
  }
  more_[at] = {};
  --more_count_;
}

}  // namespace braid::sea
