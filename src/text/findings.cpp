#include "text/findings.h"

#include <vector>

#include "text/chars.h"

namespace braid::text {

using namespace ir;

std::string Excerpts::around(const Function& f, const Finding& finding) {
  if (current_ != &f) {
    current_ = &f;
    printer_ = std::make_unique<StatementPrinter>(f);
    lists_ = PendingLists(f);
  }
  std::string out = "in the listing of @" + std::string(f.name_text()) + ":\n    ";
  BlockId block = is_none(finding.block) && !finding.where.is_undef() ? f.block_of(finding.where) : finding.block;
  if (is_none(block)) return {};
  printer_->append_block(out, block);
  out += ':';
  std::vector<Operand> statements;
  for_each_statement(f, lists_, block, [&](Operand id) { statements.push_back(id); });
  size_t at = 0;
  while (at < statements.size() && statements[at] != finding.where) ++at;
  if (at == statements.size()) return out;
  auto line = [&](std::string_view margin, size_t i) {
    out += '\n';
    out += margin;
    printer_->append(out, statements[i]);
  };
  if (at > 1) out += "\n      ...";
  if (at > 0) line("      ", at - 1);
  line("  --> ", at);
  if (at + 1 < statements.size()) line("      ", at + 1);
  return out;
}

namespace {

uint32_t offset_of(const Finding& finding, const SourceMap* positions) {
  constexpr uint32_t unknown = SourceMap::unknown;
  if (positions != nullptr && !is_none(finding.intrinsic)) return positions->intrinsic(finding.intrinsic);
  if (positions == nullptr || is_none(finding.function)) return unknown;
  uint32_t offset = unknown;
  if (!finding.where.is_undef()) offset = positions->statement(finding.function, finding.where);
  if (offset == unknown && !is_none(finding.block)) offset = positions->block(finding.function, finding.block);
  return offset == unknown ? positions->function(finding.function) : offset;
}

}  // namespace

std::string source_name(const Function& f, Operand statement, const SourceFile& source, const SourceMap& positions) {
  uint32_t offset = positions.statement(f.id(), statement);
  if (offset != SourceMap::unknown && source.text()[offset] == '%') {
    std::string_view text = source.text().substr(offset);
    size_t end = 1;
    while (end < text.size() && (text[end] == '+' || is(text[end], name_part))) ++end;
    return std::string(text.substr(0, end));
  }
  return (statement.is_pending() ? "%+" : "%") + std::to_string(statement.number()) + " of the listing";
}

Diagnostics describe(const Module& module, std::span<const Finding> findings, const SourceFile& source,
                     const SourceMap* positions) {
  Diagnostics diagnostics;
  Excerpts excerpts;
  for (const Finding& finding : findings) {
    if (diagnostics.full()) {  // only counted
      diagnostics.add({});
      continue;
    }
    uint32_t offset = offset_of(finding, positions);
    std::string rule(finding.rule);
    Diagnostic error = offset == SourceMap::unknown
                           ? Diagnostic{Severity::error, source.name(), 0, 0, finding.message, {}, rule}
                           : source.error(offset, finding.message, rule);
    Diagnostic note{Severity::note, error.file, error.line, error.column, {}, {}, {}};
    diagnostics.add(std::move(error));
    if (is_none(finding.function)) continue;
    note.message = excerpts.around(module.function(finding.function), finding);
    if (!note.message.empty()) diagnostics.add(std::move(note));
  }
  return diagnostics;
}

}  // namespace braid::text
