// Unified diffs of texts, line by line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace braid::driver {

/// The lines of a text, without their ends. A last line without an end counts as one.
std::vector<std::string_view> split_lines(std::string_view text);

/// The shortest edit script by Myers (An O(ND) Difference Algorithm and Its Variations, 1986) with three lines around each
/// change; empty if the texts are equal. Where texts differ in thousands of lines the script is short no more, but right.
/// O((lines + changes) * changes) with a limit on changes.
std::string unified_diff(std::string_view expected, std::string_view actual, std::string_view expected_name,
                         std::string_view actual_name);

}  // namespace braid::driver
