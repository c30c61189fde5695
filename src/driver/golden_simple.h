// Golden files of Simple: programs that say what their graphs look like and what they are worth.
//
// Simple's chapter 8 has no comments, so directives stand in lines that begin with `;`, before the program and behind it:
//
//   ; language simple8                        otherwise today's Simple
//   ; test [peepholes=off] [single-region] [assume-arg=N]     the printed graph is the next expect block
//   ; eval 0, 1, 10 == 5, 6, timeout          with and without peepholes, with either kind of regions; values also by
//                                             the interpreter, in linear SSA
//   ; error 1:5: TEXT                         the errors of the program, all of them and in order
//   PROGRAM
//   ; expect                                  one block for each test
//   ; | line
//
// Positions count the lines before the program.
#pragma once

#include "driver/golden.h"

namespace braid::driver {

GoldenResult run_golden_simple(const SourceFile& source, const GoldenOptions& options);

}  // namespace braid::driver
