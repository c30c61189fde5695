// What `braid types` does and prints: takes programs to SSA, types their phis, resolves the mixed ones, and says how.
#pragma once

#include <braid/expected.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "driver/session.h"
#include "mixed/resolve.h"

namespace braid::driver {

struct TypesView {
  mixed::Way way = mixed::Way::automatic;
  uint32_t budget = mixed::VersionOptions().budget;
  bool has_report = false;
};

inline constexpr std::string_view way_names[] = {"version", "variant", "auto"};
std::optional<mixed::Way> find_way(std::string_view name);

/// Changes the program, or one function of it; answers the report, if there is to be one: for each phi what flows in, its type,
/// how it is resolved, which blocks are copied for it and what that costs. An error if a phi has no type. The report grows
/// with the phis and rings of them: of a long list of edges or blocks it shows the beginning.
Expected<std::string> resolve_types(Session& session, ir::Function* only, const TypesView& view);

/// Takes the program to SSA and draws which value flows into which phi, for Graphviz.
std::string show_phi_graph(Session& session, ir::Function* only);

}  // namespace braid::driver
