// What the first tier tells the next one of virtual calls.
#pragma once

#include <cstdint>

#include "front/pandasm/link.h"

namespace braid::pandasm {

/// What is known of the receivers of a virtual call.
struct Receivers {
  bool may_guess = true;       ///< if not, guesses have failed here
  uint32_t record = unlinked;  ///< what all of them were so far, if it is one record
};

}  // namespace braid::pandasm
