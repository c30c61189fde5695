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

std::string shown_name(std::string_view name) {
  constexpr size_t most_characters = 40;
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  size_t characters = 0;
  for (size_t at = 0; at < name.size(); ++characters) {
    if (characters == most_characters) return out + "…";
    unsigned char first = static_cast<unsigned char>(name[at]);
    size_t length = first < 0x80 ? 1 : first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 ? 3 : 2;
    bool is_whole = first < 0x80 || (first >= 0xc2 && first < 0xf8 && at + length <= name.size());
    for (size_t i = 1; i < length && is_whole; ++i) is_whole = is_utf8_continuation(name[at + i]);
    // C1 controls are two bytes: c2 80 to c2 9f.
    bool is_control = first <= ' ' || first == 0x7f || (is_whole && first == 0xc2 && static_cast<unsigned char>(name[at + 1]) < 0xa0);
    if (is_whole && !is_control) {
      out.append(name, at, length);
      at += length;
      continue;
    }
    out += {'\\', digits[first >> 4], digits[first & 15]};
    ++at;
  }
  return out;
}

std::vector<std::string> shown_names(std::vector<std::string> names) {
  for (std::string& name : names) name = shown_name(name);
  return names;
}

std::string table_text(const std::vector<std::vector<std::string>>& rows) {
  // A column is as wide as its cells, apart from very wide ones: these push aside what stands behind them in their row only.
  constexpr size_t widest_column = 160;
  std::vector<size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t c = 0; c < row.size(); ++c)
      if (const size_t width = utf8_length(row[c]); width <= widest_column) widths[c] = std::max(widths[c], width);
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
      const size_t width = utf8_length(rows[r][c]);
      if (c + 1 != rows[r].size() && width < widths[c]) out.append(widths[c] - width, ' ');
    }
    end_line();
    if (r != 0) continue;
    for (size_t c = 0; c < widths.size(); ++c) out += (c == 0 ? "" : "-+-") + std::string(widths[c], '-');
    out += '\n';
  }
  return out;
}

}  // namespace braid::driver
