// Asks Z3: SMT-LIB text in, one answer per `(check-sat…)` out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace braid::rulec {

enum class Answer : uint8_t { unsat, sat, unknown };

struct SolverRun {
  std::vector<Answer> answers;
  std::string error;  ///< empty if all went well
};

/// Runs the solver once over all of the text.
SolverRun ask_solver(const std::string& text);

}  // namespace braid::rulec
