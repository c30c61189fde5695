// Values that a program keeps while the builder goes on: a value may be used wherever it is defined, however many loops have
// ended since, which moves statements and gives phis their places. Random programs, run and compared with a model.
#include <braid/braid.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <optional>
#include <random>
#include <vector>

#include "ir/function.h"

namespace braid {
namespace {

struct Node {
  enum class Kind : uint8_t { add_held, hold_variable, hold_product, loop, condition, other_way } kind;
  uint32_t a = 0, b = 0, held = 0;
  uint32_t rounds = 0;
  std::vector<Node> first = {}, second = {};
};
using Kind = Node::Kind;

constexpr uint32_t variables = 4;

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}
  uint32_t below(uint32_t n) { return std::uniform_int_distribution<uint32_t>(0, n - 1)(random_); }

  std::vector<Node> make(uint32_t count, int depth) {
    std::vector<Node> list;
    for (uint32_t i = 0; i < count; ++i) append(list, depth);
    return list;
  }
  uint32_t held_count() const { return held_; }
  const std::vector<uint32_t>& visible() const { return visible_; }

 private:
  void append(std::vector<Node>& list, int depth) {
    Node node{Kind::add_held, below(variables), below(variables)};
    uint32_t kind = below(100);
    if (kind < 30 && !visible_.empty()) {
      node.held = visible_[below(static_cast<uint32_t>(visible_.size()))];
    } else if (kind < 45) {
      node.kind = Kind::hold_variable;
      node.held = hold();
    } else if (kind < 60 || depth == 0) {
      node.kind = Kind::hold_product;
      node.held = hold();
    } else if (kind < 85) {
      node.kind = Kind::loop;
      node.rounds = below(4);
      node.held = hold();  // in the condition, which is behind the loop, too
      size_t outside = visible_.size();
      node.first = make(1 + below(4), depth - 1);
      visible_.resize(outside);
    } else if (kind < 98) {
      node.kind = Kind::condition;
      size_t outside = visible_.size();
      node.first = make(1 + below(3), depth - 1);
      visible_.resize(outside);
      node.second = make(below(3), depth - 1);
      visible_.resize(outside);
    } else {
      node.kind = Kind::other_way;
    }
    list.push_back(std::move(node));
  }
  uint32_t hold() {
    visible_.push_back(held_);
    return held_++;
  }

  std::mt19937 random_;
  uint32_t held_ = 0;
  std::vector<uint32_t> visible_;
};

struct Model {
  std::vector<uint64_t> v, held;

  void run(const std::vector<Node>& list) {
    for (const Node& node : list) switch (node.kind) {
        case Kind::add_held: v[node.a] = v[node.b] * 3 + held[node.held]; break;
        case Kind::hold_variable: held[node.held] = v[node.a]; break;
        case Kind::hold_product: held[node.held] = v[node.a] * v[node.b]; break;
        case Kind::loop:
          for (uint32_t left = node.rounds;; --left) {
            held[node.held] = v[node.a] + 1;
            if (left == 0) break;
            run(node.first);
          }
          break;
        case Kind::condition: run((v[node.a] & 4) != 0 ? node.first : node.second); break;
        case Kind::other_way: break;
      }
  }
};

struct Program {
  Builder& b;
  std::vector<Var*> v;
  std::vector<std::optional<Val>> held;
  uint32_t loops = 0, left_structured = 0;

  void build(const std::vector<Node>& list) {
    for (const Node& node : list) switch (node.kind) {
        case Kind::add_held: *v[node.a] = *v[node.b] * 3 + *held[node.held]; break;
        case Kind::hold_variable: held[node.held].emplace(v[node.a]->get()); break;
        case Kind::hold_product: held[node.held].emplace(*v[node.a] * *v[node.b]); break;
        case Kind::loop: {
          ++loops;
          Var left = b.var("left", i64, static_cast<int64_t>(node.rounds));
          b.while_(
              [&] {
                held[node.held].emplace(*v[node.a] + 1);
                return left > 0;
              },
              [&] {
                build(node.first);
                left -= 1;
              });
          break;
        }
        case Kind::condition:
          b.if_((*v[node.a] & 4) != 0, [&] { build(node.first); }, [&] { build(node.second); });
          break;
        case Kind::other_way:
          ++left_structured;
          b.label();
          break;
      }
  }
};

TEST(BuilderHeld, ValuesStayWhatTheyAre) {
  uint32_t loops = 0, left_structured = 0, uses = 0;
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    Generator random(seed);
    std::vector<Node> nodes = random.make(3 + random.below(12), 3);
    Module m;
    Builder b(m, "f", {{"a", i64}, {"b", i64}, {"c", i64}, {"d", i64}}, i64);
    Var v0 = b.param("a"), v1 = b.param("b"), v2 = b.param("c"), v3 = b.param("d");
    Program program{b, {&v0, &v1, &v2, &v3}, std::vector<std::optional<Val>>(random.held_count())};
    if (seed % 3 == 0) b.location("held.txt", 1, 1);
    program.build(nodes);
    Val sum = v0 + v1 * 5 + v2 * 7 + v3 * 11;
    for (uint32_t h : random.visible()) sum = sum * 31 + *program.held[h];
    b.ret(sum);
    Expected<Func*> f = b.try_done();
    ASSERT_TRUE(f) << "seed " << seed << "\n" << render(f.error());
    for (uint32_t round = 0; round < 3; ++round) {
      Model model;
      std::vector<Value> arguments;
      for (uint32_t i = 0; i < variables; ++i) {
        model.v.push_back(random.below(1000));
        arguments.push_back(Value(static_cast<int64_t>(model.v.back())));
      }
      model.held.resize(random.held_count());
      model.run(nodes);
      uint64_t expected = model.v[0] + model.v[1] * 5 + model.v[2] * 7 + model.v[3] * 11;
      for (uint32_t h : random.visible()) expected = expected * 31 + model.held[h];
      RunResult got = run(**f, arguments);
      ASSERT_EQ(got.value.as_i64(), static_cast<int64_t>(expected)) << "seed " << seed << "\n" << to_text(**f);
    }
    loops += program.loops;
    left_structured += program.left_structured != 0;
    uses += static_cast<uint32_t>(random.visible().size());
  }
  std::printf("%u loops, %u values held to the end, %u programs left the structured way\n", loops, uses, left_structured);
  EXPECT_GT(loops, 2000u);
  EXPECT_GT(uses, 4000u);
  EXPECT_GT(left_structured, 100u);
}

}  // namespace
}  // namespace braid
