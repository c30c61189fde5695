// Loops in Lua that more than one subject is measured against. Each is a function `loop` of the number of rounds.
#pragma once

#include <string_view>

namespace braid::bench {

// Lua has no arithmetic shift: dividing with rounding down is the same.
inline constexpr std::string_view lua_mix = R"(
local function loop(n)
  local x, s, i = 1, 0, 0
  while i < n do
    x = x * 1103515245 + 12345
    s = s ~ (x // 65536)
    i = i + 1
  end
  return s
end
)";

inline constexpr std::string_view lua_collatz = R"(
local function loop(n)
  local s, i = 0, 0
  while i < n do
    local c = 27
    while c ~= 1 do
      if c & 1 ~= 0 then c = c * 3 + 1 else c = c // 2 end
      s = s + 1
    end
    i = i + 1
  end
  return s
end
)";

}  // namespace braid::bench
