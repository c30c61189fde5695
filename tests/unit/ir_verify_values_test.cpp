// Rules of statements and values, each broken once.
#include "verify_testing.h"

namespace braid::ir::testing_verify {
namespace {

class VerifyValues : public Fixture {
 protected:
  void SetUp() override {
    make({i64, i1});
    n = Operand::param(0);
    flag = Operand::param(1);
    f->param_names = {m.symbol("n"), none_id<Symbol>};
    entry = block("entry"), left = block("left"), right = block("right"), join = block("join");
  }
  /// entry -> left, right -> join; `before_join` fills left.
  void diamond() {
    f->branch(entry, flag, left, right);
    f->jump(left, join);
    f->jump(right, join);
  }
  Operand n, flag;
  BlockId entry{}, left{}, right{}, join{};
};

// ---- form ----

TEST_F(VerifyValues, op_that_does_not_exist) {
  diamond();
  Operand a = add(join, Op::add, i64, {n, n});
  Operand b = add(join, Op::add, i64, {a, n});
  f->ret(join);
  EXPECT_EQ(found(), "");
  surgery.stmt(*f, a).op = static_cast<Op>(op_count);
  surgery.stmt(*f, b).n = 9;
  EXPECT_EQ(found(), "[statement] there is no op number " + std::to_string(op_count) +
                         "\n[statement] the operands of this add do not exist\n");
}

TEST_F(VerifyValues, operands_outside_of_the_pool) {
  diamond();
  Operand t = add(join, Op::tuple, tuple_type, {n, n, n, n});
  f->ret(join);
  surgery.stmt(*f, t).arg[1] = 100;
  EXPECT_EQ(found(), "[statement] the operands of this tuple do not exist\n");
}

TEST_F(VerifyValues, arity) {
  diamond();
  add(join, Op::add, i64, {n});
  add(join, Op::neg, i64, {n, n});
  add_words(join, Op::save_state, state_type, {0, 0, w(Operand::undef()), 3});
  f->ret(join);
  EXPECT_EQ(found(), "[arity] add has 1 operands, needs 2\n"
                     "[arity] neg has 2 operands, needs 1\n"
                     "[arity] save_state has 4 operands\n");
}

TEST_F(VerifyValues, arity_of_a_terminator) {
  diamond();
  f->ret(join);
  surgery.stmt(*f, f->terminator(left)).n = 0;
  EXPECT_EQ(found(), "[arity] jump with 0 operands\n[edges] no terminator names the edge from 'left' to 'join'\n");
}

TEST_F(VerifyValues, ids_of_all_kinds) {
  diamond();
  add(join, Op::add, i64, {Ref{400}, NewRef{3}});
  add(join, Op::add, i64, {Operand::param(2), Operand::make(Operand::Tag::constant, 99)});
  add(join, Op::add, i64, {OldRef{0}, n});
  add_words(join, Op::get, i64, {5});
  add_words(join, Op::call, i64, {77});
  add_words(join, Op::global_addr, ptr, {0});
  add_words(join, Op::intrinsic, i64, {0, w(n)});
  add_words(join, Op::call_indirect, i64, {50, w(n)});
  add_words(join, Op::throw_undef, void_type, {12345, w(flag)});
  f->ret(join);
  EXPECT_EQ(found(), "[id-range] operand 0 of this add, %400, does not exist\n"
                     "[id-range] operand 1 of this add, %+3, does not exist\n"
                     "[id-range] operand 0 of this add, %arg2, does not exist\n"
                     "[id-range] a constant does not exist\n"
                     "[id-range] operand 0 of this add, an operand of an unfinished compaction, does not exist\n"
                     "[id-range] get names a variable that does not exist\n"
                     "[id-range] call names a function that does not exist\n"
                     "[id-range] global_addr names a global that does not exist\n"
                     "[id-range] intrinsic names an intrinsic that does not exist\n"
                     "[id-range] call_indirect names a signature that does not exist\n"
                     "[id-range] throw_undef names a name that does not exist\n");
}

TEST_F(VerifyValues, ids_beside_statements) {
  diamond();
  Operand a = add(join, Op::add, i64, {n, n});
  f->ret(join);
  f->set_loc(a, Loc{9});
  f->set_block_name(left, Symbol{1000});
  f->set_source_variable(a.ref(), VarId{4});
  f->param_names.push_back(Symbol{1000});
  f->variables.push({Symbol{1000}, i64});
  EXPECT_EQ(found(), "[id-range] the name of variable 0 does not exist\n"
                     "[id-range] the name of a parameter does not exist\n"
                     "[id-range] the location of %3 does not exist\n"
                     "[id-range] the source variable of %3 does not exist\n"
                     "[id-range] the name of block 1 does not exist\n");
}

TEST_F(VerifyValues, types_that_do_not_exist) {
  diamond();
  Operand a = add(join, Op::add, i64, {n, n});
  f->ret(join);
  f->set_type(a, Type{Type::table_bit | 7});
  EXPECT_EQ(found(), "[id-range] the type of %3 does not exist\n");
  f->set_type(a, Type{1u << kind_count});
  EXPECT_EQ(found(), "[id-range] the type of %3 does not exist\n");
}

// ---- phis ----

TEST_F(VerifyValues, phi_prefix) {
  diamond();
  Operand a = phi(join, i64, {n, n});
  add(join, Op::same, i64, {n});
  add(join, Op::nothing, void_type);
  phi(join, i64, {n, a});
  add(join, Op::add, i64, {n, n});
  phi(join, i64, {n, n});
  f->ret(join);
  EXPECT_EQ(found(), "[dominance] %3 is not defined on every path to the end of block 'right'\n"
                     "[phi-prefix] phi behind another statement of block 'join'\n");
}

TEST_F(VerifyValues, phi_prefix_with_buffered_statements) {
  diamond();
  Operand a = phi(join, i64, {n, n});
  phi(join, i64, {n, n});
  f->ret(join);
  insert(f->phis_of(join), Op::phi, i64, {n, n});
  EXPECT_EQ(found(), "");
  insert(f->after(a), Op::add, i64, {n, n});
  EXPECT_EQ(found(), "[phi-prefix] phi behind another statement of block 'join'\n");
}

TEST_F(VerifyValues, phi_arity) {
  diamond();
  Operand a = phi(join, i64, {n, n});
  f->ret(join);
  surgery.stmt(*f, a).n = 1;
  EXPECT_EQ(found(), "[phi-arity] phi has 1 operands, block 'join' has 2 predecessors\n");
  surgery.stmt(*f, a).n = 3;
  EXPECT_EQ(found(), "[phi-arity] phi has 3 operands, block 'join' has 2 predecessors\n");
}

// ---- dominance ----

TEST_F(VerifyValues, dominance_within_a_block) {
  diamond();
  Operand a = add(join, Op::add, i64, {n, n});
  Operand b = add(join, Op::add, i64, {a, n});
  Operand self = add(join, Op::add, i64, {n, n});
  f->ret(join);
  EXPECT_EQ(found(), "");
  f->set_operand(a, 0, b);
  f->set_operand(self, 1, self);
  EXPECT_EQ(found(), "[dominance] %4 is not defined on every path to its use here\n"
                     "[dominance] %5 is not defined on every path to its use here\n");
}

TEST_F(VerifyValues, dominance_across_blocks) {
  f->branch(entry, flag, left, right);
  Operand a = add(left, Op::add, i64, {n, n});
  f->jump(left, join);
  f->jump(right, join);
  Operand p = phi(join, i64, {a, n});
  Operand q = phi(join, i64, {n, a});
  add(join, Op::add, i64, {a, p});
  f->ret(join);
  (void)q;
  EXPECT_EQ(found(), "[dominance] %1 is not defined on every path to the end of block 'right'\n"
                     "[dominance] %1 is not defined on every path to its use here\n");
}

TEST_F(VerifyValues, dominance_of_terminator_operands) {
  f->branch(entry, flag, left, right);
  Operand a = add(left, Op::eq, i1, {n, n});
  f->jump(left, join);
  f->branch(right, a, join, join);
  f->ret(join);
  EXPECT_EQ(found(), "[dominance] %1 is not defined on every path to its use here\n");
}

TEST_F(VerifyValues, dominance_of_buffered_statements) {
  diamond();
  Operand a = add(join, Op::add, i64, {n, n});
  f->ret(join);
  Operand early = insert(f->before(a), Op::add, i64, {n, n});
  Operand late = insert(f->after(a), Op::add, i64, {early, a});
  f->set_operand(a, 0, early);
  EXPECT_EQ(found(), "");
  f->set_operand(a, 0, late);
  EXPECT_EQ(found(), "[dominance] %+1 is not defined on every path to its use here\n");
  f->set_operand(a, 0, early);
  f->set_operand(early, 0, a);
  EXPECT_EQ(found(), "[dominance] %3 is not defined on every path to its use here\n");
}

TEST_F(VerifyValues, dominance_in_a_block_of_several_ranges) {
  Operand a = add(join, Op::add, i64, {n, n});
  diamond();
  Operand b = add(join, Op::add, i64, {a, n});
  f->ret(join);
  EXPECT_EQ(found(), "");
  f->set_operand(a, 0, b);
  f->set_operand(b, 0, n);
  EXPECT_EQ(found(), "[dominance] %4 is not defined on every path to its use here\n");
}

TEST_F(VerifyValues, a_definition_in_an_unreachable_block_dominates_nothing) {
  diamond();
  BlockId dead = block("dead");
  Operand a = add(dead, Op::add, i64, {n, n});
  f->jump(dead, join);
  Operand p = phi(join, i64, {n, n, a});
  f->ret(join);
  EXPECT_EQ(found(), "");
  f->set_operand(p, 0, a);
  EXPECT_EQ(found(), "[dominance] %3 is not defined on every path to the end of block 'left'\n");
}

TEST_F(VerifyValues, columns_of_removed_edges_are_not_looked_at) {
  f->branch(entry, flag, left, right);
  Operand a = add(left, Op::add, i64, {n, n});
  f->jump(left, join);
  f->jump(right, join);
  phi(join, i64, {a, a});
  f->ret(join);
  EXPECT_EQ(found(), "[dominance] %1 is not defined on every path to the end of block 'right'\n");
  f->remove_edge(EdgeId{1});
  EXPECT_EQ(found(), "");
}

// ---- erased and undefined ----

TEST_F(VerifyValues, erased_use) {
  diamond();
  Operand a = add(join, Op::add, i64, {n, n});
  Operand b = add(join, Op::add, i64, {a, n});
  add(join, Op::add, i64, {b, n});
  f->ret(join);
  f->erase(a);
  EXPECT_EQ(found(), "[erased-use] add uses %3, which is erased\n");
  f->replace(a, n);
  EXPECT_EQ(found(), "");
  f->set_operand(b, 1, Operand::erased());
  EXPECT_EQ(found(), "[erased-use] add uses an erased statement\n");
}

TEST_F(VerifyValues, ring_of_same) {
  diamond();
  Operand a = add(join, Op::add, i64, {n, n});
  Operand b = add(join, Op::add, i64, {n, n});
  add(join, Op::add, i64, {a, b});
  f->ret(join);
  f->replace(a, b);
  f->replace(b, a);
  EXPECT_EQ(found(), "[erased-use] same uses %4, which is erased\n"
                     "[erased-use] same uses %3, which is erased\n"
                     "[erased-use] add uses %3, which is erased\n"
                     "[erased-use] add uses %4, which is erased\n");
}

TEST_F(VerifyValues, same_is_looked_through) {
  diamond();
  Operand a = add(join, Op::add, i64, {n, n});
  Operand b = add(join, Op::add, i64, {a, n});
  Operand late = add(join, Op::add, i64, {n, n});
  f->ret(join);
  f->replace(a, late);
  (void)b;
  EXPECT_EQ(found(), "[dominance] %5 is not defined on every path to its use here\n");
}

TEST_F(VerifyValues, undef_use) {
  diamond();
  Operand u = Operand::undef();
  Operand p = phi(join, i64, {u, n});
  Operand v = add(join, Op::pi, i64, {u});
  add_words(join, Op::save_state, state_type, {0, 0, w(u), 1, w(u)});
  f->variables.push({m.symbol("x"), i64});
  add_words(join, Op::set, void_type, {0, w(u)});
  add(join, Op::add, i64, {p, n});
  EXPECT_TRUE((f->ret(join), found()).empty());
  add(right, Op::nothing, void_type);
  surgery.stmt(*f, Ref{0}).arg[0] = u.word();
  f->set_operand(p, 1, v);
  EXPECT_EQ(found(), "[undef-use] branch uses undef\n"
                     "[terminator] %9 stands behind the terminator\n"
                     "[dominance] %4 is not defined on every path to the end of block 'right'\n"
                     "[undef-use] add uses %3, which is undef on all paths\n");
}

TEST_F(VerifyValues, undef_through_a_ring_of_phis) {
  f->jump(entry, left);
  Operand p = phi(left, i64, {Operand::undef()});
  Operand q = add(left, Op::pi, i64, {p});
  f->branch(left, flag, left, join);
  f->set_operand(p, 1, q);
  add(join, Op::neg, i64, {q});
  f->ret(join);
  f->jump(right, join);
  EXPECT_EQ(found(), "[undef-use] neg uses %2, which is undef on all paths\n");
  f->set_operand(p, 0, n);
  EXPECT_EQ(found(), "");
}

TEST_F(VerifyValues, literals) {
  diamond();
  add(join, Op::eq, i1, {m.constants.get(i8, 200), c(i8, 3)});
  add(join, Op::eq, i1, {m.constants.get(ref, 7), c(ref, 0)});
  add(join, Op::feq, i1, {m.constants.get(f32, uint64_t{1} << 40), m.constants.get(f32, 0)});
  add(join, Op::eq, i1, {m.constants.get(i1, 3), c(i1, 1)});
  add(join, Op::box, ref, {m.constants.get(tuple_type, 0)});
  f->ret(join);
  EXPECT_EQ(found(), "[literal] i8 200 is not a constant of type i8\n"
                     "[literal] ref 7 is not a constant of type ref\n"
                     "[literal] f32 0x0p+0 is not a constant of type f32\n"
                     "[literal] i1 3 is not a constant of type i1\n"
                     "[literal] tuple 0 is not a constant of type tuple\n");
}

TEST_F(VerifyValues, all_faults_up_to_a_limit) {
  for (int i = 0; i < 200; ++i) add(join, Op::add, i64, {Operand::undef(), n});
  diamond();
  f->ret(join);
  EXPECT_EQ(verify(*f).size(), 100u);
  EXPECT_EQ(verify(*f, {.limit = 7}).size(), 7u);
  EXPECT_EQ(verify(*f, {.limit = 1000}).size(), 200u);
  EXPECT_EQ(verify(m, {.limit = 3}).size(), 3u);
}

}  // namespace
}  // namespace braid::ir::testing_verify
