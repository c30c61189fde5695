// What a Builder keeps: the function, the construction, the open scopes, and mistakes.
#pragma once

#include <braid/builder.h>

#include <memory>
#include <optional>
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
  Impl(Builder& owner, ir::Function& function) : owner(owner), f(&function), ssa(function, owner.variables_) {}
  /// For a function whose name is taken: it is built, so that the rest can be checked, and thrown away.
  Impl(Builder& owner, std::unique_ptr<ir::Function> function)
      : owner(owner), scratch(std::move(function)), f(scratch.get()), ssa(*scratch, owner.variables_) {}

  enum class State : uint8_t { building, done, failed };

  Builder& owner;
  std::unique_ptr<ir::Function> scratch;  ///< what is not in the module
  ir::Function* f;
  ssa::OnTheFly ssa;
  ir::BlockId block{};
  bool is_open = false;     ///< `block` takes statements; otherwise what follows cannot be reached
  bool has_labels = false;  ///< jumps of the user's own: the graph may be irreducible
  bool simplifies = false;  ///< by the rewrite rules
  State state = State::building;
  ir::Function* finished = nullptr;
  ir::Loc loc{};
  Diagnostics errors;
  std::vector<Symbol> names;    ///< of variables
  /// Of a variable that is checked at each read: where its value is, and whether it is assigned. It is never known itself,
  /// so that reads and assignments come here.
  struct Checked {
    uint32_t value = none, flag = none;
    static constexpr uint32_t none = 0xffffffffu;
  };
  std::vector<Checked> checked;  ///< by variable, as far as there is one
  std::vector<uint32_t> words;  ///< the operands of a statement in the making

  struct Scope {
    ssa::ScopeKind kind;
    ir::BlockId first;            ///< else block, loop head, handler
    ir::BlockId after;
    ssa::OnTheFly::Mark mark;     ///< before a condition or loop
    ir::Operand token = {};       ///< of a try
    bool has_else = false;
  };
  std::vector<Scope> scopes;

  ir::Module& module() const { return f->module(); }

  // ---- the current block ----
  void start(ir::BlockId b) {
    ssa.at(b);
    take_up(b);
  }
  /// Starts the block where the ways from a mark meet.
  void start(ir::BlockId b, const ssa::OnTheFly::Mark& mark, bool sides);
  /// Jumps of the user's own may enter the loop elsewhere.
  void seal_loop(const Scope& scope, bool falls_back) {
    if (has_labels)
      ssa.seal(scope.first);
    else
      ssa.seal_loop(scope.mark, scope.first, falls_back);
  }
  void take_up(ir::BlockId b) {
    pause();
    block = b;
    is_open = true;
    resume();
  }
  /// Before anything else than writing operators is done with the function.
  void pause() {
    detail::StatementWriter& writer = owner.writer_;
    if (writer.statements == nullptr) return;
    f->close_tail(block, writer.position, loc);
    writer.statements = nullptr;
    writer.position = writer.room = 0;
  }
  void resume();
  /// Statements behind a terminator go to a block that nothing leads to.
  void open() {
    if (!is_open) open_new();
    pause();
  }
  void open_new();
  void start_again();
  void close() {
    pause();
    is_open = false;
    ssa.pause();
  }
  ir::BlockId block_of(Label label);
  void jump(ir::BlockId to);
  void leave_scopes(size_t from);

  // ---- variables ----
  uint32_t declare(Type type, ir::Operand initial, Symbol name);
  uint32_t read(uint32_t variable);
  void write(uint32_t variable, ir::Operand value, bool defined = true);
  bool is_checked(uint32_t variable) const { return variable < checked.size() && checked[variable].value != Checked::none; }

  // ---- values ----
  static const uint32_t* operator_heads();
  ir::Ref append(ir::Op op, Type type, std::initializer_list<ir::Operand> operands) {
    open();
    ir::Ref made = f->append(block, f->make(op, type, operands, loc));
    resume();
    return made;
  }
  class View;
  /// A value that the operation need not be computed for, or what is simpler; nothing if there is none, or if nobody asks.
  std::optional<ir::Operand> simpler(ir::Op op, Type result, std::span<const uint32_t> words);
  /// As `append`, if there is nothing simpler.
  ir::Operand operation(ir::Op op, Type type, std::initializer_list<ir::Operand> operands) {
    uint32_t words[2] = {};
    uint32_t count = 0;
    for (ir::Operand operand : operands) words[count++] = operand.word();
    if (std::optional<ir::Operand> made = simpler(op, type, {words, count})) return *made;
    return append(op, type, operands);
  }
  /// Any op whose operands are values and immediates.
  Val build(ir::Op op, std::span<const Arg> operands, Type result);
  /// Appends and answers the value, of the type that follows from the op and `words`, or else of `declared`.
  Val value(ir::Op op, Type declared);
  /// What a mistake gives; the function is not going to be used.
  Val nothing(Type type = i64);
  uint32_t word(const Arg& arg, Type wanted);
  ir::Operand integer(Type type, int64_t value);
  ir::Operand real(Type type, double value);
  /// The zero of a type; undef if its values have no constants.
  ir::Operand zero(Type type) const;

  // ---- the end ----
  void end_blocks();
  bool finish();
  void give_up();

  void error(std::string message);
  void mismatch(ir::Op op, Type left, Type right);
  std::string block_name(ir::BlockId b) const;
  std::string type_name(Type type) const;
};

}  // namespace braid
