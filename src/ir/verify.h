// The verifier: checks that a function obeys every rule of the IR, and says which one it breaks where.
//
// All faults are reported, not the first. Rules of later subjects are checked only where they make sense: without a sound
// graph there is no dominance, and a statement whose operands do not exist has no operand types. Statements in unreachable
// blocks are checked for form only. The function may have pending edits, `same`, `nothing`, dead edges and blocks of
// several ranges. Nothing is assumed: a corrupt function gives findings, not a crash.
//
// Cost: O(statements + operands + edges), apart from the dominator tree (flow/dominators.h) and the sorting of switch
// cases and state registers. A fixed number of flat arrays; no allocation per statement.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/function.h"

namespace braid::ir {

struct Finding {
  std::string_view rule;            ///< a name of `verify_rules()`
  FuncId function = none_id<FuncId>;  ///< none: a fault of the module
  BlockId block = none_id<BlockId>;   ///< where it is, if known
  Operand where;                    ///< the statement, or `undef` if the fault is in no statement
  std::string message;              ///< lower case, without a full stop; names things as the text form does
  IntrinsicId intrinsic = none_id<IntrinsicId>;  ///< if the fault is in its declaration
};

struct VerifyRule {
  std::string_view name;
  std::string_view subject;
  std::string_view doc;
};
std::span<const VerifyRule> verify_rules();

struct VerifyOptions {
  uint32_t limit = 100;  ///< stop after so many findings
  /// How messages name a statement; `%3` without it.
  std::function<std::string(const Function& f, Operand statement)> name = {};
};

/// Ordered by block, then by place in the block.
std::vector<Finding> verify(const Function& f, const VerifyOptions& options = {});
/// The tables of the module, then every function.
std::vector<Finding> verify(const Module& module, const VerifyOptions& options = {});

}  // namespace braid::ir
