// Mixed phis by versioning: what a phi of several storages reaches is copied, one copy for each combination of kinds
// that comes in, and merged again where kinds agree or no longer matter (the first way of Recki-CT's text; as a
// compiler's pass close to the lazy basic block versioning of M. Chevalier-Boisvert and M. Feeley, 2015).
//
//   head: %s = phi i64|f64 [entry: 0, body: %t]        head.i64: %s = phi i64 [entry: 0, body.i64: %t]
//         %t = dyn.add %s, %x (f64)              ->     head.f64: %u = phi f64 [body.i64: …, body.f64: …]
//
// In rounds: inference makes plain operations of what a version knows; their two exits are mixed phis of the next
// round. A mixed definition that a wanted phi reads is asked for its kind, once, where versions differ by it.
//
// Steps: mixed/demand.h (who gains), mixed/plan.h (which versions), mixed/write_versions.h.
#pragma once

#include <cstdint>
#include <vector>

#include "infer/infer.h"
#include "ir/function.h"

namespace braid::mixed {

struct VersionOptions {
  uint32_t budget = 500;  ///< statements in versions that know something, all rounds together
  uint32_t versions_of_block = 8;
  uint32_t rounds = 4;
};

/// What versioning did for one mixed phi of the function as inference left it.
struct VersionedPhi {
  ir::Loc loc;
  std::vector<KindSet> versions;  ///< of its block: the kind that each knows; 0 knows nothing
  std::vector<Symbol> copied;     ///< blocks with versions that differ in what they know of it, by name
  uint32_t cost = 0;              ///< statements of the copies
};

struct VersionReport {
  uint32_t rounds = 0;      ///< that changed something
  uint32_t copied = 0;      ///< statements
  uint32_t budget_used = 0;
  bool ended_by_budget = false;
  bool has_states_elsewhere = false;  ///< nothing was done: a save state is used outside of its block
  std::vector<VersionedPhi> phis;     ///< of the first round, in order
};

/// Needs SSA; runs inference before and after, with these summaries of what `f` calls, or its own. Leaves `f` at rest.
VersionReport version(ir::Function& f, const VersionOptions& options = {}, const infer::Summaries* summaries = nullptr);

}  // namespace braid::mixed
