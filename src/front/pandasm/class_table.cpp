#include "front/pandasm/class_table.h"

#include <algorithm>
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
    : program_(program), links_(links), heap_(heap), object_(find_record("panda.Object")),
      exception_(find_record("panda.Exception")), error_(find_record("panda.Error")) {
  number_records();
  place_fields();
  place_functions();
  find_overridden();
}

uint32_t ClassTable::find_record(std::string_view name) const {
  const Symbol symbol = program_.symbols.find(name);
  return is_none(symbol) || index(symbol) >= links_.records.size() ? unlinked : links_.records[index(symbol)];
}

bool ClassTable::is_throwable(uint32_t record) const {
  return is_subrecord(record, exception_) || is_subrecord(record, error_);
}

/// A walk from the top, so that the numbers of a record and of all that extend it are one range.
void ClassTable::number_records() {
  const uint32_t count = static_cast<uint32_t>(program_.records.size());
  std::vector<uint32_t> first_child(count, unlinked), next_sibling(count, unlinked);
  for (uint32_t i = count; i-- > 0;) {
    const uint32_t above = links_.extends[i];
    if (above == unlinked) continue;
    next_sibling[i] = first_child[above];
    first_child[above] = i;
  }
  order_.resize(count);
  uint32_t at = object_;
  for (bool is_new = true;;) {
    if (is_new) {
      order_[at].first = static_cast<uint32_t>(top_down_.size());
      top_down_.push_back(at);
      if (first_child[at] != unlinked) {
        at = first_child[at];
        continue;
      }
    }
    order_[at].end = static_cast<uint32_t>(top_down_.size());
    if (at == object_) break;
    is_new = next_sibling[at] != unlinked;
    at = is_new ? next_sibling[at] : links_.extends[at];
  }
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
  for (uint32_t record : top_down_) {
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
  if (record == object_ && from.dimensions > to.dimensions) return true;
  return from.dimensions == to.dimensions && from.primitive == Primitive::record &&
         is_subrecord(links_.records[index(from.record)], record);
}

void ClassTable::place_functions() {
  functions_.resize(program_.functions.size());
  initialisers_.assign(program_.records.size(), unlinked);
  std::unordered_map<std::string, uint32_t> keys;
  for (uint32_t i = 0; i < program_.functions.size(); ++i) {
    const Function& function = program_.functions[i];
    FunctionPlace& place = functions_[i];
    const std::string_view name = program_.symbols.view(function.name);
    const size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) continue;
    place.owner = find_record(name.substr(0, dot));
    if (place.owner == unlinked) continue;
    auto has_attribute = [&](std::string_view key) { return find_attribute(program_, function.attributes, key) != nullptr; };
    if (has_attribute("cctor")) {
      if (function.has_body && function.parameters.empty()) initialisers_[place.owner] = i;
      continue;
    }
    const Type self{Primitive::record, 0, program_.records[place.owner].name};
    place.is_instance = !function.parameters.empty() && function.parameters[0] == self && !has_attribute("static");
    if (!place.is_instance || has_attribute("ctor")) continue;
    std::string key(name.substr(dot));
    for (size_t k = 1; k < function.parameters.size(); ++k) append_type(key += ',', program_, function.parameters[k]);
    append_type(key += ':', program_, function.result);
    place.key = keys.try_emplace(std::move(key), static_cast<uint32_t>(keys.size() + 1)).first->second;
    virtual_functions_[uint64_t{place.owner} << 32 | place.key] = i;
  }
}

/// In the order of the tree the functions of one key that are open above a record are a stack; the top one is overridden by the
/// record's own.
void ClassTable::find_overridden() {
  std::vector<uint32_t> by_owner;
  for (uint32_t i = 0; i < functions_.size(); ++i)
    if (functions_[i].key != 0) by_owner.push_back(i);
  auto place = [&](uint32_t function) { return std::pair(order_[functions_[function].owner].first, function); };
  std::sort(by_owner.begin(), by_owner.end(), [&](uint32_t a, uint32_t b) { return place(a) < place(b); });
  std::unordered_map<uint32_t, std::vector<uint32_t>> open;
  for (uint32_t function : by_owner) {
    std::vector<uint32_t>& stack = open[functions_[function].key];
    while (!stack.empty() && !is_subrecord(functions_[function].owner, functions_[stack.back()].owner)) stack.pop_back();
    if (!stack.empty()) functions_[stack.back()].is_overridden = true;
    stack.push_back(function);
  }
}

uint32_t ClassTable::find_virtual(ClassId id, uint32_t function) {
  const FunctionPlace& place = functions_[function];
  if (place.key == 0) return function;
  auto [entry, is_new] = found_.try_emplace(uint64_t{index(id)} << 32 | function, function);
  if (!is_new) return entry->second;
  uint32_t record = classes_[index(id)].record;
  if (record == unlinked) record = object_;
  if (!is_subrecord(record, place.owner)) return function;
  for (;; record = links_.extends[record]) {
    auto own = virtual_functions_.find(uint64_t{record} << 32 | place.key);
    if (own == virtual_functions_.end()) continue;
    return entry->second = own->second;
  }
}

}  // namespace braid::pandasm
