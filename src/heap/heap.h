// A managed heap: objects with fields, arrays and strings, and a precise collector that marks and sweeps. It knows no language:
// a class says which of its fields are references, an array of what its elements are.
//
// A reference is 64 bits: the number of a slot, and how often the slot was given away. 0 is null, the top bit is never set.
// Objects do not move. Every question has an answer for any bits: what is no reference to a living object is told from one that
// is by one comparison, so that a wrong reference, or one that the roots have forgotten, cannot crash anything.
//
// Marking uses a list, not the stack: O(objects that live); sweeping is O(slots).
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "base/id.h"

namespace braid::heap {

using Reference = uint64_t;
inline constexpr Reference null = 0;

enum class ClassId : uint32_t {};

enum class Shape : uint8_t { object, array, string };
/// What an array holds. References are 8 bytes.
enum class Element : uint8_t { bits8, bits16, bits32, bits64, reference };
constexpr unsigned size_of(Element element) {
  return element == Element::reference ? 8 : 1u << static_cast<unsigned>(element);
}

struct Class {
  Shape shape = Shape::object;
  Element element = Element::bits8;         ///< of an array
  uint32_t field_count = 0;                 ///< of an object, 64 bits each
  std::vector<uint32_t> reference_fields = {};
};

/// Gets the roots while marking. What is no reference to a living object is ignored, so a root may be any bits.
class RootVisitor {
 public:
  virtual ~RootVisitor() = default;
  virtual void visit(Reference root) = 0;
};

/// Whoever holds references while the program runs: frames, tables, caches.
class RootSource {
 public:
  virtual ~RootSource() = default;
  virtual void visit_roots(RootVisitor& visitor) = 0;
};

struct HeapOptions {
  uint64_t max_bytes = uint64_t{64} << 20;  ///< of all objects, with what the heap needs for each
  bool stress = false;                      ///< collect at every safepoint, and before every new object
};

struct HeapStatistics {
  uint64_t collections = 0;
  uint64_t allocated_objects = 0, freed_objects = 0;
  uint64_t bytes = 0, most_bytes = 0;
};

class Heap {
 public:
  /// Its data stand behind it.
  struct Object {
    Reference self;
    ClassId id;
    uint32_t length;  ///< elements or bytes; of an object its fields
    Shape shape;
    Element element;

    void* data() { return this + 1; }
    const void* data() const { return this + 1; }
  };
  static_assert(sizeof(Object) == 24);

  explicit Heap(const HeapOptions& options = {});
  ~Heap();
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  /// Fields must be in range. Classes stay.
  ClassId add_class(Class description);
  size_t class_count() const { return classes_.size(); }

  /// A source is asked at every collection until it is removed.
  void add_roots(RootSource& source) { sources_.push_back(&source); }
  void remove_roots(RootSource& source);

  // ---- new objects, all zero; null if there is no room, even after a collection, or the class has another shape ----
  Reference new_object(ClassId id);
  Reference new_array(ClassId id, uint32_t length);
  Reference new_string(ClassId id, std::string_view text);

  // ---- questions, for any bits ----
  bool is_object(Reference reference) const { return find(reference) != nullptr; }
  /// none_id if it is no object.
  ClassId class_of(Reference reference) const {
    const Object* object = find(reference);
    return object == nullptr ? none_id<ClassId> : object->id;
  }
  /// Of an array its elements, of a string its bytes, of anything else 0.
  uint32_t length(Reference reference) const {
    const Object* object = find(reference);
    return object == nullptr || object->shape == Shape::object ? 0 : object->length;
  }
  /// Null if it is no object with this field.
  uint64_t* field(Reference reference, uint32_t number) const {
    Object* object = find(reference);
    if (object == nullptr || object->shape != Shape::object || number >= object->length) return nullptr;
    return static_cast<uint64_t*>(object->data()) + number;
  }
  // What they refer to, or null. It stays where it is as long as it lives: who keeps it keeps the reference as a root.
  /// An array with elements of this kind.
  template <Element element>
  Object* array(Reference reference) const {
    Object* object = find(reference);
    return object != nullptr && object->shape == Shape::array && object->element == element ? object : nullptr;
  }
  Object* any_array(Reference reference) const {
    Object* object = find(reference);
    return object != nullptr && object->shape == Shape::array ? object : nullptr;
  }
  Object* plain_object(Reference reference) const {
    Object* object = find(reference);
    return object != nullptr && object->shape == Shape::object ? object : nullptr;
  }
  /// The elements of an array with elements of this kind, and their number; null if it is none.
  struct Elements {
    void* data = nullptr;
    uint32_t length = 0;
  };
  Elements elements(Reference reference, Element element) const {
    Object* object = find(reference);
    if (object == nullptr || object->shape != Shape::array || object->element != element) return {};
    return {object->data(), object->length};
  }
  /// Empty if it is no string. Valid as long as the object lives.
  std::string_view text(Reference reference) const;

  // ---- the collector ----
  /// Where the program may stop: collects if it is time to.
  void safepoint() {
    if (options_.stress || bytes_ >= next_collection_) collect();
  }
  void collect();
  /// Ends all objects, and forgets that there were any; classes and sources of roots stay. A reference from before may be one to a new
  /// object.
  void clear();
  const HeapStatistics& statistics() const { return statistics_; }
  const HeapOptions& options() const { return options_; }

 private:
  /// What an object costs beside its data: the head, its slot, its mark.
  static constexpr uint64_t overhead = sizeof(Object) + sizeof(Object*) + sizeof(uint32_t) + 1;
  static constexpr uint32_t generation_bits = 31;

  class Marker;

  Object* find(Reference reference) const {
    const uint32_t slot = static_cast<uint32_t>(reference);
    if (slot >= slots_.size()) return nullptr;
    Object* object = slots_[slot];
    return object != nullptr && object->self == reference ? object : nullptr;
  }
  Reference allocate(ClassId id, Shape shape, uint32_t length, uint64_t data_bytes);
  void mark();
  void scan(Object& object, Marker& marker);
  void sweep();
  void release(uint32_t slot);
  uint64_t data_bytes(const Object& object) const;

  HeapOptions options_;
  std::vector<Class> classes_;
  std::vector<RootSource*> sources_;
  std::vector<Object*> slots_;           ///< slot 0 is null's
  std::vector<uint32_t> generations_;    ///< by slot
  std::vector<uint8_t> marks_;           ///< by slot, while collecting
  std::vector<uint32_t> free_slots_;
  std::vector<uint32_t> work_;           ///< slots that are marked and not scanned
  uint64_t bytes_ = 0, next_collection_;
  HeapStatistics statistics_;
};

}  // namespace braid::heap
