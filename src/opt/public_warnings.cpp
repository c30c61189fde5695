// The public entry to the warnings.
#include <braid/warnings.h>

#include "opt/warnings.h"

namespace braid {

Diagnostics warnings(const Func& f) {
  Diagnostics found;
  if (!f.is_external()) opt::warnings(f, found);
  return found;
}

}  // namespace braid
