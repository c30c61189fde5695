#include "rules/rule.h"

namespace braid::rules {
namespace {

constexpr RuleInfo table[] = {
    {"none", "", "", 0, Proof::full, false},
    {"fold", "", "", 0, Proof::full, false},
    {"fold_overflow", "", "", 0, Proof::full, false},
    {"field_of_tuple", "", "", 0, Proof::full, false},
#include "rules/rule_table.inc"
};

}  // namespace

std::span<const RuleInfo> all_rules() { return table; }

}  // namespace braid::rules
