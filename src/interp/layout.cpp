// Layouts by storage, and values to and from registers.
#include "interp/layout.h"

#include <optional>

#include "ir/bits.h"
#include "ir/strings.h"

namespace braid::interp {
namespace {

uint64_t value_bytes(const Value& value) {
  uint64_t bytes = sizeof(Value);
  for (const Value& element : value.elements) bytes += value_bytes(element);
  return bytes;
}

/// The plain type that stands for a storage.
Type type_of(Storage storage) {
  constexpr Type types[] = {void_type, i1, i8, i16, i32, i64, f32, f64, ptr, ref, tuple_type, token_type, state_type};
  return storage >= Storage::mixed ? none : types[static_cast<unsigned>(storage)];
}

}  // namespace

Layout Layouts::of(Type type) {
  if (type == i64) return {Layout::Form::scalar, Storage::i64, 1};  // what most values are
  Storage storage = types_->storage(type);
  switch (storage) {
    case Storage::nothing:
    case Storage::state: return {};
    case Storage::mixed: return {Layout::Form::mixed, storage, 2};
    case Storage::tuple: break;
    default: return {Layout::Form::scalar, storage, 1};
  }
  if (!types_->has_elements(type)) return {Layout::Form::handle, storage, 1};
  auto found = layouts_.find(type.bits);
  if (found != layouts_.end()) return found->second;
  Layout layout{Layout::Form::tuple, storage, 0};
  std::vector<uint32_t> offsets;
  for (Type element : types_->elements(type)) {
    offsets.push_back(layout.size);
    layout.size += of(element).size;
  }
  offsets.push_back(layout.size);
  offsets_.emplace(type.bits, std::move(offsets));
  layouts_.emplace(type.bits, layout);
  return layout;
}

std::span<const uint32_t> Layouts::offsets(Type tuple) {
  of(tuple);
  return offsets_[tuple.bits];
}

void Layouts::append_references(Type type, uint32_t first, std::vector<ReferenceRegister>& registers) {
  const Layout layout = of(type);
  if (layout.form == Layout::Form::scalar && layout.storage == Storage::ref) registers.push_back({first, false});
  if (layout.form == Layout::Form::mixed) registers.push_back({first + 1, true});
  if (layout.form != Layout::Form::tuple) return;
  for (size_t i = 0; i < types_->elements(type).size(); ++i)
    append_references(types_->elements(type)[i], first + offsets(type)[i], registers);
}

bool Layouts::same(Type a, Type b) {
  if (a == b) return true;
  Layout x = of(a), y = of(b);
  if (x.form != y.form || x.storage != y.storage || x.size != y.size) return false;
  if (x.form != Layout::Form::tuple) return true;
  std::span<const Type> elements = types_->elements(a), others = types_->elements(b);
  if (elements.size() != others.size()) return false;
  for (size_t i = 0; i < elements.size(); ++i)
    if (!same(elements[i], others[i])) return false;
  return true;
}

void Layouts::append_zero(Type type, std::vector<uint64_t>& words) {
  Layout layout = of(type);
  if (layout.form == Layout::Form::mixed) {
    KindSet first = types_->kinds(type) & (0u - types_->kinds(type));
    words.push_back(static_cast<uint64_t>(TypeTable::storage_of(first)));
    append_zero(Type{first}, words);
  } else if (layout.form == Layout::Form::tuple) {
    for (Type element : types_->elements(type)) append_zero(element, words);
  } else {
    words.insert(words.end(), layout.size, types_->kinds(type) == string_type.bits ? ir::empty_string : 0);
  }
}

uint64_t TupleStore::add(const Value& tuple) {
  uint64_t bytes = value_bytes(tuple);
  if (bytes > max_bytes_ || bytes_ > max_bytes_ - bytes) return 0;
  bytes_ += bytes;
  tuples_.push_back(tuple);
  return tuples_.size();
}

namespace {

Value empty_tuple() {
  Value value;
  value.type = tuple_type;
  return value;
}

/// Handle 0 stands for the zero of an unknown tuple type: the empty tuple.
Value tuple_at(const TupleStore& tuples, uint64_t handle) {
  const Value* found = tuples.find(handle);
  return found == nullptr ? empty_tuple() : *found;
}

}  // namespace

Value read_value(Layouts& layouts, const TupleStore& tuples, Type type, const uint64_t* registers) {
  Layout layout = layouts.of(type);
  switch (layout.form) {
    case Layout::Form::nothing: return {};
    case Layout::Form::handle: return tuple_at(tuples, registers[0]);
    case Layout::Form::mixed: {
      Storage now = static_cast<Storage>(registers[0]);
      if (now == Storage::tuple) return tuple_at(tuples, registers[1]);
      if (now == Storage::nothing) return {};
      return {type_of(now), registers[1]};
    }
    case Layout::Form::scalar: {
      std::optional<Kind> kind = layouts.types().single_kind(type);
      return {kind ? braid::of(*kind) : type_of(layout.storage), registers[0]};
    }
    case Layout::Form::tuple: {
      Value value = empty_tuple();
      std::span<const Type> elements = layouts.types().elements(type);
      std::span<const uint32_t> offsets = layouts.offsets(type);
      for (size_t i = 0; i < elements.size(); ++i)
        value.elements.push_back(read_value(layouts, tuples, elements[i], registers + offsets[i]));
      return value;
    }
  }
  return {};
}

Stored write_value(Layouts& layouts, TupleStore& tuples, Type type, const Value& value, uint64_t* registers) {
  Layout layout = layouts.of(type);
  Storage storage = layouts.types().storage(value.type);
  uint64_t bits = value.bits;
  if (std::optional<Kind> kind = layouts.types().single_kind(value.type)) bits = ir::canonical(*kind, bits);
  switch (layout.form) {
    case Layout::Form::nothing: return storage == Storage::nothing ? Stored::ok : Stored::mismatch;
    case Layout::Form::scalar:
      if (storage != layout.storage) return Stored::mismatch;
      registers[0] = bits;
      return Stored::ok;
    case Layout::Form::handle:
      if (storage != Storage::tuple) return Stored::mismatch;
      registers[0] = tuples.add(value);
      return registers[0] == 0 ? Stored::no_room : Stored::ok;
    case Layout::Form::mixed:
      if ((layouts.types().kinds(type) & layouts.types().kinds(value.type)) == 0) {
        // A reference of one kind may stand for one of another: only the runtime knows what it is.
        constexpr KindSet references = (null_type | string_type | array_type | object_type | ref).bits;
        if (storage != Storage::ref || (layouts.types().kinds(type) & references) == 0) return Stored::mismatch;
      }
      registers[0] = static_cast<uint64_t>(storage);
      registers[1] = storage == Storage::tuple ? tuples.add(value) : bits;
      return storage == Storage::tuple && registers[1] == 0 ? Stored::no_room : Stored::ok;
    case Layout::Form::tuple: {
      std::span<const Type> elements = layouts.types().elements(type);
      std::span<const uint32_t> offsets = layouts.offsets(type);
      if (storage != Storage::tuple || value.elements.size() != elements.size()) return Stored::mismatch;
      for (size_t i = 0; i < elements.size(); ++i) {
        Stored stored = write_value(layouts, tuples, elements[i], value.elements[i], registers + offsets[i]);
        if (stored != Stored::ok) return stored;
      }
      return Stored::ok;
    }
  }
  return Stored::mismatch;
}

bool is_within(const TypeTable& types, const Value& value, Type type) {
  if (!types.has(value.type)) return false;
  const std::optional<Kind> kind = types.single_kind(value.type);
  if (type.is_plain() || !kind || (types.kinds(type) & kind_bit(*kind)) == 0) return true;
  const uint64_t bits = ir::canonical(*kind, value.bits);
  if (is_integer(*kind)) {
    const auto [low, high] = types.range(type, *kind);
    return low <= static_cast<int64_t>(bits) && static_cast<int64_t>(bits) <= high;
  }
  if (is_float(*kind)) return types.known_float(type, *kind).value_or(bits) == bits;
  if (*kind != Kind::tuple || !types.has_elements(type)) return true;
  const std::span<const Type> elements = types.elements(type);
  return std::equal(elements.begin(), elements.end(), value.elements.begin(), value.elements.end(),
                    [&](Type element, const Value& given) { return is_within(types, given, element); });
}

}  // namespace braid::interp
