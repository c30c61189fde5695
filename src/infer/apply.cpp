#include "infer/apply.h"

#include "infer/lower.h"
#include "ir/compact.h"
#include "ir/fit_types.h"
#include "ir/strings.h"
#include "ir/undef_uses.h"

namespace braid::infer {

using ir::BlockId;
using ir::EdgeId;
using ir::Op;
using ir::Operand;
using ir::Ref;

namespace {

class Application {
 public:
  Application(ir::Function& f, ir::Analyses& analyses, const Types& types, const Summaries* summaries)
      : f_(f), analyses_(analyses), types_(types), table_(f.module().types), summaries_(summaries), lowering_(f, types) {}

  ApplyReport run() {
    const uint32_t blocks = f_.block_count();
    std::vector<ir::Block> ranges;
    for (uint32_t b = 0; b < blocks; ++b) ranges.push_back(f_.block(static_cast<BlockId>(b)));
    // Edges first: from then on phis have the columns that count.
    for (uint32_t b = 0; b < blocks; ++b)
      if (types_.is_reachable(static_cast<BlockId>(b))) close_edges(static_cast<BlockId>(b));
    for (uint32_t b = 0; b < blocks; ++b) {
      const BlockId block = static_cast<BlockId>(b);
      if (types_.is_reachable(block)) rewrite(block, ranges[b].first, ranges[b].end);
    }
    if (changed_) {
      analyses_.keep(graph_changed_ ? ir::Analysis::none : ir::Analysis::graph);
      // Without the ways that are never taken, what is left of a phi may be undefined.
      analyses_.keep(ir::compact_to_defined(f_));
    }
    // What is nowhere defined keeps the type that it was declared with, and flows into phis that know more.
    if (changed_ || report_.narrowed != 0) ir::fit_types(f_, analyses_);
    return report_;
  }

 private:
  void close_edges(BlockId b) {
    closed_.clear();
    f_.for_each_succ(b, [&](EdgeId e) {
      if (!types_.is_open(e)) closed_.push_back(e);
    });
    for (EdgeId e : closed_) f_.remove_edge(e);
    if (!closed_.empty()) changed_ = graph_changed_ = true;
    report_.edges += static_cast<uint32_t>(closed_.size());
  }

  void rewrite(BlockId b, uint32_t first, uint32_t end) {
    const uint32_t stop = types_.end_of(b);
    for (uint32_t p = first; p < stop && p + 1 < end; ++p) b = rewrite_statement(b, static_cast<Ref>(p));
    if (stop == end) return;
    // The statement before always throws: nobody comes to the rest.
    changed_ = graph_changed_ = true;
    f_.split_block(b, static_cast<Ref>(stop));
    f_.unreachable(b);
  }

  /// Answers the block in which the next statement stands.
  BlockId rewrite_statement(BlockId b, Ref r) {
    // Nothing new of nearly all statements. A pi may have been made with the type of a constant.
    if (types_.at(index(r)) == f_.columns().type(index(r)) && !ir::has(f_.op(r), ir::throws | ir::declared_effect) &&
        ir::info(f_.op(r)).rule != ir::TypeRule::dynamic && f_.op(r) != Op::pi)
      return b;
    if (ir::is_terminator(f_.op(r)) || f_.op(r) == Op::nothing) return b;
    const bool is_dynamic = ir::info(f_.op(r)).rule == ir::TypeRule::dynamic;
    report_.dynamic += is_dynamic;
    const bool throws = may_throw(f_, r, types_, summaries_);
    if (!throws && (f_.traits(r) & ir::throws) != 0)
      f_.set_flags(r, static_cast<uint8_t>(f_.stmt(r).flags | ir::cannot_throw));
    const Type type = types_.at(index(r));
    if (type == none || type == void_type) return b;
    if (becomes_constant(r, type)) return b;
    if (is_dynamic) {
      switch (lowering_.run(b, r)) {
        case Lowering::Done::in_place:
          ++report_.plain;
          changed_ = true;
          return b;
        case Lowering::Done::two_exits:
          ++report_.two_exits;
          changed_ = graph_changed_ = true;
          return lowering_.block();
        case Lowering::Done::no: break;
      }
    }
    if (type != f_.type(r) && f_.op(r) != Op::same) {
      f_.set_type(r, type);
      ++report_.narrowed;
    }
    return b;
  }

  bool becomes_constant(Ref r, Type type) {
    if ((f_.traits(r) & ir::keeps_alive) != 0 || f_.op(r) == Op::upsilon) return false;
    Operand constant = constant_of(type);
    if (constant.is_undef() || may_be_undef(r)) return false;
    f_.replace(r, constant);
    ++report_.constants;
    changed_ = true;
    return true;
  }
  bool may_be_undef(Ref r) const {
    if (!ir::is_phi_like(f_.op(r))) return false;
    for (uint32_t word : f_.args(f_.stmt(r)))
      if (Operand::from_word(word).is_undef()) return true;
    return false;
  }
  Operand constant_of(Type type) const {
    ir::Module& module = f_.module();
    if (std::optional<TypeConstant> known = table_.as_constant(type))
      return module.constants.get(of(known->kind), known->bits);
    if (table_.single_kind(type) != Kind::string) return Operand::undef();
    std::optional<uint32_t> symbol = table_.known_string(type);
    if (!symbol) return Operand::undef();
    return module.constants.get(string_type, ir::string_literal(static_cast<Symbol>(*symbol)));
  }

  ir::Function& f_;
  ir::Analyses& analyses_;
  const Types& types_;
  TypeTable& table_;
  const Summaries* summaries_;
  Lowering lowering_;
  ApplyReport report_;
  bool changed_ = false;        ///< in a way that compaction must bring to rest
  bool graph_changed_ = false;  ///< … blocks and edges, too
  std::vector<EdgeId> closed_;
};

}  // namespace

ApplyReport apply(ir::Function& f, ir::Analyses& analyses, const Types& types, const Summaries* summaries) {
  return Application(f, analyses, types, summaries).run();
}

ApplyReport infer_types(ir::Function& f, const Summaries* summaries) {
  ir::Analyses analyses(f);
  return infer_types(f, analyses, summaries);
}

ApplyReport infer_types(ir::Function& f, ir::Analyses& analyses, const Summaries* summaries) {
  if (f.is_external()) return {};
  if (!f.is_at_rest()) analyses.keep(ir::compact(f));
  if (summaries != nullptr) return apply(f, analyses, infer(f, summaries), summaries);
  std::vector<ir::FuncId> callees;
  append_callees(f, callees);
  const Summaries own = summarise(f.module(), callees);
  return apply(f, analyses, infer(f, &own), &own);
}

}  // namespace braid::infer
