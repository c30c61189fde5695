// What constructors rename: a track per variable, and a second one of type i1 for each variable that may be undefined where
// that can be observed: whether it is defined.
//
// One pass over the statements, in the order of the blocks. O(statements).
#pragma once

#include <cstdint>
#include <vector>

#include "base/csr.h"
#include "ir/function.h"

namespace braid::ssa {

/// The zero of a type, of its storage kind without any refinement; `undef` where it has none.
ir::Operand zero_of(const ir::Function& f, Type type);

struct Track {
  Type type;
  ir::Operand initial;   ///< its value while it is unassigned
  ir::VarId variable;
  bool is_flag = false;
  bool is_global = false;  ///< read in some block before that block assigns it
};

class Tracks {
 public:
  static constexpr uint32_t no_track = 0xffffffffu;

  /// Each block of `f` is one range, and nothing waits in the insertion buffer.
  explicit Tracks(const ir::Function& f);

  uint32_t count() const { return static_cast<uint32_t>(tracks_.size()); }
  const Track& operator[](uint32_t track) const { return tracks_[track]; }
  /// The track of a variable's value is the variable's number.
  uint32_t flag_of(ir::VarId variable) const { return flag_of_[index(variable)]; }
  bool has_flags() const { return count() != flag_of_.size(); }

  /// Blocks that assign the track, in order, each once.
  std::span<const ir::BlockId> definitions(uint32_t track) const { return definitions_.row(variable_row(track)); }
  /// Blocks that read it before they assign it.
  std::span<const ir::BlockId> exposed_uses(uint32_t track) const {
    return (tracks_[track].is_flag ? exposed_flags_ : exposed_).row(variable_row(track));
  }
  /// Whether the function has variables that are mentioned at all.
  bool any() const { return any_; }

 private:
  uint32_t variable_row(uint32_t track) const { return index(tracks_[track].variable); }

  std::vector<Track> tracks_;
  std::vector<uint32_t> flag_of_;
  Csr<ir::BlockId> definitions_, exposed_, exposed_flags_;
  bool any_ = false;
};

}  // namespace braid::ssa
