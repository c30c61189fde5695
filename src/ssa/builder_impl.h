// What a Builder keeps: the function, the construction, the open scopes, and mistakes.
#pragma once

#include <braid/builder.h>

#include <memory>
#include <string>
#include <vector>

#include "ir/function.h"
#include "ssa/on_the_fly.h"

namespace braid {

namespace ssa {
/// What a scope of structured control flow is; a try is first its body, then its handler.
enum class ScopeKind : uint8_t { condition, loop, body, handler };
}  // namespace ssa

struct Builder::Impl {
  explicit Impl(ir::Function& function) : f(function), ssa(function) {}
  /// For a function whose name is taken: it is built, so that the rest can be checked, and thrown away.
  explicit Impl(std::unique_ptr<ir::Function> function)
      : scratch(std::move(function)), f(*scratch), ssa(*scratch) {}

  std::unique_ptr<ir::Function> scratch;
  ir::Function& f;
  ssa::OnTheFly ssa;
  ir::BlockId block{};
  bool is_open = false;     ///< `block` takes statements; otherwise what follows cannot be reached
  bool has_labels = false;  ///< jumps of the user's own: the graph may be irreducible
  bool is_done = false;
  ir::Loc loc{};
  Diagnostics errors;
  std::vector<Symbol> names;    ///< of variables
  std::vector<uint32_t> flags;  ///< per variable: the variable that says whether it is assigned; empty while there is none
  static constexpr uint32_t no_flag = 0xffffffffu;

  struct Scope {
    ssa::ScopeKind kind;
    ir::BlockId first;   ///< else block, loop head, handler
    ir::BlockId after;
    ir::Operand token;      ///< of a try
    bool has_else = false;
  };
  std::vector<Scope> scopes;

  void start(ir::BlockId b) {
    block = b;
    is_open = true;
    ssa.at(b);
  }
  /// Statements behind a terminator go to a block that nothing leads to.
  void open() {
    if (!is_open) start(f.new_block());
  }
  void close() { is_open = false; }

  uint32_t declare(Type type, ir::Operand initial, Symbol name);
  void add_flag(uint32_t variable);
  uint32_t read(uint32_t variable);
  void write(uint32_t variable, ir::Operand value);

  uint32_t append(ir::Op op, Type type, std::initializer_list<ir::Operand> operands) {
    open();
    return ir::Operand(f.append(block, f.make(op, type, operands, loc))).word();
  }
  /// Appends and answers the value, of the type that follows from the op, or else of `declared`.
  Val value(Builder* builder, ir::Op op, std::span<const uint32_t> words, Type declared);

  uint32_t word(const Arg& arg, Type wanted);
  ir::Operand integer(Type type, int64_t value);
  ir::Operand real(Type type, double value);
  ir::Operand zero(Type type);

  ir::BlockId block_of(Label label);
  void jump(ir::BlockId to);
  void leave_scopes(size_t from);
  void finish_open_block();
  void error(std::string message);
  void mismatch(ir::Op op, Type left, Type right);
  std::string block_name(ir::BlockId b) const;
  std::string type_name(Type type) const;
};

}  // namespace braid
