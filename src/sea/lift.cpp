#include "sea/lift.h"

#include <unordered_map>

#include "ir/order.h"
#include "sea/effects.h"
#include "sea/hang_reads.h"
#include "sea/lift_facts.h"

namespace braid::sea {

using namespace ir;

namespace {

class Lifter {
 public:
  Lifter(const Function& f, const BlockDominance& dominance, SourceNames* names)
      : f_(f), names_(names), lists_(f), dominance_(dominance), facts_(f, lists_, dominance_), graph_(f.module()) {}

  Graph run() {
    graph_.reserve(f_.dense_count() + f_.dense_count() / 2 + 16);
    value_.assign(f_.dense_count(), no_node);
    edge_control_.assign(f_.edge_count(), no_node);
    start_control_.assign(f_.block_count(), no_node);
    end_effect_.assign(f_.block_count(), no_node);
    parameter_.assign(f_.param_count(), no_node);
    graph_.start = graph_.make(NodeOp::start, control_type, {});
    graph_.stop = graph_.make(NodeOp::stop, void_type, {});
    graph_.keep(graph_.start);
    graph_.keep(graph_.stop);
    for (flow::Node n : dominance_.tree().preorder()) lift_block(block(n));
    for (flow::Node n : dominance_.tree().preorder()) close_block(block(n));
    remove_unused();
    hang_reads(graph_);
    return std::move(graph_);
  }

 private:
  // ---- blocks ----

  void lift_block(BlockId b) {
    block_ = b;
    control_ = start_of(b);
    start_control_[index(b)] = control_;
    name_block(b);
    effect_ = effect_at_start(b);
    for_each_statement(f_, lists_, b, [&](Operand id) {
      Op op = f_.op(id);
      if (op == Op::nothing || op == Op::same) return;
      if (is_terminator(op))
        lift_terminator(id);
      else
        lift_statement(id);
    });
  }

  NodeId start_of(BlockId b) {
    if (b == Function::entry()) return graph_.make(NodeOp::projection, control_type, {graph_.start}, 0);
    std::span<const EdgeId> ways = facts_.ways_into(b);
    if (ways.size() == 1 && !facts_.is_handler(b)) return edge_control_[index(ways[0])];
    inputs_.assign(ways.size(), no_node);
    return graph_.make(facts_.is_loop(b) ? NodeOp::loop : NodeOp::region, control_type, inputs_);
  }

  NodeId effect_at_start(BlockId b) {
    if (b == Function::entry()) return graph_.start;
    if (facts_.is_handler(b)) return graph_.make(NodeOp::effect_entry, void_type, {control_});
    if (!facts_.effects_meet(b)) return end_effect_[index(dominance_.idom(b))];
    inputs_.assign(1 + facts_.ways_into(b).size(), no_node);
    inputs_[0] = control_;
    NodeId phi = graph_.make(node_op(Op::phi), void_type, inputs_);
    effect_phis_.push_back({b, phi});
    return phi;
  }

  /// A block that the one before it only jumps to is a part of that one.
  void name_block(BlockId b) {
    Symbol name = f_.block(b).name;
    if (names_ == nullptr || is_none(name)) return;
    NodeId head = b == Function::entry() ? graph_.start : control_;
    if (names_->blocks.size() <= index(head)) names_->blocks.resize(graph_.size(), none_id<Symbol>);
    if (is_none(names_->blocks[index(head)])) names_->blocks[index(head)] = name;
  }

  /// The ways into a block, and what its phis read on them, are known only when all blocks are there.
  void close_block(BlockId b) {
    std::span<const EdgeId> ways = facts_.ways_into(b);
    if (ways.size() < 2 && !facts_.is_handler(b)) return;
    NodeId region = start_control_[index(b)];
    for (uint32_t i = 0; i < ways.size(); ++i) graph_.set_input(region, i, edge_control_[index(ways[i])]);
    while (next_effect_phi_ < effect_phis_.size() && effect_phis_[next_effect_phi_].block == b) {
      NodeId phi = effect_phis_[next_effect_phi_++].phi;
      for (uint32_t i = 0; i < ways.size(); ++i)
        graph_.set_input(phi, i + 1, end_effect_[index(f_.edge(ways[i]).from)]);
    }
    while (next_phi_ < phis_.size() && phis_[next_phi_].block == b) {
      const Waiting& waiting = phis_[next_phi_++];
      std::span<const uint32_t> words = f_.args(f_.stmt(waiting.id));
      NodeId phi = value_[f_.dense(waiting.id)];
      if (f_.op(waiting.id) == Op::phi_c) {
        for (uint32_t i = 0; i < words.size(); ++i)
          graph_.set_input(phi, i + 2, value(Operand::from_word(words[i])));
        continue;
      }
      for (uint32_t i = 0; i < ways.size(); ++i) {
        uint32_t column = f_.edge(ways[i]).pred_index;
        Operand operand = column < words.size() ? Operand::from_word(words[column]) : Operand::undef();
        graph_.set_input(phi, i + 1, value(operand));
      }
    }
  }

  // ---- values ----

  NodeId value(Operand operand) {
    operand = f_.resolve(operand);
    if (operand.is_undef()) {
      if (is_none(undef_)) undef_ = graph_.make(NodeOp::undef, none, {});
      return undef_;
    }
    if (operand.is_param()) {
      NodeId& n = parameter_[operand.number()];
      if (is_none(n))
        n = graph_.make(NodeOp::parameter, f_.param_type(operand.number()), {graph_.start}, operand.number());
      return n;
    }
    if (!operand.is_constant()) return value_[f_.dense(operand)];
    NodeId& n = constants_.try_emplace(operand.word(), no_node).first->second;
    if (is_none(n))
      n = graph_.unify(graph_.make(NodeOp::constant, f_.module().constant_type(operand), {}, operand.word()));
    return n;
  }

  /// The value for a node that floats: it must not come above the place where it was found to be defined.
  NodeId floating_value(Operand operand) {
    operand = f_.resolve(operand);
    if (!facts_.may_be_undef(operand)) return value(operand);
    Pin& pin = pins_.try_emplace(f_.dense(operand), Pin{none_id<BlockId>, no_node}).first->second;
    if (pin.block != block_) {
      NodeId of = value(operand);
      pin = {block_, graph_.make(Op::pi, graph_.type(of), {control_, of})};
    }
    return pin.pi;
  }

  // ---- statements ----

  void lift_statement(Operand id) {
    const Stmt& stmt = f_.stmt(id);
    const OpInfo& op = info(stmt.op);
    std::span<const uint32_t> args = f_.args(stmt);
    NodeId n = no_node;
    if (stmt.op == Op::phi && facts_.ways_into(block_).size() < 2) {
      n = value(only_operand(stmt));
    } else if (is_phi_like(stmt.op)) {
      inputs_.assign(stmt.op == Op::phi ? 1 + facts_.ways_into(block_).size() : 2 + args.size(), no_node);
      inputs_[0] = control_;
      if (stmt.op == Op::phi_c) inputs_[1] = effect_;
      n = graph_.make(node_op(stmt.op), f_.type(id), inputs_, 0, f_.loc(id));
      phis_.push_back({block_, id});
    } else {
      words_of(stmt);
      EffectRole role = facts_.role(id);
      bool takes = role != EffectRole::none;
      inputs_.clear();
      if (takes) {
        inputs_.push_back(facts_.cannot_fail(id) ? no_node : control_);
        inputs_.push_back(effect_);
      }
      if (stmt.op == Op::pi) inputs_.push_back(control_);
      bool floats = !takes && stmt.op != Op::pi;
      for (uint32_t i = 0; i < args.size(); ++i) {
        if (!op.is_value(i)) continue;
        Operand operand = Operand::from_word(args[i]);
        inputs_.push_back(floats ? floating_value(operand) : value(operand));
      }
      n = graph_.make(node_op(stmt.op), f_.type(id), inputs_, graph_.payload_of(words_), f_.loc(id));
      if (role == EffectRole::changes) effect_ = n;
    }
    value_[f_.dense(id)] = n;
    keep_variable(id, n);
  }

  /// Of a phi in a block with one way in.
  Operand only_operand(const Stmt& phi) const {
    std::span<const EdgeId> ways = facts_.ways_into(block_);
    std::span<const uint32_t> words = f_.args(phi);
    uint32_t column = ways.empty() ? 0 : f_.edge(ways[0]).pred_index;
    return column < words.size() ? Operand::from_word(words[column]) : Operand::undef();
  }

  void keep_variable(Operand id, NodeId n) {
    VarId variable = f_.source_variable(id);
    if (names_ == nullptr || is_none(variable)) return;
    if (names_->variables.size() <= index(n)) names_->variables.resize(graph_.size(), none_id<VarId>);
    names_->variables[index(n)] = variable;
  }

  /// What the op table calls neither value nor block; then what is known of the statement, where that
  /// matters.
  void words_of(const Stmt& stmt) {
    const OpInfo& op = info(stmt.op);
    std::span<const uint32_t> args = f_.args(stmt);
    words_.clear();
    for (uint32_t i = 0; i < args.size(); ++i)
      if (op.kind_of(i) != OperandKind::value && op.kind_of(i) != OperandKind::block)
        words_.push_back(args[i]);
    uint8_t known = stmt.flags & (cannot_throw | end_of_function);
    if (known != 0 && stmt.op != Op::save_state && stmt.op != Op::switch_) words_.push_back(known);
  }

  // ---- terminators ----

  void lift_terminator(Operand id) {
    if (facts_.needs_exit(block_)) add_exit();
    const Stmt& stmt = f_.stmt(id);
    std::span<const uint32_t> args = f_.args(stmt);
    switch (stmt.op) {
      case Op::jump: edge_control_[args[0]] = control_; break;
      case Op::branch: {
        NodeId n =
            graph_.make(Op::branch, void_type, {control_, value(Operand::from_word(args[0]))}, 0, f_.loc(id));
        for (uint32_t i = 0; i < 2; ++i) way_out(n, i, args[i + 1]);
        break;
      }
      case Op::switch_: lift_switch(id); break;
      case Op::enter: {
        NodeId n = graph_.make(Op::enter, f_.type(id), {control_, effect_}, 0, f_.loc(id));
        for (uint32_t i = 0; i < 2; ++i) way_out(n, i, args[i]);
        value_[f_.dense(id)] = effect_ = n;
        break;
      }
      default: {
        words_of(stmt);
        inputs_ = {control_, effect_};
        for (uint32_t word : args) inputs_.push_back(value(Operand::from_word(word)));
        graph_.add_input(graph_.stop, graph_.make(node_op(stmt.op), void_type, inputs_,
                                                  graph_.payload_of(words_), f_.loc(id)));
      }
    }
    end_effect_[index(block_)] = effect_;
  }

  void lift_switch(Operand id) {
    std::vector<uint32_t> args = f_.live_switch(f_.args(f_.stmt(id)));
    if (args.empty()) {
      graph_.add_input(graph_.stop,
                       graph_.make(Op::unreachable, void_type, {control_, effect_}, 0, f_.loc(id)));
      return;
    }
    words_.clear();
    for (size_t i = 2; i < args.size(); i += 2) words_.push_back(args[i]);
    NodeId n = graph_.make(Op::switch_, void_type, {control_, value(Operand::from_word(args[0]))},
                           graph_.payload_of(words_), f_.loc(id));
    for (uint32_t i = 1; i < args.size(); i += 2) way_out(n, i / 2, args[i]);
  }

  void way_out(NodeId n, uint32_t number, uint32_t edge) {
    if (is_none(static_cast<EdgeId>(edge)) || f_.edge(static_cast<EdgeId>(edge)).dead) return;
    edge_control_[edge] = graph_.make(NodeOp::projection, control_type, {n}, number);
  }

  void add_exit() {
    NodeId never = graph_.make(NodeOp::never, control_type, {control_});
    control_ = graph_.make(NodeOp::projection, control_type, {never}, 0);
    NodeId out = graph_.make(NodeOp::projection, control_type, {never}, 1);
    graph_.add_input(graph_.stop, graph_.make(Op::unreachable, void_type, {out, effect_}));
  }

  // ---- the end ----

  /// A link of the chain that is of no use stays for now: landing leaves it out.
  void remove_unused() {
    for (uint32_t n = graph_.size(); n-- > 0;) graph_.kill_unused(static_cast<NodeId>(n));
  }

  struct Waiting {
    BlockId block;
    Operand id;
  };
  struct EffectPhi {
    BlockId block;
    NodeId phi;
  };
  struct Pin {
    BlockId block;
    NodeId pi;
  };

  const Function& f_;
  SourceNames* names_;
  PendingLists lists_;
  const BlockDominance& dominance_;
  LiftFacts facts_;
  Graph graph_;
  std::vector<NodeId> value_;          ///< by statement
  std::vector<NodeId> edge_control_;   ///< by edge: its end
  std::vector<NodeId> start_control_;  ///< by block
  std::vector<NodeId> end_effect_;     ///< by block
  std::vector<NodeId> parameter_;
  std::unordered_map<uint32_t, NodeId> constants_;  ///< by operand; never iterated
  std::unordered_map<uint32_t, Pin> pins_;          ///< by value that may be undef; never iterated
  NodeId undef_ = no_node;
  std::vector<EffectPhi> effect_phis_;  ///< in the order of the blocks, as are the next
  std::vector<Waiting> phis_;
  size_t next_effect_phi_ = 0, next_phi_ = 0;
  std::vector<NodeId> inputs_;
  std::vector<uint32_t> words_;
  BlockId block_{};
  NodeId control_ = no_node, effect_ = no_node;
};

}  // namespace

Graph lift(const Function& f, SourceNames* names) { return lift(f, BlockDominance(f), names); }
Graph lift(const Function& f, const BlockDominance& dominance, SourceNames* names) {
  return Lifter(f, dominance, names).run();
}

}  // namespace braid::sea
