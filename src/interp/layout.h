// How values of a type lie in registers, and the way between registers and `Value`.
//
//   scalar   one 64-bit register in canonical form (ir/bits.h)
//   mixed    two: the storage that the value has now, then its bits
//   tuple    its elements, one behind the other
//   handle   one: the number of a tuple in the store of the run; for tuples whose elements the type does not know
//   nothing  none: void, save states, the empty type
//
// A tuple inside of a mixed value is a handle, too. Recursive over nested tuples only, whose depth the type table bounds.
#pragma once

#include <braid/value.h>

#include <compare>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "type/type_table.h"

namespace braid::interp {

struct Layout {
  enum class Form : uint8_t { nothing, scalar, mixed, tuple, handle };
  Form form = Form::nothing;
  Storage storage = Storage::nothing;  ///< of a scalar
  uint32_t size = 0;                   ///< registers
};

struct ReferenceRegister {
  uint32_t number;
  bool is_mixed;  ///< the one before it says whether it holds a reference now
  friend auto operator<=>(const ReferenceRegister&, const ReferenceRegister&) = default;
};

/// Layouts of the types of one module, each computed once.
class Layouts {
 public:
  explicit Layouts(const TypeTable& types) : types_(&types) {}

  Layout of(Type type);
  /// The register of each element, counted from the first of the tuple, and the size behind the last.
  std::span<const uint32_t> offsets(Type tuple);
  bool same(Type a, Type b);
  /// The registers of a type's zero: numbers 0, references null, the first kind of a mixed type.
  void append_zero(Type type, std::vector<uint64_t>& words);
  /// Those registers of a type that may hold references, if its first one has this number.
  void append_references(Type type, uint32_t first, std::vector<ReferenceRegister>& registers);
  const TypeTable& types() const { return *types_; }

 private:
  const TypeTable* types_;
  std::unordered_map<uint32_t, Layout> layouts_;  ///< refined types only
  std::unordered_map<uint32_t, std::vector<uint32_t>> offsets_;
};

/// The tuples of a run that are held by handle. They live until its end.
class TupleStore {
 public:
  explicit TupleStore(uint64_t max_bytes) : max_bytes_(max_bytes) {}
  /// The handle, or 0 if there is no room.
  uint64_t add(const Value& tuple);
  /// Null if there is none.
  const Value* find(uint64_t handle) const {
    return handle - 1 < tuples_.size() ? &tuples_[static_cast<size_t>(handle - 1)] : nullptr;
  }

 private:
  std::vector<Value> tuples_;
  uint64_t bytes_ = 0, max_bytes_;
};

enum class Stored : uint8_t { ok, mismatch, no_room };

Value read_value(Layouts& layouts, const TupleStore& tuples, Type type, const uint64_t* registers);
/// Writes a value to the registers of a type, if it is of that type's storage.
Stored write_value(Layouts& layouts, TupleStore& tuples, Type type, const Value& value, uint64_t* registers);


/// Whether a value that comes from outside is one that a type with ranges or constants has; storages are what `write_value` looks
/// at. What a reference refers to only the runtime knows.
bool is_within(const TypeTable& types, const Value& value, Type type);

}  // namespace braid::interp
