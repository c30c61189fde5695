// Whether two programs are the same: equal in everything that the text form shows, apart from the numbers of statements
// and the order of edges, which follow from the text. Linear in the programs.
#pragma once

#include <string>

#include "ir/function.h"

namespace braid::text {

/// The functions may belong to different modules. Says in `difference`, if there is one, where they differ first.
bool ir_equal(const ir::Function& a, const ir::Function& b, std::string* difference = nullptr);
bool ir_equal(const ir::Module& a, const ir::Module& b, std::string* difference = nullptr);

}  // namespace braid::text
