// Lines of the insertion buffer: `+>` behind a statement, `+<` before one, `+phi` before the phis of the block, `+end` at
// its end. Which statement it is follows from the place of the line, unless it is named: `+>(%+2) %+3 = …`.
#include <algorithm>
#include <numeric>
#include <utility>

#include "base/stable_order.h"
#include "text/function_reader.h"
#include "type/type_text.h"

namespace braid::text {

using namespace ir;

bool FunctionReader::read_buffered() {
  Buffered entry;
  entry.block = block_;
  const char* first = c_.at++;
  entry.offset = c_.offset_of(first);
  d_.result = {};
  if (is_none(block_)) return c_.fail_at(first, "expected a label or 'var', found '+'");
  if (*c_.at == '>' || *c_.at == '<') {
    bool after = *c_.at++ == '>';
    entry.side = after ? Point::Side::after : Point::Side::before;
    if (c_.take('(')) {
      c_.blanks();
      entry.anchor_offset = c_.offset();
      Slot slot;
      if (*c_.at != '%') return c_.fail("expected the name of a statement, found " + c_.shown_token());
      if (!scan_value_name(slot) || !c_.need(')', "behind the name of a statement")) return false;
    } else if (after) {
      if (f_->size() == block_first_) return c_.fail_at(first, "there is no statement above in this block");
      entry.position = f_->size() - 1;
    } else {
      if (block_ended_) return c_.fail_at(first, "there is no statement below in this block");
      entry.position = f_->size();
      waiting_before_ = entry.offset;
    }
  } else {
    std::string_view word = c_.name();
    if (word != "phi" && word != "end") return c_.fail_at(first, "expected '+>', '+<', '+phi' or '+end'");
    entry.side = word == "phi" ? Point::Side::block_phis : Point::Side::block_end;
    if (word == "end") block_has_tail_ = true;
  }
  c_.blanks();
  if (!read_statement(true)) return false;
  if (is_terminator(d_.op)) return c_.fail_at(d_.offset, "a terminator cannot be buffered");
  if (!is_none(d_.variable)) return c_.fail_at(d_.offset, "a buffered statement has no source variable");
  if (buffered_.size() >= r_.options.max_statements) return c_.fail_at(d_.offset, "too many buffered statements");

  Stmt stmt = make_stmt();
  Type type;
  if (!derive_type(stmt, type)) return false;
  entry.inst = {stmt, type, d_.loc};
  uint32_t number = static_cast<uint32_t>(buffered_.size());
  if (d_.op == Op::phi)
    phi_lists_.push_back({number | buffered_bit, block_, static_cast<uint32_t>(phi_entries_.size()) - words_[0], words_[0]});
  note_forwards(number | buffered_bit);
  if (d_.result.kind == Slot::Kind::buffered) entry.number = d_.result.index;
  buffered_.push_back(entry);
  return define(d_.result, static_cast<NewRef>(number));
}

/// Finds the anchors that are named.
bool FunctionReader::find_anchors() {
  bool is_good = true;
  for (Buffered& entry : buffered_) {
    if (entry.anchor_offset == unknown) continue;
    c_.go_to(entry.anchor_offset);
    Slot slot;
    scan_value_name(slot);
    if (slot.kind == Slot::Kind::buffered) {
      if (slot.index < buffered_names_.size()) entry.anchor = buffered_names_[slot.index];
    } else if (uint32_t word = word_of(slot); word != unknown && Operand::from_word(word).is_stmt()) {
      entry.position = Operand::from_word(word).number();
    }
    if (entry.anchor != unknown || entry.position != unknown) continue;
    is_good = c_.fail_at(entry.anchor_offset, "'" + std::string(c_.text().data() + entry.anchor_offset, c_.at) +
                                                  "' does not name a statement");
  }
  return is_good;
}

/// Whether the buffer can have the numbers that the text gives: each once, anchors before what hangs on them, and
/// ascending at each place.
bool FunctionReader::numbers_can_stay() {
  size_t count = buffered_.size();
  std::vector<uint32_t> used(count, unknown);
  // The last number at each place: before and after every statement, phis and end of every block.
  std::vector<uint32_t> last(2 * (f_->size() + count + f_->block_count()), 0);
  for (size_t i = 0; i < count; ++i) {
    const Buffered& entry = buffered_[i];
    if (entry.number >= count || used[entry.number] != unknown) return false;
    used[entry.number] = static_cast<uint32_t>(i);
    if (entry.anchor != unknown && buffered_[entry.anchor].number >= entry.number) return false;
    size_t place = entry.anchor != unknown     ? f_->size() + entry.anchor
                   : entry.position != unknown ? entry.position
                                               : f_->size() + count + index(entry.block);
    bool second = entry.side == Point::Side::after || entry.side == Point::Side::block_end;
    uint32_t& before = last[2 * place + second];
    if (before > entry.number) return false;
    before = entry.number;
  }
  buffered_order_ = std::move(used);
  return true;
}

/// How many buffered statements each hangs on; false if they hang on each other in a ring.
bool FunctionReader::find_depths(std::vector<uint32_t>& depths) {
  constexpr uint32_t started = unknown - 1;
  depths.assign(buffered_.size(), unknown);
  std::vector<uint32_t> chain;
  for (uint32_t i = 0; i < buffered_.size(); ++i) {
    uint32_t at = i;
    for (; at != unknown && depths[at] == unknown; at = buffered_[at].anchor) {
      depths[at] = started;
      chain.push_back(at);
    }
    if (at != unknown && depths[at] == started)
      return c_.fail_at(buffered_[at].offset, "buffered statements stand before or behind each other in a ring");
    for (uint32_t depth = at == unknown ? 0 : depths[at] + 1; !chain.empty(); chain.pop_back())
      depths[chain.back()] = depth++;
  }
  return true;
}

/// Gives every buffered statement its number: that of the text if possible, otherwise by the order of the text, those
/// that others hang on first.
bool FunctionReader::order_buffered() {
  if (buffered_.empty()) return true;
  if (!numbers_can_stay()) {
    std::vector<uint32_t> depths;
    if (!find_depths(depths)) return false;
    buffered_order_ = stable_order(buffered_.size(), [&](uint32_t i) { return depths[i]; });
  }
  buffered_rank_.resize(buffered_.size());
  for (uint32_t rank = 0; rank < buffered_order_.size(); ++rank) buffered_rank_[buffered_order_[rank]] = rank;
  return true;
}

void FunctionReader::insert_buffered() {
  for (uint32_t i : buffered_order_) {
    const Buffered& entry = buffered_[i];
    Point point = entry.anchor != unknown     ? Point(entry.side, static_cast<NewRef>(buffered_rank_[entry.anchor]))
                  : entry.position != unknown ? Point(entry.side, static_cast<Ref>(entry.position))
                                              : Point(entry.side, entry.block);
    f_->insert(point, entry.inst);
  }
}

}  // namespace braid::text
