// The runtime library of pandasm: which functions there are (library.def), how they are declared, and what they do.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "front/pandasm/program.h"

namespace braid::pandasm {

class ClassTable;
class Vm;
struct Outcome;

enum class LibraryId : uint32_t {
#define FUNCTION(id, name, result, parameters) id,
#include "front/pandasm/library.def"
#undef FUNCTION
  object_ctor,
  exception_ctor,
  exception_ctor_message,
  exception_message,
  array_ctor,
};

/// The declaration of a function of the library, as a call with so many arguments means it; nothing if there is none. Symbols are
/// interned where they are needed.
std::optional<Function> declare_library(Program& program, std::string_view name, size_t argument_count);

/// Which one a function without a body is: by its name and by what its parameters and result hold.
std::optional<LibraryId> find_library(const Program& program, const ClassTable& classes, uint32_t function);

/// The arguments of an array constructor are the sizes; its value is the array.
Outcome call_library(Vm& vm, LibraryId id, uint32_t function, std::span<const uint64_t> arguments);

}  // namespace braid::pandasm
