#include "passes/runner.h"

#include <chrono>
#include <cstdio>

#include "ir/compact.h"
#include "text/print.h"

namespace braid::passes {

using namespace ir;

namespace {

/// All that a pass may want to have there. Dominators are built from the graph.
Analysis wanted_by(const Pass& pass) { return contains(pass.needs, Analysis::dominators) ? pass.needs | Analysis::graph : pass.needs; }

class Runner {
 public:
  Runner(Module& module, const RunOptions& options) : module_(module), options_(options) {
    options_.check_contracts |= options.verify_each;
    for (uint32_t i = 0; i < module.function_count(); ++i) {
      Function& f = module.function(static_cast<FuncId>(i));
      if (!f.is_external() && (is_none(options.only) || f.id() == options.only)) bodies_.push_back({f, Analyses(f, &report_.analyses)});
    }
  }

  RunReport run(std::span<const Pass* const> pipeline) {
    keep_snapshot("input");
    for (size_t i = 0; i < pipeline.size(); ++i) {
      const Pass& pass = *pipeline[i];
      Analysis wanted_later = Analysis::none;
      for (const Pass* later : pipeline.subspan(i + 1)) wanted_later = wanted_later | wanted_by(*later);
      report_.times.push_back(run_one(pass, wanted_later));
      keep_snapshot(pass.name);
      if (options_.print && (options_.print_after == "all" || options_.print_after == pass.name)) options_.print(pass.name);
      if (options_.verify_each && !verify_after(pass.name)) break;
      if (!report_.broken_contract.empty()) return std::move(report_);
    }
    if (options_.verify_result && !options_.verify_each) verify_after(pipeline.size() == 1 ? pipeline[0]->name : "");
    return std::move(report_);
  }

 private:
  struct Body {
    Function& f;
    Analyses analyses;
  };

  uint64_t statement_count() {
    uint64_t count = 0;
    for (const Body& body : bodies_) count += body.f.dense_count();
    return count;
  }
  using Clock = std::chrono::steady_clock;
  static double milliseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }
  /// What is no time of any pass.
  double milliseconds_apart() const {
    double sum = milliseconds_of_checks_;
    for (const AnalysisCost& cost : report_.analyses) sum += cost.milliseconds;
    return sum;
  }

  PassTime run_one(const Pass& pass, Analysis wanted_later) {
    PassTime time{pass.name, 0, statement_count(), 0};
    const double apart = milliseconds_apart();
    const auto start = Clock::now();
    for (Body& body : bodies_) body.analyses.start();
    const infer::Summaries callees = pass.run.asks_for_callees() ? summarise_callees() : infer::Summaries();
    for (auto& [f, analyses] : bodies_) {
      pass.run(f, analyses, &callees);
      if (analyses.is_changed()) analyses.forget(Analysis::all - pass.keeps);
      if (options_.check_contracts) check_contract(pass, f, analyses);
      analyses.forget(Analysis::all - wanted_later);
    }
    time.milliseconds = milliseconds_since(start) - (milliseconds_apart() - apart);
    time.statements_after = statement_count();
    return time;
  }

  /// Of all functions that the pass is going to see. Only those at rest can be summarised.
  infer::Summaries summarise_callees() {
    std::vector<FuncId> callees;
    for (auto& [f, analyses] : bodies_) {
      if (!f.is_at_rest()) analyses.keep(compact(f));
      infer::append_callees(f, callees);
    }
    return infer::summarise(module_, callees);
  }

  void check_contract(const Pass& pass, const Function& f, const Analyses& analyses) {
    if (!report_.broken_contract.empty()) return;
    const auto start = Clock::now();
    const Analysis wrong = analyses.outdated();
    milliseconds_of_checks_ += milliseconds_since(start);
    std::string what;
    if (wrong != Analysis::none)
      what = "keeps what is not right any more: " + to_string(wrong);
    else if (const Analysis asked = analyses.asked() - pass.needs; asked != Analysis::none)
      what = "asks for what the table of passes does not name: " + to_string(asked);
    else
      return;
    report_.broken_by = pass.name;
    report_.broken_contract = "pass '" + std::string(pass.name) + "' " + what + ", in '@" + std::string(f.name_text()) + "'";
  }

  bool verify_after(std::string_view pass) {
    for (const Body& body : bodies_) {
      std::vector<Finding> found = verify(body.f);
      report_.findings.insert(report_.findings.end(), found.begin(), found.end());
    }
    if (report_.findings.empty()) return true;
    report_.broken_by = pass;
    return false;
  }

  void keep_snapshot(std::string_view pass) {
    if (options_.keep_snapshots) report_.snapshots.push_back({std::string(pass), text::to_text(module_)});
  }

  Module& module_;
  RunOptions options_;
  RunReport report_;
  std::vector<Body> bodies_;
  double milliseconds_of_checks_ = 0;
};

template <typename... Args>
void append(std::string& out, const char* format, Args... args) {
  char line[160];
  std::snprintf(line, sizeof line, format, args...);
  out += line;
}

}  // namespace

RunReport run_passes(Module& module, std::span<const Pass* const> pipeline, const RunOptions& options) {
  return Runner(module, options).run(pipeline);
}

std::string time_table(const RunReport& report) {
  double total = 0;
  for (const PassTime& time : report.times) total += time.milliseconds;
  for (const AnalysisCost& cost : report.analyses) total += cost.milliseconds;
  std::string text;
  auto begin = [&](std::string_view name, double milliseconds) {
    append(text, "%-20.*s %10.3f %6.1f%% ", static_cast<int>(name.size()), name.data(), milliseconds,
           total > 0 ? 100 * milliseconds / total : 0.0);
  };
  auto line = [&](std::string_view name, double milliseconds, uint64_t before, uint64_t after) {
    begin(name, milliseconds);
    append(text, "%12llu %12llu ", static_cast<unsigned long long>(before), static_cast<unsigned long long>(after));
    double change = before == 0 ? 0 : 100 * (static_cast<double>(after) - static_cast<double>(before)) / static_cast<double>(before);
    append(text, "%+7.1f%%\n", change);
  };
  append(text, "%-20s %10s %7s %12s %12s %8s\n", "pass", "ms", "time", "before", "after", "change");
  for (const PassTime& time : report.times) line(time.pass, time.milliseconds, time.statements_before, time.statements_after);
  append(text, "%-20s %10s %7s %12s\n", "analysis", "ms", "time", "built");
  for (size_t i = 0; i < report.analyses.size(); ++i) {
    begin(each_analysis[i].name, report.analyses[i].milliseconds);
    append(text, "%12llu\n", static_cast<unsigned long long>(report.analyses[i].built));
  }
  if (!report.times.empty()) line("total", total, report.times.front().statements_before, report.times.back().statements_after);
  return text;
}

}  // namespace braid::passes
