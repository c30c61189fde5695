// What `braid ssa`, `braid dessa --report`, `braid cfg` and `braid analyze` print. Golden files print the same.
#pragma once

#include <braid/expected.h>

#include <cstdint>
#include <string>

#include "driver/flow_facts.h"
#include "driver/golden_file.h"
#include "driver/session.h"

namespace braid::driver {

/// Takes the program, or one function of it, to SSA, and shows the result, the trace of a variable, or the
/// log. An error if no function has the variable, or if the log would have too many entries.
Expected<std::string> show_ssa(Session& session, ir::Function* only, const SsaView& view);

/// Takes the program, or one function of it, out of SSA; answers what became of each phi.
std::string leave_ssa(Session& session, ir::Function* only);

/// Errors if a list would have more than `most_entries` entries.
Expected<std::string> show_cfg(const Session& session, const ir::Function* only, const CfgView& view);
Expected<std::string> show_analyses(const Session& session, const ir::Function* only);

}  // namespace braid::driver
