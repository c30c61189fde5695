// The lines of a function's body, its blocks and variables; and what can be done only when all lines are read: values
// that stand further down, and the operands of phis.
#include "text/function_reader.h"

#include <algorithm>

#include "text/names.h"
#include "type/type_text.h"

namespace braid::text {

using namespace ir;

void FunctionReader::read(Function& f, const Outline& outline, const Outline::Body& body) {
  f_ = &f;
  ++stamp_;
  problems_before_ = r_.problems.size();
  // There are no more names than bytes, so a number beyond is no number in use; it is kept like any other name.
  number_limit_ = body.end - body.begin + 64;
  numbered_.assign(body.line_count, unknown);
  buffered_names_.clear();
  blocks_by_number_.assign(body.label_count, unknown);
  fixups_.clear();
  shown_checks_.clear();
  untyped_.clear();
  phi_entries_.clear();
  phi_lists_.clear();
  overwrites_.clear();
  buffered_.clear();
  buffered_order_.clear();
  buffered_rank_.clear();
  block_ = none_id<BlockId>;
  phi_operands_ = 0;

  labels_ = std::span(outline.labels).subspan(body.first_label, body.label_count);
  SourceMap::Part& part = map_.functions_[f.id()];
  part.statements = static_cast<uint32_t>(map_.offsets_.size());
  f.reserve(body.line_count > body.label_count ? body.line_count - body.label_count : 0, body.label_count,
            body.label_count + body.label_count / 2);
  // Not exactly as many as needed, which would copy everything for every function.
  size_t needed = map_.offsets_.size() + body.line_count;
  if (needed > map_.offsets_.capacity()) map_.offsets_.reserve(std::max(needed, 2 * map_.offsets_.capacity()));
  start_names();
  make_blocks();
  c_.go_to(body.begin);
  read_lines(body.end);
  finish();

  part.statement_count = f.size();
  part.pending = static_cast<uint32_t>(map_.offsets_.size());
  part.pending_count = f.pending_count();
  for (uint32_t entry : buffered_order_) map_.offsets_.push_back(buffered_[entry].offset);
  part.blocks = static_cast<uint32_t>(map_.offsets_.size());
  part.block_count = static_cast<uint32_t>(labels_.size());
  for (const Outline::Label& label : labels_) map_.offsets_.push_back(label.offset);
}

/// Parameters have their name, unless another has it, and always `arg` with their number.
void FunctionReader::start_names() {
  auto add = [&](std::string_view name, uint32_t i) {
    LocalName& local = r_.local(name);
    if (local.value_stamp == stamp_) return;
    local.value_stamp = stamp_;
    local.value = Operand::param(i).word();
  };
  std::string name;
  for (uint32_t i = 0; i < f_->param_count(); ++i) {
    name = param_prefix;
    append_number(name, i);
    add(name, i);
  }
  for (uint32_t i = 0; i < f_->param_names.size(); ++i)
    if (!is_none(f_->param_names[i])) add(r_.module.name(f_->param_names[i]), i);
}

// ---- blocks ----

/// Makes the blocks in the order of their labels, so that every label is known when the first statement is read.
void FunctionReader::make_blocks() {
  auto has_name = [](const Outline::Label& label) { return label.number == Outline::no_number; };
  size_t named = static_cast<size_t>(std::ranges::count_if(labels_, has_name));
  r_.module.symbols.reserve(r_.module.symbols.size() + named);
  for (auto [label, plain_number, behind] : labels_) {
    BlockId block = f_->new_block();
    if (plain_number < blocks_by_number_.size() && blocks_by_number_[plain_number] == unknown) {
      blocks_by_number_[plain_number] = index(block);
      continue;
    }
    c_.go_to(label);
    std::string_view name = c_.name();
    uint32_t* entry = nullptr;
    bool is_new = true;
    if (int64_t number = number_behind(block_prefix, name); number >= 0) {
      if (number >= int64_t{number_limit_}) {
        c_.fail_at(label, "this number is too large");
        continue;
      }
      if (static_cast<size_t>(number) >= blocks_by_number_.size())
        blocks_by_number_.resize(static_cast<size_t>(number + 1 + number / 2), unknown);
      entry = &blocks_by_number_[static_cast<size_t>(number)];
      is_new = *entry == unknown;
      c_.blanks();
      if (*c_.at == '"' && c_.quoted(r_.scratch)) f_->set_block_name(block, r_.module.symbol(r_.scratch));
    } else {
      Symbol symbol = r_.module.symbol(name);
      if (index(symbol) >= r_.blocks.size()) r_.blocks.resize(r_.module.symbols.size() + index(symbol) / 2 + named);
      BlockName& known = r_.blocks[index(symbol)];
      entry = &known.block;
      is_new = known.stamp != stamp_;
      known.stamp = stamp_;
      f_->set_block_name(block, symbol);
    }
    if (!is_new)
      c_.fail_at(label, "block '" + std::string(name) + "' is defined twice");
    else
      *entry = index(block);
  }
}

std::string FunctionReader::shown_block(BlockId b) const {
  const char* first = c_.text().data() + labels_[index(b)].offset;
  const char* last = first;
  while (is(*last, name_part)) ++last;
  return std::string(first, last);
}

void FunctionReader::start_block(BlockId block) {
  end_block();
  block_ = block;
  block_ended_ = terminator_failed_ = block_has_tail_ = false;
  in_prefix_ = true;
  block_first_ = f_->size();
}

void FunctionReader::end_block() {
  if (waiting_before_ != unknown) c_.fail_at(waiting_before_, "there is no statement below in this block");
  waiting_before_ = unknown;
  if (is_none(block_) || block_ended_ || block_has_tail_ || has_problems()) return;
  if (r_.is_open[index(f_->id())] && f_->size() < r_.options.max_statements) {
    map_.offsets_.push_back(labels_[index(block_)].offset);
    f_->leave_open(block_);
    block_ended_ = true;
    return;
  }
  c_.fail_at(labels_[index(block_)].offset, "block '" + shown_block(block_) + "' has no terminator");
}

/// The label itself was read with all others.
bool FunctionReader::read_label() {
  c_.name();
  c_.blanks();
  if (*c_.at == '"' && !c_.quoted(r_.scratch)) return false;
  if (!c_.need(':', "behind a label")) return false;
  return c_.line_ends() || c_.fail("expected the end of the line, found " + c_.shown_token());
}

// ---- lines ----

void FunctionReader::read_lines(uint32_t end) {
  size_t label = 0;
  for (;;) {
    read_plain_lines(label);
    c_.skip_empty_lines();
    uint32_t offset = c_.offset();
    if (offset >= end || r_.problems.full()) break;
    while (label < labels_.size() && labels_[label].offset < offset) ++label;
    char c = *c_.at;
    if (label < labels_.size() && labels_[label].offset == offset) {
      start_block(static_cast<BlockId>(label++));
      read_label();
    } else if (c == '+') {
      read_buffered();
    } else if (c == 'v' && c_.peek_name() == "var") {
      read_variable();
    } else if (is_none(block_)) {
      c_.fail("expected a label or 'var', found " + c_.shown_token());
    } else if (!read_statement(false)) {
      define_after_error();
      if (is_terminator(d_.op)) block_ended_ = terminator_failed_ = true;
    }
    if (*c_.at == '\n')
      ++c_.at;
    else
      c_.next_line();
  }
  c_.go_to(end);
  if (!c_.take('}'))
    c_.fail("expected '}' at the end of the function");
  else if (!c_.line_ends())
    c_.fail("expected the end of the line, found " + c_.shown_token());
  end_block();
}

/// `var s: i64 zero`, or `var var.3 "any name": i64`
bool FunctionReader::read_variable() {
  uint32_t offset = c_.offset();
  c_.name();
  std::string_view reference = c_.name();
  if (reference.empty()) return c_.fail("expected the name of a variable, found " + c_.shown_token());
  if (!is_none(block_)) return c_.fail_at(offset, "variables stand before the first label");
  uint32_t place = r_.local_index(reference);
  c_.blanks();
  Variable variable;
  if (*c_.at == '"') {
    if (!c_.quoted(r_.scratch)) return false;
    variable.name = r_.module.symbol(r_.scratch);
  } else {
    variable.name = r_.module.symbol(reference);
  }
  if (!c_.need(':', "behind the name of a variable") || !r_.type(variable.type)) return false;
  if (std::string_view word = c_.peek_name(); !word.empty()) {
    size_t meaning = static_cast<size_t>(std::ranges::find(undef_words, word) - std::begin(undef_words));
    if (meaning == std::size(undef_words)) return c_.fail("expected 'throws', 'zero' or 'reject', found " + c_.shown_token());
    c_.name();
    variable.undef = static_cast<UndefMeaning>(meaning);
  }
  if (!c_.line_ends()) return c_.fail("expected the end of the line, found " + c_.shown_token());
  LocalName& local = r_.locals[place];
  if (local.variable_stamp == stamp_)
    return c_.fail_at(offset, "variable '" + std::string(reference) + "' is defined twice");
  local.variable_stamp = stamp_;
  local.variable = index(f_->variables.push(variable));
  return true;
}

// ---- at the end ----

void FunctionReader::finish() {
  bool found = find_anchors() && order_buffered();
  judge_untyped();
  if (!lookup_fixups() || !found || has_problems()) return;
  if (!fill_phis()) return;
  for (const Overwrite& o : overwrites_) {
    Operand id = static_cast<Ref>(o.position);
    f_->overwrite(id, {o.stmt, f_->type(id), f_->loc(id)});
  }
  insert_buffered();
  apply_fixups();
  check_shown_types();
}

/// A name that is defined nowhere is the fault, or else that its statement stands further down.
void FunctionReader::judge_untyped() {
  for (const Untyped& statement : untyped_) {
    bool all_known = true;
    for (uint32_t use : statement.uses) {
      if (lookup(use) != unknown) continue;
      all_known = false;
      fail_unknown(use);
    }
    if (all_known)
      c_.fail_at(statement.offset,
                 "the type of this statement is not known here: write it behind the operands, as in ': i64'");
  }
}

/// The cursor stands behind the name.
void FunctionReader::fail_unknown(uint32_t offset) {
  c_.fail_at(offset, "unknown value '" + std::string(c_.text().data() + offset, c_.at) + "'");
}

/// Finds the values that were not known when they were used.
bool FunctionReader::lookup_fixups() {
  bool is_good = true;
  auto find = [&](uint32_t offset) {
    uint32_t word = lookup(offset);
    if (word != unknown) return word;
    is_good = false;
    // A buffered statement with an error of its own has no name.
    bool is_buffered = c_.text()[offset + 1] == '+';
    if (is_buffered && has_problems()) return Operand::undef().word();
    fail_unknown(offset);
    return Operand::undef().word();
  };
  for (Fixup& fixup : fixups_) fixup.word = find(fixup.offset);
  for (PhiEntry& entry : phi_entries_)
    if (entry.value == forward) entry.value = Operand::from_word(find(entry.value_offset));
  return is_good;
}

void FunctionReader::apply_fixups() {
  for (const Fixup& fixup : fixups_) f_->set_operand(id_of(fixup.id), fixup.operand, Operand::from_word(fixup.word));
}

void FunctionReader::check_shown_types() {
  const TypeTable& types = r_.module.types;
  for (const ShownCheck& check : shown_checks_) {
    Type type = f_->type_of(f_->operand(id_of(check.id), 0));
    if (types.kinds(type) == types.kinds(check.shown)) continue;
    c_.fail_at(check.offset,
               "this operand has type " + to_string(types, type) + ", not " + to_string(types, check.shown));
  }
}

bool FunctionReader::fill_phis() {
  source_edges_.clear();
  edges_block_ = none_id<BlockId>;
  edges_stamp_ = phi_stamp_ = 0;
  for (const PhiList& list : phi_lists_)
    if (!fill_phi(list)) return false;
  return !has_problems();
}

/// Edges were made in the order of the text, so those of one source stand together.
void FunctionReader::note_edges_into(BlockId block) {
  if (edges_block_ == block) return;
  edges_block_ = block;
  ++edges_stamp_;
  f_->for_each_pred(block, [&](EdgeId e) {
    SourceEdges& source = source_edges_[index(f_->edge(e).from)];
    if (source.block_stamp != edges_stamp_) source = {edges_stamp_, f_->edge(e).pred_index, 0, 0, 0};
    ++source.count;
  });
}

/// As the printer writes it: one entry per edge, in their order, few enough to stand in the statement.
bool FunctionReader::fill_plain_phi(const PhiList& list) {
  uint32_t words[3], count = 0;
  if (list.count > std::size(words) || (list.id & buffered_bit) != 0) return false;
  const PhiEntry* entries = phi_entries_.data() + list.first;
  for (EdgeId e = f_->block(list.block).first_pred; !is_none(e); e = f_->edge(e).next_pred, ++count) {
    if (count == list.count || entries[count].from != f_->edge(e).from) return false;
    words[count] = entries[count].value.word();
  }
  if (count != list.count || phi_operands_ + count > r_.options.max_operands) return false;
  phi_operands_ += count;
  Operand id = static_cast<Ref>(list.id);
  Inst inst = f_->inst(id);
  inst.stmt.op = Op::phi;
  inst.stmt.n = static_cast<uint8_t>(count);
  std::copy_n(words, count, inst.stmt.arg);
  f_->overwrite(id, inst);
  return true;
}

bool FunctionReader::fill_phi(const PhiList& list) {
  if (fill_plain_phi(list)) return true;
  if (source_edges_.empty()) source_edges_.resize(f_->block_count());
  note_edges_into(list.block);
  uint32_t count = f_->block(list.block).pred_count;
  phi_operands_ += count;
  if (phi_operands_ > r_.options.max_operands)
    return c_.fail_at(list.id & buffered_bit ? buffered_[list.id & ~buffered_bit].offset
                                             : map_.offsets_[map_.functions_[f_->id()].statements + list.id],
                      "the phis of this function have more than " + std::to_string(r_.options.max_operands) + " operands");
  ++phi_stamp_;
  words_.assign(count, Operand::undef().word());
  for (uint32_t i = list.first; i < list.first + list.count; ++i) {
    const PhiEntry& entry = phi_entries_[i];
    SourceEdges& source = source_edges_[index(entry.from)];
    if (source.block_stamp != edges_stamp_) {
      c_.fail_at(entry.offset, "block '" + shown_block(entry.from) + "' is not a predecessor of '" +
                                   shown_block(list.block) + "'");
      continue;
    }
    if (source.phi_stamp != phi_stamp_) {
      source.phi_stamp = phi_stamp_;
      source.next = source.first;
    }
    if (source.next == source.first + source.count) {
      c_.fail_at(entry.offset, "block '" + shown_block(entry.from) + "' has only " + std::to_string(source.count) +
                                   (source.count == 1 ? " edge" : " edges") + " to '" + shown_block(list.block) + "'");
      continue;
    }
    words_[source.next++] = entry.value.word();
  }
  if (list.id & buffered_bit) {
    Inst& inst = buffered_[list.id & ~buffered_bit].inst;
    uint8_t flags = inst.stmt.flags;
    inst.stmt = f_->make(Op::phi, inst.type, words_).stmt;
    inst.stmt.flags = flags;
  } else {
    Operand id = static_cast<Ref>(list.id);
    Inst inst = f_->make(Op::phi, f_->type(id), words_, f_->loc(id));
    inst.stmt.flags = f_->stmt(id).flags;
    f_->overwrite(id, inst);
  }
  return !r_.problems.full();
}

}  // namespace braid::text
