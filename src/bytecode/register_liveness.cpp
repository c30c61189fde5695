#include "bytecode/register_liveness.h"

#include <utility>

namespace braid::bytecode {

using flow::Node;

RegisterLiveness::RegisterLiveness(const Code& code, const Blocks& blocks)
    : RegisterLiveness(code, blocks, nullptr) {
  const auto facts = std::make_shared<Facts>();
  facts_ = facts;
  find_parts(*facts);
  facts->ways_before.push_back(0);
  for (uint32_t list = 0; list < blocks.list_count(); ++list) {
    const HandlerListId id = static_cast<HandlerListId>(list);
    const size_t ways = blocks.is_thrown_to(id) ? blocks.ranges(id).size() : 0;
    facts->ways_before.push_back(facts->ways_before.back() + static_cast<uint32_t>(ways));
  }
  facts->liveness = flow::Liveness(connect(), find_mentions());
}

RegisterLiveness::RegisterLiveness(const Code& code, const Blocks& blocks, std::shared_ptr<const Facts> facts)
    : code_(code), blocks_(blocks), facts_(std::move(facts)), live_(code.register_count(), false), place_(code.register_count(), 0) {}

void RegisterLiveness::find_parts(Facts& facts) {
  facts.first_part.reserve(blocks_.size() + 1);
  facts.parts.reserve(blocks_.size());
  for (uint32_t b = 0; b < blocks_.size(); ++b) {
    const Block& block = blocks_[static_cast<BlockId>(b)];
    facts.first_part.push_back(static_cast<Node>(facts.parts.size()));
    const bool has_gates = block.may_throw && block.handlers != no_handlers;
    for (Pc pc = block.first; pc < block.end && has_gates; ++pc) {
      const bool throws_to_handler = blocks_.may_throw(pc);
      if (throws_to_handler) facts.parts.push_back({pc, pc});
      if (throws_to_handler || pc == block.first) facts.parts.push_back({pc, pc});
      facts.parts.back().end = pc + 1;
    }
    if (!has_gates) facts.parts.push_back({block.first, block.end});
  }
  facts.first_part.push_back(static_cast<Node>(facts.parts.size()));
}

flow::Graph RegisterLiveness::connect() const {
  return flow::Graph::build(index(start_node()) + 1, start_node(), [&](auto&& emit) {
    if (!facts_->parts.empty()) emit(start_node(), static_cast<Node>(0));
    for (uint32_t b = 0; b < blocks_.size(); ++b) {
      const BlockId id = static_cast<BlockId>(b);
      const uint32_t last = index(facts_->first_part[b + 1]) - 1;
      for (uint32_t p = index(facts_->first_part[b]); p <= last; ++p) {
        if (facts_->parts[p].is_gate()) emit(static_cast<Node>(p), list_node(blocks_[id].handlers));
        if (p != last) emit(static_cast<Node>(p), static_cast<Node>(p + 1));
      }
      for (BlockId to : blocks_.successors(id)) emit(static_cast<Node>(last), facts_->first_part[index(to)]);
    }
    for (uint32_t list = 0; list < blocks_.list_count(); ++list) {
      const HandlerListId id = static_cast<HandlerListId>(list);
      if (!blocks_.is_thrown_to(id)) continue;
      uint32_t way = index(first_way(id));
      for (uint32_t range : blocks_.ranges(id)) {
        const BlockId handler = blocks_.block_of(code_.tries()[range].handler);
        emit(list_node(id), static_cast<Node>(way));
        if (!is_none(handler)) emit(static_cast<Node>(way), facts_->first_part[index(handler)]);
        ++way;
      }
    }
  });
}

flow::Mentions RegisterLiveness::find_mentions() {
  // Decoding costs more than remembering: it is done once.
  struct Mention {
    uint32_t number;
    Node node;
  };
  std::vector<Mention> uses, definitions;
  std::vector<bool> is_written(code_.register_count(), false);
  std::vector<uint32_t> written;
  for (uint32_t p = 0; p < facts_->parts.size(); ++p) {
    for (Pc pc = facts_->parts[p].first; pc < facts_->parts[p].end; ++pc) {
      decoded_.clear();
      code_.decode(pc, decoded_);
      for (uint32_t r : decoded_.reads)
        if (!is_written[r]) uses.push_back({r, static_cast<Node>(p)});
      for (uint32_t r : decoded_.writes) {
        if (!is_written[r]) written.push_back(r);
        is_written[r] = true;
      }
    }
    for (uint32_t r : written) {
      definitions.push_back({r, static_cast<Node>(p)});
      is_written[r] = false;
    }
    written.clear();
  }
  for (uint32_t way = index(first_way(no_handlers)); way < index(start_node()); ++way)
    for (uint32_t r : code_.written_by_throw()) definitions.push_back({r, static_cast<Node>(way)});
  const auto rows = [&](const std::vector<Mention>& mentions) {
    return Csr<Node>::build(code_.register_count(), [&](auto&& emit) {
      for (const Mention& mention : mentions) emit(mention.number, mention.node);
    });
  };
  return {rows(uses), rows(definitions)};
}

void RegisterLiveness::insert(uint32_t r) {
  if (live_[r]) return;
  live_[r] = true;
  place_[r] = static_cast<uint32_t>(members_.size());
  members_.push_back(r);
}

void RegisterLiveness::erase(uint32_t r) {
  if (!live_[r]) return;
  live_[r] = false;
  const uint32_t last = members_.back();
  members_[place_[r]] = last;
  place_[last] = place_[r];
  members_.pop_back();
}

void RegisterLiveness::set_live(std::span<const flow::Variable> registers) {
  for (uint32_t r : members_) live_[r] = false;
  members_.clear();
  for (flow::Variable v : registers) insert(index(v));
}

void RegisterLiveness::step_back(Pc pc) {
  decoded_.clear();
  code_.decode(pc, decoded_);
  for (uint32_t r : decoded_.writes) erase(r);
  for (uint32_t r : decoded_.reads) insert(r);
}

}  // namespace braid::bytecode
