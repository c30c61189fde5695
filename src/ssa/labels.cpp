#include "ssa/labels.h"

#include <algorithm>

#include "ir/link_blocks.h"
#include "ssa/label_blocks.h"
#include "ssa/on_the_fly.h"
#include "ssa/structured.h"

namespace braid::ssa {

using ir::BlockId;
using ir::EdgeId;
using ir::Op;
using ir::Operand;
using ir::Ref;

namespace {

/// Room for at least so many, of which somebody else knows how many there are: `count`.
template <typename T>
void grow(Stack<T>& stack, T*& data, uint32_t& room, uint32_t count, uint32_t least) {
  bool is_first = stack.capacity() == 0;
  stack.reserve(std::max(8 * room, least));
  if (is_first) std::copy_n(data, count, stack.data());
  data = stack.data();
  room = stack.capacity();
}

}  // namespace

/// In the entry variables may be read: nothing has assigned them. Who assigns one calls, and so does who reads one elsewhere:
/// a jump back could come with another value.
void Labels::begin_in_order() {
  in_order_ = true;
  table_->valid = start_stamp;
  table_->own = never;
  table_->stamp = 0;
  table_->is_structured = false;
  flow_.labels = rows_.labels;
  flow_.label_room = 0;
  flow_.values = rows_.values;
  flow_.value_room = std::size(rows_.values);
  flow_.starts = rows_.starts;
  flow_.blocks = 1;
  flow_.block_room = flow_.most_starts;
}

uint32_t Labels::make(Symbol name) {
  if (flow_.made == flow_.label_room) make_room_for_labels();
  if (!is_none(name)) names_.push_back({flow_.made, name});
  return flow_.make();
}

/// Only as many are set to 0 at a time as a call is worth.
void Labels::make_room_for_labels() {
  constexpr uint32_t labels_at_once = 64;
  uint32_t room = labels_.capacity() != 0 ? labels_.capacity() : static_cast<uint32_t>(std::size(rows_.labels));
  if (flow_.made == room) grow(labels_, flow_.labels, room, flow_.made, 1);
  flow_.label_room = std::min(room, flow_.made + labels_at_once);
  std::fill(flow_.labels + flow_.made, flow_.labels + flow_.label_room, 0);
}

// ---- what cannot be done without a call ----

uint32_t Labels::bring(std::span<const TypedWord> values) {
  uint32_t first = flow_.brought, end = first + static_cast<uint32_t>(values.size());
  if (end > flow_.value_room) grow(values_, flow_.values, flow_.value_room, first, end);
  std::copy(values.begin(), values.end(), flow_.values + first);
  flow_.brought = end;
  return first;
}

void Labels::jump(uint32_t label, std::span<const TypedWord> values) {
  uint32_t first = bring(values);
  flow_.labels[label] |= 1;
  put(Op::jump, 1, 0, label, static_cast<uint32_t>(values.size()), first);
  close();
}

void Labels::branch(Operand condition, uint32_t if_true, std::span<const TypedWord> true_values, uint32_t if_false,
                    std::span<const TypedWord> false_values) {
  uint32_t counts[] = {static_cast<uint32_t>(true_values.size()), static_cast<uint32_t>(false_values.size())};
  uint32_t first = bring(true_values);
  bring(false_values);
  flow_.labels[if_true] |= 1;
  flow_.labels[if_false] |= 1;
  uint32_t position = put(Op::branch, 3, 0, condition.word(), if_true, if_false);
  if (counts[0] + counts[1] != 0) branches_.push_back({position, first, {counts[0], counts[1]}});
  close();
}

bool Labels::fill(uint32_t label) {
  if (at_->is_open || flow_.labels[label] != 1) return false;
  if (flow_.blocks == flow_.block_room) {
    flow_.block_room += blocks_at_once;
    add_blocks(false);
    link_added();
    linker_.go_on();
  }
  reopen();
  at_->is_open = true;
  flow_.start(label, writer_->position);
  return true;
}

uint32_t Labels::phi(Type type) {
  ++flow_.next_phi;
  return put(Op::phi, 0, 0, 0, 0, 0, type);
}

// ---- the end ----

/// All blocks but the current one have their terminators.
void Labels::add_blocks(bool is_all) {
  at_->pause();
  uint32_t first = f_->block_count(), count = flow_.blocks - first;
  linker_.add({flow_.starts + first % flow_.most_starts, count}, is_all);
}

bool Labels::link() {
  add_blocks(true);
  if (!at_->is_open && link_added()) {
    name_blocks();
    return true;
  }
  linker_.go_on();
  return false;
}

bool Labels::link_added() {
  // What is common: one word more for each phi.
  const Type* types = f_->columns().types();
  const TypedWord* all_values = flow_.values;
  auto put_down = [=](ir::Stmt* stmts, uint32_t first, uint32_t count, const ir::Block& to)
      __attribute__((always_inline)) {
    uint32_t place = to.first, column = to.pred_count - 1;
    ir::Stmt* phi = stmts + place;
    if (count != 0) {
      if (column >= columns_in_place) return false;
      const Type* type = types + place;
      const TypedWord *value = all_values + first, *end = value + count;
      do {
        if (phi->op != Op::phi || value->type() != *type++) return false;
        phi->n = static_cast<uint8_t>(column + 1);
        phi++->arg[column] = value++->word();
      } while (value != end);
    }
    return phi->op != Op::phi;
  };
  return link_edges(put_down);
}

/// Labels that are not filled become blocks. They and the block that is open may get more phis.
void Labels::link_with_rest(LabelBlocks& rest) {
  add_blocks(true);
  uint32_t filled = flow_.blocks, empty = 0;
  for (uint32_t label = 0; label < flow_.made; ++label)
    if (flow_.labels[label] <= 1) flow_.labels[label] = 2 * (filled + empty++) + 1;
  linker_.add_open(at_->is_open, empty);
  name_blocks();
  for (uint32_t label = 0; label < flow_.made; ++label) {
    const ir::Block& made = f_->block(block(label));
    rest.adopt(block(label), made.first, phi_count(made), made.pred_count);
  }
  rest_ = &rest;
  link_edges([](ir::Stmt*, uint32_t, uint32_t, const ir::Block&) { return false; });
  pool_operands();
  rest_ = nullptr;
}

/// `put_down(stmts, first, count, const Block& to)`, of values, answers whether that was all.
template <typename PutDown>
bool Labels::link_edges(PutDown&& put_down) {
  const uint32_t* labels = flow_.labels;
  const ir::Loc loc = at_->loc;
  const Branch *branch = branches_.data() + branches_linked_, *end = branches_.data() + branches_.size();
  const ir::Stmt* next_branch = branch != end ? &written(branch->position) : nullptr;
  bool is_all = linker_.link(
      [&](uint32_t label) __attribute__((always_inline)) { return labels[label] / 2; },
      [&](EdgeId edge, ir::Stmt* stmts, ir::Stmt& terminator, uint32_t slot, const ir::Block& to)
          __attribute__((always_inline)) {
        uint32_t first = 0, count = 0, label = terminator.arg[slot];
        if (slot == 0) {
          count = terminator.arg[1];
          first = terminator.arg[2];
          terminator.arg[1] = terminator.arg[2] = 0;
        } else if (&terminator == next_branch) [[unlikely]] {
          first = slot == 1 ? branch->first : branch->first + branch->counts[0];
          count = branch->counts[slot - 1];
          if (slot == 2) next_branch = ++branch != end ? stmts + branch->position : nullptr;
        }
        if (!put_down(stmts, first, count, to)) [[unlikely]]
          arrive(label, edge, {first, count}, static_cast<Ref>(&terminator - stmts), to);
      });
  branches_linked_ = static_cast<size_t>(branch - branches_.data());
  at_->loc = loc;
  return is_all;
}

void Labels::name_blocks() {
  for (const Name& named : names_) f_->set_block_name(block(named.label), named.name);
}

uint32_t Labels::phi_count(const ir::Block& block) const {
  uint32_t p = block.first;
  while (p != block.end && f_->columns().stmt(p).op == Op::phi) ++p;
  return p - block.first;
}

/// An edge that brings a number or a value of another type, that is not one of the first, or whose values are too many or too
/// few.
void Labels::arrive(uint32_t label, EdgeId edge, Brought brought, Ref terminator, const ir::Block& to) {
  std::span<TypedWord> values(flow_.values + brought.first, brought.count);
  at_->loc = f_->loc(terminator);
  uint32_t phis = phi_count(to), column = to.pred_count - 1;
  bool may_get_phis = to.terminator.is_undef();
  if (rest_ != nullptr) rest_->adopt_edge(label);
  if (may_get_phis) rest_->keep(label, edge, values);
  if (brought.count != phis && !may_get_phis) {
    has_mistake_.resize(flow_.made);
    if (!has_mistake_[label]) brought_.wrong_count(*at_, label, phis, brought.count);
    has_mistake_[label] = true;
  }
  for (uint32_t k = 0; k < std::min(brought.count, phis); ++k) {
    ir::Stmt& phi = written(to.first + k);
    Type type = f_->type(static_cast<Ref>(to.first + k));
    values[k] = TypedWord::of(brought_.word(*at_, label, values[k], type), type);
    if (column >= columns_in_place) continue;
    phi.arg[column] = values[k].word();
    phi.n = static_cast<uint8_t>(column + 1);
  }
  if (column >= columns_in_place && phis != 0) wide_.push_back({edge, brought});
}

/// Phis with more operands than stand in the statement get them all elsewhere.
void Labels::pool_operands() {
  std::vector<uint32_t> words;
  for (const Wide& wide : wide_) {
    const ir::Edge& edge = f_->edge(wide.edge);
    const ir::Block& to = f_->block(edge.to);
    uint32_t phis = phi_count(to);
    for (uint32_t k = 0; k < phis && edge.pred_index == columns_in_place; ++k) {
      Ref phi = static_cast<Ref>(to.first + k);
      words.assign(to.pred_count, Operand::undef().word());
      std::copy_n(f_->stmt(phi).arg, columns_in_place, words.begin());
      f_->overwrite(phi, f_->make(Op::phi, f_->type(phi), words));
    }
    for (uint32_t k = 0; k < std::min(phis, wide.brought.count); ++k)
      f_->set_operand(static_cast<Ref>(to.first + k), edge.pred_index,
                      Operand::from_word(flow_.values[wide.brought.first + k].word()));
  }
}

void Labels::finish() {
  pool_operands();
  drop_phi_locations();
  f_->come_to_rest();
  in_order_ = false;
}

/// Labels become blocks. All variables are what they were at the start, and jumps to any block may come.
void Labels::hand_over(OnTheFly& to, LabelBlocks& blocks, const Structured& variables) {
  drop_phi_locations();
  uint32_t filled = flow_.blocks;
  link_with_rest(blocks);
  if (at_->is_open) at_->block = static_cast<BlockId>(filled - 1);
  forget();
  std::vector<OnTheFly::Saved> saved;
  for (uint32_t v = 0; v < variables.variable_count(); ++v) {
    to.declare(variables.type(v), variables.initial(v));
    saved.push_back({v, variables.initial(v).word()});
  }
  to.adopt_blocks_without_assignments(filled);
  to.adopt_values(ir::Function::entry(), saved);
}

}  // namespace braid::ssa
