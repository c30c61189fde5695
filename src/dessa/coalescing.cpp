#include "dessa/coalescing.h"

#include <algorithm>
#include <numeric>

#include "base/csr.h"
#include "dessa/small_class.h"

namespace braid::dessa {

using ir::Operand;

Coalescing::Coalescing(Webs& webs, LiveRanges& live, const BlockOrder& order)
    : webs_(webs),
      live_(live),
      order_(order),
      interfere_(webs, live, order),
      class_(webs.nodes.size()),
      is_bad_(webs.nodes.size(), 0),
      top_(webs.nodes.size(), nothing) {
  below_.reserve(webs.nodes.size());
  below_.add(webs.nodes.size());
  std::iota(class_.begin(), class_.end(), 0u);
  unite_all();
  walk<Mode::first>();
  if (any_bad_) part_webs();
  for (int round = 1; any_bad_; ++round) {
    take_apart();
    if (evicted_.empty() || round == rounds) break;
    // What was left out gets another chance among its like; everything else is decided.
    std::fill(is_active_.begin(), is_active_.end(), 0);
    std::fill(is_bad_.begin(), is_bad_.end(), 0);
    for (uint32_t n : evicted_) is_active_[n] = 1;
    evicted_.clear();
    for_each_affinity([&](uint32_t a, uint32_t b) { unite(find(a), find(b)); });
    flatten();
    any_bad_ = false;
    walk<Mode::detect>();
  }
  if (!webs.slots.empty() || webs.has_hubs) {
    chain_members();
    join_hubs();
    sort_copied();
    join_slots();
  }
  forget_work();
}

/// The memory is used again by what follows.
void Coalescing::forget_work() {
  for (std::vector<uint32_t>* work : {&top_, &degree_, &evicted_, &hub_blocks_, &next_, &size_}) *work = {};
  below_ = {};
  path_ = {};
  is_active_ = {};
  is_bad_ = {};
  written_ = {};
  hub_operands_ = {};
}

bool Coalescing::have_one_storage(uint32_t a, uint32_t b) const {
  const TypeTable& types = webs_.function().module().types;
  Storage storage = types.storage(webs_.nodes[a].type);
  return storage != Storage::tuple && storage == types.storage(webs_.nodes[b].type);
}

uint32_t Coalescing::find(uint32_t node) {
  while (class_[node] != node) node = class_[node] = class_[class_[node]];
  return node;
}

/// Two roots. The older one stays, so that classes do not depend on anything but the program.
uint32_t Coalescing::unite(uint32_t a, uint32_t b) {
  return a < b ? class_[b] = a : class_[a] = b;
}

inline void Coalescing::add_hub_operands(uint32_t web, uint32_t hub, uint32_t column, uint32_t count) {
  if (!hub_operands_.empty()) {
    HubOperands& last = hub_operands_.back();
    if (last.web == web && last.hub == hub && last.first + last.count == column) {
      last.count += count;
      return;
    }
  }
  hub_operands_.push({web, hub, column, count});
}

/// All that copies connect, as if nothing interfered; hubs wait.
void Coalescing::unite_all() {
  for (uint32_t w = 0; w < webs_.webs.size(); ++w) {
    const Web& web = webs_.webs[w];
    if (!live_.is_used(web.value)) continue;
    uint32_t root = find(web.node);
    webs_.for_each_run(w, [&](uint32_t word, uint32_t first, uint32_t count) __attribute__((always_inline)) {
      uint32_t node = webs_.node_of(Operand::from_word(word));
      if (node == nothing || class_[node] == root) return;
      if (webs_.is_hub(node))
        add_hub_operands(w, node, first, count);
      else if (may_share(web.node, node))
        root = unite(root, find(node));
    });
  }
  flatten();
}

/// A class is named by its first node.
void Coalescing::flatten() {
  for (uint32_t& of : class_) of = class_[of];
}

/// Copies among nodes that take part; one that stands on several edges comes several times.
template <class Visit>
void Coalescing::for_each_affinity(Visit&& visit) const {
  for (const Web& web : webs_.webs) {
    if (!is_active_[web.node] || !live_.is_used(web.value)) continue;
    if (is_active_[web.value] && web.node != web.value) visit(web.node, web.value);
    for (uint32_t word : webs_.operands(web)) {
      uint32_t node = webs_.node_of(Operand::from_word(word));
      if (node != nothing && is_active_[node] && !webs_.is_hub(node) && may_share(web.node, node))
        visit(web.node, node);
    }
  }
}

// ---- one walk over the dominator tree ----

template <Coalescing::Mode mode>
void Coalescing::walk() {
  const ir::Function& f = webs_.function();
  path_.reserve(static_cast<uint32_t>(class_.size()));
  std::vector<uint32_t> marks;
  for (uint32_t b : order_.preorder()) {
    uint32_t level = order_.level(b);
    if (marks.size() > level) {
      undo_to(marks[level]);
      marks.resize(level);
    }
    marks.push_back(path_.size());
    if (b == 0)
      for (uint32_t i = 0; i < f.param_count(); ++i)
        if (uint32_t node = webs_.node_of(Operand::param(i)); node != nothing) visit_value<mode>(node);
    for (uint32_t node : webs_.made_in(b)) visit_value<mode>(node);
    for (const WebEdge& edge : webs_.edges_from(b)) visit_edge<mode>(edge);
  }
  undo_to(0);
}

void Coalescing::undo_to(uint32_t mark) {
  for (uint32_t i = path_.size(); i-- > mark;) top_[class_[path_[i]]] = below_[path_[i]];
  path_.cut(mark);
}

/// Where a chain goes on: behind those at its start that were left out. They stay out as long as the walk lasts, so that all of
/// them are made to lead there, too: however often they are met, few steps are taken for each.
template <Coalescing::Mode mode>
inline uint32_t Coalescing::skip_inactive(uint32_t& start) {
  if constexpr (mode == Mode::evict) {
    uint32_t end = start;
    while (end != nothing && !is_active_[end]) end = below_[end];
    for (uint32_t* link = &start; *link != end;) {
      const uint32_t out = *link;
      *link = end;
      link = &below_[out];
    }
  }
  return start;
}

/// The nearest member above that is alive and no copy of `value`. Behind the first, only its own copies need
/// be asked: what else is alive here is so there, too, and interferes with it.
template <Coalescing::Mode mode, class IsLive>
uint32_t Coalescing::conflict_with(uint32_t root, uint32_t value, IsLive&& is_live) {
  for (uint32_t at = skip_inactive<mode>(top_[root]); at != nothing;) {
    if (webs_.nodes[at].value != value && is_live(at)) return at;
    uint32_t next = skip_inactive<mode>(below_[at]);
    if (next == nothing || webs_.nodes[next].value != webs_.nodes[at].value) return nothing;
    at = next;
  }
  return nothing;
}

template <Coalescing::Mode mode>
void Coalescing::visit_value(uint32_t node) {
  if (mode != Mode::first && !is_active_[node]) return;
  uint32_t root = class_[node];
  if (is_passed_over<mode>(root)) return;
  const Node& here = webs_.nodes[node];
  for (;;) {
    uint32_t other = conflict_with<mode>(root, here.value, [&](uint32_t above) {
      const Node& there = webs_.nodes[above];
      if (there.block == here.block && there.point == here.point)
        return live_.is_used(above) && live_.is_used(node);
      return live_.is_live_after(above, here.block, here.point);
    });
    if (other == nothing) break;
    if (!settle(other, node, mode)) return;
  }
  below_[node] = top_[root];
  path_.push(node);
  top_[root] = node;
}

template <Coalescing::Mode mode>
void Coalescing::visit_edge(const WebEdge& edge) {
  for (const Web& web : webs_.webs_at(edge)) {
    uint32_t root = class_[web.node];
    if (mode == Mode::first ? top_[root] == nothing : !is_active_[web.node]) continue;
    if (is_passed_over<mode>(root)) continue;
    Operand operand = Webs::operand(web, edge.column);
    if (operand.is_undef()) continue;
    uint32_t value = webs_.value_of(operand);
    bool stays = true;
    while (stays) {
      uint32_t other =
          conflict_with<mode>(root, value, [&](uint32_t above) { return live_.is_live_in(above, web.block); });
      // As long as a web is one with its phi, two of them interfere at the start of the block.
      if constexpr (mode != Mode::first) {
        const Written& last = written_[root];
        if (other == nothing && last.edge == index(edge.edge) && last.value != value && is_active_[last.web])
          other = last.web;
      }
      if (other == nothing) break;
      stays = settle(other, web.node, mode);
    }
    if constexpr (mode != Mode::first)
      if (stays) written_[root] = {index(edge.edge), web.node, value};
  }
}

bool Coalescing::settle(uint32_t other, uint32_t node, Mode mode) {
  if (mode != Mode::evict) {
    is_bad_[class_[node]] = 1;
    any_bad_ = true;
    return false;
  }
  bool stays = degree_[node] > degree_[other];
  uint32_t out = stays ? other : node;
  is_active_[out] = 0;
  evicted_.push_back(out);
  return stays;
}

// ---- classes with interference ----

/// In these a copy may remain between a web and the value of its phi.
void Coalescing::part_webs() {
  for (Web& web : webs_.webs) {
    if (!is_bad_[class_[web.value]]) continue;
    webs_.part(web);
    class_.push_back(class_[web.value]);
    live_.add_node();
  }
  is_active_.assign(class_.size(), 1);
  is_bad_.resize(class_.size(), 0);
  top_.resize(class_.size(), nothing);
  below_.add(static_cast<uint32_t>(class_.size()) - below_.size());
  written_.resize(class_.size());
}

void Coalescing::take_apart() {
  constexpr uint32_t most = SmallClass::most_members;
  std::vector<uint32_t> size(class_.size(), 0);
  for (uint32_t n = 0; n < class_.size(); ++n)
    if (is_active_[n] && is_bad_[class_[n]]) ++size[class_[n]];
  auto is_small = [&](uint32_t root) { return size[root] != 0 && size[root] <= most; };
  auto members = Csr<uint32_t>::build(class_.size(), [&](auto&& emit) {
    for (uint32_t n = 0; n < class_.size(); ++n)
      if (is_active_[n] && is_small(class_[n])) emit(class_[n], n);
  });
  auto affinities = Csr<SmallClass::Affinity>::build(class_.size(), [&](auto&& emit) {
    for_each_affinity([&](uint32_t a, uint32_t b) {
      if (is_small(class_[a])) emit(class_[a], SmallClass::Affinity{a, b});
    });
  });
  SmallClass small(interfere_);
  for (uint32_t root = 0; root < class_.size(); ++root) {
    if (!is_small(root)) continue;
    is_bad_[root] = 0;
    small.solve(members.row(root), affinities.row(root),
                [&](uint32_t node, uint32_t of) { class_[node] = of; });
  }
  if (std::any_of(size.begin(), size.end(), [&](uint32_t members_of) { return members_of > most; })) evict();
}

/// Leaves members out of the classes that are still bad, until no two of the others interfere.
void Coalescing::evict() {
  degree_.assign(class_.size(), 0);
  for_each_affinity([&](uint32_t a, uint32_t b) { ++degree_[a], ++degree_[b]; });
  walk<Mode::evict>();
  std::vector<uint32_t> first(class_.size(), nothing);
  for (uint32_t n = 0; n < class_.size(); ++n) {
    uint32_t root = class_[n];
    if (!is_active_[n] || !is_bad_[root]) continue;
    if (first[root] == nothing) first[root] = n;
    class_[n] = first[root];
  }
  for (uint32_t n : evicted_) class_[n] = n;
}

void Coalescing::chain_members() {
  next_.resize(class_.size());
  size_.assign(class_.size(), 0);
  std::vector<uint32_t> last(class_.size(), nothing);
  for (uint32_t n = 0; n < class_.size(); ++n) {
    uint32_t root = class_[n];
    next_[n] = last[root] == nothing ? n : next_[last[root]];
    if (last[root] != nothing) next_[last[root]] = n;
    last[root] = n;
    ++size_[root];
  }
}

// ---- slots ----

/// A slot, what its phi_c is worth and what its upsilons store.
void Coalescing::join_slots() {
  constexpr uint64_t looks_per_statement = 32;
  looks_left_ = looks_per_statement * webs_.function().size();
  for (const Slot& slot : webs_.slots) {
    try_join(slot.node, slot.value);
    for (const Upsilon& u : webs_.upsilons_of(slot))
      if (uint32_t node = webs_.node_of(webs_.operand(u)); node != nothing) try_join(slot.node, node);
  }
}

/// Two slots are compared upsilon by upsilon, which in a nest of regions is not linear.
bool Coalescing::may_compare(uint32_t a, uint32_t b) {
  uint64_t looks = 1;
  for (uint32_t n : {a, b})
    if (webs_.nodes[n].kind == Node::Kind::slot) looks += webs_.upsilons_of(webs_.slots[webs_.nodes[n].value]).size();
  looks_left_ -= std::min(looks, looks_left_);
  return looks_left_ != 0;
}

void Coalescing::try_join(uint32_t a, uint32_t b) {
  constexpr uint64_t most_pairs = 4096;
  a = class_[a];
  b = class_[b];
  if (a == b || !may_share(a, b) || uint64_t{size_[a]} * size_[b] > most_pairs) return;
  if (size_[a] < size_[b]) std::swap(a, b);
  uint32_t x = a;
  do {
    uint32_t y = b;
    do {
      if (!may_compare(x, y) || interfere_(x, y)) return;
      y = next_[y];
    } while (y != b);
    x = next_[x];
  } while (x != a);
  join(a, b);
}

/// Two classes, the second one small.
void Coalescing::join(uint32_t a, uint32_t b) {
  uint32_t x = b;
  do {
    class_[x] = a;
    x = next_[x];
  } while (x != b);
  std::swap(next_[a], next_[b]);
  size_[a] += size_[b];
}

}  // namespace braid::dessa
