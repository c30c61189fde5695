// Pages made from the tool's tables: the manual, shell completions, and the reference of the IR.
#pragma once

#include <string>

namespace braid::tool {

std::string man_page();
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();
/// docs/ir.md, from the op table and the rules of the verifier.
std::string ir_reference();

}  // namespace braid::tool
