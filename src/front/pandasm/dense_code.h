// A function as the direct interpreter executes it: one record of 16 bytes for each instruction, at the same pc,
// with everything
// looked up that can be: classes, fields, callees, distances of jumps.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "front/pandasm/frame_facts.h"
#include "front/pandasm/vm.h"

namespace braid::pandasm {

/// What the interpreter does; the instructions of the table, then pairs of them that often stand together. The
/// second one of a
/// pair remains in its place, for those that jump to it.
enum class DenseOp : uint16_t {
#define OPCODE(id, text, operands, acc_in, acc_out, traits) id,
#include "front/pandasm/opcodes.def"
#undef OPCODE
#define PAIR(first, second) first##_##second,
#include "front/pandasm/pairs.def"
#undef PAIR
  watched,  ///< stands in the place of an instruction that may throw, while those are counted
};

struct DenseInstruction {
  DenseOp op;
  uint32_t a = 0;  ///< registers in their order, then what is named: a jump's distance, a class, a field, a call site
  uint32_t b = 0;
  uint32_t c = 0;

  uint64_t wide() const { return uint64_t{c} << 32 | b; }
};
static_assert(sizeof(DenseInstruction) == 16);

struct DenseCode;

/// A call or initobj. Arguments are registers of the caller; its accumulator is the one behind its frame.
struct CallSite {
  uint32_t callee = 0;
  uint32_t first_argument = 0, argument_count = 0;   ///< in DenseCode::arguments
  uint32_t initialises = unlinked;                   ///< a record that must be initialised first
  bool is_virtual = false, makes_object = false;
  ClassId made = none_id<ClassId>;                   ///< by initobj
  // The class of the last receiver and what it was taken to mean, and whether there were others.
  ClassId seen = none_id<ClassId>;
  uint32_t target = 0;
  bool has_seen_others = false;
  DenseCode* direct = nullptr;                       ///< the callee, once it is known that nothing else need be done
};

struct DenseCode {
  uint32_t function = 0;
  uint32_t register_count = 0;                ///< without the accumulator
  uint32_t first_parameter = 0;
  uint32_t frames = 1;                        ///< what a call counts towards the limit of depth
  std::vector<DenseInstruction> code;
  std::vector<CallSite> calls;
  std::vector<uint32_t> arguments;
  std::vector<ClassId> caught;                ///< by line of the catches, none for those that take all
  std::vector<DenseOp> replaced;              ///< by pc, if instructions are watched: what they were
  std::vector<uint32_t> header_counts;        ///< by pc, if loops are watched
  std::unique_ptr<FrameFacts> facts;          ///< when needed
};

/// Of a function with a body. O(size).
DenseCode make_dense(Vm& vm, uint32_t function);
/// From now on every instruction that may throw is a watched one.
void watch_throws(DenseCode& dense, const Function& function);

}  // namespace braid::pandasm
