#include "front/pandasm/vm.h"

#include <algorithm>

#include "front/pandasm/library.h"
#include "front/pandasm/literal.h"
#include "front/pandasm/runtime_records.h"
#include "front/pandasm/static_values.h"
#include "ir/bits.h"

namespace braid::pandasm {

using heap::Element;
using heap::null;

namespace {

/// By Thrown.
constexpr std::string_view thrown_names[] = {
    "panda.NullPointerException", "panda.ArrayIndexOutOfBoundsException", "panda.NegativeArraySizeException",
    "panda.ArrayStoreException", "panda.ArithmeticException", "panda.ClassCastException", "panda.IllegalMonitorStateException",
    "panda.StackOverflowException", "panda.AbstractMethodError", "panda.NoClassDefFoundError", "panda.NoSuchMethodError",
    "panda.ExceptionInInitializerError", "panda.InstantiationError", "panda.OutOfMemoryError", "panda.IllegalStateException",
    "panda.ClassNotFoundException"};

/// With less, not even an error could be made.
constexpr uint64_t least_heap = 16 << 10;

VmOptions with_room(VmOptions options) {
  options.heap.max_bytes = std::max(options.heap.max_bytes, least_heap);
  return options;
}

/// What a field of this type keeps of a value, in canonical bits.
uint64_t kept_bits(const Type& type, uint64_t value) {
  if (type.dimensions != 0) return value;
  switch (type.primitive) {
    case Primitive::u1: case Primitive::u8: return value & 0xff;
    case Primitive::i8: return ir::canonical_int<8>(value);
    case Primitive::u16: return value & 0xffff;
    case Primitive::i16: return ir::canonical_int<16>(value);
    case Primitive::i32: case Primitive::u32: return ir::canonical_int<32>(value);
    case Primitive::f32: return value & 0xffffffffu;
    default: return value;
  }
}

}  // namespace

Vm::Vm(const Program& program, const Links& links, VmOptions options)
    : program_(program), links_(links), options_(with_room(std::move(options))), heap_(options_.heap),
      classes_(program, links, heap_), string_class_(classes_.record_class(classes_.find_record("panda.String"))),
      type_class_(classes_.record_class(classes_.find_record("panda.Class"))) {
  for (std::string_view name : thrown_names) thrown_classes_.push_back(classes_.record_class(classes_.find_record(name)));
  for (uint32_t i = 0; i < classes_.field_count(); ++i) {
    const FieldPlace& place = classes_[static_cast<FieldId>(i)];
    if (place.is_static && place.is_reference()) static_references_.push_back(place.slot);
  }
  heap_.add_roots(*this);
  find_forms();
  find_what_cannot_be_made();
  restart();
}

void Vm::restart() {
  heap_.clear();
  pending_ = null;
  held_.clear();
  states_.assign(program_.records.size(), State::unused);
  statics_.assign(classes_.static_count(), 0);
  strings_.assign(program_.symbols.size(), null);
  type_objects_.clear();
  monitors_.clear();
  out_of_memory_ = heap_.new_object(thrown_classes_[static_cast<size_t>(Thrown::out_of_memory)]);
  set_static_values();
}

Vm::~Vm() { heap_.remove_roots(*this); }

void Vm::find_forms() {
  forms_.assign(program_.functions.size(), FunctionForm::bytecode);
  library_.assign(program_.functions.size(), 0);
  for (uint32_t i = 0; i < program_.functions.size(); ++i) {
    const Function& function = program_.functions[i];
    if (function.has_body) continue;
    if (std::optional<LibraryId> known = find_library(program_, classes_, i)) {
      forms_[i] = FunctionForm::library;
      library_[i] = static_cast<uint32_t>(*known);
    } else {
      const bool says_so = find_attribute(program_, function.attributes, "noimpl") != nullptr;
      forms_[i] = says_so ? FunctionForm::abstract_ : FunctionForm::missing;
    }
  }
}

void Vm::find_what_cannot_be_made() {
  cannot_be_made_.assign(program_.records.size(), false);
  for (uint32_t i = 0; i < program_.records.size(); ++i) {
    const Record& record = program_.records[i];
    cannot_be_made_[i] = !record.has_body && find_attribute(program_, record.attributes, "external") != nullptr;
  }
  for (const RuntimeRecord& known : runtime_records) cannot_be_made_[classes_.find_record(known.name)] = false;
  for (ClassId made_by_runtime : {string_class_, type_class_}) cannot_be_made_[classes_[made_by_runtime].record] = true;
}

void Vm::set_static_values() {
  for (const Record& record : program_.records) {
    for (const Field& field : record.fields) {
      const Attribute* value = find_attribute(program_, field.attributes, "value");
      if (value == nullptr || find_attribute(program_, field.attributes, "static") == nullptr) continue;
      const uint32_t number = links_.records[index(record.name)];
      const FieldId id = classes_.field({number, static_cast<uint32_t>(&field - record.fields.data())});
      if (classes_[id].is_reference()) {
        if (const Outcome text = string_constant(value->value); !text.threw) store_static(id, text.value);
      } else if (std::optional<uint64_t> bits = static_value(program_, field)) {
        store_static(id, *bits);
      }
    }
  }
  pending_ = null;  // a constant for which there is no room stays null
}

void Vm::visit_roots(heap::RootVisitor& visitor) {
  visitor.visit(pending_);
  visitor.visit(out_of_memory_);
  for (Reference held : held_) visitor.visit(held);
  for (uint32_t slot : static_references_) visitor.visit(statics_[slot]);
  for (Reference text : strings_) visitor.visit(text);
  for (const auto& [id, object] : type_objects_) visitor.visit(object);
  for (const auto& [object, count] : monitors_) visitor.visit(object);
}

// ---- exceptions ----

Reference Vm::take_pending() {
  const Reference taken = pending_;
  pending_ = null;
  return taken;
}

Outcome Vm::throw_object(Reference exception) {
  if (!heap_.is_object(exception)) return throw_null();
  pending_ = exception;
  return {0, true};
}

Outcome Vm::out_of_memory() {
  pending_ = out_of_memory_;
  return {0, true};
}

Outcome Vm::throw_new(Thrown what, std::string_view message) {
  const Reference exception = heap_.new_object(thrown_classes_[static_cast<size_t>(what)]);
  if (exception == null) return out_of_memory();
  held_.push_back(exception);
  const Reference text = message.empty() ? null : heap_.new_string(string_class_, message);
  held_.pop_back();
  if (text == null && !message.empty()) return out_of_memory();
  *heap_.field(exception, ClassTable::message_slot) = text;
  pending_ = exception;
  return {0, true};
}

Outcome Vm::throw_bounds(int32_t index, uint32_t length) {
  return throw_new(Thrown::array_index_out_of_bounds,
                   "idx = " + std::to_string(index) + "; length = " + std::to_string(length));
}

Outcome Vm::throw_negative_size(int32_t size) {
  return throw_new(Thrown::negative_array_size, "size = " + std::to_string(size));
}

Outcome Vm::throw_bad_cast(Reference object, ClassId wanted) {
  const ClassId id = heap_.class_of(object);
  if (is_none(id)) return throw_null();
  return throw_new(Thrown::class_cast, classes_.name(id) + " cannot be cast to " + classes_.name(wanted));
}

Reference Vm::message(Reference exception) const {
  const ClassId id = heap_.class_of(exception);
  const uint32_t record = is_none(id) ? unlinked : classes_[id].record;
  if (record == unlinked || !classes_.is_throwable(record)) return null;
  const uint64_t* slot = heap_.field(exception, ClassTable::message_slot);
  return slot == nullptr ? null : *slot;
}

std::string Vm::describe(Reference exception) const {
  const ClassId id = heap_.class_of(exception);
  if (is_none(id)) return "null";
  std::string text = classes_.name(id);
  if (const Reference said = message(exception); said != null) text.append(": ").append(heap_.text(said));
  return text;
}

std::string Vm::shown(Reference object) const {
  const ClassId id = heap_.class_of(object);
  if (is_none(id)) return "null";
  if (id != string_class_) return classes_.name(id);
  std::string text;
  append_quoted(text, heap_.text(object));
  return text;
}

bool Vm::is_instance(Reference object, ClassId wanted) const {
  const ClassId id = heap_.class_of(object);
  return !is_none(id) && classes_.is_subtype(id, wanted);
}

// ---- objects ----

Outcome Vm::new_object(ClassId id) {
  if (const uint32_t record = classes_[id].record; record == unlinked || cannot_be_made_[record]) {
    const bool is_known = record == unlinked || id == string_class_ || id == type_class_;
    return throw_new(is_known ? Thrown::instantiation : Thrown::no_class_def_found, classes_.name(id));
  }
  return made(heap_.new_object(id));
}

Outcome Vm::load_field(Reference object, FieldId field) {
  const uint64_t* slot = heap_.field(object, classes_[field].slot);
  return slot == nullptr ? throw_null() : Outcome{*slot, false};
}

Outcome Vm::store_field(Reference object, FieldId field, uint64_t value) {
  const FieldPlace& place = classes_[field];
  uint64_t* slot = heap_.field(object, place.slot);
  if (slot == nullptr) return throw_null();
  *slot = kept_bits(place.type, value);
  return {};
}

void Vm::store_static(FieldId field, uint64_t value) {
  const FieldPlace& place = classes_[field];
  statics_[place.slot] = kept_bits(place.type, value);
}

Outcome Vm::check_cast(Reference object, ClassId wanted, bool allows_null) {
  if (object == null) return allows_null ? Outcome{object, false} : throw_null();
  return is_instance(object, wanted) ? Outcome{object, false} : throw_bad_cast(object, wanted);
}

// ---- arrays ----

Outcome Vm::new_array(ClassId id, int32_t size) {
  if (size < 0) return throw_negative_size(size);
  return made(heap_.new_array(id, static_cast<uint32_t>(size)));
}

/// Layer by layer: every array of a layer gets its elements, which make the next one. An array of length 0 ends it.
Outcome Vm::new_arrays(ClassId id, std::span<const uint64_t> sizes) {
  for (uint64_t size : sizes)
    if (static_cast<int32_t>(size) < 0) return throw_negative_size(static_cast<int32_t>(size));
  const size_t base = held_.size();
  std::vector<Reference> layer;
  Outcome result = new_array(id, static_cast<int32_t>(sizes[0]));
  if (result.threw) return result;
  held_.push_back(result.value);  // all others hang on it
  layer.push_back(result.value);
  for (size_t depth = 1; depth < sizes.size() && !result.threw; ++depth) {
    id = classes_[id].element;
    std::vector<Reference> next;
    for (size_t i = 0; i < layer.size() && !result.threw; ++i) {
      const heap::Heap::Elements elements = heap_.elements(layer[i], Element::reference);
      for (uint32_t k = 0; k < elements.length; ++k) {
        const Outcome part = new_array(id, static_cast<int32_t>(sizes[depth]));
        if (part.threw) {
          result = part;
          break;
        }
        static_cast<Reference*>(elements.data)[k] = part.value;
        if (depth + 1 < sizes.size()) next.push_back(part.value);
      }
    }
    layer.swap(next);
  }
  held_.resize(base);
  return result;
}

Outcome Vm::array_length(Reference array) {
  const ClassId id = heap_.class_of(array);
  if (is_none(id)) return throw_null();
  return {heap_.length(array), false};
}

Outcome Vm::element_fault(Reference array, uint64_t index) {
  if (!heap_.is_object(array)) return throw_null();
  return throw_bounds(static_cast<int32_t>(index), heap_.length(array));
}

Outcome Vm::store_reference(Reference array, uint64_t index, Reference value) {
  const heap::Heap::Elements elements = heap_.elements(array, Element::reference);
  if (static_cast<uint32_t>(index) >= elements.length) return element_fault(array, index);
  if (value != null) {
    const ClassId wanted = classes_[heap_.class_of(array)].element;
    if (!is_instance(value, wanted)) {
      const ClassId id = heap_.class_of(value);
      if (is_none(id)) return throw_null();
      return throw_new(Thrown::array_store, classes_.name(id) + " cannot be stored in an array of type " +
                                                classes_.name(heap_.class_of(array)));
    }
  }
  static_cast<Reference*>(elements.data)[static_cast<uint32_t>(index)] = value;
  return {};
}

Outcome Vm::load_element(Reference array, uint64_t index, Primitive as) {
  switch (as) {
    case Primitive::i8: return load_element_as<int8_t>(array, index);
    case Primitive::u1: case Primitive::u8: return load_element_as<uint8_t>(array, index);
    case Primitive::i16: return load_element_as<int16_t>(array, index);
    case Primitive::u16: return load_element_as<uint16_t>(array, index);
    case Primitive::i32: case Primitive::u32: return load_element_as<int32_t>(array, index);
    case Primitive::f32: return load_element_as<uint32_t>(array, index);
    case Primitive::record: return load_reference(array, index);
    default: return load_element_as<uint64_t>(array, index);
  }
}

Outcome Vm::store_element(Reference array, uint64_t index, uint64_t value, Primitive as) {
  switch (as) {
    case Primitive::i8: case Primitive::u1: case Primitive::u8: return store_element_as<uint8_t>(array, index, value);
    case Primitive::i16: case Primitive::u16: return store_element_as<uint16_t>(array, index, value);
    case Primitive::i32: case Primitive::u32: case Primitive::f32: return store_element_as<uint32_t>(array, index, value);
    case Primitive::record: return store_reference(array, index, value);
    default: return store_element_as<uint64_t>(array, index, value);
  }
}

// ---- functions ----

Outcome Vm::find_virtual(Reference receiver, uint32_t function) {
  const ClassId id = heap_.class_of(receiver);
  if (is_none(id)) return throw_null();
  return {classes_.find_virtual(id, function), false};
}

Outcome Vm::call_library(uint32_t function, std::span<const uint64_t> arguments) {
  const std::string_view name = program_.symbols.view(program_.functions[function].name);
  switch (forms_[function]) {
    case FunctionForm::library:
      return pandasm::call_library(*this, static_cast<LibraryId>(library_[function]), function, arguments);
    case FunctionForm::abstract_:
      return throw_new(Thrown::abstract_method, "abstract method \"" + std::string(name) + "\"");
    default: return throw_new(Thrown::no_such_method, name);
  }
}

// ---- monitors ----

Outcome Vm::monitor_enter(Reference object) {
  if (!heap_.is_object(object)) return throw_null();
  ++monitors_[object];
  return {};
}

Outcome Vm::monitor_exit(Reference object) {
  if (!heap_.is_object(object)) return throw_null();
  auto held = monitors_.find(object);
  if (held == monitors_.end()) return throw_new(Thrown::illegal_monitor_state, "the monitor is not held");
  if (--held->second == 0) monitors_.erase(held);
  return {};
}

}  // namespace braid::pandasm
