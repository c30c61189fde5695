#include "ssa/event_log.h"

#include <algorithm>

#include "ir/graph_view.h"

namespace braid::ssa {

using ir::BlockId;

std::string_view name(EventKind kind) {
  constexpr std::string_view names[] = {"post_order", "reached",  "candidate", "semidominator", "climb",
                                        "idom",       "frontier", "live_in",   "skip",          "work",
                                        "take",       "look",     "phi",       "visit",         "define",
                                        "use",        "undo",     "live",      "prune"};
  static_assert(std::size(names) == static_cast<size_t>(EventKind::prune) + 1);
  return names[static_cast<unsigned>(kind)];
}

std::string_view name(Reason reason) {
  constexpr std::string_view names[] = {
      "",        "local",         "not_assigned", "new",      "new_no_work", "known",       "frontier",
      "handler", "values_differ", "loop",         "demanded", "read",        "asked",       "phi_operand",
      "upsilon", "is_read",       "feeds",        "dead",     "one_value",   "always_true", "always_false"};
  static_assert(std::size(names) == static_cast<size_t>(Reason::always_false) + 1);
  return names[static_cast<unsigned>(reason)];
}

void EventLog::set_list(Event& event, std::span<const flow::Node> nodes) {
  event.first = static_cast<uint32_t>(items_.size());
  event.count = static_cast<uint32_t>(nodes.size());
  for (flow::Node n : nodes) items_.push_back(index(n));
}

void EventLog::post_order(std::span<const flow::Node> nodes) { set_list(add(EventKind::post_order), nodes); }

void EventLog::dominator_steps(std::span<const flow::DominatorStep> steps) {
  using Kind = flow::DominatorStep::Kind;
  for (const flow::DominatorStep& step : steps) {
    Event& event = add(
        static_cast<EventKind>(static_cast<unsigned>(EventKind::reached) + static_cast<unsigned>(step.kind)));
    event.block = ir::block(step.node);
    if (step.kind == Kind::reached) {
      event.other = is_none(step.value) ? none_id<BlockId> : ir::block(step.value);
      continue;
    }
    event.value = index(step.value);
    if (!is_none(step.other)) event.other = ir::block(step.other);
  }
}

void EventLog::frontier(flow::Node n, std::span<const flow::Node> nodes) {
  Event& event = add(EventKind::frontier);
  event.block = ir::block(n);
  set_list(event, nodes);
}

void EventLog::live_in(uint32_t track, std::span<const flow::Node> nodes) {
  Event& event = add(EventKind::live_in);
  event.track = track;
  set_list(event, nodes);
}

void EventLog::tracks(const Tracks& tracks) {
  for (uint32_t t = 0; t < tracks.count(); ++t) tracks_.push_back({tracks[t].variable, tracks[t].is_flag});
  last_version_.assign(tracks.count(), 0);
  stacks_.resize(tracks.count());
}

void EventLog::skip(uint32_t track, Reason reason) {
  Event& event = add(EventKind::skip);
  event.track = track;
  event.reason = reason;
}

void EventLog::work(uint32_t track, std::span<const flow::Node> nodes) {
  track_ = track;
  found_from_.clear();
  Event& event = add(EventKind::work);
  event.track = track;
  set_list(event, nodes);
}

void EventLog::take(flow::Node x) {
  Event& event = add(EventKind::take);
  event.track = track_;
  event.block = ir::block(x);
}

void EventLog::look(flow::Node x, flow::Node y, bool is_new, bool goes_to_work) {
  Event& event = add(EventKind::look);
  event.track = track_;
  event.block = ir::block(x);
  event.other = ir::block(y);
  event.reason = !is_new ? Reason::is_known : goes_to_work ? Reason::is_new : Reason::is_new_no_work;
  if (is_new) found_from_[index(y)] = index(x);
}

void EventLog::phi(uint32_t track, BlockId block, uint32_t phi, Reason reason) {
  if (track_of_phi_.size() <= phi) track_of_phi_.resize(phi + 1, no_number);
  track_of_phi_[phi] = track;
  Event& event = add(EventKind::phi);
  event.track = track;
  event.block = block;
  event.phi = phi;
  event.reason = reason;
  if (reason != Reason::frontier) return;
  if (auto found = found_from_.find(index(block)); found != found_from_.end())
    event.other = static_cast<BlockId>(found->second);
}

void EventLog::visit(BlockId block) {
  block_ = block;
  add(EventKind::visit).block = block;
}

void EventLog::define(uint32_t track, uint32_t phi, uint32_t statement) {
  Event& event = add(EventKind::define);
  event.track = track;
  event.block = block_;
  event.phi = phi;
  event.statement = statement;
  event.before = current(track);
  event.version = ++last_version_[track];
  stacks_[track].push_back(event.version);
}

void EventLog::undo(uint32_t track) {
  Event& event = add(EventKind::undo);
  event.track = track;
  event.version = current(track);
  stacks_[track].pop_back();
  event.before = current(track);
}

void EventLog::use(uint32_t track, Reason reason, uint32_t statement) {
  Event& event = add(EventKind::use);
  event.track = track;
  event.block = block_;
  event.reason = reason;
  event.statement = statement;
  event.version = current(track);
}

void EventLog::use_at_edge(uint32_t track, Reason reason, uint32_t phi, BlockId block) {
  use(track, reason, no_number);
  events_.back().phi = phi;
  events_.back().other = block;
}

void EventLog::start_words(const Tracks& tracks) {
  for (uint32_t t = 0; t < tracks.count(); ++t) version_of_word_[key(t, tracks[t].initial.word())] = 0;
}

uint32_t EventLog::version_of_word(uint32_t track, uint32_t word) const {
  auto found = version_of_word_.find(key(track, word));
  return found == version_of_word_.end() ? no_number : found->second;
}

void EventLog::define_word(uint32_t track, uint32_t word, uint32_t phi, uint32_t statement, BlockId block) {
  uint32_t& known = version_of_word_[key(track, word)];
  if (known == 0) known = ++last_version_[track];
  Event& event = add(EventKind::define);
  event.track = track;
  event.block = block;
  event.phi = phi;
  event.statement = statement;
  event.version = known;
}

void EventLog::use_word(uint32_t track, uint32_t word, Reason reason, uint32_t statement) {
  use(track, reason, statement);
  events_.back().version = version_of_word(track, word);
}

void EventLog::use_word_at_edge(uint32_t track, uint32_t word, Reason reason, uint32_t phi, BlockId from,
                                BlockId to) {
  block_ = from;
  use_word(track, word, reason, no_number);
  events_.back().phi = phi;
  events_.back().other = to;
}

void EventLog::live(uint32_t phi, Reason reason, uint32_t by) {
  Event& event = add(EventKind::live);
  event.track = track_of_phi_[phi];
  event.phi = phi;
  event.reason = reason;
  (reason == Reason::feeds ? event.value : event.statement) = by;
}

void EventLog::prune(uint32_t phi, Reason reason, uint32_t version) {
  Event& event = add(EventKind::prune);
  event.track = track_of_phi_[phi];
  event.phi = phi;
  event.reason = reason;
  event.version = version;
}

}  // namespace braid::ssa
