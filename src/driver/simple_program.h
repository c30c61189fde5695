// A program in Simple: its graphs, what they look like, what they are worth, and its way to linear SSA.
#pragma once

#include <braid/expected.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/source_file.h"
#include "driver/step_check.h"
#include "front/simple/simple.h"
#include "ir/module.h"

namespace braid::driver {

enum class SeaForm : uint8_t { text, table, dot, json };
inline constexpr std::string_view sea_form_names[] = {"text", "table", "dot", "json"};

class SimpleProgram {
 public:
  static Expected<SimpleProgram> open(const SourceFile& source, const simple::ParseOptions& options);

  const simple::Program& program() const { return program_; }
  ir::Module& module() const { return *module_; }

  /// What `#showGraph;` has printed.
  const std::string& shown() const { return program_.shown; }
  /// All functions, the program itself last; with their names if there are several.
  std::string print(SeaForm form) const;
  /// A line for each argument: the value, `timeout` or `fallthrough`.
  Expected<std::string> evaluate(std::span<const int64_t> arguments) const;

  /// Optimises the graphs as they are, and evaluates the program for each argument after every single rewrite.
  StepCheck check_each_step(std::span<const int64_t> arguments);

  /// The functions get their bodies, and the module is given away.
  std::unique_ptr<ir::Module> land();

 private:
  SimpleProgram(std::unique_ptr<ir::Module> module, simple::Program program, simple::Language language)
      : module_(std::move(module)), program_(std::move(program)), language_(language) {}

  /// Endless loops get an exit that is never taken.
  void add_exits();
  std::vector<const simple::FunctionGraph*> needed_functions() const;

  std::unique_ptr<ir::Module> module_;  // outlives the graphs
  simple::Program program_;
  simple::Language language_;
};

/// Whether a file is written in Simple, by its name.
inline bool is_simple_file(std::string_view name) { return name.ends_with(".smp"); }

}  // namespace braid::driver
