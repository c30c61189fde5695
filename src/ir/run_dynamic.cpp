#include "ir/run_dynamic.h"

#include "ir/strings.h"

namespace braid::ir {
namespace {

class RuntimeStrings final : public DynamicStrings {
 public:
  RuntimeStrings(const Module& module, Runtime& runtime) : module_(module), runtime_(runtime) {}
  std::string_view text(uint64_t reference) const override {
    return string_of(module_, runtime_, reference).value_or(std::string_view());
  }
  uint64_t make(std::string_view text) override { return text.empty() ? empty_string : runtime_.make_string(text); }

 private:
  const Module& module_;
  Runtime& runtime_;
};

}  // namespace

Dynamic dynamic_value(const Module& module, const Runtime& runtime, Storage storage, uint64_t bits) {
  constexpr Kind kinds[] = {Kind::null_, Kind::i1,  Kind::i8,  Kind::i16,   Kind::i32,   Kind::i64,  Kind::f32,
                            Kind::f64,   Kind::ptr, Kind::ref, Kind::tuple, Kind::token, Kind::state};
  if (storage != Storage::ref) return {kinds[static_cast<unsigned>(storage) % std::size(kinds)], bits};
  if (bits == 0) return {};
  return {string_of(module, runtime, bits) ? Kind::string : Kind::ref, bits};
}

DynamicResult run_dynamic(const Module& module, Runtime& runtime, Op op, Type type, Dynamic a, Dynamic b) {
  switch (op) {
    case Op::is: return DynamicResult::of(Kind::i1, (kind_bit(a.kind) & module.types.kinds(type)) != 0);
    case Op::variant_tag: return DynamicResult::of(Kind::i8, static_cast<uint64_t>(a.kind));
    case Op::variant_get: {
      Kind wanted = module.types.single_kind(type).value_or(Kind::null_);
      if (wanted == a.kind) return DynamicResult::of(a.kind, a.bits);
      return DynamicResult::of(wanted, wanted == Kind::string ? empty_string : 0);
    }
    default: break;
  }
  const Language* rules = language(module.language);
  if (rules == nullptr) return DynamicResult::raise(ErrorKind::type);
  RuntimeStrings strings(module, runtime);
  return eval_dynamic(*rules, op, a, b, strings);
}

}  // namespace braid::ir
