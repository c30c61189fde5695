// Lines as the printer writes them, which is what nearly all lines are: labels, arithmetic, comparisons, phis, jumps,
// branches and returns, with one blank between words, numbers for names and no attributes.
//
// Such a line is read in one go, with a few loads per word. Whatever is written in another way, names something that is not
// known yet, or is wrong is left alone: the other readers take the line from its start.
#include "text/function_reader.h"
#include "text/plain_ops.h"
#include "text/scan.h"

namespace braid::text {

using namespace ir;

/// A place in a line, and where eight bytes can still be read.
struct FunctionReader::PlainLine {
  const char* at;
  const char* last;

  bool has_bytes() const { return at <= last; }
  bool take(char c) {
    if (*at != c) return false;
    ++at;
    return true;
  }
  bool take_separator() {
    if (at[0] != ',' || at[1] != ' ') return false;
    at += 2;
    return true;
  }
  /// A number without leading zeros that is no part of a longer word, or `unknown`.
  uint32_t number() {
    if (!has_bytes()) return unknown;
    Digits digits = leading_digits(load_bytes(at));
    if (digits.length == 0 || is(at[digits.length], name_part) || (*at == '0' && digits.length > 1)) return unknown;
    at += digits.length;
    return digits.value;
  }
  /// One of the types that are frequent, and the blank behind it.
  bool type(Type& out) {
    if (!has_bytes()) return false;
    uint32_t word = static_cast<uint32_t>(load_bytes(at));
    constexpr auto code = [](std::string_view text) { return static_cast<uint32_t>(packed(text)); };
    uint32_t length = 4;
    if (word == code("i64 ")) {
      out = i64;
    } else if (word == code("i32 ")) {
      out = i32;
    } else if (word == code("f64 ")) {
      out = f64;
    } else if (word == code("ptr ")) {
      out = ptr;
    } else if ((word & 0xffffff) == code("i1 ")) {
      out = i1;
      length = 3;
    } else {
      return false;
    }
    at += length;
    return true;
  }
};

/// The word of a value, or `unknown`. `type` is that of a literal, `none` where it is to bring its own.
inline uint32_t FunctionReader::plain_value(PlainLine& line, Type type) {
  if (line.take('%')) {
    uint32_t number = line.number();
    if (number != unknown) return number < numbered_.size() ? numbered_[number] : unknown;
    return plain_name(line);
  }
  // Seven digits are few enough for both types.
  if (type != i64 && type != i32) return unknown;
  bool negative = line.take('-');
  uint32_t number = line.number();
  if (number == unknown) return unknown;
  return r_.module.constants.get(type, negative ? 0 - uint64_t{number} : uint64_t{number}).word();
}

uint32_t FunctionReader::plain_name(PlainLine& line) {
  const char* first = line.at;
  if (!is(*first, name_start)) return unknown;
  while (is(*line.at, name_part)) ++line.at;
  const LocalName& local = r_.local({first, static_cast<size_t>(line.at - first)});
  return local.value_stamp == stamp_ ? local.value : unknown;
}

inline uint32_t FunctionReader::plain_block(PlainLine& line) {
  if (!line.take('b')) return unknown;
  uint32_t number = line.number();
  return number < blocks_by_number_.size() ? blocks_by_number_[number] : unknown;
}

/// Reads lines until one is not plain, and leaves that one as it was. `label` is the next label.
void FunctionReader::read_plain_lines(size_t& label) {
  const char* text = c_.text().data();
  const char* last = text + c_.text().size() - sizeof(uint64_t);
  if (c_.text().size() < sizeof(uint64_t)) return;
  for (;;) {
    PlainLine line{c_.at, last};
    if (line.at[0] == ' ' && line.at[1] == ' ') {
      line.at += 2;
      if (is_none(block_) || block_ended_ || !read_plain(line)) return;
    } else {
      if (label == labels_.size() || c_.at != text + labels_[label]) return;
      while (is(*line.at, name_part)) ++line.at;
      if (!line.take(':') || !line.take('\n')) return;
      start_block(static_cast<BlockId>(label++));
    }
    c_.at = line.at;
  }
}

/// At the first word. False leaves no trace.
bool FunctionReader::read_plain(PlainLine& line) {
  uint32_t offset = c_.offset_of(line.at), result = unknown;
  if (*line.at == '%') {
    ++line.at;
    result = line.number();
    if (result >= numbered_.size() || numbered_[result] != unknown) return false;
    if (line.at[0] != ' ' || line.at[1] != '=' || line.at[2] != ' ') return false;
    line.at += 3;
  }
  if (!line.has_bytes()) return false;
  unsigned length = 0;
  const PlainOp& op = plain_ops.find(leading_word(load_bytes(line.at), length));
  if (op.form == PlainOp::Form::none || f_->size() >= r_.options.max_statements) return false;
  line.at += length + 1;

  if (op.form >= PlainOp::Form::jump) return result == unknown && read_plain_end(line, op, offset);
  Type shown;
  if (!line.type(shown)) return false;
  if (op.form == PlainOp::Form::phi) return result != unknown && read_plain_phi(line, shown, result, offset);
  Stmt stmt{op.op, op.count, 0, {0, 0, 0}};
  for (uint32_t i = 0; i < op.count; ++i) {
    if (i > 0 && !line.take_separator()) return false;
    stmt.arg[i] = plain_value(line, op.literals ? shown : none);
    if (stmt.arg[i] == unknown) return false;
  }
  if (!line.take('\n')) return false;
  bool compares = op.form == PlainOp::Form::comparison;
  if (compares && f_->type_of(Operand::from_word(stmt.arg[0])) != shown) return false;
  in_prefix_ = false;
  append_plain({stmt, compares ? i1 : shown, {}}, result, offset);
  return true;
}

inline void FunctionReader::append_plain(const Inst& inst, uint32_t result, uint32_t offset) {
  waiting_before_ = unknown;
  map_.offsets_.push_back(offset);
  Ref position = f_->append(block_, inst);
  if (result != unknown) numbered_[result] = Operand(position).word();
}

/// `phi i64 [b1: %3, b2: 7]`, behind the type. A number that is not known yet may stand here.
bool FunctionReader::read_plain_phi(PlainLine& line, Type shown, uint32_t result, uint32_t offset) {
  size_t first = phi_entries_.size();
  auto read = [&] {
    if (!line.take('[')) return false;
    do {
      uint32_t block_offset = c_.offset_of(line.at);
      uint32_t from = plain_block(line);
      if (from == unknown || !line.take(':') || !line.take(' ')) return false;
      const char* value_at = line.at;
      uint32_t value = plain_value(line, shown);
      if (value == unknown) {
        if (value_at[0] != '%' || !is(value_at[1], decimal) || line.at == value_at + 1) return false;
        value = forward.word();
      }
      phi_entries_.push_back(
          {static_cast<BlockId>(from), Operand::from_word(value), block_offset, c_.offset_of(value_at)});
    } while (line.take_separator());
    return line.take(']') && line.take('\n');
  };
  if (!read()) {
    phi_entries_.resize(first);
    return false;
  }
  uint32_t count = static_cast<uint32_t>(phi_entries_.size() - first);
  phi_lists_.push_back({f_->size(), block_, static_cast<uint32_t>(first), count});
  append_plain({{phi_placeholder, 0, 0, {0, 0, 0}}, shown, {}}, result, offset);
  return true;
}

/// A terminator, behind its name.
bool FunctionReader::read_plain_end(PlainLine& line, const PlainOp& op, uint32_t offset) {
  uint32_t words[3] = {0, 0, 0};
  uint32_t count = 1;
  if (op.form == PlainOp::Form::jump) {
    words[0] = plain_block(line);
  } else {
    words[0] = plain_value(line, op.form == PlainOp::Form::ret ? f_->result_type() : none);
    if (op.form == PlainOp::Form::branch) {
      if (!line.take_separator()) return false;
      words[1] = plain_block(line);
      if (!line.take_separator()) return false;
      words[2] = plain_block(line);
      count = 3;
    }
  }
  for (uint32_t word : words)
    if (word == unknown) return false;
  if (!line.take('\n')) return false;
  waiting_before_ = unknown;
  map_.offsets_.push_back(offset);
  f_->terminate(block_, op.op, std::span(words, count));
  block_ended_ = true;
  return true;
}

}  // namespace braid::text
