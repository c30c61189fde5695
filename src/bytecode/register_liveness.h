// Which registers are live before each instruction, handlers included: a register is live where a throw may lead to a
// handler that reads it, with the value from before the throwing instruction.
//
// Sparse: a register costs the parts of blocks where it is live (flow/liveness.h). Before an instruction that may throw
// to a handler a part ends, and a gate stands there: it leads to the instruction and to its handlers. One node for each
// list of handlers leads to them, so that a gate has two ways out however many handlers there are.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bytecode/blocks.h"
#include "flow/liveness.h"

namespace braid::bytecode {

class RegisterLiveness {
  /// Instructions, or none of them: a gate before the part that follows.
  struct Part {
    Pc first, end;

    bool is_gate() const { return first == end; }
  };

 public:
  /// What was found out; the rest is for walking.
  class Facts {
    friend class RegisterLiveness;
    std::vector<Part> parts;             ///< those of a block stand in a row
    std::vector<flow::Node> first_part;  ///< by block, and one more
    std::vector<uint32_t> ways_before;   ///< by list, and one more
    flow::Liveness liveness;
  };

  RegisterLiveness(const Code& code, const Blocks& blocks);
  /// The same code, of which all that was found out before.
  RegisterLiveness(const Code& code, const Blocks& blocks, std::shared_ptr<const Facts> facts);
  const std::shared_ptr<const Facts>& facts() const { return facts_; }

  /// At the start of a block, by number.
  std::span<const flow::Variable> live_in(BlockId b) const { return facts_->liveness.live_in(facts_->first_part[index(b)]); }

  /// At its end, where no throw leads to.
  std::span<const flow::Variable> live_out(BlockId b) const {
    return facts_->liveness.live_out(static_cast<flow::Node>(index(facts_->first_part[index(b) + 1]) - 1));
  }

  /// Where a throw leads to some handlers: what they read from before it. Nothing if nothing throws to them.
  std::span<const flow::Variable> live_in_handlers(HandlerListId list) const { return facts_->liveness.live_in(list_node(list)); }

  /// `visit(pc, live)` for each instruction of the block, the last one first: `live[register]` before the instruction.
  template <typename Visit>
  void for_each_backwards(BlockId b, Visit&& visit);
  /// While visiting: the same registers, in no order.
  std::span<const uint32_t> members() const { return members_; }

 private:
  void find_parts(Facts& facts);
  flow::Graph connect() const;
  flow::Mentions find_mentions();
  void step_back(Pc pc);
  void set_live(std::span<const flow::Variable> registers);
  void insert(uint32_t r);
  void erase(uint32_t r);

  // Nodes: the parts, then the lists of handlers, then for each range of a list that something throws to the way into its
  // handler, where the throw writes its registers; at last the start.
  flow::Node list_node(HandlerListId list) const { return static_cast<flow::Node>(facts_->parts.size() + index(list)); }
  flow::Node first_way(HandlerListId list) const {
    return static_cast<flow::Node>(facts_->parts.size() + blocks_.list_count() + facts_->ways_before[index(list)]);
  }
  flow::Node start_node() const {
    return static_cast<flow::Node>(facts_->parts.size() + blocks_.list_count() + facts_->ways_before.back());
  }

  const Code& code_;
  const Blocks& blocks_;
  std::shared_ptr<const Facts> facts_;
  std::vector<bool> live_;               ///< by register, while walking
  std::vector<uint32_t> members_;        ///< those of them that are
  std::vector<uint32_t> place_;          ///< by register: where it stands there
  Decoded decoded_;
};

template <typename Visit>
void RegisterLiveness::for_each_backwards(BlockId b, Visit&& visit) {
  for (uint32_t node = index(facts_->first_part[index(b) + 1]); node-- > index(facts_->first_part[index(b)]);) {
    const Part& part = facts_->parts[node];
    if (part.is_gate()) continue;
    const bool has_gate = node != index(facts_->first_part[index(b)]) && facts_->parts[node - 1].is_gate();
    set_live(facts_->liveness.live_out(static_cast<flow::Node>(node)));
    for (Pc pc = part.end; pc-- > part.first;) {
      step_back(pc);
      if (pc == part.first && has_gate) set_live(facts_->liveness.live_in(static_cast<flow::Node>(node - 1)));
      visit(pc, live_);
    }
  }
}

}  // namespace braid::bytecode
