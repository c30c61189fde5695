#include "dessa/write.h"

#include <algorithm>

#include "ir/words.h"

namespace braid::dessa {

using ir::BlockId;
using ir::Op;
using ir::Operand;
using ir::Ref;
using ir::Stmt;
using ir::VarId;

Writer::Writer(ir::Function& f, const Webs& webs, const Variables& variables, Report& report)
    : f_(f),
      webs_(webs),
      variables_(variables),
      report_(report),
      block_count_(f.block_count()),
      list_(f, 2 * f.size()),
      stmts_(f.columns().stmts()),
      types_(f.columns().types()),
      has_sources_(f.has_source_variables()),
      no_variable_(static_cast<uint32_t>(f.variables.size())),
      known_(f.variables.size() + 1),
      copy_to_(f.variables.size(), nothing) {
  for (uint32_t v = 0; v < no_variable_; ++v) known_[v].declared = f.variables[static_cast<VarId>(v)].type;
  written_.reserve(f.size());
  written_.add(f.size());
  has_early_copies_ = variables.has_early_copies();
  look_at_wide_blocks();
  split_edges();
  if (webs.slots.empty()) return;
  slot_of_.assign(f.size(), nothing);
  for (const Upsilon& u : webs.upsilons) slot_of_[u.position] = u.slot;
}

/// An edge out of a jump has room before it, one that is the only way into its block behind it.
void Writer::split_edges() {
  for (const WebEdge& edge : webs_.edges()) {
    if (edge.comes_from_jump) continue;
    const std::span<const Web> into = webs_.webs_at(edge);
    if (into[0].count != 1 && std::any_of(into.begin(), into.end(), [&](const Web& web) {
          return variables_.needs_copy(web, Webs::operand(web, edge.column));
        }))
      split_.push_back(edge);
  }
  report_.split_edges = static_cast<uint32_t>(split_.size());
  if (split_.empty()) return;
  f_.reserve(0, block_count_ + report_.split_edges, f_.edge_count() + report_.split_edges);
  for (const WebEdge& edge : split_) list_.split_edge(edge.edge);
}

// ---- variables ----

inline void Writer::set(VarId variable, Operand value, Type type) {
  list_.add({Op::set, 2, 0, {index(variable), value.word(), 0}}, void_type, loc_);
  now_holds(index(variable), value, type);
}

/// What a variable holds, read once in each block. Whether it was read before is hard to guess for a processor.
[[gnu::always_inline]] inline Operand Writer::get(uint32_t variable) {
  Known& known = known_[variable];
  bool is_new = known.block != block_;
  Operand read = list_.add_if(is_new, {Op::get, 1, 0, {variable, 0, 0}}, known.declared, loc_);
  known.value = is_new ? read : known.value;
  known.type = is_new ? known.declared : known.type;
  known.block = block_;
  return known.value;
}

/// All members have the storage of the variable, but may be known to be less than all that it can hold.
inline Operand Writer::narrow(uint32_t variable, Type type) {
  const Known& known = known_[variable];
  if (known.type == type || f_.module().types.leq(known.type, type)) return known.value;
  return list_.add({Op::pi, 1, 0, {known.value.word(), 0, 0}}, type, loc_);
}

inline Operand Writer::read(VarId variable, Type type) {
  get(index(variable));
  return narrow(index(variable), type);
}

[[gnu::always_inline]] inline Operand Writer::read(Operand operand) {
  if (!operand.is_stmt()) {
    VarId variable = variables_.of(operand);
    return is_none(variable) ? operand : read(variable, f_.type_of(operand));
  }
  const uint32_t position = operand.number(), variable = written_[position].variable;
  Operand held = get(variable);
  bool is_held = variable != no_variable_;
  if (is_held & (known_[variable].type != types_[position])) return narrow(variable, types_[position]);
  return is_held ? held : Operand::from_word(written_[position].word);
}

// ---- copies ----

inline void Writer::add_copy(VarId to, VarId from, Operand value) {
  // Phis that get the same values may share a variable: one copy is enough.
  uint32_t& at = copy_to_[index(to)];
  if (at < copies_.size() && copies_[at].to == to) return;
  at = static_cast<uint32_t>(copies_.size());
  copies_.push_back({to, from, value, f_.type_of(value)});
}

/// Which edges into them need any copies: web by web, because many edges bring the same.
void Writer::look_at_wide_blocks() {
  if (!webs_.has_wide()) return;
  has_copy_.resize(webs_.wide_edge_count);
  for (uint32_t w = 0; w < webs_.webs.size(); ++w) {
    const Web& web = webs_.webs[w];
    if (web.count <= Webs::most_narrow) continue;
    const auto columns = has_copy_.begin() + webs_.first_wide_edge(web.block);
    webs_.for_each_run(w, [&](uint32_t word, uint32_t first, uint32_t same) __attribute__((always_inline)) {
      if (!variables_.needs_copy(web, Operand::from_word(word))) return;
      std::fill_n(columns + first, same, true);
    });
  }
}

inline void Writer::add_copies_of(const WebEdge& edge) {
  const std::span<const Web> into = webs_.webs_at(edge);
  if (into[0].count > Webs::most_narrow && !has_copy_[webs_.wide_edge(edge)]) return;
  for (const Web& web : into) {
    Operand operand = Webs::operand(web, edge.column);
    const VarId variable = variables_.of_node(web.node);
    // Most are there already; the value was written not long ago.
    if (operand.is_stmt() && written_[operand.number()].variable == index(variable)) continue;
    if (!variables_.needs_copy(web, operand)) continue;
    add_copy(variable, variables_.of(operand), operand);
    report_.edge_copies += !operand.is_constant();
  }
}

/// Whether a variable is assigned by one of the copies.
inline bool Writer::is_overwritten(VarId variable) const {
  uint32_t at = copy_to_[index(variable)];
  return at < copies_.size() && copies_[at].to == variable;
}

/// Moves between variables first; what is assigned a value of its own cannot be read by them any more.
inline void Writer::write_copies() {
  if (copies_.empty()) return;
  bool in_any_order = true;
  for (const Copy& copy : copies_) in_any_order &= is_none(copy.from) || !is_overwritten(copy.from);
  if (!in_any_order) write_moves();
  for (const Copy& copy : copies_)
    if (is_none(copy.from))
      set(copy.to, read(copy.value), copy.type);
    else if (in_any_order)
      set(copy.to, read(copy.from, copy.type), copy.type);
  copies_.clear();
}

void Writer::write_moves() {
  const uint32_t variable_count = no_variable_;
  for (const Copy& copy : copies_)
    if (!is_none(copy.from)) moves_.add(index(copy.to), index(copy.from));
  Operand saved;
  Type saved_type;
  moves_.sequentialize(
      [&](uint32_t to, uint32_t from) {
        VarId source = static_cast<VarId>(from);
        if (to >= variable_count) {
          saved_type = f_.variables[source].type;
          saved = read(source, saved_type);
          ++report_.temporaries;
          return;
        }
        Type type = copies_[copy_to_[to]].type;
        if (from < variable_count)
          set(static_cast<VarId>(to), read(source, type), type);
        else
          set(static_cast<VarId>(to), saved, saved_type);
      },
      [&] { return variable_count; });
}

// ---- statements ----

inline void Writer::write_start(uint32_t b) {
  const ir::Block& block = f_.block(static_cast<BlockId>(b));
  const ir::Columns& old = f_.columns();
  // Phis of tokens stay in front.
  for (uint32_t i = block.first; i < block.end && ir::may_precede_phi(old.stmt(i).op); ++i)
    if (ir::is_phi_like(old.stmt(i).op) && old.type(i) == token_type) {
      Ref kept = list_.add(old.stmt(i), old.type(i), old.loc(i), f_.source_variable(static_cast<Ref>(i)));
      written_[i].word = Operand(kept).word();
      kept_.push_back(kept);
    }
  loc_ = old.loc(block.first);
  if (b == 0)
    for (uint32_t i = 0; i < f_.param_count(); ++i)
      if (uint32_t node = webs_.node_of(Operand::param(i)); node != nothing)
        write_definition(node, Operand::param(i), f_.param_type(i));
  std::span<const Web> webs = webs_.webs_of(b);
  if (!webs.empty() && block.pred_count == 1 &&
      f_.op(f_.terminator(f_.edge(block.first_pred).from)) != Op::jump) {
    add_copies_of(webs_.edge_into(b, block.first_pred));
    write_copies();
  }
  for (const Web& web : webs) take_out(web.node, web.value);
  for (const Slot& slot : webs_.slots_of(b)) take_out(slot.node, slot.value);
  write_copies();
}

/// A value that is not in a variable is read right away, the others are copied together.
inline void Writer::take_out(uint32_t node, uint32_t value) {
  if (!variables_.needs_start_copy(node, value)) return;
  Operand phi = webs_.nodes[value].id;
  VarId from = variables_.of_node(node), to = variables_.of_node(value);
  ++report_.start_copies;
  if (is_none(to))
    written_[phi.number()].word = read(from, f_.type(phi)).word();
  else
    add_copy(to, from, phi);
}

/// Perhaps.
inline bool Writer::is_copied_early(uint32_t position) const {
  if (!has_early_copies_) return false;
  uint32_t node = webs_.node_at(position);
  return node != nothing && webs_.is_hub(node);
}

/// The operands are put in their places one by one: a processor waits if it reads as a whole what was just written in
/// parts.
[[gnu::always_inline]] inline Ref Writer::write_statement(uint32_t position) {
  const Stmt& stmt = stmts_[position];
  loc_ = f_.columns().loc(position);
  const ir::OpInfo& op = ir::info(stmt.op);
  uint32_t a = stmt.arg[0], b = stmt.arg[1], c = stmt.arg[2];
  if (stmt.is_pooled()) {
    Stmt pooled = stmt;
    ir::for_each_word(ir::OperandKind::value, op, list_.operands_of(pooled),
                  [&](uint32_t& word) { word = read(Operand::from_word(word)).word(); });
  } else {
    const uint32_t values = op.value_mask & ((1u << stmt.n) - 1);
    if ((values & 1) != 0) a = read(Operand::from_word(a)).word();
    if ((values & 2) != 0) b = read(Operand::from_word(b)).word();
    if ((values & 4) != 0) c = read(Operand::from_word(c)).word();
  }
  const VarId source = has_sources_ ? f_.source_variable(static_cast<Ref>(position)) : none_id<VarId>;
  const Ref written = list_.add(stmt, types_[position], loc_, source);
  Stmt& added = list_.stmt(written);
  added.arg[0] = a;
  added.arg[1] = b;
  added.arg[2] = c;
  written_[position] = {Operand(written).word(), variable_at(position)};
  return written;
}

/// Puts a new value where it belongs.
inline void Writer::write_definition(uint32_t node, Operand written, Type type) {
  Operand id = webs_.nodes[node].id;
  VarId variable = variables_.of_node(node);
  bool is_there = !is_none(variable) && id.is_stmt() && f_.op(id) == Op::pi &&
                  variables_.of(f_.operand(id, 0)) == variable;
  if (is_there)
    now_holds(index(variable), written, type);
  else if (!is_none(variable))
    set(variable, written, type);
  variables_.for_each_copy_of(id, [&](VarId other) {
    set(other, written, type);
    ++report_.early_copies;
  });
}

void Writer::write_upsilon(uint32_t position) {
  loc_ = f_.columns().loc(position);
  uint32_t slot = slot_of_.empty() ? nothing : slot_of_[position];
  if (slot == nothing) return;
  Operand operand = f_.operand(f_.columns().stmt(position), 0);
  if (!variables_.needs_store(webs_.slots[slot], operand)) return;
  ++report_.stores;
  set(variables_.of_node(webs_.slots[slot].node), read(operand), f_.type_of(operand));
}

void Writer::write_block(uint32_t b) {
  BlockId id = static_cast<BlockId>(b);
  const ir::Block& block = f_.block(id);
  block_ = b;
  known_[no_variable_].block = b;
  list_.start(id);
  uint32_t last = block.end - 1, i = block.first;
  for (; i < last && ir::may_precede_phi(stmts_[i].op); ++i) written_[i].variable = variable_at(i);
  if (b == 0 || i != block.first) write_start(b);
  for (; i < last; ++i) {
    if (stmts_[i].op == Op::nothing) continue;
    if (stmts_[i].op == Op::upsilon && types_[i] != token_type) {
      write_upsilon(i);
      continue;
    }
    Ref written = write_statement(i);
    if (stmts_[i].op == Op::pi || is_copied_early(i)) {
      if (uint32_t node = webs_.node_at(i); node != nothing) write_definition(node, written, types_[i]);
      continue;
    }
    const uint32_t variable = written_[i].variable;
    list_.add_if(variable != no_variable_, {Op::set, 2, 0, {variable, Operand(written).word(), 0}}, void_type, loc_);
    now_holds(variable, written, types_[i]);
  }
  if (stmts_[last].op == Op::jump) {
    loc_ = f_.columns().loc(last);
    for (const WebEdge& edge : webs_.edges_from(b)) add_copies_of(edge);
    write_copies();
  }
  write_statement(last);
  list_.end(id);
}

void Writer::write_split(uint32_t b, const WebEdge& edge) {
  const BlockId id = static_cast<BlockId>(b), from = f_.edge(f_.block(id).first_pred).from;
  block_ = b;
  known_[no_variable_].block = b;
  list_.start(id);
  loc_ = f_.loc(f_.terminator(from));
  add_copies_of(edge);
  write_copies();
  list_.add({Op::jump, 1, 0, {index(edge.edge), 0, 0}}, void_type, loc_);
  list_.end(id);
}

void Writer::finish_kept_phis() {
  for (Ref kept : kept_)
    for (uint32_t& word : list_.operands_of(list_.stmt(kept)))
      if (Operand operand = Operand::from_word(word); operand.is_stmt()) word = written_[operand.number()].word;
}

void Writer::run() {
  for (uint32_t b = 0; b < block_count_; ++b) write_block(b);
  for (uint32_t i = 0; i < split_.size(); ++i) write_split(block_count_ + i, split_[i]);
  finish_kept_phis();
  list_.finish();
}

}  // namespace braid::dessa
