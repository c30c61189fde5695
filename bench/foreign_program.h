// Programs for the interpreters that Braid is measured against.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace braid::bench {

/// A program in a file; runs it with an interpreter and checks the low bits of its answer, which are the exit code.
class ForeignProgram {
 public:
  ForeignProgram(std::string suffix, std::vector<std::string> command);
  ~ForeignProgram();

  /// Its processor time. `answer` is what it must give, in its lowest 7 bits.
  double seconds(const std::string& text, int64_t answer) const;

 private:
  std::string path_;
  std::vector<std::string> command_;
};

}  // namespace braid::bench
