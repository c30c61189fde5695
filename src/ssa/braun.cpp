#include "ssa/braun.h"

#include <vector>

#include "flow/orders.h"
#include "ir/graph_view.h"
#include "ssa/on_the_fly.h"
#include "ssa/regions.h"
#include "ssa/tracks.h"

namespace braid::ssa {

using ir::BlockId;
using ir::Op;
using ir::Operand;
using ir::VarId;

namespace {

/// A read of a variable that throws where it is undefined; the insertion buffer belongs to placeholders until the end.
struct Check {
  Operand get;
  Symbol name;
  Operand flag;
};

}  // namespace

void construct_braun(ir::Function& f) {
  Tracks tracks(f);
  if (!tracks.any()) return;
  Regions regions(f);
  detail::VariableTable table;
  OnTheFly ssa(f, table);
  for (uint32_t t = 0; t < tracks.count(); ++t) ssa.declare(tracks[t].type, tracks[t].initial);
  if (regions.any()) ssa.expect_handlers();
  if (tracks.has_flags()) ssa.expect_equal_values();
  for (uint32_t b = 0; b < f.block_count(); ++b) {
    ssa.seal(static_cast<BlockId>(b));
    if (regions.is_handler(static_cast<BlockId>(b))) ssa.mark_handler(static_cast<BlockId>(b));
  }

  Operand yes = f.module().constant(i1, 1), no = f.module().constant(i1, 0);
  std::vector<Check> checks;
  for (flow::Node n : flow::reverse_post_order(ir::block_graph(f))) {
    BlockId b = ir::block(n);
    ssa.at(b);
    const ir::Block block = f.block(b);
    for (uint32_t i = block.first; i < block.end; ++i) {
      const ir::Stmt s = f.columns().stmt(i);
      ir::Ref id = static_cast<ir::Ref>(i);
      uint32_t variable = s.arg[0];
      if (s.op == Op::leave) ssa.note_leave(id, f.operand_count(s));
      if (s.op != Op::get && s.op != Op::set && s.op != Op::is_defined) continue;
      const ir::Variable& declared = f.variables[static_cast<VarId>(variable)];
      uint32_t flag = tracks.flag_of(static_cast<VarId>(variable));
      bool has_flag = flag != Tracks::no_track;
      if (s.op == Op::is_defined) {
        f.replace(id, has_flag ? ssa.read(flag) : yes);
      } else if (s.op == Op::get) {
        if (has_flag && declared.undef == ir::UndefMeaning::throws && ssa.read(flag) != yes)
          checks.push_back({id, declared.name, ssa.read(flag)});
        f.replace(id, ssa.read(variable));
      } else {
        Operand value = Operand::from_word(s.arg[1]);
        bool undefined = f.resolve(value).is_undef();
        if (undefined) value = tracks[variable].initial;
        ssa.write_at(variable, value, id);
        if (has_flag) ssa.write_at(flag, undefined ? no : yes, id);
        f.erase(id);
      }
    }
  }
  ssa.finish(false);
  for (const Check& check : checks) {
    uint32_t words[] = {index(check.name), check.flag.word()};
    f.insert(f.before(check.get), f.make(Op::throw_undef, void_type, words, f.loc(check.get)));
  }
}

}  // namespace braid::ssa
