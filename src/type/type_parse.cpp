// Reading types; see type_text.h for the grammar. Linear in the text; recursion is as deep as tuples may
// nest.
#include <charconv>

#include "base/number_text.h"
#include "type/int_bounds.h"
#include "type/type_text.h"

namespace braid {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; }

/// A word of up to eight characters as one number, to switch on.
constexpr uint64_t packed(std::string_view word) {
  uint64_t number = 0;
  for (char c : word) number = number << 8 | static_cast<unsigned char>(c);
  return number;
}
constexpr uint64_t packed(Kind kind) { return packed(kind_name(kind)); }

/// The plain type that a word names.
std::optional<Type> plain_type(std::string_view word) {
  if (word.empty() || word.size() > 8) return std::nullopt;
  switch (packed(word)) {
    case packed(Kind::i64): return i64;
    case packed(Kind::i32): return i32;
    case packed(Kind::i1): return i1;
    case packed("bool"): return bool_;
    case packed(Kind::i8): return i8;
    case packed(Kind::i16): return i16;
    case packed(Kind::f32): return f32;
    case packed(Kind::f64): return f64;
    case packed(Kind::ptr): return ptr;
    case packed(Kind::ref): return ref;
    case packed(Kind::null_): return null_type;
    case packed(Kind::string): return string_type;
    case packed(Kind::array): return array_type;
    case packed(Kind::object): return object_type;
    case packed(Kind::tuple): return tuple_type;
    case packed(Kind::token): return token_type;
    case packed(Kind::state): return state_type;
    case packed(Kind::void_): return void_type;
    case packed("none"): return none;
    case packed("any"): return any;
    default: return std::nullopt;
  }
}

class TypeReader {
 public:
  TypeReader(TypeTable& table, std::string_view text, size_t& pos, std::string& error, SymbolTable* symbols)
      : table_(table), text_(text), pos_(pos), error_(error), symbols_(symbols) {}

  std::optional<Type> read_type(uint32_t depth) {
    Type type = none;
    do {
      const size_t start = pos_;
      const std::optional<Type> part = read_part(depth);
      if (!part) return std::nullopt;
      const bool is_alone = *part == none || *part == any;
      if (is_alone && type == none && peek() != '|') return part;
      if (is_alone) return fail_at(start, "'none' and 'any' stand alone");
      if ((table_.kinds(type) & table_.kinds(*part)) != 0)
        return fail_at(start, "the same kind twice in one type");
      type = table_.join(type, *part);
    } while (skip('|'));
    return type;
  }

 private:
  char peek() const { return pos_ < text_.size() ? text_[pos_] : '\0'; }
  bool skip(char c) {
    if (peek() != c || pos_ >= text_.size()) return false;
    ++pos_;
    return true;
  }
  void skip_space() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++pos_;
  }
  std::nullopt_t fail(std::string message) {
    error_ = std::move(message);
    return std::nullopt;
  }
  std::nullopt_t fail_at(size_t pos, std::string message) {
    pos_ = pos;
    return fail(std::move(message));
  }

  std::optional<Type> read_part(uint32_t depth) {
    const size_t start = pos_;
    if (peek() == '(') return read_tuple(depth);
    while (is_word(peek())) ++pos_;
    const std::string_view word = text_.substr(start, pos_ - start);
    if (word.empty()) return fail("expected a type");
    const std::optional<Type> plain = plain_type(word);
    if (!plain) return fail_at(start, "unknown type '" + std::string(word) + "'");
    if (const char next = peek(); next != '=' && next != '[' && next != ':') return plain;
    if (!std::has_single_bit(plain->bits)) return plain;
    return read_refinement(static_cast<Kind>(std::countr_zero(plain->bits)));
  }

  /// The kind was read; `=`, `[` or `:` follows. What does not belong to the kind is left to the caller.
  std::optional<Type> read_refinement(Kind kind) {
    if (is_integer(kind) && skip('=')) {
      const std::optional<int64_t> value = read_integer(kind);
      if (!value) return std::nullopt;
      return table_.int_constant(kind, *value);
    }
    if (is_integer(kind) && skip('[')) return read_range(kind);
    if (is_float(kind) && skip('='))
      return kind == Kind::f32 ? read_float(kind, parse_f32) : read_float(kind, parse_f64);
    if (kind == Kind::string && skip('=')) return read_symbol();
    if ((kind == Kind::object || kind == Kind::ref) && skip(':')) return read_class(kind);
    return of(kind);
  }

  template <typename Number>
  std::optional<Number> read_number() {
    Number value = 0;
    const char* const begin = text_.data() + pos_;
    const auto [end, code] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (code == std::errc::invalid_argument) return fail("expected an integer");
    if (code != std::errc()) return fail("this number has too many digits");
    pos_ += static_cast<size_t>(end - begin);
    return value;
  }

  std::optional<int64_t> read_integer(Kind kind) {
    const size_t start = pos_;
    const std::optional<int64_t> value = read_number<int64_t>();
    if (!value || (int_min(kind) <= *value && *value <= int_max(kind))) return value;
    return fail_at(start, std::to_string(*value) + " does not fit " + std::string(kind_name(kind)));
  }

  std::optional<Type> read_range(Kind kind) {
    const std::optional<int64_t> lo = read_integer(kind);
    if (!lo) return std::nullopt;
    if (!skip('.') || !skip('.')) return fail("expected '..' in a range");
    const size_t hi_start = pos_;
    const std::optional<int64_t> hi = read_integer(kind);
    if (!hi) return std::nullopt;
    if (*lo > *hi) return fail_at(hi_start, "this range is empty");
    if (!skip(']')) return fail("expected ']' after a range");
    return table_.int_range(kind, *lo, *hi);
  }

  /// The characters of a number: a sign stands only in front of it or of its exponent.
  std::string_view scan_float() {
    const size_t start = pos_;
    if (text_.substr(pos_, 4) == "nan:") pos_ += 4;
    for (; pos_ < text_.size(); ++pos_) {
      const char before = pos_ == start ? 'e' : text_[pos_ - 1];
      const bool may_sign = before == 'e' || before == 'E' || before == 'p' || before == 'P';
      const bool is_sign = peek() == '-' || peek() == '+';
      if (!is_word(peek()) && peek() != '.' && !(is_sign && may_sign)) break;
    }
    return text_.substr(start, pos_ - start);
  }

  template <typename Float>
  std::optional<Type> read_float(Kind kind, ParsedNumber<Float> (*parse)(std::string_view)) {
    using Bits = std::conditional_t<sizeof(Float) == 4, uint32_t, uint64_t>;
    const size_t start = pos_;
    const ParsedNumber<Float> number = parse(scan_float());
    if (number.status == NumberStatus::malformed) return fail_at(start, "expected a float such as 0x1.8p+1");
    if (!number) return fail_at(start, "this number does not fit " + std::string(kind_name(kind)));
    return table_.float_constant(kind, std::bit_cast<Bits>(number.value));
  }

  std::optional<Type> read_symbol() {
    if (symbols_) {
      if (!skip('"')) return fail("expected a text in quotes");
      const std::optional<std::string> text = read_quoted();
      if (!text) return std::nullopt;
      return table_.string_constant(index(symbols_->intern(*text)));
    }
    if (!skip('#')) return fail("expected '#' and the number of a symbol");
    const std::optional<uint32_t> symbol = read_number<uint32_t>();
    if (!symbol) return std::nullopt;
    return table_.string_constant(*symbol);
  }

  std::optional<Type> read_class(Kind kind) {
    const size_t start = pos_;
    const std::optional<std::string> name = skip('"') ? read_quoted() : read_bare();
    if (!name) return std::nullopt;
    const ClassId id = table_.find_class(*name);
    if (is_none(id)) return fail_at(start, "unknown class '" + *name + "'");
    return table_.of_class(kind, id, skip('!'));
  }

  std::optional<std::string> read_bare() {
    const size_t start = pos_;
    while (is_word(peek()) || peek() == '.' || peek() == '$') ++pos_;
    if (pos_ == start || is_digit(text_[start])) return fail_at(start, "expected the name of a class");
    return std::string(text_.substr(start, pos_ - start));
  }

  /// The opening quote was read.
  std::optional<std::string> read_quoted() {
    std::string name;
    while (!skip('"')) {
      if (pos_ >= text_.size() || peek() == '\n') return fail("expected '\"' at the end of a text");
      if (!skip('\\')) {
        name += text_[pos_++];
      } else if (peek() == '"' || peek() == '\\') {
        name += text_[pos_++];
      } else {
        uint8_t code = 0;
        const std::string_view digits = text_.substr(pos_ + (peek() == 'x'), 2);
        const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
        if (peek() != 'x' || status != std::errc() || end != digits.data() + 2) {
          return fail("expected \\\", \\\\ or \\x and two hexadecimal digits");
        }
        name += static_cast<char>(code);
        pos_ += 3;
      }
    }
    return name;
  }

  std::optional<Type> read_tuple(uint32_t depth) {
    if (depth == TypeTable::max_tuple_depth) {
      return fail("tuples are nested more than " + std::to_string(depth) + " deep");
    }
    std::vector<Type> elements;
    ++pos_;
    skip_space();
    bool has_comma = true;
    while (!skip(')')) {
      if (!has_comma) return fail("expected ',' or ')' in a tuple");
      const size_t start = pos_;
      const std::optional<Type> element = read_type(depth + 1);
      if (!element) return std::nullopt;
      if (*element == none) return fail_at(start, "a tuple has no element of type none");
      elements.push_back(*element);
      skip_space();
      has_comma = skip(',');
      skip_space();
      if (elements.size() == 1 && !has_comma) return fail("expected ',' after the first element of a tuple");
    }
    return table_.tuple_of_any_size(elements);
  }

  TypeTable& table_;
  std::string_view text_;
  size_t& pos_;
  std::string& error_;
  SymbolTable* symbols_;
};

}  // namespace

std::optional<Type> parse_type(TypeTable& table, std::string_view text, size_t& pos, std::string& error,
                               SymbolTable* symbols) {
  return TypeReader(table, text, pos, error, symbols).read_type(0);
}

}  // namespace braid
