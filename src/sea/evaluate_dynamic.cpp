// Dynamic operations, tests of kinds and looks into variants in the evaluator of graphs.
#include "ir/run_dynamic.h"
#include "sea/evaluate.h"

namespace braid::sea {

Evaluator::Flow Evaluator::evaluate_dynamic(const Site& site) {
  const Graph& graph = site.graph();
  const NodeId n = site.node();
  const ir::Op op = table_op(graph.op(n));
  const ir::Module& module = graph.module();
  EvaluateOperands operands = site.operands();
  ir::Dynamic values[2];
  for (uint32_t i = 0; i < 2 && i < operands.size(); ++i) {
    Value value;
    if (!read(site, operands[i], value)) return Flow::stop;
    values[i] = ir::dynamic_value(module, host(), module.types.storage(value.type), value.bits);
  }
  if (op == ir::Op::variant_make) return copy(site, graph.type(n));
  const Type type = op == ir::Op::is ? Type{graph.words(n)[0]} : graph.type(n);
  const ir::DynamicResult result = ir::run_dynamic(module, host(), op, type, values[0], values[1]);
  switch (result.state) {
    case ir::DynamicResult::State::no_room: return out_of_memory(n);
    case ir::DynamicResult::State::throws: return failed_check(site, result.error);
    case ir::DynamicResult::State::value: break;
  }
  return write(site, Value(of(result.value.kind), result.value.bits));
}

}  // namespace braid::sea
