// Calls of functions and intrinsics, and accesses to the heap in place of intrinsics.
#include <algorithm>
#include <utility>

#include "interp/emitter.h"

namespace braid::interp {

using ir::FuncId;
using ir::Op;

void Emitter::add_arguments(CallSite& site, const Stmt& s, uint32_t first, std::span<const Type> types) {
  std::vector<uint32_t> registers;  // conversions of one argument must not cut the list of another
  for (uint32_t i = 0; i < types.size() && first + i < f_.operand_count(s); ++i) {
    uint32_t from = use_as(f_.operand(s, first + i), types[i]);
    for (uint32_t word = 0; word < layouts_.of(types[i]).size; ++word) registers.push_back(from + word);
  }
  site.first_argument = static_cast<uint32_t>(code_.argument_registers.size());
  site.argument_words = static_cast<uint32_t>(registers.size());
  code_.argument_registers.insert(code_.argument_registers.end(), registers.begin(), registers.end());
}

void Emitter::emit_call(Operand id, const Stmt& s) {
  const ir::Module& module = f_.module();
  CallSite site;
  site.cannot_throw = (f_.traits(id) & ir::throws) == 0;
  if (s.op != Op::intrinsic) site.inlined = module.inlined_depth(f_.loc(id));
  ir::SigId signature{};
  Opcode op = Opcode::call;
  uint32_t first = 1;
  if (s.op == Op::call) {
    site.function = static_cast<FuncId>(f_.arg(s, 0));
    signature = module.function(site.function).signature_id();
    if (module.function(site.function).is_external()) {
      op = Opcode::call_host;
      code_.external_callees.push_back(site.function);
    }
  } else if (s.op == Op::intrinsic) {
    site.intrinsic = static_cast<ir::IntrinsicId>(f_.arg(s, 0));
    signature = module.intrinsics[site.intrinsic].signature;
    op = Opcode::call_intrinsic;
  } else {
    site.signature = signature = static_cast<ir::SigId>(f_.arg(s, 0));
    site.address = use(f_.operand(s, 1));
    op = Opcode::call_indirect;
    first = 2;
  }
  const ir::Signature& types = module.signature(signature);
  Result result = result_for(id, types.result);
  // A length that waits is part of a slow path already.
  const bool has_access = op == Opcode::call_intrinsic && !analysis_.is_deferred(f_.dense(id)) &&
                          emit_access(id, s, types.params, result.first);
  const uint32_t begin = static_cast<uint32_t>(code_.instrs.size()), begun = unpaid_;
  uint32_t paid = 0;
  for (uint32_t waiting : std::exchange(deferred_, {})) {
    begin_source(f_.loc(f_.from_dense(waiting)));
    // Who throws pays for what had begun where it stands.
    const uint32_t begun_there = begun - (analysis_.position_of(f_.dense(id)) - analysis_.position_of(waiting));
    unpaid_ = begun_there - paid;
    emit_now(f_.from_dense(waiting));
    if (unpaid_ == 0) paid = begun_there;
  }
  unpaid_ = begun - paid;
  begin_source(f_.loc(id));
  add_arguments(site, s, first, types.params);
  site.result = {types.result, result.first};
  const bool has_one = op == Opcode::call && site.argument_words == 1;
  if (op == Opcode::call) code_.internal_calls.push_back(static_cast<uint32_t>(code_.instrs.size()));
  code_.calls.push_back(site);
  emit_paying(has_one ? Opcode::call_one : op, static_cast<uint32_t>(code_.calls.size() - 1), result.first,
              has_one ? code_.argument_registers[site.first_argument] : 0);
  if (op == Opcode::call || op == Opcode::call_indirect) emit(Opcode::trap);
  if (has_access) {
    // Behind the access, whichever way was taken, all of it is still to be paid.
    if (begun != 0) emit(Opcode::charge, 0 - begun);
    cut_slow_path(begin);
    unpaid_ = begun;
  }
  finish(id, result);
}

void Emitter::cut_slow_path(uint32_t begin) {
  SlowPath path{begin, {code_.instrs.begin() + begin, code_.instrs.end()}, {}};
  auto first = std::partition_point(code_.sources.begin(), code_.sources.end(),
                                    [&](const SourceRange& range) { return range.first < begin; });
  if (first != code_.sources.begin()) path.sources.push_back({0, first[-1].loc});
  for (auto range = first; range != code_.sources.end(); ++range) path.sources.push_back({range->first - begin, range->loc});
  code_.sources.erase(first, code_.sources.end());
  code_.instrs.resize(begin);
  slow_paths_.push_back(std::move(path));
}

bool Emitter::emit_access(Operand id, const Stmt& s, std::span<const Type> types, uint32_t result) {
  const Access access = analysis_.access(s);
  if (access == Access::none) return false;
  // What may be undefined, or has another form, is for those who look closer.
  for (uint32_t i = 0; i < types.size(); ++i) {
    const Operand operand = resolve(f_.operand(s, i + 1));
    if (is_undef(operand) || flag_of(operand) != no_register || !layouts_.same(type_of(operand), types[i])) return false;
  }
  auto at = [&](uint32_t operand) { return location(resolve(f_.operand(s, operand))); };
  const bool is_store = access >= Access::store_8 && access <= Access::store_64;
  uint32_t third = 0;
  if (access == Access::get || access == Access::put) {
    const Operand number = resolve(f_.operand(s, 2));
    const uint64_t which = number.is_constant() ? f_.module().constants.value(number).bits : heap_->fields.size();
    if (which >= heap_->fields.size()) return false;
    const HeapAccess::Field& field = heap_->fields[static_cast<size_t>(which)];
    if (access == Access::put && !field.is_stored_whole) return false;
    third = field.number;
  } else if (access != Access::length) {
    third = at(2);
  }
  const uint32_t dense = f_.dense(id);
  const bool is_held = analysis_.is_held(dense);
  const unsigned first = static_cast<unsigned>(is_held ? Opcode::held_length : Opcode::heap_length);
  const uint32_t where = is_held ? held_.at(analysis_.held_key(dense)) : at(1);
  emit(static_cast<Opcode>(first + static_cast<unsigned>(access) - static_cast<unsigned>(Access::length)),
       is_store || access == Access::put ? at(3) : result, where, third, analysis_.is_for_next(dense));
  emit(Opcode::trap, 0, at(1));
  return true;
}

}  // namespace braid::interp
