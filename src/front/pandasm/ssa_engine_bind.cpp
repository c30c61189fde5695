// What the intrinsics of a translated program do: each is one operation of the Vm.
#include "front/pandasm/ssa_engine.h"
#include "ir/memory.h"

namespace braid::pandasm {

namespace {

FieldId field(uint64_t number) { return static_cast<FieldId>(number); }

/// What is stored in an array of references must fit into it, so that is not one of them.
interp::Access access_of(Managed operation) {
  using interp::Access;
  switch (operation) {
    case Managed::length: return Access::length;
    case Managed::load_i8: return Access::load_i8;
    case Managed::load_u8: return Access::load_u8;
    case Managed::load_i16: return Access::load_i16;
    case Managed::load_u16: return Access::load_u16;
    case Managed::load_i32: return Access::load_i32;
    case Managed::load_f32: return Access::load_u32;
    case Managed::load_i64: case Managed::load_f64: return Access::load_64;
    case Managed::load_ref: return Access::load_ref;
    case Managed::store_i8: return Access::store_8;
    case Managed::store_i16: return Access::store_16;
    case Managed::store_i32: case Managed::store_f32: return Access::store_32;
    case Managed::store_i64: case Managed::store_f64: return Access::store_64;
    case Managed::get_i32: case Managed::get_i64: case Managed::get_f32: case Managed::get_f64: case Managed::get_ref:
      return Access::get;
    case Managed::put_i32: case Managed::put_i64: case Managed::put_f32: case Managed::put_f64: case Managed::put_ref:
      return Access::put;
    default: return Access::none;
  }
}

/// Whether an integer is cut off when it is stored.
bool is_narrow(const Type& type) {
  if (type.dimensions != 0) return false;
  switch (type.primitive) {
    case Primitive::u1: case Primitive::u8: case Primitive::i8: case Primitive::u16: case Primitive::i16: return true;
    default: return false;
  }
}

}  // namespace

ir::RawIntrinsic SsaEngine::raw(Managed operation) {
  using Runtime = ir::Runtime;
  using Operands = const uint64_t*;
  switch (operation) {
    case Managed::new_object:
      return [](Runtime& r, Operands o, uint64_t& to) {
        Vm& vm = of(r).vm_;
        return give(vm.new_object(vm.classes().record_class(static_cast<uint32_t>(o[0]))), to);
      };
    case Managed::new_array:
      return [](Runtime& r, Operands o, uint64_t& to) {
        return give(of(r).vm_.new_array(of(r).class_of(o[0]), static_cast<int32_t>(o[1])), to);
      };
    case Managed::length:
      return [](Runtime& r, Operands o, uint64_t& to) { return give(of(r).vm_.array_length(o[0]), to); };
#define LOAD(name, Stored)                                                                                         \
  case Managed::load_##name:                                                                                       \
    return [](Runtime& r, Operands o, uint64_t& to) { return give(of(r).vm_.load_element_as<Stored>(o[0], o[1]), to); };
#define STORE(name, Stored)                                                                                        \
  case Managed::store_##name:                                                                                      \
    return [](Runtime& r, Operands o, uint64_t& to) { return give(of(r).vm_.store_element_as<Stored>(o[0], o[1], o[2]), to); };
    LOAD(i8, int8_t)
    LOAD(u8, uint8_t)
    LOAD(i16, int16_t)
    LOAD(u16, uint16_t)
    LOAD(i32, int32_t)
    LOAD(i64, int64_t)
    LOAD(f32, uint32_t)
    LOAD(f64, uint64_t)
    STORE(i8, int8_t)
    STORE(i16, int16_t)
    STORE(i32, int32_t)
    STORE(i64, int64_t)
    STORE(f32, uint32_t)
    STORE(f64, uint64_t)
#undef STORE
#undef LOAD
    case Managed::load_ref:
      return [](Runtime& r, Operands o, uint64_t& to) { return give(of(r).vm_.load_reference(o[0], o[1]), to); };
    case Managed::store_ref:
      return [](Runtime& r, Operands o, uint64_t& to) { return give(of(r).vm_.store_reference(o[0], o[1], o[2]), to); };
    case Managed::get_i32: case Managed::get_i64: case Managed::get_f32: case Managed::get_f64: case Managed::get_ref:
      return [](Runtime& r, Operands o, uint64_t& to) { return give(of(r).vm_.load_field(o[0], field(o[1])), to); };
    case Managed::put_i32: case Managed::put_i64: case Managed::put_f32: case Managed::put_f64: case Managed::put_ref:
      return [](Runtime& r, Operands o, uint64_t& to) { return give(of(r).vm_.store_field(o[0], field(o[1]), o[2]), to); };
    case Managed::get_static_i32: case Managed::get_static_i64: case Managed::get_static_f32: case Managed::get_static_f64:
    case Managed::get_static_ref:
      return [](Runtime& r, Operands o, uint64_t& to) {
        to = of(r).vm_.load_static(field(o[0]));
        return true;
      };
    case Managed::put_static_i32: case Managed::put_static_i64: case Managed::put_static_f32: case Managed::put_static_f64:
    case Managed::put_static_ref:
      return [](Runtime& r, Operands o, uint64_t&) {
        of(r).vm_.store_static(field(o[0]), o[1]);
        return true;
      };
    case Managed::begin_init:
      return [](Runtime& r, Operands o, uint64_t& to) { return give(of(r).begin_init(static_cast<uint32_t>(o[0])), to); };
    case Managed::end_init: return [](Runtime& r, Operands o, uint64_t& to) { return give(of(r).end_init(o[0]), to); };
    case Managed::check_cast:
      return [](Runtime& r, Operands o, uint64_t& to) {
        to = o[0];
        return !of(r).vm_.check_cast(o[0], of(r).class_of(o[1]), true).threw;
      };
    case Managed::is_instance:
      return [](Runtime& r, Operands o, uint64_t& to) {
        to = of(r).vm_.is_instance(o[0], of(r).class_of(o[1]));
        return true;
      };
    case Managed::text:
      return [](Runtime& r, Operands o, uint64_t& to) { return give(of(r).vm_.string_constant(static_cast<Symbol>(o[0])), to); };
    case Managed::type:
      return [](Runtime& r, Operands o, uint64_t& to) {
        return give(of(r).vm_.type_object(of(r).translation_->types()[static_cast<uint32_t>(o[0])]), to);
      };
    case Managed::constants:
      return [](Runtime& r, Operands o, uint64_t& to) { return give(of(r).vm_.constant_array(static_cast<uint32_t>(o[0])), to); };
    case Managed::method:
      return [](Runtime& r, Operands o, uint64_t& to) {
        const Outcome found = of(r).vm_.find_virtual(o[0], static_cast<uint32_t>(o[1]));
        if (!found.threw) to = ir::Memory::function_address(of(r).translation_->function(static_cast<uint32_t>(found.value)));
        return !found.threw;
      };
    case Managed::has_class:
      return [](Runtime& r, Operands o, uint64_t& to) {
        Vm& vm = of(r).vm_;
        to = of(r).guessed(vm.heap().class_of(o[0]) == vm.classes().record_class(static_cast<uint32_t>(o[1])));
        return true;
      };
    case Managed::means:
      return [](Runtime& r, Operands o, uint64_t& to) {
        const Outcome found = of(r).vm_.find_virtual(o[0], static_cast<uint32_t>(o[1]));
        to = of(r).guessed(!found.threw && found.value == o[2]);
        return true;
      };
    case Managed::stays:
      return [](Runtime& r, Operands o, uint64_t& to) {
        to = !of(r).options_.stays || of(r).options_.stays(static_cast<uint32_t>(o[0]));
        return true;
      };
  }
  return nullptr;
}

/// Engines that do not keep registers as bits evaluate the same functions.
void SsaEngine::bind() {
  ir::Module& module = translation_->module();
  for (const Type& type : translation_->types()) classes_.push_back(vm_.classes().class_of(type));
  raw_.assign(module.intrinsics.size(), nullptr);
  for (uint32_t i = 0; i < managed_count; ++i) {
    const Symbol name = module.symbols.find(info(static_cast<Managed>(i)).text);
    const ir::IntrinsicId id = is_none(name) ? none_id<ir::IntrinsicId> : module.find_intrinsic(name);
    if (is_none(id)) continue;
    const ir::RawIntrinsic function = raw_[index(id)] = raw(static_cast<Managed>(i));
    const braid::Type type = type_of_letter(info(static_cast<Managed>(i)).result);
    module.intrinsics[id].evaluate = [this, function, type](std::span<const Value> values) {
      uint64_t operands[ir::most_raw_operands] = {}, result = 0;
      for (size_t k = 0; k < values.size(); ++k) operands[k] = values[k].bits;
      if (!function(*this, operands, result)) return IntrinsicResult::raise(std::string(thrown));
      return IntrinsicResult(type == void_type ? Value() : Value(type, result));
    };
  }
  for (ir::Intrinsic& intrinsic : module.intrinsics) {
    if (intrinsic.evaluate) continue;  // the makers of arrays of arrays are left
    intrinsic.evaluate = [this](std::span<const Value> operands) {
      std::vector<uint64_t> sizes;
      for (const Value& size : operands.subspan(1)) sizes.push_back(size.bits);
      const Outcome made = vm_.new_arrays(class_of(operands[0].bits), sizes);
      return made.threw ? IntrinsicResult::raise(std::string(thrown)) : IntrinsicResult(Value(ref, made.value));
    };
  }
}

void SsaEngine::bind_accesses() {
  const ir::Module& module = translation_->module();
  access_ = {};
  access_.heap = &vm_.heap();
  for (uint32_t i = 0; i < managed_count; ++i) {
    const Symbol name = module.symbols.find(info(static_cast<Managed>(i)).text);
    const ir::IntrinsicId id = is_none(name) ? none_id<ir::IntrinsicId> : module.find_intrinsic(name);
    if (is_none(id)) continue;
    if (index(id) >= access_.intrinsics.size()) access_.intrinsics.resize(index(id) + 1, interp::Access::none);
    access_.intrinsics[index(id)] = access_of(static_cast<Managed>(i));
  }
  for (uint32_t i = 0; i < vm_.classes().field_count(); ++i) {
    const FieldPlace& place = vm_.classes()[static_cast<FieldId>(i)];
    access_.fields.push_back({place.slot, !is_narrow(place.type)});
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

Outcome SsaEngine::begin_init(uint32_t record) {
  trace_.clear();  // what is thrown here was not thrown before
  const Initialiser initialiser = vm_.begin_initialiser(record);
  if (initialiser.need == Initialiser::Need::threw) return {0, true};
  if (initialiser.need == Initialiser::Need::nothing) return {};
  initialising_.push_back(initialiser.record);
  return {ir::Memory::function_address(translation_->function(initialiser.function)), false};
}

Outcome SsaEngine::end_init(Reference exception) {
  const uint32_t record = initialising_.back();
  initialising_.pop_back();
  if (exception != heap::null) vm_.throw_object(exception);
  vm_.end_initialiser(record);
  return {0, vm_.pending() != heap::null};
}

}  // namespace braid::pandasm
