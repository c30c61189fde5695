#include "bytecode/blocks.h"

#include <algorithm>

#include "base/hash.h"
#include "base/hash_index.h"

namespace braid::bytecode {

namespace {

/// What the search finds of an instruction.
enum : uint8_t { reached = 1, leads = 2, throws_there = 4, ends = 8 };

/// Everything that can be executed, and where blocks begin. A handler can be reached if something that it protects may throw.
class Search {
 public:
  Search(const Code& code, const Blocks& blocks, const std::vector<HandlerListId>& handlers)
      : code_(code), blocks_(blocks), handlers_(handlers), found_(code.size(), 0), is_handler_(code.size(), false),
        is_thrown_to_(blocks.list_count(), false) {}

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
  const std::vector<bool>& is_thrown_to() const { return is_thrown_to_; }

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
    if (decoded_.may_throw && !is_thrown_to_[index(list)]) {
      is_thrown_to_[index(list)] = true;
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
  std::vector<bool> is_thrown_to_;
  std::vector<Pc> work_;
  Decoded decoded_;
};

}  // namespace

Blocks::Blocks(const Code& code) {
  const std::vector<HandlerListId> handlers = find_handlers(code);
  if (code.size() == 0)
    is_thrown_to_.assign(list_count(), false);
  else
    find_blocks(code, handlers);
}

/// Of each instruction, the ranges around it. They change only where one begins or ends.
std::vector<HandlerListId> Blocks::find_handlers(const Code& code) {
  HashIndex known;
  const auto number_of = [&](std::span<const uint32_t> list) {
    const auto hash = static_cast<uint32_t>(hash_bytes({reinterpret_cast<const char*>(list.data()), list.size_bytes()}));
    const auto next = static_cast<uint32_t>(list_count());
    const uint32_t number = known.find_or_add(
        hash, next, [&](uint32_t other) { return std::ranges::equal(ranges(static_cast<HandlerListId>(other)), list); });
    if (number == next) {
      ranges_.insert(ranges_.end(), list.begin(), list.end());
      first_range_.push_back(static_cast<uint32_t>(ranges_.size()));
    }
    return static_cast<HandlerListId>(number);
  };
  std::vector<HandlerListId> handlers(code.size(), number_of({}));
  const std::span<const TryRange> tries = code.tries();
  if (tries.empty()) return handlers;
  const auto events = Csr<uint32_t>::build(size_t{code.size()} + 1, [&](auto&& emit) {
    for (uint32_t i = 0; i < tries.size(); ++i) {
      if (tries[i].begin >= tries[i].end) continue;
      emit(std::min(tries[i].begin, code.size()), i);
      emit(std::min(tries[i].end, code.size()), i);
    }
  });
  std::vector<uint32_t> open;
  HandlerListId current = no_handlers;
  for (Pc pc = 0; pc < code.size(); ++pc) {
    for (uint32_t range : events.row(pc)) {
      auto at = std::lower_bound(open.begin(), open.end(), range);
      if (at != open.end() && *at == range)
        open.erase(at);
      else
        open.insert(at, range);
    }
    if (!events.row(pc).empty()) {
      const auto all = std::find_if(open.begin(), open.end(), [&](uint32_t range) { return tries[range].takes_all; });
      const size_t count = static_cast<size_t>(all - open.begin()) + (all != open.end());
      current = number_of(std::span(open).first(count));
    }
    handlers[pc] = current;
  }
  return handlers;
}

void Blocks::find_blocks(const Code& code, const std::vector<HandlerListId>& handlers) {
  Search search(code, *this, handlers);
  search.run();
  block_of_.assign(code.size(), none_id<BlockId>);
  may_throw_.assign(code.size(), false);
  is_thrown_to_ = search.is_thrown_to();
  for (Pc pc = 0; pc < code.size(); ++pc) {
    const uint8_t found = search.found(pc);
    if ((found & reached) == 0) continue;
    const bool goes_on = pc != 0 && (search.found(pc - 1) & (reached | ends)) == reached && (found & leads) == 0 &&
                         handlers[pc] == handlers[pc - 1];
    if (!goes_on) blocks_.push_back({pc, pc, handlers[pc], false, search.is_handler(pc)});
    Block& block = blocks_.back();
    block.end = pc + 1;
    may_throw_[pc] = (found & throws_there) != 0;
    block.may_throw |= may_throw_[pc];
    block_of_[pc] = static_cast<BlockId>(blocks_.size() - 1);
  }
  Decoded decoded;
  std::vector<uint32_t> from;
  std::vector<BlockId> to;
  const auto add = [&](uint32_t b, Pc target) {
    from.push_back(b);
    to.push_back(block_of_[target]);
  };
  for (uint32_t b = 0; b < blocks_.size(); ++b) {
    const Pc end = blocks_[b].end;
    if ((search.found(end - 1) & ends) == 0) {
      add(b, end);
      continue;
    }
    decoded.clear();
    code.decode(end - 1, decoded);
    for (Pc target : decoded.targets) add(b, target);
    if (decoded.falls_through && end < code.size()) add(b, end);
  }
  successors_ = Csr<BlockId>::from_arrays(blocks_.size(), from, to);
}

}  // namespace braid::bytecode
