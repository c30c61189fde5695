// A session: one source, the module that was parsed from it, and what is done with it.
#pragma once

#include <braid/expected.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/source_file.h"
#include "driver/golden_file.h"
#include "front/simple/simple.h"
#include "passes/runner.h"
#include "ssa/construct.h"
#include "text/parse.h"

namespace braid::driver {

class Session {
 public:
  /// Parses; the program need not be valid.
  static Expected<Session> open(SourceFile source);
  /// Parses and verifies.
  static Expected<Session> open_valid(SourceFile source);
  /// A program in Simple, taken to linear SSA.
  static Expected<Session> open_simple(SourceFile source, const simple::ParseOptions& options);
  /// A program in pandasm, as functions with variables.
  static Expected<Session> open_pandasm(SourceFile source);

  const SourceFile& source() const { return source_; }
  ir::Module& module() const { return *parsed_.module; }

  /// What a program in Simple has printed of itself while it was parsed.
  const std::string& shown() const { return shown_; }

  /// Gives every constant the type of its use (infer/split_constants.h); errors where there is none of these bits.
  Diagnostics split_constants();

  /// What the verifier finds, as diagnostics with positions. After passes have run there are no positions in the source.
  Diagnostics verify() const;

  /// Findings as diagnostics, with positions as far as they are known.
  Diagnostics describe(std::span<const ir::Finding> findings) const;

  /// What the program is warned about, function by function. Only for a valid program.
  Diagnostics warnings() const;

  /// The function of this name, with or without `@`; without a name `main`, or the only function with a body.
  Expected<ir::Function*> function(std::string_view name) const;

  /// Runs passes. A result that the verifier does not accept is an error, with `verify_each` that of any pass.
  Expected<passes::RunReport> run(const passes::Pipeline& pipeline, const passes::RunOptions& options = {});

  /// Takes functions of this module to SSA.
  void construct(std::span<ir::Function* const> functions, const ssa::ConstructOptions& options);

  /// Someone else has changed the program: it does not stand in the source as it is any more.
  void note_change() { changed_ = true; }

  /// The program as text; `function` is null for the whole module. Only the Julia style has colours.
  std::string print(Style style, const ir::Function* function = nullptr, bool colour = false) const;
  /// The same in the middle of the compaction of each function, when `steps` statements have been emitted; in .braid text,
  /// what is finished. The program, which must be valid, is compacted behind it.
  std::string print_compacting(Style style, uint64_t steps, ir::Function* function = nullptr, bool colour = false);

 private:
  Session(SourceFile source, text::ParsedModule parsed) : source_(std::move(source)), parsed_(std::move(parsed)) {}

  SourceFile source_;
  text::ParsedModule parsed_;
  std::string shown_;
  bool changed_ = false;  ///< positions are not those of the source any more
};

}  // namespace braid::driver
