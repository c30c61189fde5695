#include "ssa/tracks.h"

#include "ir/strings.h"

namespace braid::ssa {

using ir::BlockId;
using ir::Op;
using ir::Operand;
using ir::UndefMeaning;
using ir::VarId;

Operand zero_of(const ir::Function& f, Type type) {
  TypeTable& types = f.module().types;
  const KindSet kinds = types.kinds(type);
  if (types.storage(type) == Storage::mixed) return zero_of(f, Type{kinds & (0u - kinds)});
  if ((kinds & null_type.bits) != 0) return f.module().constant(null_type, 0);
  if (kinds == string_type.bits) return ir::string_constant(f.module(), {});
  switch (types.storage(type)) {
    case Storage::i1: return f.module().constant(i1, 0);
    case Storage::i8: return f.module().constant(i8, 0);
    case Storage::i16: return f.module().constant(i16, 0);
    case Storage::i32: return f.module().constant(i32, 0);
    case Storage::i64: return f.module().constant(i64, 0);
    case Storage::f32: return f.module().constant(f32, 0);
    case Storage::f64: return f.module().constant(f64, 0);
    case Storage::ptr: return f.module().constant(ptr, 0);
    case Storage::ref: return f.module().constant(ref, 0);
    default: return Operand::undef();
  }
}

namespace {

struct Mention {
  uint32_t variable;
  BlockId block;
};

}  // namespace

Tracks::Tracks(const ir::Function& f) {
  uint32_t count = static_cast<uint32_t>(f.variables.size());
  std::vector<Mention> definitions, exposed, exposed_flags;
  std::vector<uint32_t> defined_in(count, no_track), exposed_in(count, no_track), flag_exposed_in(count, no_track);
  std::vector<bool> may_be_undefined(count, false), is_asked(count, false);
  for (uint32_t b = 0; b < f.block_count(); ++b) {
    const ir::Block& block = f.block(static_cast<BlockId>(b));
    for (uint32_t i = block.first; i < block.end; ++i) {
      const ir::Stmt& s = f.columns().stmt(i);
      if (s.op != Op::get && s.op != Op::set && s.op != Op::is_defined) continue;
      any_ = true;
      uint32_t v = s.arg[0];
      if (s.op == Op::set) {
        if (f.resolve(Operand::from_word(s.arg[1])).is_undef()) may_be_undefined[v] = true;
        if (defined_in[v] == b) continue;
        defined_in[v] = b;
        definitions.push_back({v, static_cast<BlockId>(b)});
        continue;
      }
      if (s.op == Op::is_defined) is_asked[v] = true;
      if (defined_in[v] == b) continue;
      auto expose = [&](std::vector<uint32_t>& seen_in, std::vector<Mention>& list) {
        if (seen_in[v] == b) return;
        seen_in[v] = b;
        list.push_back({v, static_cast<BlockId>(b)});
      };
      if (s.op == Op::get) expose(exposed_in, exposed);
      bool reads_flag = s.op == Op::is_defined || f.variables[static_cast<VarId>(v)].undef == UndefMeaning::throws;
      if (reads_flag) expose(flag_exposed_in, exposed_flags);
    }
  }
  auto rows = [&](const std::vector<Mention>& mentions) {
    return Csr<BlockId>::build(count, [&](auto&& emit) {
      for (const Mention& m : mentions) emit(m.variable, m.block);
    });
  };
  definitions_ = rows(definitions);
  exposed_ = rows(exposed);
  exposed_flags_ = rows(exposed_flags);

  flag_of_.assign(count, no_track);
  tracks_.reserve(count);
  for (uint32_t v = 0; v < count; ++v) {
    const ir::Variable& variable = f.variables[static_cast<VarId>(v)];
    // Where reading it throws, the flag tells: the value itself can be anything, and zero flows everywhere.
    Operand initial = variable.undef == UndefMeaning::reject ? Operand::undef() : zero_of(f, variable.type);
    tracks_.push_back({variable.type, initial, static_cast<VarId>(v), false, !exposed_.row(v).empty()});
  }
  for (uint32_t v = 0; v < count; ++v) {
    // Assigned in the entry before anything else and never unset: defined wherever it is read.
    std::span<const BlockId> defs = definitions_.row(v), uses = exposed_flags_.row(v);
    bool starts_defined = !defs.empty() && defs[0] == ir::Function::entry() &&
                          (uses.empty() || uses[0] != ir::Function::entry());
    bool observable = f.variables[static_cast<VarId>(v)].undef == UndefMeaning::throws || is_asked[v];
    if (!observable || (starts_defined && !may_be_undefined[v])) continue;
    flag_of_[v] = static_cast<uint32_t>(tracks_.size());
    tracks_.push_back({i1, f.module().constant(i1, 0), static_cast<VarId>(v), true, !uses.empty()});
  }
}

}  // namespace braid::ssa
