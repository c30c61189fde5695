// The tables of a trace: one pass over the log for each.
#include <algorithm>
#include <map>
#include <ranges>
#include <unordered_map>
#include <vector>

#include "driver/display_names.h"
#include "driver/trace.h"

namespace braid::driver {

using ir::BlockId;
using ssa::Event;
using ssa::EventKind;
using ssa::Reason;

namespace {

class TraceTables {
 public:
  TraceTables(const LoggedConstruction& run, uint32_t variable, uint32_t track)
      : run_(run), track_(track), name_(shown_name(run.variables[variable])), shown_(name_), blocks_(shown_names(run.blocks)) {
    // Versions of the flag are not versions of the variable.
    if (run.log.track_list()[track].is_flag) shown_ = name_ + "?";
    for (const Event& event : run.log.events()) {
      if (event.track != track) continue;
      if (event.kind == EventKind::phi) {
        if (block_of_phi_.size() <= event.phi) block_of_phi_.resize(event.phi + 1, none_id<BlockId>);
        block_of_phi_[event.phi] = event.block;
      }
      if (event.kind == EventKind::prune) {
        if (prunes_.size() <= event.phi) prunes_.resize(event.phi + 1, nullptr);
        prunes_[event.phi] = &event;
      }
      if (event.kind != EventKind::define) continue;
      if (defined_in_.size() <= event.version) defined_in_.resize(event.version + 1);
      defined_in_[event.version].push_back(event.block);
    }
  }

  std::string placing() {
    bool has_search = run_.algorithm == ssa::Algorithm::cytron;
    std::vector<std::vector<std::string>> rows = {{"X", "Y", "W", "F", "what happens"}};
    if (!has_search) rows[0][1] = "block";
    for (const Event& event : run_.log.events()) {
      if (event.track != track_) continue;
      switch (event.kind) {
        case EventKind::live_in:
          rows.push_back({"", "", "", "", "live into: " + joined(run_.log.list(event))});
          break;
        case EventKind::skip:
          rows.push_back({"", "", "", "",
                          event.reason == Reason::local
                              ? "no phis: every block that reads " + name_ + " assigns it before"
                              : "no phis: nothing assigns " + name_});
          break;
        case EventKind::work:
          for (uint32_t b : run_.log.list(event)) work_.put(b);
          rows.push_back(
              {"", "", joined(work_), joined(found_), "W: what defines " + name_ + " and has a frontier"});
          break;
        case EventKind::take:
          work_.take(index(event.block));
          rows.push_back({block(event.block), "", joined(work_), joined(found_), "X is taken off W"});
          break;
        case EventKind::look: rows.push_back(look(event)); break;
        case EventKind::phi:
          if (event.reason != Reason::frontier)
            rows.push_back(
                {"", block(event.block), joined(work_), joined(found_), kind(event) + why_placed(event)});
          break;
        case EventKind::prune:
          rows.push_back({"", block(block_of_phi_[event.phi]), "", "", "phi pruned: " + why_pruned(event)});
          break;
        default: break;
      }
    }
    // The others have no work list.
    if (!has_search)
      for (std::vector<std::string>& row : rows) row = {row[1], row[4]};
    return "phis of " + shown_ + " in @" + shown_name(run_.function) + heading() + "\n" + table_text(rows);
  }

  std::string renaming() {
    std::vector<std::vector<std::string>> rows = {{"block", "mention", "reaching definition", "reason"}};
    std::vector<const Event*> phis;
    for (const Event& event : run_.log.events()) {
      if (event.track != track_) continue;
      if (event.kind == EventKind::phi) {
        if (phis.size() <= event.phi) phis.resize(event.phi + 1, nullptr);
        phis[event.phi] = &event;
      }
      if (event.kind == EventKind::undo) {
        if (walk_.empty()) walk_.push_back(event.version);
        walk_.push_back(event.before);
      }
      if (event.kind == EventKind::define) {
        const Event* phi = event.phi == Event::no_number ? nullptr : phis[event.phi];
        std::string reason = phi ? kind(*phi) + why_placed(*phi) : run_.statements[event.statement];
        if (phi && prune_of(event.phi)) reason += "; pruned later: " + why_pruned(*prune_of(event.phi));
        if (!walk_.empty()) reason = left_behind(event.block) + "; " + reason;
        std::string reaching = event.before == Event::no_number ? "" : walk_or(event.before) + " then ";
        rows.push_back(
            {block(event.block), "def " + version(event.version), reaching + version(event.version), reason});
        walk_.clear();
      }
      if (event.kind == EventKind::use) rows.push_back(use(event));
    }
    return "renaming of " + shown_ + " in @" + shown_name(run_.function) + heading() + "\n" + table_text(rows);
  }

 private:
  std::string heading() const {
    std::string text = " by " + std::string(ssa::name(run_.algorithm));
    if (run_.algorithm == ssa::Algorithm::cytron) text += ", " + std::string(ssa::name(run_.prune));
    return text;
  }
  const std::string& block(BlockId b) const { return blocks_[index(b)]; }
  std::string version(uint32_t v) const {
    if (v == 0 || v == Event::no_number) return "⊥";
    return shown_ + std::to_string(v);
  }
  /// At most so many are named, so that tables of large functions stay tables.
  static constexpr size_t most_names = 12;
  template <class Blocks>
  std::string joined(const Blocks& blocks) const {
    std::string out;
    size_t named = 0;
    for (uint32_t b : blocks) {
      if (named == most_names) return out + " and " + std::to_string(blocks.size() - named) + " more";
      out += (named++ == 0 ? "" : " ") + blocks_[b];
    }
    return out;
  }
  const Event* prune_of(uint32_t phi) const { return phi < prunes_.size() ? prunes_[phi] : nullptr; }

  /// W, in the order in which blocks came to it.
  struct WorkList {
    std::map<uint32_t, uint32_t> by_time;
    std::unordered_map<uint32_t, uint32_t> time_of;
    uint32_t clock = 0;

    void put(uint32_t b) {
      by_time[clock] = b;
      time_of[b] = clock++;
    }
    void take(uint32_t b) { by_time.erase(time_of[b]); }
  };
  std::string joined(const WorkList& work) const { return joined(work.by_time | std::views::values); }

  std::vector<std::string> look(const Event& event) {
    std::string what;
    if (event.reason == Reason::is_known) {
      what = "Y is in F already";
    } else {
      found_.push_back(index(event.other));
      what = "phi in Y: an edge out of what X dominates leads there";
      if (event.reason == Reason::is_new) work_.put(index(event.other));
    }
    return {block(event.block), block(event.other), joined(work_), joined(found_), what};
  }

  static std::string kind(const Event& phi) { return phi.reason == Reason::handler ? "phi_c: " : "phi: "; }
  std::string why_placed(const Event& phi) const {
    switch (phi.reason) {
      case Reason::frontier:
        return is_none(phi.other) ? "in the iterated frontier"
                                  : block(phi.block) + " is in the frontier of " + block(phi.other);
      case Reason::handler: return "a handler may see any assignment in its region";
      case Reason::values_differ: return "paths meet here with different values";
      case Reason::loop: return "a path into " + block(phi.block) + " is not walked yet";
      default: return "a read comes to " + block(phi.block) + ", where the value is not known";
    }
  }
  std::string why_pruned(const Event& prune) const {
    switch (prune.reason) {
      case Reason::dead: return "its value reaches no read";
      case Reason::one_value: return "it only ever is " + version(prune.version);
      case Reason::always_true: return name_ + " is always defined here";
      default: return name_ + " is never defined here";
    }
  }

  /// `x3 -> x1`: what was undone since the mention before, and what that left.
  std::string walk_or(uint32_t current) const {
    if (walk_.empty()) return version(current);
    std::string out;
    for (uint32_t v : walk_) out += (out.empty() ? "" : " -> ") + version(v);
    return out;
  }
  std::string left_behind(BlockId b) const {
    std::string out;
    size_t named = 0;
    for (size_t i = 0; i + 1 < walk_.size(); ++i) {
      BlockId from = defined_in_[walk_[i]].front();
      if (i > 0 && from == defined_in_[walk_[i - 1]].front()) continue;
      out += (named++ == 0 ? "" : ", ") + block(from);
    }
    return out + (named > 1 ? " do not dominate " : " does not dominate ") + block(b);
  }

  std::vector<std::string> use(const Event& event) {
    bool at_edge = event.reason == Reason::phi_operand || event.reason == Reason::upsilon;
    std::string where = block(event.block), mention = version(event.version), reason;
    if (event.version == 0) mention = shown_ + "0";
    mention = "    " + mention +
              (event.reason == Reason::phi_operand ? " φ use"
               : event.reason == Reason::upsilon   ? " ϒ use"
                                                   : " use");
    if (at_edge) where += " -> " + block(event.other);
    if (!walk_.empty()) reason = left_behind(event.block) + "; ";
    if (event.version == 0 || event.version == Event::no_number) {
      reason += "nothing assigns " + name_ + " on the way";
    } else {
      const std::vector<BlockId>& from = defined_in_[event.version];
      if (std::find(from.begin(), from.end(), event.block) != from.end())
        reason += (at_edge ? "the last one in " : "defined above in ") + block(event.block);
      else if (run_.algorithm == ssa::Algorithm::cytron)
        reason += block(from.front()) + " dominates " + block(event.block);
      else
        for (size_t i = 0; i < from.size(); ++i) reason += (i == 0 ? "defined in " : ", ") + block(from[i]);
    }
    if (at_edge && prune_of(event.phi)) reason += "; for a phi that is pruned later";
    std::vector<std::string> row = {where, mention, walk_or(event.version), reason};
    walk_.clear();
    return row;
  }

  const LoggedConstruction& run_;
  uint32_t track_;
  std::string name_, shown_;
  std::vector<std::string> blocks_;
  std::vector<BlockId> block_of_phi_;
  std::vector<const Event*> prunes_;              ///< by phi
  std::vector<std::vector<BlockId>> defined_in_;  ///< by version; several where equal values are one version
  WorkList work_;                                 ///< W
  std::vector<uint32_t> found_;                   ///< F
  std::vector<uint32_t> walk_;  ///< versions undone since the last mention, and what is left
};

}  // namespace

std::string trace_tables(const LoggedConstruction& run, std::string_view variable) {
  std::string out;
  std::span<const ssa::EventLog::TrackInfo> tracks = run.log.track_list();
  for (uint32_t t = 0; t < tracks.size(); ++t) {
    uint32_t v = index(tracks[t].variable);
    if (run.variables[v] != variable) continue;
    TraceTables tables(run, v, t);
    if (!out.empty()) out += '\n';
    out += tables.placing() + "\n" + tables.renaming();
  }
  return out;
}

std::string seed_table(const LoggedConstruction& run, std::string_view variable) {
  constexpr std::string_view prefix = "[TRACE] in ControlFlow: ";
  std::string name = shown_name(variable);
  std::vector<std::string> blocks = shown_names(run.blocks);
  std::string out;
  auto line = [&](const std::string& text) { (out += prefix) += text + "\n"; };
  auto left = [](std::string text) { return text.append(text.size() < 11 ? 11 - text.size() : 0, ' '); };
  auto right = [](std::string text, size_t length) {
    return std::string(length < 11 ? 11 - length : 0, ' ') + text;
  };
  line("BB| " + left(name + " mention") + " | " + name + ".reachingDef");
  line("-------------------------------");

  uint32_t reaching = 0;             // as the original keeps it: what was mentioned last
  std::vector<uint32_t> link = {0};  // by version: what was current when it was defined
  auto version = [&](uint32_t v) { return v == 0 ? "⊥" : name + std::to_string(v); };
  for (const Event& event : run.log.events()) {
    if (event.kind != EventKind::define && event.kind != EventKind::use) continue;
    const ssa::EventLog::TrackInfo& track = run.log.track_list()[event.track];
    if (track.is_flag || run.variables[index(track.variable)] != variable || event.reason == Reason::upsilon)
      continue;
    if (event.kind == EventKind::define) {
      line(blocks[index(event.block)] + " | " + left("def " + version(event.version)) + " | " +
           version(reaching) + " then " + version(event.version));
      link.resize(event.version + 1, 0);
      link[event.version] = reaching;
    } else {
      bool at_edge = event.reason == Reason::phi_operand;
      BlockId shown = at_edge ? event.other : event.block;
      std::string mentioned = name + std::to_string(event.version);
      std::string mention = right(mentioned + (at_edge ? " φuse" : " use "), mentioned.size() + 5);
      line(blocks[index(shown)] + " | " + mention + " | " + version(reaching) + " updated into " +
           version(event.version < link.size() ? link[event.version] : 0));
    }
    reaching = event.version;
  }
  return out;
}

}  // namespace braid::driver
