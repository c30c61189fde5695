// A view of the rewrite rules, as far as they know it.
#include <cstdint>
#include <span>

#include "rules/simplify.h"

using namespace braid;

#include "block.inc"

static_assert(rules::View<MyView>);
bool is_simpler(MyView& view, std::span<const MyView::Value> inputs) {
  return rules::simplify(view, ir::Op::add, Kind::i64, inputs).has_value();
}
