// The plain statement: what nearly all statements are, found to obey every rule of values and types at once.
//
// Arithmetic, comparisons, phis, jumps, branches and returns whose operands are earlier statements, parameters or numbers,
// all of exactly the type that is wanted. That takes a few compares per operand. Whatever is not plain may be right all the
// same; it goes the long way (verify_values.cpp, verify_types.cpp), which also finds the words for what is wrong.
#pragma once

#include <array>

#include "ir/verify_context.h"

namespace braid::ir {

class PlainCheck {
 public:
  /// The graph is sound and dominance known. Nothing may wait in the insertion buffer.
  explicit PlainCheck(const VerifyContext& context);

  /// The range of positions that is walked next, in a reachable block.
  void start_range(BlockId block, uint32_t first) {
    block_ = block;
    first_ = first;
    terminator_ = f.terminator(block).word();
  }
  /// Whether the statement at a position of this range is plain. `in_phis`: only phis stand before it in its block.
  bool is_plain(uint32_t at, bool in_phis) const {
    const Stmt& stmt = stmts_[at];
    if (static_cast<unsigned>(stmt.op) >= op_count) return false;
    const Form& form = forms[static_cast<unsigned>(stmt.op)];
    if (form.kind == Form::Kind::phi) return in_phis && is_plain_phi(at);
    if (form.kind == Form::Kind::ret) return is_return(at, stmt);
    if (stmt.n != form.count) return false;
    uint32_t declared = types_[at].bits;
    switch (form.kind) {
      case Form::Kind::arithmetic:
        if ((declared & form.kinds) == 0 || !is_one(declared)) return false;
        for (uint32_t i = 0; i < form.count; ++i)
          if (type_of(stmt.arg[i], at) != declared) return false;
        return true;
      case Form::Kind::comparison: {
        uint32_t type = type_of(stmt.arg[0], at);
        return (type & form.kinds) != 0 && is_one(type) && type_of(stmt.arg[1], at) == type && declared == i1.bits;
      }
      case Form::Kind::jump: return at == terminator_ && declared == void_type.bits;
      case Form::Kind::branch:
        return at == terminator_ && declared == void_type.bits && type_of(stmt.arg[0], at) == i1.bits;
      default: return false;
    }
  }

 private:
  struct Form {
    enum class Kind : uint8_t { other, arithmetic, comparison, phi, jump, branch, ret } kind = Kind::other;
    uint8_t count = 0;  ///< operands; phis and returns may have any number
    KindSet kinds = 0;  ///< of the operands
  };
  static const std::array<Form, op_count> forms;

  static constexpr bool is_one(uint32_t bits) { return (bits & (bits - 1)) == 0; }

  /// The type of an operand that is there before the statement at `at`; `none` where that is not plain to see.
  uint32_t type_of(uint32_t word, uint32_t at) const {
    if (word - first_ < at - first_) return stmts_[word].op > Op::same ? types_[word].bits : none.bits;
    if (word < size_) {
      BlockId from = blocks_[word];
      bool before = from != block_ && dominance_.dominates(node(from), node(block_));
      return before && stmts_[word].op > Op::same ? types_[word].bits : none.bits;
    }
    return type_of_other(word);
  }
  /// Of a parameter or constant. Of these only types in which every pattern of bits stands for a value.
  uint32_t type_of_other(uint32_t word) const {
    Operand operand = Operand::from_word(word);
    if (operand.tag() == Operand::Tag::param)
      return operand.number() < param_count_ ? params_[operand.number()].bits : none.bits;
    if (!operand.is_constant() || !constants_.contains(operand)) return none.bits;
    Type type = constants_.value(operand).type;
    bool any_bits = type == i64 || type == f64 || (type == i32 && operand.tag() == Operand::Tag::small);
    return any_bits ? type.bits : none.bits;
  }
  /// The operand of each edge is there at the end of the block that the edge comes from.
  bool is_plain_phi(uint32_t at) const;
  bool is_return(uint32_t at, const Stmt& stmt) const {
    if (at != terminator_ || types_[at] != void_type) return false;
    if (stmt.n == 0) return result_ == void_type;
    return stmt.n == 1 && result_ != void_type && result_.is_plain() && type_of(stmt.arg[0], at) == result_.bits;
  }

  const VerifyContext& c;
  const Function& f;
  const Stmt* stmts_;
  const Type* types_;
  const BlockId* blocks_;
  const flow::Dominance& dominance_;
  const ConstTable& constants_;
  const Type* params_;
  Type result_;
  uint32_t param_count_, size_;
  BlockId block_{};
  uint32_t first_ = 0, terminator_ = 0;
};

}  // namespace braid::ir
