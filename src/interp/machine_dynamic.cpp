// Dynamic operations in the machine: from registers to values with their kinds, and back.
#include "interp/machine.h"
#include "ir/run_dynamic.h"

namespace braid::interp {

using ir::Dynamic;
using ir::DynamicResult;

Machine::Flow Machine::dynamic(const DynamicSite& site, uint64_t* base) {
  const ir::Module& module = interpreter_.module_;
  auto read = [&](const TypedRegisters& from) {
    Layout layout = layouts_.of(from.type);
    const uint64_t* at = base + from.first;
    if (layout.form != Layout::Form::mixed) return ir::dynamic_value(module, runtime_, layout.storage, at[0]);
    return ir::dynamic_value(module, runtime_, static_cast<Storage>(at[0]), at[1]);
  };
  const Dynamic a = read(site.operands[0]);
  const Dynamic b = site.has_second ? read(site.operands[1]) : Dynamic{};
  const DynamicResult result = ir::run_dynamic(module, runtime_, site.op, site.type, a, b);
  if (result.state == DynamicResult::State::no_room) return out_of_memory();
  if (result.state == DynamicResult::State::throws) return failed_check(result.error, site.cannot_throw);

  const Storage storage = TypeTable::storage_of(kind_bit(result.value.kind));
  Layout layout = layouts_.of(site.result.type);
  uint64_t* to = base + site.result.first;
  if (layout.form == Layout::Form::mixed) {
    to[0] = static_cast<uint64_t>(storage);
    to[1] = result.value.bits;
  } else if (layout.form == Layout::Form::scalar && layout.storage == storage) {
    to[0] = result.value.bits;
  } else {
    return stop(OutcomeKind::trap, "a dynamic value is not of the type that it is known to be of");
  }
  return Flow::next;
}

}  // namespace braid::interp
