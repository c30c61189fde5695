// Warnings about a function that is valid and yet most likely wrong.
#pragma once

#include <braid/diagnostic.h>
#include <braid/module.h>

namespace braid {

/// Code that is never executed, a way to the end of a function that returns a value, variables that are read before anything
/// was assigned to them; the rule of a diagnostic is the name of the warning (docs/clean-up.md). Positions are the locations
/// of statements. Ask before `construct` and before any pass: they remove what warnings are about.
Diagnostics warnings(const Func& f);

}  // namespace braid
