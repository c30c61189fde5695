// Accesses to the heap: which checks wait for the one that they stand for, and which of them have their object from outside
// of a loop.
#include "flow/loops.h"
#include "interp/analysis.h"

namespace braid::interp {

using ir::Op;
using ir::Operand;
using ir::Stmt;

namespace {

/// An access and its checks come from one instruction, so they stand together; what was moved between them is not much.
constexpr uint32_t most_between = 16;

constexpr bool has_element(Access access) { return access >= Access::load_i8 && access <= Access::store_64; }

/// What an access must find out of its object: of which kind it is.
uint8_t kind_of(Access access) {
  switch (access) {
    case Access::load_i8: case Access::load_u8: case Access::store_8: return 1;
    case Access::load_i16: case Access::load_u16: case Access::store_16: return 2;
    case Access::load_i32: case Access::load_u32: case Access::store_32: return 3;
    case Access::load_64: case Access::store_64: return 4;
    case Access::load_ref: return 5;
    case Access::get: case Access::put: return 6;
    default: return 0;  // any array
  }
}

/// It neither sees nor does anything but its value, which it may compute although a check before it fails. An intrinsic may
/// rely on the check.
bool is_harmless(const Stmt& s) {
  // What an upsilon stores is seen by the handler of the check.
  return (ir::info(s.op).traits & ~ir::commutes) == 0 && s.op != Op::upsilon;
}

}  // namespace

Access Analysis::access(const Stmt& s) const {
  return heap_ == nullptr || s.op != Op::intrinsic ? Access::none : heap_->of(f_.arg(s, 0));
}

void Analysis::defer_checks() {
  // Accesses to elements and fields first: a length that only bounds one is not an access of its own.
  for (const bool is_length : {false, true})
    for (const Block& block : blocks_)
      for (uint32_t position = block.first; position < block.end; ++position) {
        const Access what = access(f_.stmt(f_.from_dense(order_[position])));
        if (what != Access::none && (what == Access::length) == is_length && !is_deferred(order_[position]))
          defer_to(block, position);
      }
}

void Analysis::defer_to(const Block& block, uint32_t position) {
  auto is_statement = [&](Operand value, Op op) { return (value.is_stmt() || value.is_pending()) && f_.op(value) == op; };
  // An exception comes from the line of the check.
  const ir::Loc here = f_.loc(f_.from_dense(order_[position]));
  auto in_block = [&](Operand value) {
    const uint32_t at = position_of_[f_.dense(value)];
    return at >= block.first && at < position && f_.loc(value) == here ? f_.dense(value) : unreachable;
  };
  const Stmt& s = f_.stmt(f_.from_dense(order_[position]));
  const Operand object = resolve(f_.operand(s, 1));
  uint32_t null_check = unreachable, length = unreachable, bounds = unreachable;
  if (is_statement(object, Op::check_null) && !owns_registers(f_.dense(object))) null_check = in_block(object);
  if (has_element(access(s))) {
    const Operand index = resolve(f_.operand(s, 2));
    if (is_statement(index, Op::check_bounds) && !owns_registers(f_.dense(index))) {
      const Operand bound = resolve(f_.operand(index, 1));
      const bool is_length = is_statement(bound, Op::intrinsic) && access(f_.stmt(bound)) == Access::length;
      if (is_length && place(resolve(f_.operand(bound, 1))) == place(object)) {
        bounds = in_block(index);
        if (bounds != unreachable && counts_[f_.dense(bound)] == 1) length = in_block(bound);
      }
    }
  }
  uint32_t between = 0;
  for (uint32_t at = position; at-- > block.first && between <= most_between;) {
    const uint32_t dense = order_[at];
    if (dense != null_check && dense != length && dense != bounds) {
      if (!is_harmless(f_.stmt(f_.from_dense(dense)))) break;
      ++between;
      continue;
    }
    if (deferred_to_.empty()) deferred_to_.assign(f_.dense_count(), unreachable);
    deferred_to_[dense] = position;
  }
}

bool Analysis::is_for_next(uint32_t dense) const {
  if (uses(dense).size() != 1) return false;
  const uint32_t used = uses(dense)[0].position;
  for (uint32_t at = position_of_[dense] + 1; at < order_.size() && 2 * at <= used; ++at)
    if (!is_deferred(order_[at])) return 2 * at == used;
  return false;
}

void Analysis::hold_objects() {
  std::vector<uint32_t> accesses;
  for (uint32_t dense : order_)
    if (access(f_.stmt(f_.from_dense(dense))) != Access::none && !is_deferred(dense)) accesses.push_back(dense);
  if (accesses.empty()) return;
  const flow::Loops loops(block_graph());
  if (loops.size() == 0) return;
  auto node_of = [&](uint32_t dense) { return static_cast<flow::Node>(index(blocks_[block_at_[position_of_[dense]]].id)); };
  held_.assign(f_.dense_count(), false);
  for (uint32_t dense : accesses) {
    const flow::Loop loop = loops.innermost(node_of(dense));
    const Place object = place(resolve(f_.operand(f_.from_dense(dense), 1)));
    if (is_none(loop) || object.offset != 0) continue;
    if (object.owner.is_stmt() || object.owner.is_pending()) {
      const uint32_t owner = f_.dense(object.owner);
      if (position_of_[owner] == unreachable || loops.contains(loop, node_of(owner))) continue;
      if (ir::is_phi_like(f_.op(object.owner)) || is_flagged(owner) || ir::is_terminator(f_.op(object.owner))) continue;
    } else if (!object.owner.is_param()) {
      continue;
    }
    if (layouts_.of(f_.type_of(object.owner)).storage == Storage::ref) held_[dense] = true;
  }
}

uint64_t Analysis::held_key(uint32_t dense) const {
  const ir::Operand object = held_object(dense);
  return uint64_t{object.word()} << 8 | static_cast<uint8_t>(kind_of(access(f_.stmt(f_.from_dense(dense)))));
}

}  // namespace braid::interp
