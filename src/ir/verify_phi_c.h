// The rules of phi_c and upsilon, a part of the check of handlers.
#pragma once

#include "ir/handler_flow.h"

namespace braid::ir {

/// `flow` is null where handlers are not balanced: then nobody can say into which handler a statement throws.
void check_phi_cs(VerifyContext& c, const HandlerFlow* flow);

}  // namespace braid::ir
