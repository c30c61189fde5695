// Reading `.braid` text (grammar in docs/text.md).
//
// One pass over the lines finds declarations and labels, so that calls and jumps may refer forward; then each function is
// read once. Values that stand further down are filled in at the end of their function. Linear in the text, without
// recursion over the program and without allocation per statement.
#pragma once

#include <braid/expected.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/source_file.h"
#include "ir/function.h"

namespace braid::text {

struct ParseOptions {
  uint32_t max_errors = 20;                    ///< those beyond are counted
  uint32_t max_statements = (1u << 28) - 1;    ///< of one function
  uint32_t max_operands = 1u << 28;            ///< of all phis of one function; the text may leave them out
  std::vector<ir::Function>* replaced = nullptr;  ///< gets the declarations whose places functions of the text have taken
};

/// Where things stand in the source, as byte offsets.
class SourceMap {
 public:
  static constexpr uint32_t unknown = 0xffffffffu;

  /// The `func` or `extern` line.
  uint32_t function(ir::FuncId f) const { return known(f) ? functions_[f].header : unknown; }
  /// The name in its declaration, if that stands in this text.
  uint32_t intrinsic(ir::IntrinsicId i) const { return intrinsics_.contains(i) ? intrinsics_[i] : unknown; }
  uint32_t block(ir::FuncId f, ir::BlockId b) const {
    return known(f) ? at(functions_[f].blocks, functions_[f].block_count, index(b)) : unknown;
  }
  /// A statement of the vector or of the insertion buffer.
  uint32_t statement(ir::FuncId f, ir::Operand id) const {
    if (!known(f)) return unknown;
    const Part& part = functions_[f];
    return id.is_stmt() ? at(part.statements, part.statement_count, id.number())
                        : at(part.pending, part.pending_count, id.number());
  }

 private:
  friend class ModuleReader;
  friend class FunctionReader;

  struct Part {
    uint32_t header = unknown;
    uint32_t statements = 0, pending = 0, blocks = 0;  ///< the first of each in `offsets_`
    uint32_t statement_count = 0, pending_count = 0, block_count = 0;
  };
  bool known(ir::FuncId f) const { return functions_.contains(f); }
  uint32_t at(uint32_t first, uint32_t count, uint32_t i) const { return i < count ? offsets_[first + i] : unknown; }

  IdMap<ir::FuncId, Part> functions_;
  IdMap<ir::IntrinsicId, uint32_t> intrinsics_;
  std::vector<uint32_t> offsets_;
};

struct ParsedModule {
  std::unique_ptr<ir::Module> module;
  SourceMap positions;
};

/// Reports the errors that it finds, in the order of the text. It does not verify: what it accepts may still break rules
/// of the IR.
Expected<ParsedModule> parse_module(const SourceFile& source, const ParseOptions& options = {});

/// The same into a module that exists: the text may use what that has, may declare it again in the same way, and may define
/// functions that it only declares. After an error the module is half filled.
Expected<SourceMap> parse_into(ir::Module& module, const SourceFile& source, const ParseOptions& options = {});

}  // namespace braid::text
