// Blocks, edges and terminators.
//
// Blocks come in reverse post-order. The moves of an edge stand where the edge is taken by falling into it, otherwise in a
// stub behind the last block. A jump to a block that computes next to nothing and branches does that at once, so that a loop
// pays one branch per round, and the ends of conditions one jump less.
#include <algorithm>
#include <unordered_set>

#include "interp/coalesce.h"
#include "interp/emitter.h"
#include "interp/lower.h"
#include "interp/pair_up.h"

namespace braid::interp {

using ir::EdgeId;
using ir::Op;

namespace {

constexpr uint32_t max_depth = 4;  ///< short blocks done at once, one behind the other
constexpr uint32_t most_copied = 3;  ///< statements of a block that is done at once, beside what its branch computes
constexpr uint32_t no_address = 0xffffffffu;
/// Statements that one instruction pays for: it can name more, and more will begin while checks wait for their access.
constexpr uint32_t most_unpaid = 0xff00;

}  // namespace

Emitter::Emitter(const Analysis& analysis, Layouts& layouts, std::vector<uint32_t> shared, const LowerOptions& options,
                 Code& code)
    : analysis_(analysis), f_(analysis.function()), layouts_(layouts), shared_(std::move(shared)), code_(code),
      heap_(options.heap) {
  if (options.trace) trace_.emplace(f_);
  carried_cost_.assign(analysis.blocks().size(), 0);
  label_address_.assign(analysis.blocks().size() + f_.edge_count(), no_address);
  stub_wanted_.assign(f_.edge_count(), false);
}

void Emitter::run() {
  assign_registers();
  for (uint32_t i = 0; i < f_.variables.size(); ++i) {
    ir::VarId variable = static_cast<ir::VarId>(i);
    if (f_.variables[variable].undef != ir::UndefMeaning::zero) continue;
    zeros_[i] = static_cast<uint32_t>(code_.zeros.size());
    layouts_.append_zero(f_.variables[variable].type, code_.zeros);
    for (uint32_t word = zeros_[i]; word < code_.zeros.size(); ++word)
      load_constant(variables_[variable].first + word - zeros_[i], code_.zeros[word]);
  }
  if (trace_) emit_trace_of_parameters();
  for (uint32_t number = 0; number < analysis_.blocks().size(); ++number) emit_block(number);
  may_fall_through_ = false;
  for (size_t i = 0; i < stubs_.size(); ++i) {
    EdgeId e = stubs_[i];
    run_start_ = static_cast<uint32_t>(code_.instrs.size());
    begin_source({});
    label_address_[analysis_.blocks().size() + index(e)] = run_start_;
    current_ = analysis_.number_of(f_.edge(e).from);
    unpaid_ = 0;
    emit_transfer(e, 0);
  }
  place_slow_paths();
  patch();
  for (Instr& instr : code_.instrs)
    if (instr.op == Opcode::ret_one && !code_.keeps_nothing) instr.op = Opcode::ret_one_kept;
  if (!trace_) pair_up(code_.instrs);
  code_.frame_size = next_register_;
}

void Emitter::emit_block(uint32_t number) {
  const Analysis::Block& block = analysis_.blocks()[number];
  current_ = number;
  may_fall_through_ = true;
  unpaid_ = carried_cost_[number];
  label_address_[number] = run_start_ = static_cast<uint32_t>(code_.instrs.size());
  for (uint32_t dense : analysis_.statements(block)) {
    Operand id = f_.from_dense(dense);
    const Stmt& s = f_.stmt(id);
    begin_source(f_.loc(id));
    begin_statements(1);
    bool ends = ir::is_terminator(s.op);
    uint32_t first = static_cast<uint32_t>(code_.instrs.size());
    if (!ends) emit_statement(id);
    if (trace_) emit_trace(id, first);
    if (!ends) continue;
    if (s.op == Op::enter)
      emit_enter(id, s);
    else
      emit_terminator(s);
    return;
  }
  trap("a block without a terminator");
}

void Emitter::begin_source(ir::Loc loc) {
  if ((code_.sources.empty() ? ir::Loc{} : code_.sources.back().loc) == loc) return;
  const uint32_t first = static_cast<uint32_t>(code_.instrs.size());
  if (!code_.sources.empty() && code_.sources.back().first == first) code_.sources.back().loc = loc;
  else code_.sources.push_back({first, loc});
}

EdgeId Emitter::live(uint32_t word) const {
  EdgeId e = static_cast<EdgeId>(word);
  return is_none(e) || f_.edge(e).dead ? none_id<EdgeId> : e;
}

uint32_t Emitter::live_preds(uint32_t block) const {
  uint32_t count = 0;
  f_.for_each_pred(analysis_.blocks()[block].id, [&](EdgeId e) {
    count += analysis_.number_of(f_.edge(e).from) != Analysis::unreachable;
  });
  return count;
}

void Emitter::emit_terminator(const Stmt& s) {
  switch (s.op) {
    case Op::jump: {
      EdgeId e = live(f_.arg(s, 0));
      if (is_none(e)) return trap("reached unreachable code");
      return emit_transfer(e, 0);
    }
    case Op::branch: return emit_branch(s, 0, current_);
    case Op::switch_: return emit_switch(s);
    case Op::ret: return emit_return(s);
    case Op::throw_: {
      uint32_t value = use_as(f_.operand(s, 0), ref);
      emit_paying(Opcode::throw_, value);
      return;
    }
    case Op::deopt: {
      uint32_t state = state_index(f_.operand(s, 0));
      emit_paying(Opcode::deopt, state);
      return;
    }
    default:
      return trap((s.flags & ir::end_of_function) != 0 ? std::string(fell_through) : "reached unreachable code");
  }
}

Emitter::Condition Emitter::condition_of(Operand operand) {
  Operand condition = resolve(operand);
  if ((condition.is_stmt() || condition.is_pending()) && analysis_.is_fused(f_.dense(condition)))
    return compare_condition(condition);
  return {Opcode::branch_true, Opcode::branch_false, use(operand)};
}

void Emitter::emit_branch(const Stmt& s, uint32_t depth, uint32_t from) {
  EdgeId if_true = live(f_.arg(s, 1)), if_false = live(f_.arg(s, 2));
  if (is_none(if_true) && is_none(if_false)) return trap("reached unreachable code");
  if (is_none(if_true) || is_none(if_false)) {
    use(f_.operand(s, 0));
    return emit_transfer(is_none(if_true) ? if_false : if_true, depth);
  }
  Operand condition = resolve(f_.operand(s, 0));
  if (condition.is_constant())
    return emit_transfer(f_.module().constants.value(condition).bits != 0 ? if_true : if_false, depth);

  // The branch is taken to where a loop goes on; what is next in order is fallen into.
  uint32_t head = analysis_.number_of(f_.edge(if_true).from);
  uint32_t true_number = analysis_.number_of(f_.edge(if_true).to);
  uint32_t false_number = analysis_.number_of(f_.edge(if_false).to);
  auto in_loop = [&](uint32_t number) { return number > head && number <= from; };
  bool take_false = depth == 0 ? true_number == current_ + 1 : in_loop(false_number) && !in_loop(true_number);

  Condition test = condition_of(f_.operand(s, 0));
  emit_test(test, take_false, label_of(take_false ? if_false : if_true));
  emit_transfer(take_false ? if_true : if_false, depth + 1);
}

void Emitter::emit_test(const Condition& test, bool negate, Label target) {
  Opcode with_add = negate ? test.negated_with_add : test.with_add;
  constexpr Opcode add = Opcode::add_64_ri;
  if (with_add != OpcodeTable::absent && code_.instrs.size() > run_start_) {
    Instr last = code_.instrs.back();
    if (last.op == add && last.a == last.b && last.a == test.a) {
      code_.instrs.pop_back();
      emit_jump(with_add, last.a, last.c, target);
      emit(Opcode::trap, test.b);
      return;
    }
  }
  emit_jump(negate ? test.negated : test.op, test.a, test.b, target);
}

void Emitter::emit_switch(const Stmt& s) {
  uint32_t value = use(f_.operand(s, 0));
  SwitchTable table;
  EdgeId otherwise = live(f_.arg(s, 1));
  std::unordered_set<int64_t> seen;
  for (uint32_t i = 2; i + 1 < f_.operand_count(s); i += 2) {
    EdgeId e = live(f_.arg(s, i + 1));
    Operand constant = resolve(f_.operand(s, i));
    if (is_none(e) || !constant.is_constant()) continue;
    int64_t key = static_cast<int64_t>(f_.module().constants.value(constant).bits);
    if (!seen.insert(key).second) continue;
    table.cases.push_back({key, static_cast<int32_t>(label_of(e))});
    if (is_none(live(f_.arg(s, 1)))) otherwise = e;
  }
  if (is_none(otherwise)) return trap("reached unreachable code");
  table.otherwise = static_cast<int32_t>(label_of(otherwise));
  std::sort(table.cases.begin(), table.cases.end(), [](auto& a, auto& b) { return a.value < b.value; });
  if (!table.cases.empty()) {
    uint64_t span = static_cast<uint64_t>(table.cases.back().value) - static_cast<uint64_t>(table.cases.front().value);
    if (span < 4 * table.cases.size() + 8) {
      table.low = table.cases.front().value;
      table.dense.assign(static_cast<size_t>(span + 1), table.otherwise);
      for (const auto& c : table.cases)
        table.dense[static_cast<size_t>(static_cast<uint64_t>(c.value) - static_cast<uint64_t>(table.low))] = c.target;
    }
  }
  uint32_t number = static_cast<uint32_t>(code_.switches.size());
  code_.switches.push_back(std::move(table));
  switch_instrs_.push_back({emit_paying(Opcode::switch_, value, number), number});
}

void Emitter::emit_return(const Stmt& s) {
  uint32_t size = layouts_.of(f_.result_type()).size;
  if (f_.operand_count(s) == 0) {
    emit_paying(Opcode::ret);
    return;
  }
  uint32_t from = use_as(f_.operand(s, 0), f_.result_type());
  if (size == 1)
    emit_paying(Opcode::ret_one, from);
  else
    emit_paying(Opcode::ret_many, from, size);
}

void Emitter::emit_enter(Operand id, const Stmt& s) {
  EdgeId handler = live(f_.arg(s, 0)), body = live(f_.arg(s, 1));
  code_.keeps_nothing = false;
  uint32_t token = registers_[f_.dense(id)] == no_register ? scratch() : registers_[f_.dense(id)];
  uint32_t at = emit(Opcode::enter, token, 0, no_register);
  if (!is_none(handler)) handler_fixups_.push_back({at, block_label(analysis_.number_of(f_.edge(handler).to))});
  if (is_none(body)) return trap("reached unreachable code");
  emit_transfer(body, 0);
}

bool Emitter::is_short(uint32_t number) const {
  const Analysis::Block& block = analysis_.blocks()[number];
  if (trace_ || block.first == block.end) return false;
  Op last = f_.op(f_.from_dense(analysis_.order()[block.end - 1]));
  if (last != Op::branch && last != Op::jump) return false;
  uint32_t count = 0;
  for (uint32_t i = block.phi_end; i + 1 < block.end; ++i) {
    const Op op = f_.op(f_.from_dense(analysis_.order()[i]));
    if (op == Op::save_state || analysis_.is_fused(analysis_.order()[i])) continue;
    if (ir::info(op).rule != ir::TypeRule::int_binary || ++count > most_copied) return false;
  }
  return true;
}

void Emitter::emit_transfer(EdgeId e, uint32_t depth) {
  emit_moves(e);
  uint32_t target = analysis_.number_of(f_.edge(e).to);
  if (may_fall_through_ && target == current_ + 1) {
    if (live_preds(target) == 1)
      carried_cost_[target] += unpaid_;
    else if (unpaid_ != 0)
      emit(Opcode::charge, unpaid_);
    return;
  }
  if (depth >= max_depth || !is_short(target)) {
    emit_jump(Opcode::jump, 0, 0, block_label(target));
    return;
  }
  const Analysis::Block& block = analysis_.blocks()[target];
  const Stmt& s = f_.stmt(f_.from_dense(analysis_.order()[block.end - 1]));
  begin_statements(block.phi_end - block.first);
  for (uint32_t i = block.phi_end; i + 1 < block.end; ++i) {
    begin_statements(1);
    emit_statement(f_.from_dense(analysis_.order()[i]));
  }
  begin_statements(1);
  if (s.op == Op::branch) return emit_branch(s, depth + 1, current_);
  EdgeId next = live(f_.arg(s, 0));
  if (is_none(next)) return trap("reached unreachable code");
  emit_transfer(next, depth + 1);
}

bool Emitter::needs_moves(EdgeId e) {
  const ir::Edge& edge = f_.edge(e);
  const Analysis::Block& block = analysis_.blocks()[analysis_.number_of(edge.to)];
  for (uint32_t i = block.first; i < block.phi_end; ++i) {
    uint32_t dense = analysis_.order()[i];
    const Stmt& s = f_.stmt(f_.from_dense(dense));
    if (s.op != Op::phi) continue;
    if (analysis_.is_flagged(dense)) return true;
    if (registers_[dense] == no_register) continue;
    Operand value = edge.pred_index < f_.operand_count(s) ? resolve(f_.operand(s, edge.pred_index)) : Operand::undef();
    if (!value.is_stmt() && !value.is_pending()) return true;
    if (location(value) != registers_[dense] || !layouts_.same(type_of(value), f_.type(f_.from_dense(dense)))) return true;
  }
  return false;
}

void Emitter::emit_moves(EdgeId e) {
  const ir::Edge& edge = f_.edge(e);
  const Analysis::Block& block = analysis_.blocks()[analysis_.number_of(edge.to)];
  struct Load {
    uint32_t to;
    uint64_t bits;
  };
  std::vector<Load> loads;  // constants are written last: their targets may be read by a move
  for (uint32_t i = block.first; i < block.phi_end; ++i) {
    uint32_t dense = analysis_.order()[i];
    Operand phi = f_.from_dense(dense);
    const Stmt& s = f_.stmt(phi);
    if (s.op != Op::phi) continue;
    Operand value = edge.pred_index < f_.operand_count(s) ? resolve(f_.operand(s, edge.pred_index)) : Operand::undef();
    uint32_t flag = flag_of(value), to = registers_[dense];
    if (analysis_.is_flagged(dense)) {
      if (!is_undef(value) && flag != no_register)
        copies_.add(flags_[dense], flag);
      else
        loads.push_back({flags_[dense], !is_undef(value)});
    }
    if (is_undef(value) || to == no_register) continue;
    Type type = f_.type(phi);
    Layout layout = layouts_.of(type);
    if (value.is_constant() && (layout.form == Layout::Form::scalar || layout.form == Layout::Form::mixed)) {
      ir::Constant constant = f_.module().constants.value(value);
      if (layout.form == Layout::Form::mixed)
        loads.push_back({to++, static_cast<uint64_t>(layouts_.of(constant.type).storage)});
      loads.push_back({to, constant.bits});
      continue;
    }
    uint32_t from = location(value);
    if (!layouts_.same(type_of(value), type)) {
      if (layouts_.of(type_of(value)).form == Layout::Form::nothing) {
        trap("use of a value that cannot exist");
        continue;
      }
      uint32_t converted = new_registers(layout.size);
      convert(from, type_of(value), converted, type, flag != no_register);
      from = converted;
    }
    for (uint32_t word = 0; word < layout.size; ++word) copies_.add(to + word, from + word);
  }
  if (!copies_.empty())
    copies_.sequentialize([&](uint32_t to, uint32_t from) { emit(Opcode::move, to, from); },
                          [&] {
                            if (move_temporary_ == no_register) move_temporary_ = new_registers(1);
                            return move_temporary_;
                          });
  for (const Load& load : loads) load_constant(load.to, load.bits);
}

Emitter::Label Emitter::label_of(EdgeId e) {
  uint32_t target = analysis_.number_of(f_.edge(e).to);
  bool goes_on = is_short(target) && f_.op(f_.from_dense(analysis_.order()[analysis_.blocks()[target].end - 1])) == Op::jump;
  if (!goes_on && !needs_moves(e)) return block_label(target);
  if (!stub_wanted_[index(e)]) {
    stub_wanted_[index(e)] = true;
    stubs_.push_back(e);
  }
  return static_cast<Label>(analysis_.blocks().size() + index(e));
}

// ---- instructions ----

uint32_t Emitter::emit(Opcode op, uint32_t a, uint32_t b, uint32_t c, bool is_for_next) {
  const bool may_end = opcode_table.may_end[static_cast<unsigned>(op)];
  code_.instrs.push_back({op, may_end ? static_cast<uint16_t>(unpaid_) : uint16_t{is_for_next}, a, b, c});
  return static_cast<uint32_t>(code_.instrs.size() - 1);
}

uint32_t Emitter::emit_paying(Opcode op, uint32_t a, uint32_t b, uint32_t c) {
  code_.instrs.push_back({op, static_cast<uint16_t>(std::exchange(unpaid_, 0)), a, b, c});
  return static_cast<uint32_t>(code_.instrs.size() - 1);
}

void Emitter::begin_statements(uint32_t count) {
  unpaid_ += count;
  // Checks that wait count back from their access.
  if (unpaid_ <= most_unpaid || !deferred_.empty()) return;
  emit(Opcode::charge, std::exchange(unpaid_, 0));
}

void Emitter::emit_jump(Opcode op, uint32_t a, uint32_t b, Label target) {
  uint32_t at = emit_paying(op, a, b);
  fixups_.push_back({at, target});
}

uint32_t Emitter::distance(uint32_t from, uint32_t to) {
  const int64_t bytes = (int64_t{to} - int64_t{from}) * static_cast<int64_t>(sizeof(Instr));
  if (bytes != static_cast<int32_t>(bytes)) fail("it is too large");
  return static_cast<uint32_t>(bytes);
}

void Emitter::place_slow_paths() {
  for (const SlowPath& path : slow_paths_) {
    const uint32_t access = path.back_to - 2, begin = static_cast<uint32_t>(code_.instrs.size());
    code_.instrs[access + 1].a = distance(access, begin);
    if (path.sources.empty() || path.sources[0].first != 0) begin_source({});
    for (const SourceRange& range : path.sources) code_.sources.push_back({begin + range.first, range.loc});
    code_.instrs.insert(code_.instrs.end(), path.instrs.begin(), path.instrs.end());
    emit(Opcode::jump, distance(static_cast<uint32_t>(code_.instrs.size()), path.back_to));
  }
}

void Emitter::patch() {
  auto relative = [&](uint32_t at, Label target) {
    return static_cast<int32_t>(static_cast<int64_t>(label_address_[static_cast<uint32_t>(target)]) - int64_t{at});
  };
  for (const Fixup& fixup : fixups_) {
    Instr& instr = code_.instrs[fixup.instr];
    const uint32_t to = label_address_[static_cast<uint32_t>(fixup.target)];
    (instr.op == Opcode::jump ? instr.a : instr.c) = distance(fixup.instr, to);
  }
  for (const Fixup& fixup : handler_fixups_)
    code_.instrs[fixup.instr].c = label_address_[static_cast<uint32_t>(fixup.target)];
  for (auto [at, number] : switch_instrs_) {
    SwitchTable& table = code_.switches[number];
    auto fix = [&](int32_t& target) { target = relative(at, static_cast<Label>(target)); };
    fix(table.otherwise);
    for (int32_t& target : table.dense) fix(target);
    for (SwitchTable::Case& c : table.cases) fix(c.target);
  }
}

uint32_t Emitter::message(std::string text) {
  code_.messages.push_back(std::move(text));
  return static_cast<uint32_t>(code_.messages.size() - 1);
}

void Emitter::trap(std::string text) { emit(Opcode::trap, message(std::move(text))); }

void Emitter::fail(std::string why) {
  if (code_.error.empty()) code_.error = std::move(why);
}

std::unique_ptr<Code> lower(const ir::Function& f, Layouts& layouts, const LowerOptions& options) {
  auto code = std::make_unique<Code>();
  code->name = "@" + std::string(f.name_text());
  code->function = f.id();
  code->frames = f.frames;
  code->result = f.result_type();
  code->is_lowered = true;
  if (f.block_count() == 0) {
    code->error = "it has no body";
    return code;
  }
  Analysis analysis(f, layouts, options);
  std::vector<uint32_t> shared;
  if (!options.trace) shared = coalesce(analysis, layouts);
  Emitter(analysis, layouts, std::move(shared), options, *code).run();
  const bool is_small = code->frame_size <= most_plain_registers;
  code->is_plain = code->error.empty() && code->keeps_nothing && code->zeroed == 0 && is_small;
  return code;
}

}  // namespace braid::interp
