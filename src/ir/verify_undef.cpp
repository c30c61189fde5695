// Values that are `undef` on all paths must not be used, except where `undef` may flow.
//
// What a compaction has not finished counts as defined: its operands are still ahead. Runs only if
// `undef` flows somewhere. O(statements + operands).
#include "ir/undef_flow.h"
#include "ir/verify_context.h"

namespace braid::ir {
namespace {

class UndefCheck {
 public:
  explicit UndefCheck(VerifyContext& context) : c(context), f(context.f), defined_(find()) {}

  void run() {
    c.for_each_reachable([&](Operand id, uint32_t, const Stmt& stmt) {
      if (may_take_undef(stmt.op)) return;
      BlockId b = c.block_of(id);
      c.for_each_operand(stmt, b, [&](uint32_t, Operand operand) {
        if (!passes(operand) || defined_.test(f.dense(operand))) return;
        c.report(Rule::undef_use, id, b,
                 say(info(stmt.op).text, " uses ", c.name(operand), ", which is undef on all paths"));
      });
    });
  }

 private:
  bool passes(Operand operand) const {
    return c.is_statement(operand) && passes_undef_on(f.op(operand)) && !c.is_bad(f.dense(operand));
  }

  BitSet find() {
    return find_defined(f.dense_count(), [&](auto&& from, auto&& define) {
      c.for_each_reachable([&](Operand id, uint32_t dense, const Stmt& stmt) {
        if (!passes_undef_on(stmt.op)) return;
        if ((stmt.flags & unfinished) != 0) define(dense);
        c.for_each_operand(stmt, c.block_of(id), [&](uint32_t, Operand operand) {
          if (passes(operand))
            from(dense, f.dense(operand));
          else if (!operand.is_undef())
            define(dense);
        });
      });
    });
  }

  VerifyContext& c;
  const Function& f;
  BitSet defined_;
};

}  // namespace

void check_undef(VerifyContext& c) {
  if (c.undef_flows) UndefCheck(c).run();
}

}  // namespace braid::ir
