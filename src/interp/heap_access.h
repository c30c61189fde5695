// Which intrinsics of a module read and write the heap, so that the machine may do it itself: an access that finds what it
// needs costs no call. One that does not is left to the checks and to the intrinsic, which know what is to be thrown.
#pragma once

#include <cstdint>
#include <vector>

#include "heap/heap.h"

namespace braid::interp {

enum class Access : uint8_t {
  none,
  length,  ///< of an array
  // An element: array, index. Narrow ones are extended by their sign (i) or by zeros (u).
  load_i8, load_u8, load_i16, load_u16, load_i32, load_u32, load_64, load_ref,
  // An element: array, index, value
  store_8, store_16, store_32, store_64,
  // A field: object, its number as a constant; and value
  get, put,
};

struct HeapAccess {
  /// What a number means that get and put name.
  struct Field {
    uint32_t number = 0;     ///< of the heap
    bool is_stored_whole = false;  ///< put writes the bits that it gets
  };
  const heap::Heap* heap = nullptr;
  std::vector<Access> intrinsics;  ///< by number; those behind the last have none
  std::vector<Field> fields;

  Access of(uint32_t intrinsic) const { return intrinsic < intrinsics.size() ? intrinsics[intrinsic] : Access::none; }
};

}  // namespace braid::interp
