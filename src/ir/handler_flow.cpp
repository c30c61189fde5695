#include "ir/handler_flow.h"

#include <algorithm>

#include "flow/orders.h"

namespace braid::ir {

HandlerFlow::HandlerFlow(VerifyContext& context) : c(context), f(context.f) {
  regions_.push_back({empty, no_token, none_id<BlockId>, 0, empty});
  unite_tokens();
  find_events();
  flow_lists();
  flow_exceptions();
}

// ---- tokens ----

uint32_t HandlerFlow::token(Operand operand) {
  if (!is_token(operand)) return no_token;
  uint32_t at = f.dense(operand);
  while (parent_[at] != at) at = parent_[at] = parent_[parent_[at]];
  return at;
}

void HandlerFlow::unite_tokens() {
  parent_.resize(f.dense_count());
  for (uint32_t i = 0; i < parent_.size(); ++i) parent_[i] = i;
  c.for_each_reachable([&](Operand id, uint32_t, const Stmt& stmt) {
    if ((!is_phi_like(stmt.op) && stmt.op != Op::upsilon) || !is_token(id)) return;
    c.for_each_operand(stmt, c.block_of(id), [&](uint32_t, Operand operand) {
      uint32_t from = token(operand);
      if (from != no_token) parent_[from] = token(id);
    });
  });
}

void HandlerFlow::find_events() {
  events_ = Csr<Event>::build(c.block_count, [&](auto&& emit) {
    c.for_each_reachable([&](Operand id, uint32_t, const Stmt& stmt) {
      if (stmt.op == Op::leave || stmt.op == Op::the_exception || stmt.op == Op::pop_exception)
        emit(index(c.block_of(id)), Event{id, stmt.op});
    });
  });
}

BlockId HandlerFlow::handler_of(BlockId b) const {
  uint32_t word = f.arg(f.stmt(f.terminator(b)), 0);
  if (word == index(none_id<EdgeId>) || f.edge(static_cast<EdgeId>(word)).dead) return none_id<BlockId>;
  return f.edge(static_cast<EdgeId>(word)).to;
}

// ---- lists of regions ----

HandlerFlow::List HandlerFlow::push(List outer, uint32_t token, BlockId handler) {
  // Without a token a region is known by its handler; no dense id has the top bit.
  uint32_t known_by = token != no_token ? token : 0x8000'0000u | index(handler);
  auto [at, is_new] = interned_.try_emplace(uint64_t{outer} << 32 | known_by, static_cast<List>(regions_.size()));
  if (is_new) regions_.push_back({outer, token, handler, regions_[outer].depth + 1, not_reached});
  return at->second;
}

HandlerFlow::List HandlerFlow::along(EdgeId e) {
  const Edge& edge = f.edge(e);
  List list = at_end(edge.from);
  Operand t = f.terminator(edge.from);
  if (edge.kind == EdgeKind::exceptional || f.op(t) != Op::enter) return list;
  return push(list, token(t), handler_of(edge.from));
}

HandlerFlow::List HandlerFlow::bare(List list) {
  std::vector<List> inside;
  for (; regions_[list].bare == not_reached; list = regions_[list].outer) inside.push_back(list);
  List without = regions_[list].bare;
  for (size_t i = inside.size(); i-- > 0;) {
    without = push(without, no_token, regions_[inside[i]].handler);
    regions_[inside[i]].bare = without;
  }
  return without;
}

/// What holds on both ways into a block. Lists that do not fit are a fault, reported later; the first one stays.
HandlerFlow::List HandlerFlow::meet(List a, List b) {
  if (a == b || !same_handlers(a, b)) return a;
  struct Pair {
    uint64_t key;
    uint32_t token;
    BlockId handler;
  };
  std::vector<Pair> apart;
  while (a != b) {
    uint64_t key = uint64_t{std::min(a, b)} << 32 | std::max(a, b);
    if (auto known = met_.find(key); known != met_.end()) {
      a = known->second;
      break;
    }
    const Region &one = regions_[a], &other = regions_[b];
    apart.push_back({key, one.token == other.token ? one.token : no_token, one.handler});
    a = one.outer, b = other.outer;
  }
  for (size_t i = apart.size(); i-- > 0;) met_[apart[i].key] = a = push(a, apart[i].token, apart[i].handler);
  return a;
}

HandlerFlow::List HandlerFlow::behind_leaves(BlockId b) const {
  List list = at_start(b);
  for (const Event& event : events(b))
    if (event.op == Op::leave) list = pop(list, f.operand_count(f.stmt(event.id)));
  return list;
}

void HandlerFlow::flow_lists() {
  start_.assign(c.block_count, not_reached);
  end_.assign(c.block_count, not_reached);
  std::vector<flow::Node> order = flow::post_order(c.block_graph());
  std::vector<BlockId> work;
  BitSet waiting(c.block_count);
  for (flow::Node n : order) {  // the entry comes last, and is taken first
    work.push_back(block(n));
    waiting.set(index(n));
  }
  start_[index(Function::entry())] = empty;
  while (!work.empty()) {
    BlockId b = work.back();
    work.pop_back();
    waiting.reset(index(b));
    if (start_[index(b)] == not_reached) continue;
    end_[index(b)] = behind_leaves(b);
    f.for_each_succ(b, [&](EdgeId e) {
      uint32_t to = index(f.edge(e).to);
      List next = start_[to] == not_reached ? along(e) : meet(start_[to], along(e));
      if (next == start_[to]) return;
      start_[to] = next;
      if (waiting.insert(to)) work.push_back(f.edge(e).to);
    });
  }
}

// ---- exceptions ----

uint32_t HandlerFlow::exceptions_after(const Event& event, uint32_t exceptions) {
  if (event.op != Op::pop_exception) return exceptions;
  uint32_t popped = token(c.operand(f.stmt(event.id), 0));
  auto at = exceptions_at_enter_.find(popped);
  return at == exceptions_at_enter_.end() ? exceptions : std::min(exceptions, at->second);
}

/// A pop takes the count down to that of an enter, whatever it was: it is a way without cost from the end of the enter's
/// block to the end of the block that pops. So no step has a negative cost, and counts are the lengths of shortest paths,
/// of edges that cost 1 if they are exceptional and 0 otherwise, over the starts and ends of blocks. Taken by ascending
/// count, the first count of an end is its least; a start is lowered at most twice, from one more to the count at hand.
void HandlerFlow::flow_exceptions() {
  exceptions_.assign(c.block_count, not_reached);
  std::unordered_map<uint32_t, std::vector<BlockId>> pops;  // by token, where it is popped
  for (uint32_t b = 0; b < c.block_count; ++b)
    for (const Event& event : events_.row(b))
      if (event.op == Op::pop_exception) pops[token(c.operand(f.stmt(event.id), 0))].push_back(static_cast<BlockId>(b));

  std::vector<BlockId> now{Function::entry()}, next;  // ends with that count and with one more, unless it is less already
  BitSet ended(c.block_count);
  exceptions_[index(Function::entry())] = 0;
  for (uint32_t count = 0; !now.empty(); ++count) {
    for (size_t i = 0; i < now.size(); ++i) {
      BlockId b = now[i];
      if (!ended.insert(index(b))) continue;
      Operand t = f.terminator(b);
      if (f.op(t) == Op::enter && is_token(t) && exceptions_at_enter_.try_emplace(token(t), count).second)
        if (auto popped = pops.find(token(t)); popped != pops.end())
          now.insert(now.end(), popped->second.begin(), popped->second.end());
      f.for_each_succ(b, [&](EdgeId e) {
        uint32_t cost = f.edge(e).kind == EdgeKind::exceptional;
        BlockId to = f.edge(e).to;
        if (count + cost >= exceptions_[index(to)]) return;
        exceptions_[index(to)] = count + cost;
        (cost == 0 ? now : next).push_back(to);
      });
    }
    now.swap(next);
    next.clear();
  }
}

}  // namespace braid::ir
