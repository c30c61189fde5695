// The verifier as a whole: every rule is broken by some test, nothing corrupt makes it crash, and large functions take
// linear time and no stack.
#include <random>

#include "growth.h"
#include "small_stack.h"
#include "verify_testing.h"

namespace braid::ir::testing_verify {
namespace {

/// After all tests of the binary; a run of some tests only cannot say.
class EveryRuleIsBroken : public ::testing::Environment {
 public:
  void TearDown() override {
    if (GTEST_FLAG_GET(filter) != "*") return;
    for (const VerifyRule& rule : verify_rules())
      EXPECT_TRUE(broken_rules().contains(rule.name)) << "no test breaks the rule " << rule.name;
  }
};
[[maybe_unused]] const auto* const environment = ::testing::AddGlobalTestEnvironment(new EveryRuleIsBroken);

TEST(VerifyRules, have_names_and_docs) {
  std::set<std::string_view> names;
  for (const VerifyRule& rule : verify_rules()) {
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
    EXPECT_FALSE(rule.subject.empty());
    EXPECT_TRUE(rule.doc.ends_with(".")) << rule.name;
  }
  EXPECT_GE(names.size(), 40u);
}

// ---- corrupt functions ----

/// A function with a bit of everything that the verifier follows: loops, handlers, states, phis, buffered statements.
void fill(Module& m, Function& f) {
  Operand n = Operand::param(0), flag = Operand::param(1);
  FuncId opaque = m.add_function(m.symbol("opaque"), {{i64}, i64}, true).id();
  f.variables.push({m.symbol("v"), i64});
  BlockId entry = f.new_block(), head = f.new_block(m.symbol("head")), body = f.new_block(), region = f.new_block();
  BlockId handler = f.new_block(), done = f.new_block(), dead = f.new_block();
  auto word = [](Operand operand) { return operand.word(); };
  auto put = [&](BlockId b, Op op, Type type, std::initializer_list<uint32_t> words) {
    return Operand(f.append(b, f.make(op, type, std::span(words.begin(), words.size()))));
  };
  put(entry, Op::set, void_type, {0, word(n)});
  f.jump(entry, head);
  Operand i = f.append(head, f.make(Op::phi, i64, {n}));
  Operand more = put(head, Op::sgt, i1, {word(i), word(m.constant(i64, 0))});
  f.branch(head, more, body, done);
  Operand state = put(body, Op::save_state, state_type, {3, 0, word(Operand::undef()), 0, word(i), 1, word(n)});
  put(body, Op::guard, void_type, {word(flag), word(state)});
  Operand u = put(body, Op::upsilon, i64, {word(i)});
  Operand token = f.enter(body, handler, region);
  Operand called = put(region, Op::call, i64, {index(opaque), word(i)});
  put(region, Op::leave, void_type, {word(token)});
  Operand next = put(region, Op::sub, i64, {word(called), word(m.constant(i64, 1))});
  f.jump(region, head);
  f.set_operand(i, 1, next);
  put(handler, Op::phi_c, i64, {word(u)});
  put(handler, Op::the_exception, ref, {});
  put(handler, Op::pop_exception, void_type, {word(token)});
  Function::Case cases[] = {{m.constant(i64, 1), done}, {m.constant(i64, 2), done}};
  f.switch_on(handler, n, done, cases);
  put(done, Op::tuple, m.types.tuple(std::vector<Type>(5, i64)), {word(n), word(n), word(i), word(i), word(n)});
  f.ret(done);
  f.unreachable(dead);
  f.insert(f.before(next), f.make(Op::add, i64, {n, i}));
  f.insert(f.after(next), f.make(Op::mul, i64, {NewRef{0}, next}));
}

TEST(VerifyCorrupt, the_sound_one_is_sound) {
  Module m;
  Function& f = m.add_function(m.symbol("f"), {{i64, i1}, void_type});
  fill(m, f);
  EXPECT_EQ(listing(verify(f)), "");
}

TEST(VerifyCorrupt, no_crash_whatever_is_overwritten) {
  std::mt19937 random(7);
  Module m;
  Function& original = m.add_function(m.symbol("f"), {{i64, i1}, void_type});
  fill(m, original);
  auto pick = [&](uint32_t count) { return count == 0 ? 0 : static_cast<uint32_t>(random() % count); };
  // Values near what is right break more than any number would.
  auto number = [&]() -> uint32_t {
    switch (pick(6)) {
      case 0: return random();
      case 1: return pick(4);
      case 2: return 0xffffffffu - pick(3);
      case 3: return Operand::make(static_cast<Operand::Tag>(pick(8)), pick(40)).word();
      default: return pick(48);
    }
  };
  size_t faults = 0;
  for (int round = 0; round < 20000; ++round) {
    Function f = original;
    for (uint32_t change = 0; change <= pick(4); ++change) {
      Operand id = f.from_dense(pick(f.dense_count()));
      BlockId b = static_cast<BlockId>(pick(f.block_count()));
      EdgeId e = static_cast<EdgeId>(pick(f.edge_count()));
      switch (pick(18)) {
        case 0: FunctionSurgery::stmt(f, id).op = static_cast<Op>(pick(op_count + 2)); break;
        case 1: FunctionSurgery::stmt(f, id).n = static_cast<uint8_t>(pick(5) == 0 ? Stmt::pooled : pick(6)); break;
        case 2:
        case 3:
        case 4:
        case 5: FunctionSurgery::stmt(f, id).arg[pick(3)] = number(); break;
        case 6: f.set_type(id, Type{pick(3) == 0 ? Type::table_bit | pick(4) : 1u << pick(18)}); break;
        case 7: f.set_loc(id, static_cast<Loc>(pick(3))); break;
        case 8: FunctionSurgery::block(f, b).first = pick(f.size() + 3); break;
        case 9: FunctionSurgery::block(f, b).end = pick(f.size() + 3); break;
        case 10: FunctionSurgery::block(f, b).more = pick(3) == 0 ? Block::no_range : pick(5); break;
        case 11: FunctionSurgery::block(f, b).terminator = Operand::from_word(number()); break;
        case 12: FunctionSurgery::block(f, b).pred_count = pick(5); break;
        case 13: FunctionSurgery::block(f, b).first_pred = static_cast<EdgeId>(number()); break;
        case 14: FunctionSurgery::edge(f, e).to = static_cast<BlockId>(pick(f.block_count() + 1)); break;
        case 15: FunctionSurgery::edge(f, e).from = static_cast<BlockId>(pick(f.block_count() + 1)); break;
        case 16:
          FunctionSurgery::edge(f, e).dead = pick(2) != 0;
          FunctionSurgery::edge(f, e).kind = static_cast<EdgeKind>(pick(2));
          FunctionSurgery::edge(f, e).slot = pick(4);
          FunctionSurgery::edge(f, e).next_pred = static_cast<EdgeId>(number());
          break;
        default: {
          uint32_t& word = FunctionSurgery::pool(f)[pick(static_cast<uint32_t>(FunctionSurgery::pool(f).size()))];
          word = number();
          break;
        }
      }
    }
    faults += verify(f).size();
  }
  EXPECT_GT(faults, 20000u);
}

// ---- size ----

struct Large {
  Module m;
  Function* f = &m.add_function(m.symbol("f"), {{i64, i1}, void_type});
  Operand n = Operand::param(0), flag = Operand::param(1);
};

std::unique_ptr<Large> straight(size_t size) {
  auto large = std::make_unique<Large>();
  Function& f = *large->f;
  BlockId b = f.new_block();
  Operand last = large->n;
  for (size_t i = 0; i < size; ++i) last = f.append(b, f.make(Op::add, i64, {last, i % 3 == 0 ? large->n : last}));
  f.ret(b);
  return large;
}

/// Regions inside each other, with phi_cs, all left at once.
std::unique_ptr<Large> nested_regions(size_t depth) {
  auto large = std::make_unique<Large>();
  Function& f = *large->f;
  FuncId opaque = large->m.add_function(large->m.symbol("opaque"), Signature{}, true).id();
  BlockId at = f.new_block();
  std::vector<uint32_t> tokens;
  for (size_t i = 0; i < depth; ++i) {
    BlockId body = f.new_block(), handler = f.new_block();
    Operand u = f.append(at, f.make(Op::upsilon, i64, {large->n}));
    tokens.push_back(f.enter(at, handler, body).word());
    uint32_t callee[] = {index(opaque)};
    f.append(body, f.make(Op::call, void_type, callee));
    Operand inside = f.append(body, f.make(Op::upsilon, i64, {large->n}));
    f.append(handler, f.make(Op::phi_c, i64, {u, inside}));
    f.append(handler, f.make(Op::the_exception, ref));
    f.throw_value(handler, Operand(static_cast<Ref>(f.size() - 1)));
    at = body;
  }
  f.append(at, f.make(Op::leave, void_type, tokens));
  f.ret(at);
  return large;
}

/// One block with very many predecessors and a phi.
std::unique_ptr<Large> wide_join(size_t width) {
  auto large = std::make_unique<Large>();
  Function& f = *large->f;
  BlockId entry = f.new_block(), join = f.new_block();
  std::vector<Function::Case> cases;
  std::vector<uint32_t> inputs;
  for (size_t i = 0; i < width; ++i) {
    BlockId arm = f.new_block();
    inputs.push_back(Operand(f.append(arm, f.make(Op::add, i64, {large->n, large->n}))).word());
    f.jump(arm, join);
    cases.push_back({large->m.constant(i64, static_cast<int64_t>(i)), arm});
  }
  f.switch_on(entry, large->n, cases[0].target, cases);
  f.append(join, f.make(Op::phi, i64, inputs));
  f.append(join, f.make(Op::phi, i64, inputs));
  f.ret(join);
  return large;
}

/// Loops inside each other, with a state, guards and effects at every level.
std::unique_ptr<Large> nested_loops(size_t depth) {
  auto large = std::make_unique<Large>();
  Function& f = *large->f;
  std::vector<BlockId> heads;
  BlockId at = f.new_block();
  for (size_t i = 0; i < depth; ++i) {
    BlockId head = f.new_block(), body = f.new_block();
    f.jump(at, head);
    Operand p = f.append(head, f.make(Op::phi, i64, {large->n}));
    uint32_t words[] = {0, 0, Operand::undef().word(), 0, p.word()};
    Operand state = f.append(head, f.make(Op::save_state, state_type, words));
    f.append(head, f.make(Op::guard, void_type, {large->flag, state}));
    heads.push_back(head);
    at = body;
    f.jump(head, body);
  }
  for (size_t i = depth; i-- > 0;) {
    BlockId out = f.new_block();
    f.append(at, f.make(Op::check_true, void_type, {large->flag}));
    f.branch(at, large->flag, heads[i], out);
    f.set_operand(static_cast<Operand>(static_cast<Ref>(f.block(heads[i]).first)), 1, large->n);
    at = out;
  }
  f.ret(at);
  return large;
}

/// A long chain of `same`, used at both ends.
std::unique_ptr<Large> chain_of_same(size_t length) {
  auto large = straight(length);
  for (uint32_t i = 1; i < length; ++i) large->f->replace(Ref{i}, Ref{i - 1});
  return large;
}

/// Every statement waits in the insertion buffer, each behind the one before.
std::unique_ptr<Large> buffered(size_t length) {
  auto large = straight(1);
  Function& f = *large->f;
  Operand last = Ref{0};
  for (size_t i = 0; i < length; ++i) last = f.insert(f.after(last), f.make(Op::add, i64, {last, large->n}));
  return large;
}

struct Shape {
  const char* name;
  std::unique_ptr<Large> (*make)(size_t);
};
class VerifyLarge : public ::testing::TestWithParam<Shape> {};

TEST_P(VerifyLarge, is_sound_without_recursion) {
  auto large = GetParam().make(100'000);
  run_on_small_stack([&] { EXPECT_EQ(listing(verify(*large->f)), ""); });
}

TEST_P(VerifyLarge, takes_linear_time) {
  double ratio = growth_ratio(5'000, GetParam().make, [](auto& large) { verify(*large->f); });
  EXPECT_LT(ratio, 3.0);
}

INSTANTIATE_TEST_SUITE_P(Shapes, VerifyLarge,
                         ::testing::Values(Shape{"straight", straight}, Shape{"nested_regions", nested_regions},
                                           Shape{"wide_join", wide_join}, Shape{"nested_loops", nested_loops},
                                           Shape{"chain_of_same", chain_of_same}, Shape{"buffered", buffered}),
                         [](const auto& shape) { return shape.param.name; });

}  // namespace
}  // namespace braid::ir::testing_verify
