#include "passes/runner.h"

#include <chrono>
#include <cstdio>

#include "text/print.h"

namespace braid::passes {

using namespace ir;

namespace {

class Runner {
 public:
  Runner(Module& module, const RunOptions& options)
      : module_(module), options_(options), analyses_(module.function_count()) {}

  RunReport run(std::span<const Pass* const> pipeline) {
    keep_snapshot("input");
    for (const Pass* pass : pipeline) {
      report_.times.push_back(run_one(*pass));
      keep_snapshot(pass->name);
      if (options_.print && (options_.print_after == "all" || options_.print_after == pass->name)) options_.print(pass->name);
      if (options_.verify_each && !verify_after(pass->name)) break;
    }
    if (options_.verify_result && !options_.verify_each) verify_after(pipeline.size() == 1 ? pipeline[0]->name : "");
    return std::move(report_);
  }

 private:
  template <typename F>
  void for_each_body(F&& visit) {
    for (uint32_t i = 0; i < module_.function_count(); ++i) {
      FuncId id = static_cast<FuncId>(i);
      if (module_.function(id).is_external() || (!is_none(options_.only) && id != options_.only)) continue;
      visit(module_.function(id));
    }
  }
  uint64_t statement_count() {
    uint64_t count = 0;
    for_each_body([&](const Function& f) { count += f.dense_count(); });
    return count;
  }

  PassTime run_one(const Pass& pass) {
    PassTime time{pass.name, 0, statement_count(), 0};
    auto start = std::chrono::steady_clock::now();
    for_each_body([&](Function& f) {
      Analyses& analyses = analyses_[f.id()];
      analyses.require(f, pass.needs);
      pass.run(f, analyses);
      analyses.drop_all_but(pass.keeps);
    });
    time.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    time.statements_after = statement_count();
    return time;
  }

  bool verify_after(std::string_view pass) {
    for_each_body([&](const Function& f) {
      std::vector<Finding> found = verify(f);
      report_.findings.insert(report_.findings.end(), found.begin(), found.end());
    });
    if (report_.findings.empty()) return true;
    report_.broken_by = pass;
    return false;
  }

  void keep_snapshot(std::string_view pass) {
    if (options_.keep_snapshots) report_.snapshots.push_back({std::string(pass), text::to_text(module_)});
  }

  Module& module_;
  const RunOptions& options_;
  IdMap<FuncId, Analyses> analyses_;
  RunReport report_;
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

std::string time_table(std::span<const PassTime> times) {
  double total = 0;
  for (const PassTime& time : times) total += time.milliseconds;
  std::string text;
  append(text, "%-20s %10s %7s %12s %12s %8s\n", "pass", "ms", "time", "before", "after", "change");
  auto line = [&](std::string_view name, double milliseconds, uint64_t before, uint64_t after) {
    append(text, "%-20.*s %10.3f %6.1f%% %12llu %12llu ", static_cast<int>(name.size()), name.data(), milliseconds,
           total > 0 ? 100 * milliseconds / total : 0.0, static_cast<unsigned long long>(before),
           static_cast<unsigned long long>(after));
    double change = before == 0 ? 0 : 100 * (static_cast<double>(after) - static_cast<double>(before)) / static_cast<double>(before);
    append(text, "%+7.1f%%\n", change);
  };
  for (const PassTime& time : times) line(time.pass, time.milliseconds, time.statements_before, time.statements_after);
  if (!times.empty()) line("total", total, times.front().statements_before, times.back().statements_after);
  return text;
}

}  // namespace braid::passes
