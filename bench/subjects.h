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
void measure_sea(Table& table, const Effort& effort);

/// Ends the program: a yardstick and Braid did not do the same.
[[noreturn]] void fail(const std::string& why);

}  // namespace braid::bench
