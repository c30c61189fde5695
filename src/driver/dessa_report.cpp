// What `braid dessa --report` prints: a line for each function, and a table of its phis.
#include "dessa/leave_ssa.h"
#include "driver/display_names.h"
#include "driver/views.h"

namespace braid::driver {

using ir::Function;

namespace {

std::string counted(uint32_t count, std::string_view what) {
  return (count == 0 ? std::string("no") : std::to_string(count)) + " " + std::string(what) +
         (count == 1 ? "" : "s");
}

std::string summary(const Function& f, const dessa::Report& report) {
  std::string text = "@" + std::string(f.name_text()) + ": " + counted(report.phis, "phi") + " with " +
                     counted(report.operands, "value") + " and " + counted(report.constants, "constant");
  if (report.phi_cs != 0)
    text += ", " + counted(report.phi_cs, "phi_c") + " with " + counted(report.upsilons, "upsilon");
  text += "; left: ";
  if (report.copies() == 0) {
    text += "no copies";
  } else {
    text += (report.copies() == 1 ? "1 copy (" : std::to_string(report.copies()) + " copies (") +
            std::to_string(report.edge_copies) + " on edges, " + std::to_string(report.start_copies) +
            " at starts of blocks, " + std::to_string(report.early_copies) + " where values are made)";
  }
  if (report.phi_cs != 0) text += ", " + counted(report.stores, "store") + " for handlers";
  if (report.temporaries != 0)
    text +=
        ", " + std::to_string(report.temporaries) + (report.temporaries == 1 ? " temporary" : " temporaries");
  if (report.split_edges != 0) text += "; " + counted(report.split_edges, "edge") + " split";
  return text + "\n";
}

}  // namespace

std::string leave_ssa(Session& session, Function* only) {
  std::string out;
  session.note_change();
  for (uint32_t i = 0; i < session.module().function_count(); ++i) {
    Function& f = session.module().function(static_cast<ir::FuncId>(i));
    if (f.is_external() || (only != nullptr && only != &f)) continue;
    std::vector<std::string> blocks = shown_names(block_names(f));
    std::vector<dessa::ResolvedPhi> each;
    dessa::Report report = dessa::leave_ssa(f, &each);
    if (!out.empty()) out += '\n';
    out += summary(f, report);
    if (each.empty()) continue;
    std::vector<std::string> variables = shown_names(variable_names(f));
    std::vector<std::vector<std::string>> rows = {
        {"phi", "block", "variable", "values", "constants", "copies", "at start"}};
    for (const dessa::ResolvedPhi& phi : each)
      rows.push_back(
          {"%" + std::to_string(phi.number), index(phi.block) < blocks.size() ? blocks[index(phi.block)] : "",
           is_none(phi.variable) ? "-" : variables[index(phi.variable)], std::to_string(phi.operands),
           std::to_string(phi.constants), std::to_string(phi.copies), phi.copied_at_start ? "copied" : "-"});
    out += table_text(rows);
  }
  return out;
}

}  // namespace braid::driver
