#include "ssa/construct.h"

#include <algorithm>

#include "ir/compact.h"
#include "ir/settle.h"
#include "ir/undef_uses.h"
#include "ssa/braun.h"
#include "ssa/cytron.h"
#include "ssa/regmap.h"

namespace braid::ssa {

std::string_view name(Algorithm algorithm) {
  constexpr std::string_view names[] = {"cytron", "braun", "regmap"};
  return names[static_cast<unsigned>(algorithm)];
}

std::string_view name(Prune prune) {
  constexpr std::string_view names[] = {"minimal", "semi", "pruned"};
  return names[static_cast<unsigned>(prune)];
}

std::optional<Algorithm> find_algorithm(std::string_view text) {
  for (Algorithm algorithm : all_algorithms)
    if (name(algorithm) == text) return algorithm;
  return std::nullopt;
}

std::optional<Prune> find_prune(std::string_view text) {
  for (Prune prune : all_prunings)
    if (name(prune) == text) return prune;
  return std::nullopt;
}

void construct(ir::Function& f, const ConstructOptions& options) {
  // The map of registers does not mind in which order blocks stand, but for what its log calls them.
  const bool any_order = options.algorithm == Algorithm::regmap && options.log == nullptr;
  if (!f.is_at_rest() && !(any_order && ir::blocks_are_rows(f))) ir::settle(f);
  switch (options.algorithm) {
    case Algorithm::cytron: construct_cytron(f, options.prune, options.log); break;
    case Algorithm::braun: construct_braun(f, options.log); break;
    case Algorithm::regmap: construct_regmap(f, options.log); break;
  }
  ir::settle(f);
  // Where a variable is read that is certainly unassigned, its declaration says that control does not come.
  bool rejects = std::any_of(f.variables.begin(), f.variables.end(),
                             [](const ir::Variable& v) { return v.undef == ir::UndefMeaning::reject; });
  while (rejects && ir::end_at_undef_uses(f)) ir::compact(f);
  // Values may name the variable of the source that they are the value of.
  if (!f.has_source_variables()) f.variables.clear();
}

}  // namespace braid::ssa
