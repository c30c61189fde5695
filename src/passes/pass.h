// The one table of all passes: name, function, contract, and the reason for its place in the order.
#pragma once

#include <braid/expected.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/function.h"
#include "passes/analyses.h"

namespace braid::passes {

/// A pass gets a function that the verifier accepts, and leaves one.
struct Pass {
  std::string_view name;
  void (*run)(ir::Function& f, const Analyses& analyses);
  Analysis needs;
  Analysis keeps;
  std::string_view reason;
  bool is_on_request = false;  ///< left out where no list says which passes to run
  bool takes_any_constants = false;  ///< as the first pass, also a function whose constants have not the types of their uses
};

/// In the order in which they make sense.
std::span<const Pass> all_passes();

/// Null if there is none of this name.
const Pass* find_pass(std::string_view name, std::span<const Pass> table = all_passes());

using Pipeline = std::vector<const Pass*>;

/// Reads `dce,simplify-edges`. Blanks around names are skipped; an empty text is an empty pipeline.
Expected<Pipeline> parse_pipeline(std::string_view text, std::span<const Pass> table = all_passes());

/// The table as text, one pass in each line, as `braid opt --list` prints it.
std::string pass_list(std::span<const Pass> table = all_passes());

}  // namespace braid::passes
