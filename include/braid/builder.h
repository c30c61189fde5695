// The builder: a function from variables, expressions and control flow, straight into SSA.
//
//   Builder b(m, "sum", {{"n", i64}}, i64);
//   Var n = b.param("n");
//   Var s = b.var("s", i64, 0);
//   b.while_([&] { return n > 0; }, [&] { s += n; n -= 1; });
//   b.ret(s);
//   Func& f = b.done();
//
// Variables may be read and assigned anywhere; phis appear where they are needed and nowhere else. Blocks need no sealing
// and no order. Mistakes are collected and reported by `try_done`, with the name of the function. Values, variables and
// labels belong to their builder and must not outlive it.
#pragma once

#include <braid/expected.h>
#include <braid/module.h>
#include <braid/type.h>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace braid {

class Builder;

namespace detail {

/// A word and its type as one number: compilers put two parts together, and take them apart, in the dearest ways.
struct TypedWord {
  uint64_t bits;

  static constexpr TypedWord of(uint32_t word, Type type) { return {word | uint64_t{type.bits} << 32}; }
  constexpr uint32_t word() const { return static_cast<uint32_t>(bits); }
  constexpr Type type() const { return Type{static_cast<uint32_t>(bits >> 32)}; }
};

/// A variable's value; it is known if the stamp is recent enough.
struct VariableSlot {
  uint32_t word, stamp;

  /// Both at once.
  void set(uint32_t new_word, uint32_t new_stamp) {
    if constexpr (std::endian::native == std::endian::little) {
      uint64_t both = new_word | uint64_t{new_stamp} << 32;
      std::memcpy(static_cast<void*>(this), &both, 8);
    } else {
      *this = {new_word, new_stamp};
    }
  }
};
struct VariableChange {
  uint32_t variable;
  VariableSlot slot;
};
/// What reads and assignments without a call work on. A slot is known from the stamp `valid` on. It may be assigned, which
/// gives it the current stamp, if its own is at least `own`: then nobody wants to know what was there before. If somebody
/// does, and there is room, that goes to the log.
struct VariableTable {
  static constexpr uint32_t known = 0x80000000u;  ///< in stamps: the value counts as read
  VariableSlot* slots = nullptr;
  uint32_t valid = 0xffffffffu, own = 0xffffffffu, stamp = 0;
  VariableChange* log = nullptr;
  uint32_t log_size = 0, log_room = 0;
  bool is_structured = false;  ///< until something else is needed than conditions and loops

  /// In structured code: the value may be a phi that nothing has read yet, and that is all that there is to know.
  bool may_be_unread(const VariableSlot& slot) const { return (slot.stamp | known) >= valid; }
  /// The value is from another block.
  bool may_log(const VariableSlot& slot) const { return log_size < log_room && (slot.stamp | known) < stamp; }
  void add_change(uint32_t variable, const VariableSlot& slot) {
    VariableChange& change = log[log_size++];
    change.variable = variable;
    change.slot = slot;
  }
};
/// From here on, words that a user holds are positions that do not change any more, and numbers of phis without a place.
inline constexpr uint32_t first_final = 6u << 29, first_number = 7u << 29;
/// The first words of statements, two for each sign: for integers and for reals; 0 where there is no such operation.
extern const uint32_t operator_heads[32];

/// … and of jumps, branches and phis.
extern const uint32_t jump_head, branch_head, phi_head;

/// The end of the current block, where statements are written without a call as long as there is room.
struct StatementWriter {
  char* statements = nullptr;  ///< 16 bytes each: a head, three operands
  Type* types = nullptr;
  uint32_t position = 0, room = 0;
  bool is_open = false;      ///< the block takes statements; otherwise what follows cannot be reached
  uint32_t closed_room = 0;  ///< while the block is closed there is no room; then this was it; otherwise 0
  /// Statements that were written before this position may stand elsewhere now.
  uint32_t moved = 0;
  uint32_t outdated = 0 - first_final;  ///< moved - first_final

  void set_moved(uint32_t end) {
    moved = end;
    outdated = end - first_final;
  }
  /// Of a word that a user holds: it may be called otherwise by now.
  bool is_outdated(uint32_t word) const { return word - first_final < outdated; }
  /// What a user is to hold, who may ask at any time what it is called then.
  uint32_t name(uint32_t word) const { return word < moved ? word | first_final : word; }

  void close() {
    is_open = false;
    closed_room = room;
    room = position;
  }
  bool may_reopen() const { return closed_room != 0; }
  void reopen() {
    is_open = true;
    room = closed_room;
    closed_room = 0;
  }

  uint32_t write(uint32_t head, uint32_t left, uint32_t right, Type type, uint32_t third = 0) {
    // Everything is read first: what is written below could be any of it, as far as a compiler knows.
    uint32_t at = position++;
    char* to = statements + size_t{at} * 16;
    const uint32_t words[4] = {head, left, right, third};
    types[at] = type;
    uint64_t low = head | uint64_t{left} << 32, high = right | uint64_t{third} << 32;
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(to, &low, 8);
      std::memcpy(to + 8, &high, 8);
    } else {
      std::memcpy(to, words, 16);
    }
    return at;
  }
};

/// Blocks of the user's own, as long as each is filled as a whole behind a jump to it: what is needed of labels, blocks and the
/// values that jumps bring to go on without a call. All the rest is found out at the end.
struct LabelWriter {
  static constexpr uint32_t most_starts = 4096;
  /// 0, also of labels to come; 1 if somebody jumps there; twice its block's number and 1 if it has one.
  uint32_t* labels = nullptr;
  uint32_t made = 0, label_room = 0;
  uint32_t* starts = nullptr;  ///< positions of the last blocks, by number modulo most_starts
  uint32_t blocks = 0, block_room = 0;
  TypedWord* values = nullptr;
  uint32_t brought = 0, value_room = 0;
  uint32_t next_phi = 0xffffffffu;  ///< where the next phi of the current block may stand

  /// The label's block starts here.
  void start(uint32_t label, uint32_t position) {
    uint32_t number = blocks;
    blocks = number + 1;
    next_phi = position;
    labels[label] = 2 * number + 1;
    starts[number % most_starts] = position;
  }
  /// There is room for a label.
  uint32_t make() {
    uint32_t label = made;
    made = label + 1;
    return label;
  }
};

/// Neither none nor void, nor what only a type table knows.
constexpr bool is_plain_value(Type type) { return type.bits - 1 < void_type.bits - 1; }

/// Of a number's type: it has numbers that no int64_t has.
template <typename T>
inline constexpr bool may_be_large = std::is_unsigned_v<T> && sizeof(T) == sizeof(uint64_t);

}  // namespace detail

/// A value: the result of an operation. Free to copy.
class Val {
 public:
  Type type() const { return value_.type(); }

 private:
  friend class Builder;
  friend class Var;
  friend class Arg;
  friend struct Handle;
  Val(Builder* builder, detail::TypedWord value) : builder_(builder), value_(value) {}
  Val(Builder* builder, uint32_t word, Type type) : Val(builder, detail::TypedWord::of(word, type)) {}
  uint32_t word() const { return value_.word(); }
  Builder* builder_;
  detail::TypedWord value_;
};

/// What reading an unassigned variable means.
enum class Undefined {
  reject,  ///< it does not happen; a certain use is an error, a possible one traps
  throws,  ///< the exception `undefined`, with the variable's name
  zero,    ///< the zero of its type
};

/// A variable. It cannot be copied, which would alias it; assigning one variable to another assigns its value.
class Var {
 public:
  Var(const Var&) = delete;  // a lambda that returns a variable returns its value: `[&]() -> Val { return x; }`
  Type type() const { return type_; }
  Val get() const;
  operator Val() const { return get(); }

  inline Var& operator=(const Var& other);
  inline Var& operator=(const Val& value);
  template <typename T>
    requires std::is_arithmetic_v<T>
  inline Var& operator=(T literal);

 private:
  friend class Builder;
  friend class Arg;
  friend struct Handle;
  Var(Builder* builder, uint32_t number, Type type) : builder_(builder), number_(number), type_(type) {}
  Builder* builder_;
  uint32_t number_;
  Type type_;
};

/// A block that has a name before it has a place, for `at`, `jump` and `branch`.
class Label {
 public:
  Label() = default;

 private:
  friend class Builder;
  Label(const Builder* builder, uint32_t block) : builder_(builder), block_(block) {}
  const Builder* builder_ = nullptr;
  uint32_t block_ = 0;
};

/// An operand: a value, a variable (its value now), or a number, which takes the type that is needed.
class Arg {
 public:
  Arg(const Val& value) : value_(value.value_), builder_(value.builder_), form_(Form::value) {}
  Arg(const Var& variable) : Arg(variable.get()) {}
  template <typename T>
    requires std::is_arithmetic_v<T>
  Arg(T literal) {
    if constexpr (std::is_floating_point_v<T>) {
      real_ = static_cast<double>(literal);
      form_ = Form::real;
    } else {
      integer_ = static_cast<int64_t>(literal);
      form_ = detail::may_be_large<T> && integer_ < 0 ? Form::large : Form::integer;
    }
  }

 private:
  friend class Builder;
  enum class Form : uint8_t { value, integer, large, real };  ///< large: an integer without a sign, 2^63 or more
  uint32_t word() const { return value_.word(); }
  /// Of a number none.
  Type type() const { return form_ == Form::value ? value_.type() : none; }
  union {
    int64_t integer_;
    double real_;
    detail::TypedWord value_;
  };
  const Builder* builder_ = nullptr;  ///< of a value
  Form form_;
};

class Builder {
 public:
  /// Starts a function of a module that outlives the builder. Until it is done, the module has a declaration of it, which may be
  /// there before; a name that is taken otherwise is an error of `try_done`.
  Builder(Module& m, std::string_view name, std::initializer_list<Param> params, Type result = void_type);
  Builder(Module& m, std::string_view name, std::span<const Param> params, Type result = void_type);
  /// A function that was not done is only declared from then on.
  ~Builder();
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;
  /// Room for about so many statements, so that growing does not copy.
  void reserve(uint32_t statements, uint32_t blocks = 0);

  // ---- variables ----
  Var param(std::string_view name) { return made(find_param(name)); }
  Var param(uint32_t number) { return made(find_param(number)); }
  Var var(std::string_view name, Type type, Arg initial) { return made(new_var(name, type, initial)); }
  Var var(std::string_view name, Type type, Undefined meaning = Undefined::reject) {
    return made(new_var(name, type, meaning));
  }
  /// Makes the variable unassigned again.
  void unset(Var& variable);
  /// Whether a variable whose meaning is `throws` is assigned, as an i1.
  Val is_defined(const Var& variable);

  // ---- structured control flow ----
  template <std::invocable Then>
  void if_(Arg condition, Then&& then) {
    begin_if(condition);
    then();
    end_if();
  }
  template <std::invocable Then, std::invocable Else>
  void if_(Arg condition, Then&& then, Else&& otherwise) {
    begin_if(condition);
    then();
    begin_else();
    otherwise();
    end_if();
  }
  template <std::invocable Condition, std::invocable Body>
  void while_(Condition&& condition, Body&& body) {
    begin_loop();
    loop_while(condition());
    body();
    end_loop();
  }
  /// The same, for as long as the variable is true.
  template <std::invocable Body>
  void while_(const Var& condition, Body&& body) {
    begin_loop();
    loop_while(condition);
    body();
    end_loop();
  }
  /// For ever, or until `break_`.
  template <std::invocable Body>
  void loop(Body&& body) {
    begin_loop();
    body();
    end_loop();
  }
  void break_();
  void continue_();
  /// Runs `body`; if it throws, runs `handler` with the exception.
  template <std::invocable Body, std::invocable<Val> Handler>
  void try_(Body&& body, Handler&& handler) {
    begin_try();
    body();
    handler(begin_handler());
    end_try();
  }

  // ---- blocks and jumps ----
  Label label() { return Label(this, flow_.made < flow_.label_room ? flow_.make() : new_label({})); }
  Label label(std::string_view name) { return Label(this, new_label(name)); }
  /// A block that handles exceptions. Make it before the blocks that it protects are filled.
  Label handler_label(std::string_view name = {});
  /// What follows goes to this block, behind what is there. A block that has ended takes nothing more.
  inline Builder& at(Label block);
  /// A jump brings one value for each phi of its target, in their order: `b.jump(head, {x, 0})`.
  void jump(Label target) { jump_with(target, nullptr, std::index_sequence<>()); }
  template <size_t count>
  [[gnu::always_inline]] void jump(Label target, const Arg (&values)[count]) {
    jump_with(target, values, std::make_index_sequence<count>());
  }
  void jump(Label target, std::span<const Arg> values);
  inline void branch(const Arg& condition, Label if_true, Label if_false);
  void branch(const Arg& condition, Label if_true, std::initializer_list<Arg> true_values, Label if_false,
              std::initializer_list<Arg> false_values);
  /// A phi by hand, for those who have SSA already: what the jump that came to the current block has brought. Nothing but
  /// phis is in the block yet. It may stay also if nothing reads it.
  inline Val phi(Type type);
  struct Case {
    int64_t value;
    Label target;
  };
  void switch_(Arg value, Label otherwise, std::initializer_list<Case> cases);
  void switch_(Arg value, Label otherwise, std::span<const Case> cases);
  /// Protects what follows `body`, until `leave`; the answer is the token.
  Val enter(Label handler, Label body);
  void leave(Val token);
  Val the_exception();
  void pop_exception(Val token);
  void ret();
  void ret(Arg value);
  void throw_(Arg exception);
  /// Leaves the compiled code to this state.
  void deopt(Val state);
  void unreachable();

  // ---- values ----
  /// A number of any type of C++, as long as it fits.
  template <typename T>
    requires std::is_arithmetic_v<T>
  Val constant(Type type, T value);
  Val null();
  /// An operation of docs/ir.md by its name, unless it ends a block or has a method of its own; `result` where the operation does not
  /// determine it.
  Val op(std::string_view name, std::initializer_list<Arg> operands, Type result = none);
  Val call(std::string_view function, std::initializer_list<Arg> arguments);
  Val call(const Func& function, std::span<const Arg> arguments);
  /// For `call_indirect`, whose arguments have the types of the callee's parameters; numbers need one: `constant`.
  Val function_address(std::string_view function);
  Val call_indirect(Type result, Arg address, std::initializer_list<Arg> arguments);
  Val intrinsic(std::string_view name, std::initializer_list<Arg> operands);
  Val select(Arg condition, Arg if_true, Arg if_false);
  Val convert(std::string_view op, Arg value, Type to) { return this->op(op, {value}, to); }
  Val load(Type type, Arg address);
  void store(Arg value, Arg address);
  Val stack_slot(uint32_t bytes, uint32_t align = 8);
  Val global(std::string_view name);
  Val extract(Val tuple, uint32_t field);
  /// Whether the value is of one of these kinds.
  Val is(Arg value, Type kinds);
  /// Throws `undefined`, with the name, unless `defined` is true: what reading a variable does that is declared to throw.
  void throw_undef(std::string_view name, Arg defined);

  // ---- frame states, for code that an interpreter may take over ----
  /// How the interpreter goes on at the position of a state.
  enum class Resume : uint8_t {
    reexecute,      ///< it executes what is at the position, of which nothing has happened yet
    after_call,     ///< it goes on behind the call at the position
    handler,        ///< it handles an exception there
  };
  /// A register of the interpreter, and the value that it has.
  struct Register {
    uint32_t number;
    Arg value;
  };
  /// Describes the frame of the interpreter: the position, and the registers that are live there; one whose variable is not
  /// assigned is undefined there, too. What is written to memory or called behind it, before it is used, is not undone.
  Val save_state(uint32_t position, std::initializer_list<Register> registers, Resume resume = Resume::reexecute);
  Val save_state(uint32_t position, std::span<const Register> registers, Resume resume = Resume::reexecute);
  /// The same for a function that was inlined: `caller` is the state of the frame below.
  Val save_state(uint32_t position, std::span<const Register> registers, Resume resume, Val caller);
  /// Goes on only if the condition is true; otherwise leaves the compiled code to this state.
  void guard(Arg condition, Val state);
  /// A place where the collector or the runtime may stop the program with this state.
  void safepoint(Val state);
  /// At the head of a loop: where on-stack replacement may enter or leave with this state.
  void osr_state(Val state);

  /// Whether operations are simplified while they are built, by the rewrite rules, and computed on constants. Off at first:
  /// every operation is a statement then, and operators are written without a call.
  void simplify(bool on = true);
  /// Where what follows comes from; no file and zeros: from nowhere in particular.
  void location(std::string_view file, uint32_t line, uint32_t column);

  // ---- the end ----
  /// The function, compacted and verified. On a mistake, prints what is wrong and exits with 70: for programs that know
  /// that they make none.
  Func& done();
  /// The function, or what is wrong with it; then nothing of it is in the module but a declaration, and another builder may
  /// try again.
  Expected<Func*> try_done(bool verified = true);

  enum class Sign : uint8_t { add, sub, mul, div, rem, and_, or_, xor_, shl, shr, lt, le, gt, ge, eq, ne };

 private:
  friend class Var;
  friend struct Handle;
  struct Impl;

  /// A variable is made here, where nobody else can know its address: so a compiler may keep it in registers.
  struct NewVar {
    uint32_t number;
    Type type;
  };
  Var made(NewVar variable) { return Var(this, variable.number, variable.type); }
  NewVar find_param(std::string_view name);
  NewVar find_param(uint32_t number);
  NewVar new_var(std::string_view name, Type type, const Arg& initial);
  NewVar new_var(std::string_view name, Type type, Undefined meaning);

  uint32_t read(uint32_t variable) {
    const detail::VariableSlot& slot = variables_.slots[variable];
    if (slot.stamp >= variables_.valid) [[likely]] return slot.word;
    return read_slow(variable);
  }
  void write(uint32_t variable, uint32_t word) {
    detail::VariableSlot& slot = variables_.slots[variable];
    if (slot.stamp < variables_.own) {
      if (!variables_.may_log(slot)) [[unlikely]] return write_slow(variable, word);
      variables_.add_change(variable, slot);
    }
    slot.set(word, variables_.stamp);
  }
  /// What a value is called now.
  uint32_t current(uint32_t word) const { return writer_.is_outdated(word) ? current_slow(word) : word; }
  uint32_t current_slow(uint32_t word) const;
  uint32_t read_slow(uint32_t variable);
  void write_slow(uint32_t variable, uint32_t word);
  uint32_t literal(Type type, int64_t value);
  uint32_t literal(Type type, uint64_t value);
  /// A constant's type, if it is one of this module.
  Type known(Type type) { return detail::is_plain_value(type) ? type : known_slow(type); }
  Type known_slow(Type type);
  uint32_t literal(Type type, double value);
  /// The value as a word of a wider type; one of another builder or type is a mistake.
  uint32_t checked(Val value, Type wanted);
  /// The first word of the statement for an operator that may be written in place; 0 if not.
  uint32_t head_of(Sign sign, Type type, Type right_type) const {
    if (writer_.position == writer_.room || type != right_type || !type.is_plain()) return 0;
    return detail::operator_heads[2 * static_cast<unsigned>(sign) + (type == f64 || type == f32)];
  }
  /// Whether one of integers may be: then there is a head.
  bool may_write_integers(Type type, Type right_type) const {
    constexpr uint32_t others = ~(i1 | i8 | i16 | i32 | i64).bits;
    return writer_.position != writer_.room && ((type.bits ^ right_type.bits) | (type.bits & others)) == 0;
  }
  detail::TypedWord write_operator(Sign sign, uint32_t head, uint32_t left, uint32_t right, Type type) {
    Type result = sign >= Sign::lt ? i1 : type;
    return detail::TypedWord::of(writer_.write(head, left, right, result), result);
  }
  detail::TypedWord binary_slow(Sign sign, uint32_t left, uint32_t right, Type type, Type right_type);
  Val unary_minus(Val value);
  Val complement(Val value);
  Val negation(Val condition);

  /// Of a value of this builder that is called what it was when it was made.
  bool is_current(const Arg& arg) const {
    return arg.form_ == Arg::Form::value && arg.builder_ == this && !writer_.is_outdated(arg.word());
  }
  // Blocks and jumps without a call, and what is done where that is not possible. That the label was made here is not enough: one
  // that is kept from an earlier builder in the same place may name what this one does not have.
  bool is_in_order(Label label) const { return label.builder_ == this && label.block_ < flow_.made; }
  void close() {
    writer_.close();
    variables_.valid = 0xffffffffu;
  }
  template <size_t... i>
  [[gnu::always_inline]] void jump_with(Label target, const Arg* values, std::index_sequence<i...>);
  uint32_t new_label(std::string_view name);
  void take_up(Label block);
  void branch_slow(Arg condition, Label if_true, Label if_false);
  detail::TypedWord phi_slow(Type type);

  void begin_if(const Arg& condition);
  void begin_else();
  void end_if();
  void begin_loop();
  void loop_while(const Arg& condition);
  void end_loop();
  void begin_try();
  Val begin_handler();
  void end_try();

  detail::VariableTable variables_;
  detail::StatementWriter writer_;
  detail::LabelWriter flow_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace braid

#include <braid/builder_blocks.h>
#include <braid/builder_operators.h>
