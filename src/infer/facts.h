// What a condition says of values: path conditions, found by walking the definitions of a branch's condition.
//
// `is`, comparisons with constants and with other values, truth tests; through `not`, and through `and` and `or` on the side
// where both operands are known. At most `most_steps` statements are walked for one branch.
#pragma once

#include <vector>

#include "ir/function.h"

namespace braid::infer {

/// On the way where it holds, `value` is of this type (and of its own).
struct Fact {
  ir::Operand value;
  Type type;
};

/// What holds where a condition has an outcome, beyond the types that values have.
class Facts {
 public:
  explicit Facts(const ir::Function& f) : f_(f), table_(f.module().types) {}

  /// Appends to `out`.
  void collect(ir::Operand condition, bool outcome, std::vector<Fact>& out);

 private:
  static constexpr uint32_t most_steps = 16;
  struct Step {
    ir::Operand condition;
    bool outcome;
  };

  void look_at(const Step& step, std::vector<Fact>& out);
  void add(ir::Operand value, Type narrowed, std::vector<Fact>& out);
  void of_kind_test(ir::Operand value, KindSet tested, bool outcome, std::vector<Fact>& out);
  /// `a op b`, where op is one of eq, ne, slt, sle, sgt, sge: for those of their values that are integers.
  void of_order(ir::Op op, ir::Operand a, ir::Operand b, std::vector<Fact>& out);
  void of_identity(ir::Operand a, ir::Operand b, bool outcome, std::vector<Fact>& out);
  void of_truth(ir::Operand value, bool outcome, std::vector<Fact>& out);
  Type type_of(ir::Operand operand) const;

  const ir::Function& f_;
  TypeTable& table_;
  std::vector<Step> steps_;
};

}  // namespace braid::infer
