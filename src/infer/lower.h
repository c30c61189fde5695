// One dynamic operation as plain ones.
#pragma once

#include <optional>

#include "infer/infer.h"
#include "ir/function.h"
#include "ir/language.h"

namespace braid::infer {

class Lowering {
 public:
  Lowering(ir::Function& f, const Types& types)
      : f_(f), types_(types), table_(f.module().types), rules_(ir::language(f.module().language)) {}

  enum class Done : uint8_t { no, in_place, two_exits };
  /// Rewrites the dynamic statement `r` of block `b`. After `two_exits`, what stands behind it is in `block`.
  Done run(ir::BlockId b, ir::Ref r);
  ir::BlockId block() const { return block_; }

 private:
  using Operand = ir::Operand;

  /// Before the statement; once the block is split, at the end of what stands before it.
  Operand insert(ir::Op op, Type type, std::initializer_list<Operand> operands);
  Operand append(ir::BlockId b, ir::Op op, Type type, std::initializer_list<Operand> operands);
  Operand integer(int64_t value) const { return f_.module().constant(i64, value); }
  Done replace(Operand value);
  Done become(ir::Op op, Type type, std::initializer_list<Operand> operands);

  std::optional<Kind> kind(Operand operand) const { return table_.single_kind(types_.of(operand)); }
  bool is_whole(Operand operand) const;
  bool is_number(Operand operand) const;
  bool may_be_zero(Operand operand) const;
  Operand as_integer(Operand operand);
  Operand as_float(Operand operand);
  Operand as_truth(Operand operand);
  std::pair<int64_t, int64_t> range(Operand operand) const;
  bool may_be(Operand operand, int64_t value) const;

  Done arithmetic();
  Done quotient();
  Done remainder();
  Done bitwise();
  Done shift();
  Done comparison();
  Done identity();
  Done conversion();
  /// Two ways to one result: `if_true` and `if_false` fill their block and answer the value.
  template <typename Yes, typename No>
  Done choose(Operand condition, Yes&& if_true, No&& if_false);
  void split();
  Operand field(ir::BlockId b, Operand tuple, uint32_t number, Type type);

  ir::Function& f_;
  const Types& types_;
  TypeTable& table_;
  const ir::Language* rules_;
  ir::BlockId block_{};
  ir::BlockId head_ = none_id<ir::BlockId>;  ///< what stood before the statement, once the block is split
  ir::Ref at_{};
  ir::Op op_{};
  Operand a_, b_;
};

}  // namespace braid::infer
