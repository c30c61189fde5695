#include "driver/pandasm_program.h"

#include "front/pandasm/pandasm.h"

namespace braid::driver {

Expected<std::unique_ptr<PandasmProgram>> PandasmProgram::open(SourceFile source) {
  Expected<pandasm::Program> program = pandasm::parse(source);
  if (!program) return std::move(program).error();
  Expected<pandasm::Links> links = pandasm::link(source, *program);
  if (!links) return std::move(links).error();
  Expected<std::vector<pandasm::FunctionTypes>> types = pandasm::verify(source, *program, *links);
  if (!types) return std::move(types).error();
  return std::make_unique<PandasmProgram>(
      PandasmProgram{std::move(source), std::move(*program), std::move(*links), std::move(*types)});
}

}  // namespace braid::driver
