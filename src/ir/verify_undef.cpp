// Values that are `undef` on all paths must not be used, except where `undef` may flow.
//
// Optimistic: every phi, pi, upsilon and phi_c is taken for undefined until a defined value flows into it, so that rings
// of phis fall out right. What a compaction has not finished counts as defined: its operands are still ahead. Runs only if
// `undef` flows somewhere. O(statements + operands).
#include <vector>

#include "base/csr.h"
#include "ir/verify_context.h"

namespace braid::ir {
namespace {

bool passes_on(Op op) { return op == Op::phi || op == Op::pi || op == Op::upsilon || op == Op::phi_c; }

class UndefCheck {
 public:
  explicit UndefCheck(VerifyContext& context) : c(context), f(context.f), defined_(context.f.dense_count()) {}

  void run() {
    find_defined();
    c.for_each_reachable([&](Operand id, uint32_t, const Stmt& stmt) {
      if (passes_on(stmt.op) || stmt.op == Op::same || stmt.op == Op::set || stmt.op == Op::save_state) return;
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
    return c.is_statement(operand) && passes_on(f.op(operand)) && !c.is_bad(f.dense(operand));
  }

  void find_defined() {
    std::vector<uint32_t> work;
    auto users = Csr<uint32_t>::build(f.dense_count(), [&](auto&& emit) {
      c.for_each_reachable([&](Operand id, uint32_t dense, const Stmt& stmt) {
        if (!passes_on(stmt.op)) return;
        if ((stmt.flags & unfinished) != 0 && defined_.insert(dense)) work.push_back(dense);
        c.for_each_operand(stmt, c.block_of(id), [&](uint32_t, Operand operand) {
          if (passes(operand))
            emit(f.dense(operand), dense);
          else if (!operand.is_undef() && defined_.insert(dense))
            work.push_back(dense);
        });
      });
    });
    while (!work.empty()) {
      uint32_t dense = work.back();
      work.pop_back();
      for (uint32_t user : users.row(dense))
        if (defined_.insert(user)) work.push_back(user);
    }
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
