// Copies that are left, against the fewest possible: on small random functions all ways to share variables
// are tried.
//
// The yardstick finds liveness by data flow over sets and interference point by point; it shares no code with
// what it measures.
#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <set>
#include <vector>

#include "dessa/leave_ssa.h"
#include "ir/compact.h"
#include "ssa/construct.h"

namespace braid {
namespace {

using namespace ir;

/// A few blocks that compute with three variables and copy them to each other, so that SSA has values that
/// interfere.
class SmallFunction {
 public:
  SmallFunction(Module& module, uint32_t seed)
      : random_(seed), f_(module.add_function(module.symbol("f"), {{i64, i1}, i64})) {
    for (const char* name : {"a", "b", "c"})
      f_.variables.push({module.symbol(name), i64, UndefMeaning::reject});
    uint32_t count = 3 + pick(4);
    for (uint32_t b = 0; b < count; ++b) f_.new_block();
    for (uint32_t v = 0; v < 3; ++v)
      set(0, v, f_.append(BlockId{0}, f_.make(Op::add, i64, {Operand::param(0), module.constant(i64, v)})));
    for (uint32_t b = 0; b < count; ++b) fill(b, count);
    compact(f_);
    ssa::construct(f_);
  }
  Function& function() { return f_; }

 private:
  uint32_t pick(uint32_t below) { return static_cast<uint32_t>(random_() % below); }
  Operand get(uint32_t b, uint32_t v) {
    uint32_t words[] = {v};
    return f_.append(static_cast<BlockId>(b), f_.make(Op::get, i64, words));
  }
  void set(uint32_t b, uint32_t v, Operand value) {
    uint32_t words[] = {v, value.word()};
    f_.append(static_cast<BlockId>(b), f_.make(Op::set, void_type, words));
  }
  void fill(uint32_t b, uint32_t count) {
    for (uint32_t i = pick(3); i > 0; --i) {
      if (pick(3) == 0)
        set(b, pick(3), get(b, pick(3)));
      else
        set(b, pick(3),
            f_.append(static_cast<BlockId>(b), f_.make(Op::add, i64, {get(b, pick(3)), get(b, pick(3))})));
    }
    auto target = [&] { return static_cast<BlockId>(1 + pick(count - 1)); };
    uint32_t kind = b + 1 == count ? 0 : pick(8);
    if (kind == 0)
      f_.ret(static_cast<BlockId>(b), get(b, pick(3)));
    else if (kind < 3)
      f_.jump(static_cast<BlockId>(b), target());
    else
      f_.branch(static_cast<BlockId>(b), Operand::param(1), target(), target());
  }

  std::mt19937 random_;
  Function& f_;
};

class Optimum {
 public:
  explicit Optimum(const Function& f) : f_(f) {
    find_liveness();
    find_nodes();
    find_affinities();
  }
  size_t affinity_count() const { return affinities_.size(); }

  /// The fewest copies.
  uint32_t copies() {
    uint32_t all = 0;
    for (const Affinity& affinity : affinities_) all += affinity.weight;
    best_ = all;
    std::vector<uint32_t> root(nodes_.size());
    for (uint32_t i = 0; i < root.size(); ++i) root[i] = i;
    search(0, 0, root);
    return best_;
  }

 private:
  using Set = std::set<uint32_t>;  // words of operands
  struct Node {
    uint32_t word;    ///< of a value
    const Stmt* web;  ///< of a web: the phi
    BlockId block;
  };
  struct Affinity {
    uint32_t a, b, weight;
  };

  static bool is_value(Operand operand) { return operand.is_stmt() || operand.is_param(); }
  template <class Visit>
  void for_each_statement(BlockId b, Visit&& visit) const {
    for (uint32_t i = f_.block(b).first; i < f_.block(b).end; ++i) visit(i, f_.columns().stmt(i));
  }
  template <class Visit>
  void for_each_block(Visit&& visit) const {
    for (uint32_t b = 0; b < f_.block_count(); ++b) visit(static_cast<BlockId>(b));
  }
  uint32_t word(uint32_t position) const { return Operand(static_cast<Ref>(position)).word(); }

  /// Backwards through a block from what is alive at its end; `at_definition(word, live behind it)`.
  template <class AtDefinition>
  Set up_through(BlockId b, AtDefinition&& at_definition) const {
    Set live = out_[index(b)];
    for (uint32_t i = f_.block(b).end; i-- > f_.block(b).first;) {
      const Stmt& s = f_.columns().stmt(i);
      if (s.op == Op::phi) continue;
      at_definition(word(i), live);
      live.erase(word(i));
      for (uint32_t k = 0; k < f_.operand_count(s); ++k)
        if (info(s.op).is_value(k) && is_value(f_.operand(s, k))) live.insert(f_.arg(s, k));
    }
    for_each_statement(b, [&](uint32_t i, const Stmt& s) {
      if (s.op == Op::phi) at_definition(word(i), live);
    });
    for_each_statement(b, [&](uint32_t i, const Stmt& s) {
      if (s.op == Op::phi) live.erase(word(i));
    });
    return live;
  }

  void find_liveness() {
    in_.resize(f_.block_count());
    out_.resize(f_.block_count());
    for (bool changed = true; changed;) {
      changed = false;
      for_each_block([&](BlockId b) {
        Set out;
        f_.for_each_succ(b, [&](EdgeId e) {
          const Edge& edge = f_.edge(e);
          out.insert(in_[index(edge.to)].begin(), in_[index(edge.to)].end());
          for_each_statement(edge.to, [&](uint32_t, const Stmt& s) {
            if (s.op == Op::phi && is_value(f_.operand(s, edge.pred_index)))
              out.insert(f_.arg(s, edge.pred_index));
          });
        });
        changed |= out != out_[index(b)];
        out_[index(b)] = out;
        in_[index(b)] = up_through(b, [](uint32_t, const Set&) {});
      });
    }
  }

  void find_nodes() {
    for_each_block([&](BlockId b) {
      for_each_statement(b, [&](uint32_t i, const Stmt& s) {
        if (s.op != Op::phi) return;
        nodes_.push_back({0, &s, b});
        value_node(word(i));
        for (uint32_t w : f_.args(s))
          if (is_value(Operand::from_word(w))) value_node(w);
      });
    });
    conflicts_.assign(nodes_.size(), std::vector<bool>(nodes_.size(), false));
    auto conflict = [&](uint32_t a, uint32_t b) { conflicts_[a][b] = conflicts_[b][a] = true; };
    for_each_block([&](BlockId b) {
      up_through(b, [&](uint32_t defined, const Set& live) {
        for (uint32_t a = 0; a < nodes_.size(); ++a)
          for (uint32_t other = 0; other < nodes_.size(); ++other)
            if (!nodes_[a].web && !nodes_[other].web && nodes_[a].word == defined &&
                nodes_[other].word != defined && live.count(nodes_[other].word) != 0 &&
                live.count(defined) != 0)
              conflict(a, other);
      });
    });
    for (uint32_t a = 0; a < nodes_.size(); ++a)
      for (uint32_t b = a + 1; b < nodes_.size(); ++b)
        if (Operand::from_word(nodes_[a].word).is_param() && Operand::from_word(nodes_[b].word).is_param() &&
            !nodes_[a].web && !nodes_[b].web)
          conflict(a, b);
    for (uint32_t a = 0; a < nodes_.size(); ++a) {
      if (!nodes_[a].web) continue;
      std::span<const uint32_t> from = f_.args(*nodes_[a].web);
      for (uint32_t b = 0; b < nodes_.size(); ++b) {
        if (nodes_[b].web && nodes_[b].block == nodes_[a].block) {
          std::span<const uint32_t> other = f_.args(*nodes_[b].web);
          if (!std::equal(from.begin(), from.end(), other.begin())) conflict(a, b);
        } else if (!nodes_[b].web && in_[index(nodes_[a].block)].count(nodes_[b].word) != 0) {
          for (uint32_t w : from)
            if (w != nodes_[b].word) conflict(a, b);
        }
      }
    }
  }
  uint32_t value_node(uint32_t w) {
    for (uint32_t n = 0; n < nodes_.size(); ++n)
      if (!nodes_[n].web && nodes_[n].word == w) return n;
    nodes_.push_back({w, nullptr, {}});
    return static_cast<uint32_t>(nodes_.size() - 1);
  }

  void find_affinities() {
    uint32_t web = 0;
    auto add = [&](uint32_t node) {
      for (Affinity& affinity : affinities_)
        if (affinity.a == web && affinity.b == node) return void(++affinity.weight);
      affinities_.push_back({web, node, 1});
    };
    for (; web < nodes_.size(); ++web) {
      if (!nodes_[web].web) continue;
      uint32_t position = static_cast<uint32_t>(nodes_[web].web - f_.columns().stmts());
      add(value_node(word(position)));
      for (uint32_t w : f_.args(*nodes_[web].web))
        if (is_value(Operand::from_word(w))) add(value_node(w));
    }
  }

  void search(size_t at, uint32_t left, const std::vector<uint32_t>& root) {
    if (left >= best_) return;
    if (at == affinities_.size()) {
      best_ = left;
      return;
    }
    const Affinity& affinity = affinities_[at];
    uint32_t a = root[affinity.a], b = root[affinity.b];
    if (a == b) return search(at + 1, left, root);
    bool fits = true;
    for (uint32_t x = 0; x < root.size() && fits; ++x)
      for (uint32_t y = 0; y < root.size() && fits; ++y)
        if (root[x] == a && root[y] == b) fits = !conflicts_[x][y];
    if (fits) {
      std::vector<uint32_t> joined = root;
      for (uint32_t& r : joined)
        if (r == b) r = a;
      search(at + 1, left, joined);
    }
    search(at + 1, left + affinity.weight, root);
  }

  const Function& f_;
  std::vector<Set> in_, out_;
  std::vector<Node> nodes_;
  std::vector<std::vector<bool>> conflicts_;
  std::vector<Affinity> affinities_;
  uint32_t best_ = 0;
};

TEST(LeaveSsa, CopiesAreNearTheOptimum) {
  uint32_t functions = 0, with_copies = 0, worse = 0;
  uint64_t ours = 0, optimum = 0, operands = 0;
  for (uint32_t seed = 0; functions < 1'000; ++seed) {
    Module module;
    Function& f = SmallFunction(module, seed).function();
    Optimum best(f);
    if (best.affinity_count() < 3 || best.affinity_count() > 16) continue;
    ++functions;
    uint32_t fewest = best.copies();
    dessa::Report report = dessa::leave_ssa(f);
    ours += report.copies();
    optimum += fewest;
    operands += report.operands;
    with_copies += fewest != 0;
    worse += report.copies() > fewest;
  }
  std::printf(
      "%u functions, %u that need copies: %llu copies for %llu operands, at best %llu; %u functions have "
      "more than the best\n",
      functions, with_copies, static_cast<unsigned long long>(ours),
      static_cast<unsigned long long>(operands), static_cast<unsigned long long>(optimum), worse);
  EXPECT_GE(with_copies, 200u);
  EXPECT_LE(static_cast<double>(ours), 1.05 * static_cast<double>(optimum));
}

}  // namespace
}  // namespace braid
