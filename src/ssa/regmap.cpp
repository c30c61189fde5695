#include "ssa/regmap.h"

#include <algorithm>
#include <vector>

#include "base/csr.h"
#include "flow/liveness.h"
#include "flow/orders.h"
#include "flow/reducible.h"
#include "ir/graph_view.h"
#include "ssa/redundant_phis.h"
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

template <class Log>
class RegMap {
 public:
  RegMap(ir::Function& f, Log& log)
      : f_(f), log_(log), tracks_(f), regions_(f), graph_(ir::block_graph(f)), shortcuts_(graph_, tracks_, regions_) {
    log_.tracks(tracks_);
  }

  void run() {
    if (!tracks_.any()) return;
    find_liveness();
    has_equal_values_ = tracks_.has_flags();
    is_assigned_.resize(f_.size());
    values_.assign(tracks_.count(), Operand::undef().word());
    stamps_.assign(tracks_.count(), 0);
    blocks_.resize(f_.block_count());
    std::vector<flow::Node> order = flow::reverse_post_order(graph_);
    for (uint32_t i = 0; i < order.size(); ++i) blocks_[index(order[i])].order = i;
    for (flow::Node n : order) walk(ir::block(n));
    fill_operands();
    if (has_equal_values_ || regions_.any() || !flow::is_reducible(graph_, flow::Dominators(graph_)))
      candidates_.remove_redundant();
    else
      candidates_.remove_single();
    if constexpr (Log::is_on) log_operands();
    write();
  }

 private:
  static constexpr uint32_t nobody = 0xffffffffu;
  struct BlockState {
    uint32_t order = nobody;                   ///< in the walk; nobody if it cannot be reached
    uint32_t first_change = 0, change_count = 0;
    uint32_t first_phi = 0, phi_end = 0;       ///< in phis_, in the order of tracks
    bool done = false;
  };
  struct Change {
    uint32_t track, word;
  };
  struct Phi {
    uint32_t track;
    BlockId block;
    bool is_phi_c;
  };
  struct Upsilon {
    uint32_t word;
    ir::Point point = {ir::Point::Side::block_end, ir::Function::entry()};
  };
  struct Check {
    Operand get;
    Symbol name;
    uint32_t flag;
  };

  /// Where a shortcut leads round blocks, these have no entry for the track: its value is asked for above them.
  void find_liveness() {
    flow::LiveWalk walk(graph_);
    std::vector<flow::Node> nodes, uses, definitions;
    std::vector<uint32_t> first_node;
    for (uint32_t t = 0; t < tracks_.count(); ++t) {
      uses.clear();
      definitions.clear();
      for (BlockId b : tracks_.exposed_uses(t)) uses.push_back(ir::node(b));
      for (BlockId b : tracks_.definitions(t)) definitions.push_back(ir::node(b));
      std::span<const flow::Node> live = walk.live_in_with_shortcuts(uses, definitions, [&](flow::Node n) {
        BlockId above = shortcuts_.above(ir::block(n), t);
        return is_none(above) ? none_id<flow::Node> : ir::node(above);
      });
      first_node.push_back(static_cast<uint32_t>(nodes.size()));
      nodes.insert(nodes.end(), live.begin(), live.end());
    }
    first_node.push_back(static_cast<uint32_t>(nodes.size()));
    auto nodes_of = [&](uint32_t t) { return std::span(nodes).subspan(first_node[t], first_node[t + 1] - first_node[t]); };
    live_in_ = Csr<uint32_t>::build(f_.block_count(), [&](auto&& emit) {
      for (uint32_t t = 0; t < tracks_.count(); ++t)
        for (flow::Node n : nodes_of(t)) emit(index(n), t);
    });
    if constexpr (Log::is_on) {
      log_.post_order(flow::post_order(graph_));
      log_.start_words(tracks_);
      for (uint32_t t = 0; t < tracks_.count(); ++t) log_.live_in(t, nodes_of(t));
    }
    entry_words_.assign(live_in_.item_count(), Operand::undef().word());
  }

  /// The value of a track at the end of a block that was walked and at whose end the track is live.
  uint32_t at_end(BlockId b, uint32_t track) const {
    const BlockState& state = blocks_[index(b)];
    auto first = changes_.begin() + state.first_change, last = first + state.change_count;
    auto found = std::lower_bound(first, last, track, [](const Change& c, uint32_t t) { return c.track < t; });
    if (found != last && found->track == track) return found->word;
    std::span<const uint32_t> live = live_in_.row(b);
    auto at = std::lower_bound(live.begin(), live.end(), track);
    if (at == live.end() || *at != track) return tracks_[track].initial.word();
    return entry_words_[live_in_.start(index(b)) + static_cast<uint32_t>(at - live.begin())];
  }

  uint32_t new_phi(uint32_t track, BlockId b, Reason reason) {
    uint32_t p = static_cast<uint32_t>(phis_.size());
    phis_.push_back({track, b, reason == Reason::handler});
    f_.insert(f_.phis_of(b), {{}, tracks_[track].type, {}});
    uint32_t word = candidates_.add();
    log_.phi(track, b, p, reason);
    if constexpr (Log::is_on) log_.define_word(track, word, p, nobody, b);
    return word;
  }

  uint32_t at_start(BlockId b, uint32_t track) {
    if (b == ir::Function::entry()) return tracks_[track].initial.word();
    if (BlockId above = shortcuts_.above(b, track); !is_none(above)) return at_end(above, track);
    if (regions_.is_handler(b)) return new_phi(track, b, Reason::handler);
    uint32_t word = nobody;
    bool same = true;
    [[maybe_unused]] bool all_known = true;
    f_.for_each_pred(b, [&](EdgeId e) {
      const BlockState& from = blocks_[index(f_.edge(e).from)];
      if (!same || from.order == nobody) return;
      if (!from.done) {
        same = false;
        if constexpr (Log::is_on) all_known = false;
        return;
      }
      uint32_t incoming = at_end(f_.edge(e).from, track);
      same = word == nobody || word == incoming;
      word = incoming;
    });
    if (same && word != nobody) return word;
    return new_phi(track, b, all_known ? Reason::values_differ : Reason::loop);
  }

  [[gnu::always_inline]] void walk(BlockId b) {
    log_.visit(b);
    ++stamp_;
    touched_.clear();
    BlockState& state = blocks_[index(b)];
    std::span<const uint32_t> live = live_in_.row(b);
    state.first_phi = static_cast<uint32_t>(phis_.size());
    for (uint32_t i = 0; i < live.size(); ++i) {
      uint32_t word = at_start(b, live[i]);
      entry_words_[live_in_.start(index(b)) + i] = word;
      values_[live[i]] = word;
    }
    state.phi_end = static_cast<uint32_t>(phis_.size());
    uint32_t region = regions_.at_start(b);
    const ir::Block block = f_.block(b);
    for (uint32_t i = block.first; i < block.end; ++i) {
      const ir::Stmt s = f_.columns().stmt(i);
      Operand id(static_cast<ir::Ref>(i));
      switch (s.op) {
        case Op::get: get(id, s.arg[0]); break;
        case Op::set: set(id, s.arg[0], Operand::from_word(s.arg[1]), region); break;
        case Op::is_defined: {
          uint32_t flag = tracks_.flag_of(static_cast<VarId>(s.arg[0]));
          if (flag != Tracks::no_track) log_use(flag, Reason::asked, id);
          f_.replace(id, flag == Tracks::no_track ? f_.module().constant(i1, 1) : value(flag));
          break;
        }
        case Op::leave: region = regions_.left(region, f_.operand_count(s)); break;
        default: break;
      }
    }
    state.first_change = static_cast<uint32_t>(changes_.size());
    state.change_count = static_cast<uint32_t>(touched_.size());
    std::sort(touched_.begin(), touched_.end());
    for (uint32_t track : touched_) changes_.push_back({track, values_[track]});
    state.done = true;
  }

  Operand value(uint32_t track) const { return Operand::from_word(values_[track]); }

  void log_use(uint32_t track, Reason reason, Operand id) {
    if constexpr (Log::is_on) log_.use_word(track, values_[track], reason, id.number());
  }

  void define(uint32_t track, Operand value, Operand id) {
    if constexpr (Log::is_on) log_.define_word(track, value.word(), nobody, id.number(), f_.block_of(id));
    values_[track] = value.word();
    if (stamps_[track] == stamp_) return;
    stamps_[track] = stamp_;
    touched_.push_back(track);
  }

  void get(Operand id, uint32_t variable) {
    log_use(variable, Reason::read, id);
    const ir::Variable& declared = f_.variables[static_cast<VarId>(variable)];
    uint32_t flag = tracks_.flag_of(static_cast<VarId>(variable));
    if (flag != Tracks::no_track && declared.undef == ir::UndefMeaning::throws) {
      log_use(flag, Reason::read, id);
      if (value(flag) != f_.module().constant(i1, 1)) checks_.push_back({id, declared.name, values_[flag]});
    }
    f_.replace(id, value(variable));
  }

  /// Notes whether two assignments may give the same value. The entry is not reached again; there, what was assigned last counts.
  void look_for_equal_values(Operand value) {
    if (!value.is_stmt())
      has_equal_values_ |= blocks_[0].done;
    else if (is_assigned_[value.number()])
      has_equal_values_ = true;
    else
      is_assigned_[value.number()] = true;
  }

  void set(Operand id, uint32_t variable, Operand assigned, uint32_t region) {
    const Operand resolved = f_.resolve(assigned);
    look_for_equal_values(resolved);
    bool undefined = resolved.is_undef();
    if (undefined) assigned = tracks_[variable].initial;
    define(variable, assigned, id);
    uint32_t flag = tracks_.flag_of(static_cast<VarId>(variable));
    if (flag != Tracks::no_track) define(flag, f_.module().constant(i1, undefined ? 0 : 1), id);
    for (; region != Regions::outside; region = regions_[region].outer) {
      if (is_none(regions_[region].handler)) continue;
      reports_.push_back({variable, values_[variable], regions_[region].handler, f_.after(id)});
      if (flag != Tracks::no_track)
        reports_.push_back({flag, values_[flag], regions_[region].handler, f_.after(id)});
    }
    f_.erase(id);
  }

  /// Handlers come behind the regions that they protect as a rule, but not always: which of the values that were assigned
  /// there they need is known only when all phi_cs are there.
  void fill_operands() {
    std::vector<uint32_t> phi_c_of;
    std::vector<Upsilon> upsilons;
    const auto add = [&](uint32_t phi_c, uint32_t word, ir::Point point) {
      phi_c_of.push_back(phi_c);
      upsilons.push_back({word, point});
    };
    for (const Report& report : reports_) {
      const BlockState& handler = blocks_[index(report.handler)];
      auto first = phis_.begin() + handler.first_phi, last = phis_.begin() + handler.phi_end;
      auto at = std::lower_bound(first, last, report.track, [](const Phi& phi, uint32_t track) { return phi.track < track; });
      if (at != last && at->track == report.track) add(static_cast<uint32_t>(at - phis_.begin()), report.word, report.point);
    }
    for (uint32_t p = 0; p < phis_.size(); ++p) {
      const Phi& phi = phis_[p];
      for (EdgeId e = f_.block(phi.block).first_pred; phi.is_phi_c && !is_none(e); e = f_.edge(e).next_pred) {
        BlockId from = f_.edge(e).from;
        if (f_.edge(e).dead || blocks_[index(from)].order == nobody) continue;
        add(p, at_end(from, phi.track), f_.at_end(from));
      }
    }
    upsilons_ = Csr<Upsilon>::from_arrays(phis_.size(), phi_c_of, upsilons);
    for (uint32_t p = 0; p < phis_.size(); ++p) {
      const Phi& phi = phis_[p];
      candidates_.begin_operands(p);
      for (const Upsilon& upsilon : upsilons_.row(p)) candidates_.add_operand(upsilon.word);
      for (EdgeId e = f_.block(phi.block).first_pred; !phi.is_phi_c && !is_none(e); e = f_.edge(e).next_pred) {
        BlockId from = f_.edge(e).from;
        bool taken = !f_.edge(e).dead && blocks_[index(from)].order != nobody;
        candidates_.add_operand(taken ? at_end(from, phi.track) : PhiCandidates::word_of(p));
      }
    }
  }

  void log_operands() {
    for (uint32_t p = 0; p < phis_.size(); ++p) {
      const Phi& phi = phis_[p];
      for (const Upsilon& upsilon : upsilons_.row(p))
        log_.use_word_at_edge(phi.track, upsilon.word, Reason::upsilon, p, f_.block_of(upsilon.point.anchor()), phi.block);
      std::span<const uint32_t> operands = candidates_.operands(p);
      size_t i = 0;
      for (EdgeId e = f_.block(phi.block).first_pred; !phi.is_phi_c && !is_none(e); e = f_.edge(e).next_pred)
        log_.use_word_at_edge(phi.track, operands[i++], Reason::phi_operand, p, f_.edge(e).from, phi.block);
    }
    for (uint32_t p = 0; p < phis_.size(); ++p)
      if (!candidates_.stays(p))
        log_.prune(p, Reason::one_value, log_.version_of_word(phis_[p].track, value_of(p)));
  }

  uint32_t value_of(uint32_t p) { return candidates_.resolved(PhiCandidates::word_of(p)); }

  void write() {
    std::vector<uint32_t> words;
    for (uint32_t p = 0; p < phis_.size(); ++p) {
      Operand id(static_cast<NewRef>(p));
      Type type = tracks_[phis_[p].track].type;
      if (!candidates_.stays(p)) {
        f_.replace(id, Operand::from_word(value_of(p)));
        continue;
      }
      words.clear();
      for (const Upsilon& upsilon : upsilons_.row(p)) {
        const Operand value = Operand::from_word(candidates_.resolved(upsilon.word));
        words.push_back(Operand(f_.insert(upsilon.point, f_.make(Op::upsilon, type, {value}))).word());
      }
      if (!phis_[p].is_phi_c)
        for (uint32_t word : candidates_.operands(p)) words.push_back(candidates_.resolved(word));
      f_.overwrite(id, f_.make(phis_[p].is_phi_c ? Op::phi_c : Op::phi, type, words));
    }
    for (const Check& check : checks_) {
      uint32_t check_words[] = {index(check.name), candidates_.resolved(check.flag)};
      f_.insert(f_.before(check.get), f_.make(Op::throw_undef, void_type, check_words, f_.loc(check.get)));
    }
  }

  struct Report {
    uint32_t track, word;
    BlockId handler;
    ir::Point point;
  };

  ir::Function& f_;
  Log& log_;
  Tracks tracks_;
  Regions regions_;
  flow::Graph graph_;
  Shortcuts shortcuts_;
  Csr<uint32_t> live_in_;               ///< the tracks live at the start of each block, but for shortcuts
  std::vector<uint32_t> entry_words_;   ///< beside them
  std::vector<BlockState> blocks_;
  std::vector<Change> changes_;
  std::vector<uint32_t> values_, stamps_, touched_;
  std::vector<bool> is_assigned_;       ///< the statements that were
  bool has_equal_values_ = false;       ///< then several phis may stand for one value together in any graph
  uint32_t stamp_ = 0;
  std::vector<Phi> phis_;               ///< number p is buffered statement p
  PhiCandidates candidates_;            ///< beside them
  std::vector<Report> reports_;
  Csr<Upsilon> upsilons_;               ///< of each phi_c, in the order in which they were found
  std::vector<Check> checks_;
};

}  // namespace

void construct_regmap(ir::Function& f, EventLog* log) {
  if (log != nullptr) return RegMap<EventLog>(f, *log).run();
  NoLog nobody_listens;
  RegMap<NoLog>(f, nobody_listens).run();
}

}  // namespace braid::ssa
