// Dynamic operations, tests of kinds and looks into variants as engines run them: over values of a runtime.
#pragma once

#include "ir/dynamic.h"
#include "ir/module.h"
#include "ir/runtime.h"
#include "type/type_table.h"

namespace braid::ir {

/// A value of this storage, with its kind now: what a reference refers to, the runtime knows.
Dynamic dynamic_value(const Module& module, const Runtime& runtime, Storage storage, uint64_t bits);

/// `type` is the tested one of `is`, the wanted one of `variant.get`; others do not read it. In a module without a language
/// a dynamic operation throws `type`; the verifier does not let it come to that.
DynamicResult run_dynamic(const Module& module, Runtime& runtime, Op op, Type type, Dynamic a, Dynamic b);

}  // namespace braid::ir
