// The forms of a pattern: operands of commutative operations stand in either order.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "rule.h"

namespace braid::rulec {

/// One order of the operands of a rule's pattern.
struct Variant {
  const Rule* rule;
  std::vector<NodeId> turned;  ///< operations whose two inputs are exchanged

  std::vector<NodeId> inputs(NodeId id) const;
};

/// All that differ. A constant stands on the right of a commutative operation, as the rules of order demand.
std::vector<Variant> variants_of(const Rule& rule);

}  // namespace braid::rulec
