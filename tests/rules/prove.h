// Proves rules: by the solver, but for widths that a rule leaves to random cases.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rule.h"

namespace braid::rulec {

struct ProofReport {
  std::vector<std::string> failures;  ///< one line each, as `file:line:1: error: …`
  uint32_t queries = 0;               ///< that the solver answered with a proof
  uint32_t split = 0;                 ///< those that needed one case per value of a constant
  uint64_t random_cases = 0;
};

/// Every rule at every width. Where it says `proof=random:` the widths that it names (of the widest operand)
/// are tried in `random_cases` cases each, and floats are proved in a format of 8 bits, too.
ProofReport prove(const std::vector<Rule>& rules, uint64_t random_cases = 1'000'000);

/// Asks the solver for just those widths, briefly unless `thorough`: a width that it does prove is a failure.
ProofReport find_stale(const std::vector<Rule>& rules, bool thorough);

}  // namespace braid::rulec
