// Variables to SSA: several constructors over the same input, with the same guarantees.
//
// Input: a function that verifies, with variables (`get`, `set`, `is_defined`). Result: the same function without them, in
// SSA, compacted; declarations stay where values name a variable as their source. Variables may be undefined on some path;
// what that means, their declaration says: where one that is declared `reject` is read and certainly unassigned, the block ends
// in `unreachable`. Handlers see variables through phi_c and upsilon.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ir/function.h"
#include "ssa/event_log.h"

namespace braid::ssa {

enum class Algorithm : uint8_t {
  cytron,  ///< dominance frontiers, renaming over the dominator tree
  braun,   ///< on demand, from the uses
  regmap,  ///< one walk in reverse post-order with a map from variables to values
};
enum class Prune : uint8_t {
  minimal,  ///< a phi wherever definitions meet (cytron only)
  semi,     ///< … for variables that are live into some block (cytron only)
  pruned,   ///< … and only where the variable is live
};

std::string_view name(Algorithm algorithm);
std::string_view name(Prune prune);
std::optional<Algorithm> find_algorithm(std::string_view name);
std::optional<Prune> find_prune(std::string_view name);
inline constexpr Algorithm all_algorithms[] = {Algorithm::cytron, Algorithm::braun, Algorithm::regmap};

inline constexpr Prune all_prunings[] = {Prune::minimal, Prune::semi, Prune::pruned};

struct ConstructOptions {
  Algorithm algorithm = Algorithm::cytron;
  Prune prune = Prune::pruned;
  EventLog* log = nullptr;  ///< records what happens, of one function; null costs nothing
};

void construct(ir::Function& f, const ConstructOptions& options = {});

}  // namespace braid::ssa
