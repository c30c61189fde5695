// Names for people: blocks and variables of a function as tables, drawings and JSON show them. O(blocks +
// variables).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/function.h"

namespace braid::driver {

/// A block's own name, also one that `.braid` text would have to quote; `b7` where it has none, or where a
/// block before it has the same.
std::vector<std::string> block_names(const ir::Function& f);
/// Likewise, with `var.7`.
std::vector<std::string> variable_names(const ir::Function& f);

/// A name as tables and lists show it: one word on one line. Control characters, blanks and bytes that are no UTF-8 are
/// written as `\0a`, names of more than 40 characters are cut.
std::string shown_name(std::string_view name);
std::vector<std::string> shown_names(std::vector<std::string> names);

/// Lines up columns: cells, then the column rules between them. The last column is not padded, and no
/// column for the sake of very wide cells, so that the text grows with the cells.
std::string table_text(const std::vector<std::vector<std::string>>& rows);

}  // namespace braid::driver
