#include "base/colour.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace braid {

bool colour_wanted(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color && *no_color) return false;
  const char* terminal = std::getenv("TERM");
  if (terminal && std::string_view(terminal) == "dumb") return false;
  return isatty(fileno(stream)) != 0;
}

}  // namespace braid
