#include "ir/handler_flow.h"

#include <algorithm>

#include "flow/orders.h"

namespace braid::ir {

HandlerFlow::HandlerFlow(VerifyContext& context) : c(context), f(context.f) {
  regions_.push_back({empty, no_token, none_id<BlockId>, 0});
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
  pops_.assign(c.block_count, 0);
  c.for_each_reachable([&](Operand id, uint32_t, const Stmt& stmt) {
    if (stmt.op == Op::leave) pops_[index(c.block_of(id))] += f.operand_count(stmt);
  });
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
  if (is_new) regions_.push_back({outer, token, handler, regions_[outer].depth + 1});
  return at->second;
}

HandlerFlow::List HandlerFlow::along(EdgeId e) {
  const Edge& edge = f.edge(e);
  List list = at_end(edge.from);
  Operand t = f.terminator(edge.from);
  if (edge.kind == EdgeKind::exceptional || f.op(t) != Op::enter) return list;
  return push(list, token(t), handler_of(edge.from));
}

bool HandlerFlow::same_handlers(List a, List b) const {
  if (depth(a) != depth(b)) return false;
  for (; a != b; a = regions_[a].outer, b = regions_[b].outer)
    if (regions_[a].handler != regions_[b].handler) return false;
  return true;
}

/// What holds on both ways into a block. Lists that do not fit are a fault, reported later; the first one stays.
HandlerFlow::List HandlerFlow::meet(List a, List b) {
  if (a == b || !same_handlers(a, b)) return a;
  std::vector<Region> apart;
  for (; a != b; a = regions_[a].outer, b = regions_[b].outer) {
    Region region = regions_[a];
    if (region.token != regions_[b].token) region.token = no_token;
    apart.push_back(region);
  }
  for (size_t i = apart.size(); i-- > 0;) a = push(a, apart[i].token, apart[i].handler);
  return a;
}

void HandlerFlow::flow_lists() {
  start_.assign(c.block_count, not_reached);
  std::vector<flow::Node> order = flow::post_order(c.block_tree().graph());
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

/// Numbers only go down, on cycles they never do: the least over all paths is reached as in a search for shortest paths.
void HandlerFlow::flow_exceptions() {
  exceptions_.assign(c.block_count, not_reached);
  std::unordered_map<uint32_t, std::vector<BlockId>> pops;  // by token, where it is popped
  for (uint32_t b = 0; b < c.block_count; ++b)
    for (const Event& event : events_.row(b))
      if (event.op == Op::pop_exception) pops[token(c.operand(f.stmt(event.id), 0))].push_back(static_cast<BlockId>(b));

  std::vector<BlockId> work{Function::entry()};
  BitSet waiting(c.block_count);
  exceptions_[index(Function::entry())] = 0;
  auto lower = [&](BlockId b, uint32_t count) {
    if (count >= exceptions_[index(b)]) return;
    exceptions_[index(b)] = count;
    if (waiting.insert(index(b))) work.push_back(b);
  };
  for (size_t next = 0; next < work.size(); ++next) {
    BlockId b = work[next];
    waiting.reset(index(b));
    uint32_t count = exceptions_[index(b)];
    for (const Event& event : events(b)) count = exceptions_after(event, count);
    Operand t = f.terminator(b);
    if (f.op(t) == Op::enter && is_token(t)) {
      auto [at, is_new] = exceptions_at_enter_.try_emplace(token(t), count);
      if (is_new || count < at->second) {
        at->second = count;
        auto popped = pops.find(token(t));
        if (popped != pops.end())
          for (BlockId user : popped->second)
            if (exceptions_[index(user)] != not_reached && waiting.insert(index(user))) work.push_back(user);
      }
    }
    f.for_each_succ(b, [&](EdgeId e) { lower(f.edge(e).to, count + (f.edge(e).kind == EdgeKind::exceptional)); });
  }
}

}  // namespace braid::ir
