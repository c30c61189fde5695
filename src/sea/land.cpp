#include "sea/land.h"

#include "ir/fit_types.h"
#include "sea/effects.h"
#include "sea/schedule.h"

namespace braid::sea {

using namespace ir;

namespace {

class Lander {
 public:
  Lander(const Graph& graph, Function& f, const SourceNames* names)
      : graph_(graph),
        module_(graph.module()),
        names_(names),
        to_(f),
        schedule_(graph),
        control_(schedule_.control),
        out_(module_, f.id(), f.name(), f.signature_id(), false) {}

  void run() {
    out_.param_names = std::move(to_.param_names);
    out_.variables = std::move(to_.variables);
    out_.external_traits = to_.external_traits;
    out_.frames = to_.frames;
    out_.inlined_frames = to_.inlined_frames;
    number_blocks();
    number_ways();
    number_statements();
    out_.reserve(position_ + 1, block_count_ + 1, static_cast<uint32_t>(control_.targets.size()));
    for (uint32_t b = 0; b < control_.size(); ++b)
      if (!leads_on(b)) out_.new_block(name_of(control_.blocks[b].head));
    for (uint32_t b = 0; b < control_.size(); ++b)
      if (!leads_on(b)) write_block(b);
    if (has_dead_end_) out_.leave_open(dead_end());
    fit_types(out_);
    to_ = std::move(out_);
  }

 private:
  using Target = ControlBlocks::Target;
  static constexpr uint32_t nowhere = ControlBlocks::nowhere;

  // ---- blocks ----

  /// A block with nothing in it between a way out and a region: the way leads to the region itself.
  bool leads_on(uint32_t b) const {
    const ControlBlocks::Block& block = control_.blocks[b];
    return is_none(block.last) && block.target_count == 1 && schedule_.nodes_of(b).empty() &&
           graph_.op(block.head) == NodeOp::projection;
  }
  Target final_target(Target target) const {
    return target.block != nowhere && leads_on(target.block) ? control_.targets_of(target.block)[0] : target;
  }
  void number_blocks() {
    number_.assign(control_.size(), nowhere);
    for (uint32_t b = 0; b < control_.size(); ++b)
      if (!leads_on(b)) number_[b] = block_count_++;
  }
  /// Where a way out leads of which nothing is left: control ends there, if it ever comes.
  BlockId dead_end() {
    if (!has_dead_end_) out_.new_block();
    has_dead_end_ = true;
    return static_cast<BlockId>(block_count_);
  }
  BlockId block_of(Target target) {
    Target last = final_target(target);
    return last.block == nowhere ? dead_end() : static_cast<BlockId>(number_[last.block]);
  }
  Symbol name_of(NodeId head) const { return names_ == nullptr ? none_id<Symbol> : names_->block(head); }

  /// The edges come in the order of the blocks and their targets: which phi column each way into a region
  /// gets.
  void number_ways() {
    first_way_.assign(control_.size() + 1, 0);
    for (uint32_t b = 0; b < control_.size(); ++b) {
      NodeId head = control_.blocks[b].head;
      first_way_[b + 1] = first_way_[b] + (is_region(graph_.op(head)) ? graph_.input_count(head) : 0);
    }
    column_.assign(first_way_.back(), nowhere);
    way_count_.assign(control_.size(), 0);
    for (uint32_t b = 0; b < control_.size(); ++b) {
      if (leads_on(b)) continue;
      for (Target target : control_.targets_of(b)) {
        target = final_target(target);
        if (target.block == nowhere) continue;
        uint32_t column = way_count_[target.block]++;
        if (first_way_[target.block] != first_way_[target.block + 1])
          column_[first_way_[target.block] + target.way] = column;
      }
    }
  }

  // ---- which statements a node becomes ----

  std::optional<Kind> kind(NodeId n) const { return module_.types.single_kind(graph_.type(n)); }

  static bool is_comparison(NodeOp op) {
    if (op == NodeOp::is_zero) return true;
    if (!is_table_op(op)) return false;
    TypeRule rule = info(table_op(op)).rule;
    return rule == TypeRule::equality || rule == TypeRule::signed_compare ||
           rule == TypeRule::unsigned_compare || rule == TypeRule::float_compare;
  }
  /// A comparison whose value is a wider integer: i1 first, widened where the value is needed.
  bool is_wide_comparison(NodeId n) const { return is_comparison(graph_.op(n)) && kind(n) != Kind::i1; }
  bool is_asked_only(NodeId user, uint32_t i) const {
    NodeOp op = graph_.op(user);
    return (op == Op::branch && i == 1) || (op == Op::select && i == 0) || op == NodeOp::is_zero;
  }
  bool needs_widening(NodeId n) const {
    bool needed = false;
    graph_.for_each_use(n, [&](NodeId user, uint32_t i) {
      bool is_there = schedule_.block(user) != nowhere;
      needed = needed || (is_there && !is_asked_only(user, i));
    });
    return needed;
  }
  bool says_nothing(NodeId pi) const {
    return graph_.is(pi, Op::pi) && module_.types.leq(graph_.type(graph_.input(pi, 1)), graph_.type(pi));
  }

  void number_statements() {
    value_.assign(graph_.size(), Operand::undef().word());
    condition_.assign(graph_.size(), Operand::undef().word());
    for (uint32_t b = 0; b < control_.size(); ++b) {
      if (leads_on(b)) continue;
      for (NodeId n : schedule_.nodes_of(b)) {
        if (says_nothing(n)) {
          value_[index(n)] = value(graph_.input(n, 1)).word();
          condition_[index(n)] = condition_[index(graph_.input(n, 1))];
          continue;
        }
        Operand here = static_cast<Ref>(position_++);
        value_[index(n)] = condition_[index(n)] = here.word();
        if (is_wide_comparison(n) && needs_widening(n))
          value_[index(n)] = Operand(static_cast<Ref>(position_++)).word();
      }
      NodeId last = control_.blocks[b].last;
      if (!is_none(last) && asks_integer(last)) ++position_;
      if (!is_none(last)) value_[index(last)] = Operand(static_cast<Ref>(position_)).word();
      ++position_;
    }
  }

  // ---- operands ----

  Operand value(NodeId n) const {
    switch (graph_.op(n)) {
      case NodeOp::constant: return Operand::from_word(graph_.payload(n));
      case NodeOp::parameter: return Operand::param(graph_.payload(n));
      case NodeOp::undef: return Operand::undef();
      default: return Operand::from_word(value_[index(n)]);
    }
  }
  /// The value as i1, where that needs no statement of its own.
  std::optional<Operand> condition(NodeId n) const {
    if (graph_.is_constant(n)) return module_.constant(i1, graph_.constant_value(n).bits != 0);
    if (graph_.op(n) == NodeOp::undef || kind(n) == Kind::i1) return value(n);
    NodeId from = n;
    while (graph_.is(from, Op::pi) && says_nothing(from)) from = graph_.input(from, 1);
    if (is_wide_comparison(from)) return Operand::from_word(condition_[index(from)]);
    return std::nullopt;
  }
  bool asks_integer(NodeId last) const {
    return graph_.is(last, Op::branch) && !condition(graph_.input(last, 1)).has_value();
  }
  Operand zero_like(NodeId n) const {
    std::optional<Kind> k = kind(n);
    return module_.constant(of(k ? *k : Kind::i64), 0);
  }

  // ---- writing ----

  void write_block(uint32_t b) {
    BlockId block = static_cast<BlockId>(number_[b]);
    for (NodeId n : schedule_.nodes_of(b)) {
      if (says_nothing(n)) continue;
      if (graph_.is(n, Op::phi))
        write_phi(block, b, n);
      else if (graph_.op(n) == NodeOp::is_zero)
        write_is_zero(block, n);
      else
        write_statement(block, n);
      if (is_wide_comparison(n) && value_[index(n)] != condition_[index(n)])
        out_.append(block, out_.make(Op::zext, graph_.type(n), {Operand::from_word(condition_[index(n)])},
                                     graph_.loc(n)));
    }
    write_end(block, b);
  }

  Ref append(BlockId block, NodeId n, Inst inst) {
    inst.stmt.flags = statement_flags(graph_, n);
    Ref r = out_.append(block, inst);
    assert(Operand(r).word() == condition_[index(n)] && "a statement is not where it was said to be");
    if (VarId variable = names_ == nullptr ? none_id<VarId> : names_->variable(n); !is_none(variable))
      out_.set_source_variable(r, variable);
    return r;
  }

  void write_phi(BlockId block, uint32_t b, NodeId n) {
    words_.assign(way_count_[b], Operand::undef().word());
    for (uint32_t i = 1; i < graph_.input_count(n); ++i) {
      uint32_t column = column_[first_way_[b] + i - 1];
      if (column != nowhere && !is_none(graph_.input(n, i)))
        words_[column] = value(graph_.input(n, i)).word();
    }
    append(block, n, out_.make(Op::phi, graph_.type(n), words_, graph_.loc(n)));
  }

  void write_is_zero(BlockId block, NodeId n) {
    NodeId of = graph_.input(n, 0);
    std::optional<Operand> asked = condition(of);
    Operand left = asked ? *asked : value(of);
    Operand zero = asked ? module_.constant(i1, 0) : zero_like(of);
    append(block, n,
           out_.make(Op::eq, kind(n) == Kind::i1 ? graph_.type(n) : i1, {left, zero}, graph_.loc(n)));
  }

  void write_statement(BlockId block, NodeId n) {
    words_of(n);
    Type type = is_wide_comparison(n) ? i1 : graph_.type(n);
    append(block, n, out_.make(table_op(graph_.op(n)), type, words_, graph_.loc(n)));
  }

  /// The operands as the op table orders them: values from the inputs, all else from the words.
  void words_of(NodeId n) {
    words_.clear();
    Op op = table_op(graph_.op(n));
    const OpInfo& table = info(op);
    std::span<const uint32_t> other = graph_.words(n);
    if (statement_flags(graph_, n) != 0) other = other.first(other.size() - 1);
    uint32_t next = first_value(graph_, n), count = graph_.input_count(n);
    if (other.empty() && op != Op::select && op != Op::phi_c) {
      while (next < count) words_.push_back(value(graph_.input(n, next++)).word());
      return;
    }
    size_t next_other = 0;
    while (next < count || next_other < other.size()) {
      if (table.kind_of(static_cast<uint32_t>(words_.size())) != OperandKind::value) {
        words_.push_back(other[next_other++]);
        continue;
      }
      NodeId input = graph_.input(n, next++);
      if (op == Op::phi_c) {
        if (schedule_.block(input) != nowhere) words_.push_back(value(input).word());
        continue;
      }
      bool asks = op == Op::select && words_.empty();
      words_.push_back(asks ? condition(input).value_or(value(input)).word() : value(input).word());
    }
  }

  // ---- ends of blocks ----

  void write_end(BlockId block, uint32_t b) {
    NodeId last = control_.blocks[b].last;
    std::span<const Target> targets = control_.targets_of(b);
    if (is_none(last)) {
      if (!targets.empty()) return out_.jump(block, block_of(targets[0]));
      return out_.leave_open(block);
    }
    Loc loc = graph_.loc(last);
    switch (table_op(graph_.op(last))) {
      case Op::branch: {
        std::optional<Operand> asked = condition(graph_.input(last, 1));
        if (!asked) {
          NodeId of = graph_.input(last, 1);
          asked = out_.append(block, out_.make(Op::ne, i1, {value(of), zero_like(of)}, loc));
        }
        return out_.branch(block, *asked, block_of(targets[0]), block_of(targets[1]), loc);
      }
      case Op::switch_: {
        words_ = {value(graph_.input(last, 1)).word(), index(block_of(targets[0]))};
        std::span<const uint32_t> cases = graph_.words(last);
        for (size_t i = 0; i < cases.size(); ++i) {
          words_.push_back(cases[i]);
          words_.push_back(index(block_of(targets[i + 1])));
        }
        return out_.terminate(block, Op::switch_, words_, loc);
      }
      case Op::enter: {
        Target handler = targets[0];
        BlockId to =
            handler.block == nowhere ? none_id<BlockId> : static_cast<BlockId>(number_[handler.block]);
        out_.enter(block, to, block_of(targets[1]), loc);
        return;
      }
      default:
        words_of(last);
        out_.terminate(block, table_op(graph_.op(last)), words_, loc);
        out_.set_flags(out_.terminator(block), statement_flags(graph_, last));
    }
  }

  const Graph& graph_;
  Module& module_;
  const SourceNames* names_;
  Function& to_;
  Schedule schedule_;
  const ControlBlocks& control_;
  Function out_;
  std::vector<uint32_t> number_;  ///< by block of the schedule: the block of the function
  uint32_t block_count_ = 0;
  bool has_dead_end_ = false;
  std::vector<uint32_t> first_way_;  ///< by block: where its columns begin
  std::vector<uint32_t> column_;     ///< by way into a region
  std::vector<uint32_t> way_count_;  ///< by block
  std::vector<uint32_t> value_,
      condition_;  ///< by node: its operand; of a wide comparison also the one of i1
  std::vector<uint32_t> words_;
  uint32_t position_ = 0;
};

}  // namespace

void land(const Graph& graph, Function& f, const SourceNames* names) { Lander(graph, f, names).run(); }

}  // namespace braid::sea
