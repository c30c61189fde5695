// Programs through everything: the tree, the graph without and with peepholes, breaks and continues in
// stacked and in single regions, scheduled code in the interpreter. All must agree, on errors too.
//
// Small programs do not run long enough for the code of an engine to get warm: several go side by side, all of them
// through one engine and then through the next.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  uint64_t jumping = 0, single_regions = 0;  ///< programs with break or continue, and those of them that were built in both ways
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
  sea::RewriteObserver* observer = nullptr;  ///< hears of every rewrite
};

/// May be kept: its memory is used again.
class EnginesAgree {
 public:
  explicit EnginesAgree(const AgreementOptions& options);

  /// So many side by side take about a sixth less time than one after the other.
  static constexpr size_t best_batch = 64;

  /// Empty, or what is wrong.
  std::string check(std::string_view text) { return check_all(std::span(&text, 1)); }
  /// Empty, or what is wrong with the first that is.
  std::string check_all(std::span<const std::string_view> texts) {
    const size_t wrong = first_wrong(texts);
    return wrong == texts.size() ? std::string() : lanes_[wrong].wrong + "\n" + std::string(texts[wrong]);
  }
  /// The random programs of these seeds, of which a quarter may be invalid, side by side.
  std::string check_random(uint64_t first_seed, size_t count);

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
  static constexpr size_t landed_variant = 1;
  static constexpr uint64_t single_regions_in = 4;  ///< one of so many programs that could show a difference
  static constexpr int64_t arguments[] = {0, 1, 10};

  /// One program on its way. Its memory is used for another.
  struct Lane {
    std::string_view text;
    TreeProgram tree;
    TreeOutcome outcomes[std::size(arguments)];
    std::unique_ptr<ir::Module> module;
    std::unique_ptr<interp::Interpreter> interpreter;
    uint32_t module_age = 0;
    bool was_unusual = false;
    std::optional<SourceFile> source;
    std::optional<simple::Program> programs[std::size(variants)];
    std::string wrong;
    std::string errors;  ///< of the first variant
  };

  /// Their number if all is well.
  size_t first_wrong(std::span<const std::string_view> texts);
  void run_tree(Lane& lane);
  void choose_module(Lane& lane);
  void parse_variant(Lane& lane, size_t variant);
  static bool is_at_offset(const Lane& lane, const Diagnostics& errors);
  void evaluate_variant(Lane& lane, size_t variant);
  void land(Lane& lane);
  void run_landed(Lane& lane);
  std::string compare(const TreeOutcome& expected, const sea::Evaluation& found) const;

  AgreementOptions options_;
  std::vector<Lane> lanes_;
  std::vector<std::string> random_;
  sea::Evaluator evaluator_;
  sea::GraphPool graphs_;
};

}  // namespace braid::simple_testing
