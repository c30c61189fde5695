#include "ir/fit_types.h"

#include <vector>

#include "ir/compact.h"
#include "ir/module.h"

namespace braid::ir {

namespace {

class Fitter {
 public:
  Fitter(Function& f, Analyses& analyses) : f_(f), analyses_(analyses), types_(f.module().types) {}

  void run() {
    widen();
    demand_all();
    if (has_pis_) analyses_.keep(Analysis::graph & compact(f_));
  }

 private:
  static constexpr uint32_t nothing = 0xffffffffu;
  /// The first operand that it passes on, and all behind it; `nothing` if it does not.
  static uint32_t first_passed_on(Op op) {
    switch (op) {
      case Op::phi:
      case Op::phi_c:
      case Op::upsilon:
      case Op::variant_make: return 0;
      case Op::select: return 1;
      default: return nothing;
    }
  }
  bool fits(Operand operand, Type want) {
    if (operand.is_undef()) return true;
    const Type type = f_.type_of(operand);
    if (type == want || types_.leq(type, want)) return true;
    return operand.is_constant() && types_.leq(f_.module().constant_type(operand), want);
  }
  Type joined_type(Ref r) {
    Type joined = f_.type(r);
    const std::span<const uint32_t> words = f_.args(f_.stmt(r));
    for (uint32_t i = first_passed_on(f_.op(r)); i < words.size(); ++i)
      if (const Operand operand = Operand::from_word(words[i]); !fits(operand, joined))
        joined = types_.join(joined, operand.is_constant() ? f_.module().constant_type(operand) : f_.type_of(operand));
    return joined;
  }

  void widen() {
    std::vector<Operand> waiting;
    for (uint32_t i = 0; i < f_.size(); ++i) {
      const Ref r = static_cast<Ref>(i);
      if (first_passed_on(f_.op(r)) != nothing && joined_type(r) != f_.type(r)) waiting.push_back(r);
    }
    if (waiting.empty()) return;
    const Uses& uses = analyses_.uses();
    std::vector<bool> widened(f_.size());
    while (!waiting.empty()) {
      const Ref r = waiting.back().ref();
      waiting.pop_back();
      const Type joined = joined_type(r);
      if (joined == f_.type(r)) continue;
      f_.set_type(r, widened[index(r)] ? Type{types_.kinds(joined)} : joined);
      widened[index(r)] = true;
      for (Operand user : uses.of(r))
        if (first_passed_on(f_.op(user)) != nothing) waiting.push_back(user);
    }
  }

  /// What is demanded as a plain type is met by every value of these kinds.
  void demand_all() {
    const uint32_t count = f_.size();
    for (uint32_t i = 0; i < count; ++i) {
      const Ref r = static_cast<Ref>(i);
      switch (f_.op(r)) {
        case Op::ret:
          if (f_.operand_count(f_.stmt(r)) == 1) demand(r, 0, f_.result_type());
          break;
        case Op::set: demand(r, 1, f_.variables[static_cast<VarId>(f_.args(f_.stmt(r))[0])].type); break;
        case Op::call: demand_arguments(r, 1, f_.module().function(static_cast<FuncId>(f_.args(f_.stmt(r))[0])).signature_id()); break;
        case Op::call_indirect: demand_arguments(r, 2, static_cast<SigId>(f_.args(f_.stmt(r))[0])); break;
        case Op::intrinsic:
          demand_arguments(r, 1, f_.module().intrinsics[static_cast<IntrinsicId>(f_.args(f_.stmt(r))[0])].signature);
          break;
        default: break;
      }
    }
  }
  void demand_arguments(Ref r, uint32_t first, SigId id) {
    const uint32_t count = static_cast<uint32_t>(f_.module().signature(id).params.size());
    for (uint32_t i = 0; i < count; ++i) demand(r, first + i, f_.module().signature(id).params[i]);
  }
  void demand(Ref r, uint32_t i, Type want) {
    if (want.is_plain() || i >= f_.operand_count(f_.stmt(r))) return;
    const Operand value = f_.operand(r, i);
    if (fits(value, want)) return;
    f_.set_operand(r, i, f_.insert(Function::before(r), f_.make(Op::pi, want, {value}, f_.loc(r))));
    has_pis_ = true;
  }

  Function& f_;
  Analyses& analyses_;
  TypeTable& types_;
  bool has_pis_ = false;
};

}  // namespace

void fit_types(Function& f) {
  Analyses analyses(f);
  fit_types(f, analyses);
}
void fit_types(Function& f, Analyses& analyses) { Fitter(f, analyses).run(); }

}  // namespace braid::ir
