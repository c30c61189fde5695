// The public side of the bytecode layer: what a user says is checked before it is believed.
#include <braid/bytecode.h>
#include <braid/construct.h>

#include <optional>
#include <unordered_map>

#include "bytecode/build.h"
#include "bytecode/emitter.h"
#include "infer/fix_types.h"
#include "infer/split_constants.h"
#include "ir/compact.h"
#include "ir/place.h"
#include "ir/transfer.h"
#include "ssa/construct.h"
#include "type/type_text.h"

namespace braid::bytecode {

using ir::Op;
using ir::Operand;

// ---- writing ----

Item Writer::mistake(std::string_view what, Type type) {
  errors_.error("instruction " + std::to_string(emitter_.pc()) + ": " + std::string(what));
  return {Operand::undef().word(), type == none ? i64 : type};
}

Item Writer::read(uint32_t number) {
  if (number >= emitter_.register_count() || !emitter_.is_known(number))
    return mistake("a register is read that decode does not name");
  if (emitter_.is_ended()) return mistake("something follows the end of the block");
  const Operand value = emitter_.read(number);
  if (is_typed_) return {value.word(), emitter_.type(number)};
  if (value.is_constant()) {
    const Type type = emitter_.module().constants.value(value).type;
    return {value.word(), type == i64 ? none : type};
  }
  const Type type = emitter_.function().type_of(value);
  return {value.word(), type == any ? none : type};
}

Item Writer::read(uint32_t number, Type as) {
  const Item item = read(number);
  if (item.type == as) return item;
  const Operand value = Operand::from_word(item.word);
  if (item.type == none && !value.is_constant()) return {emitter_.emit(Op::pi, as, {value}).word(), as};
  const TypeTable& types = emitter_.module().types;
  const std::string what = "register " + std::to_string(number) + " holds ";
  if (item.type != none) return mistake(what + to_string(types, item.type) + ", and " + to_string(types, as) + " is needed", as);
  const uint64_t bits = emitter_.module().constants.value(value).bits;
  const Operand constant = infer::constant_as(emitter_.module(), bits, as);
  if (!constant.is_undef()) return {constant.word(), as};
  return mistake(what + "the constant " + std::to_string(static_cast<int64_t>(bits)) + ", which is no " + to_string(types, as), as);
}

/// A register without a type is one variable, whatever is written to it.
void Writer::write(uint32_t number, Item value) {
  if (number >= emitter_.register_count())
    mistake("a register is written that is not there");
  else
    emitter_.write(number, is_typed_ ? value.type : any, Operand::from_word(value.word));
}

Item Writer::constant(Type type, int64_t value) { return {emitter_.constant(type, value).word(), type}; }

Item Writer::constant(int64_t bits) { return {emitter_.constant(i64, bits).word(), is_typed_ ? i64 : none}; }

Item Writer::op(std::string_view name, std::initializer_list<Item> operands, Type result) {
  const std::string quoted = "'" + std::string(name) + "'";
  if (emitter_.is_ended()) return mistake(quoted + " follows the end of the block", result);
  const std::optional<Op> op = ir::find_op(name);
  const bool is_plain = op && !ir::is_terminator(*op) && !ir::is_phi_like(*op);
  if (!is_plain) return mistake(quoted + " is not an operation that can be built by name", result);
  const ir::OpInfo& table = ir::info(*op);
  if (!table.arity_ok(static_cast<uint32_t>(operands.size())))
    return mistake(quoted + " takes another number of operands", result);
  std::vector<uint32_t> words;
  for (const Item& item : operands) {
    if (!table.is_value(static_cast<uint32_t>(words.size())))
      return mistake(quoted + " is not an operation that can be built by name", result);
    words.push_back(item.word);
  }
  ir::Function& f = emitter_.function();
  Type type = result;
  if (const Type derived = ir::result_type(f, f.make(*op, type, words).stmt); derived != none) type = derived;
  if (type == none) return mistake(quoted + " needs to be told what it gives");
  return {emitter_.emit(*op, type, words).word(), type};
}

Item Writer::call(const Func& callee, std::span<const Item> arguments) {
  if (emitter_.is_ended()) return mistake("a call follows the end of the block", callee.result_type());
  if (!ir::can_call(emitter_.function().module(), callee))
    return mistake("'" + std::string(callee.name_text()) + "' is not in the module", callee.result_type());
  std::vector<uint32_t> words = {index(callee.id())};
  for (const Item& item : arguments) words.push_back(item.word);
  return {emitter_.emit(Op::call, callee.result_type(), words).word(), callee.result_type()};
}

/// Whether the instruction was decoded as one that ends like this.
bool Writer::may_end(size_t targets, bool goes_on) {
  const Decoded* decoded = emitter_.decoded();
  const bool fits = decoded != nullptr && !emitter_.is_ended() && decoded->targets.size() >= targets &&
                    (targets != 0 || decoded->targets.empty()) && decoded->falls_through == goes_on;
  if (!fits) mistake("the block ends in another way than decode says");
  return fits;
}

void Writer::jump() {
  if (may_end(1, false)) emitter_.jump();
}

void Writer::branch(Item condition) {
  if (may_end(1, true)) emitter_.branch(Operand::from_word(condition.word));
}

void Writer::choose(Item value) {
  if (may_end(1, true)) emitter_.switch_on(Operand::from_word(value.word), value.type);
}

void Writer::ret() {
  if (may_end(0, false)) emitter_.ret();
}

void Writer::ret(Item value) {
  if (may_end(0, false)) emitter_.ret(Operand::from_word(value.word));
}

void Writer::raise(Item exception) {
  if (may_end(0, false)) emitter_.throw_value(Operand::from_word(exception.word));
}

// ---- building ----

/// A user's bytecode as the layer sees it.
class Adapter final : public Translator {
 public:
  Adapter(ir::Module& module, Meaning& meaning, const Blocks& blocks, Diagnostics& errors)
      : module_(module), meaning_(meaning), blocks_(blocks), errors_(errors) {}

  Type type_at(BlockId block, uint32_t, uint32_t number) const override {
    return meaning_.is_typed() ? meaning_.type_at(blocks_[block].first, number) : any;
  }
  Type stored_type(Type type) const override { return meaning_.is_typed() ? type : any; }
  void start(Emitter& emitter) override {
    const std::vector<Param> parameters = meaning_.parameters();
    for (uint32_t i = 0; i < parameters.size(); ++i) emitter.write(i, stored_type(parameters[i].type), Operand::param(i));
  }
  void translate(Pc pc, Emitter& emitter) override {
    Writer writer(emitter, errors_, meaning_.is_typed());
    meaning_.translate(pc, writer);
  }
  Operand takes(uint32_t range, Operand exception, Emitter& emitter) override {
    Writer writer(emitter, errors_, meaning_.is_typed());
    return Operand::from_word(meaning_.takes(range, {exception.word(), ref}, writer).word);
  }
  std::string register_name(uint32_t number) const override { return meaning_.register_name(number); }
  ir::Loc location(Pc pc) override {
    return meaning_.is_typed() ? ir::Loc{} : module_.location(none_id<Symbol>, pc + 1, 1);
  }
  Operand entry_value(uint32_t place) const override {
    const auto known = entry_values_.find(place);
    return known == entry_values_.end() ? Operand::param(place) : known->second;
  }
  void set_entry_value(uint32_t place, Operand value) { entry_values_[place] = value; }

 private:
  ir::Module& module_;
  Meaning& meaning_;
  const Blocks& blocks_;
  Diagnostics& errors_;
  std::unordered_map<uint32_t, Operand> entry_values_;
};

namespace {

/// Nothing that `decode` says leads out of the code or of the frame.
void check(const Code& code, Diagnostics& errors) {
  if (code.size() == 0) errors.error("there are no instructions");
  Decoded decoded;
  for (Pc pc = 0; pc < code.size(); ++pc) {
    decoded.clear();
    code.decode(pc, decoded);
    const std::string where = "instruction " + std::to_string(pc);
    for (Pc target : decoded.targets)
      if (target >= code.size()) errors.error(where + " jumps to " + std::to_string(target) + ", where nothing is");
    for (const std::vector<uint32_t>* registers : {&decoded.reads, &decoded.writes})
      for (uint32_t number : *registers)
        if (number >= code.register_count())
          errors.error(where + " names the register " + std::to_string(number) + ", which is not there");
    if (decoded.falls_through && pc + 1 == code.size()) errors.error(where + " is the last one and goes on");
  }
  for (const TryRange& range : code.tries())
    if (range.begin > range.end || range.end > code.size() || range.handler >= code.size())
      errors.error("a try range leads out of the code");
  for (uint32_t number : code.written_by_throw())
    if (number >= code.register_count())
      errors.error("a throw writes the register " + std::to_string(number) + ", which is not there");
}

void check_parameters(const Meaning& code, Diagnostics& errors) {
  if (code.parameters().size() > code.register_count()) errors.error("there are more parameters than registers");
}

/// Statements have the number of their instruction as a line until types are found.
void tell_conflicts(const ir::Function& f, const infer::FixedTypes& fixed, Diagnostics& errors) {
  auto who = [&](Operand id) {
    if (id.is_param()) return "parameter " + std::to_string(id.number());
    if (f.loc(id) == ir::Loc{}) return std::string("where registers meet");
    return "instruction " + std::to_string(f.module().location(f.loc(id)).line - 1);
  };
  auto text = [&](Type type) { return to_string(f.module().types, type); };
  for (const infer::TypeConflict& c : fixed.conflicts)
    errors.error("a register is " + text(c.first_type) + " by " + who(c.first) + " and " + text(c.second_type) + " by " + who(c.second) +
                 ", where these meet");
  for (const ir::Finding& bad : fixed.bad_constants) errors.error(who(bad.where) + ": " + bad.message);
}

/// To SSA, where registers without types get them.
void find_types(ir::Function& f, Diagnostics& errors) {
  ssa::construct(f, {ssa::Algorithm::regmap, ssa::Prune::pruned, nullptr});
  tell_conflicts(f, infer::fix_types(f), errors);
  if (errors.has_errors()) return;
  for (uint32_t d = 0; d < f.dense_count(); ++d) f.set_loc(f.from_dense(d), {});
  ir::compact(f);
}

void tell_taken(const ir::Function& f, Diagnostics& errors) {
  errors.error("there is a function '" + std::string(f.name_text()) + "' already");
}

void tell_unassigned(const BuildReport& report, const Meaning& code, Diagnostics& errors) {
  for (uint32_t number : report.unassigned)
    errors.error("register " + code.register_name(number) + " is read before it is written");
}

/// The function takes its place once it is valid; until then, and if it never is, the module has a declaration.
Expected<Func*> finish(ir::Function& place, ir::Function&& f, const BuildReport& report, const Meaning& code, Diagnostics& errors) {
  tell_unassigned(report, code, errors);
  if (errors.has_errors()) return errors;
  if (code.is_typed()) {
    if (Expected<void> done = construct(f, Construction::regmap); !done) return std::move(done).error();
  } else {
    find_types(f, errors);
    if (errors.has_errors()) return errors;
    if (Expected<void> valid = braid::verify(f); !valid) return std::move(valid).error();
  }
  if (ir::take_place(place, std::move(f))) return &place;
  tell_taken(place, errors);
  return errors;
}

ir::Signature signature_of(const Meaning& code) {
  ir::Signature signature;
  signature.result = code.result();
  for (const Param& parameter : code.parameters()) signature.params.push_back(parameter.type);
  return signature;
}

/// What registers without types are at a header: what they are in the state there, once all of the code has types. One
/// that always holds the same constant there has none even then: its readers may take it for different things.
struct Held {
  Type type = i64;
  std::optional<int64_t> constant;
};
/// All of the code is built, in a function that nobody calls and that the module does not know.
std::vector<Held> held_at(ir::Module& m, Meaning& code, const Blocks& blocks, RegisterLiveness& liveness, Pc header,
                          Diagnostics& errors) {
  ir::Function f(m, none_id<ir::FuncId>, m.symbol("whole"), m.signature(signature_of(code)), false);
  Adapter adapter(m, code, blocks, errors);
  tell_unassigned(build(code, blocks, liveness, adapter, f, {.safepoints = true, .osr_states = false}), code, errors);
  if (!errors.has_errors()) find_types(f, errors);
  std::vector<Held> held;
  if (errors.has_errors()) return held;
  for (uint32_t i = 0; i < f.size(); ++i) {
    const ir::Stmt& s = f.columns().stmt(i);
    // The state at the start of the function may be of the same instruction; that of the header comes behind it.
    if (s.op != Op::save_state || f.arg(s, 0) != header) continue;
    held.clear();
    for (uint32_t k = 4; k < f.operand_count(s); k += 2) {
      const Operand value = f.resolve(f.operand(s, k));
      Held& one = held.emplace_back();
      if (value.is_constant()) one.constant = static_cast<int64_t>(m.constants.value(value).bits);
      else one.type = Type{m.types.kinds(f.type_of(value))};
    }
  }
  return held;
}

bool is_name_free(ir::Module& m, std::string_view name, Diagnostics& errors) {
  if (const ir::Function* f = m.find_function(name); f != nullptr && !f->is_external()) tell_taken(*f, errors);
  return !errors.has_errors();
}

/// A function for a body, with the id of the declaration that the module has. Null if it has one of other types.
struct Begun {
  ir::Function* place;
  ir::Function f;
};
Begun begin(ir::Module& m, std::string_view name, ir::Signature signature, Diagnostics& errors) {
  const Symbol symbol = m.symbol(name);
  const ir::SigId id = m.signature(std::move(signature));
  const ir::Place place = ir::declare_place(m, symbol, id);
  if (place.mistake != nullptr) errors.error("in '@" + std::string(name) + "': " + place.mistake);
  return {place.declaration,
          ir::Function(m, place.declaration == nullptr ? none_id<ir::FuncId> : place.declaration->id(), symbol, id, false)};
}

}  // namespace

Expected<Func*> to_ssa(Module& m, std::string_view name, Meaning& code, const Options& options) {
  Diagnostics errors;
  check(code, errors);
  check_parameters(code, errors);
  if (!is_name_free(m.ir(), name, errors)) return errors;
  const Blocks blocks(code);
  RegisterLiveness liveness(code, blocks);
  Adapter adapter(m.ir(), code, blocks, errors);
  auto [place, f] = begin(m.ir(), name, signature_of(code), errors);
  if (place == nullptr) return errors;
  for (const Param& parameter : code.parameters()) f.param_names.push_back(m.ir().symbol(parameter.name));
  const BuildReport report = build(code, blocks, liveness, adapter, f, {options.safepoints, options.osr_states});
  return finish(*place, std::move(f), report, code, errors);
}
std::vector<Pc> loop_headers(const Code& code) {
  Diagnostics errors;
  check(code, errors);
  std::vector<Pc> found;
  if (errors.has_errors()) return found;
  const Blocks blocks(code);
  for (BlockId b : loop_headers(code, blocks)) found.push_back(blocks[b].first);
  return found;
}

Expected<Entry> entry_at(Module& m, std::string_view name, Meaning& code, Pc header, const Options& options) {
  Diagnostics errors;
  check(code, errors);
  if (!code.is_typed()) check_parameters(code, errors);
  if (!is_name_free(m.ir(), name, errors)) return errors;
  const Blocks blocks(code);
  const BlockId block = header < code.size() ? blocks.block_of(header) : none_id<BlockId>;
  if (is_none(block) || blocks[block].first != header) {
    errors.error("no block starts at instruction " + std::to_string(header));
    return errors;
  }
  RegisterLiveness liveness(code, blocks);
  Adapter adapter(m.ir(), code, blocks, errors);
  Entry entry;
  ir::Signature signature = entry_signature(liveness, adapter, block, code.result());
  if (!code.is_typed()) {
    const std::vector<Held> held = held_at(m.ir(), code, blocks, liveness, header, errors);
    if (!errors.has_errors() && held.size() != signature.params.size())
      errors.error("instruction " + std::to_string(header) + " heads no loop");
    if (errors.has_errors()) return errors;
    for (uint32_t i = 0; i < signature.params.size(); ++i) {
      signature.params[i] = held[i].type;
      if (held[i].constant) adapter.set_entry_value(i, m.ir().constant(i64, *held[i].constant));
    }
  }
  auto [place, f] = begin(m.ir(), name, std::move(signature), errors);
  if (place == nullptr) return errors;
  for (flow::Variable v : liveness.live_in(block)) {
    entry.registers.push_back(index(v));
    f.param_names.push_back(m.ir().symbol("from_" + code.register_name(index(v))));
  }
  const BuildReport report =
      build_entry(code, blocks, liveness, adapter, block, f, {options.safepoints, options.osr_states});
  Expected<Func*> made = finish(*place, std::move(f), report, code, errors);
  if (!made) return std::move(made).error();
  entry.function = *made;
  return entry;
}

}  // namespace braid::bytecode
