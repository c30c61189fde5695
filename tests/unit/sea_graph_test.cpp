// The graph against a naive model: lists of inputs, uses counted by walking everything.
#include "sea/graph.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "sea/control_tree.h"

namespace braid::sea {
namespace {

using ir::Op;

/// Every node's inputs, and what dies when a use goes.
class Model {
 public:
  std::map<uint32_t, std::vector<NodeId>> inputs;
  std::map<uint32_t, int> kept;

  int uses(NodeId n) const {
    int count = 0;
    for (const auto& [user, list] : inputs) count += static_cast<int>(std::ranges::count(list, n));
    return count;
  }
  void sweep(NodeId n) {
    if (is_none(n) || !inputs.contains(index(n)) || uses(n) > 0 || kept[index(n)] > 0) return;
    std::vector<NodeId> list = inputs[index(n)];
    inputs.erase(index(n));
    for (NodeId def : list) sweep(def);
  }
};

void expect_same(const Graph& g, const Model& m) {
  ASSERT_EQ(g.check(), "");
  ASSERT_EQ(g.live_count(), m.inputs.size());
  for (const auto& [id, list] : m.inputs) {
    NodeId n = static_cast<NodeId>(id);
    ASSERT_FALSE(g.is_dead(n)) << id;
    ASSERT_EQ(g.input_count(n), list.size());
    for (uint32_t i = 0; i < list.size(); ++i) ASSERT_EQ(g.input(n, i), list[i]) << id;
    ASSERT_EQ(g.uses(n).size(), static_cast<size_t>(m.uses(n))) << id;
  }
}

TEST(SeaGraph, RandomEditsLikeANaiveModel) {
  int made = 0, replaced = 0, grown = 0, removed = 0, died = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    ir::Module module;
    Graph g(module);
    Model m;
    auto pick = [&] {
      auto at = m.inputs.begin();
      std::advance(at, random() % m.inputs.size());
      return static_cast<NodeId>(at->first);
    };
    for (int step = 0; step < 60; ++step) {
      if (m.inputs.size() < 3 || random() % 3 == 0) {
        std::vector<NodeId> inputs(m.inputs.empty() ? 0 : random() % 5);
        for (NodeId& def : inputs) def = random() % 8 == 0 ? no_node : pick();
        NodeId n = g.make(NodeOp::region, i64, inputs);
        m.inputs[index(n)] = inputs;
        if (random() % 2 == 0) {
          g.keep(n);
          m.kept[index(n)] = 1;
        }
        ++made;
      } else if (NodeId n = pick(); random() % 4 == 0) {
        NodeId by = pick();
        if (by == n || m.kept[index(n)] > 0) continue;
        g.replace(n, by);
        for (auto& [id, list] : m.inputs) std::ranges::replace(list, n, by);
        m.sweep(n);
        ++replaced;
      } else if (random() % 3 == 0) {
        NodeId def = pick();
        g.add_input(n, def);
        m.inputs[index(n)].push_back(def);
        ++grown;
      } else if (std::vector<NodeId>& list = m.inputs[index(n)]; !list.empty()) {
        uint32_t i = static_cast<uint32_t>(random() % list.size());
        NodeId old = list[i];
        switch (random() % 3) {
          case 0: {
            NodeId def = pick();
            g.set_input(n, i, def);
            list[i] = def;
            break;
          }
          case 1:
            g.remove_input(n, i);
            list.erase(list.begin() + i);
            break;
          default:
            g.swap_remove_input(n, i);
            list[i] = list.back();
            list.pop_back();
        }
        size_t before = m.inputs.size();
        m.sweep(old);
        died += before != m.inputs.size();
        ++removed;
      }
      expect_same(g, m);
      if (HasFatalFailure()) return;
    }
  }
  std::printf("%d made, %d replaced, %d inputs added, %d changed or removed, %d of these killed a node\n", made, replaced, grown,
              removed, died);
  EXPECT_GT(replaced, 300);
  EXPECT_GT(grown, 500);
  EXPECT_GT(removed, 500);
  EXPECT_GT(died, 50);
}

TEST(SeaGraph, EqualNodesAreFoundUntilTheyChange) {
  ir::Module module;
  Graph g(module);
  NodeId a = g.make(NodeOp::parameter, i64, {}, 0);
  NodeId b = g.make(NodeOp::parameter, i64, {}, 1);
  NodeId sum = g.make(Op::add, i64, {a, b});
  EXPECT_EQ(g.unify(sum), sum);
  NodeId again = g.make(Op::add, i64, {a, b});
  EXPECT_EQ(g.unify(again), sum);
  NodeId other = g.make(Op::add, i64, {b, a});
  EXPECT_EQ(g.unify(other), other);
  g.set_input(sum, 0, b);
  EXPECT_FALSE(g.is_unified(sum));
  EXPECT_EQ(g.unify(again), again);
  EXPECT_EQ(g.check(), "");
}

TEST(SeaGraph, TheTableForgetsWhatDies) {
  ir::Module module;
  Graph g(module);
  std::mt19937 random(7);
  std::vector<NodeId> parameters;
  for (uint32_t i = 0; i < 30; ++i) parameters.push_back(g.make(NodeOp::parameter, i64, {}, i));
  for (NodeId n : parameters) g.keep(n);
  std::map<std::pair<NodeId, NodeId>, NodeId> known;
  for (int step = 0; step < 20000; ++step) {
    NodeId a = parameters[random() % 30], b = parameters[random() % 30];
    auto found = known.find({a, b});
    if (found != known.end() && random() % 3 == 0) {
      g.kill(found->second);
      known.erase(found);
      continue;
    }
    NodeId n = g.make(Op::add, i64, {a, b});
    NodeId unified = g.unify(n);
    EXPECT_EQ(unified, found == known.end() ? n : found->second);
    if (unified == n)
      known[{a, b}] = n;
    else
      g.kill(n);
  }
  EXPECT_EQ(g.check(), "");
}

TEST(SeaGraph, PayloadsAreInterned) {
  ir::Module module;
  Graph g(module);
  std::map<std::vector<uint32_t>, uint32_t> known;
  std::mt19937 random(3);
  for (int step = 0; step < 3000; ++step) {
    std::vector<uint32_t> words(random() % 4);
    for (uint32_t& word : words) word = random() % 6;
    uint32_t payload = g.payload_of(words);
    EXPECT_EQ(known.emplace(words, payload).first->second, payload);
  }
  EXPECT_GT(known.size(), 200u);
}

TEST(SeaGraph, AMillionNodesDieWithoutDepth) {
  ir::Module module;
  Graph g(module);
  NodeId at = g.make(NodeOp::parameter, i64, {}, 0);
  for (int i = 0; i < 1'000'000; ++i) at = g.make(Op::neg, i64, {at});
  g.kill(at);
  EXPECT_EQ(g.live_count(), 0u);
}

TEST(SeaControlTree, LikeWalkingUp) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    ir::Module module;
    Graph g(module);
    ControlTree tree(g);
    std::vector<NodeId> nodes;
    std::vector<uint32_t> parents;
    for (uint32_t i = 0; i < 200; ++i) {
      NodeId n = g.make(NodeOp::region, control_type, {});
      uint32_t span = seed % 2 == 0 ? 3 : 200;
      uint32_t parent = i == 0 ? 0 : i - 1 - static_cast<uint32_t>(random() % std::min(i, span));
      tree.add(n, i == 0 ? no_node : nodes[parent]);
      nodes.push_back(n);
      parents.push_back(parent);
    }
    auto ancestors = [&](uint32_t at) {
      std::vector<uint32_t> list{at};
      while (at != 0) list.push_back(at = parents[at]);
      return list;
    };
    for (int step = 0; step < 300; ++step) {
      uint32_t a = static_cast<uint32_t>(random() % 200), b = static_cast<uint32_t>(random() % 200);
      std::vector<uint32_t> of_a = ancestors(a), of_b = ancestors(b);
      EXPECT_EQ(tree.dominates(nodes[a], nodes[b]), std::ranges::find(of_b, a) != of_b.end());
      std::set<uint32_t> set(of_a.begin(), of_a.end());
      EXPECT_EQ(tree.common(nodes[a], nodes[b]), nodes[*std::ranges::find_if(of_b, [&](uint32_t x) { return set.contains(x); })]);
    }
  }
}

/// Few lines and few hashes, so that lines are full, others wait behind them, and entries go and come again.
TEST(SeaGraph, TheTableOfEqualNodesIsAMap) {
  std::mt19937 random(7);
  auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  ValueTable table;
  std::map<uint32_t, ValueTable::Key> model;
  std::vector<ValueTable::Key> keys(3000);
  for (ValueTable::Key& key : keys) key = {below(40), below(1000)};
  auto key_of = [&](NodeId n) { return keys[index(n)]; };
  for (uint32_t step = 0; step < 60'000; ++step) {
    const uint32_t number = below(static_cast<uint32_t>(keys.size()));
    const NodeId n = static_cast<NodeId>(number);
    const NodeId found = table.find(keys[number], [&](NodeId other) { return other == n; });
    ASSERT_EQ(found == n, model.contains(number)) << "step " << step;
    const bool grows = step / 10'000 % 2 == 0;
    if (is_none(found) && (grows || below(4) == 0)) {
      auto same = [&](NodeId other) { return other == n; };
      if (step % 2 == 0)
        table.insert(keys[number], n, key_of);
      else
        EXPECT_EQ(table.find_or_insert(keys[number], n, same, key_of), n);
      EXPECT_EQ(table.find_or_insert(keys[number], n, same, key_of), n);
      model[number] = keys[number];
    } else if (!is_none(found) && (!grows || below(4) == 0)) {
      table.remove(keys[number], n);
      model.erase(number);
    }
    ASSERT_EQ(table.size(), model.size());
  }
  uint32_t entries = 0;
  table.for_each([&](NodeId n, uint32_t hash) {
    ++entries;
    EXPECT_EQ(hash, model.at(index(n)).hash);
  });
  EXPECT_EQ(entries, model.size());
}

}  // namespace
}  // namespace braid::sea
