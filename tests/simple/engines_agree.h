// One program through everything: the tree, the graph without and with peepholes, breaks and continues in
// stacked and in single regions, scheduled code in the interpreter. All must agree, on errors too.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "front/simple/simple.h"
#include "interp/interpreter.h"
#include "sea/evaluate.h"
#include "tree.h"

namespace braid::simple_testing {

/// What a series of programs has seen.
struct AgreementCoverage {
  uint64_t programs = 0, valid = 0, values = 0, fallthroughs = 0, timeouts = 0, evaluations = 0,
           interpreted = 0;
  uint64_t nodes_before = 0, nodes_after = 0;
  uint64_t errors[9] = {};
  static constexpr std::string_view error_names[9] = {
      "expected a sign", "expected an expression", "unexpected",      "leading zero",  "expected a name",
      "undefined name",  "redefined name",         "name on one arm", "no active loop"};
  uint64_t other_errors = 0;

  void count_error(std::string_view text);
  std::string to_string() const;
};

struct AgreementOptions {
  Dialect dialect = Dialect::simple8;
  uint64_t back_edges = 1000;
  bool land = true;  ///< also schedule, and run in the interpreter
  sea::RewriteObserver* observer = nullptr;  ///< hears of every rewrite of `simple`
};

/// May be kept: its memory is used again.
class EnginesAgree {
 public:
  explicit EnginesAgree(const AgreementOptions& options);

  /// Empty, or what is wrong.
  std::string check(std::string_view text);

  AgreementCoverage coverage;
  TreeInterpreter tree_interpreter;

 private:
  struct Variant {
    std::string_view name;
    bool peepholes, single_region;
  };
  static constexpr Variant variants[] = {
      {"graph without peepholes", false, false},
      {"graph with peepholes", true, false},
      {"graph with peepholes and single regions", true, true},
  };
  static constexpr int64_t arguments[] = {0, 1, 10};

  std::string parse_variant(const SourceFile& source, const Variant& variant, std::optional<simple::Program>& program);
  std::string evaluate_variant(const simple::Program& program, const Variant& variant);
  std::string compare(const TreeOutcome& expected, const sea::Evaluation& found) const;
  std::string check_landed(const simple::Program& program);
  void choose_module();

  AgreementOptions options_;
  TreeProgram tree_;
  TreeOutcome outcomes_[std::size(arguments)];
  std::unique_ptr<ir::Module> module_;
  std::unique_ptr<interp::Interpreter> interpreter_;
  sea::Evaluator evaluator_;
  sea::GraphPool graphs_;
  uint32_t module_age_ = 0;
  bool was_unusual_ = false;
};

}  // namespace braid::simple_testing
