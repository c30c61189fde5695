// Proves rules: by the solver where it can, otherwise by a narrow proof and random cases.
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

/// Every rule at 8 bits; at 32 and 64 bits, and at every width if a constant depends on it, unless the rule
/// says `proof=8bit+random`: then `random_cases` cases in which it applies, over its other widths.
ProofReport prove(const std::vector<Rule>& rules, uint64_t random_cases = 1'000'000);

}  // namespace braid::rulec
