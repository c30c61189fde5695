// The one table of all passes: name, function, contract, and the reason for its place in the order.
//
// A pass asks `Analyses` for what it needs, so that what is there already is not built again, and reports there what its edits
// have left as it was. The table says what it may ask for, and what may still be there, and right, when it has changed
// something; the runner drops all else, and checks both where it verifies.
#pragma once

#include <braid/expected.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "infer/infer.h"
#include "ir/function.h"
#include "ir/analyses.h"

namespace braid::passes {

using ir::Analysis;

/// How a pass says what it needs and keeps.
constexpr Analysis needs(Analysis set) { return set; }
constexpr Analysis keeps(Analysis set) { return set; }

/// What a pass does to one function. One that infers types also gets summaries of what the function calls: they are made once for
/// each time that it runs over a module, from all functions as they are before it comes to the first of them.
class PassFunction {
 public:
  using OfOne = void (*)(ir::Function& f, ir::Analyses& analyses);
  using WithCallees = void (*)(ir::Function& f, ir::Analyses& analyses, const infer::Summaries* callees);

  constexpr PassFunction(OfOne run) : run_(run) {}
  constexpr PassFunction(WithCallees run) : run_with_callees_(run) {}

  bool asks_for_callees() const { return run_with_callees_ != nullptr; }
  /// Without summaries the pass makes its own.
  void operator()(ir::Function& f, ir::Analyses& analyses, const infer::Summaries* callees = nullptr) const {
    run_ != nullptr ? run_(f, analyses) : run_with_callees_(f, analyses, callees);
  }

 private:
  OfOne run_ = nullptr;
  WithCallees run_with_callees_ = nullptr;
};

/// A pass gets a function that the verifier accepts, and leaves one.
struct Pass {
  std::string_view name;
  PassFunction run;
  Analysis needs;  ///< what it asks for
  Analysis keeps;  ///< what may be left when it has changed something; one that has not keeps all
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
