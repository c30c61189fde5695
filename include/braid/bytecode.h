// Register bytecode of your own, to SSA: you say what each instruction reads, writes and means; blocks, handlers,
// liveness, phis, save states and entries for on-stack replacement come from Braid (docs/howto-bytecode.md).
#pragma once

#include <braid/expected.h>
#include <braid/module.h>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

namespace bytecode {

class Emitter;

/// Instructions are numbered from 0, whatever their size is; a *pc* is such a number.
using Pc = uint32_t;
inline constexpr Pc no_pc = 0xffffffffu;

/// What one instruction does. It reads everything, then may throw, then writes.
struct Decoded {
  std::vector<uint32_t> reads, writes;  ///< registers
  std::vector<Pc> targets;              ///< where it may jump, in the order of its cases
  bool falls_through = true;            ///< the next instruction may be executed after it; the last way, behind the targets
  bool may_throw = false;

  void clear() {
    reads.clear();
    writes.clear();
    targets.clear();
    falls_through = true;
    may_throw = false;
  }
};

/// What is thrown in [begin, end) goes to the handler, if it takes it; the search goes through the ranges in their order.
struct TryRange {
  Pc begin, end, handler;
  /// It takes whatever is thrown: nothing behind it is asked.
  bool takes_all = false;
};

/// Any register bytecode, as far as blocks and liveness need to know it. An accumulator is just another register.
class Code {
 public:
  virtual ~Code() = default;
  virtual uint32_t size() const = 0;
  virtual uint32_t register_count() const = 0;
  /// `decoded` is clear. Targets are pcs of instructions.
  virtual void decode(Pc pc, Decoded& decoded) const = 0;
  virtual std::span<const TryRange> tries() const { return {}; }
  /// What a handler finds written when it starts: the accumulator that holds the exception, or nothing.
  virtual std::span<const uint32_t> written_by_throw() const { return {}; }
};

/// A value while an instruction is translated.
struct Item {
  uint32_t word = 0;
  Type type = none;  ///< `none`: nobody has said yet, as of what an untyped register holds
};

/// What an instruction is written through.
class Writer {
 public:
  Item read(uint32_t number);
  /// As a value of this type: what an instruction of an untyped bytecode takes its operand for. Of a constant, the
  /// one with the same bits;
  /// 0 is also null.
  Item read(uint32_t number, Type as);
  void write(uint32_t number, Item value);
  Item constant(Type type, int64_t value);
  /// 64 bits; each of its readers says what they are.
  Item constant(int64_t bits);
  /// Any operation of docs/ir.md over values, by its name. Conversions, loads and the like say what they give.
  Item op(std::string_view name, std::initializer_list<Item> operands, Type result = none);
  Item call(const Func& callee, std::span<const Item> arguments);

  // How a block ends; the targets are those that were decoded.
  void jump();
  void branch(Item condition);                 ///< to the first target if it holds, otherwise on
  void choose(Item value);                     ///< to target i for the value i, otherwise on
  void ret();
  void ret(Item value);
  void raise(Item exception);                  ///< a `ref`

 private:
  friend class Adapter;
  Writer(Emitter& emitter, Diagnostics& errors, bool is_typed) : emitter_(emitter), errors_(errors), is_typed_(is_typed) {}
  Item mistake(std::string_view what, Type type = none);
  bool may_end(size_t targets, bool goes_on);

  Emitter& emitter_;
  Diagnostics& errors_;
  bool is_typed_;
};

/// What a bytecode means.
class Meaning : public Code {
 public:
  /// Parameter i of the function is register i at its start.
  virtual std::vector<Param> parameters() const = 0;
  virtual Type result() const = 0;
  /// Whether registers have types, as `type_at` says. If not, types are found when all of the code is there: from
  /// what instructions write
  /// and from what they read registers as (`Writer::read`). A register that is written as one type and read as
  /// another is an error.
  virtual bool is_typed() const { return true; }
  /// What a register holds that is live at an instruction where a block starts.
  virtual Type type_at(Pc, uint32_t /*number*/) const { return i64; }
  virtual void translate(Pc pc, Writer& writer) = 0;
  /// Whether the handler of a range takes an exception: an i1. Not asked of ranges that take all.
  virtual Item takes(uint32_t /*range*/, Item exception, Writer& writer) { return writer.op("ne", {exception, exception}); }
  virtual std::string register_name(uint32_t number) const { return "r" + std::to_string(number); }
};

struct Options {
  bool safepoints = true;  ///< at the start and at loop headers
  bool osr_states = true;  ///< at loop headers
};

/// A function in SSA. Until it is done, and if it fails, the module has a declaration of it. Errors: what `decode` says is impossible, registers that are read before they are written,
/// statements that do not verify.
Expected<Func*> to_ssa(Module& m, std::string_view name, Meaning& code, const Options& options = {});

/// Where on-stack replacement may enter: each cycle goes through one of them.
std::vector<Pc> loop_headers(const Code& code);
/// Code that goes on at a loop header; its parameters are the registers that are live there.
struct Entry {
  Func* function = nullptr;
  std::vector<uint32_t> registers;
};
Expected<Entry> entry_at(Module& m, std::string_view name, Meaning& code, Pc header, const Options& options = {});

}  // namespace bytecode

}  // namespace braid
