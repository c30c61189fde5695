#include "sea/work_list.h"

#include <algorithm>
#include <functional>

namespace braid::sea {

void WorkList::grow() {
  if (waiting_.size() >= graph_.size()) return;
  waiting_.resize(graph_.size());
  watchers_.resize(graph_.size(), end);
}

void WorkList::watch(NodeId looked_at, NodeId looker) {
  if (index(looked_at) >= watchers_.size()) grow();
  uint32_t& first = watchers_[index(looked_at)];
  if (first != end && entries_[first].looker == looker) return;
  uint32_t at = free_;
  if (at == end) {
    at = entries_.size();
    entries_.add();
  } else {
    free_ = entries_[at].next;
  }
  entries_[at] = {looker, first};
  first = at;
}

void WorkList::wake(NodeId n) {
  if (index(n) >= watchers_.size()) grow();
  uint32_t at = watchers_[index(n)];
  watchers_[index(n)] = end;
  while (at != end) {
    push(entries_[at].looker);
    uint32_t next = entries_[at].next;
    entries_[at].next = free_;
    free_ = at;
    at = next;
  }
  if (expects_lookers_) for_each_looker(graph_, n, [&](NodeId user) { push(user); });
}

void WorkList::push(NodeId n) {
  if (index(n) >= waiting_.size()) grow();
  if (waiting_[index(n)] != nowhere || graph_.is_dead(n)) return;
  if (may_bring_out_a_number(n)) return push_climbing(n);
  waiting_[index(n)] = in_list;
  const NodeOp op = graph_.op(n);
  bool costs_width = op == NodeOp::stop || op == ir::Op::phi || is_region(op);
  (costs_width && (op == NodeOp::stop || graph_.input_count(n) > wide) ? late_ : list_).push(n);
}

void WorkList::push_first(NodeId n) {
  if (index(n) >= waiting_.size()) grow();
  if (waiting_[index(n)] != nowhere || graph_.is_dead(n)) return;
  waiting_[index(n)] = in_list;
  first_.push(n);
}

void WorkList::push_climb(NodeId n) {
  if (is_climbing_) return push_first(n);
  if (index(n) >= waiting_.size()) grow();
  if (waiting_[index(n)] != nowhere || graph_.is_dead(n)) return;
  push_climbing(n);
}

void WorkList::push_climbing(NodeId n) {
  waiting_[index(n)] = in_climbs;
  climbs_.push_back(n);
  std::ranges::push_heap(climbs_, std::greater{});
}

void WorkList::take_changes() {
  for (NodeId n : changes_) {
    if (graph_.is_dead(n)) continue;
    push(n);
    bool last_use = graph_.has_one_use(n);
    if (last_use) push(graph_.first_use(n).user);
    if (last_use || !graph_.is_unified(n)) wake(n);
  }
  changes_.clear();
}

bool WorkList::waits_for_input(NodeId n) const {
  for (uint32_t i = 0; !climbs_.empty() && i < graph_.input_count(n); ++i)
    if (const NodeId input = graph_.input(n, i); !is_none(input) && index(input) < waiting_.size() && waiting_[index(input)] == in_climbs)
      return true;
  return false;
}

void WorkList::push_late(NodeId n) {
  waiting_[index(n)] = in_list;
  late_.push(n);
}

NodeId WorkList::pop() {
  came_late_ = false;
  for (;;) {
    NodeId n;
    if (!first_.empty()) {
      n = first_.back();
      first_.pop();
    } else if (next_ < list_.size()) {
      n = list_[next_++];
      is_climbing_ = false;
    } else {
      list_.clear();
      next_ = 0;
      is_climbing_ = !climbs_.empty();
      if (is_climbing_) {
        std::ranges::pop_heap(climbs_, std::greater{});
        n = climbs_.back();
        climbs_.pop_back();
      } else {
        if (late_.empty()) return no_node;
        n = late_.back();
        late_.pop();
        came_late_ = true;
      }
    }
    waiting_[index(n)] = nowhere;
    if (!graph_.is_dead(n)) return n;
    came_late_ = false;
  }
}

}  // namespace braid::sea
