#include "sea/share_constants.h"

#include "ir/bits.h"

namespace braid::sea {
namespace {

using ir::Op;

constexpr uint32_t most_uses = 16;

struct Form {
  Op op;
  bool doubles;    ///< the other operand takes the place of the constant
  uint64_t bits;   ///< otherwise, the constant that it needs
};

/// Another form of an operation whose right operand is this constant.
std::optional<Form> other_form(NodeOp op, Kind kind, uint64_t bits) {
  if (!is_table_op(op) || kind == Kind::i1) return std::nullopt;
  const int width = bit_width(kind);
  const uint64_t least = ir::canonical(kind, uint64_t{1} << (width - 1)), most = ~least;
  auto with = [&](Op to, uint64_t value) { return Form{to, false, ir::canonical(kind, value)}; };
  switch (table_op(op)) {
    case Op::shl:
      if (bits == 1) return Form{Op::add, true, 0};
      return std::nullopt;
    case Op::add: return with(Op::sub, 0 - bits);
    case Op::slt:
      if (bits != least) return with(Op::sle, bits - 1);
      return std::nullopt;
    case Op::sgt:
      if (bits != most) return with(Op::sge, bits + 1);
      return std::nullopt;
    case Op::ult:
      if (bits != 0) return with(Op::ule, bits - 1);
      return std::nullopt;
    case Op::ugt:
      if (bits != ~uint64_t{0}) return with(Op::uge, bits + 1);
      return std::nullopt;
    default: return std::nullopt;
  }
}

}  // namespace

void share_constants(Graph& graph, Rewriter& rewriter, const std::function<bool(Rewrite, NodeId)>& done) {
  const uint32_t count = graph.size();
  std::vector<Graph::Use> uses;
  /// Constants that others use already; making one that is not there would win nothing.
  auto existing = [&](Kind kind, uint64_t bits) {
    const uint32_t known = graph.size();
    NodeId n = rewriter.constant(kind, bits, {});
    if (index(n) < known && graph.has_uses(n)) return n;
    graph.kill_unused(n);
    return no_node;
  };
  for (uint32_t k = 0; k < count; ++k) {
    NodeId constant = static_cast<NodeId>(k);
    if (graph.is_dead(constant) || !graph.is_constant(constant) || graph.is_kept(constant)) continue;
    const ir::Constant value = graph.constant_value(constant);
    std::optional<Kind> kind = graph.module().types.single_kind(value.type);
    if (!kind || !is_integer(*kind)) continue;
    uses.clear();
    bool all = true;
    graph.for_each_use(constant, [&](NodeId user, uint32_t number) {
      all = all && uses.size() < most_uses && number == 1 && graph.input(user, 0) != constant;
      if (!all) return;
      std::optional<Form> form = other_form(graph.op(user), *kind, value.bits);
      all = form && (form->doubles || form->bits != value.bits);
      uses.push_back({user, number});
    });
    for (size_t i = 0; all && i < uses.size(); ++i) {
      Form form = *other_form(graph.op(uses[i].user), *kind, value.bits);
      all = form.doubles || !is_none(existing(*kind, form.bits));
    }
    if (!all) continue;
    for (const Graph::Use& use : uses) {
      Form form = *other_form(graph.op(use.user), *kind, value.bits);
      NodeId other = form.doubles ? graph.input(use.user, 0) : existing(*kind, form.bits);
      NodeId n = graph.make(form.op, graph.type(use.user), {graph.input(use.user, 0), other}, 0, graph.loc(use.user));
      NodeId shared = graph.unify(n);
      if (shared != n) graph.kill(n);
      graph.replace(use.user, shared);
      if (!done(Rewrite::shared_constant, use.user)) return;
    }
  }
}

}  // namespace braid::sea
