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

struct NoListener {
  void visit(BlockId) {}
  void use(uint32_t, Operand, Reason, ir::Ref) {}
  void define(uint32_t, Operand, ir::Ref) {}
  void finish() {}
};

/// Tells the log of placeholders when they are first seen, before what refers to them.
class Listener {
 public:
  Listener(EventLog& log, const ir::Function& f, const OnTheFly& ssa, const Tracks& tracks) : log_(log), f_(f), ssa_(ssa) {
    log_.tracks(tracks);
    log_.start_words(tracks);
    log_.post_order(flow::post_order(ir::block_graph(f)));
  }

  void visit(BlockId b) {
    log_.visit(b);
    block_ = b;
  }
  void use(uint32_t track, Operand value, Reason reason, ir::Ref id) {
    tell(value.word());
    log_.use_word(track, value.word(), reason, index(id));
  }
  void define(uint32_t track, Operand value, ir::Ref id) {
    log_.define_word(track, value.word(), EventLog::no_number, index(id), block_);
  }

  /// Operands, and what became of each placeholder.
  void finish() {
    for (uint32_t p = 0; p < ssa_.placeholder_count(); ++p) tell(word_of(p));
    for (uint32_t p = 0; p < ssa_.placeholder_count(); ++p) {
      BlockId b = ssa_.block_of_placeholder(p);
      if (is_handler(b)) continue;
      ir::EdgeId e = f_.block(b).first_pred;
      BlockId above = ssa_.above_placeholder(p);
      for (uint32_t word : ssa_.operands_of_placeholder(p)) {
        BlockId from = is_none(above) ? f_.edge(e).from : above;
        log_.use_word_at_edge(ssa_.variable_of_placeholder(p), word, Reason::phi_operand, p, from, b);
        e = f_.edge(e).next_pred;
      }
    }
    ssa_.for_each_upsilon([&](uint32_t p, uint32_t word, const ir::Point& point) {
      BlockId from = point.of_block() ? point.block() : f_.block_of(point.anchor());
      log_.use_word_at_edge(ssa_.variable_of_placeholder(p), word, Reason::upsilon, p, from, ssa_.block_of_placeholder(p));
    });
    for (uint32_t p = 0; p < ssa_.placeholder_count(); ++p)
      if (uint32_t value = ssa_.value_of_placeholder(p); value != word_of(p))
        log_.prune(p, Reason::one_value, log_.version_of_word(ssa_.variable_of_placeholder(p), value));
  }

 private:
  static uint32_t word_of(uint32_t p) { return Operand(static_cast<ir::NewRef>(p)).word(); }
  bool is_handler(BlockId b) const {
    ir::EdgeId e = f_.block(b).first_pred;
    return !is_none(e) && f_.edge(e).kind == ir::EdgeKind::exceptional;
  }
  void tell(uint32_t word) {
    Operand value = Operand::from_word(word);
    if (!value.is_pending()) return;
    uint32_t p = value.number(), track = ssa_.variable_of_placeholder(p);
    if (log_.knows_word(track, word)) return;
    BlockId b = ssa_.block_of_placeholder(p);
    log_.phi(track, b, p, is_handler(b) ? Reason::handler : Reason::demanded);
    log_.define_word(track, word, p, EventLog::no_number, b);
  }

  EventLog& log_;
  const ir::Function& f_;
  const OnTheFly& ssa_;
  BlockId block_ = ir::Function::entry();
};

template <class Listener>
void construct(ir::Function& f, const Tracks& tracks, OnTheFly& ssa, Listener&& listener) {
  Regions regions(f);
  flow::Graph graph = ir::block_graph(f);
  ssa.use_shortcuts(Shortcuts(graph, tracks, regions));
  for (uint32_t t = 0; t < tracks.count(); ++t) ssa.declare(tracks[t].type, tracks[t].initial);
  if (regions.any()) ssa.expect_handlers();
  if (tracks.has_flags()) ssa.expect_equal_values();
  for (uint32_t b = 0; b < f.block_count(); ++b) {
    ssa.seal(static_cast<BlockId>(b));
    if (regions.is_handler(static_cast<BlockId>(b))) ssa.mark_handler(static_cast<BlockId>(b));
  }

  Operand yes = f.module().constant(i1, 1), no = f.module().constant(i1, 0);
  std::vector<Check> checks;
  for (flow::Node n : flow::reverse_post_order(graph)) {
    BlockId b = ir::block(n);
    ssa.at(b);
    listener.visit(b);
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
        Operand value = has_flag ? ssa.read(flag) : yes;
        if (has_flag) listener.use(flag, value, Reason::asked, id);
        f.replace(id, value);
      } else if (s.op == Op::get) {
        if (has_flag && declared.undef == ir::UndefMeaning::throws) {
          Operand defined = ssa.read(flag);
          listener.use(flag, defined, Reason::read, id);
          if (defined != yes) checks.push_back({id, declared.name, defined});
        }
        Operand value = ssa.read(variable);
        listener.use(variable, value, Reason::read, id);
        f.replace(id, value);
      } else {
        Operand value = Operand::from_word(s.arg[1]);
        bool undefined = f.resolve(value).is_undef();
        if (undefined) value = tracks[variable].initial;
        listener.define(variable, value, id);
        ssa.write_at(variable, value, id);
        if (has_flag) {
          listener.define(flag, undefined ? no : yes, id);
          ssa.write_at(flag, undefined ? no : yes, id);
        }
        f.erase(id);
      }
    }
  }
  ssa.finish(false);
  listener.finish();
  for (const Check& check : checks) {
    uint32_t words[] = {index(check.name), check.flag.word()};
    f.insert(f.before(check.get), f.make(Op::throw_undef, void_type, words, f.loc(check.get)));
  }
}

}  // namespace

void construct_braun(ir::Function& f, EventLog* log) {
  Tracks tracks(f);
  if (!tracks.any()) return;
  detail::VariableTable table;
  OnTheFly ssa(f, table);
  if (log == nullptr) return construct(f, tracks, ssa, NoListener());
  construct(f, tracks, ssa, Listener(*log, f, ssa, tracks));
}

}  // namespace braid::ssa
