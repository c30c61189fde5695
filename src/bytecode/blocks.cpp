#include "bytecode/blocks.h"

#include <algorithm>
#include <map>

namespace braid::bytecode {

namespace {

/// What the search finds of an instruction.
enum : uint8_t { reached = 1, leads = 2, throws_there = 4, ends = 8 };

/// Everything that can be executed, and where blocks begin. A handler can be reached if something that it protects may throw.
class Search {
 public:
  Search(const Code& code, const Blocks& blocks, const std::vector<HandlerListId>& handlers)
      : code_(code), blocks_(blocks), handlers_(handlers), found_(code.size(), 0), is_handler_(code.size(), false),
        list_done_(blocks.list_count(), false) {}

  void run() {
    lead_to(0);
    while (!work_.empty()) {
      Pc pc = work_.back();
      work_.pop_back();
      // The next instruction need not go through the list.
      while (visit(pc)) ++pc;
    }
  }
  uint8_t found(Pc pc) const { return found_[pc]; }
  bool is_handler(Pc pc) const { return is_handler_[pc]; }

 private:
  void lead_to(Pc pc) {
    if ((found_[pc] & reached) == 0) work_.push_back(pc);
    found_[pc] |= leads;
  }

  /// Whether the next instruction is to be visited, too.
  bool visit(Pc pc) {
    if ((found_[pc] & reached) != 0) return false;
    found_[pc] |= reached;
    decoded_.clear();
    code_.decode(pc, decoded_);
    const HandlerListId list = handlers_[pc];
    if (decoded_.may_throw) found_[pc] |= throws_there;
    if (decoded_.may_throw && !list_done_[index(list)]) {
      list_done_[index(list)] = true;
      for (uint32_t range : blocks_.ranges(list)) {
        const Pc handler = code_.tries()[range].handler;
        is_handler_[handler] = true;
        lead_to(handler);
      }
    }
    for (Pc target : decoded_.targets) lead_to(target);
    const bool goes_on = decoded_.falls_through && pc + 1 < code_.size();
    if (!decoded_.targets.empty() || !goes_on) found_[pc] |= ends;
    if (goes_on && !decoded_.targets.empty()) {
      lead_to(pc + 1);
      return false;
    }
    return goes_on;
  }

  const Code& code_;
  const Blocks& blocks_;
  const std::vector<HandlerListId>& handlers_;
  std::vector<uint8_t> found_;
  std::vector<bool> is_handler_;
  std::vector<bool> list_done_;
  std::vector<Pc> work_;
  Decoded decoded_;
};

}  // namespace

Blocks::Blocks(const Code& code) {
  lists_.emplace_back();
  if (code.size() == 0) return;
  find_blocks(code, find_handlers(code));
}

/// Of each instruction, the ranges around it. They change only where one begins or ends.
std::vector<HandlerListId> Blocks::find_handlers(const Code& code) {
  std::vector<HandlerListId> handlers(code.size(), no_handlers);
  const std::span<const TryRange> tries = code.tries();
  struct Event {
    Pc pc;
    uint32_t range;
  };
  std::vector<Event> events;
  for (uint32_t i = 0; i < tries.size(); ++i) {
    if (tries[i].begin >= tries[i].end) continue;
    events.push_back({tries[i].begin, i});
    events.push_back({tries[i].end, i});
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.pc < b.pc; });
  std::map<std::vector<uint32_t>, HandlerListId> known;
  known[{}] = no_handlers;
  std::vector<uint32_t> open;
  for (size_t i = 0; i < events.size();) {
    const Pc from = events[i].pc;
    for (; i < events.size() && events[i].pc == from; ++i) {
      auto at = std::lower_bound(open.begin(), open.end(), events[i].range);
      if (at != open.end() && *at == events[i].range)
        open.erase(at);
      else
        open.insert(at, events[i].range);
    }
    std::vector<uint32_t> list;
    for (uint32_t range : open) {
      list.push_back(range);
      if (tries[range].takes_all) break;
    }
    auto [entry, is_new] = known.try_emplace(std::move(list), static_cast<HandlerListId>(lists_.size()));
    if (is_new) lists_.push_back(entry->first);
    const Pc to = i < events.size() ? events[i].pc : code.size();
    std::fill(handlers.begin() + std::min(from, code.size()), handlers.begin() + std::min(to, code.size()), entry->second);
  }
  return handlers;
}

void Blocks::find_blocks(const Code& code, const std::vector<HandlerListId>& handlers) {
  Search search(code, *this, handlers);
  search.run();
  block_of_.assign(code.size(), none_id<BlockId>);
  for (Pc pc = 0; pc < code.size(); ++pc) {
    const uint8_t found = search.found(pc);
    if ((found & reached) == 0) continue;
    const bool goes_on = pc != 0 && (search.found(pc - 1) & (reached | ends)) == reached && (found & leads) == 0 &&
                         handlers[pc] == handlers[pc - 1];
    if (!goes_on) blocks_.push_back({pc, pc, handlers[pc], false, search.is_handler(pc)});
    Block& block = blocks_.back();
    block.end = pc + 1;
    block.may_throw |= (found & throws_there) != 0;
    block_of_[pc] = static_cast<BlockId>(blocks_.size() - 1);
  }
  Decoded decoded;
  successors_ = Csr<BlockId>::build(blocks_.size(), [&](auto&& emit) {
    for (uint32_t b = 0; b < blocks_.size(); ++b) {
      decoded.clear();
      code.decode(blocks_[b].end - 1, decoded);
      for (Pc target : decoded.targets) emit(b, block_of_[target]);
      if (decoded.falls_through && blocks_[b].end < code.size()) emit(b, block_of_[blocks_[b].end]);
    }
  });
}

}  // namespace braid::bytecode
