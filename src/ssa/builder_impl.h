// What a Builder keeps: the function, the construction, the open scopes, and mistakes.
#pragma once

#include <braid/builder.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/maybe.h"
#include "ir/function.h"
#include "ssa/brought_values.h"
#include "ssa/label_blocks.h"
#include "ssa/labels.h"
#include "ssa/on_the_fly.h"
#include "ssa/structured.h"

namespace braid {

namespace ssa {
/// What a scope of structured control flow is; a try is first its body, then its handler.
enum class ScopeKind : uint8_t { condition, loop, body, handler };
}  // namespace ssa

struct Builder::Impl {
  /// `place`: what the module has of this name, an external function until this one is done. Null if the name is taken: the
  /// function is built, so that the rest can be checked, and thrown away.
  Impl(Builder& owner, ir::Module& module, Symbol name, ir::SigId signature, ir::Function* place)
      : owner(owner),
        place(place),
        own(module, place == nullptr ? none_id<ir::FuncId> : place->id(), name, signature, false),
        f(&own),
        at{&own, &owner.writer_, owner.writer_.is_open},
        structured(at, owner.variables_, module.symbol("entry")),
        brought(word_of_number, this),
        labels(at, owner.variables_, owner.flow_, brought),
        label_blocks(at, brought) {}

  enum class State : uint8_t { building, done, failed };

  Builder& owner;
  ir::Function* place;
  ir::Function own;  ///< it moves to its place at the end, so that nobody sees it half made
  std::unique_ptr<ir::Function> late;  ///< what is built behind the end
  ir::Function* f;
  ssa::BlockEnd at;
  ssa::Structured structured;          ///< until something comes that is not for it …
  ssa::BroughtValues brought;
  ssa::Labels labels;                  ///< … while it is in order, then this …
  ssa::LabelBlocks label_blocks;
  std::optional<ssa::OnTheFly> ssa;    ///< … and for all else this
  bool has_labels = false;  ///< jumps of the user's own: the graph may be irreducible
  bool simplifies = false;  ///< by the rewrite rules
  State state = State::building;
  ir::Function* finished = nullptr;  ///< when no longer building: the function, or what is left of it
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
  std::vector<ssa::TypedWord> brought_words;  ///< … and what it brings

  struct Scope {
    ssa::ScopeKind kind;
    ir::BlockId first;            ///< else block, loop head, handler
    ir::BlockId after;
    std::optional<ssa::OnTheFly::Mark> mark;  ///< before a condition or loop, if it began here
    ir::Operand token = {};       ///< of a try
    bool has_else = false;
  };
  std::vector<Scope> scopes;      ///< those that are not in `structured`

  ir::Module& module() const { return f->module(); }

  // ---- the construction ----
  /// Whether what comes next is for `structured`: a statement or the begin of a scope; or the end of one, which costs. From a
  /// negative answer on, nothing is.
  bool is_structured() { return !ssa && ((at.is_open && !labels.is_in_order()) || !go_on_otherwise()); }
  bool ends_structured(uint64_t cost = 0) { return !ssa && (structured.within_budget(cost) || !go_on_otherwise()); }
  bool fills_in_order() const { return labels.is_in_order() && at.is_open; }
  /// Ends the block with a terminator that has no edges, if that is for another than `ssa`.
  bool ends_block(ir::Op op, const ir::Operand* operand) {
    if (fills_in_order())
      labels.end(op, operand);
    else if (is_structured())
      structured.end(op, operand);
    else
      return false;
    return true;
  }
  /// Leaves `structured` and the order of labels; the answer is true.
  bool go_on_otherwise();

  // ---- the current block ----
  void start(ir::BlockId b) {
    ssa->at(b);
    take_up(b);
  }
  /// Starts the block where the ways from a scope meet.
  void start(ir::BlockId b, const Scope& scope, bool sides);
  /// Jumps of the user's own may enter the loop elsewhere.
  void seal_loop(const Scope& scope, bool falls_back) {
    if (has_labels || !scope.mark)
      ssa->seal(scope.first);
    else
      ssa->seal_loop(*scope.mark, scope.first, falls_back);
  }
  void take_up(ir::BlockId b) {
    at.pause();
    at.block = b;
    at.is_open = true;
    at.resume();
  }
  /// Before anything else than writing operators is done with the function. Statements behind a terminator go to a block
  /// that nothing leads to.
  void open() {
    if (!at.is_open) open_new();
    at.pause();
  }
  void open_new();
  void start_again();
  void close() {
    at.pause();
    at.is_open = false;
    if (ssa) ssa->pause();
  }
  ir::BlockId block_of(Label label);
  bool is_ours(Label label) const { return label.builder_ == &owner && label.block_ < label_count(); }
  uint32_t label_count() const { return ssa ? label_blocks.count() : owner.flow_.made; }
  /// What a jump brings; behind it, in the same vector, what the next one does.
  void bring(std::span<const Arg> values, std::vector<ssa::TypedWord>& to);
  /// In any order: the edge has come to the label with these values.
  void arrive(Label target, ir::EdgeId edge, std::span<const Arg> values);
  static uint32_t word_of_number(void* impl, const Arg& number, Type type) {
    return static_cast<Impl*>(impl)->word(number, type);
  }
  void jump(ir::BlockId to);
  void leave_scopes(size_t from);
  // Scopes that are for `ssa`: apart from the others, which should have little to save before they call.
  [[gnu::noinline]] void begin_if(const Arg& condition);
  [[gnu::noinline]] void begin_else();
  [[gnu::noinline]] void end_if();
  [[gnu::noinline]] void begin_loop();
  [[gnu::noinline]] void loop_while(const Arg& condition);
  [[gnu::noinline]] void end_loop();

  // ---- variables ----
  uint32_t declare(Type type, ir::Operand initial, Symbol name);
  ir::Operand initial(uint32_t variable) const { return ssa ? ssa->initial(variable) : structured.initial(variable); }
  uint32_t read(uint32_t variable);
  void write(uint32_t variable, ir::Operand value, bool defined = true);
  bool is_checked(uint32_t variable) const { return variable < checked.size() && checked[variable].value != Checked::none; }

  void check_assignment(Type from, Type to);
  /// The type, or one to go on with if it belongs to another module, which is reported.
  Type known(Type type, const char* what) {
    if (module().types.has(type)) return type;
    error(std::string("the type of ") + what + " does not exist");
    return i64;
  }
  /// Of a value of this builder; otherwise none.
  Type type_of(const Arg& arg) const { return arg.builder_ == &owner ? arg.type() : none; }

  // ---- values ----
  ir::Ref append(ir::Op op, Type type, std::initializer_list<ir::Operand> operands) {
    open();
    at.make_room();
    ir::Ref made = f->append(at.block, f->make(op, type, operands, at.loc));
    at.resume();
    return made;
  }
  class View;
  /// A value that the operation need not be computed for, or what is simpler; nothing if there is none, or if nobody asks.
  Maybe<ir::Operand> simpler(ir::Op op, Type result, std::span<const uint32_t> words);
  /// As `append`, if there is nothing simpler.
  ir::Operand operation(ir::Op op, Type type, std::initializer_list<ir::Operand> operands) {
    uint32_t words[2] = {};
    uint32_t count = 0;
    for (ir::Operand operand : operands) words[count++] = operand.word();
    if (Maybe<ir::Operand> made = simpler(op, type, {words, count})) return *made;
    return append(op, type, operands);
  }
  /// Any op whose operands are values and immediates.
  Val build(ir::Op op, std::span<const Arg> operands, Type result);
  Val save_state(uint32_t position, Resume resume, uint32_t caller, std::span<const Register> registers);
  /// Appends and answers the value, of the type that follows from the op and `words`, or else of `declared`.
  Val value(ir::Op op, Type declared);
  /// What a mistake gives; the function is not going to be used.
  Val nothing(Type type = i64);
  uint32_t word(const Arg& arg, Type wanted) {
    bool is_value = arg.form_ == Arg::Form::value && arg.builder_ == &owner && state == State::building;
    return is_value ? owner.current(arg.word()) : word_slow(arg, wanted);
  }
  uint32_t word_slow(const Arg& arg, Type wanted);
  ir::Operand integer(Type type, int64_t value);
  ir::Operand large(Type type, uint64_t value);  ///< 2^63 or more
  ir::Operand real(Type type, double value);
  /// Reports that the number cannot be of this type.
  ir::Operand refuse_number(Type type, const std::string& number);
  void does_not_fit(Type type, const std::string& number) { error(number + " does not fit in " + type_name(type)); }
  /// The zero of a type; undef if its values have no constants.
  ir::Operand zero(Type type) const;

  // ---- the end ----
  void end_blocks();
  void end_last_block();
  void report_brought_values();
  std::string end_is_reached() const;
  bool finish();
  bool take_place();

  void error(std::string message);
  void mismatch(ir::Op op, Type left, Type right);
  std::string block_name(ir::BlockId b) const;
  std::string type_name(Type type) const;
};

}  // namespace braid
