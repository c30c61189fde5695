// Scopes against a naive model: every scope a plain list, copied whole, with sentinels as in the original.
#include "sea/scope.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>

#include "sea/build.h"
#include "sea/print_text.h"

namespace braid::sea {
namespace {

using ir::Op;

/// Builds the same graph in the words of the original: scopes are whole lists; in a loop every name stands for the head.
class Naive {
 public:
  struct Scope;
  using Link = std::shared_ptr<Scope>;
  struct Slot {
    NodeId node = no_node;
    Link head;  ///< a sentinel
    bool same(const Slot& other) const { return node == other.node && head == other.head; }
  };
  struct Scope {
    NodeId control;
    std::vector<Slot> slots;
  };

  explicit Naive(Graph& g) : graph(g) {
    g.skip_numbers(2);
    g.start = g.make(NodeOp::start, control_type, {});
    g.stop = g.make(NodeOp::stop, control_type, {});
    now = std::make_shared<Scope>(Scope{g.make(NodeOp::projection, control_type, {g.start}, 0), {}});
  }
  Link copy() {
    graph.skip_numbers(1);
    return std::make_shared<Scope>(*now);
  }
  NodeId look(Scope& scope, size_t i) {
    Slot& slot = scope.slots[i];
    if (slot.head == nullptr) return slot.node;
    Link head = slot.head;
    Slot& of_head = head->slots[i];
    bool has_phi = of_head.head == nullptr && graph.is(of_head.node, Op::phi) && graph.input(of_head.node, 0) == head->control;
    if (!has_phi) {
      NodeId outside = look(*head, i);
      NodeId phi = graph.make(Op::phi, i64, {head->control, outside, no_node});
      graph.set_note(phi, index(names[i]));
      head->slots[i] = {phi, nullptr};
    }
    slot = {head->slots[i].node, nullptr};
    return slot.node;
  }
  void assign(size_t i, NodeId value) {
    look(*now, i);
    now->slots[i] = {value, nullptr};
  }
  void merge(Scope& into, Scope& other) {
    NodeId region = graph.make(NodeOp::region, control_type, {into.control, other.control});
    for (size_t i = 0; i < into.slots.size(); ++i) {
      if (into.slots[i].same(other.slots[i])) continue;
      NodeId a = look(into, i), b = look(other, i);
      NodeId phi = graph.make(Op::phi, i64, {region, a, b});
      graph.set_note(phi, index(names[i]));
      into.slots[i] = {phi, nullptr};
    }
    into.control = region;
  }
  void branch(NodeId condition, NodeId& yes, NodeId& no) {
    NodeId n = graph.make(Op::branch, control_type, {now->control, condition});
    yes = graph.make(NodeOp::projection, control_type, {n}, 0);
    no = graph.make(NodeOp::projection, control_type, {n}, 1);
  }
  void if_(NodeId condition) {
    NodeId yes, no;
    branch(condition, yes, no);
    Link other = copy();
    other->control = no;
    now->control = yes;
    ifs.push_back(other);
  }
  void else_() { std::swap(now, ifs.back()); }
  void end_if() {
    Link other = now;
    now = ifs.back();
    ifs.pop_back();
    merge(*now, *other);
  }
  struct Loop {
    Link head, exit, next;
  };
  void loop() {
    now->control = graph.make(NodeOp::loop, control_type, {now->control, no_node});
    Loop loop{now, nullptr, nullptr};
    now = copy();
    for (Slot& slot : now->slots) slot = {no_node, loop.head};
    loops.push_back(loop);
  }
  void loop_while(NodeId condition) {
    NodeId yes, no;
    branch(condition, yes, no);
    now->control = no;
    loops.back().exit = copy();
    now->control = yes;
  }
  Link jump() {
    Link scope = copy();
    now->control = graph.make(NodeOp::region, none, {});
    return scope;
  }
  void break_() {
    Link scope = jump();
    merge(*loops.back().exit, *scope);
  }
  void continue_() {
    Link scope = jump();
    Loop& top = loops.back();
    if (top.next == nullptr)
      top.next = scope;
    else
      merge(*top.next, *scope);
  }
  void end_loop() {
    if (loops.back().next != nullptr) {
      continue_();
      now = loops.back().next;
    }
    Loop top = loops.back();
    loops.pop_back();
    graph.set_input(top.head->control, 1, now->control);
    for (size_t i = 0; i < top.head->slots.size(); ++i) {
      if (now->slots[i].head != top.head) graph.set_input(top.head->slots[i].node, 2, now->slots[i].node);
      if (top.exit->slots[i].head == top.head) top.exit->slots[i] = top.head->slots[i];
    }
    now = top.exit;
  }
  void ret(NodeId value) {
    graph.add_input(graph.stop, graph.make(Op::ret, control_type, {now->control, no_node, value}));
    now->control = graph.make(NodeOp::region, none, {});
  }

  Graph& graph;
  std::vector<Symbol> names;
  Link now;
  std::vector<Link> ifs;
  std::vector<Loop> loops;
};

/// The nodes, their inputs and their numbers, dead ones apart.
std::string listing(const Graph& g) {
  std::string out;
  std::vector<NodeId> order{g.stop};
  std::vector<bool> seen(g.size());
  seen[index(g.stop)] = true;
  for (size_t i = 0; i < order.size(); ++i) {
    NodeId n = order[i];
    out += std::to_string(g.number(n)) + " op " + std::to_string(static_cast<int>(g.op(n))) + ":";
    for (uint32_t k = 0; k < g.input_count(n); ++k) {
      NodeId def = g.input(n, k);
      out += " " + (is_none(def) ? "-" : std::to_string(g.number(def)));
      if (!is_none(def) && !seen[index(def)]) {
        seen[index(def)] = true;
        order.push_back(def);
      }
    }
    out += "\n";
  }
  return out;
}

TEST(SeaScope, RandomProgramsLikeANaiveModel) {
  int loops = 0, breaks = 0, continues = 0, ifs = 0;
  size_t phis = 0;
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    std::mt19937 random(seed);
    ir::Module module;
    Graph fast(module), plain(module);
    NoPeepholes none;
    Builder b(fast, none, {.numbered = true});
    Naive model(plain);
    size_t count = seed % 4 == 0 ? 40 : 1 + random() % 5;
    for (size_t i = 0; i < count; ++i) {
      Symbol name = module.symbol("v" + std::to_string(i));
      NodeId x = b.constant(static_cast<int64_t>(i)), y = plain.make_constant(i64, i);
      b.scopes().define(name, i64, x);
      model.names.push_back(name);
      model.now->slots.push_back({y, nullptr});
    }
    std::vector<char> open;
    uint32_t in_loops = 0;
    auto pick = [&] { return static_cast<uint32_t>(random() % count); };
    auto both = [&](uint32_t slot, NodeId& x, NodeId& y) {
      x = b.scopes().lookup(slot);
      y = model.look(*model.now, slot);
    };
    for (int step = 0; step < 60 || !open.empty(); ++step) {
      NodeId x, y;
      bool closing = step >= 60;
      switch (closing ? 9 : random() % 12) {
        case 0:
        case 1:
          both(pick(), x, y);
          b.if_(x);
          model.if_(y);
          open.push_back('i');
          ++ifs;
          break;
        case 2:
          b.loop();
          model.loop();
          both(pick(), x, y);
          b.loop_while(x);
          model.loop_while(y);
          open.push_back('l');
          ++in_loops;
          ++loops;
          break;
        case 3:
          if (in_loops > 0) b.break_(), model.break_(), ++breaks;
          break;
        case 4:
          if (in_loops > 0) b.continue_(), model.continue_(), ++continues;
          break;
        case 5:
          both(pick(), x, y);
          b.ret(x);
          model.ret(y);
          break;
        case 8:
        case 9:
          if (open.empty()) break;
          if (open.back() == 'i') {
            b.else_();
            model.else_();
            open.back() = 'e';
          } else if (open.back() == 'e') {
            ASSERT_TRUE(b.end_if());
            model.end_if();
            open.pop_back();
          } else {
            b.end_loop();
            model.end_loop();
            open.pop_back();
            --in_loops;
          }
          break;
        default: {
          NodeId x2, y2;
          uint32_t to = pick();
          both(pick(), x, y);
          both(pick(), x2, y2);
          x = fast.make(Op::add, i64, {x, x2});
          y = plain.make(Op::add, i64, {y, y2});
          b.scopes().assign(to, x);
          model.assign(to, y);
        }
      }
    }
    for (uint32_t i = 0; i < count; ++i) {
      NodeId x, y;
      both(i, x, y);
      b.ret(x);
      model.ret(y);
    }
    b.finish();
    ASSERT_EQ(fast.check(), "");
    ASSERT_EQ(listing(fast), listing(plain)) << "seed " << seed;
    for (uint32_t i = 0; i < fast.size(); ++i) phis += fast.is(static_cast<NodeId>(i), Op::phi);
  }
  std::printf("%d ifs, %d loops, %d breaks, %d continues, %zu phis\n", ifs, loops, breaks, continues, phis);
  EXPECT_GT(loops, 3000);
  EXPECT_GT(breaks, 1000);
  EXPECT_GT(continues, 1000);
  EXPECT_GT(phis, 20000u);
}

TEST(SeaScope, NamesHideNamesOutside) {
  ir::Module module;
  Graph g(module);
  NoPeepholes none;
  Builder b(g, none, {});
  Scopes& scopes = b.scopes();
  Symbol x = module.symbol("x");
  NodeId one = b.constant(1), two = b.constant(2);
  EXPECT_EQ(scopes.find(x), Scopes::no_slot);
  EXPECT_TRUE(scopes.define(x, i64, one));
  EXPECT_FALSE(scopes.define(x, i64, two));
  scopes.open_level();
  EXPECT_EQ(scopes.lookup(scopes.find(x)), one);
  EXPECT_TRUE(scopes.define(x, i64, two));
  EXPECT_EQ(scopes.lookup(scopes.find(x)), two);
  scopes.close_level();
  EXPECT_EQ(scopes.lookup(scopes.find(x)), one);
}

TEST(SeaScope, WhatOnlyScopesHeldDies) {
  ir::Module module;
  Graph g(module);
  NoPeepholes none;
  Builder b(g, none, {});
  Symbol x = module.symbol("x");
  b.scopes().define(x, i64, b.constant(1));
  for (int i = 0; i < 10; ++i) b.scopes().assign(0, b.binary(Op::add, b.scopes().lookup(0), b.constant(i)));
  NodeId last = b.scopes().lookup(0);
  EXPECT_FALSE(g.is_dead(last));
  b.ret(b.constant(7));
  b.finish();
  EXPECT_TRUE(g.is_dead(last));
  EXPECT_EQ(g.live_count(), 5u) << "start, its projection, stop, return, constant";
}

}  // namespace
}  // namespace braid::sea
