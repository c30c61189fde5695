// Operands of statements: values and their names, literals, blocks, variables, functions, globals.
#include <bit>
#include <limits>

#include "base/number_text.h"
#include "ir/bits.h"
#include "ir/strings.h"
#include "ir/transfer.h"
#include "text/function_reader.h"
#include "text/names.h"
#include "type/type_text.h"

namespace braid::text {

using namespace ir;

// ---- names of values ----

uint32_t& FunctionReader::numbered(uint32_t number) {
  if (number >= numbered_.size()) numbered_.resize(number + 1 + number / 2, unknown);
  return numbered_[number];
}

/// At a `%`. Moves behind the name.
bool FunctionReader::scan_value_name(Slot& slot) {
  const char* first = c_.at;
  const char* at = first + 1;
  slot.kind = Slot::Kind::numbered;
  if (*at == '+') {
    slot.kind = Slot::Kind::buffered;
    ++at;
  }
  if (is(*at, decimal)) {
    uint64_t number = 0;
    const char* digits = at;
    for (; is(*at, decimal); ++at)
      if (number < number_limit_) number = number * 10 + static_cast<uint64_t>(*at - '0');
    if (is(*at, name_part)) return c_.fail("a name does not begin with a digit");
    bool plain = *digits != '0' || at - digits == 1;
    c_.at = at;
    if (number < number_limit_ && plain) {
      slot.index = static_cast<uint32_t>(number);
      return true;
    }
    if (slot.kind == Slot::Kind::buffered) return c_.fail_at(first, "this number is too large");
  } else {
    if (slot.kind == Slot::Kind::buffered || !is(*at, name_start)) return c_.fail("expected a name behind '%'");
    while (is(*at, name_part)) ++at;
    c_.at = at;
  }
  std::string_view name(first + 1, static_cast<size_t>(at - first - 1));
  if (name == "erased") return c_.fail_at(first, "an operand that was erased cannot be read");
  slot.kind = Slot::Kind::named;
  slot.index = r_.local_index(name);
  return true;
}

/// The operand word of a name, `unknown` if it is not defined yet; buffered ones are known only at the end.
uint32_t FunctionReader::word_of(const Slot& slot) {
  switch (slot.kind) {
    case Slot::Kind::numbered: return slot.index < numbered_.size() ? numbered_[slot.index] : unknown;
    case Slot::Kind::named: {
      const LocalName& local = r_.locals[slot.index];
      return local.value_stamp == stamp_ ? local.value : unknown;
    }
    default: return unknown;
  }
}

/// The operand word of the name that stands at `offset`, when all lines are read.
uint32_t FunctionReader::lookup(uint32_t offset) {
  c_.go_to(offset);
  if (int64_t number = scan_number(); number >= 0)
    return static_cast<size_t>(number) < numbered_.size() ? numbered_[static_cast<size_t>(number)] : unknown;
  Slot slot;
  if (!scan_value_name(slot)) return unknown;
  if (slot.kind != Slot::Kind::buffered) return word_of(slot);
  uint32_t entry = slot.index < buffered_names_.size() ? buffered_names_[slot.index] : unknown;
  return entry == unknown || buffered_rank_.empty() ? entry : Operand(static_cast<NewRef>(buffered_rank_[entry])).word();
}

// ---- values ----

bool FunctionReader::read_value() {
  c_.blanks();
  char c = *c_.at;
  if (c == '%') return read_named_value();
  if (is(c, decimal) || c == '-' || c == '.' || c == '"') return read_literal(context_type());
  return read_other_value();
}

bool FunctionReader::read_named_value() {
  uint32_t offset = c_.offset();
  if (take_known_value()) return true;
  Slot slot;
  if (!scan_value_name(slot)) return false;
  uint32_t word = word_of(slot);
  if (word == unknown) {
    forwards_.push_back({static_cast<uint32_t>(words_.size()), offset});
    word = forward.word();
  }
  push(word);
  return true;
}

bool FunctionReader::read_other_value() {
  const char* first = c_.at;
  std::string_view word = c_.peek_name();
  if (word == "undef") {
    c_.at += word.size();
    push(Operand::undef());
    return true;
  }
  if (word == "true" || word == "false" || word == "inf" || word == "nan") return read_literal(context_type());
  if (word == "null") {
    // Also the name of a type: `null null` is a literal with its type.
    c_.at += word.size();
    c_.blanks();
    bool is_type = c_.peek_name() == "null";
    c_.at = first;
    if (!is_type) return read_literal(context_type());
  }
  if (word.empty()) return c_.fail("expected a value, found " + c_.shown_token());
  size_t position = c_.offset();
  std::string error;
  std::optional<Type> type = parse_type(r_.module.types, c_.text(), position, error, &r_.module.symbols);
  if (!type) return c_.fail("expected a value, found " + c_.shown_token());
  c_.go_to(static_cast<uint32_t>(position));
  c_.blanks();
  if (!is(*c_.at, name_part) && *c_.at != '-' && *c_.at != '"') return c_.fail("expected a literal, found " + c_.shown_token());
  if (!type->is_plain()) return c_.fail_at(first, "the type of a literal has no constant, range or class");
  return read_literal(*type);
}

// ---- literals ----

Type FunctionReader::context_type() {
  return literal_type(*f_, d_.op, d_.shown, words_, static_cast<uint32_t>(words_.size()));
}

bool FunctionReader::literal_fails(Type type) {
  return c_.fail("expected a literal of type " + to_string(r_.module.types, type) + ", found " + c_.shown_token());
}

bool FunctionReader::read_literal(Type type) {
  if (type == none && d_.op == Op::ret) return c_.fail("the function returns nothing");
  if (type == none) return c_.fail("a literal needs its type here, as in 'i64 5'");
  if (!std::has_single_bit(type.bits)) return c_.fail("a literal has one kind of type, as in 'i64 5'");
  Kind kind = static_cast<Kind>(std::countr_zero(type.bits));
  if (is_integer(kind)) return read_integer(kind);
  if (is_float(kind)) return read_float(kind);
  if (kind == Kind::string) {
    if (*c_.at != '"') return literal_fails(type);
    if (!c_.quoted(r_.scratch)) return false;
    push(string_constant(r_.module, r_.scratch));
    return true;
  }
  return read_address(kind);
}

/// Decimal within the signed range, or hexadecimal as a pattern of as many bits as the type has.
bool FunctionReader::read_integer(Kind kind) {
  const char* first = c_.at;
  Type type = of(kind);
  if (is(*first, name_start)) {
    std::string_view word = c_.name();
    if (kind == Kind::i1 && (word == "true" || word == "false")) {
      push(r_.module.constant(i1, word == "true"));
      return true;
    }
    c_.at = first;
    return literal_fails(type);
  }
  const char* at = first;
  bool negative = *at == '-';
  if (negative) ++at;
  bool hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
  uint64_t magnitude = 0;
  bool fits = true;
  if (hex) at += 2;
  const char* digits = at;
  for (;; ++at) {
    int digit = hex ? hex_value(*at) : is(*at, decimal) ? *at - '0' : -1;
    if (digit < 0) break;
    uint64_t base = hex ? 16 : 10;
    // Fifteen digits never overflow, not even hexadecimal ones; beyond them every step looks.
    if (at - digits >= 15 && magnitude > (~uint64_t{0} - static_cast<uint64_t>(digit)) / base) fits = false;
    magnitude = magnitude * base + static_cast<uint64_t>(digit);
  }
  if (at == digits || is(*at, name_part)) return literal_fails(type);
  std::optional<uint64_t> bits = ir::literal_bits(kind, negative, hex, magnitude);
  if (!fits || !bits) return c_.fail(std::string(first, at) + " does not fit " + std::string(kind_name(kind)));
  c_.at = at;
  push(r_.module.constants.get(type, *bits));
  return true;
}

bool FunctionReader::read_float(Kind kind) {
  const char* first = c_.at;
  const char* at = first;
  if (*at == '-') ++at;
  if (std::string_view(at, c_.text().data() + c_.text().size()).starts_with("nan:")) at += 4;
  auto sign_of_exponent = [&] {
    char before = static_cast<char>(at[-1] | 0x20);
    return (*at == '+' || *at == '-') && at > first && (before == 'e' || before == 'p');
  };
  while ((is(*at, name_part) && *at != '$' && *at != '_') || sign_of_exponent()) ++at;
  std::string_view number(first, static_cast<size_t>(at - first));
  uint64_t bits = 0;
  NumberStatus status;
  if (kind == Kind::f64) {
    ParsedNumber<double> parsed = parse_f64(number);
    bits = std::bit_cast<uint64_t>(parsed.value);
    status = parsed.status;
  } else {
    ParsedNumber<float> parsed = parse_f32(number);
    bits = std::bit_cast<uint32_t>(parsed.value);
    status = parsed.status;
  }
  if (status == NumberStatus::malformed) return literal_fails(of(kind));
  if (status == NumberStatus::out_of_range)
    return c_.fail(std::string(number) + " does not fit " + std::string(kind_name(kind)));
  c_.at = at;
  push(r_.module.constants.get(of(kind), bits));
  return true;
}

/// Raw pointers and references: `null`, or the bits.
bool FunctionReader::read_address(Kind kind) {
  uint64_t bits = 0;
  if (!c_.take_word("null")) {
    if (!is(*c_.at, decimal) || kind == Kind::null_) return literal_fails(of(kind));
    if (!c_.number(bits, ~uint64_t{0}, "an address")) return false;
  }
  push(r_.module.constants.get(of(kind), bits));
  return true;
}

// ---- other operands ----

bool FunctionReader::read_operand(OperandKind kind) {
  c_.blanks();
  const char* first = c_.at;
  std::string_view name;
  switch (kind) {
    case OperandKind::value: return read_value();
    case OperandKind::block: return read_block_operand();
    case OperandKind::variable: return read_variable_operand();
    case OperandKind::function: {
      if (!c_.global_name(name, r_.scratch)) return false;
      Function* callee = r_.module.find_function(name);
      if (!callee) return c_.fail_at(first, "unknown function '@" + std::string(name) + "'");
      push(index(callee->id()));
      return true;
    }
    case OperandKind::global: {
      if (!c_.global_name(name, r_.scratch)) return false;
      Symbol symbol = r_.module.symbols.find(name);
      GlobalId global = is_none(symbol) ? none_id<GlobalId> : r_.module.find_global(symbol);
      if (is_none(global)) return c_.fail_at(first, "unknown global '@" + std::string(name) + "'");
      push(index(global));
      return true;
    }
    case OperandKind::symbol:
      if (!c_.quoted(r_.scratch)) return false;
      push(index(r_.module.symbol(r_.scratch)));
      return true;
    case OperandKind::type: {
      Type type;
      if (!r_.type(type)) return false;
      push(type.bits);
      return true;
    }
    case OperandKind::immediate: {
      uint64_t number = 0;
      if (!c_.number(number, std::numeric_limits<uint32_t>::max(), "a number of 32 bits")) return false;
      push(static_cast<uint32_t>(number));
      return true;
    }
    case OperandKind::intrinsic:
    case OperandKind::signature: break;
  }
  return c_.fail("this operand has no text");
}

uint32_t FunctionReader::named_block(std::string_view name) const {
  Symbol symbol = r_.module.symbols.find(name);
  if (is_none(symbol) || index(symbol) >= r_.blocks.size()) return unknown;
  const BlockName& known = r_.blocks[index(symbol)];
  return known.stamp == stamp_ ? known.block : unknown;
}

bool FunctionReader::read_block_operand() {
  const char* first = c_.at;
  std::string_view name = c_.name();
  if (name.empty()) return c_.fail("expected the label of a block, found " + c_.shown_token());
  if (d_.op == Op::enter && words_.empty() && name == "none") {
    push(index(none_id<BlockId>));
    return true;
  }
  uint32_t block = unknown;
  if (int64_t number = number_behind(block_prefix, name); number >= 0 && number < int64_t{number_limit_}) {
    if (static_cast<size_t>(number) < blocks_by_number_.size()) block = blocks_by_number_[static_cast<size_t>(number)];
  } else {
    block = named_block(name);
  }
  if (block == unknown) return c_.fail_at(first, "unknown block '" + std::string(name) + "'");
  push(block);
  return true;
}

bool FunctionReader::read_variable_operand() {
  const char* first = c_.at;
  std::string_view name = c_.name();
  if (name.empty()) return c_.fail("expected the name of a variable, found " + c_.shown_token());
  const LocalName& local = r_.local(name);
  if (local.variable_stamp != stamp_) return c_.fail_at(first, "unknown variable '" + std::string(name) + "'");
  push(local.variable);
  return true;
}

}  // namespace braid::text
