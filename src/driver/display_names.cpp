#include "driver/display_names.h"

#include <algorithm>
#include <unordered_set>

#include "base/utf8.h"

namespace braid::driver {
namespace {

template <typename NameOf>
std::vector<std::string> names(const ir::Module& module, uint32_t count, std::string_view prefix,
                               NameOf&& name_of) {
  std::vector<std::string> result;
  std::unordered_set<uint32_t> seen;
  for (uint32_t i = 0; i < count; ++i) {
    Symbol symbol = name_of(i);
    bool has_own = !is_none(symbol) && seen.insert(index(symbol)).second;
    result.push_back(has_own ? std::string(module.name(symbol)) : std::string(prefix) + std::to_string(i));
  }
  return result;
}

}  // namespace

std::vector<std::string> block_names(const ir::Function& f) {
  return names(f.module(), f.block_count(), "b",
               [&](uint32_t i) { return f.block(static_cast<ir::BlockId>(i)).name; });
}

std::vector<std::string> variable_names(const ir::Function& f) {
  return names(f.module(), static_cast<uint32_t>(f.variables.size()), "var.",
               [&](uint32_t i) { return f.variables[static_cast<ir::VarId>(i)].name; });
}

std::string table_text(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], utf8_length(row[c]));
  }
  std::string out;
  auto end_line = [&] {
    out.resize(out.find_last_not_of(' ') + 1);
    out += '\n';
  };
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t c = 0; c < rows[r].size(); ++c) {
      if (c != 0) out += " | ";
      out += rows[r][c];
      if (c + 1 != rows[r].size()) out.append(widths[c] - utf8_length(rows[r][c]), ' ');
    }
    end_line();
    if (r != 0) continue;
    for (size_t c = 0; c < widths.size(); ++c) out += (c == 0 ? "" : "-+-") + std::string(widths[c], '-');
    out += '\n';
  }
  return out;
}

}  // namespace braid::driver
