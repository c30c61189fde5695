// Dynamic operations in the machine: from registers to values with their kinds, to ir/dynamic.h, and back.
#include "interp/machine.h"
#include "ir/dynamic.h"
#include "ir/strings.h"

namespace braid::interp {

using ir::Dynamic;
using ir::DynamicResult;
using ir::Op;

namespace {

class RuntimeStrings final : public ir::DynamicStrings {
 public:
  RuntimeStrings(const ir::Module& module, ir::Runtime& runtime) : module_(module), runtime_(runtime) {}
  std::string_view text(uint64_t reference) const override {
    return ir::string_of(module_, runtime_, reference).value_or(std::string_view());
  }
  uint64_t make(std::string_view text) override { return text.empty() ? ir::empty_string : runtime_.make_string(text); }

 private:
  const ir::Module& module_;
  ir::Runtime& runtime_;
};

Storage storage_of(Kind kind) { return TypeTable::storage_of(kind_bit(kind)); }

/// The kind of what is in registers now.
Kind kind_now(const ir::Module& module, const ir::Runtime& runtime, Storage storage, uint64_t bits) {
  constexpr Kind kinds[] = {Kind::null_, Kind::i1,  Kind::i8,  Kind::i16,   Kind::i32,   Kind::i64,  Kind::f32,
                            Kind::f64,   Kind::ptr, Kind::ref, Kind::tuple, Kind::token, Kind::state};
  if (storage != Storage::ref) return kinds[static_cast<unsigned>(storage) % std::size(kinds)];
  if (bits == 0) return Kind::null_;
  return ir::string_of(module, runtime, bits) ? Kind::string : Kind::ref;
}

}  // namespace

Machine::Flow Machine::dynamic(const DynamicSite& site, uint64_t* base) {
  const ir::Module& module = interpreter_.module_;
  auto read = [&](const TypedRegisters& from) {
    Layout layout = layouts_.of(from.type);
    const uint64_t* at = base + from.first;
    if (layout.form == Layout::Form::mixed)
      return Dynamic{kind_now(module, runtime_, static_cast<Storage>(at[0]), at[1]), at[1]};
    return Dynamic{kind_now(module, runtime_, layout.storage, at[0]), at[0]};
  };
  const Dynamic a = read(site.operands[0]);
  Dynamic value{};
  switch (site.op) {
    case Op::is: value = {Kind::i1, (kind_bit(a.kind) & site.tested) != 0}; break;
    case Op::variant_tag: value = {Kind::i8, static_cast<uint64_t>(a.kind)}; break;
    case Op::variant_get: {
      std::optional<Kind> wanted = layouts_.types().single_kind(site.result.type);
      if (wanted == a.kind) value = a;
      else if (wanted) value = {*wanted, *wanted == Kind::string ? ir::empty_string : 0};
      break;
    }
    default: {
      const ir::Language* language = ir::language(module.language);
      if (language == nullptr) return stop(OutcomeKind::trap, "a dynamic operation in a module without a language");
      const Dynamic b = ir::info(site.op).fixed_count == 2 ? read(site.operands[1]) : Dynamic{};
      RuntimeStrings strings(module, runtime_);
      DynamicResult result = ir::eval_dynamic(*language, site.op, a, b, strings);
      if (result.state == DynamicResult::State::no_room) return out_of_memory();
      if (result.state == DynamicResult::State::throws) return failed_check(result.error, site.cannot_throw);
      value = result.value;
    }
  }
  Layout layout = layouts_.of(site.result.type);
  uint64_t* to = base + site.result.first;
  if (layout.form == Layout::Form::mixed) {
    to[0] = static_cast<uint64_t>(storage_of(value.kind));
    to[1] = value.bits;
  } else if (layout.form == Layout::Form::scalar && layout.storage == storage_of(value.kind)) {
    to[0] = value.bits;
  } else {
    return stop(OutcomeKind::trap, "a dynamic value is not of the type that it is known to be of");
  }
  return Flow::next;
}

}  // namespace braid::interp
