#include "sea/full_peepholes.h"

namespace braid::sea {

NodeId FullPeepholes::apply(NodeId n) {
  for (;;) {
    const uint32_t known = graph_.size();
    Rewriter::Outcome outcome = rewriter_.step(n);
    if (!outcome) return n;
    if (outcome.by == n) continue;
    // It may be an input of `n` that nobody else uses. The phi of a loop that is closed has uses; its caller replaces it.
    graph_.keep(outcome.by);
    graph_.kill_unused(n);
    graph_.unkeep(outcome.by);
    n = outcome.by;
    if (index(n) < known) return n;
  }
}

}  // namespace braid::sea
