// Rules of the graph, each broken once, and the shapes that are allowed.
#include "verify_testing.h"

namespace braid::ir::testing_verify {
namespace {

class VerifyGraph : public Fixture {
 protected:
  /// entry -> head <-> body, head -> done
  void loop() {
    make({i1});
    entry = block("entry"), head = block("head"), body = block("body"), done = block("done");
    f->jump(entry, head);
    f->branch(head, Operand::param(0), body, done);
    f->jump(body, head);
    f->ret(done);
  }
  BlockId entry{}, head{}, body{}, done{};
};

TEST_F(VerifyGraph, a_loop_is_sound) {
  loop();
  EXPECT_EQ(found(), "");
}

TEST_F(VerifyGraph, no_blocks) {
  make();
  EXPECT_EQ(found(), "[entry] the function has no blocks\n");
}

TEST_F(VerifyGraph, entry_is_entered) {
  loop();
  f->redirect_edge(static_cast<EdgeId>(3), entry);
  EXPECT_EQ(found(), "[entry] block 'body' goes to the entry\n");
}

TEST_F(VerifyGraph, statement_in_two_blocks) {
  loop();
  surgery.block(*f, head).first = 0;
  EXPECT_EQ(found(), "[block-ranges] %1 stands in no block\n"
                     "[block-ranges] %0 stands in block 'entry' and in block 'head'\n"
                     "[terminator] the terminator of block 'head' stands elsewhere\n");
}

TEST_F(VerifyGraph, statement_in_no_block) {
  loop();
  add(done, Op::nothing, void_type);
  surgery.block(*f, done).end = 4;
  EXPECT_EQ(found(), "[block-ranges] %4 stands in no block\n");
}

TEST_F(VerifyGraph, range_outside_of_the_vector) {
  loop();
  surgery.block(*f, done).end = 9;
  EXPECT_EQ(found(), "[block-ranges] %3 stands in no block\n"
                     "[block-ranges] block 'done' has the range 3 to 9, there are 4 statements\n"
                     "[terminator] the terminator of block 'done' stands elsewhere\n");
}

TEST_F(VerifyGraph, ring_of_ranges) {
  make();
  BlockId a = block("a"), b = block("b");
  add(a, Op::nothing, void_type);
  add(b, Op::nothing, void_type);
  add(a, Op::nothing, void_type);
  f->jump(b, a);
  f->ret(a);
  ASSERT_EQ(FunctionSurgery::range_count(*f), 3u);
  FunctionSurgery::set_range(*f, 0, 2, 3, 0);
  EXPECT_EQ(found(), "[block-ranges] %4 stands in no block\n"
                     "[block-ranges] the ranges of block 'a' do not end\n"
                     "[terminator] the terminator of block 'a' stands elsewhere\n");
}

TEST_F(VerifyGraph, insertion_points) {
  loop();
  Operand first = insert(f->before(f->terminator(entry)), Op::nothing, void_type);
  insert(f->after(first), Op::nothing, void_type);
  EXPECT_EQ(found(), "");
  surgery.points(*f)[0] = Point(Point::Side::after, Operand(NewRef{1}));
  EXPECT_EQ(found(), "[insertion-point] %+0 is placed at a statement that was not there\n");
  surgery.points(*f)[0] = Point(Point::Side::block_end, BlockId{4});
  EXPECT_EQ(found(), "[insertion-point] %+0 is placed at a block that does not exist\n");
}

TEST_F(VerifyGraph, block_without_terminator) {
  loop();
  BlockId extra = block("extra");
  EXPECT_EQ(found(), "[terminator] block 'extra' has no terminator\n");
  add(extra, Op::nothing, void_type);
  surgery.block(*f, extra).terminator = Ref{4};
  EXPECT_EQ(found(), "[terminator] block 'extra' ends in nothing\n");
  surgery.block(*f, extra).terminator = Ref{7};
  EXPECT_EQ(found(), "[terminator] the terminator of block 'extra' does not exist\n");
  surgery.block(*f, extra).terminator = f->terminator(done);
  EXPECT_EQ(found(), "[terminator] the terminator of block 'extra' stands elsewhere\n");
}

TEST_F(VerifyGraph, terminator_in_the_middle) {
  loop();
  surgery.block(*f, done).terminator = add(done, Op::ret, void_type);
  EXPECT_EQ(found(), "[terminator] ret in the middle of block 'done'\n");
  surgery.stmt(*f, Ref{3}) = {};
  EXPECT_EQ(found(), "");
}

TEST_F(VerifyGraph, statement_behind_the_terminator) {
  loop();
  add(done, Op::add, i64, {c(i64, 1), c(i64, 2)});
  EXPECT_EQ(found(), "[terminator] %4 stands behind the terminator\n");
}

TEST_F(VerifyGraph, buffered_statement_behind_the_terminator) {
  loop();
  insert(f->after(f->terminator(done)), Op::add, i64, {c(i64, 1), c(i64, 2)});
  EXPECT_EQ(found(), "[terminator] %+0 stands behind the terminator\n");
}

TEST_F(VerifyGraph, edge_that_does_not_exist) {
  loop();
  surgery.stmt(*f, f->terminator(body)).arg[0] = 77;
  EXPECT_EQ(found(), "[edges] jump names an edge that does not exist\n"
                     "[edges] no terminator names the edge from 'body' to 'head'\n");
}

TEST_F(VerifyGraph, edge_of_another_block) {
  loop();
  surgery.stmt(*f, f->terminator(body)).arg[0] = f->arg(f->stmt(f->terminator(entry)), 0);
  EXPECT_EQ(found(), "[edges] the edge to 'head' belongs to another terminator or operand\n"
                     "[edges] no terminator names the edge from 'body' to 'head'\n");
}

TEST_F(VerifyGraph, edge_to_nowhere) {
  loop();
  surgery.edge(*f, EdgeId{0}).to = BlockId{9};
  EXPECT_EQ(found(), "[edges] edge 0 joins blocks that do not exist\n"
                     "[edges] jump goes to a block that does not exist\n");
}

TEST_F(VerifyGraph, removed_edge_of_a_jump) {
  loop();
  surgery.edge(*f, EdgeId{3}).dead = true;
  EXPECT_EQ(found(), "[edges] jump names a removed edge\n");
}

TEST_F(VerifyGraph, kind_of_an_edge) {
  loop();
  surgery.edge(*f, EdgeId{3}).kind = EdgeKind::exceptional;
  EXPECT_EQ(found(), "[edges] the edge to 'head' must be normal\n");
}

TEST_F(VerifyGraph, impossible_successor) {
  loop();
  f->set_impossible(head, done);
  EXPECT_EQ(found(), "");
  f->set_impossible(head, BlockId{8});
  EXPECT_EQ(found(), "[edges] the impossible successor of block 'head' does not exist\n");
}

TEST_F(VerifyGraph, predecessor_lists) {
  loop();
  surgery.block(*f, head).pred_count = 3;
  EXPECT_EQ(found(), "[predecessors] block 'head' counts 3 predecessors, its list has 2\n");
  surgery.block(*f, head).pred_count = 2;
  surgery.edge(*f, EdgeId{3}).pred_index = 0;
  EXPECT_EQ(found(), "[predecessors] entry 1 in the predecessor list of 'head' is not an edge into it with this number\n"
                     "[predecessors] the edge from 'body' is not in the predecessor list of 'head'\n");
  surgery.edge(*f, EdgeId{3}).pred_index = 1;
  surgery.edge(*f, EdgeId{3}).next_pred = EdgeId{0};
  EXPECT_EQ(found(), "[predecessors] entry 2 in the predecessor list of 'head' is not an edge into it with this number\n");
}

TEST_F(VerifyGraph, dead_edges_and_unreachable_blocks_are_sound) {
  make({i1});
  BlockId start = block("start"), left = block("left"), join = block("join");
  f->branch(start, Operand::param(0), left, join);
  Operand value = add(left, Op::add, i64, {c(i64, 1), c(i64, 2)});
  f->jump(left, join);
  Operand p = phi(join, i64, {c(i64, 0), value});
  f->ret(join);
  EXPECT_EQ(found(), "");
  f->remove_edge(EdgeId{0});
  EXPECT_EQ(found(), "");
  // In an unreachable block only the form counts.
  f->set_operand(value, 0, p);
  f->set_type(value, f64);
  EXPECT_EQ(found(), "");
  f->set_operand(value, 0, Ref{99});
  EXPECT_EQ(found(), "[id-range] operand 0 of this add, %99, does not exist\n");
}

TEST_F(VerifyGraph, multi_edges_and_self_loops_are_sound) {
  make({i64, i1});
  BlockId entry = block("entry"), many = block("many");
  Function::Case cases[] = {{c(i64, 1), many}, {c(i64, 2), many}};
  f->switch_on(entry, Operand::param(0), many, cases);
  Operand p = phi(many, i64, {c(i64, 0), c(i64, 1), c(i64, 2)});
  f->branch(many, Operand::param(1), many, many);
  f->set_operand(p, 3, p);
  f->set_operand(p, 4, c(i64, 7));
  EXPECT_EQ(found(), "");
  f->remove_edge(EdgeId{1});
  EXPECT_EQ(found(), "");
}

}  // namespace
}  // namespace braid::ir::testing_verify
