#include "ssa/cytron.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "flow/frontiers.h"
#include "flow/iterated_frontier.h"
#include "flow/liveness.h"
#include "flow/loops.h"
#include "flow/orders.h"
#include "ir/graph_view.h"
#include "ssa/regions.h"
#include "ssa/shortcuts.h"
#include "ssa/tracks.h"

namespace braid::ssa {

using ir::BlockId;
using ir::EdgeId;
using ir::NewRef;
using ir::Op;
using ir::Operand;
using ir::VarId;

namespace {

/// The dominator tree in preorder. Siblings stand in the order of their depth in the depth-first tree, as ckompiler visits
/// them, then as depth-first search finds them, handlers behind the others: the order of the blocks in the function does not
/// matter.
std::vector<flow::Node> listing_order(const ir::BlockDominance& dominance, const Regions& regions) {
  const flow::Dominators& tree = dominance.tree();
  flow::DepthFirst search = flow::depth_first(dominance.graph());
  std::vector<uint32_t> depth(tree.node_count(), 0);
  uint32_t deepest = 0;
  for (flow::Node n : search.preorder) {
    if (flow::Node parent = search.parent[n]; !is_none(parent)) depth[index(n)] = depth[index(parent)] + 1;
    deepest = std::max(deepest, depth[index(n)]);
  }
  Csr<flow::Node> by_depth = Csr<flow::Node>::build(2 * (deepest + 1), [&](auto&& emit) {
    for (flow::Node n : search.preorder) emit(2 * depth[index(n)] + regions.is_handler(ir::block(n)), n);
  });
  Csr<flow::Node> children = Csr<flow::Node>::build(tree.node_count(), [&](auto&& emit) {
    for (flow::Node n : by_depth.items())
      if (flow::Node idom = tree.idom(n); !is_none(idom)) emit(index(idom), n);
  });
  std::vector<flow::Node> order, work = {dominance.graph().entry};
  while (!work.empty()) {
    flow::Node n = work.back();
    work.pop_back();
    order.push_back(n);
    std::span<const flow::Node> row = children.row(n);
    work.insert(work.end(), row.rbegin(), row.rend());
  }
  return order;
}

template <class Log>
class Cytron {
 public:
  Cytron(ir::Function& f, Prune prune, Log& log)
      : f_(f), log_(log), prune_(prune), tracks_(f), dominance_(find_dominance(f, log)), regions_(f) {
    log_.tracks(tracks_);
    if (prune == Prune::pruned && regions_.any()) shortcuts_ = Shortcuts(dominance_.graph(), tracks_, regions_);
  }

  void run() {
    if (!tracks_.any()) return;
    place_phis();
    rename();
    if (prune_ == Prune::pruned) spread_marks();
    if (tracks_.has_flags()) fold_flags();
    write_phis();
  }

 private:
  static constexpr uint32_t nobody = 0xffffffffu;
  struct Phi {
    uint32_t track;
    BlockId block;
    uint32_t first_operand;
    uint32_t operand_count = 0;
    bool is_phi_c = false;
    bool is_live = false;
    uint32_t replaced_by = nobody;  ///< a word
  };
  struct Upsilon {
    NewRef id;
    uint32_t next;  ///< of the same phi_c
  };

  static ir::BlockDominance find_dominance(const ir::Function& f, Log& log) {
    if constexpr (Log::is_on) {
      std::vector<flow::DominatorStep> steps;
      ir::BlockDominance dominance(f, steps);
      log.post_order(flow::post_order(dominance.graph()));
      log.dominator_steps(steps);
      flow::Frontiers frontiers(dominance.graph(), dominance.tree());
      for (flow::Node n : dominance.tree().preorder()) log.frontier(n, frontiers.of(n));
      return dominance;
    } else {
      return ir::BlockDominance(f);
    }
  }

  // ---- placing ----

  void place_phis() {
    flow::IteratedFrontier joins(dominance_.graph(), dominance_.tree());
    std::vector<flow::Node> set;
    std::vector<uint32_t> handler_blocks;
    for (uint32_t b = 0; b < f_.block_count(); ++b)
      if (regions_.is_handler(static_cast<BlockId>(b)) && dominance_.is_reachable(static_cast<BlockId>(b)))
        handler_blocks.push_back(b);
    for (uint32_t t = 0; t < tracks_.count(); ++t) {
      if (prune_ != Prune::minimal && !tracks_[t].is_global) {
        log_.skip(t, Reason::local);
        continue;
      }
      set.clear();
      for (BlockId b : tracks_.definitions(t)) set.push_back(ir::node(b));
      if (set.empty()) log_.skip(t, Reason::not_assigned);
      if (set.empty() && handler_blocks.empty()) continue;
      bool is_rare = shortcuts_.has(t) && !set.empty();
      if (is_rare)
        for (uint32_t b : live_handlers(t, set)) add_phi_c(t, b, set);
      else if (!set.empty())
        for (uint32_t b : handler_blocks) add_phi_c(t, b, set);
      if constexpr (Log::is_on) log_work(t, set, joins);
      for (flow::Node n : is_rare && !Log::is_on ? live_frontier(set, joins) : frontier_of(t, set, joins))
        if (!regions_.is_handler(ir::block(n))) add_phi(t, ir::block(n), false);
    }
    operands_.assign(operand_count_, Operand::undef().word());
    phis_of_block_ = Csr<uint32_t>::build(f_.block_count(), [&](auto&& emit) {
      for (uint32_t p = 0; p < phis_.size(); ++p) emit(index(phis_[p].block), p);
    });
  }

  /// All joins as a rule: which of them are dead, the renaming finds out at little cost. But a variable of a small part of a
  /// large function may have dead joins all the way behind that part; then those where it is live are looked for.
  std::span<const flow::Node> frontier_of(uint32_t track, std::span<const flow::Node> set, flow::IteratedFrontier& joins) {
    if (Log::is_on || prune_ != Prune::pruned || regions_.any() || tracks_[track].is_flag)
      return joins.of(set, [](flow::Node) { return true; }, log_);
    std::span<const BlockId> uses = tracks_.exposed_uses(track);
    size_t few = 4 * (set.size() + uses.size()) + 64, seen = 0;
    std::span<const flow::Node> found = joins.of(set, [&](flow::Node) { return ++seen <= few; });
    if (seen <= few) return found;
    if (first_in_cycle_.empty()) number_cycles();
    uint32_t first = nobody;
    for (flow::Node n : set)
      if (ir::block(n) != ir::Function::entry()) first = std::min(first, first_in_cycle_[index(n)]);
    if (!live_walk_) live_walk_.emplace(dominance_.graph());
    live_walk_->live_in(nodes_of(uses), set, [&](flow::Node n) { return order_[index(n)] >= first; });
    return live_frontier(set, joins);
  }
  /// Of the variable that was walked last.
  std::span<const flow::Node> live_frontier(std::span<const flow::Node> set, flow::IteratedFrontier& joins) {
    return joins.of(set, [&](flow::Node n) { return live_walk_->is_live_in(n); });
  }
  static std::vector<flow::Node> nodes_of(std::span<const BlockId> blocks) {
    std::vector<flow::Node> nodes;
    for (BlockId b : blocks) nodes.push_back(ir::node(b));
    return nodes;
  }

  /// Handlers that may see other values of a track than what it had before their regions, and where it is live.
  std::vector<uint32_t> live_handlers(uint32_t track, std::span<const flow::Node> set) {
    if (!live_walk_) live_walk_.emplace(dominance_.graph());
    std::vector<uint32_t> found;
    for (flow::Node n : live_walk_->live_in_with_shortcuts(nodes_of(tracks_.exposed_uses(track)), set, [&](flow::Node at) {
           BlockId above = shortcuts_.above(ir::block(at), track);
           return is_none(above) ? none_id<flow::Node> : ir::node(above);
         }))
      if (regions_.is_handler(ir::block(n)) && is_none(shortcuts_.above(ir::block(n), track))) found.push_back(index(n));
    std::sort(found.begin(), found.end());
    return found;
  }
  void add_phi_c(uint32_t track, uint32_t handler, std::vector<flow::Node>& set) {
    add_phi(track, static_cast<BlockId>(handler), true);
    set.push_back(static_cast<flow::Node>(handler));
  }

  /// Control comes from a block only to blocks that are not before the first one in its outermost loop, in reverse post-order.
  void number_cycles() {
    const flow::Graph& graph = dominance_.graph();
    std::vector<flow::Node> nodes = flow::reverse_post_order(graph);
    order_.assign(graph.node_count(), 0);
    for (uint32_t i = 0; i < nodes.size(); ++i) order_[index(nodes[i])] = i;
    first_in_cycle_ = order_;
    flow::Loops loops(graph);
    for (uint32_t l = 0; l < loops.size(); ++l) {
      flow::Loop loop{l};
      if (!is_none(loops.parent(loop))) continue;
      uint32_t first = nobody;
      for (flow::Node n : loops.members(loop)) first = std::min(first, order_[index(n)]);
      for (flow::Node n : loops.members(loop)) first_in_cycle_[index(n)] = first;
    }
  }

  void log_work(uint32_t track, std::span<const flow::Node> set, const flow::IteratedFrontier& joins) {
    std::vector<flow::Node> work;
    for (flow::Node n : set)
      if (joins.leads_out(n)) work.push_back(n);
    log_.work(track, work);
  }

  [[gnu::always_inline]] void add_phi(uint32_t track, BlockId b, bool is_phi_c) {
    log_.phi(track, b, static_cast<uint32_t>(phis_.size()), is_phi_c ? Reason::handler : Reason::frontier);
    Phi phi{track, b, operand_count_, is_phi_c ? 0 : f_.block(b).pred_count, is_phi_c};
    operand_count_ += phi.operand_count;
    phis_.push_back(phi);
    // The statement that it will be; what is not kept becomes `nothing`.
    f_.insert(f_.phis_of(b), {{}, tracks_[track].type, {}});
    if (is_phi_c) first_upsilon_.resize(phis_.size(), nobody);
  }

  // ---- renaming ----

  void rename() {
    first_upsilon_.resize(phis_.size(), nobody);
    current_.resize(tracks_.count());
    for (uint32_t t = 0; t < tracks_.count(); ++t) current_[t] = tracks_[t].initial.word();
    std::vector<size_t> marks;
    // Where the result does not depend on the order of siblings, the tree's own is at hand. In the log, and in the list of
    // a phi_c's upsilons, it must not depend on the order of the blocks.
    std::vector<flow::Node> listed;
    if (Log::is_on || regions_.any()) listed = listing_order(dominance_, regions_);
    for (flow::Node n : listed.empty() ? dominance_.tree().preorder() : std::span<const flow::Node>(listed)) {
      uint32_t level = dominance_.tree().level(n);
      if (marks.size() > level) {
        undo(marks[level]);
        marks.resize(level);
      }
      marks.push_back(undo_.size());
      rename_block(ir::block(n));
    }
  }

  void undo(size_t mark) {
    while (undo_.size() > mark) {
      log_.undo(undo_.back().track);
      current_[undo_.back().track] = undo_.back().word;
      undo_.pop_back();
    }
  }

  void define(uint32_t track, uint32_t word, uint32_t phi, uint32_t statement) {
    log_.define(track, phi, statement);
    undo_.push_back({track, current_[track]});
    current_[track] = word;
  }

  /// The value of a track where a statement needs it: a phi among them is live.
  Operand use(uint32_t track, Reason reason, Operand reader) {
    log_.use(track, reason, reader.number());
    Operand value = Operand::from_word(current_[track]);
    if (value.is_pending()) mark(value.number(), Reason::is_read, reader.number());
    return value;
  }

  void mark(uint32_t phi, Reason reason, uint32_t by) {
    if (phi >= phis_.size() || phis_[phi].is_live) return;
    log_.live(phi, reason, by);
    phis_[phi].is_live = true;
    work_.push_back(phi);
  }

  void rename_block(BlockId b) {
    log_.visit(b);
    for (uint32_t p : phis_of_block_.row(b)) define(phis_[p].track, Operand(static_cast<NewRef>(p)).word(), p, nobody);
    uint32_t region = regions_.at_start(b);
    const ir::Block& block = f_.block(b);
    for (uint32_t i = block.first; i < block.end; ++i) {
      const ir::Stmt& s = f_.columns().stmt(i);
      Operand id(static_cast<ir::Ref>(i));
      switch (s.op) {
        case Op::get: rename_get(id, s.arg[0]); break;
        case Op::set: rename_set(id, s.arg[0], Operand::from_word(s.arg[1]), region); break;
        case Op::is_defined: {
          uint32_t flag = tracks_.flag_of(static_cast<VarId>(s.arg[0]));
          f_.replace(id, flag == Tracks::no_track ? f_.module().constant(i1, 1) : use(flag, Reason::asked, id));
          break;
        }
        case Op::leave: region = regions_.left(region, f_.operand_count(s)); break;
        default: break;
      }
    }
    if (regions_.any()) report_at_enter(b);
    f_.for_each_succ(b, [&](EdgeId e) {
      const ir::Edge& edge = f_.edge(e);
      if (edge.kind == ir::EdgeKind::exceptional) return;
      for (uint32_t p : phis_of_block_.row(edge.to)) {
        log_.use_at_edge(phis_[p].track, Reason::phi_operand, p, edge.to);
        operands_[phis_[p].first_operand + edge.pred_index] = current_[phis_[p].track];
      }
    });
  }

  void rename_get(Operand id, uint32_t variable) {
    Operand value = use(variable, Reason::read, id);
    uint32_t flag = tracks_.flag_of(static_cast<VarId>(variable));
    const ir::Variable& declared = f_.variables[static_cast<VarId>(variable)];
    if (flag != Tracks::no_track && declared.undef == ir::UndefMeaning::throws) {
      Operand defined = use(flag, Reason::read, id);
      if (defined != f_.module().constant(i1, 1)) {
        uint32_t words[] = {index(declared.name), defined.word()};
        f_.insert(f_.before(id), f_.make(Op::throw_undef, void_type, words, f_.loc(id)));
      }
    }
    f_.replace(id, value);
  }

  void rename_set(Operand id, uint32_t variable, Operand value, uint32_t region) {
    bool undefined = f_.resolve(value).is_undef();
    if (undefined) value = tracks_[variable].initial;
    define(variable, value.word(), nobody, id.number());
    uint32_t flag = tracks_.flag_of(static_cast<VarId>(variable));
    if (flag != Tracks::no_track) define(flag, f_.module().constant(i1, undefined ? 0 : 1).word(), nobody, id.number());
    for (; region != Regions::outside; region = regions_[region].outer) {
      BlockId handler = regions_[region].handler;
      if (is_none(handler)) continue;
      report(variable, handler, f_.after(id));
      if (flag != Tracks::no_track) report(flag, handler, f_.after(id));
    }
    f_.erase(id);
  }

  /// The value of a track goes to the slot of the handler's phi_c, if it has one.
  void report(uint32_t track, BlockId handler, ir::Point point) {
    // Phis were placed track by track, so each row is in the order of tracks.
    std::span<const uint32_t> row = phis_of_block_.row(handler);
    auto found = std::lower_bound(row.begin(), row.end(), track,
                                  [&](uint32_t p, uint32_t wanted) { return phis_[p].track < wanted; });
    if (found != row.end() && phis_[*found].track == track) add_upsilon(*found, point);
  }

  void report_at_enter(BlockId b) {
    f_.for_each_succ(b, [&](EdgeId e) {
      if (f_.edge(e).kind != ir::EdgeKind::exceptional) return;
      for (uint32_t p : phis_of_block_.row(f_.edge(e).to))
        if (phis_[p].is_phi_c) add_upsilon(p, f_.at_end(b));
    });
  }

  void add_upsilon(uint32_t phi_c, ir::Point point) {
    uint32_t track = phis_[phi_c].track;
    log_.use_at_edge(track, Reason::upsilon, phi_c, phis_[phi_c].block);
    NewRef id = f_.insert(point, f_.make(Op::upsilon, tracks_[track].type, {Operand::from_word(current_[track])}));
    upsilons_.push_back({id, first_upsilon_[phi_c]});
    first_upsilon_[phi_c] = static_cast<uint32_t>(upsilons_.size() - 1);
  }

  // ---- pruning ----

  template <typename F>
  void for_each_operand(const Phi& phi, uint32_t p, F&& visit) {
    if (phi.is_phi_c)
      for (uint32_t u = first_upsilon_[p]; u != nobody; u = upsilons_[u].next)
        visit(f_.operand(upsilons_[u].id, 0));
    else
      for (uint32_t i = 0; i < phi.operand_count; ++i) visit(Operand::from_word(operands_[phi.first_operand + i]));
  }

  void spread_marks() {
    while (!work_.empty()) {
      uint32_t p = work_.back();
      work_.pop_back();
      for_each_operand(phis_[p], p, [&](Operand value) {
        if (value.is_pending()) mark(value.number(), Reason::feeds, p);
      });
    }
  }

  bool is_kept(const Phi& phi) const {
    return phi.replaced_by == nobody && (prune_ != Prune::pruned || phi.is_live);
  }

  /// Flags that are true whichever way control came are no phis: assumed of all, and taken back where an operand is
  /// something else. Likewise for false.
  void fold_flags() {
    for (int64_t truth : {1, 0}) {
      uint32_t constant = f_.module().constant(i1, truth).word();
      std::vector<bool> assumed(phis_.size(), false);
      std::vector<std::vector<uint32_t>> users(phis_.size());
      std::vector<uint32_t> work;
      for (uint32_t p = 0; p < phis_.size(); ++p)
        assumed[p] = tracks_[phis_[p].track].is_flag && is_kept(phis_[p]) && !phis_[p].is_phi_c;
      auto holds = [&](Operand value) {
        if (!value.is_pending() || value.number() >= phis_.size()) return value.word() == constant;
        return phis_[value.number()].replaced_by == constant || assumed[value.number()];
      };
      for (uint32_t p = 0; p < phis_.size(); ++p) {
        if (!assumed[p]) continue;
        for_each_operand(phis_[p], p, [&](Operand value) {
          if (value.is_pending() && value.number() < phis_.size()) users[value.number()].push_back(p);
        });
        work.push_back(p);
      }
      while (!work.empty()) {
        uint32_t p = work.back();
        work.pop_back();
        if (!assumed[p]) continue;
        bool all = true;
        for_each_operand(phis_[p], p, [&](Operand value) { all &= holds(value); });
        if (all) continue;
        assumed[p] = false;
        work.insert(work.end(), users[p].begin(), users[p].end());
      }
      for (uint32_t p = 0; p < phis_.size(); ++p)
        if (assumed[p]) phis_[p].replaced_by = constant;
    }
  }

  // ---- the result ----

  void write_phis() {
    std::vector<uint32_t> words;
    for (uint32_t p = 0; p < phis_.size(); ++p) {
      const Phi& phi = phis_[p];
      Operand id(static_cast<NewRef>(p));
      if (phi.replaced_by != nobody) {
        bool is_true = phi.replaced_by == f_.module().constant(i1, 1).word();
        log_.prune(p, is_true ? Reason::always_true : Reason::always_false, nobody);
        f_.replace(id, Operand::from_word(phi.replaced_by));
      } else if (!is_kept(phi)) {
        log_.prune(p, Reason::dead, nobody);
        for (uint32_t u = first_upsilon_[p]; u != nobody; u = upsilons_[u].next) f_.erase(upsilons_[u].id);
      } else if (phi.is_phi_c) {
        words.clear();
        for (uint32_t u = first_upsilon_[p]; u != nobody; u = upsilons_[u].next)
          words.push_back(Operand(upsilons_[u].id).word());
        std::reverse(words.begin(), words.end());
        f_.overwrite(id, f_.make(Op::phi_c, tracks_[phi.track].type, words));
      } else {
        std::span<const uint32_t> operands(operands_.data() + phi.first_operand, phi.operand_count);
        f_.overwrite(id, f_.make(Op::phi, tracks_[phi.track].type, operands));
      }
    }
  }

  struct Undo {
    uint32_t track, word;
  };

  ir::Function& f_;
  Log& log_;
  Prune prune_;
  Tracks tracks_;
  ir::BlockDominance dominance_;
  Regions regions_;
  Shortcuts shortcuts_;
  std::vector<Phi> phis_;             ///< number p is buffered statement p
  std::vector<uint32_t> operands_;
  uint32_t operand_count_ = 0;
  Csr<uint32_t> phis_of_block_;
  std::vector<uint32_t> first_upsilon_;
  std::vector<Upsilon> upsilons_;
  std::vector<uint32_t> current_;     ///< by track: the word of its value
  std::vector<Undo> undo_;
  std::vector<uint32_t> work_;
  std::vector<uint32_t> order_, first_in_cycle_;  ///< by block; made when first needed
  std::optional<flow::LiveWalk> live_walk_;
};

}  // namespace

void construct_cytron(ir::Function& f, Prune prune, EventLog* log) {
  if (log != nullptr) return Cytron<EventLog>(f, prune, *log).run();
  NoLog nobody_listens;
  Cytron<NoLog>(f, prune, nobody_listens).run();
}

}  // namespace braid::ssa
