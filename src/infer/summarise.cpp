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
  explicit Summariser(ir::Module& module)
      : module_(module), summaries_(module.function_count()), ring_of_(module.function_count()), looks_(module.function_count()) {}

  Summaries run(std::span<const FuncId> roots) {
    find_calls(roots);
    flow::Graph graph = flow::Graph::from_edges(module_.function_count(), flow::Node{0}, calls_);
    flow::StrongComponents components(graph);
    for (FuncId root : roots)
      components.search(static_cast<flow::Node>(index(root)), [](uint32_t) { return true; },
                        [&](std::span<const flow::Node> ring) { summarise(graph, ring); });
    return std::move(summaries_);
  }

 private:
  /// Everything that is called from the roots.
  void find_calls(std::span<const FuncId> roots) {
    std::vector<FuncId> list, callees;
    std::vector<bool> seen(module_.function_count());
    auto come_to = [&](FuncId id) {
      if (seen[index(id)]) return;
      seen[index(id)] = true;
      list.push_back(id);
    };
    for (FuncId root : roots) come_to(root);
    for (size_t at = 0; at < list.size(); ++at) {
      const ir::Function& f = module_.function(list[at]);
      if (f.is_external() || !f.is_at_rest()) continue;
      summaries_[list[at]].is_known = true;
      callees.clear();
      append_callees(f, callees);
      for (FuncId callee : callees) {
        calls_.push_back({static_cast<flow::Node>(index(list[at])), static_cast<flow::Node>(index(callee))});
        come_to(callee);
      }
    }
  }

  /// Until nothing grows: who calls what has grown is looked at again. What a ring gives is widened after a few looks.
  void summarise(const flow::Graph& graph, std::span<const flow::Node> ring) {
    constexpr uint32_t few_looks = 3;
    ++ring_;
    for (flow::Node n : ring) ring_of_[index(n)] = ring_;
    // The search came from the callers: what they call is last.
    std::vector<flow::Node> work(ring.rbegin(), ring.rend());
    std::vector<flow::Node> next;
    for (flow::Node n : work) is_waiting(n) = true;
    while (!work.empty()) {
      next.clear();
      for (flow::Node n : work) {
        is_waiting(n) = false;
        if (!look_at(static_cast<FuncId>(index(n)), looks_[index(n)].count++ >= few_looks)) continue;
        for (flow::Node caller : graph.predecessors.row(n)) {
          if (ring_of_[index(caller)] != ring_ || is_waiting(caller)) continue;
          is_waiting(caller) = true;
          next.push_back(caller);
        }
      }
      std::swap(work, next);
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

  struct Looks {
    uint32_t count = 0;
    bool is_waiting = false;  ///< for the next one
  };
  bool& is_waiting(flow::Node n) { return looks_[index(n)].is_waiting; }

  ir::Module& module_;
  std::vector<flow::Edge> calls_;
  Summaries summaries_;
  std::vector<uint32_t> ring_of_;  ///< by function: the last ring that it was in
  std::vector<Looks> looks_;       ///< by function
  uint32_t ring_ = 0;
};

}  // namespace

Summaries summarise(ir::Module& module, std::span<const FuncId> roots) {
  if (roots.empty()) return {};
  return Summariser(module).run(roots);
}

void append_callees(const ir::Function& f, std::vector<FuncId>& callees) {
  for (uint32_t p = 0; p < f.size(); ++p) {
    const ir::Stmt& s = f.columns().stmt(p);
    if (s.op == Op::call) callees.push_back(static_cast<FuncId>(f.arg(s, 0)));
  }
}

}  // namespace braid::infer
