// Pandasm, the assembler text of Panda's register bytecode (docs/pandasm.md): reading and printing.
#pragma once

#include <braid/expected.h>

#include <string>

#include "base/source_file.h"
#include "front/pandasm/program.h"

namespace braid::pandasm {

/// All errors of the text, with their positions. O(size).
Expected<Program> parse(const SourceFile& source);

/// A text that reads back as the same program.
std::string print(const Program& program);
void append_type(std::string& out, const Program& program, const Type& type);
/// `.function i32 f(i32 a0)`, without attributes.
void append_signature(std::string& out, const Program& program, const Function& function);
void append_register(std::string& out, const Function& function, uint32_t number);
/// One instruction, without its line; labels by their names.
void append_instruction(std::string& out, const Program& program, const Function& function, uint32_t pc);

}  // namespace braid::pandasm
