#include "sea/tested_values.h"

#include <array>

#include "sea/known_facts.h"

namespace braid::sea {

using ir::Op;

void TestedValues::note(NodeId value) {
  if (is_none(value) || graph_.is_constant(value) || KnownFacts::is_private(graph_, value)) return;
  told_.set(index(value));
  is_empty_ = false;
}

/// What `KnownFacts` may learn of on one of the ways.
void TestedValues::tell(NodeId test) {
  std::array<NodeId, KnownFacts::most_steps + 1> list{graph_.input(test, 1)};
  size_t count = 1;
  for (uint32_t step = 0; step < KnownFacts::most_steps && count > 0; ++step) {
    const NodeId now = list[--count];
    if (is_none(now) || graph_.is_constant(now)) continue;
    note(now);
    const NodeOp op = graph_.op(now);
    if (const NodeId inner = rewriter_.negation_of(now); !is_none(inner)) {
      list[count++] = inner;
    } else if (op == Op::and_ || op == Op::or_) {
      list[count++] = graph_.input(now, 0);
      list[count++] = graph_.input(now, 1);
    } else if (is_comparison(op)) {
      note(graph_.input(now, 0));
      note(graph_.input(now, 1));
    }
  }
}

bool TestedValues::hears_something(NodeId test) const {
  std::array<NodeId, 1 << KnownFacts::levels> now{graph_.input(test, 1)}, below;
  size_t count = 1;
  for (uint32_t level = 0;; ++level) {
    size_t below_count = 0;
    for (size_t k = 0; k < count; ++k) {
      const NodeId n = now[k];
      if (told_.test(index(n))) return true;
      if (level == KnownFacts::levels || !floats(graph_, n)) continue;
      const uint32_t inputs = graph_.input_count(n);
      if (inputs > 2) continue;
      for (uint32_t i = 0; i < inputs; ++i)
        if (const NodeId input = graph_.input(n, i); !is_none(input)) below[below_count++] = input;
    }
    if (below_count == 0) return false;
    now = below;
    count = below_count;
  }
}

}  // namespace braid::sea
