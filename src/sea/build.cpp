#include "sea/build.h"

#include <algorithm>
#include <utility>

namespace braid::sea {

using ir::Op;

Builder::Builder(Graph& graph, Peepholes& peepholes, BuildOptions options)
    : graph_(&graph), peepholes_(&peepholes), options_(options), scopes_(graph, peepholes, options.numbered) {
  // The original begins with 1, which is the first scope.
  if (options.numbered) graph.skip_numbers(2);
  graph.start = graph.make(NodeOp::start, control_type, {});
  graph.stop = graph.make(NodeOp::stop, control_type, {});
  graph.keep(graph.start);
  graph.keep(graph.stop);
  scopes_.open_level();
  scopes_.set_control(apply(graph.make(NodeOp::projection, control_type, {graph.start}, 0)));
  if (options.effects) scopes_.define(graph.module().symbol("$effect"), void_type, graph.start);
}

NodeId Builder::parameter(Symbol name) {
  NodeId n = graph_->make(NodeOp::parameter, i64, {graph_->start}, parameters_++);
  graph_->set_note(n, index(name));
  return apply(n);
}

NodeId Builder::call(ir::FuncId callee, std::span<const NodeId> arguments) {
  inputs_.assign({scopes_.control(), effect()});
  inputs_.insert(inputs_.end(), arguments.begin(), arguments.end());
  const uint32_t words[] = {index(callee)};
  NodeId n = apply(graph_->make(node_op(Op::call), i64, inputs_, graph_->payload_of(words)));
  scopes_.assign(0, n);
  return n;
}

// ---- conditions ----

Builder::Ways Builder::branch(NodeId condition) {
  NodeId branch = graph_->make(Op::branch, control_type, {scopes_.control(), condition});
  graph_->keep(branch);
  apply(branch);
  NodeId yes = apply(graph_->make(NodeOp::projection, control_type, {branch}, 0));
  graph_->unkeep(branch);
  NodeId no = apply(graph_->make(NodeOp::projection, control_type, {branch}, 1));
  return {yes, no};
}

void Builder::if_(NodeId condition) {
  Ways ways = branch(condition);
  Scope other = scopes_.fork();
  other.control = ways.no;
  scopes_.hold(ways.no);
  scopes_.set_control(ways.yes);
  ifs_.push_back({other, scopes_.name_count(), scopes_.level_count()});
}

void Builder::else_() {
  If& top = ifs_.back();
  top.other = scopes_.use(top.other);
  top.in_else = true;
}

bool Builder::end_if(std::span<const NodeId> values, NodeId* joined) {
  if (!ifs_.back().in_else) else_();
  If top = ifs_.back();
  if (top.other.count != top.names || scopes_.name_count() != top.names) return false;
  ifs_.pop_back();
  Scope no = scopes_.use(top.other);
  NodeId phi = scopes_.merge_into_now(no, values);
  if (joined != nullptr) *joined = phi;
  return true;
}

NodeId Builder::end_if_with(NodeId value, NodeId otherwise) {
  const NodeId values[] = {value, otherwise};
  NodeId joined = no_node;
  end_if(values, &joined);
  return joined;
}

// ---- loops ----

void Builder::loop() {
  scopes_.begin_loop();
  loops_.emplace_back().levels = scopes_.level_count();
}

void Builder::loop_while(NodeId condition) {
  Ways ways = branch(condition);
  scopes_.hold(ways.yes);
  scopes_.set_control(ways.no);
  loops_.back().exit = scopes_.fork();
  scopes_.set_control(ways.yes);
}

Scope Builder::jump() {
  Scope scope = scopes_.fork();
  scopes_.set_control(unreachable());
  scope.count = scopes_.names_at_loop_head();
  return scope;
}

void Builder::break_() {
  Scope scope = jump();
  Loop& top = loops_.back();
  if (options_.single_region)
    top.breaks.push_back(scope);
  else
    scopes_.merge(top.exit, scope);
}

void Builder::continue_() {
  Scope scope = jump();
  Loop& top = loops_.back();
  if (options_.single_region || top.continues.empty())
    top.continues.push_back(scope);
  else
    scopes_.merge(top.continues[0], scope);
}

void Builder::continue_here() {
  Loop& top = loops_.back();
  top.continued = true;
  if (top.continues.empty()) return;
  continue_();
  Scope bottom = scopes_.use(scopes_.merge_all(top.continues));
  scopes_.drop(bottom);
  top.continues.clear();
}

void Builder::end_loop() {
  if (!loops_.back().continued) continue_here();
  Loop top = std::move(loops_.back());
  loops_.pop_back();
  if (!top.breaks.empty()) {
    top.breaks.insert(top.breaks.begin(), top.exit);
    top.exit = scopes_.merge_all(top.breaks);
  }
  scopes_.end_loop(top.exit);
}

std::vector<Builder::LiveScope> Builder::live_scopes() const {
  using Kind = LiveScope::Kind;
  std::vector<LiveScope> all{{Kind::now, 0, scopes_.name_count(), scopes_.level_count(), &scopes_.now()}};
  auto add = [&](Kind kind, size_t number, uint32_t names, uint32_t levels, const Scope& scope) {
    if (!is_none(scope.control)) all.push_back({kind, static_cast<uint32_t>(number), std::min(names, scope.count), levels, &scope});
  };
  for (uint32_t i = 0; i < loops_.size(); ++i) {
    const Loop& loop = loops_[i];
    const Scope& head = scopes_.loop_head(i);
    add(Kind::head, i, head.count, loop.levels, head);
    add(Kind::exit, i, head.count, loop.levels, loop.exit);
    for (const Scope& scope : loop.breaks) add(Kind::exit, i, head.count, loop.levels, scope);
    for (const Scope& scope : loop.continues) add(Kind::next_round, i, head.count, loop.levels, scope);
  }
  for (uint32_t i = 0; i < ifs_.size(); ++i)
    add(ifs_[i].in_else ? Kind::then : Kind::otherwise, i, ifs_[i].names, ifs_[i].levels, ifs_[i].other);
  return all;
}

// ---- ends ----

void Builder::ret(NodeId value) {
  NodeId n = apply(graph_->make(Op::ret, control_type, {scopes_.control(), effect(), value}));
  graph_->add_input(graph_->stop, n);
  scopes_.set_control(unreachable());
}

void Builder::finish(bool lets_go) {
  if (lets_go) scopes_.finish();
  apply(graph_->stop);
}

}  // namespace braid::sea
