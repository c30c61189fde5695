// The public verifier: findings with their place, and with the lines of the listing around it.
#include <braid/module.h>

#include <string>
#include <vector>

#include "ir/verify.h"
#include "text/findings.h"

namespace braid {
namespace {

/// The function, and the statement as its listing begins it: `'@f', %3 = add in 'b1'`.
std::string place_of(const ir::Function& f, const ir::Finding& finding) {
  std::string text = "'@" + std::string(f.name_text()) + "'";
  ir::Operand where = finding.where;
  bool is_stmt = where.is_stmt() && where.number() < f.size();
  if (is_stmt || (where.is_pending() && where.number() < f.pending_count())) {
    text += (is_stmt ? ", %" : ", %+") + std::to_string(where.number()) + " = ";
    text += ir::info(f.op(where)).text;
  }
  if (is_none(finding.block) || index(finding.block) >= f.block_count()) return text;
  Symbol name = f.block(finding.block).name;
  const ir::Module& module = f.module();
  bool is_named = module.symbols.contains(name);
  return text + " in '" + (is_named ? std::string(module.name(name)) : "b" + std::to_string(index(finding.block))) + "'";
}

/// Where the statement comes from in the source of the program, if it says so.
ir::Location source_of(const ir::Function& f, const ir::Finding& finding) {
  const ir::Operand where = finding.where;
  const bool is_there = where.is_stmt() ? where.number() < f.size() : where.is_pending() && where.number() < f.pending_count();
  return f.module().location(is_there ? f.loc(where) : ir::Loc{});
}

/// `only`: the function that was verified; it need not be the one that the module has.
Expected<void> as_expected(const ir::Module& module, const std::vector<ir::Finding>& findings, const ir::Function* only) {
  if (findings.empty() && module.mistakes.empty()) return {};
  Diagnostics diagnostics;
  for (const std::string& mistake : module.mistakes) diagnostics.error(mistake);
  text::Excerpts excerpts;
  for (const ir::Finding& finding : findings) {
    const std::string rule(finding.rule);
    if (is_none(finding.function)) {
      diagnostics.error(finding.message, "", 0, 0, "", rule);
      continue;
    }
    const ir::Function& f = only != nullptr ? *only : module.function(finding.function);
    const ir::Location source = source_of(f, finding);
    const std::string file = is_none(source.file) ? std::string() : std::string(module.name(source.file));
    diagnostics.error("in " + place_of(f, finding) + ": " + finding.message, file, source.line, source.column, "", rule);
    if (std::string lines = excerpts.around(f, finding); !lines.empty()) diagnostics.note(std::move(lines));
  }
  return diagnostics;
}

}  // namespace

Expected<void> verify(const Func& f) { return as_expected(f.module(), ir::verify(f), &f); }
Expected<void> verify(const Module& m) { return as_expected(m.ir(), ir::verify(m.ir()), nullptr); }

}  // namespace braid
