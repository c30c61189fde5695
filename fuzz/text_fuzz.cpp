// Fuzzes the way text -> verify -> compact -> interpret. Whatever the bytes are, nothing crashes; and what is accepted keeps
// its promises: printing reads back, compaction and passes keep programs valid and their results the same.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "interp/interpreter.h"
#include "ir/compact.h"
#include "ir/transfer.h"
#include "ir/verify.h"
#include "passes/runner.h"
#include "text/parse.h"
#include "text/print.h"

using namespace braid;

namespace {

[[noreturn]] void broken(const char* promise, const std::string& detail) {
  std::fprintf(stderr, "broken promise: %s\n%s\n", promise, detail.c_str());
  std::abort();
}

text::ParsedModule must_parse(const std::string& text) {
  SourceFile source("printed.braid", text);
  Expected<text::ParsedModule> parsed = text::parse_module(source);
  if (!parsed) broken("what is printed reads back", render(parsed.error()) + text);
  return std::move(*parsed);
}

void must_verify(const ir::Module& module, const char* promise) {
  std::vector<ir::Finding> findings = ir::verify(module);
  if (!findings.empty()) broken(promise, findings[0].message + "\n" + text::to_text(module));
}

/// Addresses and object numbers are not promised: programs that could show them are not compared.
bool shows_addresses(const ir::Module& module) {
  for (uint32_t i = 0; i < module.function_count(); ++i) {
    const ir::Function& f = module.function(static_cast<ir::FuncId>(i));
    for (uint32_t k = 0; k < f.dense_count(); ++k) {
      ir::Op op = f.op(f.from_dense(k));
      if (op == ir::Op::stack_slot || op == ir::Op::global_addr || op == ir::Op::func_addr || op == ir::Op::box ||
          op == ir::Op::inttoptr)
        return true;
    }
  }
  return false;
}

/// Passes believe a type that somebody claims: more is declared than follows from the operation and its operands.
bool claims_type(const ir::Function& f, ir::Operand id) {
  TypeTable& types = f.module().types;
  const Type declared = f.type(id);
  if (f.op(id) == ir::Op::pi) return declared != f.type_of(f.operand(id, 0));
  if (declared.is_plain() || types.has_elements(declared)) return false;
  std::vector<Type> operands;
  for (uint32_t i = 0; i < f.operand_count(f.stmt(id)); ++i)
    operands.push_back(ir::info(f.op(id)).is_value(i) ? f.type_of(f.resolve(f.operand(id, i))) : none);
  return !types.leq(ir::transfer(f, f.stmt(id), Type{types.kinds(declared)}, operands), declared);
}
bool claims_types(const ir::Module& module) {
  for (uint32_t i = 0; i < module.function_count(); ++i) {
    const ir::Function& f = module.function(static_cast<ir::FuncId>(i));
    for (uint32_t k = 0; k < f.dense_count(); ++k)
      if (claims_type(f, f.from_dense(k))) return true;
  }
  return false;
}

/// No host function is there: a run ends at the first call, unless that may be done later, or not at all.
bool may_move_calls(const ir::Module& module) {
  for (uint32_t i = 0; i < module.function_count(); ++i) {
    const ir::Function& f = module.function(static_cast<ir::FuncId>(i));
    if (f.is_external() && f.external_traits != ir::any_effect) return true;
  }
  return false;
}

struct Ending {
  interp::OutcomeKind kind;
  std::string text;
};

std::vector<Ending> run_all(ir::Module& module) {
  interp::RunOptions options;
  options.max_steps = 20'000;
  options.max_depth = 200;
  options.max_memory = 1 << 20;
  interp::Interpreter interpreter(module, options);
  std::vector<Ending> endings;
  for (uint32_t i = 0; i < module.function_count(); ++i) {
    const ir::Function& f = module.function(static_cast<ir::FuncId>(i));
    if (f.is_external()) continue;
    for (uint64_t seed : {0ull, 1ull, 0xfffffffffffffff9ull}) {
      std::vector<Value> arguments;
      bool plain = true;
      for (uint32_t p = 0; p < f.param_count(); ++p) {
        std::optional<Kind> kind = module.types.single_kind(f.param_type(p));
        plain = plain && kind && (is_integer(*kind) || is_float(*kind)) && f.param_type(p) == of(*kind);
        if (!plain) break;
        int64_t number = static_cast<int64_t>(seed) + static_cast<int64_t>(p);
        if (*kind == Kind::f64) arguments.push_back(Value(static_cast<double>(number)));
        else if (*kind == Kind::f32) arguments.push_back(Value(static_cast<float>(number)));
        else if (*kind == Kind::i1) arguments.push_back(Value((number & 1) != 0));
        else if (*kind == Kind::i8) arguments.push_back(Value(static_cast<int8_t>(number)));
        else if (*kind == Kind::i16) arguments.push_back(Value(static_cast<int16_t>(number)));
        else if (*kind == Kind::i32) arguments.push_back(Value(static_cast<int32_t>(number)));
        else arguments.push_back(Value(number));
      }
      if (!plain) continue;
      interp::Outcome outcome = interpreter.run(f, arguments);
      // The frames of callers are known where calls are inlined, and only there.
      if (outcome.states.size() > 1) outcome.states.resize(1);
      endings.push_back({outcome.kind, interp::to_string(outcome)});
    }
  }
  return endings;
}

void must_agree(const std::vector<Ending>& a, const std::vector<Ending>& b, bool calls_may_move, const char* promise,
                const std::string& text) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i].kind == interp::OutcomeKind::limit || b[i].kind == interp::OutcomeKind::limit) continue;
    // A program that traps has broken a promise of its own (`!nothrow`, `reject`): nothing is promised of it. A bad
    // address is no such promise: it must stay.
    if (a[i].kind == interp::OutcomeKind::trap && a[i].text.find("bad address") == std::string::npos) continue;
    if (calls_may_move && a[i].kind == interp::OutcomeKind::error) continue;
    if (a[i].kind != b[i].kind || a[i].text != b[i].text)
      broken(promise, a[i].text + " is now " + b[i].text + "\n" + text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  SourceFile source("input.braid", std::string(reinterpret_cast<const char*>(data), size));
  Expected<text::ParsedModule> parsed = text::parse_module(source);
  if (!parsed) return 0;
  ir::Module& module = *parsed->module;
  std::string printed = text::to_text(module);
  text::ParsedModule again = must_parse(printed);
  if (text::to_text(*again.module) != printed) broken("printing is stable", printed);
  if (!ir::verify(module).empty()) return 0;
  must_verify(*again.module, "what was valid is valid when read back");

  const bool compare = !shows_addresses(module), compare_passes = compare && !claims_types(module);
  const bool calls_may_move = may_move_calls(module);
  std::vector<Ending> before = run_all(module);
  if (compare) must_agree(before, run_all(*again.module), false, "reading back keeps results", printed);

  for (uint32_t i = 0; i < module.function_count(); ++i) {
    ir::Function& f = module.function(static_cast<ir::FuncId>(i));
    if (f.is_external()) continue;
    ir::compact(f, {.count_uses = true, .remove_dead = true});
  }
  must_verify(module, "compaction keeps programs valid");
  if (compare) must_agree(before, run_all(module), calls_may_move, "compaction keeps results", printed);

  for (const passes::Pass& pass : passes::all_passes()) {
    const passes::Pass* pipeline[] = {&pass};
    passes::run_passes(*again.module, pipeline);
    must_verify(*again.module, "passes keep programs valid");
    if (compare_passes) must_agree(before, run_all(*again.module), calls_may_move, "passes keep results", printed);
  }
  return 0;
}
