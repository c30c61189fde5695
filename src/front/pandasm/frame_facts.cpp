#include "front/pandasm/frame_facts.h"

#include "front/pandasm/instruction_types.h"

namespace braid::pandasm {

using bytecode::BlockId;
using bytecode::Pc;

FrameFacts::FrameFacts(const Program& program, const Links& links, uint32_t function, const FunctionTypes& types)
    : program_(program), links_(links), function_(function), types_(types), code_(program, links, function), blocks_(code_) {}

std::span<const uint32_t> FrameFacts::references(Pc pc) {
  const BlockId block = blocks_.block_of(pc);
  if (is_none(block)) return {};
  if (liveness_ == nullptr) {
    liveness_ = std::make_unique<bytecode::RegisterLiveness>(code_, blocks_);
    maps_.resize(code_.size());
    is_known_.resize(blocks_.size());
  }
  if (!is_known_[index(block)]) find_references(block);
  return {registers_.data() + maps_[pc].first, maps_[pc].count};
}

/// Types go forward and liveness backwards: the first walk notes where a register begins or ends to hold a reference, the second
/// undoes that step by step. O(instructions x registers that hold references in the block).
void FrameFacts::find_references(BlockId block) {
  is_known_[index(block)] = true;
  const Pc first = blocks_[block].first;
  std::vector<ValueType> types(code_.register_count());
  std::vector<bool> holds_reference(code_.register_count()), is_candidate(code_.register_count());
  std::vector<uint32_t> candidates;                                     // hold a reference somewhere in the block
  std::vector<std::vector<uint32_t>> turns(blocks_[block].end - first);  // by instruction, whom it gives another kind
  auto set = [&](uint32_t number, bool is_reference) {
    holds_reference[number] = is_reference;
    if (!is_reference || is_candidate[number]) return;
    is_candidate[number] = true;
    candidates.push_back(number);
  };
  auto is_reference = [&](uint32_t number) { return types[number].kind == ValueType::Kind::reference; };

  uint32_t at = types_.first_type[index(block)];
  for (flow::Variable v : liveness_->live_in(block)) {
    types[index(v)] = types_.types[at++];
    set(index(v), is_reference(index(v)));
  }
  InstructionTypes instructions(program_, links_, function_, code_);
  bytecode::Decoded decoded;
  for (Pc pc = first; pc < blocks_[block].end; ++pc) {
    instructions.apply(pc, types);
    decoded.clear();
    code_.decode(pc, decoded);
    for (uint32_t number : decoded.writes) {
      if (is_reference(number) == holds_reference[number]) continue;
      turns[pc - first].push_back(number);
      set(number, is_reference(number));
    }
  }
  liveness_->for_each_backwards(block, [&](Pc pc, const std::vector<bool>& live) {
    for (uint32_t number : turns[pc - first]) holds_reference[number] = !holds_reference[number];
    maps_[pc].first = static_cast<uint32_t>(registers_.size());
    for (uint32_t number : candidates)
      if (holds_reference[number] && live[number]) registers_.push_back(number);
    maps_[pc].count = static_cast<uint32_t>(registers_.size()) - maps_[pc].first;
  });
}

}  // namespace braid::pandasm
