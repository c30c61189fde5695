#include "rules/rule.h"

namespace braid::rules {
namespace {

constexpr RuleInfo table[] = {
    {"none", "", "", 0, Proof::full, false, false},
    {"fold", "", "", 0, Proof::full, false, false},
    {"fold_overflow", "", "", 0, Proof::full, false, false},
    {"field_of_tuple", "", "", 0, Proof::full, false, false},
#include "rules/rule_table.inc"
};

}  // namespace

std::span<const RuleInfo> all_rules() { return table; }

}  // namespace braid::rules
