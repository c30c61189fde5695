// Large functions with many variables, each mentioned in a small part and live through much of the rest: every constructor
// costs what the variables are mentioned.
#include <gtest/gtest.h>

#include <functional>

#include "growth.h"
#include "ir/compact.h"
#include "ir/verify.h"
#include "ssa/construct.h"

namespace braid {
namespace {

using ir::BlockId;
using ir::Op;
using ir::Operand;

/// Parts follow each other; part i mentions variable i and its neighbours. All variables are assigned in the entry.
class Parts {
 public:
  Parts(ir::Module& module, uint32_t count, ir::UndefMeaning meaning, bool assigned_at_first)
      : f(module.add_function(module.symbol("f"), {{i1, i64}, i64})), count_(count) {
    for (uint32_t v = 0; v < count; ++v) f.variables.push({module.symbol("v" + std::to_string(v)), i64, meaning});
    at = f.new_block();
    for (uint32_t v = 0; v < count && assigned_at_first; ++v) set(v, Operand::param(1));
  }

  void mention(uint32_t v) {
    v = std::min(v, count_ - 1);
    uint32_t words[] = {v};
    Operand value = f.append(at, f.make(Op::get, i64, words));
    set(v, f.append(at, f.make(Op::add, i64, {value, value})));
  }
  void set(uint32_t v, Operand value) {
    uint32_t words[] = {std::min(v, count_ - 1), value.word()};
    f.append(at, f.make(Op::set, void_type, words));
  }
  void branch(BlockId yes, BlockId no) { f.branch(at, Operand::param(0), yes, no); }
  void jump(BlockId to) { f.jump(at, to); }

  ir::Function& f;
  BlockId at;

 private:
  uint32_t count_;
};

void diamond(Parts& p, uint32_t v) {
  BlockId yes = p.f.new_block(), no = p.f.new_block(), after = p.f.new_block();
  p.branch(yes, no);
  p.at = yes;
  p.mention(v);
  p.jump(after);
  p.at = no;
  p.jump(after);
  p.at = after;
  p.mention(v + 1);
}
void loop(Parts& p, uint32_t v) {
  BlockId head = p.f.new_block(), body = p.f.new_block(), after = p.f.new_block();
  p.jump(head);
  p.at = head;
  p.mention(v);
  p.branch(body, after);
  p.at = body;
  p.mention(v + 1);
  p.jump(head);
  p.at = after;
}
void region(Parts& p, uint32_t v) {
  BlockId body = p.f.new_block(), handler = p.f.new_block(), after = p.f.new_block();
  Operand token = p.f.enter(p.at, handler, body);
  p.at = body;
  p.mention(v);
  p.f.append(body, p.f.make(Op::check_zero, i64, {Operand::param(1)}));
  p.f.append(body, p.f.make(Op::leave, void_type, {token}));
  p.jump(after);
  p.at = handler;
  p.mention(v);
  p.f.append(handler, p.f.make(Op::pop_exception, void_type, {token}));
  p.jump(after);
  p.at = after;
}

using Part = std::function<void(Parts&, uint32_t)>;

std::unique_ptr<ir::Module> program(const Part& part, uint32_t count, ir::UndefMeaning meaning, bool assigned_at_first) {
  auto module = std::make_unique<ir::Module>();
  Parts parts(*module, count, meaning, assigned_at_first);
  for (uint32_t v = 0; v < count; ++v) part(parts, v);
  parts.f.ret(parts.at, Operand::param(1));
  ir::compact(parts.f);
  return module;
}

void expect_linear(const char* name, const Part& part, ir::UndefMeaning meaning, bool assigned_at_first) {
  for (ssa::Algorithm algorithm : ssa::all_algorithms) {
    auto small = program(part, 200, meaning, assigned_at_first);
    ssa::construct(small->function(ir::FuncId{0}), {algorithm});
    EXPECT_TRUE(ir::verify(*small).empty()) << name;
    auto prepare = [&](size_t n) { return program(part, static_cast<uint32_t>(n), meaning, assigned_at_first); };
    double ratio = growth_ratio(2'000, prepare, [&](const std::unique_ptr<ir::Module>& module) {
      ir::Function copy = module->function(ir::FuncId{0});
      ssa::construct(copy, {algorithm});
    });
    EXPECT_LT(ratio, 3.0) << name << ", " << ssa::name(algorithm);
  }
}

TEST(ConstructGrowth, ManyVariables) {
  expect_linear("diamonds", diamond, ir::UndefMeaning::reject, true);
  expect_linear("loops", loop, ir::UndefMeaning::reject, true);
  expect_linear("loops in a loop", [](Parts& p, uint32_t v) {
    if (v != 0) return loop(p, v);
    BlockId head = p.f.new_block(), body = p.f.new_block();
    p.jump(head);
    p.at = head;
    p.branch(body, head);
    p.at = body;
  }, ir::UndefMeaning::reject, true);
}

TEST(ConstructGrowth, ManyVariablesThatMayBeUndefined) {
  expect_linear("diamonds", diamond, ir::UndefMeaning::throws, false);
  expect_linear("loops", loop, ir::UndefMeaning::throws, false);
}

TEST(ConstructGrowth, ManyRegions) { expect_linear("regions", region, ir::UndefMeaning::reject, true); }

}  // namespace
}  // namespace braid
