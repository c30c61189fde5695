// Golden files of pandasm: programs that say which functions to run, and everything that comes of it.
//
//   # run f(1, -2)          in comments that begin a line, anywhere; without any, main() is run
//   # expect                at the end of the file: what each run prints and returns or throws, or the errors of the program
//   # | line
//
// Every run is repeated with a collection at every safepoint; that must not change a letter.
#pragma once

#include "driver/golden.h"

namespace braid::driver {

GoldenResult run_golden_pandasm(const SourceFile& source, const GoldenOptions& options);

}  // namespace braid::driver
