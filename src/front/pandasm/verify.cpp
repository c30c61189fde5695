#include "front/pandasm/verify.h"

#include "front/pandasm/instruction_types.h"

namespace braid::pandasm {

using bytecode::BlockId;
using bytecode::Pc;

namespace {

class FunctionVerifier {
 public:
  FunctionVerifier(const SourceFile& source, const Program& program, const Links& links, uint32_t function, Diagnostics& diagnostics)
      : source_(source), function_(program.functions[function]), code_(program, links, function),
        shared_blocks_(std::make_shared<bytecode::Blocks>(code_)), blocks_(*shared_blocks_), liveness_(code_, blocks_), instructions_(program, links, function, code_), diagnostics_(diagnostics),
        registers_(code_.register_count()) {}

  FunctionTypes run() {
    if (!check_frame()) return {};
    first_type_.resize(blocks_.size() + 1, 0);
    for (uint32_t b = 0; b < blocks_.size(); ++b)
      first_type_[b + 1] = first_type_[b] + static_cast<uint32_t>(liveness_.live_in(static_cast<BlockId>(b)).size());
    types_.resize(first_type_.back());
    is_reached_.resize(blocks_.size(), false);
    is_waiting_.resize(blocks_.size(), false);
    for (size_t i = 0; i < function_.parameters.size(); ++i)
      registers_[function_.local_count + i] = ValueTypes::holding(function_.parameters[i]);
    flow_into(static_cast<BlockId>(0), nullptr);
    while (!work_.empty()) {
      const BlockId b = work_.back();
      work_.pop_back();
      is_waiting_[index(b)] = false;
      visit(b, false);
    }
    // Faults are told when types are final, in the order of the code. A block was visited last with the types that it has now.
    for (uint32_t b = 0; b < blocks_.size() && has_faults_; ++b)
      if (is_reached_[b]) visit(static_cast<BlockId>(b), true);
    return {std::move(first_type_), std::move(types_), shared_blocks_, liveness_.facts()};
  }

 private:
  bool check_frame() {
    for (const Type& parameter : function_.parameters)
      if (parameter.primitive == Primitive::any) return fail(function_.offset, "values of type any are not supported");
    if (function_.code.empty()) return fail(function_.offset, "the function has no instructions");
    bool ok = true;
    // Also if nothing comes there.
    if (const Instruction& last = function_.code.back(); !has(last.opcode, ends))
      ok = fail(last.offset, "the function does not end here");
    for (const Catch& handler : function_.catches)
      if (handler.begin > handler.end) ok = fail(handler.offset, "the range ends before it begins");
    return ok;
  }
  bool fail(uint32_t offset, std::string message) {
    diagnostics_.add(source_.error(offset, std::move(message)));
    return false;
  }

  /// What registers hold flows to the start of a block, where it is live. `thrown` is what a handler finds in the
  /// accumulator.
  void flow_into(BlockId b, const ValueType* thrown) {
    bool changed = !is_reached_[index(b)];
    uint32_t at = first_type_[index(b)];
    for (flow::Variable v : liveness_.live_in(b)) {
      const bool is_thrown = thrown != nullptr && index(v) == code_.accumulator();
      const ValueType& value = is_thrown ? *thrown : registers_[index(v)];
      const ValueType joined = is_reached_[index(b)] ? instructions_.types().join(types_[at], value) : value;
      changed = changed || joined != types_[at];
      types_[at++] = joined;
    }
    is_reached_[index(b)] = true;
    if (!changed || is_waiting_[index(b)]) return;
    is_waiting_[index(b)] = true;
    work_.push_back(b);
  }

  void flow_to_handlers(BlockId b) {
    for (uint32_t range : blocks_.ranges(blocks_[b].handlers)) {
      const Catch& handler = code_.catch_of(range);
      const ValueType thrown =
          handler.is_all ? instructions_.types().known("panda.Object") : ValueTypes::reference(handler.exception);
      flow_into(blocks_.block_of(handler.handler), &thrown);
    }
  }

  /// What a block reads was live at its start or was assigned in it, so that nothing of another block is seen.
  void visit(BlockId b, bool tells) {
    uint32_t at = first_type_[index(b)];
    for (flow::Variable v : liveness_.live_in(b)) registers_[index(v)] = types_[at++];
    for (Pc pc = blocks_[b].first; pc < blocks_[b].end; ++pc) {
      const Instruction& instruction = function_.code[pc];
      if (has(instruction.opcode, throws) && !tells) flow_to_handlers(b);
      const std::string fault = instructions_.apply(pc, registers_);
      if (fault.empty()) continue;
      has_faults_ = true;
      if (tells) fail(instruction.offset, fault);
      return;  // what follows would only repeat it
    }
    if (tells) return;
    for (BlockId to : blocks_.successors(b)) flow_into(to, nullptr);
  }

  const SourceFile& source_;
  const Function& function_;
  FunctionCode code_;
  std::shared_ptr<const bytecode::Blocks> shared_blocks_;
  const bytecode::Blocks& blocks_;
  bytecode::RegisterLiveness liveness_;
  InstructionTypes instructions_;
  Diagnostics& diagnostics_;
  std::vector<ValueType> registers_;       ///< while walking a block
  std::vector<uint32_t> first_type_;       ///< by block, in types_
  std::vector<ValueType> types_;           ///< of what is live at the start of each block
  std::vector<bool> is_reached_, is_waiting_;
  bool has_faults_ = false;                ///< some visit of a block found one
  std::vector<BlockId> work_;
};

}  // namespace

Expected<std::vector<FunctionTypes>> verify(const SourceFile& source, const Program& program, const Links& links) {
  Diagnostics diagnostics;
  std::vector<FunctionTypes> types(program.functions.size());
  for (uint32_t i = 0; i < program.functions.size() && !diagnostics.full(); ++i)
    if (program.functions[i].has_body) types[i] = FunctionVerifier(source, program, links, i, diagnostics).run();
  if (diagnostics.has_errors()) return diagnostics;
  return types;
}

}  // namespace braid::pandasm
