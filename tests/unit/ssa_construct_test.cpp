// All constructors against the program over variables, on random programs; and what these programs cover.
#include "ssa/construct.h"

#include <gtest/gtest.h>

#include "constructors_agree.h"

namespace braid {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr uint32_t program_count = 1'000;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr uint32_t program_count = 1'000;
#else
constexpr uint32_t program_count = 10'000;
#endif
#else
constexpr uint32_t program_count = 10'000;
#endif

TEST(Construct, AllAgreeWithTheProgramOverVariables) {
  AgreementCoverage coverage;
  ConstructorsAgree constructors(coverage);
  for (uint32_t seed = 0; seed < program_count; ++seed) {
    RandomVariableProgram program(seed);
    std::string wrong = constructors.check(program);
    ASSERT_TRUE(wrong.empty()) << "seed " << seed << ": " << wrong;
  }
  coverage.print();

  EXPECT_GE(coverage.ended_percent(), 80u);
  EXPECT_GE(coverage.values, coverage.runs / 2);
  EXPECT_GE(coverage.exceptions, coverage.runs / 50);
  EXPECT_GE(coverage.limits, coverage.runs / 100);
  EXPECT_GE(coverage.executed_percent(), 60u);
  EXPECT_GE(coverage.entered_percent(), 40u);
  for (uint32_t count : coverage.shapes) EXPECT_GE(count, program_count / 4);
  EXPECT_GE(coverage.of_one_node, program_count / 50);
  EXPECT_GE(coverage.large, program_count / 500);
  EXPECT_GE(coverage.sparse, program_count / 100);
  for (uint32_t count : coverage.edges) EXPECT_GE(count, program_count);
  using ir::Op;
  for (Op op : {Op::get,       Op::set,         Op::is_defined,    Op::add,     Op::sub,   Op::mul,        Op::and_,
                Op::lshr,      Op::eq,          Op::sgt,           Op::zext,    Op::sitofp, Op::bitcast,   Op::call,
                Op::box,       Op::check_zero,  Op::check_true,    Op::phi,     Op::enter, Op::leave,      Op::the_exception,
                Op::pop_exception, Op::throw_,  Op::jump,          Op::branch,  Op::switch_, Op::ret,      Op::unreachable})
    EXPECT_GE(coverage.ops[static_cast<unsigned>(op)], program_count / 50) << ir::info(op).text;
  for (Op op : {Op::phi, Op::phi_c, Op::upsilon, Op::throw_undef}) EXPECT_GE(coverage.of_ssa(op), program_count / 3);
}

}  // namespace
}  // namespace braid
