// "Did you mean …": the known word nearest to a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace braid {

/// Insertions, deletions, replacements and swaps of neighbours that make `b` of `a`. O(|a| * |b|).
size_t edit_distance(std::string_view a, std::string_view b);

/// `, did you mean 'dce'?` for the first nearest word, or nothing if none is near: at most a third of its letters differ.
/// `prefix` is written before the word and does not count.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known, std::string_view prefix = {});

}  // namespace braid
