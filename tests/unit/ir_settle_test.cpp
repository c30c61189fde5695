// The plain copy at the end of a construction: where it puts what waits, and when it leaves blocks their
// numbers.
#include "ir/settle.h"

#include "verify_testing.h"

namespace braid::ir::testing_verify {
namespace {

class Settle : public Fixture {
 protected:
  std::vector<Op> ops(BlockId b) const {
    std::vector<Op> list;
    for (uint32_t i = f->block(b).first; i < f->block(b).end; ++i) list.push_back(f->columns().stmt(i).op);
    return list;
  }
};

TEST_F(Settle, upsilons_stand_on_the_side_where_they_were_put) {
  make({i64}, i64);
  m.add_function(m.symbol("opaque"), Signature{}, true);
  BlockId entry = block("entry"), body = block("body"), handler = block("handler");
  Operand n = Operand::param(0);
  Operand token = f->enter(entry, handler, body);
  Operand sum = add(body, Op::add, i64, {n, n});
  add_words(body, Op::call, void_type, {1});
  add(body, Op::leave, void_type, {token});
  f->ret(body, sum);
  add(handler, Op::the_exception, ref);
  add(handler, Op::pop_exception, void_type, {token});
  Operand value = insert(f->phis_of(handler), Op::phi_c, i64);
  f->ret(handler, value);
  // The last one is put first: the order is that of places.
  for (Point point : {f->after(sum), f->before(sum), f->before(f->terminator(entry))})
    f->add_upsilon(value, insert(point, Op::upsilon, i64, {point.side == Point::Side::after ? sum : n}));
  settle(*f);
  EXPECT_TRUE(f->is_at_rest());
  EXPECT_EQ(found(), "");
  EXPECT_EQ(ops(BlockId{0}), (std::vector{Op::upsilon, Op::enter}));
  EXPECT_EQ(ops(BlockId{1}), (std::vector{Op::phi_c, Op::the_exception, Op::pop_exception, Op::ret}));
  EXPECT_EQ(ops(BlockId{2}), (std::vector{Op::upsilon, Op::add, Op::upsilon, Op::call, Op::leave, Op::ret}));
}

TEST_F(Settle, blocks_in_a_sound_order_keep_their_numbers_if_only_phis_wait) {
  make({i64, i1}, i64);
  BlockId entry = block("entry"), no = block("no"), yes = block("yes"), done = block("done");
  Operand n = Operand::param(0);
  f->branch(entry, Operand::param(1), yes, no);
  Operand sum = add(no, Op::add, i64, {n, n});
  f->jump(no, done);
  f->jump(yes, done);
  Operand value = insert(f->phis_of(done), Op::phi, i64, {sum, n});
  f->ret(done, value);
  settle(*f);
  EXPECT_TRUE(f->is_at_rest());
  EXPECT_EQ(found(), "");
  EXPECT_EQ(f->block(no).name, m.symbol("no"));  // in reverse post-order the first successor comes first
  EXPECT_EQ(ops(done), (std::vector{Op::phi, Op::ret}));
}

}  // namespace
}  // namespace braid::ir::testing_verify
