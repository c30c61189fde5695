// Register bytecode to a function with variables, one for each register and type; `ssa::construct` takes it to SSA.
//
// Blocks come in reverse post-order. A list of handlers is one protected region, whose handler asks the ranges of the
// list in their order and throws again what none of them takes. An edge between blocks with different lists leaves one
// region and enters the other, in one block for each target and list that it comes from, unless the block that it comes
// from has no other way out and leaves by itself; so ranges may overlap, be jumped into, or hold their own handler.
// (One region for each range instead would nest them, and report each assignment to as many handlers as ranges are
// open.)
//
// A loop header gets a safepoint, and a state at which on-stack replacement may enter or leave. Every cycle has one,
// also in irreducible graphs and through handlers.
//
// Cost: O(instructions + registers in states + ranges of all lists).
#pragma once

#include <cstdint>
#include <vector>

#include "bytecode/register_liveness.h"
#include "bytecode/translator.h"
#include "ir/function.h"

namespace braid::bytecode {

struct BuildOptions {
  bool safepoints = true;    ///< at the start of the function and at loop headers
  bool osr_states = true;    ///< at loop headers
  bool call_states = false;  ///< `Emitter::caller_state` may be asked
};

/// What the function is made of, for reports.
struct BuildReport {
  uint32_t loop_headers = 0, regions = 0;
  uint64_t states = 0, state_registers = 0;
  std::vector<uint32_t> unassigned;  ///< registers that are live at the start and that nobody has assigned
};

/// The blocks at which on-stack replacement may enter: each cycle goes through one. By number.
std::vector<BlockId> loop_headers(const Code& code, const Blocks& blocks);

/// Fills a function without blocks whose parameters are those that `Translator::start` assigns.
BuildReport build(const Code& code, const Blocks& blocks, RegisterLiveness& liveness, Translator& translator,
                  ir::Function& f, const BuildOptions& options = {});

/// Code that goes on at a loop header: its parameters are the registers that are live there, by number, and handlers
/// around the header are entered first. `f` has the signature of `entry_signature`.
BuildReport build_entry(const Code& code, const Blocks& blocks, RegisterLiveness& liveness, Translator& translator,
                        BlockId header, ir::Function& f, const BuildOptions& options = {});
ir::Signature entry_signature(const RegisterLiveness& liveness, const Translator& translator, BlockId header,
                              Type result);

}  // namespace braid::bytecode
