// Variables to SSA, for functions that exist: `set` and `get` of the text form, or what a front end has written that way.
#pragma once

#include <braid/expected.h>
#include <braid/module.h>

#include <cstdint>

namespace braid {

/// The ways to do it. They give equivalent functions; the first three differ in the phis that they leave.
enum class Construction : uint8_t {
  cytron,          ///< dominance frontiers and renaming; a phi only where the variable is live
  cytron_semi,     ///< … where it is live into some block
  cytron_minimal,  ///< … wherever definitions meet
  braun,           ///< on demand, from the uses
  regmap,          ///< one walk in reverse post-order with a map from variables to values
};

/// Replaces the variables of a function by values, in SSA. The function is verified before; if it is not valid, it stays as
/// it is. One without variables stays, too.
Expected<void> construct(Func& f, Construction how = Construction::cytron);
Expected<void> construct(Module& m, Construction how = Construction::cytron);

}  // namespace braid
