#include "tree.h"
namespace braid::simple_testing {
void parse_simple(std::string_view, TreeProgram& out) { out.clear(); out.too_deep = true; }
}
