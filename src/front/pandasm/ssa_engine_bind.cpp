// What the intrinsics of a translated program do: each is one operation of the Vm.
#include "front/pandasm/ssa_engine.h"
#include "ir/memory.h"

namespace braid::pandasm {

namespace {

using Operands = std::span<const Value>;

uint32_t number(const Value& value) { return static_cast<uint32_t>(value.bits); }

}  // namespace

IntrinsicResult SsaEngine::answer(braid::Type type, const Outcome& outcome) const {
  if (outcome.threw) return IntrinsicResult::raise("pa.thrown");
  return type == void_type ? Value() : Value(type, outcome.value);
}

void SsaEngine::bind() {
  ir::Module& module = translation_->module();
  for (const Type& type : translation_->types()) classes_.push_back(vm_.classes().class_of(type));
  for (uint32_t i = 0; i < managed_count; ++i) {
    const Symbol name = module.symbols.find(info(static_cast<Managed>(i)).text);
    const ir::IntrinsicId id = is_none(name) ? none_id<ir::IntrinsicId> : module.find_intrinsic(name);
    if (!is_none(id)) bind(static_cast<Managed>(i), module.intrinsics[id]);
  }
  for (ir::Intrinsic& intrinsic : module.intrinsics) {
    if (intrinsic.evaluate) continue;  // the makers of arrays of arrays are left
    intrinsic.evaluate = [this](Operands operands) {
      std::vector<uint64_t> sizes;
      for (const Value& size : operands.subspan(1)) sizes.push_back(size.bits);
      return answer(ref, vm_.new_arrays(class_of(operands[0]), sizes));
    };
  }
}

void SsaEngine::bind(Managed operation, ir::Intrinsic& intrinsic) {
  const braid::Type result = type_of_letter(info(operation).result);
  switch (operation) {
    case Managed::new_object:
      intrinsic.evaluate = [this](Operands o) {
        return answer(ref, vm_.new_object(vm_.classes().record_class(number(o[0]))));
      };
      return;
    case Managed::new_array:
      intrinsic.evaluate = [this](Operands o) { return answer(ref, vm_.new_array(class_of(o[0]), o[1].as_i32())); };
      return;
    case Managed::length:
      intrinsic.evaluate = [this](Operands o) { return answer(i32, vm_.array_length(o[0].bits)); };
      return;
#define ELEMENT(name, Stored)                                                                                             \
  case Managed::load_##name:                                                                                              \
    intrinsic.evaluate = [this, result](Operands o) { return answer(result, vm_.load_element_as<Stored>(o[0].bits, o[1].bits)); }; \
    return;
    ELEMENT(i8, int8_t)
    ELEMENT(u8, uint8_t)
    ELEMENT(i16, int16_t)
    ELEMENT(u16, uint16_t)
    ELEMENT(i32, int32_t)
    ELEMENT(i64, int64_t)
    ELEMENT(f32, uint32_t)
    ELEMENT(f64, uint64_t)
#undef ELEMENT
#define ELEMENT(name, Stored)                                                                                             \
  case Managed::store_##name:                                                                                             \
    intrinsic.evaluate = [this](Operands o) {                                                                             \
      return answer(void_type, vm_.store_element_as<Stored>(o[0].bits, o[1].bits, o[2].bits));                            \
    };                                                                                                                    \
    return;
    ELEMENT(i8, int8_t)
    ELEMENT(i16, int16_t)
    ELEMENT(i32, int32_t)
    ELEMENT(i64, int64_t)
    ELEMENT(f32, uint32_t)
    ELEMENT(f64, uint64_t)
#undef ELEMENT
    case Managed::load_ref:
      intrinsic.evaluate = [this](Operands o) { return answer(ref, vm_.load_reference(o[0].bits, o[1].bits)); };
      return;
    case Managed::store_ref:
      intrinsic.evaluate = [this](Operands o) {
        return answer(void_type, vm_.store_reference(o[0].bits, o[1].bits, o[2].bits));
      };
      return;
    case Managed::get_i32: case Managed::get_i64: case Managed::get_f32: case Managed::get_f64: case Managed::get_ref:
      intrinsic.evaluate = [this, result](Operands o) {
        return answer(result, vm_.load_field(o[0].bits, static_cast<FieldId>(number(o[1]))));
      };
      return;
    case Managed::put_i32: case Managed::put_i64: case Managed::put_f32: case Managed::put_f64: case Managed::put_ref:
      intrinsic.evaluate = [this](Operands o) {
        return answer(void_type, vm_.store_field(o[0].bits, static_cast<FieldId>(number(o[1])), o[2].bits));
      };
      return;
    case Managed::get_static_i32: case Managed::get_static_i64: case Managed::get_static_f32: case Managed::get_static_f64:
    case Managed::get_static_ref:
      intrinsic.evaluate = [this, result](Operands o) {
        return Value(result, vm_.load_static(static_cast<FieldId>(number(o[0]))));
      };
      return;
    case Managed::put_static_i32: case Managed::put_static_i64: case Managed::put_static_f32: case Managed::put_static_f64:
    case Managed::put_static_ref:
      intrinsic.evaluate = [this](Operands o) {
        vm_.store_static(static_cast<FieldId>(number(o[0])), o[1].bits);
        return Value();
      };
      return;
    case Managed::begin_init:
      intrinsic.evaluate = [this](Operands o) { return begin_init(number(o[0])); };
      return;
    case Managed::end_init:
      intrinsic.evaluate = [this](Operands o) { return end_init(o[0].bits); };
      return;
    case Managed::check_cast:
      intrinsic.evaluate = [this](Operands o) {
        const Outcome outcome = vm_.check_cast(o[0].bits, class_of(o[1]), true);
        return answer(ref, {o[0].bits, outcome.threw});
      };
      return;
    case Managed::is_instance:
      intrinsic.evaluate = [this](Operands o) { return Value(vm_.is_instance(o[0].bits, class_of(o[1]))); };
      return;
    case Managed::text:
      intrinsic.evaluate = [this](Operands o) { return answer(ref, vm_.string_constant(static_cast<Symbol>(number(o[0])))); };
      return;
    case Managed::type:
      intrinsic.evaluate = [this](Operands o) { return answer(ref, vm_.type_object(translation_->types()[number(o[0])])); };
      return;
    case Managed::constants:
      intrinsic.evaluate = [this](Operands o) { return answer(ref, vm_.constant_array(number(o[0]))); };
      return;
    case Managed::method:
      intrinsic.evaluate = [this](Operands o) {
        const Outcome found = vm_.find_virtual(o[0].bits, number(o[1]));
        if (found.threw) return answer(ptr, found);
        const ir::FuncId function = translation_->function(static_cast<uint32_t>(found.value));
        return IntrinsicResult(Value(ptr, ir::Memory::function_address(function)));
      };
      return;
    case Managed::stays:
      intrinsic.evaluate = [this](Operands o) { return Value(!options_.stays || options_.stays(number(o[0]))); };
      return;
  }
}

void SsaEngine::bind_functions() {
  const ir::Module& module = translation_->module();
  for (uint32_t i = 0; i < vm_.program().functions.size(); ++i) {
    const ir::Function& f = module.function(translation_->function(i));
    if (!f.is_external()) continue;
    library_[f.name_text()] = [this, i, result = f.result_type()](ir::HostCall& call) {
      std::vector<uint64_t> arguments;
      for (const Value& value : call.arguments) arguments.push_back(value.bits);
      const Outcome outcome = vm_.call_library(i, arguments);
      if (outcome.threw) return ir::HostResult::raise_object(vm_.take_pending());
      return ir::HostResult(result == void_type ? Value() : Value(result, outcome.value));
    };
  }
}

const ir::HostFunction* SsaEngine::host_function(std::string_view name) {
  const auto found = library_.find(name);
  return found == library_.end() ? nullptr : &found->second;
}

IntrinsicResult SsaEngine::begin_init(uint32_t record) {
  const Initialiser initialiser = vm_.begin_initialiser(record);
  if (initialiser.need == Initialiser::Need::threw) return answer(ptr, {0, true});
  if (initialiser.need == Initialiser::Need::nothing) return Value(ptr, 0);
  initialising_.push_back(initialiser.record);
  return Value(ptr, ir::Memory::function_address(translation_->function(initialiser.function)));
}

IntrinsicResult SsaEngine::end_init(Reference exception) {
  const uint32_t record = initialising_.back();
  initialising_.pop_back();
  if (exception != heap::null) vm_.throw_object(exception);
  vm_.end_initialiser(record);
  return answer(void_type, {0, vm_.pending() != heap::null});
}

}  // namespace braid::pandasm
