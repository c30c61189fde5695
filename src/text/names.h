// How names are written: which ones stand as they are, which ones stand for "no name", and quoting of all others.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/quoted.h"
#include "ir/op.h"
#include "text/chars.h"

namespace braid::text {

bool is_name(std::string_view text);

/// The number in `prefix` and decimal digits without leading zeros, as in `b12`; -1 for any other text.
inline int64_t number_behind(std::string_view prefix, std::string_view text) {
  constexpr size_t most_digits = 9;
  if (!text.starts_with(prefix)) return -1;
  text.remove_prefix(prefix.size());
  if (text.empty() || text.size() > most_digits || (text[0] == '0' && text.size() > 1)) return -1;
  int64_t number = 0;
  for (char c : text) {
    if (!is(c, decimal)) return -1;
    number = number * 10 + (c - '0');
  }
  return number;
}

/// `b12` stands for a block without a name, `arg3` for a parameter without one; `var.4` names variable 4 where its own
/// name cannot.
inline constexpr std::string_view block_prefix = "b", param_prefix = "arg", variable_prefix = "var.";

void append_number(std::string& out, uint64_t number);
/// `@name` or `@"any text"`.
void append_global_name(std::string& out, std::string_view name);

/// Effects of externals and intrinsics. Nothing written is `any_effect`, `pure` is none.
struct TraitWord {
  std::string_view word;
  ir::Traits trait;
};
inline constexpr TraitWord trait_words[] = {
    {"reads", ir::reads_memory},
    {"writes", ir::writes_memory},
    {"throws", ir::throws},
    {"traps", ir::traps},
    {"host", ir::host_effect},
    {"safepoint", ir::safepoint_effect},
    {"identity", ir::identity},
    {"idempotent", ir::idempotent},
    {"commutes", ir::commutes},
    {"deoptimises", ir::deoptimises},
    {"handlers", ir::handlers},
    {"reads_exception", ir::reads_exception},
    {"reads_variable", ir::reads_variable},
    {"writes_variable", ir::writes_variable},
};

/// By UndefMeaning.
inline constexpr std::string_view undef_words[] = {"throws", "zero", "reject"};
/// By resume kind of a save_state.
inline constexpr std::string_view resume_words[] = {"reexecute", "aftercall", "handler"};

}  // namespace braid::text
