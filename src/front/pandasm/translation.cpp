#include "front/pandasm/translation.h"

#include <algorithm>

#include "front/pandasm/pandasm.h"
#include "front/pandasm/translate_function.h"

namespace braid::pandasm {

using bytecode::BlockId;
using bytecode::Blocks;
using bytecode::Pc;
using bytecode::RegisterLiveness;

braid::Type storage_of(const Type& type) { return storage_of(ValueTypes::holding(type).kind); }

braid::Type storage_of(ValueType::Kind kind) {
  switch (kind) {
    case ValueType::Kind::i32: return i32;
    case ValueType::Kind::i64: return i64;
    case ValueType::Kind::f32: return f32;
    case ValueType::Kind::f64: return f64;
    case ValueType::Kind::null:
    case ValueType::Kind::reference: return ref;
    default: return void_type;
  }
}

std::string array_maker_name(uint32_t dimensions) { return "pa.new_array." + std::to_string(dimensions); }

Translation::Translation(const SourceFile& source, const Program& program, const Links& links,
                         const std::vector<FunctionTypes>& types, const TranslationOptions& options)
    : source_(source), program_(program), links_(links), function_types_(types), options_(options),
      module_(std::make_unique<ir::Module>()), hierarchy_(program, links), intrinsics_(managed_count, none_id<ir::IntrinsicId>),
      file_(module_->symbol(source.name())) {
  first_position_.push_back(0);
  for (const Function& function : program.functions)
    first_position_.push_back(first_position_.back() + static_cast<uint32_t>(function.code.size()));
  first_field_.push_back(0);
  for (const Record& record : program.records)
    first_field_.push_back(first_field_.back() + static_cast<uint32_t>(record.fields.size()));
  declare_functions();
  // Entries that are made later may guess where these functions do not, and the other way round; all intrinsics are
  // known from the start.
  if (options.guesses)
    for (Managed operation : {Managed::method, Managed::has_class, Managed::means}) intrinsic(operation);
  for (uint32_t i = 0; i < program.functions.size(); ++i)
    if (program.functions[i].has_body) translate(i);
}

Translation::~Translation() = default;

ir::Signature Translation::signature(uint32_t function) const {
  ir::Signature signature;
  for (const Type& parameter : program_.functions[function].parameters)
    signature.params.push_back(storage_of(parameter));
  signature.result = storage_of(program_.functions[function].result);
  return signature;
}

void Translation::declare_functions() {
  std::vector<uint8_t> uses(program_.symbols.size(), 0);
  for (const Function& function : program_.functions)
    uses[index(function.name)] = static_cast<uint8_t>(std::min(uses[index(function.name)] + 1, 2));
  for (uint32_t i = 0; i < program_.functions.size(); ++i) {
    const Function& function = program_.functions[i];
    std::string name(program_.symbols.view(function.name));
    if (uses[index(function.name)] > 1) {
      name += ":(";
      for (size_t k = 0; k < function.parameters.size(); ++k) {
        if (k != 0) name += ',';
        append_type(name, program_, function.parameters[k]);
      }
      name += ')';
    }
    ir::Function& made = module_->add_function(module_->symbol(name), signature(i), !function.has_body);
    made.frames = frames_of(function);
    for (size_t k = 0; k < function.parameters.size(); ++k)
      made.param_names.push_back(module_->symbol("p" + std::to_string(k)));
    functions_.push_back(made.id());
  }
}

void Translation::translate(uint32_t function) {
  const FunctionCode code(program_, links_, function);
  const Blocks& blocks = *function_types_[function].blocks;
  RegisterLiveness liveness(code, blocks, function_types_[function].liveness);
  FunctionTranslator translator(*this, function, code);
  ir::Function& f = module_->function(functions_[function]);
  const bytecode::BuildReport report = bytecode::build(code, blocks, liveness, translator, f, options_.build);
  report_.loop_headers += report.loop_headers;
  report_.regions += report.regions;
  report_.states += report.states;
  report_.state_registers += report.state_registers;
}

void Translation::translate_again(uint32_t function) {
  const ir::Function& before = module_->function(functions_[function]);
  ir::Function empty(*module_, before.id(), before.name(), before.signature_id(), false);
  empty.param_names = before.param_names;
  empty.frames = before.frames;
  module_->replace_function(before.id(), std::move(empty));
  for (uint32_t position = first_position_[function]; position < first_position_[function + 1]; ++position) guesses_.erase(position);
  translate(function);
}

Translation::Entry Translation::add_entry(uint32_t function, Pc header) {
  const FunctionCode code(program_, links_, function);
  const Blocks& blocks = *function_types_[function].blocks;
  RegisterLiveness liveness(code, blocks, function_types_[function].liveness);
  FunctionTranslator translator(*this, function, code);
  const BlockId block = blocks.block_of(header);
  Entry entry;
  for (flow::Variable v : liveness.live_in(block)) entry.registers.push_back(index(v));
  const ir::Function& whole = module_->function(functions_[function]);
  std::string name = std::string(whole.name_text()) + "@" + std::to_string(header);
  if (const uint32_t count = ++entry_counts_[uint64_t{function} << 32 | header]; count > 1) name += "." + std::to_string(count);
  ir::Function& made = module_->add_function(
      module_->symbol(name), bytecode::entry_signature(liveness, translator, block, whole.result_type()));
  for (uint32_t number : entry.registers)
    made.param_names.push_back(module_->symbol("from_" + translator.register_name(number)));
  made.frames = whole.frames;
  entry.function = made.id();
  bytecode::build_entry(code, blocks, liveness, translator, block, made, options_.build);
  return entry;
}

std::vector<Pc> Translation::headers(uint32_t function) const {
  const FunctionCode code(program_, links_, function);
  const Blocks& blocks = *function_types_[function].blocks;
  std::vector<Pc> found;
  for (BlockId b : bytecode::loop_headers(code, blocks)) found.push_back(blocks[b].first);
  return found;
}

Translation::Place Translation::place(uint32_t position) const {
  const auto after = std::upper_bound(first_position_.begin(), first_position_.end(), position);
  const uint32_t function = static_cast<uint32_t>(after - first_position_.begin()) - 1;
  return {function, position - first_position_[function]};
}

std::optional<Translation::Place> Translation::place(const ir::Location& location) {
  auto key = [](uint32_t line, uint32_t column) { return uint64_t{line} << 32 | column; };
  if (places_.empty())
    for (uint32_t i = 0; i < program_.functions.size(); ++i)
      for (Pc pc = 0; pc < program_.functions[i].code.size(); ++pc) {
        const LineColumn at = source_.line_column(program_.functions[i].code[pc].offset);
        places_[key(at.line, at.column)] = {i, pc};
      }
  const auto found = places_.find(key(location.line, location.column));
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

FieldLink Translation::field(uint32_t number) const {
  const auto after = std::upper_bound(first_field_.begin(), first_field_.end(), number);
  const uint32_t record = static_cast<uint32_t>(after - first_field_.begin()) - 1;
  return {record, number - first_field_[record]};
}

uint32_t Translation::number_of(const Type& type) {
  auto [entry, is_new] = number_of_type_.try_emplace({type.primitive, type.dimensions, index(type.record)},
                                                     static_cast<uint32_t>(types_of_numbers_.size()));
  if (is_new) types_of_numbers_.push_back(type);
  return entry->second;
}

ir::IntrinsicId Translation::intrinsic(Managed operation) {
  ir::IntrinsicId& known = intrinsics_[static_cast<uint32_t>(operation)];
  if (!is_none(known)) return known;
  const ManagedInfo& about = info(operation);
  ir::Signature signature;
  for (char letter : about.parameters) signature.params.push_back(type_of_letter(letter));
  signature.result = type_of_letter(about.result);
  return known =
             module_->add_intrinsic({module_->symbol(about.text), module_->signature(signature), about.traits, {}, {}});
}

/// As long as there is an initialiser, runs it; what it throws is told and thrown on.
ir::FuncId Translation::initialise_function() {
  if (!is_none(initialise_)) return initialise_;
  ir::Function& f = module_->add_function(module_->symbol("pa.initialise"), {{i32}, void_type});
  f.param_names.push_back(module_->symbol("record"));
  f.frames = 0;
  const auto block = [&](std::string_view name) { return f.new_block(module_->symbol(name)); };
  const ir::BlockId entry = block("entry"), next = block("next"), run = block("run"), body = block("body"),
                    handler = block("handler"), done = block("done");
  const auto call = [&](ir::BlockId b, Managed operation, ir::Operand operand) {
    const uint32_t words[] = {index(intrinsic(operation)), operand.word()};
    return ir::Operand(f.append(b, f.make(ir::Op::intrinsic, type_of_letter(info(operation).result), words)));
  };
  f.jump(entry, next);
  const ir::Operand initialiser = call(next, Managed::begin_init, ir::Operand::param(0));
  const ir::Operand is_there = f.append(next, f.make(ir::Op::ne, i1, {initialiser, module_->constant(ptr, 0)}));
  f.branch(next, is_there, run, done);
  const ir::Operand token = f.enter(run, handler, body);
  const uint32_t words[] = {index(module_->signature(ir::Signature{})), initialiser.word()};
  f.append(body, f.make(ir::Op::call_indirect, void_type, words));
  f.append(body, f.make(ir::Op::leave, void_type, {token}));
  call(body, Managed::end_init, module_->constant(ref, 0));
  f.jump(body, next);
  const ir::Operand exception = f.append(handler, f.make(ir::Op::the_exception, ref));
  f.append(handler, f.make(ir::Op::pop_exception, void_type, {token}));
  call(handler, Managed::end_init, exception);
  f.unreachable(handler);
  f.ret(done);
  return initialise_ = f.id();
}

ir::IntrinsicId Translation::array_maker(uint32_t dimensions) {
  const Symbol name = module_->symbol(array_maker_name(dimensions));
  const ir::IntrinsicId known = module_->find_intrinsic(name);
  if (!is_none(known)) return known;
  const ir::Signature signature{std::vector<braid::Type>(dimensions + 1, i32), ref};
  return module_->add_intrinsic({name, module_->signature(signature), ir::identity | ir::throws, {}, {}});
}

}  // namespace braid::pandasm
