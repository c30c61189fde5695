// Fuzzes the Simple languages. The first byte says how the others are taken: as the source itself, or as the
// decisions of the generator, in either language. All engines must agree, on errors too; a program that they
// disagree on is reduced first.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "driver/reduce_simple.h"
#include "engines_agree.h"
#include "generator.h"

using namespace braid::simple_testing;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static EnginesAgree engines[] = {EnginesAgree({.dialect = Dialect::simple8, .back_edges = 100}),
                                   EnginesAgree({.dialect = Dialect::simple, .back_edges = 100})};
  if (size == 0) return 0;
  Dialect dialect = (data[0] & 1) != 0 ? Dialect::simple : Dialect::simple8;
  EnginesAgree& agree = engines[data[0] & 1];
  std::string program(reinterpret_cast<const char*>(data) + 1, size - 1);
  if ((data[0] & 6) != 0) {
    Choices choices(std::span<const uint8_t>(data + 1, size - 1));
    Generator generator(choices, {.dialect = dialect, .valid = (data[0] & 6) == 6, .statements = 20});
    program = generator.program();
  }
  if (agree.check(program).empty()) return 0;
  program = braid::driver::reduce_simple_text(program, [&](const std::string& text) { return !agree.check(text).empty(); }, {.max_checks = 20'000}).text;
  std::fprintf(stderr, "broken promise: all engines agree\n%s\n", agree.check(program).c_str());
  std::abort();
}
