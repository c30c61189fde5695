#include "text/findings.h"

#include <string>

#include "text/print.h"

namespace braid::text {
namespace {

/// A finding's own words, and a note with the statement in its block.
class Describer {
 public:
  Describer(const ir::Module& module, const SourceFile* source, const SourceMap* positions)
      : module_(module), source_(source), positions_(positions) {}

  void add(const ir::Finding& finding) {
    std::string place;
    if (!is_none(finding.function) && source_ == nullptr)
      place = "in '@" + std::string(module_.function(finding.function).name_text()) + "': ";
    Diagnostic diagnostic{Severity::error, "", 0, 0, place + finding.message, "", std::string(finding.rule)};
    uint32_t offset = offset_of(finding);
    if (source_ != nullptr && offset != SourceMap::unknown)
      diagnostic = source_->diagnostic(Severity::error, offset, finding.message, std::string(finding.rule));
    else if (source_ != nullptr)
      diagnostic.file = source_->name();
    out_.add(diagnostic);
    if (!is_none(finding.function) && !finding.where.is_undef()) add_listing(finding);
  }
  Diagnostics take() { return std::move(out_); }

 private:
  uint32_t offset_of(const ir::Finding& finding) const {
    if (positions_ == nullptr || is_none(finding.function)) return SourceMap::unknown;
    uint32_t offset = SourceMap::unknown;
    if (!finding.where.is_undef()) offset = positions_->statement(finding.function, finding.where);
    if (offset == SourceMap::unknown && !is_none(finding.block))
      offset = positions_->block(finding.function, finding.block);
    return offset == SourceMap::unknown ? positions_->function(finding.function) : offset;
  }

  void add_listing(const ir::Finding& finding) {
    const ir::Function& f = module_.function(finding.function);
    if (printed_ != finding.function) {
      printer_.emplace(f);
      printed_ = finding.function;
    }
    std::string note = "in ";
    if (!is_none(finding.block)) {
      printer_->append_block(note, finding.block);
      note += ": ";
    }
    printer_->append(note, finding.where);
    out_.note(note);
  }

  const ir::Module& module_;
  const SourceFile* source_;
  const SourceMap* positions_;
  Diagnostics out_;
  std::optional<StatementPrinter> printer_;
  ir::FuncId printed_ = none_id<ir::FuncId>;
};

}  // namespace

Diagnostics describe(const std::vector<ir::Finding>& findings, const ir::Module& module, const SourceFile& source,
                     const SourceMap& positions) {
  Describer describer(module, &source, &positions);
  for (const ir::Finding& finding : findings) describer.add(finding);
  return describer.take();
}

Diagnostics describe(const std::vector<ir::Finding>& findings, const ir::Module& module) {
  Describer describer(module, nullptr, nullptr);
  for (const ir::Finding& finding : findings) describer.add(finding);
  return describer.take();
}

}  // namespace braid::text
