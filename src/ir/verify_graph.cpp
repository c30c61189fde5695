// Rules of the graph: ranges, insertion points, terminators, edges, predecessor lists. What these find sound, everything
// else may follow. O(statements + blocks + edges).
#include <vector>

#include "ir/verify_context.h"

namespace braid::ir {
namespace {

class GraphCheck {
 public:
  explicit GraphCheck(VerifyContext& context) : c(context), f(context.f) {}

  bool run() {
    if (c.block_count == 0) {
      c.report(Rule::entry, {}, none_id<BlockId>, "the function has no blocks");
      return false;
    }
    check_ranges();
    check_points();
    for (uint32_t b = 0; b < c.block_count; ++b) check_terminator(static_cast<BlockId>(b));
    check_edges();
    if (sound_ && !lists_match()) check_predecessors();
    if (sound_) check_entry();
    return sound_;
  }

 private:
  void fault(Rule rule, Operand where, BlockId block, std::string message) {
    sound_ = false;
    c.report(rule, where, block, std::move(message));
  }

  // ---- where statements stand ----

  void check_ranges() {
    c.block_of_dense.assign(f.dense_count(), none_id<BlockId>);
    std::vector<bool> linked(c.range_count());
    for (uint32_t number = 0; number < c.block_count; ++number) {
      BlockId b = static_cast<BlockId>(number);
      const Block& block = f.block(b);
      claim(b, block.first, block.end);
      for (uint32_t r = block.more; r != Block::no_range;) {
        if (r >= linked.size() || linked[r]) {
          fault(Rule::block_ranges, {}, b, say("the ranges of block ", c.name(b), " do not end"));
          break;
        }
        linked[r] = true;
        VerifyContext::RangeLink range = c.range_link(r);
        claim(b, range.first, range.end);
        r = range.next;
      }
    }
    if (claimed_ == c.size) return;
    for (uint32_t i = 0; i < c.size; ++i) {
      if (!is_none(c.block_of_dense[i])) continue;
      fault(Rule::block_ranges, f.from_dense(i), none_id<BlockId>, say("%", i, " stands in no block"));
    }
  }

  void claim(BlockId b, uint32_t first, uint32_t end) {
    if (first > end || end > c.size) {
      fault(Rule::block_ranges, {}, b,
            say("block ", c.name(b), " has the range ", first, " to ", end, ", there are ", c.size, " statements"));
      return;
    }
    if (first == end) return;
    if (first == claimed_) {  // blocks in the order of the vector: nothing here has an owner
      for (uint32_t i = first; i < end; ++i) c.block_of_dense[i] = b;
      claimed_ = end;
      return;
    }
    claimed_ = Block::no_range;
    for (uint32_t i = first; i < end; ++i) {
      BlockId& owner = c.block_of_dense[i];
      if (!is_none(owner)) {
        fault(Rule::block_ranges, f.from_dense(i), b,
              say("%", i, " stands in block ", c.name(owner), " and in block ", c.name(b)));
        return;
      }
      owner = b;
    }
  }

  /// A place is a statement made earlier, so that following places always ends.
  void check_points() {
    for (uint32_t k = 0; k < f.pending_count(); ++k) {
      const Point& point = f.points()[k];
      Operand id = f.from_dense(c.size + k);
      if (!point.of_block()) {
        if (c.is_statement(point.anchor()) && f.dense(point.anchor()) < c.size + k)
          c.block_of_dense[c.size + k] = c.block_of_dense[f.dense(point.anchor())];
        else
          fault(Rule::insertion_point, id, none_id<BlockId>,
                say(c.name(id), " is placed at a statement that was not there"));
      } else if (point.side <= Point::Side::block_end && index(point.block()) < c.block_count) {
        c.block_of_dense[c.size + k] = point.block();
      } else {
        fault(Rule::insertion_point, id, none_id<BlockId>,
              say(c.name(id), " is placed at a block that does not exist"));
      }
    }
  }

  // ---- terminators and edges ----

  void check_terminator(BlockId b) {
    const Block& block = f.block(b);
    Operand t = block.terminator;
    if (BlockId to = f.impossible(b); !is_none(to) && index(to) >= c.block_count)
      fault(Rule::edges, t, b, say("the impossible successor of block ", c.name(b), " does not exist"));
    if (t.is_undef()) return fault(Rule::terminator, {}, b, say("block ", c.name(b), " has no terminator"));
    if (!t.is_stmt() || t.number() >= c.size)
      return fault(Rule::terminator, {}, b, say("the terminator of block ", c.name(b), " does not exist"));
    const Stmt& stmt = f.stmt(t);
    if (static_cast<unsigned>(stmt.op) >= op_count || !c.operands_exist(stmt))
      return fault(Rule::statement, t, b, say("the terminator of block ", c.name(b), " is not a statement"));
    if (!is_terminator(stmt.op))
      return fault(Rule::terminator, t, b, say("block ", c.name(b), " ends in ", info(stmt.op).text));
    if (c.block_of_dense[t.number()] != b)
      return fault(Rule::terminator, t, b, say("the terminator of block ", c.name(b), " stands elsewhere"));
    // The ops that end nearly every block, without a look into the op table.
    if (stmt.op == Op::jump && stmt.n == 1) return check_target(b, t, stmt.op, 0, stmt.arg[0]);
    if (stmt.op == Op::branch && stmt.n == 3) {
      check_target(b, t, stmt.op, 1, stmt.arg[1]);
      return check_target(b, t, stmt.op, 2, stmt.arg[2]);
    }
    const OpInfo& op = info(stmt.op);
    if (!op.arity_ok(f.operand_count(stmt)))
      return fault(Rule::arity, t, b, say(op.text, " with ", f.operand_count(stmt), " operands"));
    std::span<const uint32_t> words = f.args(stmt);
    for (uint32_t i = 0; i < words.size(); ++i)
      if (op.kind_of(i) == OperandKind::block) check_target(b, t, stmt.op, i, words[i]);
  }

  /// An edge that passes here is named by this operand and by no other: it says itself which one that is.
  void check_target(BlockId b, Operand t, Op op, uint32_t slot, uint32_t word) {
    if (op != Op::enter && word < f.edge_count()) {
      const Edge& edge = f.edge(static_cast<EdgeId>(word));
      bool right = !edge.dead && edge.from == b && edge.slot == slot && edge.kind == EdgeKind::normal;
      if (right && index(edge.to) < c.block_count) {
        ++named_;
        return;
      }
    }
    check_other_target(b, t, op, slot, word);
  }

  void check_other_target(BlockId b, Operand t, Op op, uint32_t slot, uint32_t word) {
    bool is_handler = op == Op::enter && slot == 0;
    if (is_handler && word == index(none_id<EdgeId>)) return;
    if (word >= f.edge_count())
      return fault(Rule::edges, t, b, say(info(op).text, " names an edge that does not exist"));
    const Edge& edge = f.edge(static_cast<EdgeId>(word));
    if (edge.dead) {
      if (!is_handler && op != Op::switch_) fault(Rule::edges, t, b, say(info(op).text, " names a removed edge"));
      return;
    }
    if (index(edge.to) >= c.block_count)
      return fault(Rule::edges, t, b, say(info(op).text, " goes to a block that does not exist"));
    if (edge.from != b || edge.slot != slot)
      return fault(Rule::edges, t, b,
                   say("the edge to ", c.name(edge.to), " belongs to another terminator or operand"));
    if ((edge.kind == EdgeKind::exceptional) != is_handler)
      return fault(Rule::edges, t, b,
                   say("the edge to ", c.name(edge.to), is_handler ? " must be exceptional" : " must be normal"));
    ++named_;
  }

  /// The operand that an edge claims to be must name it.
  void check_edges() {
    for (uint32_t e = 0; e < f.edge_count(); ++e) live_ += !f.edge(static_cast<EdgeId>(e)).dead;
    if (sound_ && named_ == live_) return;
    for (uint32_t e = 0; e < f.edge_count(); ++e) {
      const Edge& edge = f.edge(static_cast<EdgeId>(e));
      if (edge.dead) continue;
      if (index(edge.from) >= c.block_count || index(edge.to) >= c.block_count) {
        fault(Rule::edges, {}, none_id<BlockId>, say("edge ", e, " joins blocks that do not exist"));
        continue;
      }
      if (!is_named(edge, e))
        fault(Rule::edges, f.block(edge.from).terminator, edge.from,
              say("no terminator names the edge from ", c.name(edge.from), " to ", c.name(edge.to)));
    }
  }

  bool is_named(const Edge& edge, uint32_t e) const {
    Operand t = f.block(edge.from).terminator;
    if (!t.is_stmt() || t.number() >= c.size) return false;
    const Stmt& stmt = f.stmt(t);
    if (static_cast<unsigned>(stmt.op) >= op_count || !c.operands_exist(stmt)) return false;
    const OpInfo& op = info(stmt.op);
    return op.arity_ok(f.operand_count(stmt)) && edge.slot < f.operand_count(stmt) &&
           op.kind_of(edge.slot) == OperandKind::block && f.arg(stmt, edge.slot) == e;
  }

  /// Whether all predecessor lists are right. Their numbers go up, so no edge stands in two places, and every live one is
  /// in its list if as many are listed as there are. On the way the columns of phis are noted.
  bool lists_match() {
    c.column_starts.resize(c.block_count + 1);
    c.columns.clear();
    c.columns.reserve(f.edge_count());
    uint32_t listed = 0;
    for (uint32_t number = 0; number < c.block_count; ++number) {
      BlockId b = static_cast<BlockId>(number);
      const Block& block = f.block(b);
      c.column_starts[number] = static_cast<uint32_t>(c.columns.size());
      uint32_t count = 0;
      EdgeId last = none_id<EdgeId>;
      for (EdgeId e = block.first_pred; !is_none(e);) {
        if (index(e) >= f.edge_count()) return false;
        const Edge& edge = f.edge(e);
        if (edge.to != b || edge.pred_index != count) return false;
        c.columns.push_back(edge.dead ? none_id<flow::Node> : node(edge.from));
        listed += !edge.dead;
        ++count;
        last = e;
        e = edge.next_pred;
      }
      if (count != block.pred_count || last != block.last_pred) return false;
    }
    c.column_starts[c.block_count] = static_cast<uint32_t>(c.columns.size());
    return listed == live_;
  }

  /// Says what is wrong with the lists.
  void check_predecessors() {
    std::vector<bool> listed(f.edge_count());
    for (uint32_t number = 0; number < c.block_count; ++number) {
      BlockId b = static_cast<BlockId>(number);
      const Block& block = f.block(b);
      uint32_t count = 0;
      EdgeId last = none_id<EdgeId>, e = block.first_pred;
      for (; !is_none(e) && index(e) < f.edge_count() && !listed[index(e)]; e = f.edge(e).next_pred) {
        if (f.edge(e).to != b || f.edge(e).pred_index != count) break;
        listed[index(e)] = true;
        last = e;
        ++count;
      }
      if (!is_none(e)) {
        fault(Rule::predecessors, {}, b,
              say("entry ", count, " in the predecessor list of ", c.name(b), " is not an edge into it with this number"));
      } else if (count != block.pred_count || last != block.last_pred) {
        fault(Rule::predecessors, {}, b,
              say("block ", c.name(b), " counts ", block.pred_count, " predecessors, its list has ", count));
      }
    }
    for (uint32_t e = 0; e < f.edge_count(); ++e) {
      const Edge& edge = f.edge(static_cast<EdgeId>(e));
      if (!edge.dead && !listed[e])
        fault(Rule::predecessors, {}, edge.to,
              say("the edge from ", c.name(edge.from), " is not in the predecessor list of ", c.name(edge.to)));
    }
  }

  void check_entry() {
    f.for_each_pred(Function::entry(), [&](EdgeId e) {
      c.report(Rule::entry, f.terminator(f.edge(e).from), f.edge(e).from,
               say("block ", c.name(f.edge(e).from), " goes to the entry"));
    });
  }

  VerifyContext& c;
  const Function& f;
  bool sound_ = true;
  uint32_t named_ = 0, live_ = 0;  ///< edges that operands name, and that there are
  uint32_t claimed_ = 0;  ///< all statements before it have an owner, none behind it; no_range: not known
};

}  // namespace

bool check_graph(VerifyContext& c) {
  if (!GraphCheck(c).run()) return false;
  c.number_statements();
  c.find_dominance();
  return true;
}

}  // namespace braid::ir
