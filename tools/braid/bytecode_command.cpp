// bc: register bytecode, with what is known of it.
#include "commands.h"
#include "driver/load.h"
#include "front/pandasm/listing.h"
#include "front/pandasm/pandasm.h"

namespace braid::tool {

int bytecode_command(const Arguments& arguments) {
  if (arguments.words.size() != 1) return usage_error(Command::bc, "expected one file");
  Expected<SourceFile> source = driver::load(arguments.words[0]);
  if (!source) return bad_input(source.error());
  Expected<pandasm::Program> program = pandasm::parse(*source);
  if (!program) return bad_input(program.error());
  Expected<pandasm::Links> links = pandasm::link(*source, *program);
  if (!links) return bad_input(links.error());
  Expected<std::vector<pandasm::FunctionTypes>> types = pandasm::verify(*source, *program, *links);
  if (!types) return bad_input(types.error());
  return write_result(arguments, pandasm::listing(*program, *links, *types));
}

}  // namespace braid::tool
