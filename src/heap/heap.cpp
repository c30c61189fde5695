#include "heap/heap.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <string>

namespace braid::heap {

namespace {
/// A collection is due when what has been allocated since the last one is as much as it has left, but not before this much.
constexpr uint64_t least_growth = uint64_t{1} << 20;
}  // namespace

class Heap::Marker final : public RootVisitor {
 public:
  explicit Marker(Heap& heap) : heap_(heap) {}

  void visit(Reference root) override {
    const Object* object = heap_.find(root);
    if (object == nullptr) return;
    const uint32_t slot = static_cast<uint32_t>(root);
    if (heap_.marks_[slot] != 0) return;
    heap_.marks_[slot] = 1;
    heap_.work_.push_back(slot);
  }

 private:
  Heap& heap_;
};

Heap::Heap(const HeapOptions& options) : options_(options) { clear(); }

Heap::~Heap() {
  for (Object* object : slots_) std::free(object);
}

void Heap::clear() {
  for (Object* object : slots_) std::free(object);
  slots_.assign(1, nullptr);
  generations_.assign(1, 0);
  free_slots_.clear();
  bytes_ = 0;
  next_collection_ = least_growth;
  statistics_ = {};
}

ClassId Heap::add_class(Class description) {
  assert(std::all_of(description.reference_fields.begin(), description.reference_fields.end(),
                     [&](uint32_t field) { return field < description.field_count; }) && "a field that the class does not have");
  classes_.push_back(std::move(description));
  return static_cast<ClassId>(classes_.size() - 1);
}

void Heap::remove_roots(RootSource& source) { std::erase(sources_, &source); }

Reference Heap::new_object(ClassId id) {
  if (index(id) >= classes_.size() || classes_[index(id)].shape != Shape::object) return null;
  const uint32_t fields = classes_[index(id)].field_count;
  return allocate(id, Shape::object, fields, uint64_t{8} * fields);
}

Reference Heap::new_array(ClassId id, uint32_t length) {
  if (index(id) >= classes_.size() || classes_[index(id)].shape != Shape::array) return null;
  return allocate(id, Shape::array, length, uint64_t{length} * size_of(classes_[index(id)].element));
}

Reference Heap::new_string(ClassId id, std::string_view text) {
  if (index(id) >= classes_.size() || classes_[index(id)].shape != Shape::string || text.size() > 0xffffffffu) return null;
  // The text may be that of a string which nobody holds any more.
  const std::string kept(text);
  const Reference reference = allocate(id, Shape::string, static_cast<uint32_t>(kept.size()), kept.size());
  if (Object* object = find(reference); object != nullptr && !kept.empty()) std::memcpy(object->data(), kept.data(), kept.size());
  return reference;
}

Reference Heap::allocate(ClassId id, Shape shape, uint32_t length, uint64_t data) {
  const uint64_t cost = overhead + data;
  if (cost > options_.max_bytes) return null;
  if (options_.stress || bytes_ >= next_collection_ || bytes_ + cost > options_.max_bytes) collect();
  if (bytes_ + cost > options_.max_bytes) return null;
  if (free_slots_.empty() && slots_.size() >= 0xffffffffu) return null;
  void* memory = std::calloc(1, sizeof(Object) + data);
  if (memory == nullptr) return null;

  uint32_t slot;
  if (free_slots_.empty()) {
    slot = static_cast<uint32_t>(slots_.size());
    slots_.push_back(nullptr);
    generations_.push_back(0);
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  Object* object = static_cast<Object*>(memory);
  object->self = uint64_t{generations_[slot]} << 32 | slot;
  object->id = id;
  object->length = length;
  object->shape = shape;
  object->element = classes_[index(id)].element;
  slots_[slot] = object;
  bytes_ += cost;
  ++statistics_.allocated_objects;
  statistics_.bytes = bytes_;
  statistics_.most_bytes = std::max(statistics_.most_bytes, bytes_);
  return object->self;
}

std::string_view Heap::text(Reference reference) const {
  const Object* object = find(reference);
  if (object == nullptr || object->shape != Shape::string) return {};
  return {static_cast<const char*>(object->data()), object->length};
}

void Heap::collect() {
  ++statistics_.collections;
  mark();
  sweep();
  statistics_.bytes = bytes_;
  next_collection_ = bytes_ + std::max(bytes_, least_growth);
}

void Heap::mark() {
  marks_.assign(slots_.size(), 0);
  Marker marker(*this);
  for (RootSource* source : sources_) source->visit_roots(marker);
  while (!work_.empty()) {
    const uint32_t slot = work_.back();
    work_.pop_back();
    scan(*slots_[slot], marker);
  }
}

void Heap::scan(Object& object, Marker& marker) {
  const uint64_t* words = static_cast<const uint64_t*>(object.data());
  if (object.shape == Shape::object) {
    for (uint32_t field : classes_[index(object.id)].reference_fields) marker.visit(words[field]);
  } else if (object.shape == Shape::array && object.element == Element::reference) {
    for (uint32_t i = 0; i < object.length; ++i) marker.visit(words[i]);
  }
}

void Heap::sweep() {
  for (uint32_t slot = static_cast<uint32_t>(slots_.size()); slot-- > 1;)
    if (slots_[slot] != nullptr && marks_[slot] == 0) release(slot);
}

/// A slot whose generations are used up is not given away again.
void Heap::release(uint32_t slot) {
  Object* object = slots_[slot];
  bytes_ -= overhead + data_bytes(*object);
  ++statistics_.freed_objects;
  std::free(object);
  slots_[slot] = nullptr;
  if (++generations_[slot] < (1u << generation_bits) - 1) free_slots_.push_back(slot);
}

uint64_t Heap::data_bytes(const Object& object) const {
  switch (object.shape) {
    case Shape::object: return uint64_t{8} * object.length;
    case Shape::array: return uint64_t{object.length} * size_of(object.element);
    case Shape::string: return object.length;
  }
  return 0;
}

}  // namespace braid::heap
