// One statement: result, operation, operands, type, attributes; and its way into the function.
#include <limits>

#include "base/suggestion.h"
#include "ir/transfer.h"
#include "text/function_reader.h"
#include "text/names.h"
#include "text/op_names.h"
#include "text/type_rules.h"
#include "type/type_text.h"

namespace braid::text {

using namespace ir;

namespace {

std::string count_text(const OpInfo& op, uint32_t count) {
  return std::string(op.text) + " takes " + std::to_string(count) + (count == 1 ? " operand" : " operands");
}

}  // namespace

bool FunctionReader::read_statement(bool buffered) {
  words_.clear();
  forwards_.clear();
  d_ = {Op::nothing, c_.offset(), 0, {}, none, none, false, 0, {}, none_id<VarId>, none_id<BlockId>};
  if (*c_.at == '%' && !read_result()) return false;
  if (buffered && d_.result.kind != Slot::Kind::nothing && d_.result.kind != Slot::Kind::buffered)
    return c_.fail_at(d_.offset, "a buffered statement is named like '%+0'");
  if (!buffered && d_.result.kind == Slot::Kind::buffered)
    return c_.fail_at(d_.offset, "a name like '%+0' belongs to a buffered statement");
  if (!read_operation() || !read_trailing() || !check_shown()) return false;
  return buffered ? true : emit();
}

bool FunctionReader::read_result() {
  if (int64_t number = scan_number(); number >= 0)
    d_.result = {Slot::Kind::numbered, static_cast<uint32_t>(number)};
  else if (!scan_value_name(d_.result))
    return false;
  return c_.need('=', "behind the name of the result");
}

bool FunctionReader::read_operation() {
  c_.blanks();
  const char* place = c_.at;
  std::string_view name = c_.name();
  if (name.empty()) return c_.fail("expected an operation, found " + c_.shown_token());
  uint32_t number = op_names.find(name);
  if (number == OpNames::none) return read_intrinsic(name, place);
  d_.op = static_cast<Op>(number);
  switch (d_.op) {
    case Op::phi: return read_phi();
    case Op::phi_c: return r_.type(d_.shown) && read_list('[', ']', "before the upsilons");
    case Op::tuple: return read_list('(', ')', "before the elements");
    case Op::call: return read_call();
    case Op::call_indirect: return read_indirect_call();
    case Op::intrinsic: {
      c_.blanks();
      const char* first = c_.at;
      return c_.quoted(r_.scratch) && read_intrinsic(r_.scratch, first);
    }
    case Op::save_state: return read_save_state();
    case Op::switch_: return read_switch();
    default: return read_generic(info(d_.op));
  }
}

/// Operations without special syntax: a type, and operands separated by commas.
bool FunctionReader::read_generic(const OpInfo& op) {
  if (op.shown != TypeShown::nothing && !r_.type(d_.shown)) return false;
  c_.blanks();
  d_.first_operand = c_.offset();
  uint32_t most = op.group_count == 0 ? op.fixed_count : d_.op == Op::ret ? 1 : std::numeric_limits<uint32_t>::max();
  for (uint32_t i = 0; i < most; ++i) {
    if (i >= op.fixed_count && i == 0 && (c_.line_ends() || *c_.at == '!' || *c_.at == ':')) break;
    if (i > 0 && !c_.take(',')) {
      if (i >= op.fixed_count) break;
      return c_.fail(count_text(op, op.fixed_count) + ", here " + (i == 1 ? "is " : "are ") + std::to_string(i));
    }
    if (i == 0 && op.group_count == 0 && c_.line_ends()) return c_.fail(count_text(op, op.fixed_count) + ", here are none");
    c_.blanks();
    OperandKind kind = op.kind_of(i);
    if (kind == OperandKind::value && take_known_value()) continue;
    if (!read_operand(kind)) return false;
  }
  c_.blanks();
  if (*c_.at == ',') return c_.fail(count_text(op, most));
  if (op.shown != TypeShown::convert) return true;
  if (!c_.take_word("to")) return c_.fail("expected 'to' and the type of the result");
  d_.has_type = true;
  return r_.type(d_.type);
}

/// `phi i64 [entry: 0, body: %5]`
bool FunctionReader::read_phi() {
  if (!r_.type(d_.shown) || !c_.need('[', "before the operands of a phi")) return false;
  size_t first = phi_entries_.size();
  if (!c_.take(']')) {
    do {
      words_.clear();
      c_.blanks();
      uint32_t offset = c_.offset();
      if (!read_block_operand()) return false;
      BlockId from = static_cast<BlockId>(words_[0]);
      if (!c_.need(':', "behind the block of a phi's operand")) return false;
      c_.blanks();
      uint32_t value_offset = c_.offset();
      words_.clear();
      if (!read_value()) return false;
      phi_entries_.push_back({from, Operand::from_word(words_[0]), offset, value_offset});
    } while (c_.take(','));
    if (!c_.take(']')) return c_.fail("expected ',' or ']', found " + c_.shown_token());
  }
  words_.clear();
  forwards_.clear();
  // The operand count is the only thing that the draft keeps of the list; `emit` finds the list at the end.
  push(static_cast<uint32_t>(phi_entries_.size() - first));
  return true;
}

/// Values in brackets, separated by commas.
bool FunctionReader::read_list(char open, char close, const char* where) {
  if (!c_.need(open, where)) return false;
  if (c_.take(close)) return true;
  do {
    if (!read_value()) return false;
  } while (c_.take(','));
  return c_.take(close) || c_.fail(std::string("expected ',' or '") + close + "', found " + c_.shown_token());
}

bool FunctionReader::read_call() {
  return read_operand(OperandKind::function) && read_list('(', ')', "before the arguments");
}

/// `call_indirect (i64, i64) -> i64 %p(%a, 1)`
bool FunctionReader::read_indirect_call() {
  Signature signature;
  if (!r_.signature(signature)) return false;
  push(index(r_.module.signature(signature)));
  return read_value() && read_list('(', ')', "before the arguments");
}

bool FunctionReader::read_intrinsic(std::string_view name, const char* place) {
  Symbol symbol = r_.module.symbols.find(name);
  IntrinsicId callee = is_none(symbol) ? none_id<IntrinsicId> : r_.module.find_intrinsic(symbol);
  if (is_none(callee))
    return c_.fail_at(place, "unknown operation '" + std::string(name) + "'" + did_you_mean(name, op_names.all()));
  d_.op = Op::intrinsic;
  push(index(callee));
  return read_list('(', ')', "before the operands");
}

/// `save_state 12 reexecute caller %s [0: %1, 3: undef]`
bool FunctionReader::read_save_state() {
  if (!read_operand(OperandKind::immediate)) return false;
  std::string_view resume = c_.peek_name();
  uint32_t kind = 0;
  while (kind < std::size(resume_words) && resume_words[kind] != resume) ++kind;
  if (kind < std::size(resume_words)) {
    c_.take_word(resume);
    push(kind);
  } else if (c_.blanks(); !is(*c_.at, decimal)) {
    return c_.fail("expected 'reexecute', 'aftercall' or 'handler', found " + c_.shown_token());
  } else if (!read_operand(OperandKind::immediate)) {
    return false;
  }
  if (!c_.take_word("caller"))
    push(Operand::undef());
  else if (!read_value())
    return false;
  if (!c_.need('[', "before the registers")) return false;
  if (c_.take(']')) return true;
  do {
    if (!read_operand(OperandKind::immediate) || !c_.need(':', "behind the number of a register") || !read_value())
      return false;
  } while (c_.take(','));
  return c_.take(']') || c_.fail("expected ',' or ']', found " + c_.shown_token());
}

/// `switch i64 %x, default, [1: b1, 2: b2]`
bool FunctionReader::read_switch() {
  if (!r_.type(d_.shown)) return false;
  c_.blanks();
  d_.first_operand = c_.offset();
  if (!read_value() || !c_.need(',', "behind the value") || !read_operand(OperandKind::block)) return false;
  if (!c_.need(',', "behind the default block") || !c_.need('[', "before the cases")) return false;
  if (c_.take(']')) return true;
  do {
    if (!read_value() || !c_.need(':', "behind the value of a case") || !read_operand(OperandKind::block)) return false;
  } while (c_.take(','));
  return c_.take(']') || c_.fail("expected ',' or ']', found " + c_.shown_token());
}

// ---- behind the operands ----

bool FunctionReader::read_trailing() {
  c_.blanks();
  if (*c_.at == '\n') return true;
  if (*c_.at == ':') {
    if (shows_result(d_.op) || d_.has_type)
      return c_.fail("the type of this statement stands before its operands");
    ++c_.at;
    d_.has_type = true;
    if (!r_.type(d_.type)) return false;
    c_.blanks();
  }
  while (*c_.at == '!') {
    if (!read_attribute()) return false;
    c_.blanks();
  }
  return c_.line_ends() || c_.fail("expected the end of the line, found " + c_.shown_token());
}

bool FunctionReader::read_attribute() {
  const char* first = c_.at++;
  if (is(*c_.at, decimal) || *c_.at == '"') return read_location();
  std::string_view word = c_.name();
  if (word == "nothrow") {
    d_.flags |= cannot_throw;
    return true;
  }
  if (word == "refined") {
    d_.flags |= refined;
    return true;
  }
  if (word == "end") {
    if (d_.op != Op::unreachable) return c_.fail_at(first, "only 'unreachable' can be the end of a function");
    d_.flags |= end_of_function;
    return true;
  }
  size_t before = words_.size();
  if (word == "var") {
    c_.blanks();
    if (!read_variable_operand()) return false;
    d_.variable = static_cast<VarId>(words_.back());
  } else if (word == "impossible") {
    if (!is_terminator(d_.op)) return c_.fail_at(first, "only a terminator has an impossible successor");
    c_.blanks();
    if (!read_block_operand()) return false;
    d_.impossible = static_cast<BlockId>(words_.back());
  } else {
    return c_.fail_at(first, "unknown attribute");
  }
  words_.resize(before);
  return true;
}

/// `!12:3` or `!"a.c":12:3`, and behind an `@` the call in whose place it stands.
bool FunctionReader::read_location() {
  constexpr uint64_t most = std::numeric_limits<uint32_t>::max();
  std::vector<Location> places;
  do {
    Symbol file = none_id<Symbol>;
    uint64_t line = 0, column = 0;
    if (*c_.at == '"') {
      if (!c_.quoted(r_.scratch)) return false;
      file = r_.module.symbol(r_.scratch);
      if (!c_.need(':', "behind the file")) return false;
    }
    if (!c_.number(line, most, "a line") || !c_.need(':', "behind the line") || !c_.number(column, most, "a column"))
      return false;
    places.push_back({file, static_cast<uint32_t>(line), static_cast<uint32_t>(column), {}});
  } while (c_.take('@'));
  Loc around{};
  for (size_t i = places.size(); i-- > 0;)
    around = r_.module.location(places[i].file, places[i].line, places[i].column, around);
  d_.loc = around;
  return true;
}

/// Where the text shows the type of the first operand, that type is not kept: it has to be right.
bool FunctionReader::check_shown() {
  if (!shows_operand(d_.op)) return true;
  Operand first = Operand::from_word(words_[0]);
  if (first.is_undef() || first == forward) return true;
  Type type = f_->type_of(first);
  if (type == d_.shown) return true;
  const TypeTable& types = r_.module.types;
  if (types.kinds(type) == types.kinds(d_.shown)) return true;
  return c_.fail_at(d_.first_operand, "this operand has type " + to_string(types, type) + ", not " +
                                          to_string(types, d_.shown));
}

Stmt FunctionReader::make_pooled() {
  Stmt stmt = f_->make(d_.op, none, words_).stmt;
  stmt.flags = d_.flags;
  return stmt;
}

bool FunctionReader::derive_type(const Stmt& stmt, Type& type) {
  const OpInfo& op = info(d_.op);
  if (shows_result(d_.op)) {
    type = d_.shown;
    return true;
  }
  if (d_.has_type) {
    type = d_.type;
    return true;
  }
  if (depends_on_operands(op.rule)) {
    bool known = true;
    for (uint32_t i = 0; i < words_.size(); ++i) {
      Operand operand = Operand::from_word(words_[i]);
      if (!op.is_value(i)) continue;
      if (operand == forward) known = false;
      if (operand.is_stmt() && (f_->op(operand) == Op::same || f_->op(operand) == same_placeholder)) known = false;
    }
    if (!known) {
      // Whether a name is missing altogether shows at the end of the function.
      untyped_.push_back({d_.offset, {}});
      for (const Forward& use : forwards_) untyped_.back().uses.push_back(use.offset);
      return false;
    }
  }
  type = result_type(*f_, stmt);
  return true;
}

// ---- into the function ----

void FunctionReader::note_forwards(uint32_t id) {
  if (forwards_.empty()) return;
  for (const Forward& use : forwards_) fixups_.push_back({id, use.operand, use.offset});
  if (shows_operand(d_.op) && forwards_[0].operand == 0) shown_checks_.push_back({id, forwards_[0].offset, d_.shown});
}

bool FunctionReader::define(const Slot& slot, Operand value) {
  switch (slot.kind) {
    case Slot::Kind::nothing: return true;
    case Slot::Kind::numbered: {
      uint32_t& word = numbered(slot.index);
      if (word != unknown) break;
      word = value.word();
      return true;
    }
    case Slot::Kind::named: {
      LocalName& local = r_.locals[slot.index];
      if (local.value_stamp == stamp_) break;
      local.value_stamp = stamp_;
      local.value = value.word();
      return true;
    }
    case Slot::Kind::buffered: {
      if (slot.index >= buffered_names_.size()) buffered_names_.resize(slot.index + 1, unknown);
      uint32_t& entry = buffered_names_[slot.index];
      if (entry != unknown) break;
      entry = value.number();
      return true;
    }
  }
  c_.go_to(d_.offset);
  const char* first = c_.at;
  Slot again;
  scan_value_name(again);
  return c_.fail_at(d_.offset, "'" + std::string(first, c_.at) + "' is defined twice");
}

/// A statement that could not be read defines its name all the same, so that its uses are not errors, too.
void FunctionReader::define_after_error() {
  if (d_.result.kind == Slot::Kind::numbered) {
    uint32_t& word = numbered(d_.result.index);
    if (word == unknown) word = Operand::undef().word();
  } else if (d_.result.kind == Slot::Kind::named) {
    LocalName& local = r_.locals[d_.result.index];
    if (local.value_stamp != stamp_) local.value = Operand::undef().word();
    local.value_stamp = stamp_;
  }
}

bool FunctionReader::emit() {
  // A terminator with an error is not known to be wanted: nobody needs to hear that it was not the last statement.
  if (block_ended_ && terminator_failed_) return false;
  if (block_ended_)
    return c_.fail_at(d_.offset, "block '" + shown_block(block_) + "' has ended with its terminator");
  uint32_t position = f_->size();
  if (position >= r_.options.max_statements)
    return c_.fail_at(d_.offset, "a function has at most " + std::to_string(r_.options.max_statements) + " statements");
  waiting_before_ = unknown;
  map_.offsets_.push_back(d_.offset);
  if (is_terminator(d_.op)) {
    if (!emit_terminator()) return false;
  } else {
    Type type;
    Stmt stmt = make_stmt();
    if (!derive_type(stmt, type)) return false;
    if (d_.op == Op::phi) {
      uint32_t count = words_[0];
      phi_lists_.push_back({position, block_, static_cast<uint32_t>(phi_entries_.size()) - count, count});
      stmt.op = phi_placeholder;
    } else if (in_prefix_ && d_.op <= Op::same) {
      overwrites_.push_back({position, stmt});
      stmt = Stmt{same_placeholder};
    } else if (d_.op != Op::phi_c) {
      in_prefix_ = false;
    }
    f_->append(block_, {stmt, type, d_.loc});
  }
  note_forwards(position);
  if (!is_none(d_.variable)) f_->set_source_variable(static_cast<Ref>(position), d_.variable);
  return define(d_.result, static_cast<Ref>(position));
}

bool FunctionReader::emit_terminator() {
  if (d_.result.kind != Slot::Kind::nothing && d_.op != Op::enter)
    return c_.fail_at(d_.offset, std::string(info(d_.op).text) + " has no value to be named");
  uint32_t position = f_->size();
  f_->terminate(block_, d_.op, words_, d_.loc);
  Operand id = static_cast<Ref>(position);
  if (d_.has_type) f_->set_type(id, d_.type);
  if (d_.flags) f_->set_flags(id, d_.flags);
  if (!is_none(d_.impossible)) f_->set_impossible(block_, d_.impossible);
  block_ended_ = true;
  return true;
}

}  // namespace braid::text
