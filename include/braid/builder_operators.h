// Operators and assignment on the Builder's values and variables. Part of builder.h, which includes it.
//
// What needs no call is done here: a variable that is known is read from the table, and an operator whose operands are integers
// of one type is written at the end of the block.
#pragma once

#include <braid/builder.h>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace braid {

template <typename T>
concept ValueHandle = std::same_as<T, Val> || std::same_as<T, Var>;
template <typename T>
concept ValueOrNumber = ValueHandle<T> || std::is_arithmetic_v<T>;
template <typename L, typename R>
concept BuilderOperands = ValueOrNumber<L> && ValueOrNumber<R> && (ValueHandle<L> || ValueHandle<R>);

/// Reaches into handles for the operators below.
struct Handle {
  static Builder* builder(const Val& v) { return v.builder_; }
  static Builder* builder(const Var& v) { return v.builder_; }
  static uint32_t word(const Val& v) { return v.builder_->current(v.word()); }
  static uint32_t word(const Var& v) { return v.builder_->read(v.number_); }
  // Most values are called what they were when they were made. A variable is often to be read in the one call that it takes.
  static bool is_known(const Val& v) { return !v.builder_->writer_.is_outdated(v.word()); }
  static bool is_known(const Var&) { return true; }
  static uint32_t known_word(const Val& v) { return v.word(); }
  static uint32_t known_word(const Var& v) { return word(v); }
  static Type type(const Val& v) { return v.type(); }
  static Type type(const Var& v) { return v.type_; }
  template <typename T>
  static uint32_t literal(Builder* b, Type type, T value) {
    if constexpr (std::is_floating_point_v<T>)
      return b->literal(type, static_cast<double>(value));
    else if constexpr (detail::may_be_large<T>)
      return b->literal(type, static_cast<uint64_t>(value));
    else
      return b->literal(type, static_cast<int64_t>(value));
  }
  static void write(const Var& v, uint32_t word) { v.builder_->write(v.number_, word); }
  static void write(const Var& v, const Val& value) {
    bool fits = value.builder_ == v.builder_ && value.type() == v.type_;
    v.builder_->write(v.number_, fits ? v.builder_->current(value.word()) : v.builder_->checked(value, v.type_));
  }

  // What is not done in place gets copies: a handle whose address is given away would have to be read again after every
  // statement that is written.
  static Val copy(const Val& v) { return v; }
  static Var copy(const Var& v) { return Var(v.builder_, v.number_, v.type_); }
  template <typename T>
    requires std::is_arithmetic_v<T>
  static T copy(T number) {
    return number;
  }

  /// Operands are read from the left to the right: a first read may check.
  template <typename L, typename R>
  [[gnu::noinline]] static detail::TypedWord binary_slow(Builder::Sign sign, L left, R right) {
    if constexpr (std::is_arithmetic_v<R>) {
      Builder* b = builder(left);
      return b->binary_slow(sign, word(left), literal(b, type(left), right), type(left), type(left));
    } else if constexpr (std::is_arithmetic_v<L>) {
      Builder* b = builder(right);
      return b->binary_slow(sign, literal(b, type(right), left), word(right), type(right), type(right));
    } else {
      Builder* b = builder(left);
      uint32_t first = word(left);
      uint32_t second = builder(right) == b ? word(right) : b->checked(right, type(right));
      return b->binary_slow(sign, first, second, type(left), type(right));
    }
  }
  template <Builder::Sign sign, typename L, typename R>
  [[gnu::always_inline]] static inline detail::TypedWord write_binary(const L& left, const R& right) {
    if constexpr (ValueHandle<L> && ValueHandle<R>) {
      Builder* b = builder(left);
      if (builder(right) == b && is_known(left) && is_known(right)) [[likely]] {
        uint32_t first = known_word(left), second = known_word(right);
        if (b->may_write_integers(type(left), type(right))) [[likely]] {
          uint32_t head = detail::operator_heads[2 * static_cast<unsigned>(sign)];
          return b->write_operator(sign, head, first, second, type(left));
        }
        // A variable is not read twice: that may check twice.
        if constexpr (!std::same_as<L, Val> || !std::same_as<R, Val>)
          return b->binary_slow(sign, first, second, type(left), type(right));
      }
    }
    return binary_slow<L, R>(sign, copy(left), copy(right));
  }
  template <Builder::Sign sign, typename L, typename R>
  [[gnu::always_inline]] static inline Val binary(const L& left, const R& right) {
    if constexpr (ValueHandle<L>)
      return Val(builder(left), write_binary<sign>(left, right));
    else
      return Val(builder(right), write_binary<sign>(left, right));
  }
  static Val minus(const Val& v) { return v.builder_->unary_minus(v); }
  static Val complement(const Val& v) { return v.builder_->complement(v); }
  static Val negation(const Val& v) { return v.builder_->negation(v); }
};

inline Val Var::get() const { return Val(builder_, builder_->writer_.name(builder_->read(number_)), type_); }
inline Var& Var::operator=(const Var& other) {
  Handle::write(*this, other.get());
  return *this;
}
inline Var& Var::operator=(const Val& value) {
  Handle::write(*this, value);
  return *this;
}
template <typename T>
  requires std::is_arithmetic_v<T>
inline Var& Var::operator=(T literal) {
  Handle::write(*this, Handle::literal(builder_, type_, literal));
  return *this;
}

template <typename T>
  requires std::is_arithmetic_v<T>
inline Val Builder::constant(Type type, T value) {
  type = known(type);
  return Val(this, Handle::literal(this, type, value), type);
}

// Operators take integers as signed; the unsigned operations have names (`b.op("udiv", {x, y})`).
#define BRAID_OPERATOR(symbol, sign)                              \
  template <typename L, typename R>                               \
    requires BuilderOperands<L, R>                                \
  [[gnu::always_inline]] inline Val operator symbol(const L& left, const R& right) { \
    return Handle::binary<Builder::Sign::sign>(left, right);      \
  }
BRAID_OPERATOR(+, add)
BRAID_OPERATOR(-, sub)
BRAID_OPERATOR(*, mul)
BRAID_OPERATOR(/, div)
BRAID_OPERATOR(%, rem)
BRAID_OPERATOR(&, and_)
BRAID_OPERATOR(|, or_)
BRAID_OPERATOR(^, xor_)
BRAID_OPERATOR(<<, shl)
BRAID_OPERATOR(>>, shr)
BRAID_OPERATOR(<, lt)
BRAID_OPERATOR(<=, le)
BRAID_OPERATOR(>, gt)
BRAID_OPERATOR(>=, ge)
BRAID_OPERATOR(==, eq)
BRAID_OPERATOR(!=, ne)
#undef BRAID_OPERATOR

inline Val operator-(const Val& value) { return Handle::minus(value); }
inline Val operator~(const Val& value) { return Handle::complement(value); }
/// Of an i1; of a number, `x == 0` says whether it is zero.
inline Val operator!(const Val& condition) { return Handle::negation(condition); }

#define BRAID_ASSIGN(symbol, sign)                                                   \
  template <typename R>                                                              \
    requires ValueOrNumber<R>                                                        \
  [[gnu::always_inline]] inline Var& operator symbol(Var& left, const R& right) {    \
    Handle::write(left, Handle::binary<Builder::Sign::sign>(left, right));           \
    return left;                                                                     \
  }
BRAID_ASSIGN(+=, add)
BRAID_ASSIGN(-=, sub)
BRAID_ASSIGN(*=, mul)
BRAID_ASSIGN(/=, div)
BRAID_ASSIGN(%=, rem)
BRAID_ASSIGN(&=, and_)
BRAID_ASSIGN(|=, or_)
BRAID_ASSIGN(^=, xor_)
BRAID_ASSIGN(<<=, shl)
BRAID_ASSIGN(>>=, shr)
#undef BRAID_ASSIGN

}  // namespace braid
