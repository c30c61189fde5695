// Typed 32-bit ids: one enum class per kind of thing, so that a block number cannot be used as a statement
// number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace braid {

/// An id is an `enum class X : uint32_t {}`; its number is its position in some vector.
template <typename T>
concept Id = std::is_enum_v<T> && std::is_same_v<std::underlying_type_t<T>, uint32_t>;

template <Id I>
constexpr uint32_t index(I id) {
  return static_cast<uint32_t>(id);
}

/// The value that stands for "no such thing" in every id type.
template <Id I>
inline constexpr I none_id = static_cast<I>(0xffffffffu);

template <Id I>
constexpr bool is_none(I id) {
  return id == none_id<I>;
}

}  // namespace braid
