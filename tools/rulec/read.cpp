// Files of rules, read and checked as a whole.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "rule.h"

namespace braid::rulec {

void check_each(std::vector<Rule>& rules, Errors& errors) {
  for (Rule& rule : rules) {
    size_t before = errors.texts().size();
    infer_types(rule, errors);
    if (errors.texts().size() == before) check_order(rule, errors);
  }
}

std::vector<Rule> read_rules(const std::vector<std::string>& files, Errors& errors) {
  std::vector<Rule> rules;
  for (const std::string& file : files) {
    std::ifstream in(file);
    if (!in) errors.add(file + ": error: cannot be read");
    std::stringstream text;
    text << in.rdbuf();
    parse(std::filesystem::path(file).filename().string(), text.str(), rules, errors);
  }
  check_each(rules, errors);
  if (errors.empty()) check_together(rules, errors);
  return rules;
}

}  // namespace braid::rulec
