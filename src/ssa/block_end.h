// The block that a Builder fills, and the writer at its end.
#pragma once

#include <braid/builder.h>

#include <algorithm>
#include <cstdint>

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
    writer->position = writer->room = writer->closed_room = 0;
  }
  /// The writer is paused. In larger steps than a function that is edited grows, which are about 1,000, 16,000 and a
  /// million statements: copying is half of what writing costs, and what was not used is given back at the end, untouched.
  /// Blocks and edges grow as statements do.
  void make_room(uint32_t least = 1) {
    if (f->columns().room() >= least) return;
    uint32_t size = f->size(), factor = size < (1u << 13) ? 16 : size < (1u << 18) ? 64 : 4;
    auto more = [&](uint32_t count) { return count < 16 ? 0 : factor * count + count / 2; };
    f->reserve(std::max({1024u, size + least, factor * size}), more(f->block_count()), more(f->edge_count()));
  }
  /// The block is open, the writer paused. There is room for `least` statements then, if the block is one range.
  void resume(uint32_t least = 1) {
    make_room(least);
    ir::Function::Tail tail = f->open_tail(block, least);
    if (tail.position == tail.room || is_watched) return;
    writer->statements = reinterpret_cast<char*>(tail.stmts);
    writer->types = tail.types;
    writer->position = tail.position;
    writer->room = tail.room;
  }
};

}  // namespace braid::ssa
