#include "solver.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace braid::rulec {

SolverRun ask_solver(const std::string& text) {
  SolverRun run;
  static int number = 0;
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() /
      ("braid-rules-" + std::to_string(getpid()) + "-" + std::to_string(number++) + ".smt2");
  std::ofstream(file) << text;
  std::FILE* out = popen(("z3 -smt2 " + file.string() + " 2>&1").c_str(), "r");
  if (out == nullptr) {
    run.error = "cannot start z3";
    return run;
  }
  std::array<char, 4096> buffer;
  while (std::fgets(buffer.data(), buffer.size(), out) != nullptr) {
    std::string line(buffer.data());
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
    if (line == "unsat")
      run.answers.push_back(Answer::unsat);
    else if (line == "sat")
      run.answers.push_back(Answer::sat);
    else if (line == "unknown" || line == "timeout")
      run.answers.push_back(Answer::unknown);
    else if (run.error.empty())
      run.error = line;
  }
  pclose(out);
  std::filesystem::remove(file);
  return run;
}

}  // namespace braid::rulec
