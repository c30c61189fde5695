// Printing `.braid` text: what is printed reads back as the same program (grammar in docs/text.md). Linear in the program,
// into one string.
#pragma once

#include <string>

#include "ir/function.h"
#include "text/listing.h"

namespace braid::text {

std::string to_text(const ir::Module& module);
std::string to_text(const ir::Function& f);
void append_text(std::string& out, const ir::Module& module);
void append_text(std::string& out, const ir::Function& f);

/// Prints statements one at a time, for diagnostics and traces. Making one costs O(function), a statement what it is long.
class StatementPrinter {
 public:
  explicit StatementPrinter(const ir::Function& f);

  /// A statement of the vector or of the insertion buffer, without a newline.
  void append(std::string& out, ir::Operand id) const;
  /// What names the operand in the text: `%3`, `%+0`, `%n`, `undef`, `i64 5`.
  void append_value(std::string& out, ir::Operand operand) const;
  void append_block(std::string& out, ir::BlockId b) const { listing_.append_block(out, b); }

 private:
  Listing listing_;
};

/// One statement. Costs O(function): for many of them use a StatementPrinter.
void append_statement(std::string& out, const ir::Function& f, ir::Operand id);

}  // namespace braid::text
