#include "mixed/cut.h"

#include "infer/infer.h"
#include "ir/compact.h"

namespace braid::mixed {

using ir::BlockId;
using ir::Op;
using ir::Operand;
using ir::Ref;

namespace {

class Cutter {
 public:
  explicit Cutter(ir::Function& f) : f_(f) {}

  void run() {
    make_parameters_statements();
    cut();
  }

 private:
  void make_parameters_statements() {
    const infer::Types types = infer::infer(f_);
    const Demand demand(f_, types);
    std::vector<Operand> made(f_.param_count());
    bool any = false;
    for (const Want& want : demand.into_phis()) {
      if (!want.value.is_param()) continue;
      const Type type = f_.type_of(want.value);
      made[want.value.number()] = f_.insert(f_.at_start(f_.entry()), f_.make(Op::variant_make, type, {want.value}));
      any = true;
    }
    if (!any) return;
    for (uint32_t p = 0; p < f_.size(); ++p) {
      const Operand id = static_cast<Ref>(p);
      const ir::OpInfo& op = ir::info(f_.op(id));
      for (uint32_t i = 0; i < f_.operand_count(f_.stmt(id)); ++i) {
        if (!op.is_value(i)) continue;
        const Operand operand = f_.operand(id, i);
        if (operand.is_param() && !made[operand.number()].is_undef()) f_.set_operand(id, i, made[operand.number()]);
      }
    }
    ir::compact(f_);
  }

  void cut() {
    const infer::Types types = infer::infer(f_);
    const Demand demand(f_, types);
    std::span<const Want> wants = demand.into_phis();
    std::vector<BlockId> blocks;
    for (const Want& want : wants) blocks.push_back(want.value.is_stmt() ? f_.block_of(want.value) : f_.entry());
    bool any = false;
    // From the last one on: what stands before stays where it is.
    for (size_t i = wants.size(); i-- > 0;) {
      if (!wants[i].value.is_stmt() || ir::is_phi_like(f_.op(wants[i].value))) continue;
      const BlockId b = blocks[i];
      const Ref next = static_cast<Ref>(wants[i].value.number() + 1);
      if (f_.op(next) == Op::jump) continue;
      const BlockId rest = f_.split_block(b, next);
      f_.jump(b, rest, f_.loc(wants[i].value));
      any = true;
    }
    if (any) ir::compact(f_);
  }

  ir::Function& f_;
};

}  // namespace

std::vector<Operand> cut_points(const ir::Function& f, const Demand& demand) {
  std::vector<Operand> at(f.block_count());
  for (const Want& want : demand.into_phis()) {
    if (!want.value.is_stmt()) continue;
    const BlockId b = f.block_of(want.value);
    const Operand t = f.terminator(b);
    if (f.op(t) == Op::jump && t.number() == want.value.number() + 1) at[index(b)] = want.value;
  }
  return at;
}

void cut_behind_definitions(ir::Function& f) { Cutter(f).run(); }

}  // namespace braid::mixed
