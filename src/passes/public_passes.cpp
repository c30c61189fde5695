// The public way to run passes.
#include <braid/passes.h>

#include "passes/runner.h"
#include "text/findings.h"

namespace braid {

Expected<void> optimize(Func& f, std::string_view names) {
  Expected<passes::Pipeline> pipeline = passes::parse_pipeline(names);
  if (!pipeline) return pipeline.error();
  if (f.is_external()) return {};
  passes::RunOptions options;
  options.only = f.id();
  options.verify_each = true;
  passes::RunReport report = passes::run_passes(f.module(), *pipeline, options);
  f.module().changes.push_back(f.id());
  if (report.ok()) return {};
  if (report.findings.empty()) {
    Diagnostics errors;
    errors.error(report.broken_contract);
    return errors;
  }
  return text::describe(f.module(), report.findings, SourceFile("<" + std::string(report.broken_by) + ">", ""), nullptr);
}

}  // namespace braid
