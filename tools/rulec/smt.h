// Rules and the meaning of operations as SMT-LIB 2 text, for a solver to prove.
//
// Every value is a bit vector of the width of its kind; pointers and references have 64 bits. A float is its
// bits, too, and arithmetic on it answers the canonical NaN, as ir/eval_op.h says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rule.h"

namespace braid::rulec {

/// A kind as the solver sees it. Floats also come in a format of 8 bits (4 of them exponent), in which proofs
/// are short.
struct SmtKind {
  uint32_t width = 0;
  bool is_float = false;
  friend bool operator==(const SmtKind&, const SmtKind&) = default;
};
SmtKind smt_kind(Kind kind);
inline constexpr SmtKind smt_f8{8, true};

/// How wide a proof is: as the rule says, or with floats of 8 bits.
enum class FloatFormat : uint8_t { full, narrow };

/// How the meaning of operations is put. What follows from less than their meaning is proved sooner; but a
/// counterexample in a form with unknown functions says nothing of the rule.
enum class Form : uint8_t {
  plain,       ///< the solver's own operations
  algebra,     ///< shifts to the left and rests are put as sums and products; quotients are unknown functions
  magnitudes,  ///< quotients and rests are those of magnitudes, and unknown but for their bounds
};
inline constexpr Form other_forms[] = {Form::algebra, Form::magnitudes};

/// The text `#x…` or `#b…` of a number; bits beyond the width are cut off.
std::string smt_bits(uint32_t width, uint64_t bits);
/// The name of the function that an operation is, and its definition; nothing for operations that rules do
/// not know. Of an operation that reports overflow, `field` 0 is the value, 1 the flag.
std::string smt_name(ir::Op op, SmtKind from, SmtKind to, uint32_t field = 0);
std::optional<std::string> smt_definition(ir::Op op, SmtKind from, SmtKind to, uint32_t field = 0);

/// The same definition in another form, behind those of its unknown functions; nothing where that form has no
/// other. If `known`, these functions are what they stand for, so that the form can be compared with what it
/// means.
std::vector<std::string> smt_definitions_in(Form form, ir::Op op, SmtKind kind, bool known = false);

/// Text without the operations' definitions: if the query is unsatisfiable, the rule is right for these
/// kinds, and the constants shrink that must shrink; in the plain form it is wrong if not. Collects the
/// definitions that it needs.
std::string smt_query(const Rule& rule, const Kinds& kinds, FloatFormat format, Form form,
                      std::vector<std::string>& definitions);

}  // namespace braid::rulec
