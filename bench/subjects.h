// What is measured, one file per subject.
#pragma once

#include <cstdint>
#include <string>

#include "measure.h"
#include "table.h"

namespace braid::bench {

void measure_build(Table& table, const Effort& effort);
void measure_parse(Table& table, const Effort& effort);
void measure_verify(Table& table, const Effort& effort);
void measure_copy(Table& table, const Effort& effort);
void measure_compact(Table& table, const Effort& effort);
void measure_print(Table& table, const Effort& effort);
void measure_interpret(Table& table, const Effort& effort);
void measure_growth(Table& table, const Effort& effort);
void measure_construct(Table& table, const Effort& effort);
void measure_construct_growth(Table& table, const Effort& effort);
void measure_dessa(Table& table, const Effort& effort);
void measure_sea(Table& table, const Effort& effort);
void measure_infer(Table& table, const Effort& effort);
void measure_types(Table& table, const Effort& effort);
void measure_pandasm(Table& table, const Effort& effort);

/// Runs a program and prints its processor time in seconds and its memory in megabytes. A process takes over the size of the
/// one that starts it, so that a small one must do it: this program anew, with `--measure-child` and the command.
int measure_child(char** command);

/// Ends the program: a yardstick and Braid did not do the same.
[[noreturn]] void fail(const std::string& why);

}  // namespace braid::bench
