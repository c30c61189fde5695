#include "front/pandasm/frame_facts.h"

#include <algorithm>

namespace braid::pandasm {

using bytecode::BlockId;
using bytecode::Pc;

FrameFacts::FrameFacts(const Program& program, const Links& links, uint32_t function, const FunctionTypes& types)
    : program_(program), links_(links), function_(function), types_(types), code_(program, links, function), blocks_(*types.blocks) {}

bytecode::RegisterLiveness& FrameFacts::liveness() {
  if (liveness_ == nullptr) liveness_ = std::make_unique<bytecode::RegisterLiveness>(code_, blocks_, types_.liveness);
  return *liveness_;
}

std::vector<uint32_t> FrameFacts::live(Pc pc) {
  std::vector<uint32_t> found;
  if (is_none(blocks_.block_of(pc))) return found;
  liveness().for_each_backwards(blocks_.block_of(pc), [&](Pc visited, const std::vector<bool>&) {
    if (visited == pc) found.assign(liveness_->members().begin(), liveness_->members().end());
  });
  return found;
}

std::vector<uint32_t> FrameFacts::live_in_call(Pc pc) {
  std::vector<uint32_t> found;
  const BlockId block = blocks_.block_of(pc);
  if (is_none(block)) return found;
  std::vector<uint32_t> behind;
  for (flow::Variable v : liveness().live_out(block)) behind.push_back(index(v));
  liveness_->for_each_backwards(block, [&](Pc visited, const std::vector<bool>&) {
    if (visited == pc) found = behind;
    behind.assign(liveness_->members().begin(), liveness_->members().end());
  });
  bytecode::Decoded decoded;
  code_.decode(pc, decoded);
  for (uint32_t written : decoded.writes) std::erase(found, written);
  for (flow::Variable v : liveness_->live_in_handlers(blocks_[block].handlers)) found.push_back(index(v));
  return found;
}

std::span<const uint32_t> FrameFacts::references(Pc pc) {
  if (is_none(blocks_.block_of(pc))) return {};
  if (instructions_ == nullptr) {
    instructions_ = std::make_unique<InstructionTypes>(program_, links_, function_, code_);
    maps_.resize(code_.size());
    registers_types_.resize(code_.register_count());
  }
  if (!maps_[pc].is_known) find_references(pc);
  return {registers_.data() + maps_[pc].first, maps_[pc].count};
}

/// Types go forward through the block, liveness backwards. What is live at the pc was assigned in the block before
/// it or was live
/// at its start, so that no other type of a register is looked at.
void FrameFacts::find_references(Pc pc) {
  if (registers_.size() > most_kept) {
    registers_.clear();
    std::fill(maps_.begin(), maps_.end(), Map{});
  }
  const BlockId block = blocks_.block_of(pc);
  uint32_t at = types_.first_type[index(block)];
  for (flow::Variable v : liveness().live_in(block)) registers_types_[index(v)] = types_.types[at++];
  for (Pc before = blocks_[block].first; before < pc; ++before) instructions_->apply(before, registers_types_);
  maps_[pc].is_known = true;
  maps_[pc].first = static_cast<uint32_t>(registers_.size());
  liveness_->for_each_backwards(block, [&](Pc visited, const std::vector<bool>&) {
    if (visited != pc) return;
    for (uint32_t number : liveness_->members())
      if (registers_types_[number].kind == ValueType::Kind::reference) registers_.push_back(number);
  });
  maps_[pc].count = static_cast<uint32_t>(registers_.size()) - maps_[pc].first;
}

}  // namespace braid::pandasm
