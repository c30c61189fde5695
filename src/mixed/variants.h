// Mixed values as variants: a tag that says the kind, and the payload. An operation on one tests the tag; where the
// kind is one that makes it plain, it takes the payload out and works on that, and only what is left is dynamic (the
// second way of Recki-CT's text, without calls for what one instruction can do).
//
//   %r = dyn.add %v, %n      ->      %t = variant.tag %v
//   (v: i64|f64, n: i64)             eq %t, 5 ?   yes: %p = variant.get i64 %v, sadd_overflow %p, %n …
//                                                 no:  %q = variant.get f64 %v, fadd %q, …
//
// Neighbours stay what they are: a value of one kind that flows into a mixed phi becomes a variant on that edge
// (`variant.make`), and what comes out of an operation is unpacked.
#pragma once

#include <cstdint>

#include "infer/infer.h"
#include "ir/function.h"

namespace braid::mixed {

struct VariantReport {
  uint32_t phis = 0;        ///< that are variants
  uint32_t operations = 0;  ///< that test tags
  uint32_t fast_paths = 0;  ///< of them, with payloads
  uint32_t conversions = 0; ///< on edges
};

/// Needs SSA; runs inference, with these summaries of what `f` calls, or its own. Leaves `f` at rest. O(statements x kinds).
VariantReport use_variants(ir::Function& f, const infer::Summaries* summaries = nullptr);

}  // namespace braid::mixed
