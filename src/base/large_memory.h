// Large arrays in large pages.
//
// New memory costs a fault for every page when it is first written: for arrays of many megabytes that is a good part of the time
// that it takes to fill them. Where the system has pages of some megabytes, it is asked for these. Not for arrays that fill a page
// or two of that size and are made often: the statements of a function were built much more slowly that way.
#pragma once

#include <cstddef>
#include <vector>

namespace braid {

/// For memory that is going to be filled from its beginning. Says nothing about what is in it.
void prefer_large_pages(void* data, size_t bytes);

template <typename T>
void reserve_large(std::vector<T>& things, size_t count) {
  if (things.capacity() >= count) return;
  things.reserve(count);
  prefer_large_pages(things.data(), things.capacity() * sizeof(T));
}

}  // namespace braid
