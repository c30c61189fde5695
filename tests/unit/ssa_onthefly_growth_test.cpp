// Large programs through the Builder: doubling the input never triples the time, and nothing recurses.
#include <braid/braid.h>

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "growth.h"
#include "small_stack.h"

namespace braid {
namespace {

using Build = std::function<void(Builder&, uint32_t)>;

uint32_t build(const Build& body, uint32_t size, bool verified = false) {
  Module m;
  Builder b(m, "f", {{"x", i64}, {"c", i1}}, i64);
  body(b, size);
  return phi_count(*b.try_done(verified).value());
}

/// Builds it at `size` on a small stack, with verification, and looks at how the time grows up to there.
void expect_linear(uint32_t size, uint32_t phis, const Build& body) {
  run_on_small_stack([&] {
    EXPECT_EQ(build(body, size, true), phis);
    double ratio = growth_ratio(size / 4, [](size_t n) { return n; },
                                [&](size_t n) { build(body, static_cast<uint32_t>(n)); });
    EXPECT_LT(ratio, 3.0);
  });
}

TEST(OnTheFlyGrowth, NestedConditions) {
  // x is assigned in the middle and needs a phi at every join; y stays.
  expect_linear(100000, 100000, [](Builder& b, uint32_t n) {
    Var x = b.param("x"), c = b.param("c");
    Var y = b.var("y", i64, x * 2);
    std::vector<Label> joins;
    for (uint32_t i = 0; i < n; ++i) {
      Label inner = b.label(), join = b.label();
      b.branch(c, inner, join);
      joins.push_back(join);
      b.at(inner);
    }
    x += 1;
    for (; !joins.empty(); joins.pop_back()) {
      b.jump(joins.back());
      b.at(joins.back());
    }
    b.ret(x + y);
  });
}

TEST(OnTheFlyGrowth, NestedLoops) {
  expect_linear(100000, 100000, [](Builder& b, uint32_t n) {
    Var x = b.param("x"), c = b.param("c");
    Var y = b.var("y", i64, x * 2);
    std::vector<std::pair<Label, Label>> loops;
    for (uint32_t i = 0; i < n; ++i) {
      Label head = b.label(), body = b.label(), out = b.label();
      b.jump(head);
      b.at(head).branch(c, body, out);
      b.at(body);
      loops.push_back({head, out});
    }
    x += y;
    for (; !loops.empty(); loops.pop_back()) {
      b.jump(loops.back().first);
      b.at(loops.back().second);
    }
    b.ret(x);
  });
}

TEST(OnTheFlyGrowth, WideJoin) {
  expect_linear(100000, 1, [](Builder& b, uint32_t n) {
    Var x = b.param("x");
    Var y = b.var("y", i64, x * 2);
    Label join = b.label();
    std::vector<Builder::Case> cases;
    for (uint32_t i = 0; i < n; ++i) cases.push_back({i, b.label()});
    b.switch_(x, join, cases);
    for (const Builder::Case& way : cases) {
      b.at(way.target);
      x = x + way.value;
      b.jump(join);
    }
    b.at(join).ret(x + y);
  });
}

TEST(OnTheFlyGrowth, WideJoinOfOneBlock) {
  expect_linear(100000, 1, [](Builder& b, uint32_t n) {
    Var x = b.param("x");
    Label join = b.label(), other = b.label();
    std::vector<Builder::Case> cases;
    for (uint32_t i = 0; i < n; ++i) cases.push_back({i, join});
    b.switch_(x, other, cases);
    b.at(other);
    x += 1;
    b.jump(join);
    b.at(join).ret(x);
  });
}

TEST(OnTheFlyGrowth, ManyVariables) {
  // All live at one join; every third is assigned on one side.
  expect_linear(100000, 33334, [](Builder& b, uint32_t n) {
    Var c = b.param("c"), x = b.param("x");
    std::vector<std::unique_ptr<Var>> variables;
    for (uint32_t i = 0; i < n; ++i)
      variables.push_back(std::unique_ptr<Var>(new Var(b.var("v" + std::to_string(i), i64, i))));
    b.if_(c, [&] {
      for (uint32_t i = 0; i < n; i += 3) *variables[i] = *variables[i] + 1;
    });
    for (uint32_t i = 0; i < n; ++i) x += *variables[i];
    b.ret(x);
  });
}

TEST(OnTheFlyGrowth, ChainOfBlocks) {
  expect_linear(200000, 0, [](Builder& b, uint32_t n) {
    Var x = b.param("x");
    Var y = b.var("y", i64, x * 2);
    for (uint32_t i = 0; i < n; ++i) {
      Label next = b.label();
      b.jump(next);
      b.at(next);
      if (i % 16 == 0) x += 1;
    }
    b.ret(x + y);
  });
}

TEST(OnTheFlyGrowth, ChainOfBlocksFilledFromTheEnd) {
  expect_linear(200000, 0, [](Builder& b, uint32_t n) {
    Var x = b.param("x");
    std::vector<Label> labels;
    for (uint32_t i = 0; i < n; ++i) labels.push_back(b.label());
    b.jump(labels[0]);
    for (uint32_t i = n; i-- > 0;) {
      b.at(labels[i]);
      if (i + 1 == n)
        b.ret(x);
      else
        b.jump(labels[i + 1]);
    }
  });
}

TEST(OnTheFlyGrowth, ChainOfStructuredForms) {
  expect_linear(100000, 500000, [](Builder& b, uint32_t n) {
    Var x = b.param("x"), c = b.param("c");
    Var y = b.var("y", i64, 1), z = b.var("z", i64, 2);
    for (uint32_t i = 0; i < n; ++i) {
      b.if_(c, [&] { x += y; }, [&] { y += z; });
      b.while_([&] { return x < z; }, [&] {
        x += 1;
        b.if_(c, [&] { z += x; });
      });
    }
    b.ret(x + y + z);
  });
}

TEST(OnTheFlyGrowth, ManyVariablesInADeepNest) {
  // All are assigned in the middle of as many conditions, and only one of them is read behind.
  std::function<void(Builder&, const std::vector<std::unique_ptr<Var>>&, uint32_t)> nest =
      [&](Builder& b, const std::vector<std::unique_ptr<Var>>& variables, uint32_t depth) {
        if (depth > 0) return b.if_(variables[0]->get() < 0, [&] { nest(b, variables, depth - 1); });
        for (const std::unique_ptr<Var>& variable : variables) *variable = *variable + 1;
      };
  auto body = [&](Builder& b, uint32_t n) {
    std::vector<std::unique_ptr<Var>> variables;
    for (uint32_t i = 0; i < n; ++i)
      variables.push_back(std::unique_ptr<Var>(new Var(b.var("v" + std::to_string(i), i64, i))));
    nest(b, variables, n);
    b.ret(*variables[0]);
  };
  EXPECT_EQ(build(body, 1000, true), 1000u);
  EXPECT_LT(growth_ratio(1000, [](size_t n) { return n; }, [&](size_t n) { build(body, static_cast<uint32_t>(n)); }), 3.0);
}

TEST(OnTheFlyGrowth, LoopWithManyExits) {
  // Every exit sees other values of all variables; only one is read behind.
  auto body = [](Builder& b, uint32_t n) {
    Var c = b.param("c");
    std::vector<std::unique_ptr<Var>> variables;
    for (uint32_t i = 0; i < n; ++i)
      variables.push_back(std::unique_ptr<Var>(new Var(b.var("v" + std::to_string(i), i64, i))));
    b.loop([&] {
      for (uint32_t i = 0; i < n; ++i) {
        *variables[i] = *variables[0] + 1;
        b.if_(c, [&] { b.break_(); });
        b.if_(c, [&] { b.continue_(); });
      }
    });
    b.ret(*variables[n / 2]);
  };
  EXPECT_EQ(build(body, 2000, true), 3u);
  EXPECT_LT(growth_ratio(5000, [](size_t n) { return n; }, [&](size_t n) { build(body, static_cast<uint32_t>(n)); }), 3.0);
}

TEST(OnTheFlyGrowth, RedundantPhisThatFallOneByOne) {
  // Loops in a chain, each with two ways round: in every loop the join is trivial only when the head is, and the head only
  // when the loops before it are known to be.
  expect_linear(100000, 0, [](Builder& b, uint32_t n) {
    Var x = b.param("x"), c = b.param("c");
    for (uint32_t i = 0; i < n; ++i) {
      Label head = b.label(), left = b.label(), right = b.label(), join = b.label(), out = b.label();
      b.jump(head);
      b.at(join).branch(c, head, out);
      b.at(right).jump(join);
      b.at(left).jump(join);
      b.at(head).branch(c, left, right);
      b.at(out);
    }
    b.ret(x);
  });
}

TEST(OnTheFlyGrowth, NestedLoopsThatLeaveEverywhere) {
  // Each loop may go on at any outer head; the one variable never changes.
  expect_linear(50000, 0, [](Builder& b, uint32_t n) {
    Var x = b.param("x"), c = b.param("c");
    std::vector<Label> heads;
    for (uint32_t i = 0; i < n; ++i) {
      heads.push_back(b.label());
      b.jump(heads.back());
      b.at(heads.back());
      if (i % 2 == 0) continue;
      Label next = b.label();
      b.branch(c, heads[i / 2], next);
      b.at(next);
    }
    b.ret(x);
  });
}

TEST(OnTheFlyGrowth, IrreducibleLoops) {
  // Loops in a chain, each entered at two places; no variable changes, though no single phi is trivial.
  expect_linear(30000, 0, [](Builder& b, uint32_t n) {
    Var x = b.param("x"), c = b.param("c");
    Var y = b.var("y", i64, x * 2);
    for (uint32_t i = 0; i < n; ++i) {
      Label left = b.label(), right = b.label(), next = b.label();
      b.branch(c, left, right);
      b.at(left).branch(c, right, next);
      b.at(right).jump(left);
      b.at(next);
    }
    b.ret(x + y);
  });
}

TEST(OnTheFlyGrowth, BlockTakenUpAgainAndAgain) {
  // One block grows piece by piece while more and more edges lead into it.
  expect_linear(100000, 1, [](Builder& b, uint32_t n) {
    Var x = b.param("x"), c = b.param("c");
    Label target = b.label(), rest = b.label();
    b.jump(rest);
    for (uint32_t i = 0; i < n; ++i) {
      b.at(target);
      x += 1;
      b.at(rest);
      x += 2;
      rest = b.label();
      b.branch(c, target, rest);
    }
    b.at(rest).jump(target);
    b.at(target).ret(x);
  });
}

TEST(OnTheFlyGrowth, JoinOfManyWaysByHand) {
  // In order, and with a variable, which ends the order.
  for (bool in_order : {true, false})
    expect_linear(100000, 1, [&](Builder& b, uint32_t n) {
      Val x = b.param("x"), c = b.param("c");
      if (!in_order) b.var("v", i64, 1);
      Label target = b.label();
      for (uint32_t i = 0; i < n; ++i) {
        Label rest = b.label();
        b.branch(c, target, {x}, rest, {});
        b.at(rest);
        x = x + 2;
      }
      b.jump(target, {x});
      b.at(target);
      b.ret(b.phi(i64));
    });
}

TEST(OnTheFlyGrowth, ManyRegions) {
  // One after another; every handler reads the variable that every region assigns.
  expect_linear(50000, 100000, [](Builder& b, uint32_t n) {
    Var x = b.param("x");
    for (uint32_t i = 0; i < n; ++i)
      b.try_(
          [&] {
            x = b.op("check_zero", {x});
            x = b.op("check_negative", {x}) + 1;
          },
          [&](Val) { x = x + 2; });
    b.ret(x);
  });
}

TEST(OnTheFlyGrowth, NestedRegions) {
  // The one assignment, in the middle, is seen by all handlers; each goes on where its region ends.
  expect_linear(20000, 40000, [](Builder& b, uint32_t n) {
    Var x = b.param("x");
    std::vector<Label> handlers;
    std::vector<Val> tokens;
    Label out = b.label();
    for (uint32_t i = 0; i < n; ++i) {
      Label body = b.label();
      handlers.push_back(b.handler_label());
      tokens.push_back(b.enter(handlers.back(), body));
      b.at(body);
    }
    x = b.op("check_zero", {x});
    for (uint32_t i = n; i-- > 0;) {
      Label after = b.label();
      b.leave(tokens[i]);
      b.jump(after);
      b.at(handlers[i]);
      b.pop_exception(tokens[i]);
      b.op("check_negative", {x});
      b.jump(after);
      b.at(after);
    }
    b.jump(out);
    b.at(out).ret(x);
  });
}

TEST(OnTheFlyGrowth, OneHandlerForManyRegions) {
  expect_linear(50000, 1, [](Builder& b, uint32_t n) {
    Var x = b.param("x");
    Label handler = b.handler_label();
    for (uint32_t i = 0; i < n; ++i) {
      Label body = b.label();
      Val token = b.enter(handler, body);
      b.at(body);
      x = b.op("check_zero", {x});
      b.leave(token);
    }
    b.ret(x);
    b.at(handler).ret(x);
  });
}

}  // namespace
}  // namespace braid
