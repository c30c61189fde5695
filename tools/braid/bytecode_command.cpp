// bc: register bytecode, with what is known of it.
#include "commands.h"
#include "driver/load.h"
#include "driver/pandasm_program.h"
#include "front/pandasm/listing.h"

namespace braid::tool {

int bytecode_command(const Arguments& arguments) {
  if (arguments.words.size() != 1) return usage_error(Command::bc, "expected one file");
  Expected<SourceFile> source = driver::load(arguments.words[0]);
  if (!source) return bad_input(source.error());
  Expected<std::unique_ptr<driver::PandasmProgram>> program = driver::PandasmProgram::open(std::move(*source));
  if (!program) return bad_input(program.error());
  return write_result(arguments, pandasm::listing((*program)->program, (*program)->links, (*program)->types));
}

}  // namespace braid::tool
