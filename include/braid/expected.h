// Expected<T>: a value, or the diagnostics that say why there is none. Works without exceptions.
#pragma once

#include <cassert>
#include <optional>
#include <type_traits>
#include <utility>

#include <braid/diagnostic.h>

namespace braid {

template <class T>
class Expected;

/// What an Expected<T> can be made from, apart from diagnostics.
template <class U, class T>
concept ValueFor = !std::is_same_v<std::remove_cvref_t<U>, Expected<T>> &&
                   !std::is_same_v<std::remove_cvref_t<U>, Diagnostics> &&
                   !std::is_same_v<std::remove_cvref_t<U>, Diagnostic> && std::is_convertible_v<U&&, T>;

template <class T>
class [[nodiscard]] Expected {
 public:
  using value_type = T;

  /// Implicit from whatever converts to T, so that `return value;` works.
  template <ValueFor<T> U = T>
  Expected(U&& value) : value_(std::in_place, std::forward<U>(value)) {}
  Expected(Diagnostics diagnostics) : diagnostics_(std::move(diagnostics)) {}
  Expected(Diagnostic diagnostic) : diagnostics_(std::move(diagnostic)) {}

  bool has_value() const { return value_.has_value(); }
  explicit operator bool() const { return has_value(); }

  T& operator*() & {
    assert(has_value() && "Expected without a value");
    return *value_;
  }
  const T& operator*() const& {
    assert(has_value() && "Expected without a value");
    return *value_;
  }
  T&& operator*() && {
    assert(has_value() && "Expected without a value");
    return std::move(*value_);
  }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }

  /// The value; without one, prints the diagnostics to standard error and exits with code 70.
  T& value() & {
    require_value();
    return *value_;
  }
  const T& value() const& {
    require_value();
    return *value_;
  }
  T&& value() && {
    require_value();
    return std::move(*value_);
  }
  template <class U>
  T value_or(U&& other) const& {
    return has_value() ? *value_ : static_cast<T>(std::forward<U>(other));
  }
  template <class U>
  T value_or(U&& other) && {
    return has_value() ? std::move(*value_) : static_cast<T>(std::forward<U>(other));
  }

  /// Why there is no value; empty if there is one.
  const Diagnostics& error() const& { return diagnostics_; }
  Diagnostics& error() & { return diagnostics_; }
  Diagnostics&& error() && { return std::move(diagnostics_); }

 private:
  void require_value() const {
    if (!has_value()) exit_with(diagnostics_);
  }

  std::optional<T> value_;
  Diagnostics diagnostics_;
};

/// Success, or the diagnostics of a failure. Success is the default.
template <>
class [[nodiscard]] Expected<void> {
 public:
  using value_type = void;

  Expected() = default;
  Expected(Diagnostics diagnostics) : diagnostics_(std::move(diagnostics)), failed_(true) {}
  Expected(Diagnostic diagnostic) : diagnostics_(std::move(diagnostic)), failed_(true) {}

  bool has_value() const { return !failed_; }
  explicit operator bool() const { return has_value(); }
  void value() const {
    if (failed_) exit_with(diagnostics_);
  }
  const Diagnostics& error() const& { return diagnostics_; }
  Diagnostics& error() & { return diagnostics_; }
  Diagnostics&& error() && { return std::move(diagnostics_); }

 private:
  Diagnostics diagnostics_;
  bool failed_ = false;
};

}  // namespace braid
