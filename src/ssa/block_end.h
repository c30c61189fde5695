// The block that a Builder fills, and the writer at its end.
#pragma once

#include <braid/builder.h>

#include "ir/function.h"

namespace braid::ssa {

struct BlockEnd {
  ir::Function* f;
  detail::StatementWriter* writer;
  bool& is_open;  ///< the writer's
  ir::BlockId block{};
  ir::Loc loc{};         ///< of what is written
  bool has_locations = false;
  bool is_watched = false;  ///< nothing is to be written without a call

  /// Before anything else than writing is done with the function's statements.
  void pause() {
    if (writer->statements == nullptr) return;
    f->close_tail(block, writer->position, loc);
    writer->statements = nullptr;
    writer->position = writer->room = 0;
  }
  /// The block is open, the writer paused. There is room for `least` statements then, if the block is one range.
  void resume(uint32_t least = 1) {
    ir::Function::Tail tail = f->open_tail(block, least);
    if (tail.position == tail.room || is_watched) return;
    writer->statements = reinterpret_cast<char*>(tail.stmts);
    writer->types = tail.types;
    writer->position = tail.position;
    writer->room = tail.room;
  }
};

}  // namespace braid::ssa
