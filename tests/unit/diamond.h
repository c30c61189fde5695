// A program with two ways that meet, which leaves nothing to do for any pass.
#pragma once

namespace braid {

inline constexpr const char* diamond = R"(
func @f(x: i64) -> i64 {
entry:
  %c = slt i64 %x, 0
  branch %c, yes, no
yes:
  %n = neg i64 %x
  jump join
no:
  %m = add i64 %x, 1
  jump join
join:
  %p = phi i64 [yes: %n, no: %m]
  ret %p
}
)";

}  // namespace braid
