// Fuzzes pandasm. A zero first byte says that the others are the seed of a random program; otherwise the input is the source
// itself. What the verifier accepts must run alike in both engines, and with a collection at every safepoint.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "../tests/pandasm/random_program.h"
#include "base/hash.h"
#include "driver/pandasm_run.h"

using namespace braid;
using driver::PandasmProgram;
using driver::PandasmRun;

namespace {

struct Ran {
  std::string text;
  bool is_comparable = true;
};

Ran run(const PandasmProgram& program, driver::PandasmEngine engine, bool stress) {
  Ran ran;
  driver::PandasmRunOptions options;
  options.engine = engine;
  options.heap.max_bytes = 4 << 20;
  options.heap.stress = stress;
  options.interpreter.max_steps = 2000;
  options.output = [&](std::string_view text) { ran.text += text; };
  Expected<PandasmRun> end = driver::run_pandasm(program, "main", {}, options);
  if (!end) return {end.error()[0].message, true};
  // How much fits into memory or steps is not the same for all.
  ran.is_comparable = end->kind != pandasm::RunResult::Kind::stopped && ran.text.find("OutOfMemory") == std::string::npos &&
                      end->text.find("OutOfMemory") == std::string::npos;
  ran.text += "\n" + end->text;
  return ran;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  if (size != 0 && data[0] == 0) text = pandasm::RandomProgram(hash_bytes(text)).text();
  Expected<std::unique_ptr<PandasmProgram>> program = PandasmProgram::open(SourceFile("fuzz.pa", text));
  if (!program || text.find("nanoTime") != std::string::npos) return 0;
  const Ran plain = run(**program, driver::PandasmEngine::bytecode, false);
  if (!plain.is_comparable) return 0;
  const Ran others[] = {run(**program, driver::PandasmEngine::bytecode, true), run(**program, driver::PandasmEngine::ssa, false)};
  for (const Ran& other : others) {
    if (!other.is_comparable || other.text == plain.text) continue;
    std::fprintf(stderr, "broken promise: all engines agree\n%s\n%s\n%s\n", text.c_str(), plain.text.c_str(), other.text.c_str());
    std::abort();
  }
  return 0;
}
