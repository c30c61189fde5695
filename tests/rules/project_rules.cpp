#include "project_rules.h"

#include <algorithm>
#include <filesystem>

namespace braid::rulec {

std::vector<std::string> rule_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(BRAID_SOURCE_DIR "/src/rules"))
    if (entry.path().extension() == ".rules") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

const std::vector<Rule>& all_rules() {
  static const std::vector<Rule> rules = [] {
    Errors errors;
    return read_rules(rule_files(), errors);
  }();
  return rules;
}

}  // namespace braid::rulec
