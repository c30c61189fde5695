// Large functions with regions: chains, nests, parallel nests that meet, slots that are written far away from their regions.
// Doubling them never triples the time that the verifier takes, and it needs no stack.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

#include "growth.h"
#include "ir/verify.h"
#include "one_function.h"
#include "small_stack.h"

namespace braid::ir {
namespace {

#ifdef NDEBUG
constexpr uint32_t large = 200'000;
#else
constexpr uint32_t large = 20'000;
#endif

/// Makes `@f(i64, i1)`; blocks are appended to.
struct Subject : OneFunction {
  Subject() : OneFunction({{i64, i1}, void_type}) {}
  BlockId block() { return f->new_block(); }
  Operand add(BlockId b, Op op, Type type, std::vector<uint32_t> words) { return f->append(b, f->make(op, type, words)); }
  Operand write(BlockId b) { return add(b, Op::upsilon, i64, {Operand::param(0).word()}); }
  void risk(BlockId b) { add(b, Op::check_zero, i64, {Operand::param(0).word()}); }
  void leave(BlockId b, const std::vector<Operand>& tokens) {
    std::vector<uint32_t> words;
    for (Operand token : tokens) words.push_back(token.word());
    add(b, Op::leave, void_type, words);
  }
  void branch(BlockId b, BlockId yes, BlockId no) { f->branch(b, Operand::param(1), yes, no); }
  /// Two ways on from a block, and where they meet again.
  struct Ways {
    BlockId yes, no, below;
  };
  Ways ways(BlockId b) {
    Ways made{block(), block(), block()};
    branch(b, made.yes, made.no);
    f->jump(made.yes, made.below);
    f->jump(made.no, made.below);
    return made;
  }
  /// Before the terminator, with all that stands there already.
  Operand write_in_front(BlockId b) {
    return f->insert(f->before(f->terminator(b)), f->make(Op::upsilon, i64, {Operand::param(0)}));
  }
};
using Made = std::unique_ptr<Subject>;

/// One region after the other, whose handlers go on without popping; the way without an exception is longer.
Made handlers_that_do_not_pop(uint32_t count) {
  auto s = std::make_unique<Subject>();
  BlockId at = s->block();
  for (uint32_t i = 0; i < count / 10; ++i) {
    BlockId handler = s->block(), body = s->block(), one = s->block(), other = s->block(), next = s->block();
    Operand token = s->f->enter(at, handler, body);
    s->f->jump(handler, next);
    s->risk(body);
    s->leave(body, {token});
    s->f->jump(body, one);
    s->f->jump(one, other);
    s->f->jump(other, next);
    at = next;
  }
  s->f->ret(at);
  return s;
}

/// Two nests with the same handlers and different tokens, which meet at every level.
Made nests_that_meet(uint32_t count) {
  auto s = std::make_unique<Subject>();
  BlockId at[2] = {s->block(), s->block()};
  BlockId entry = at[0];
  at[0] = s->block();
  s->branch(entry, at[0], at[1]);
  for (uint32_t i = 0; i < count / 10; ++i) {
    BlockId handler = s->block(), meeting = s->block();
    for (BlockId& way : at) {
      BlockId body = s->block(), deeper = s->block();
      s->f->enter(way, handler, body);
      s->branch(body, deeper, meeting);
      way = deeper;
    }
    s->f->unreachable(meeting);
    s->f->unreachable(handler);
  }
  for (BlockId way : at) s->f->unreachable(way);
  return s;
}

/// Regions in each other, from `at` on, with a slot each, and many places that may throw in the innermost.
void nest(Subject& s, BlockId at, const std::vector<std::vector<Operand>>& writes) {
  std::vector<Operand> tokens;
  for (const std::vector<Operand>& slot : writes) {
    BlockId handler = s.block(), body = s.block();
    tokens.push_back(s.f->enter(at, handler, body));
    std::vector<uint32_t> words;
    for (Operand write : slot) words.push_back(write.word());
    s.add(handler, Op::phi_c, i64, words);
    s.f->unreachable(handler);
    s.risk(body);
    at = body;
  }
  for (size_t i = 0; i < writes.size(); ++i) s.risk(at);
  s.leave(at, tokens);
  s.f->ret(at);
}

Made slots_written_at_the_start(uint32_t count) {
  auto s = std::make_unique<Subject>();
  BlockId entry = s->block(), below = s->block();
  std::vector<std::vector<Operand>> writes;
  for (uint32_t i = 0; i < count / 6; ++i) writes.push_back({s->write(entry)});
  s->f->jump(entry, below);
  nest(*s, below, writes);
  return s;
}

Made slots_written_on_both_ways(uint32_t count) {
  auto s = std::make_unique<Subject>();
  BlockId entry = s->block();
  // Around them are other ways, which meet behind; all of that is of no account.
  std::vector<BlockId> outer;
  for (uint32_t i = 0; i < count / 20; ++i) {
    BlockId inside = s->block();
    outer.push_back(s->block());
    s->branch(entry, inside, outer.back());
    entry = inside;
  }
  for (size_t i = outer.size(); i-- > 1;) s->f->jump(outer[i], outer[i - 1]);
  if (!outer.empty()) s->f->ret(outer[0]);
  Subject::Ways ways = s->ways(entry);
  std::vector<std::vector<Operand>> writes;
  for (uint32_t i = 0; i < count / 10; ++i) writes.push_back({s->write_in_front(ways.yes), s->write_in_front(ways.no)});
  nest(*s, ways.below, writes);
  return s;
}

/// A region after the other, each behind two ways that write its slot, and behind these two that do not.
Made both_ways_again_and_again(uint32_t count) {
  auto s = std::make_unique<Subject>();
  BlockId at = s->block();
  for (uint32_t i = 0; i < count / 16; ++i) {
    Subject::Ways first = s->ways(at), second = s->ways(first.below);
    BlockId handler = s->block(), body = s->block(), next = s->block();
    Operand one = s->write_in_front(first.yes), other = s->write_in_front(first.no);
    Operand token = s->f->enter(second.below, handler, body);
    s->risk(body);
    s->leave(body, {token});
    s->f->jump(body, next);
    s->add(handler, Op::phi_c, i64, {one.word(), other.word()});
    s->f->jump(handler, next);
    at = next;
  }
  s->f->ret(at);
  return s;
}

/// Behind two ways that write the slots, many ways that do not lead to where a third one comes, which does.
Made many_ways_that_do_not_write(uint32_t count) {
  auto s = std::make_unique<Subject>();
  BlockId entry = s->block(), first = s->block(), third = s->block(), meeting = s->block();
  s->branch(entry, first, third);
  s->f->jump(third, meeting);
  Subject::Ways ways = s->ways(first);
  std::vector<Function::Case> cases;
  for (uint32_t i = 0; i < count / 10; ++i) cases.push_back({s->module.constant(i64, i), s->block()});
  for (const Function::Case& way : cases) s->f->jump(way.target, meeting);
  s->f->switch_on(ways.below, Operand::param(0), meeting, cases);
  std::vector<std::vector<Operand>> writes;
  for (uint32_t i = 0; i < count / 16; ++i)
    writes.push_back({s->write_in_front(ways.yes), s->write_in_front(ways.no), s->write_in_front(third)});
  nest(*s, meeting, writes);
  return s;
}

/// One handler with many slots, which many places enter; the slots are written on both ways to all of these, or not at all.
Made many_enters(uint32_t count, bool is_written) {
  auto s = std::make_unique<Subject>();
  BlockId entry = s->block(), handler = s->block();
  Subject::Ways ways = s->ways(entry);
  for (uint32_t i = 0; i < count / 8; ++i) {
    if (is_written) {
      Operand one = s->write_in_front(ways.yes), other = s->write_in_front(ways.no);
      s->add(handler, Op::phi_c, i64, {one.word(), other.word()});
    } else {
      s->add(handler, Op::phi_c, i64, {});
    }
  }
  s->f->unreachable(handler);
  BlockId at = ways.below;
  for (uint32_t i = 0; i < count / 8; ++i) {
    BlockId body = s->block(), side = s->block(), next = s->block();
    s->branch(at, side, next);
    Operand token = s->f->enter(side, handler, body);
    s->risk(body);
    s->leave(body, {token});
    s->f->jump(body, next);
    at = next;
  }
  s->f->ret(at);
  return s;
}
Made many_enters_with_slots(uint32_t count) { return many_enters(count, true); }
Made many_enters_without_writes(uint32_t count) { return many_enters(count, false); }

/// All regions are left at once, where many ways part.
Made ways_behind_a_leave(uint32_t count) {
  auto s = std::make_unique<Subject>();
  BlockId at = s->block(), end = s->block();
  std::vector<Operand> tokens;
  for (uint32_t i = 0; i < count / 6; ++i) {
    BlockId handler = s->block(), body = s->block();
    tokens.push_back(s->f->enter(at, handler, body));
    s->f->unreachable(handler);
    at = body;
  }
  s->leave(at, tokens);
  std::vector<Function::Case> cases;
  for (uint32_t i = 0; i < count / 6; ++i) cases.push_back({s->module.constant(i64, i), s->block()});
  for (const Function::Case& way : cases) s->f->jump(way.target, end);
  s->f->switch_on(at, Operand::param(0), end, cases);
  s->f->ret(end);
  return s;
}

struct Family {
  const char* name;
  Made (*make)(uint32_t);
  bool is_sound = true;
};
constexpr Family families[] = {{"handlers that do not pop", handlers_that_do_not_pop},
                               {"nests that meet", nests_that_meet},
                               {"slots written at the start", slots_written_at_the_start},
                               {"slots written on both ways", slots_written_on_both_ways},
                               {"both ways again and again", both_ways_again_and_again},
                               {"many ways that do not write", many_ways_that_do_not_write},
                               {"many enters with slots", many_enters_with_slots},
                               {"many enters without writes", many_enters_without_writes, false},
                               {"ways behind a leave", ways_behind_a_leave}};

TEST(VerifyGrowth, doubling_never_triples_the_time) {
  for (const Family& family : families) {
    auto make = [&](size_t size) { return family.make(static_cast<uint32_t>(size)); };
    double ratio = growth_ratio(large / 8, make, [](Made& s) { verify(*s->f); });
    std::printf("%s: x%.2f per doubling\n", family.name, ratio);
    EXPECT_LT(ratio, 3.0) << family.name;
  }
}

TEST(VerifyGrowth, a_large_function_on_a_small_stack) {
  for (const Family& family : families) {
    Made s = family.make(large);
    std::clock_t start = std::clock();
    std::vector<Finding> findings;
    run_on_small_stack([&] { findings = verify(*s->f); });
    std::printf("%s: %u statements in %.3f s\n", family.name, s->f->size(),
                static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    EXPECT_EQ(findings.empty(), family.is_sound) << family.name;
    if (family.is_sound && !findings.empty()) ADD_FAILURE() << findings[0].message;
  }
}

}  // namespace
}  // namespace braid::ir
