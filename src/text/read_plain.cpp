// Lines as the printer writes them, which is what nearly all lines are: labels, arithmetic, comparisons, phis, jumps,
// branches and returns, with one blank between words, numbers for names and no attributes.
//
// Such a line is read in one go, character by character: how long words and numbers are is easily predicted, so that the
// processor need not wait for one to find the next. Whatever is written in another way, names something that is not known
// yet, or is wrong is left alone: the other readers take the line from its start.
#include "text/function_reader.h"
#include "text/plain_ops.h"

namespace braid::text {

using namespace ir;

// All of this belongs into one function, where the place in the line stands in a register.
#define BRAID_INLINE [[gnu::always_inline]] inline

/// A place in a line.
struct FunctionReader::PlainLine {
  const char* at;

  BRAID_INLINE bool take(char c) {
    if (*at != c) return false;
    ++at;
    return true;
  }
  BRAID_INLINE bool take(char first, char second) {
    if (at[0] != first || at[1] != second) return false;
    at += 2;
    return true;
  }
  BRAID_INLINE bool take_separator() { return take(',', ' '); }
  /// A number without leading zeros that is no part of a longer word. Anything else is `unknown`, and is not moved over.
  BRAID_INLINE uint32_t number() {
    uint32_t value = static_cast<uint32_t>(*at - '0'), digit;
    if (value > 9) return unknown;
    const char* last = at + 1;
    for (; (digit = static_cast<uint32_t>(*last - '0')) <= 9; ++last) value = value * 10 + digit;
    constexpr ptrdiff_t safe_length = 9;  // up to here the number fits
    if (is(*last, name_part) || last - at > safe_length || (*at == '0' && last - at > 1)) return unknown;
    at = last;
    return value;
  }
  /// The bytes before the next blank, and moves behind that. More than seven give no word that is known here.
  BRAID_INLINE uint64_t word() {
    uint64_t bytes = 0;
    for (; is(*at, name_part); ++at) bytes = bytes << 8 | static_cast<unsigned char>(*at);
    return take(' ') ? bytes : 0;
  }
  /// One of the types that are frequent, and the blank behind it.
  BRAID_INLINE bool type(Type& out) {
    if (at[0] == 'i' && at[1] == '6' && at[2] == '4' && at[3] == ' ') {
      out = i64;
      at += 4;
      return true;
    }
    switch (word()) {
      case packed("i1"): out = i1; return true;
      case packed("i32"): out = i32; return true;
      case packed("f64"): out = f64; return true;
      case packed("ptr"): out = ptr; return true;
      default: return false;
    }
  }
};

/// The word of a value, or `unknown`. `type` is that of a literal, `none` where it is to bring its own.
BRAID_INLINE uint32_t FunctionReader::plain_value(PlainLine& line, Type type) {
  if (line.take('%')) {
    uint32_t number = line.number();
    if (number < numbered_.size()) return numbered_[number];
    return number == unknown ? plain_name(line.at) : unknown;
  }
  return plain_literal(line.at, type);
}

uint32_t FunctionReader::plain_literal(const char*& at, Type type) {
  // Nine digits are few enough for both types.
  if (type != i64 && type != i32) return unknown;
  PlainLine line{at};
  bool negative = line.take('-');
  uint32_t number = line.number();
  at = line.at;
  if (number == unknown) return unknown;
  return r_.module.constants.get(type, negative ? 0 - uint64_t{number} : uint64_t{number}).word();
}

uint32_t FunctionReader::plain_name(const char*& at) {
  const char* first = at;
  if (!is(*first, name_start)) return unknown;
  while (is(*at, name_part)) ++at;
  const LocalName& local = r_.local({first, static_cast<size_t>(at - first)});
  return local.value_stamp == stamp_ ? local.value : unknown;
}

BRAID_INLINE uint32_t FunctionReader::plain_block(PlainLine& line) {
  if (*line.at != 'b') return plain_named_block(line.at);
  const char* first = line.at++;
  uint32_t number = line.number();
  if (number < blocks_by_number_.size()) return blocks_by_number_[number];
  line.at = first;
  return number == unknown ? plain_named_block(line.at) : unknown;
}

uint32_t FunctionReader::plain_named_block(const char*& at) {
  const char* first = at;
  if (!is(*first, name_start)) return unknown;
  while (is(*at, name_part)) ++at;
  return named_block({first, static_cast<size_t>(at - first)});
}

/// Reads lines until one is not plain, and leaves that one as it was. `label` is the next label.
void FunctionReader::read_plain_lines(size_t& label) {
  const char* text = c_.text().data();
  for (;;) {
    const char* at = c_.at;
    if (at[0] == ' ' && at[1] == ' ') {
      if (is_none(block_) || block_ended_) return;
      at = read_plain({at + 2});
      if (at == nullptr) return;
    } else {
      if (label == labels_.size() || at != text + labels_[label].offset) return;
      if (labels_[label].behind == 0) return;
      at = text + labels_[label].behind;
      start_block(static_cast<BlockId>(label++));
    }
    c_.at = at;
  }
}

/// At the first word. Answers where the next line begins; null leaves no trace.
const char* FunctionReader::read_plain(PlainLine line) {
  uint32_t offset = c_.offset_of(line.at), result = unknown;
  if (*line.at == '%') {
    ++line.at;
    result = line.number();
    if (result >= numbered_.size() || numbered_[result] != unknown) return nullptr;
    if (!line.take(' ', '=') || !line.take(' ')) return nullptr;
  }
  const PlainOp& op = plain_ops.find(line.word());
  if (op.form == PlainOp::Form::none || f_->size() >= r_.options.max_statements) return nullptr;

  if (op.form >= PlainOp::Form::jump) return result == unknown ? read_plain_end(line, op, offset) : nullptr;
  Type shown;
  if (!line.type(shown)) return nullptr;
  if (op.form == PlainOp::Form::phi) return result != unknown ? read_plain_phi(line, shown, result, offset) : nullptr;
  Stmt stmt{op.op, op.count, 0, {0, 0, 0}};
  for (uint32_t i = 0; i < op.count; ++i) {
    if (i > 0 && !line.take_separator()) return nullptr;
    stmt.arg[i] = plain_value(line, op.literals ? shown : none);
    if (stmt.arg[i] == unknown) return nullptr;
  }
  if (!line.take('\n')) return nullptr;
  bool compares = op.form == PlainOp::Form::comparison;
  if (compares && f_->type_of(Operand::from_word(stmt.arg[0])) != shown) return nullptr;
  in_prefix_ = false;
  append_plain({stmt, compares ? i1 : shown, {}}, result, offset);
  return line.at;
}

BRAID_INLINE void FunctionReader::append_plain(const Inst& inst, uint32_t result, uint32_t offset) {
  waiting_before_ = unknown;
  map_.offsets_.push_back(offset);
  Ref position = f_->append(block_, inst);
  if (result != unknown) numbered_[result] = Operand(position).word();
}

/// `phi i64 [b1: %3, b2: 7]`, behind the type. A number that is not known yet may stand here.
const char* FunctionReader::read_plain_phi(PlainLine line, Type shown, uint32_t result, uint32_t offset) {
  size_t first = phi_entries_.size();
  auto read = [&] {
    if (!line.take('[')) return false;
    do {
      uint32_t block_offset = c_.offset_of(line.at);
      uint32_t from = plain_block(line);
      if (from == unknown || !line.take(':', ' ')) return false;
      const char* value_at = line.at;
      uint32_t value = plain_value(line, shown);
      if (value == unknown) {
        if (value_at[0] != '%' || !is(value_at[1], decimal) || line.at == value_at + 1) return false;
        value = forward.word();
      }
      phi_entries_.push_back(
          {static_cast<BlockId>(from), Operand::from_word(value), block_offset, c_.offset_of(value_at)});
    } while (line.take_separator());
    return line.take(']', '\n');
  };
  if (!read()) {
    phi_entries_.resize(first);
    return nullptr;
  }
  uint32_t count = static_cast<uint32_t>(phi_entries_.size() - first);
  phi_lists_.push_back({f_->size(), block_, static_cast<uint32_t>(first), count});
  append_plain({{phi_placeholder, 0, 0, {0, 0, 0}}, shown, {}}, result, offset);
  return line.at;
}

/// A terminator, behind its name.
const char* FunctionReader::read_plain_end(PlainLine line, const PlainOp& op, uint32_t offset) {
  uint32_t words[3] = {0, 0, 0};
  uint32_t count = 1;
  if (op.form == PlainOp::Form::jump) {
    words[0] = plain_block(line);
  } else {
    words[0] = plain_value(line, op.form == PlainOp::Form::ret ? f_->result_type() : none);
    if (op.form == PlainOp::Form::branch) {
      if (!line.take_separator()) return nullptr;
      words[1] = plain_block(line);
      if (!line.take_separator()) return nullptr;
      words[2] = plain_block(line);
      count = 3;
    }
  }
  for (uint32_t word : words)
    if (word == unknown) return nullptr;
  if (!line.take('\n')) return nullptr;
  waiting_before_ = unknown;
  map_.offsets_.push_back(offset);
  f_->terminate(block_, op.op, std::span(words, count));
  block_ended_ = true;
  return line.at;
}

}  // namespace braid::text
