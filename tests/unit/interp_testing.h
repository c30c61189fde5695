// What the tests of the interpreter share: a program from text, verified, and its outcomes as text.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "interp/interpreter.h"
#include "ir/verify.h"
#include "sea/evaluate.h"
#include "sea/lift.h"
#include "text/parse.h"

namespace braid::interp {

class Program {
 public:
  explicit Program(std::string text, std::unique_ptr<ir::Module> into = nullptr) : module(std::move(into)) {
    if (!module) module = std::make_unique<ir::Module>();
    SourceFile source("test.braid", std::move(text));
    auto parsed = text::parse_into(*module, source);
    if (!parsed) {
      ADD_FAILURE() << render(parsed.error());
      return;
    }
    check();
  }
  explicit Program(std::unique_ptr<ir::Module> built) : module(std::move(built)) { check(); }

  ir::Function& function(std::string_view name) { return *module->find_function(name); }

  /// Runs twice, optimised and as traced code, which shares neither registers nor branches, and compares.
  template <typename... Arguments>
  std::string run(std::string_view name, Arguments... arguments) {
    std::vector<Value> values = {Value(arguments)...};
    return run_values(name, values);
  }
  std::string run_values(std::string_view name, const std::vector<Value>& values) {
    last = outcome(name, values, false);
    Outcome traced = outcome(name, values, true);
    EXPECT_EQ(to_string(last), to_string(traced)) << "with and without tracing";
    if (last.kind != OutcomeKind::limit) {
      EXPECT_EQ(last.steps, traced.steps);
    }
    evaluate_as_graph(name, values);
    return to_string(last);
  }
  /// The same program as a sea of nodes. Both engines have limits of their own, and trap with texts of their own.
  void evaluate_as_graph(std::string_view name, const std::vector<Value>& values) {
    if (last.kind == OutcomeKind::error || last.kind == OutcomeKind::limit) return;
    const ir::Function& f = function(name);
    sea::Graph graph = sea::lift(f);
    sea::Evaluator evaluator;
    evaluator.limits.back_edges = evaluator.limits.calls = 100'000'000;
    evaluator.limits.depth = options.max_depth;
    evaluator.runtime = &runtime;
    evaluator.reset(graph, &f);
    runtime.clear();
    sea::Evaluation evaluation = evaluator.run(std::span<const Value>(values));
    EXPECT_NE(evaluation.kind, sea::Evaluation::Kind::timeout) << evaluation.message;
    bool trapped = evaluation.kind == sea::Evaluation::Kind::trap || evaluation.kind == sea::Evaluation::Kind::fallthrough;
    if (last.kind == OutcomeKind::trap)
      EXPECT_TRUE(trapped) << to_string(last) << ", as a graph: " << to_string(evaluation);
    else
      EXPECT_EQ(to_string(last), to_string(evaluation)) << "as a graph";
  }
  Outcome outcome(std::string_view name, const std::vector<Value>& values, bool trace) {
    RunOptions with = options;
    with.trace = trace;
    with.runtime = &runtime;
    runtime.clear();
    Interpreter interpreter(*module, with);
    return interpreter.run(function(name), values);
  }

  std::unique_ptr<ir::Module> module;
  ir::SimpleRuntime runtime;
  RunOptions options;
  Outcome last;

 private:
  static std::string render(const Diagnostics& diagnostics) {
    std::string out;
    for (const Diagnostic& d : diagnostics) out += d.message + "\n";
    return out;
  }
  void check() {
    for (const ir::Finding& finding : ir::verify(*module)) ADD_FAILURE() << finding.rule << ": " << finding.message;
  }
};

}  // namespace braid::interp
