// Blocks that a Builder fills one after the other, so that each stands in its final place at once. The writer
// stays open from one block to the next.
#pragma once

#include <braid/builder.h>

#include <cstdint>

#include "ir/function.h"
#include "ssa/block_end.h"

namespace braid::ssa {

class BlockFiller {
 public:
  /// A terminator without edges and with up to one operand.
  void end(ir::Op op, const ir::Operand* operand) {
    terminate(op, operand != nullptr, operand != nullptr ? operand->word() : 0, 0, 0);
    close();
  }

 protected:
  /// Table and writer are for those who read, assign and append without a call; they must outlive this.
  BlockFiller(BlockEnd& at, detail::VariableTable& table)
      : at_(&at), f_(at.f), table_(&table), writer_(at.writer) {}

  static constexpr uint32_t nobody = 0xffffffffu, never = 0xffffffffu;
  /// A stamp is the time of an assignment; with this bit, its value counts as read. Each block has a time of
  /// its own.
  static constexpr uint32_t known = detail::VariableTable::known;
  static constexpr uint32_t start_stamp = known | 1;

  ir::Stmt& written(uint32_t position) { return f_->written(position); }

  uint32_t put(ir::Op op, uint8_t count, uint8_t flags, uint32_t a, uint32_t b, uint32_t c,
               Type type = void_type) {
    if (writer_->position == writer_->room) [[unlikely]]
      make_room();
    return writer_->write(ir::head_of(op, count, flags), a, b, type, c);
  }
  void terminate(ir::Op op, uint8_t count, uint32_t a, uint32_t b, uint32_t c) {
    f_->end_block(at_->block, put(op, count, 0, a, b, c));
  }
  /// Leaves the block to one that is not known yet.
  ir::EdgeId jump_out() {
    ir::EdgeId e = f_->open_edge(at_->block, 0);
    terminate(ir::Op::jump, 1, index(e), 0, 0);
    return e;
  }
  /// The same for two ways; the answer is the first.
  ir::EdgeId branch_out(ir::Operand condition) {
    ir::EdgeId yes = f_->open_branch(at_->block);
    terminate(ir::Op::branch, 3, condition.word(), index(yes), index(yes) + 1);
    return yes;
  }

  [[gnu::noinline]] void make_room() {
    at_->pause();
    at_->resume();
  }
  /// Nothing is written, read or assigned without a call until the next block starts.
  void close() {
    if (!writer_->is_open) return;
    writer_->close();
    table_->valid = table_->own = never;
    table_->stamp = 0;
  }
  void reopen() {
    if (writer_->statements == nullptr)
      at_->resume();
    else
      writer_->reopen();
  }
  /// Of phis, which have none.
  void drop_phi_locations() {
    if (!at_->has_locations) return;
    for (uint32_t i = 0; i < f_->size(); ++i)
      if (f_->columns().stmt(i).op == ir::Op::phi) f_->set_loc(static_cast<ir::Ref>(i), {});
  }

  BlockEnd* at_;
  ir::Function* f_;
  detail::VariableTable* table_;
  detail::StatementWriter* writer_;
};

}  // namespace braid::ssa
