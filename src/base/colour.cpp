#include "base/colour.h"

#include <unistd.h>

#include <cstdlib>

namespace braid {

bool colour_wanted(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color && *no_color) return false;
  return isatty(fileno(stream)) != 0;
}

}  // namespace braid
