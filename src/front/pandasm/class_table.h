// The classes of a running program: where fields are, who is a subtype of whom, which function a virtual call means.
// Every type
// that a program mentions or makes is one class; its number is that of the heap's class.
//
// What does not depend on objects is in hierarchy.h. Virtual functions are looked up there once for each pair of
// class and function.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "front/pandasm/hierarchy.h"
#include "heap/heap.h"

namespace braid::pandasm {

using heap::ClassId;

/// All fields of all records, static ones too, in the order of the program.
enum class FieldId : uint32_t {};

struct FieldPlace {
  Type type;
  uint32_t record = 0;
  bool is_static = false;
  uint32_t slot = 0;  ///< in the object, or among the static fields

  bool is_reference() const { return type.dimensions != 0 || type.primitive == Primitive::record; }
};

struct ClassInfo {
  Type type;
  uint32_t record = unlinked;           ///< of an object
  ClassId element = none_id<ClassId>;   ///< of an array
};

/// What a function is to its callers.
enum class FunctionForm : uint8_t {
  bytecode,
  library,      ///< of the runtime
  abstract_,    ///< has no body and says so
  missing,      ///< is declared, and nobody has it
};

class ClassTable {
 public:
  /// Fields of runtime records that no program sees: the message of an exception, and its cause.
  static constexpr uint32_t message_slot = 0, cause_slot = 1, hidden_slots = 2;

  ClassTable(const Program& program, const Links& links, heap::Heap& heap);

  // ---- classes ----
  /// Made at the first question. Not for void and any.
  ClassId class_of(const Type& type);
  ClassId record_class(uint32_t record) { return class_of({Primitive::record, 0, program_.records[record].name}); }
  const ClassInfo& operator[](ClassId id) const { return classes_[index(id)]; }
  size_t size() const { return classes_.size(); }
  std::string name(ClassId id) const;
  bool is_subtype(ClassId a, ClassId b) const;
  bool is_subrecord(uint32_t a, uint32_t b) const { return hierarchy_.is_subrecord(a, b); }
  /// unlinked if the program has no such record.
  uint32_t find_record(std::string_view name) const { return hierarchy_.find_record(name); }
  uint32_t object_record() const { return hierarchy_.object_record(); }
  /// Exceptions and errors: it has the hidden slots.
  bool is_throwable(uint32_t record) const;

  // ---- fields ----
  FieldId field(FieldLink link) const { return static_cast<FieldId>(first_field_[link.record] + link.field); }
  const FieldPlace& operator[](FieldId id) const { return fields_[index(id)]; }
  size_t field_count() const { return fields_.size(); }
  uint32_t static_count() const { return static_count_; }

  // ---- functions ----
  const Hierarchy& hierarchy() const { return hierarchy_; }
  /// Of a static function that has an owner, that owner: calling it initialises it. Otherwise unlinked.
  uint32_t initialised_by_call(uint32_t function) const {
    return hierarchy_.is_instance(function) ? unlinked : hierarchy_.owner(function);
  }
  /// The class initialiser of a record, or unlinked.
  uint32_t initialiser(uint32_t record) const { return hierarchy_.initialiser(record); }
  /// What a virtual call of the function means for an object of the class.
  uint32_t find_virtual(ClassId id, uint32_t function);

 private:
  void place_fields();
  uint32_t slots_of_super(uint32_t record) const;

  const Program& program_;
  const Links& links_;
  heap::Heap& heap_;
  Hierarchy hierarchy_;
  uint32_t exception_ = unlinked, error_ = unlinked;
  std::vector<ClassInfo> classes_;
  std::unordered_map<uint64_t, ClassId> class_of_type_;
  std::vector<uint32_t> first_field_;     ///< by record
  std::vector<FieldPlace> fields_;
  std::vector<uint32_t> slot_count_;      ///< by record
  uint32_t static_count_ = 0;
  std::unordered_map<uint64_t, uint32_t> found_;  ///< by class and function
};

}  // namespace braid::pandasm
