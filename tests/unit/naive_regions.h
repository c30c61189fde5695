// The rules of regions checked as they read, for small functions: every list of handlers is written out, tokens are joined
// until nothing changes, exceptions are counted and slots are followed by sweeps over all blocks.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flow/orders.h"
#include "ir/graph_view.h"
#include "ir/order.h"

namespace braid::ir::testing_verify {

class NaiveRegions {
 public:
  struct Counts {
    uint32_t meets = 0, joined_tokens = 0, popped = 0, nested_exceptions = 0;
    uint32_t unsettled = 0, written_by_joins = 0, written_in_loops = 0;
  };

  NaiveRegions(const Function& function, Counts& counts) : f(function), lists_of_edits_(function), counts_(counts) {
    order_ = flow::post_order(block_graph(f));
    reachable_.assign(f.block_count(), false);
    for (flow::Node n : order_) reachable_[index(n)] = true;
    join_tokens();
    flow_lists();
    count_exceptions();
    bool balanced = check_balance();
    check_statements();
    if (balanced) check_slots();
    std::sort(findings_.begin(), findings_.end());
  }

  /// Without those of other rules.
  const std::vector<std::string>& findings() const { return findings_; }
  static std::string line(std::string_view rule, BlockId b, Operand where, const std::string& message) {
    return std::to_string(index(b)) + " " + std::to_string(where.word()) + " [" + std::string(rule) + "] " + message;
  }

 private:
  static constexpr uint32_t none = 0xffffffffu;
  struct Region {
    uint32_t token;
    BlockId handler;
    bool operator==(const Region&) const = default;
  };
  using List = std::vector<Region>;

  template <class Visit>
  void each_block(Visit&& visit) const {
    for (uint32_t b = 0; b < f.block_count(); ++b)
      if (reachable_[b]) visit(static_cast<BlockId>(b));
  }
  template <class Visit>
  void each(BlockId b, Visit&& visit) const {
    for_each_statement(f, lists_of_edits_, b, visit);
  }
  void report(std::string_view rule, BlockId b, Operand where, const std::string& message) {
    findings_.push_back(line(rule, b, where, message));
  }
  std::string name(BlockId b) const { return "'" + std::string(f.module().name(f.block(b).name)) + "'"; }
  static std::string name(Operand id) { return (id.is_pending() ? "%+" : "%") + std::to_string(id.number()); }
  uint32_t token(Operand operand) const {
    auto at = tokens_.find(operand.word());
    return at == tokens_.end() ? none : at->second;
  }
  bool enters(BlockId b) const { return f.op(f.terminator(b)) == Op::enter; }
  BlockId handler_of(BlockId b) const {
    uint32_t word = f.arg(f.stmt(f.terminator(b)), 0);
    if (word == index(none_id<EdgeId>) || f.edge(static_cast<EdgeId>(word)).dead) return none_id<BlockId>;
    return f.edge(static_cast<EdgeId>(word)).to;
  }

  // ---- tokens ----

  void join_tokens() {
    each_block([&](BlockId b) {
      each(b, [&](Operand id) {
        if (f.type(id) == token_type) tokens_[id.word()] = id.word();
      });
    });
    for (bool changed = true; changed;) {
      changed = false;
      each_block([&](BlockId b) {
        each(b, [&](Operand id) {
          if (f.op(id) != Op::phi || f.type(id) != token_type) return;
          f.for_each_pred(b, [&](EdgeId e) {
            Operand operand = f.operand(id, f.edge(e).pred_index);
            if (!reachable_[index(f.edge(e).from)] || token(operand) == token(id) || token(operand) == none) return;
            uint32_t one = token(operand), other = token(id);
            for (auto& [word, joined] : tokens_)
              if (joined == one) joined = other;
            ++counts_.joined_tokens;
            changed = true;
          });
        });
      });
    }
  }

  // ---- lists ----

  List behind(BlockId b) const {
    List list = *start_[index(b)];
    each(b, [&](Operand id) {
      if (f.op(id) == Op::leave) list.resize(list.size() - std::min<size_t>(list.size(), f.operand_count(f.stmt(id))));
    });
    return list;
  }
  List along(EdgeId e) const {
    BlockId from = f.edge(e).from;
    List list = behind(from);
    if (f.edge(e).kind == EdgeKind::normal && enters(from)) list.push_back({token(f.terminator(from)), handler_of(from)});
    return list;
  }
  static bool fit(const List& a, const List& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](Region x, Region y) { return x.handler == y.handler; });
  }

  /// Where lists do not fit, the first one stays; so the order is that of the verifier.
  void flow_lists() {
    start_.resize(f.block_count());
    start_[0] = List{};
    std::vector<flow::Node> work = order_;
    while (!work.empty()) {
      BlockId b = block(work.back());
      work.pop_back();
      if (!start_[index(b)]) continue;
      f.for_each_succ(b, [&](EdgeId e) {
        flow::Node to = node(f.edge(e).to);
        std::optional<List>& old = start_[index(to)];
        List next = along(e);
        if (old && !fit(*old, next)) return;
        for (size_t k = 0; old && k < next.size(); ++k) {
          if (next[k].token != (*old)[k].token) next[k].token = none;
          counts_.meets += next[k] != (*old)[k];
        }
        if (old == next) return;
        old = next;
        if (std::find(work.begin(), work.end(), to) == work.end()) work.push_back(to);
      });
    }
  }

  std::string handlers(const List& list) const {
    if (list.empty()) return "no handler";
    std::string text = list.size() == 1 ? "the handler " : std::to_string(list.size()) + " handlers ";
    for (size_t i = 0; i < 4 && i < list.size(); ++i) {
      BlockId handler = list[list.size() - 1 - i].handler;
      text += (i != 0 ? ", " : "") + (is_none(handler) ? "none" : name(handler));
    }
    return text;
  }

  bool check_balance() {
    size_t before = findings_.size();
    each_block([&](BlockId to) {
      BlockId agrees = none_id<BlockId>;
      f.for_each_pred(to, [&](EdgeId e) {
        BlockId from = f.edge(e).from;
        if (is_none(agrees) && reachable_[index(from)] && fit(along(e), *start_[index(to)])) agrees = from;
      });
      f.for_each_pred(to, [&](EdgeId e) {
        BlockId from = f.edge(e).from;
        if (!reachable_[index(from)] || fit(along(e), *start_[index(to)])) return;
        report("handler-balance", to, {},
               "block " + name(to) + " is entered with " + handlers(along(e)) + " from " + name(from) + ", with " +
                   handlers(*start_[index(to)]) + " " + (is_none(agrees) ? "on another path" : "from " + name(agrees)));
      });
    });
    return findings_.size() == before;
  }

  void check_statements() {
    each_block([&](BlockId b) {
      List list = *start_[index(b)];
      uint32_t exceptions = exceptions_[index(b)];
      each(b, [&](Operand id) {
        Op op = f.op(id);
        if (op == Op::ret && !list.empty()) report("ret-handler", b, id, "ret with " + handlers(list));
        if (op == Op::the_exception || op == Op::pop_exception) {
          if (exceptions == 0)
            report("exception-context", b, id,
                   std::string(info(op).text) + " where no exception is being handled on every path");
          if (op == Op::pop_exception) exceptions = std::min(exceptions, at_enter(token(f.operand(id, 0))));
        }
        if (op == Op::leave) leave(b, id, list);
      });
    });
  }

  void leave(BlockId b, Operand id, List& list) {
    uint32_t count = f.operand_count(f.stmt(id));
    if (count > list.size()) {
      report("leave", b, id,
             "leave of " + std::to_string(count) + " regions where " + std::to_string(list.size()) + " are open");
      list.clear();
      return;
    }
    std::vector<uint32_t> expected, named;
    for (uint32_t i = 0; i < count; ++i) {
      expected.push_back(list.back().token);
      named.push_back(token(f.operand(id, i)));
      list.pop_back();
    }
    std::sort(expected.begin(), expected.end());
    std::sort(named.begin(), named.end());
    if (expected != named || expected.back() == none)
      report("leave", b, id,
             count == 1 ? "leave does not name the token of the innermost region"
                        : "leave does not name the tokens of the innermost regions");
  }

  // ---- exceptions ----

  uint32_t at_enter(uint32_t token) const {
    auto at = at_enter_.find(token);
    return at == at_enter_.end() ? none : at->second;
  }

  void count_exceptions() {
    exceptions_.assign(f.block_count(), none);
    exceptions_[0] = 0;
    bool changed = true;
    auto lower = [&](uint32_t& count, uint32_t to) {
      if (to < count) count = to, changed = true;
    };
    while (changed) {
      changed = false;
      each_block([&](BlockId b) {
        uint32_t count = exceptions_[index(b)];
        if (count == none) return;
        each(b, [&](Operand id) {
          if (f.op(id) == Op::pop_exception) count = std::min(count, at_enter(token(f.operand(id, 0))));
        });
        if (enters(b)) lower(at_enter_.try_emplace(token(f.terminator(b)), none).first->second, count);
        f.for_each_succ(b, [&](EdgeId e) {
          lower(exceptions_[index(f.edge(e).to)], count + (f.edge(e).kind == EdgeKind::exceptional));
        });
      });
    }
    each_block([&](BlockId b) {
      each(b, [&](Operand id) {
        counts_.popped += f.op(id) == Op::pop_exception && at_enter(token(f.operand(id, 0))) < exceptions_[index(b)];
      });
      counts_.nested_exceptions += exceptions_[index(b)] > 1;
    });
  }

  // ---- slots ----

  struct Slot {
    BlockId handler;
    Operand phi_c;
    uint32_t number;
    uint32_t first_enter = none;  ///< without a write
  };

  bool writes(Operand id, const Slot& slot) const {
    if (f.op(id) != Op::upsilon) return false;
    const Stmt& phi_c = f.stmt(slot.phi_c);
    for (uint32_t i = 0; i < f.operand_count(phi_c); ++i)
      if (f.operand(slot.phi_c, i) == id) return true;
    return false;
  }
  bool writes(BlockId b, const Slot& slot) const {
    bool found = false;
    each(b, [&](Operand id) { found = found || writes(id, slot); });
    return found;
  }

  /// Each statement that may throw is told the first slot that lacks a write, first those that lack it at an earlier enter;
  /// one statement of each block and handler.
  void check_slots() {
    std::vector<Slot> slots;
    each_block([&](BlockId b) {
      each(b, [&](Operand id) {
        if (f.op(id) == Op::phi_c) slots.push_back({b, id, static_cast<uint32_t>(slots.size())});
      });
    });
    for (Slot& slot : slots) {
      each_block([&](BlockId b) {
        if (slot.first_enter == none && enters(b) && handler_of(b) == slot.handler && !writes(b, slot))
          slot.first_enter = index(b);
      });
      counts_.unsettled += slot.first_enter != none;
    }
    auto place = [](const Slot& slot) { return std::pair(slot.first_enter, slot.number); };
    std::sort(slots.begin(), slots.end(), [&](const Slot& a, const Slot& b) { return place(a) < place(b); });
    std::vector<std::vector<bool>> written;
    for (const Slot& slot : slots) written.push_back(written_at_start(slot));
    each_block([&](BlockId b) {
      List list = *start_[index(b)];
      std::vector<BlockId> told;
      std::vector<bool> here;
      for (const auto& at_start : written) here.push_back(at_start[index(b)]);
      each(b, [&](Operand id) {
        for (size_t s = 0; s < slots.size(); ++s)
          if (writes(id, slots[s])) here[s] = true;
        if (f.op(id) == Op::leave) list.resize(list.size() - std::min<size_t>(list.size(), f.operand_count(f.stmt(id))));
        if ((f.traits(id) & throws) == 0 || list.empty() || std::count(told.begin(), told.end(), list.back().handler) != 0)
          return;
        BlockId handler = list.back().handler;
        told.push_back(handler);
        bool is_told = false;
        for (size_t s = 0; s < slots.size(); ++s) {
          if (slots[s].handler != handler) continue;
          if (here[s]) count_written(slots[s], b);
          if (here[s] || is_told) continue;
          is_told = true;
          report("phi-c-written", b, id,
                 std::string(info(f.op(id)).text) + " may throw to " + name(handler) + ", but the slot of " +
                     name(slots[s].phi_c) + " is not written on every path to it");
        }
      });
    });
  }

  /// All blocks but those that a path without a write leads to.
  std::vector<bool> written_at_start(const Slot& slot) const {
    std::vector<bool> written(f.block_count(), true);
    std::vector<BlockId> work{Function::entry()};
    written[0] = false;
    while (!work.empty()) {
      BlockId b = work.back();
      work.pop_back();
      if (writes(b, slot)) continue;
      f.for_each_succ(b, [&](EdgeId e) {
        if (!written[index(f.edge(e).to)]) return;
        written[index(f.edge(e).to)] = false;
        work.push_back(f.edge(e).to);
      });
    }
    return written;
  }

  /// Only for the printed coverage: whether no single block that writes is on all paths.
  void count_written(const Slot& slot, BlockId at) {
    if (slot.first_enter == none) return;
    BlockDominance blocks(f);
    bool dominated = false, is_loop = false;
    each_block([&](BlockId b) { dominated = dominated || (writes(b, slot) && blocks.dominates(b, at)); });
    if (dominated) return;
    for (BlockId b = at; !is_none(b); b = blocks.idom(b))
      f.for_each_pred(b, [&](EdgeId e) { is_loop = is_loop || blocks.dominates(b, f.edge(e).from); });
    ++counts_.written_by_joins;
    counts_.written_in_loops += is_loop;
  }

  const Function& f;
  PendingLists lists_of_edits_;
  Counts& counts_;
  std::vector<flow::Node> order_;
  std::vector<bool> reachable_;
  std::map<uint32_t, uint32_t> tokens_;  ///< by operand word
  std::vector<std::optional<List>> start_;
  std::vector<uint32_t> exceptions_;
  std::map<uint32_t, uint32_t> at_enter_;
  std::vector<std::string> findings_;
};

}  // namespace braid::ir::testing_verify
