// The simple runtime, and values as text.
#include "ir/runtime.h"

#include "base/number_text.h"
#include "base/quoted.h"
#include "ir/strings.h"

namespace braid::ir {
namespace {

uint64_t element_bytes(const Value& value) {
  uint64_t bytes = value.elements.capacity() * sizeof(Value);
  for (const Value& element : value.elements) bytes += element_bytes(element);
  return bytes;
}

void append(std::string& out, const Value& value) {
  if (value.type == i1) {
    out += value.as_bool() ? "true" : "false";
  } else if (value.type == f64) {
    append_decimal_float(out, value.as_f64());
  } else if (value.type == f32) {
    append_decimal_float(out, value.as_f32());
  } else if (value.type == i8 || value.type == i16 || value.type == i32 || value.type == i64) {
    append_i64(out, value.as_i64());
  } else if (value.type == void_type) {
    out += "void";
  } else if (value.type == ptr) {
    append_hex(out, value.bits);
  } else if (value.type == tuple_type) {
    out += '(';
    for (size_t i = 0; i < value.elements.size(); ++i) {
      if (i != 0) out += ", ";
      append(out, value.elements[i]);
    }
    out += ')';
  } else if (value.bits == 0) {
    out += "null";
  } else {
    out += "ref ";
    append_u64(out, value.bits);
  }
}

void append(std::string& out, const FrameState& state) {
  out += std::to_string(state.position);
  if (state.resume != ResumeKind::reexecute) (out += ' ') += resume_name(state.resume);
  out += " [";
  for (size_t i = 0; i < state.registers.size(); ++i) {
    const FrameState::Register& r = state.registers[i];
    if (i != 0) out += ", ";
    out += std::to_string(r.number) + ": " + (r.value ? to_string(*r.value) : "undef");
  }
  out += ']';
}

}  // namespace

const HostFunction* SimpleRuntime::host_function(std::string_view name) {
  auto found = functions_.find(std::string(name));
  return found == functions_.end() ? nullptr : &found->second;
}

uint64_t SimpleRuntime::add(Object object, uint64_t extra_bytes) {
  uint64_t bytes = sizeof(Object) + extra_bytes;
  if (bytes > max_bytes_ || bytes_ > max_bytes_ - bytes) return 0;
  bytes_ += bytes;
  objects_.push_back(std::move(object));
  return objects_.size();
}

uint64_t SimpleRuntime::box(const Value& value) { return add({Object::Kind::box, value, {}, {}}, element_bytes(value)); }

uint64_t SimpleRuntime::make_error(std::string_view kind, std::string_view text) {
  return add({Object::Kind::error, {}, std::string(kind), std::string(text)}, kind.size() + text.size());
}

uint64_t SimpleRuntime::make_string(std::string_view text) {
  return add({Object::Kind::string, {}, {}, std::string(text)}, text.size());
}

std::optional<std::string_view> SimpleRuntime::string(uint64_t object) const {
  const Object* found = find(object);
  if (found == nullptr || found->kind != Object::Kind::string) return std::nullopt;
  return found->text;
}

const Value* SimpleRuntime::unbox(uint64_t object) const {
  const Object* found = find(object);
  return found != nullptr && found->kind == Object::Kind::box ? &found->value : nullptr;
}

std::string SimpleRuntime::describe(uint64_t object) const {
  if (object == 0) return "null";
  const Object* found = find(object);
  if (found == nullptr) return "ref " + std::to_string(object);
  std::string out;
  switch (found->kind) {
    case Object::Kind::box: return "box " + to_string(found->value);
    case Object::Kind::string: append_quoted(out, found->text); return out;
    case Object::Kind::error: break;
  }
  return found->text.empty() ? found->error : found->error + " '" + found->text + "'";
}

std::string describe(const Module& module, const Runtime& runtime, uint64_t reference) {
  Symbol symbol = literal_symbol(module, reference);
  if (is_none(symbol)) return runtime.describe(reference);
  std::string out;
  append_quoted(out, module.name(symbol));
  return out;
}

std::string to_string(const Value& value) {
  std::string out;
  append(out, value);
  return out;
}

std::string to_string(std::span<const FrameState> states) {
  std::string out = "deopts ";
  for (size_t i = 0; i < states.size(); ++i) {
    if (i != 0) out += " caller ";
    append(out, states[i]);
  }
  return out;
}

}  // namespace braid::ir
