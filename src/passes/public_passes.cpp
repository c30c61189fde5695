// The public function that runs passes.
#include <braid/passes.h>

#include "passes/runner.h"
#include "text/findings.h"

namespace braid {

Expected<void> optimize(Func& f, std::string_view passes) {
  Expected<passes::Pipeline> pipeline = passes::parse_pipeline(passes);
  if (!pipeline) return pipeline.error();
  passes::RunOptions options;
  options.only = f.id();
  options.verify_each = true;
  passes::RunReport report = passes::run_passes(f.module(), *pipeline, options);
  if (report.ok()) return {};
  Diagnostics errors;
  errors.error("the function is not valid after pass '" + std::string(report.broken_by) + "'");
  errors.merge(text::describe(f.module(), report.findings, SourceFile("", ""), nullptr));
  return errors;
}

}  // namespace braid
