// Declared types that fit each other again.
#pragma once

#include "ir/analyses.h"
#include "ir/function.h"

namespace braid::ir {

/// A pass that puts one value in the place of another may know less of it than what was declared before. What passes such a value
/// on (phis, upsilons and phi_cs, selects, variants) gets a type that has room for it, and so does what is behind: joined the
/// first time, the second time only the kinds, so that nothing goes on for long. Where a narrower type is demanded (by a signature,
/// a variable or the result of the function), the value gets a pi, since it was known to be of that type.
/// For functions without edits that wait; leaves them at rest. O(statements), and O(uses) of what changes.
void fit_types(Function& f);
/// Keeps all but where it inserts a pi.
void fit_types(Function& f, Analyses& analyses);

}  // namespace braid::ir
