#include "front/pandasm/class_table.h"

#include <utility>

#include "front/pandasm/pandasm.h"

namespace braid::pandasm {

using heap::Element;
using heap::Shape;

namespace {

uint64_t key_of(const Type& type) {
  return uint64_t{static_cast<uint8_t>(type.primitive)} << 40 | uint64_t{type.dimensions} << 32 |
         (type.primitive == Primitive::record ? index(type.record) : 0);
}

Element element_of(const Type& type) {
  if (type.dimensions != 0) return Element::reference;
  switch (type.primitive) {
    case Primitive::u1: case Primitive::i8: case Primitive::u8: return Element::bits8;
    case Primitive::i16: case Primitive::u16: return Element::bits16;
    case Primitive::i32: case Primitive::u32: case Primitive::f32: return Element::bits32;
    case Primitive::record: return Element::reference;
    default: return Element::bits64;
  }
}

}  // namespace

ClassTable::ClassTable(const Program& program, const Links& links, heap::Heap& heap)
    : program_(program), links_(links), heap_(heap), hierarchy_(program, links), exception_(find_record("panda.Exception")),
      error_(find_record("panda.Error")) {
  place_fields();
}

bool ClassTable::is_throwable(uint32_t record) const {
  return is_subrecord(record, exception_) || is_subrecord(record, error_);
}

uint32_t ClassTable::slots_of_super(uint32_t record) const {
  if (record == exception_ || record == error_) return hidden_slots;
  const uint32_t above = links_.extends[record];
  return above == unlinked ? 0 : slot_count_[above];
}

void ClassTable::place_fields() {
  first_field_.resize(program_.records.size() + 1, 0);
  for (size_t i = 0; i < program_.records.size(); ++i)
    first_field_[i + 1] = first_field_[i] + static_cast<uint32_t>(program_.records[i].fields.size());
  fields_.resize(first_field_.back());
  slot_count_.resize(program_.records.size(), 0);
  for (uint32_t record : hierarchy_.top_down()) {
    uint32_t next = slots_of_super(record);
    const std::vector<Field>& fields = program_.records[record].fields;
    for (uint32_t i = 0; i < fields.size(); ++i) {
      const bool is_static = find_attribute(program_, fields[i].attributes, "static") != nullptr;
      fields_[first_field_[record] + i] = {fields[i].type, record, is_static, is_static ? static_count_++ : next++};
    }
    slot_count_[record] = next;
  }
}

ClassId ClassTable::class_of(const Type& type) {
  auto found = class_of_type_.find(key_of(type));
  if (found != class_of_type_.end()) return found->second;
  // From the inside out: an array knows the class of its elements.
  ClassId made = none_id<ClassId>;
  for (unsigned dimensions = 0; dimensions <= type.dimensions; ++dimensions) {
    Type part = type;
    part.dimensions = static_cast<uint8_t>(dimensions);
    if (auto known = class_of_type_.find(key_of(part)); known != class_of_type_.end()) {
      made = known->second;
      continue;
    }
    heap::Class description;
    ClassInfo about{part, unlinked, none_id<ClassId>};
    if (dimensions != 0) {
      description.shape = Shape::array;
      part.dimensions = static_cast<uint8_t>(dimensions - 1);
      description.element = element_of(part);
      about.element = made;
    } else if (part.primitive == Primitive::record) {
      about.record = links_.records[index(part.record)];
      if (program_.symbols.view(part.record) == "panda.String") description.shape = Shape::string;
      description.field_count = slot_count_[about.record];
      for (uint32_t record = about.record; record != unlinked; record = links_.extends[record]) {
        for (uint32_t i = first_field_[record]; i < first_field_[record + 1]; ++i)
          if (!fields_[i].is_static && fields_[i].is_reference()) description.reference_fields.push_back(fields_[i].slot);
        if (record == exception_ || record == error_)
          description.reference_fields.insert(description.reference_fields.end(), {message_slot, cause_slot});
      }
    }
    made = heap_.add_class(std::move(description));
    classes_.push_back(about);
    class_of_type_[key_of(about.type)] = made;
  }
  return made;
}

std::string ClassTable::name(ClassId id) const {
  std::string text;
  append_type(text, program_, classes_[index(id)].type);
  return text;
}

bool ClassTable::is_subtype(ClassId a, ClassId b) const {
  if (a == b) return true;
  const Type &from = classes_[index(a)].type, &to = classes_[index(b)].type;
  if (to.primitive != Primitive::record) return false;
  const uint32_t record = links_.records[index(to.record)];
  // Whatever has more dimensions is an object, and so is a record.
  if (record == object_record() && from.dimensions > to.dimensions) return true;
  return from.dimensions == to.dimensions && from.primitive == Primitive::record &&
         is_subrecord(links_.records[index(from.record)], record);
}

uint32_t ClassTable::find_virtual(ClassId id, uint32_t function) {
  auto [entry, is_new] = found_.try_emplace(uint64_t{index(id)} << 32 | function, function);
  if (!is_new) return entry->second;
  const uint32_t record = classes_[index(id)].record;
  return entry->second = hierarchy_.find_virtual(record == unlinked ? object_record() : record, function);
}

}  // namespace braid::pandasm
