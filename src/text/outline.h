// The outline of a module's text: where declarations, function bodies and labels stand, found by looking at the first word
// of every line. O(lines), apart from finding their ends.
#pragma once

#include <cstdint>
#include <vector>

#include "text/cursor.h"

namespace braid::text {

struct Outline {
  struct Body {
    uint32_t header;      ///< the word `func`
    uint32_t begin, end;  ///< behind the header line; the `}` or what stands in its place
    uint32_t first_label, label_count;
    uint32_t line_count;
  };
  static constexpr uint32_t no_number = 0xffffffffu;
  struct Label {
    uint32_t offset;
    uint32_t number;  ///< of `b7:` that is alone in its line; no_number for any other
    uint32_t behind;  ///< where the next line begins, if the label begins its line and is alone there; otherwise 0
  };
  std::vector<uint32_t> classes;       ///< the words `class`
  std::vector<uint32_t> declarations;  ///< the first words of all others, functions too
  std::vector<Body> bodies;            ///< in the order of `declarations`
  std::vector<Label> labels;
};

/// Needs `cursor` at the start. Reports lines outside of functions that begin with nothing known.
Outline make_outline(Cursor cursor);

}  // namespace braid::text
