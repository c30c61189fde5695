// The rules of the project, as the rule compiler reads them.
#pragma once

#include <string>
#include <vector>

#include "rule.h"

namespace braid::rulec {

/// src/rules/*.rules, by their names.
std::vector<std::string> rule_files();
/// All rules of these files. The rule compiler has refused a build with errors in them.
const std::vector<Rule>& all_rules();

}  // namespace braid::rulec
