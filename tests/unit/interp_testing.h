// What the tests of the interpreter share: a program from text, verified, and its outcomes as text.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
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
      // A call that ends the run by what is thrown in it has no line.
      if (!trace_.moves_memory && !last.message.starts_with("a call throws")) {
        EXPECT_EQ(last.steps, trace_.statements) << "lines of the trace";
      }
      if (constexpr uint64_t few = 100'000; last.steps <= few) check_limit_of_steps(name, values);
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
    last_of_graph = to_string(evaluation);
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
    trace_ = {};
    if (trace)
      with.trace_sink = [&](std::string_view line) {
        trace_.add(line);
        if (options.trace_sink) options.trace_sink(line);
      };
    Interpreter interpreter(*module, with);
    return interpreter.run(function(name), values);
  }

  std::unique_ptr<ir::Module> module;
  ir::SimpleRuntime runtime;
  RunOptions options;
  Outcome last;
  std::string last_of_graph;

 private:
  /// Each statement that was executed has one line. An exception has another where a terminator throws it, or where no
  /// handler can be reached; parameters have one, too.
  struct Trace {
    uint64_t statements = 0;
    bool moves_memory = false;  ///< that costs more steps
    void add(std::string_view line) {
      const std::string_view behind = line.substr(line.find(' ') + 1);
      const bool is_second = behind.starts_with("throws ") || line.find("where no handler can be reached") != line.npos;
      statements += !behind.starts_with("(") && !is_second;
      for (std::string_view op : {" stack_slot ", " mem_copy ", " mem_fill "}) moves_memory |= line.find(op) != line.npos;
    }
  };
  /// As many steps as were counted are enough, one less is not.
  void check_limit_of_steps(std::string_view name, const std::vector<Value>& values) {
    const uint64_t all = std::exchange(options.max_steps, last.steps);
    EXPECT_EQ(to_string(outcome(name, values, false)), to_string(last)) << "with just as many steps";
    if (options.max_steps > 0) {
      --options.max_steps;
      for (bool trace : {false, true})
        EXPECT_EQ(to_string(outcome(name, values, trace)), "stops: more than " + std::to_string(options.max_steps) + " steps");
    }
    options.max_steps = all;
  }
  static std::string render(const Diagnostics& diagnostics) {
    std::string out;
    for (const Diagnostic& d : diagnostics) out += d.message + "\n";
    return out;
  }
  void check() {
    for (const ir::Finding& finding : ir::verify(*module)) ADD_FAILURE() << finding.rule << ": " << finding.message;
  }

  Trace trace_;  ///< of the last outcome
};

}  // namespace braid::interp
