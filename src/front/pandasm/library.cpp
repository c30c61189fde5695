// What the functions of the library do.
#include "front/pandasm/library.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/number_text.h"
#include "front/pandasm/vm.h"
#include "ir/eval_op.h"

namespace braid::pandasm {

namespace {

using ir::Op;
using ir::arithmetic_bits;
using ir::as_float;

Outcome value(uint64_t bits) { return {bits, false}; }

template <typename Append, typename Number>
void print_number(Vm& vm, Append append, Number number) {
  std::string text;
  append(text, number);
  vm.print(text);
}

/// Six digits, as streams of C++ write floats; every NaN is `nan`.
void print_float(Vm& vm, double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", number);
  vm.print(std::isnan(number) ? "nan" : text);
}

/// Strings are their text, everything else is its class.
Outcome print_object(Vm& vm, Reference object) {
  const ClassId id = vm.heap().class_of(object);
  if (is_none(id)) {
    vm.print("null");
  } else if (vm.classes()[id].type == Type{Primitive::record, 0, vm.program().symbols.find("panda.String")}) {
    vm.print(vm.heap().text(object));
  } else {
    vm.print(vm.classes().name(id));
  }
  return value(0);
}

Outcome print_string(Vm& vm, Reference text) {
  if (text == heap::null) return vm.throw_null();
  vm.print(vm.heap().text(text));
  return value(0);
}

/// As far as the text is a number; 0 if it begins with something else.
template <typename Convert>
Outcome convert(Vm& vm, Reference text, Convert number_of) {
  if (text == heap::null) return vm.throw_null();
  return value(number_of(std::string(vm.heap().text(text)).c_str()));
}

/// `R::f` or `f`: 0 if there is such a function, else 1. Which engine runs it, the engine decides.
Outcome compile_method(Vm& vm, Reference text) {
  if (text == heap::null) return vm.throw_null();
  std::string name(vm.heap().text(text));
  if (name.starts_with("_GLOBAL::")) name.erase(0, 9);
  if (const size_t colons = name.find("::"); colons != std::string::npos) name.replace(colons, 2, ".");
  const Symbol symbol = vm.program().symbols.find(name);
  for (const Function& function : vm.program().functions)
    if (function.name == symbol) return value(0);
  return value(1);
}

uint64_t nano_time() {
  using namespace std::chrono;
  return static_cast<uint64_t>(duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count());
}

Outcome set_message(Vm& vm, Reference exception, Reference message) {
  uint64_t* slot = vm.heap().field(exception, ClassTable::message_slot);
  if (slot == nullptr) return vm.throw_null();
  *slot = message;
  return value(0);
}

}  // namespace

Outcome call_library(Vm& vm, LibraryId id, uint32_t function, std::span<const uint64_t> arguments) {
  const uint64_t a = arguments.empty() ? 0 : arguments[0], b = arguments.size() < 2 ? 0 : arguments[1];
  const int64_t i = static_cast<int64_t>(a);
  const double d = as_float<double>(a);
  const float f = as_float<float>(a);
  switch (id) {
    case LibraryId::print_i32: case LibraryId::print_i64: print_number(vm, append_i64, i); return value(0);
    case LibraryId::print_u32: print_number(vm, append_u64, a & 0xffffffffu); return value(0);
    case LibraryId::print_u64: print_number(vm, append_u64, a); return value(0);
    case LibraryId::print_f32: print_float(vm, static_cast<double>(f)); return value(0);
    case LibraryId::print_f64: print_float(vm, d); return value(0);
    case LibraryId::print_string: return print_string(vm, a);
    case LibraryId::print_object: return print_object(vm, a);

    case LibraryId::abs_i32: return value(i < 0 ? ir::eval_int_unary<Op::neg, 32>(a) : a);
    case LibraryId::abs_i64: return value(i < 0 ? ir::eval_int_unary<Op::neg, 64>(a) : a);
    case LibraryId::abs_f32: return value(ir::eval_float_unary<Op::fabs, float>(a));
    case LibraryId::abs_f64: return value(ir::eval_float_unary<Op::fabs, double>(a));
    case LibraryId::min_i32: return value(ir::eval_int_binary<Op::smin, 32>(a, b));
    case LibraryId::min_i64: return value(ir::eval_int_binary<Op::smin, 64>(a, b));
    case LibraryId::min_f32: return value(ir::eval_float_binary<Op::fmin, float>(a, b));
    case LibraryId::min_f64: return value(ir::eval_float_binary<Op::fmin, double>(a, b));
    case LibraryId::max_i32: return value(ir::eval_int_binary<Op::smax, 32>(a, b));
    case LibraryId::max_i64: return value(ir::eval_int_binary<Op::smax, 64>(a, b));
    case LibraryId::max_f32: return value(ir::eval_float_binary<Op::fmax, float>(a, b));
    case LibraryId::max_f64: return value(ir::eval_float_binary<Op::fmax, double>(a, b));
    case LibraryId::sin_f64: return value(arithmetic_bits(std::sin(d)));
    case LibraryId::cos_f64: return value(arithmetic_bits(std::cos(d)));
    case LibraryId::pow_f64: return value(arithmetic_bits(std::pow(d, as_float<double>(b))));
    case LibraryId::sqrt_f64: return value(ir::eval_float_unary<Op::fsqrt, double>(a));
    case LibraryId::sin_f32: return value(arithmetic_bits(std::sin(f)));
    case LibraryId::cos_f32: return value(arithmetic_bits(std::cos(f)));
    case LibraryId::pow_f32: return value(arithmetic_bits(std::pow(f, as_float<float>(b))));
    case LibraryId::sqrt_f32: return value(ir::eval_float_unary<Op::fsqrt, float>(a));

    case LibraryId::string_to_i32:
      return convert(vm, a, [](const char* text) {
        return ir::canonical_int<32>(static_cast<uint64_t>(std::strtoll(text, nullptr, 10)));
      });
    case LibraryId::string_to_i64:
      return convert(vm, a, [](const char* text) { return static_cast<uint64_t>(std::strtoll(text, nullptr, 10)); });
    case LibraryId::string_to_f64:
      return convert(vm, a, [](const char* text) { return arithmetic_bits(std::strtod(text, nullptr)); });

    case LibraryId::monitor_enter: return vm.monitor_enter(a);
    case LibraryId::monitor_exit: return vm.monitor_exit(a);
    case LibraryId::compile_method: return compile_method(vm, a);
    case LibraryId::nano_time: return value(nano_time());

    case LibraryId::object_ctor: return value(0);
    case LibraryId::exception_ctor: return set_message(vm, a, heap::null);
    case LibraryId::exception_ctor_message: return set_message(vm, a, b);
    case LibraryId::exception_message: return a == heap::null ? vm.throw_null() : value(vm.message(a));
    case LibraryId::array_ctor: {
      const std::vector<Type>& parameters = vm.program().functions[function].parameters;
      if (arguments.size() >= parameters.size()) return value(0);  // a plain call: the array is there already
      return vm.new_arrays(vm.classes().class_of(parameters[0]), arguments);
    }
  }
  return value(0);
}

}  // namespace braid::pandasm
