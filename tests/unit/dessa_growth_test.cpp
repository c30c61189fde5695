// Large functions leave SSA in time that grows with their size: loops, joins, values of long life, handlers,
// one wide join.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>

#include "dessa/leave_ssa.h"
#include "growth.h"
#include "ir/compact.h"
#include "ir/verify.h"
#include "ssa/construct.h"

namespace braid {
namespace {

using namespace ir;

/// Blocks that mention variables: as many parts as wanted, one behind the other.
class Parts {
 public:
  Parts(Module& module, uint32_t variables)
      : f(module.add_function(module.symbol("f"), {{i1, i64}, i64})), count_(variables) {
    for (uint32_t v = 0; v < variables; ++v)
      f.variables.push({module.symbol("v" + std::to_string(v)), i64, UndefMeaning::reject});
    at = f.new_block();
    for (uint32_t v = 0; v < variables; ++v) set(v, Operand::param(1));
  }

  Operand get(uint32_t v) {
    uint32_t words[] = {v % count_};
    return f.append(at, f.make(Op::get, i64, words));
  }
  void set(uint32_t v, Operand value) {
    uint32_t words[] = {v % count_, value.word()};
    f.append(at, f.make(Op::set, void_type, words));
  }
  void mention(uint32_t v) { set(v, f.append(at, f.make(Op::add, i64, {get(v), get(v + 1)}))); }
  void swap(uint32_t v) {
    Operand a = get(v), b = get(v + 1);
    set(v, b);
    set(v + 1, a);
  }
  void go_to(BlockId b) {
    f.jump(at, b);
    at = b;
  }

  Function& f;
  BlockId at;

 private:
  uint32_t count_;
};

void diamond(Parts& p, uint32_t v) {
  BlockId yes = p.f.new_block(), after = p.f.new_block();
  p.f.branch(p.at, Operand::param(0), yes, after);
  p.at = yes;
  p.mention(v);
  p.swap(v + 2);
  p.go_to(after);
}
void loop(Parts& p, uint32_t v) {
  BlockId head = p.f.new_block(), body = p.f.new_block(), after = p.f.new_block();
  p.go_to(head);
  p.mention(v);
  p.f.branch(p.at, Operand::param(0), body, after);
  p.at = body;
  p.swap(v + 1);
  p.mention(v + 3);
  p.f.jump(p.at, head);
  p.at = after;
}
void region(Parts& p, uint32_t v) {
  BlockId body = p.f.new_block(), handler = p.f.new_block(), after = p.f.new_block();
  Operand token = p.f.enter(p.at, handler, body);
  p.at = body;
  p.mention(v);
  p.f.append(body, p.f.make(Op::check_zero, i64, {Operand::param(1)}));
  p.f.append(body, p.f.make(Op::leave, void_type, {token}));
  p.f.jump(body, after);
  p.at = handler;
  p.f.append(handler, p.f.make(Op::pop_exception, void_type, {token}));
  p.mention(v);
  p.go_to(after);
}

using Part = std::function<void(Parts&, uint32_t)>;

std::unique_ptr<Module> program(const Part& part, uint32_t parts, uint32_t variables) {
  auto module = std::make_unique<Module>();
  Parts p(*module, variables);
  for (uint32_t i = 0; i < parts; ++i) part(p, i);
  for (uint32_t v = 1; v < std::min(variables, 16u); ++v) p.mention(v);
  p.f.ret(p.at, p.get(1));
  compact(p.f);
  ssa::construct(p.f);
  return module;
}

void expect_linear(const char* name, const Part& part, bool many) {
  auto variables = [&](size_t n) { return many ? static_cast<uint32_t>(n) / 4 + 4 : 8; };
  auto small = program(part, 100, variables(100));
  dessa::leave_ssa(small->function(FuncId{0}));
  EXPECT_TRUE(verify(*small).empty()) << name;
  auto prepare = [&](size_t n) { return program(part, static_cast<uint32_t>(n), variables(n)); };
  double ratio = growth_ratio(2'000, prepare, [](const std::unique_ptr<Module>& module) {
    Function copy = module->function(FuncId{0});
    dessa::leave_ssa(copy);
  });
  EXPECT_LT(ratio, 3.0) << name << (many ? ", many variables" : "");
}

TEST(LeaveSsaGrowth, IsLinear) {
  for (bool many : {false, true}) {
    expect_linear("diamonds", diamond, many);
    expect_linear("loops", loop, many);
    expect_linear("regions", region, many);
    expect_linear(
        "loops in a loop",
        [](Parts& p, uint32_t v) {
          if (v == 0) p.go_to(p.f.new_block());
          loop(p, v);
        },
        many);
  }
}

/// One class of very many values, of which neighbours interfere.
TEST(LeaveSsaGrowth, OneJoinOfManyWays) {
  auto prepare = [](size_t ways) {
    auto module = std::make_unique<Module>();
    Parts p(*module, 4);
    BlockId after = p.f.new_block(), start = p.at;
    std::vector<Function::Case> cases;
    for (uint32_t i = 0; i < ways; ++i) {
      BlockId way = p.f.new_block();
      p.at = way;
      p.mention(i);
      p.swap(i);
      p.f.jump(way, after);
      cases.push_back({module->constant(i64, i), way});
    }
    p.f.switch_on(start, Operand::param(1), after, cases);
    p.at = after;
    p.mention(0);
    p.f.ret(after, p.get(0));
    compact(p.f);
    ssa::construct(p.f);
    return module;
  };
  double ratio = growth_ratio(4'000, prepare, [](const std::unique_ptr<Module>& module) {
    Function copy = module->function(FuncId{0});
    dessa::leave_ssa(copy);
  });
  EXPECT_LT(ratio, 3.0);
}

/// Every loop inside of all before it, and the phi of each is alive in all inside of it: one class, of which nearly all are left out.
TEST(LeaveSsaGrowth, LoopsInsideOfEachOther) {
  auto prepare = [](size_t depth) {
    auto module = std::make_unique<Module>();
    Function& f = module->add_function(module->symbol("f"), {{i64}, i64});
    const BlockId entry = f.new_block();
    std::vector<BlockId> heads, latches;
    for (size_t i = 0; i < depth; ++i) heads.push_back(f.new_block()), latches.push_back(f.new_block());
    const BlockId inside = f.new_block(), done = f.new_block();
    f.jump(entry, heads[0]);
    std::vector<Operand> phis;
    for (size_t i = 0; i < depth; ++i) {
      phis.push_back(f.append(heads[i], f.make(Op::phi, i64, {i == 0 ? Operand::param(0) : phis[i - 1]})));
      Operand more = f.append(heads[i], f.make(Op::sgt, i1, {phis[i], module->constant(i64, i)}));
      f.branch(heads[i], more, i + 1 < depth ? heads[i + 1] : inside, i == 0 ? done : latches[i - 1]);
    }
    f.jump(inside, latches[depth - 1]);
    for (size_t i = 0; i < depth; ++i) {
      Operand next = f.append(latches[i], f.make(Op::sub, i64, {phis[i], module->constant(i64, 1)}));
      f.jump(latches[i], heads[i]);
      f.set_operand(phis[i], 1, next);
    }
    f.ret(done, phis[0]);
    compact(f);
    return module;
  };
  auto small = prepare(200);
  EXPECT_TRUE(verify(*small).empty());
  dessa::leave_ssa(small->function(FuncId{0}));
  EXPECT_TRUE(verify(*small).empty());
  double ratio = growth_ratio(4'000, prepare, [](const std::unique_ptr<Module>& module) {
    Function copy = module->function(FuncId{0});
    dessa::leave_ssa(copy);
  });
  EXPECT_LT(ratio, 2.8);
}

/// Every region inside of all before it: an assignment in the innermost writes the slots of all handlers.
TEST(LeaveSsaGrowth, RegionsInsideOfEachOther) {
  auto prepare = [](size_t statements) {
    const auto depth = static_cast<uint32_t>(std::sqrt(2.0 * static_cast<double>(statements)));
    auto module = std::make_unique<Module>();
    Parts p(*module, 4);
    std::vector<BlockId> handlers;
    std::vector<Operand> tokens;
    for (uint32_t i = 0; i < depth; ++i) {
      BlockId body = p.f.new_block();
      handlers.push_back(p.f.new_block());
      tokens.push_back(p.f.enter(p.at, handlers.back(), body));
      p.at = body;
      p.mention(0);
      p.f.append(body, p.f.make(Op::check_zero, i64, {p.get(0)}));
    }
    for (uint32_t i = depth; i-- > 0;) p.f.append(p.at, p.f.make(Op::leave, void_type, {tokens[i]}));
    p.f.ret(p.at, p.get(0));
    for (uint32_t i = 0; i < depth; ++i) {
      p.at = handlers[i];
      p.mention(0);
      Operand exception = p.f.append(p.at, p.f.make(Op::the_exception, ref, {}));
      p.f.append(p.at, p.f.make(Op::throw_, void_type, {exception}));
    }
    compact(p.f);
    ssa::construct(p.f);
    return module;
  };
  EXPECT_TRUE(verify(*prepare(1'000)).empty());
  double ratio = growth_ratio(20'000, prepare, [](const std::unique_ptr<Module>& module) {
    Function copy = module->function(FuncId{0});
    dessa::leave_ssa(copy);
  });
  EXPECT_LT(ratio, 2.5);
}

/// A region that assigns very many variables, each in a block of its own, and a handler that reads them all.
TEST(LeaveSsaGrowth, ManySlotsOfOneHandler) {
  auto prepare = [](size_t count) {
    auto module = std::make_unique<Module>();
    Parts p(*module, static_cast<uint32_t>(count));
    const BlockId handler = p.f.new_block(), body = p.f.new_block();
    const Operand token = p.f.enter(p.at, handler, body);
    p.at = body;
    for (uint32_t v = 0; v < count; ++v) {
      p.set(v, p.f.append(p.at, p.f.make(Op::check_zero, i64, {Operand::param(1)})));
      p.go_to(p.f.new_block());
    }
    p.f.append(p.at, p.f.make(Op::leave, void_type, {token}));
    p.f.ret(p.at, Operand::param(1));
    p.at = handler;
    p.f.append(handler, p.f.make(Op::pop_exception, void_type, {token}));
    Operand sum = Operand::param(1);
    for (uint32_t v = 0; v < count; ++v) sum = p.f.append(handler, p.f.make(Op::add, i64, {sum, p.get(v)}));
    p.f.ret(handler, sum);
    compact(p.f);
    ssa::construct(p.f);
    return module;
  };
  auto small = prepare(300);
  EXPECT_TRUE(verify(*small).empty());
  dessa::leave_ssa(small->function(FuncId{0}));
  EXPECT_TRUE(verify(*small).empty());
  const double ratio = growth_ratio(
      4'000, prepare,
      [](const std::unique_ptr<Module>& module) {
        Function copy = module->function(FuncId{0});
        dessa::leave_ssa(copy);
      },
      2.6);
  EXPECT_LT(ratio, 2.6);
}

}  // namespace
}  // namespace braid
