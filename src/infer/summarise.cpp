// Summaries of functions: callees first, rings of calls together, optimistically.
#include <algorithm>

#include "flow/strong_components.h"
#include "infer/infer.h"
#include "ir/dynamic_types.h"
#include "ir/transfer.h"

namespace braid::infer {

using ir::FuncId;
using ir::Op;
using ir::Operand;

bool may_throw(const ir::Function& f, Operand id, const Types& types, const Summaries* summaries) {
  const ir::Stmt& s = f.stmt(id);
  if ((f.traits(id) & ir::throws) == 0) return false;
  TypeTable& table = f.module().types;
  auto type = [&](uint32_t i) { return types.of(f.operand(s, i)); };
  switch (ir::info(s.op).rule) {
    case ir::TypeRule::dynamic: {
      const ir::Language* rules = ir::language(f.module().language);
      if (rules == nullptr) return true;
      return ir::dynamic_type(f.module(), *rules, s.op, type(0), f.operand_count(s) == 2 ? type(1) : none).may_throw;
    }
    case ir::TypeRule::check_int:
    case ir::TypeRule::check_bounds: {
      std::optional<Kind> kind = table.single_kind(type(0));
      if (!kind || !is_integer(*kind)) return true;
      auto [low, high] = table.range(type(0), *kind);
      if (s.op == Op::check_zero) return low <= 0 && high >= 0;
      if (s.op == Op::check_negative) return *kind == Kind::i1 ? high != 0 : low < 0;
      return low < 0 || high >= table.range(type(1), *kind).first || table.single_kind(type(1)) != kind;
    }
    case ir::TypeRule::check_overflow: {
      std::span<const Type> elements = table.elements(type(0));
      return elements.size() != 2 || table.as_constant(elements[1]) != TypeConstant{Kind::i1, 0};
    }
    case ir::TypeRule::check_true:
    case ir::TypeRule::throw_undef:
      return table.as_constant(type(f.operand_count(s) - 1)) != TypeConstant{Kind::i1, 1};
    case ir::TypeRule::call: {
      // One call too deep is an exception for virtual machines; our languages have none for that.
      if (f.module().language == ir::LanguageId::none) return true;
      const FuncId callee = static_cast<FuncId>(f.arg(s, 0));
      if (summaries == nullptr || !summaries->contains(callee) || !(*summaries)[callee].is_known) return true;
      return (*summaries)[callee].may_throw;
    }
    default: return true;
  }
}

namespace {

class Summariser {
 public:
  Summariser(ir::Module& module, uint32_t budget) : module_(module), left_(budget), summaries_(module.function_count()) {}

  Summaries run(std::vector<FuncId> roots) {
    find_calls(roots);
    flow::Graph graph = flow::Graph::from_edges(module_.function_count(), flow::Node{0}, calls_);
    flow::StrongComponents components(graph);
    for (FuncId root : roots)
      components.search(static_cast<flow::Node>(index(root)), [](uint32_t) { return true; },
                        [&](std::span<const flow::Node> ring) { summarise(ring); });
    return std::move(summaries_);
  }

 private:
  /// Everything that is called from the roots.
  void find_calls(const std::vector<FuncId>& roots) {
    std::vector<FuncId> list = roots;
    std::vector<bool> seen(module_.function_count());
    for (FuncId root : roots) seen[index(root)] = true;
    for (size_t at = 0; at < list.size(); ++at) {
      const ir::Function& f = module_.function(list[at]);
      if (f.is_external() || !f.is_at_rest() || f.size() > left_) continue;
      left_ -= f.size();
      summaries_[list[at]].is_known = true;
      for (uint32_t p = 0; p < f.size(); ++p) {
        const ir::Stmt& s = f.columns().stmt(p);
        if (s.op != Op::call) continue;
        const FuncId callee = static_cast<FuncId>(f.arg(s, 0));
        calls_.push_back({static_cast<flow::Node>(index(list[at])), static_cast<flow::Node>(index(callee))});
        if (seen[index(callee)]) continue;
        seen[index(callee)] = true;
        list.push_back(callee);
      }
    }
  }

  /// Again until nothing grows; what a ring gives is widened after a few rounds.
  void summarise(std::span<const flow::Node> ring) {
    constexpr uint32_t few_rounds = 3;
    for (uint32_t round = 0;; ++round) {
      bool grew = false;
      for (flow::Node n : ring) grew |= look_at(static_cast<FuncId>(index(n)), round >= few_rounds);
      if (!grew) return;
    }
  }
  bool look_at(FuncId id, bool widens) {
    Summary& known = summaries_[id];
    if (!known.is_known) return false;
    const ir::Function& f = module_.function(id);
    const Types types = infer(f, &summaries_);
    Type result = module_.types.join(known.result, types.result());
    if (widens && f.result_type() != void_type)
      result = module_.types.meet(module_.types.widen(known.result, result), f.result_type());
    const bool throws = known.may_throw || throws_somewhere(f, types);
    const bool grew = result != known.result || throws != known.may_throw;
    known.result = result;
    known.may_throw = throws;
    return grew;
  }
  bool throws_somewhere(const ir::Function& f, const Types& types) const {
    for (uint32_t b = 0; b < f.block_count(); ++b) {
      const ir::BlockId block = static_cast<ir::BlockId>(b);
      if (!types.is_reachable(block)) continue;
      for (uint32_t p = f.block(block).first; p < types.end_of(block); ++p)
        if (may_throw(f, static_cast<ir::Ref>(p), types, &summaries_)) return true;
    }
    return false;
  }

  ir::Module& module_;
  uint32_t left_;
  std::vector<flow::Edge> calls_;
  Summaries summaries_;
};

}  // namespace

Summaries summarise(ir::Module& module, std::vector<FuncId> roots, uint32_t budget) {
  return Summariser(module, budget).run(std::move(roots));
}

}  // namespace braid::infer
