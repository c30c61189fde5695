#include "ir/verify_plain.h"

namespace braid::ir {
namespace {

constexpr KindSet integers = (i1 | i8 | i16 | i32 | i64).bits;
constexpr KindSet floats = (f32 | f64).bits;

}  // namespace

const std::array<PlainCheck::Form, op_count> PlainCheck::forms = [] {
  using Kind = Form::Kind;
  std::array<Form, op_count> table{};
  for (unsigned i = 0; i < op_count; ++i) {
    uint8_t count = op_table[i].fixed_count;
    switch (op_table[i].rule) {
      case TypeRule::int_binary:
      case TypeRule::int_unary: table[i] = {Kind::arithmetic, count, integers}; break;
      case TypeRule::float_binary:
      case TypeRule::float_unary: table[i] = {Kind::arithmetic, count, floats}; break;
      case TypeRule::signed_compare: table[i] = {Kind::comparison, count, integers}; break;
      case TypeRule::equality:
      case TypeRule::unsigned_compare: table[i] = {Kind::comparison, count, integers | ptr.bits}; break;
      case TypeRule::float_compare: table[i] = {Kind::comparison, count, floats}; break;
      default: break;
    }
  }
  auto set = [&](Op op, Kind kind, uint8_t count) { table[static_cast<unsigned>(op)] = {kind, count, 0}; };
  set(Op::phi, Kind::phi, 0);
  set(Op::jump, Kind::jump, 1);
  set(Op::branch, Kind::branch, 3);
  set(Op::ret, Kind::ret, 0);
  return table;
}();

PlainCheck::PlainCheck(const VerifyContext& context)
    : c(context),
      f(context.f),
      stmts_(f.columns().stmts()),
      types_(f.columns().types()),
      blocks_(context.block_of_dense.data()),
      dominance_(context.dominance()),
      constants_(context.module.constants),
      params_(f.signature().params.data()),
      result_(f.result_type()),
      param_count_(f.param_count()),
      size_(context.size) {}

bool PlainCheck::is_plain_phi(uint32_t at) const {
  const Stmt& stmt = stmts_[at];
  std::span<const flow::Node> columns = c.phi_columns(block_);
  uint32_t declared = types_[at].bits;
  if (stmt.n != columns.size() || stmt.n > 3 || declared == 0 || (declared & ~any.bits) != 0) return false;
  for (uint32_t i = 0; i < stmt.n; ++i) {
    uint32_t word = stmt.arg[i];
    if (is_none(columns[i])) return false;
    if (word >= size_) {
      if (type_of_other(word) != declared) return false;
    } else if (types_[word].bits != declared || stmts_[word].op <= Op::same ||
               !dominance_.dominates(node(blocks_[word]), columns[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace braid::ir
