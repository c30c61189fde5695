// Constants of a running program, and the initialisation of its records.
#include "front/pandasm/vm.h"
#include "ir/bits.h"

namespace braid::pandasm {

using heap::null;

Outcome Vm::new_string(std::string_view text) { return made(heap_.new_string(string_class_, text)); }

Outcome Vm::string_constant(Symbol text) {
  Reference& known = strings_[index(text)];
  if (known != null) return {known, false};
  const Outcome made = new_string(program_.symbols.view(text));
  if (!made.threw) known = made.value;
  return made;
}

Outcome Vm::new_strings(std::span<const std::string> texts) {
  const Type type{Primitive::record, 1, program_.symbols.find("panda.String")};
  const Outcome array = new_array(classes_.class_of(type), static_cast<int32_t>(texts.size()));
  if (array.threw) return array;
  held_.push_back(array.value);
  Outcome result = array;
  for (size_t i = 0; i < texts.size() && !result.threw; ++i) {
    const Outcome text = new_string(texts[i]);
    if (text.threw)
      result = text;
    else
      store_reference(array.value, i, text.value);
  }
  held_.pop_back();
  return result;
}

Outcome Vm::type_object(const Type& type) {
  const ClassId id = classes_.class_of(type);
  auto known = type_objects_.find(index(id));
  if (known != type_objects_.end()) return {known->second, false};
  const Outcome object = made(heap_.new_object(type_class_));
  if (!object.threw) type_objects_[index(id)] = object.value;
  return object;
}

Outcome Vm::constant_array(uint32_t array) {
  const ConstantArray& constant = program_.arrays[array];
  Type type = constant.element;
  ++type.dimensions;
  const Outcome made = new_array(classes_.class_of(type), static_cast<int32_t>(constant.literals.size()));
  if (made.threw) return made;
  held_.push_back(made.value);
  Outcome result = made;
  for (size_t i = 0; i < constant.literals.size() && !result.threw; ++i) {
    const Literal& literal = constant.literals[i];
    Outcome value{literal.bits, false};
    if (literal.form == Literal::Form::text) value = string_constant(static_cast<Symbol>(literal.bits));
    const Outcome stored = value.threw ? value : store_element(made.value, i, value.value, constant.element.primitive);
    if (stored.threw) result = stored;
  }
  held_.pop_back();
  return result;
}

Initialiser Vm::begin_initialiser(uint32_t record) {
  // What it extends comes first; a record that is ready has all of that behind it.
  std::vector<uint32_t> waiting;
  for (uint32_t at = record; at != unlinked && !is_initialised(at); at = links_.extends[at]) {
    if (states_[at] == State::failed) {
      throw_new(Thrown::no_class_def_found, program_.symbols.view(program_.records[at].name));
      return {Initialiser::Need::threw, at, unlinked};
    }
    waiting.push_back(at);
  }
  for (; !waiting.empty(); waiting.pop_back()) {
    const uint32_t next = waiting.back(), function = classes_.initialiser(next);
    states_[next] = function == unlinked ? State::ready : State::running;
    if (function != unlinked) return {Initialiser::Need::run, next, function};
  }
  return {};
}

void Vm::end_initialiser(uint32_t record) {
  states_[record] = pending_ == null ? State::ready : State::failed;
  if (pending_ == null) return;
  const ClassId id = heap_.class_of(pending_);
  if (!is_none(id) && classes_[id].record != unlinked &&
      classes_.is_subrecord(classes_[id].record, classes_.find_record("panda.Error")))
    return;
  const Reference cause = pending_;
  held_.push_back(cause);
  throw_new(Thrown::exception_in_initializer, describe(cause));
  held_.pop_back();
  if (pending_ == out_of_memory_) return;
  *heap_.field(pending_, ClassTable::cause_slot) = cause;
}

}  // namespace braid::pandasm
