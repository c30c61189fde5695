// Random functions of a few blocks with regions: nested, left early, in loops, entered from several places, with handlers
// that are shared and that enter again; tokens go through phis or meet without one; slots are written before each enter,
// farther in front, on all ways that meet, in the region, or anywhere. Some break the rules. O(blocks^2).
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "ir/verify.h"

namespace braid::ir::testing_verify {

class RandomRegions {
 public:
  explicit RandomRegions(uint32_t seed) : random_(seed) {}

  Function& make(Module& m) {
    make_graph();
    make_items();
    make_slots();
    emit(m);
    return *f_;
  }

 private:
  static constexpr uint32_t none = 0xffffffffu;
  enum class End : uint8_t { jump, branch, enter, leave_function, stop };
  enum class What : uint8_t { call, leave, look, pop, write };
  struct Item {
    What what;
    uint32_t number;  ///< regions left, a node that enters, or a slot
  };
  struct Node {
    std::vector<uint32_t> handlers;  ///< open at its start, the innermost last; `none` is a region without one
    bool is_handler;
    uint32_t maker;  ///< the node whose end leads to it first
    End end = End::stop;
    uint32_t left = 0;
    uint32_t to[2] = {none, none};  ///< of an enter: the handler and the body
    std::vector<uint32_t> from = {};
    std::vector<Item> items = {};
    std::vector<uint32_t> slots = {};
    std::vector<Operand> phis = {};    ///< by region
    std::vector<Operand> tokens = {};  ///< by region
  };
  struct Slot {
    uint32_t handler;
    std::vector<Operand> writes = {};
    Operand phi_c = {};
  };

  uint32_t pick(uint32_t below) { return static_cast<uint32_t>(random_() % below); }
  bool one_in(uint32_t n) { return pick(n) == 0; }

  // ---- the graph ----

  uint32_t target(uint32_t maker, const std::vector<uint32_t>& handlers, bool is_handler) {
    std::vector<uint32_t> fitting;
    for (uint32_t n = 1; n < nodes_.size(); ++n) {
      bool fits = nodes_[n].handlers == handlers && nodes_[n].is_handler == is_handler;
      if (fits || (breaks_rules_ && one_in(40))) fitting.push_back(n);
    }
    bool reuse = !fitting.empty() && (nodes_.size() >= most_ || one_in(2));
    if (reuse) return fitting[pick(static_cast<uint32_t>(fitting.size()))];
    if (nodes_.size() >= most_ + 8) return none;
    nodes_.push_back({handlers, is_handler, maker});
    return static_cast<uint32_t>(nodes_.size() - 1);
  }

  void make_graph() {
    most_ = 4 + pick(14);
    breaks_rules_ = one_in(4);
    nodes_.push_back({{}, false, none});
    for (uint32_t n = 0; n < nodes_.size(); ++n) make_end(n);
    for (uint32_t n = 0; n < nodes_.size(); ++n)
      for (uint32_t to : nodes_[n].to)
        if (to != none) nodes_[to].from.push_back(n);
  }

  void make_end(uint32_t n) {
    std::vector<uint32_t> handlers = nodes_[n].handlers;
    uint32_t depth = static_cast<uint32_t>(handlers.size());
    uint32_t left = depth != 0 && one_in(3) ? 1 + pick(depth) : 0;
    handlers.resize(depth - left);
    uint32_t choice = pick(10);
    bool enters = handlers.size() < 4 && (choice < 4 || n == 0);
    uint32_t first = none, second = none;
    if (enters) {
      if (!one_in(30)) first = target(n, handlers, true);
      handlers.push_back(first);
    }
    if (enters || choice < 9) second = target(n, handlers, false);
    if (!enters && choice > 6 && second != none) first = target(n, handlers, false);
    Node& node = nodes_[n];
    node.left = left;
    node.to[0] = first, node.to[1] = second;
    if (second == none) {
      node.to[0] = none;
      node.end = handlers.empty() || (breaks_rules_ && one_in(3)) ? End::leave_function : End::stop;
    } else {
      node.end = enters ? End::enter : first != none ? End::branch : End::jump;
    }
  }

  // ---- what stands in the blocks ----

  void insert(uint32_t n, Item item) {
    std::vector<Item>& items = nodes_[n].items;
    items.insert(items.begin() + pick(static_cast<uint32_t>(items.size()) + 1), item);
  }

  void make_items() {
    std::vector<uint32_t> entering;
    for (uint32_t n = 0; n < nodes_.size(); ++n)
      if (nodes_[n].end == End::enter) entering.push_back(n);
    for (uint32_t n = 0; n < nodes_.size(); ++n) {
      Node& node = nodes_[n];
      for (uint32_t i = pick(4); i > 0; --i) insert(n, {What::call, 0});
      bool looks = node.is_handler ? one_in(2) : one_in(breaks_rules_ ? 8 : 25);
      if (looks) insert(n, {What::look, 0});
      if (!entering.empty() && (node.is_handler ? !one_in(4) : one_in(breaks_rules_ ? 8 : 25))) {
        uint32_t of = entering[pick(static_cast<uint32_t>(entering.size()))];
        if (!node.from.empty() && node.is_handler && !one_in(4)) of = node.from[pick(static_cast<uint32_t>(node.from.size()))];
        if (nodes_[of].end == End::enter) insert(n, {What::pop, of});
      }
      // Two leaves stand in the order in which they were drawn: both take from the innermost on.
      uint32_t left = node.left;
      while (left != 0) {
        uint32_t now = one_in(2) ? left : 1 + pick(left);
        insert(n, {What::leave, now});
        left -= now;
      }
    }
  }

  void write(uint32_t n, uint32_t slot, bool in_front = false) {
    if (in_front)
      nodes_[n].items.insert(nodes_[n].items.begin(), {What::write, slot});
    else
      insert(n, {What::write, slot});
  }

  void make_slots() {
    for (uint32_t handler = 0; handler < nodes_.size(); ++handler) {
      if (!nodes_[handler].is_handler) continue;
      for (uint32_t i = pick(4); i > 0; --i) make_slot(handler);
    }
  }

  void make_slot(uint32_t handler) {
    uint32_t slot = static_cast<uint32_t>(slots_.size());
    slots_.push_back({handler});
    nodes_[handler].slots.push_back(slot);
    if (breaks_rules_ && one_in(8)) return;
    uint32_t manner = pick(8);
    for (uint32_t enter : nodes_[handler].from) {
      const Node node = nodes_[enter];
      if (node.end != End::enter) continue;
      if (manner == 0 || node.from.empty()) {
        write(enter, slot);
      } else if (manner == 1) {
        write(node.maker, slot);
      } else if (manner == 2) {
        for (uint32_t from : node.from) write(from, slot);
      } else if (manner == 3) {
        write(node.to[1], slot, true);
      } else if (manner >= 5) {
        for (uint32_t from : node.from) write(nodes_[from].maker == none ? from : nodes_[from].maker, slot);
      } else {
        write(0, slot);
      }
    }
    for (uint32_t i = pick(3); i > 0; --i) write(pick(static_cast<uint32_t>(nodes_.size())), slot);
  }

  // ---- the function ----

  BlockId at(uint32_t n) const { return static_cast<BlockId>(n); }
  Operand add(uint32_t n, Op op, Type type, std::vector<uint32_t> words = {}) {
    return f_->append(at(n), f_->make(op, type, words));
  }

  /// The token of region `k` at the end of a node, as far as it is known by then.
  Operand token_behind(uint32_t n, uint32_t k) const {
    const Node& node = nodes_[n];
    size_t kept = node.handlers.size() - node.left;
    if (k < kept) return node.tokens[k];
    return k == kept && node.end == End::enter ? f_->terminator(at(n)) : Operand::undef();
  }

  void emit(Module& m) {
    m.add_function(m.symbol("opaque"), Signature{}, true);
    f_ = &m.add_function(m.symbol("f"), Signature{{i64, i1, ref}, void_type});
    for (uint32_t n = 0; n < nodes_.size(); ++n) f_->new_block(m.symbol("b" + std::to_string(n)));
    for (uint32_t n = 0; n < nodes_.size(); ++n) emit_node(m, n);
    for (Slot& slot : slots_)
      for (uint32_t i = 0; i < slot.writes.size(); ++i) f_->set_operand(slot.phi_c, i, slot.writes[i]);
    for (uint32_t n = 0; n < nodes_.size(); ++n) {
      for (uint32_t k = 0; k < nodes_[n].phis.size(); ++k) {
        uint32_t column = 0;
        f_->for_each_pred(at(n), [&](EdgeId e) {
          if (nodes_[n].phis[k] != Operand::undef())
            f_->set_operand(nodes_[n].phis[k], column, token_behind(index(f_->edge(e).from), k));
          ++column;
        });
      }
    }
    for (uint32_t n = 0; n < nodes_.size(); ++n)
      for (const Item& item : nodes_[n].items)
        if (item.what == What::pop && popping_[n] != Operand::undef() && nodes_[item.number].end == End::enter)
          f_->set_operand(popping_[n], 0, f_->terminator(at(item.number)));
    constexpr uint32_t callee[] = {0};
    for (uint32_t n = 0; n < nodes_.size(); ++n) {
      Operand t = f_->terminator(at(n));
      if (one_in(20)) f_->insert(f_->before(t), f_->make(Op::call, void_type, callee));
      if (nodes_[n].end == End::enter && nodes_[n].to[0] != none && one_in(25))
        f_->remove_edge(static_cast<EdgeId>(f_->arg(f_->stmt(t), 0)));
    }
  }

  void emit_node(Module& m, uint32_t n) {
    Node& node = nodes_[n];
    popping_.resize(nodes_.size(), Operand::undef());
    for (uint32_t s : node.slots) {
      uint32_t writes = 0;
      for (const Node& other : nodes_)
        for (const Item& item : other.items) writes += item.what == What::write && item.number == s;
      slots_[s].phi_c = add(n, Op::phi_c, i64, std::vector<uint32_t>(writes, Operand::undef().word()));
    }
    for (uint32_t k = 0; k < node.handlers.size(); ++k) {
      bool has_phi = !node.is_handler && node.from.size() > 1 && !one_in(4);
      node.phis.push_back(Operand::undef());
      if (has_phi)
        node.phis.back() = add(n, Op::phi, token_type, std::vector<uint32_t>(node.from.size(), Operand::undef().word()));
      node.tokens.push_back(has_phi ? node.phis.back() : token_behind(node.maker, k));
    }
    uint32_t open = static_cast<uint32_t>(node.handlers.size());
    for (const Item& item : node.items) emit_item(m, n, item, open);
    switch (node.end) {
      case End::jump: f_->jump(at(n), at(node.to[1])); break;
      case End::branch: f_->branch(at(n), Operand::param(1), at(node.to[0]), at(node.to[1])); break;
      case End::enter: f_->enter(at(n), node.to[0] == none ? none_id<BlockId> : at(node.to[0]), at(node.to[1])); break;
      case End::leave_function: f_->ret(at(n)); break;
      case End::stop:
        if (one_in(2))
          f_->throw_value(at(n), Operand::param(2));
        else
          f_->unreachable(at(n));
        break;
    }
  }

  void emit_item(Module& m, uint32_t n, const Item& item, uint32_t& open) {
    Node& node = nodes_[n];
    switch (item.what) {
      case What::call: add(n, Op::call, void_type, {0}); break;
      case What::look: add(n, Op::the_exception, ref); break;
      case What::pop: popping_[n] = add(n, Op::pop_exception, void_type, {Operand::undef().word()}); break;
      case What::write:
        slots_[item.number].writes.push_back(add(n, Op::upsilon, i64, {m.constant(i64, item.number).word()}));
        break;
      case What::leave: {
        std::vector<uint32_t> tokens;
        for (uint32_t i = 0; i < item.number; ++i) {
          uint32_t k = open - 1 - i;
          if (breaks_rules_ && one_in(10)) k = pick(static_cast<uint32_t>(node.handlers.size()));
          tokens.push_back(node.tokens[k].word());
        }
        open -= item.number;
        std::shuffle(tokens.begin(), tokens.end(), random_);
        add(n, Op::leave, void_type, tokens);
      }
    }
  }

  std::mt19937 random_;
  uint32_t most_ = 0;
  bool breaks_rules_ = false;
  std::vector<Node> nodes_;
  std::vector<Slot> slots_;
  std::vector<Operand> popping_;
  Function* f_ = nullptr;
};

}  // namespace braid::ir::testing_verify
