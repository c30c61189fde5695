#include "opt/inline.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/clone.h"
#include "ir/compact.h"
#include "ir/runtime.h"
#include "opt/inline_callee.h"

namespace braid::opt {

using namespace ir;

namespace {

class Inliner {
 public:
  Inliner(Function& f, const InlineOptions& options) : f_(f), options_(options) {}

  InlineReport run() {
    for (uint32_t b = 0; b < f_.block_count(); ++b) work_.push_back({static_cast<BlockId>(b), no_chain});
    for (size_t k = 0; k < work_.size(); ++k) look_through(work_[k]);
    return report_;
  }

 private:
  static constexpr uint32_t no_chain = 0xffffffffu;
  /// A callee whose body stands in the function, inside of the body of another one.
  struct Chain {
    FuncId function;
    uint32_t outer;
    uint32_t depth;
  };
  struct Work {
    BlockId block;
    uint32_t chain;  ///< of what it was copied from
  };
  struct Call {
    FuncId callee;
    uint32_t first_argument;  ///< among the operands
  };

  /// Each block is one range, and so is what is split off from it.
  void look_through(Work work) {
    BlockId b = work.block;
    Operand state = Operand::undef();
    const uint32_t end = f_.block(b).end;
    for (uint32_t i = f_.block(b).first; i < end; ++i) {
      const Stmt& s = f_.columns().stmt(i);
      if (s.op == Op::save_state && f_.arg(s, 1) == static_cast<uint32_t>(ResumeKind::after_call))
        state = static_cast<Ref>(i);
      if (s.op != Op::call && s.op != Op::call_indirect) continue;
      if (std::optional<Call> call = known_call(s); call && is_worth_it(*call, work.chain, state))
        b = put_in_place(b, static_cast<Ref>(i), *call, work.chain, state);
      state = Operand::undef();
    }
  }

  std::optional<Call> known_call(const Stmt& s) const {
    if (s.op == Op::call) return Call{static_cast<FuncId>(f_.arg(s, 0)), 1};
    const Operand address = f_.resolve(f_.operand(s, 1));
    if (!address.is_stmt() || f_.op(address) != Op::func_addr) return std::nullopt;
    const FuncId callee = static_cast<FuncId>(f_.arg(f_.stmt(address), 0));
    // One of another signature throws.
    if (index(f_.module().function(callee).signature_id()) != f_.arg(s, 0)) return std::nullopt;
    return Call{callee, 2};
  }

  bool is_worth_it(const Call& call, uint32_t chain, Operand state) {
    const Function& callee = f_.module().function(call.callee);
    if (call.callee == f_.id() || report_.statements + callee.size() > options_.budget) return false;
    if (chain != no_chain && chains_[chain].depth >= options_.most_depth) return false;
    for (uint32_t c = chain; c != no_chain; c = chains_[c].outer)
      if (chains_[c].function == call.callee) return false;
    auto [known, is_new] = callees_.try_emplace(index(call.callee));
    if (is_new) known->second = look_at_callee(callee, options_.most_statements);
    return known->second.can_be_inlined && (!known->second.has_states || !state.is_undef());
  }

  /// Answers the block in which what stands behind the call is from then on.
  BlockId put_in_place(BlockId b, Ref call, const Call& known, uint32_t chain, Operand state) {
    const Function& callee = f_.module().function(known.callee);
    std::vector<Operand> arguments;
    for (uint32_t i = known.first_argument; i < f_.operand_count(f_.stmt(call)); ++i)
      arguments.push_back(f_.resolve(f_.operand(f_.stmt(call), i)));
    // Of a copy that ended with a call, the way on was written later and stands elsewhere.
    const bool is_last = index(call) + 1 == f_.block(b).end;
    const BlockId behind = f_.split_block(b, is_last ? f_.terminator(b).ref() : static_cast<Ref>(index(call) + 1));
    const CopiedBody body = copy_body(f_, callee, arguments, f_.loc(call));
    f_.jump(b, body.blocks[0], f_.loc(call));
    for (const CopiedBody::Return& way : body.returns) f_.jump(way.block, behind, f_.loc(call));
    for (Operand outermost : body.outermost) f_.set_operand(outermost, 2, state);
    bring_result(behind, call, body);
    ++report_.calls;
    report_.statements += callee.size();
    const uint32_t frames = (chain == no_chain ? 0 : chains_[chain].depth) + 1 + callee.inlined_frames;
    f_.inlined_frames = std::max(f_.inlined_frames, frames);
    chains_.push_back({known.callee, chain, chain == no_chain ? 1 : chains_[chain].depth + 1});
    for (BlockId copy : body.blocks) work_.push_back({copy, static_cast<uint32_t>(chains_.size() - 1)});
    return behind;
  }

  void bring_result(BlockId behind, Ref call, const CopiedBody& body) {
    const Type type = f_.type(call);
    const Loc loc = f_.loc(call);
    if (type == void_type) return f_.erase(call);
    if (body.returns.empty()) return f_.replace(call, Operand::undef());  // nothing comes there
    Operand value = body.returns[0].value;
    if (body.returns.size() > 1) {
      std::vector<uint32_t> words;
      Type joined = none;
      for (const CopiedBody::Return& way : body.returns) {
        words.push_back(way.value.word());
        joined = f_.module().types.join(joined, f_.type_of(way.value));
      }
      value = f_.insert(Function::phis_of(behind), f_.make(Op::phi, joined, words, loc));
    }
    // Who reads the call may know more of its result than its callee says.
    if (!f_.module().types.leq(f_.type_of(value), type))
      value = f_.insert(f_.at_start(behind), f_.make(Op::pi, type, {value}, loc));
    f_.replace(call, value);
  }

  Function& f_;
  const InlineOptions& options_;
  InlineReport report_;
  std::vector<Work> work_;
  std::vector<Chain> chains_;
  std::unordered_map<uint32_t, Callee> callees_;  ///< never iterated
};

}  // namespace

InlineReport inline_calls(Function& f, const InlineOptions& options) {
  compact(f);
  const InlineReport report = Inliner(f, options).run();
  if (report.calls != 0) compact(f);
  return report;
}

}  // namespace braid::opt
