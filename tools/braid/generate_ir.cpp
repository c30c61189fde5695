// docs/ir.md: every operation by section, with operands, types, effects and meaning, and the rules of the verifier.
#include <algorithm>
#include <array>

#include "generate.h"
#include "ir/op.h"
#include "ir/verify.h"

namespace braid::tool {
namespace {

using namespace ir;

std::string_view word_for(OperandKind kind) {
  switch (kind) {
    case OperandKind::value: return "value";
    case OperandKind::block: return "block";
    case OperandKind::variable: return "variable";
    case OperandKind::function: return "function";
    case OperandKind::global: return "global";
    case OperandKind::intrinsic: return "intrinsic";
    case OperandKind::symbol: return "name";
    case OperandKind::signature: return "signature";
    case OperandKind::type: return "type";
    case OperandKind::immediate: return "number";
  }
  return "";
}

std::string operands_of(const OpInfo& op) {
  std::string out;
  auto add = [&](OperandKind kind) { out += (out.empty() || out.ends_with('(') ? "" : ", ") + std::string(word_for(kind)); };
  for (unsigned i = 0; i < op.fixed_count; ++i) add(op.fixed[i]);
  if (op.group_count != 0) {
    std::string group;
    for (unsigned i = 0; i < op.group_count; ++i) group += (i ? ", " : "") + std::string(word_for(op.group[i]));
    out += (out.empty() ? "" : ", ") + std::string("(") + group + ")*";
  }
  return out.empty() ? "-" : out;
}

/// What the type rule of an op says, in the words of the reference. T stands for one type throughout a row.
std::string_view types_of(TypeRule rule) {
  switch (rule) {
    case TypeRule::none: return "-";
    case TypeRule::same: return "T → T";
    case TypeRule::int_binary: return "int T, T → T";
    case TypeRule::int_unary: return "int T → T";
    case TypeRule::overflow: return "int T, T → (T, i1)";
    case TypeRule::float_binary: return "float T, T → T";
    case TypeRule::float_unary: return "float T → T";
    case TypeRule::equality: return "int, ptr or ref T, T → i1";
    case TypeRule::signed_compare: return "int T, T → i1";
    case TypeRule::unsigned_compare: return "int or ptr T, T → i1";
    case TypeRule::float_compare: return "float T, T → i1";
    case TypeRule::int_narrow: return "int → narrower int";
    case TypeRule::int_extend: return "int → wider int";
    case TypeRule::int_to_float: return "int → float";
    case TypeRule::float_to_int: return "float → int";
    case TypeRule::float_extend: return "f32 → f64";
    case TypeRule::float_narrow: return "f64 → f32";
    case TypeRule::bitcast: return "number → number of the same width";
    case TypeRule::ptr_to_int: return "ptr → i64";
    case TypeRule::int_to_ptr: return "i64 → ptr";
    case TypeRule::select: return "i1, T, T → T";
    case TypeRule::tuple: return "values → tuple of their types";
    case TypeRule::extract: return "tuple → type of the field";
    case TypeRule::box: return "value → ref";
    case TypeRule::unbox: return "ref → T";
    case TypeRule::call: return "the function's signature";
    case TypeRule::call_indirect: return "ptr, then the signature";
    case TypeRule::func_addr: return "→ ptr";
    case TypeRule::intrinsic: return "the intrinsic's signature";
    case TypeRule::stack_slot: return "→ ptr";
    case TypeRule::global_addr: return "→ ptr";
    case TypeRule::load: return "ptr → T";
    case TypeRule::store: return "T, ptr";
    case TypeRule::mem_copy: return "ptr, ptr, i64";
    case TypeRule::mem_fill: return "ptr, i8, i64";
    case TypeRule::ptr_add: return "ptr, i64 → ptr";
    case TypeRule::ptr_diff: return "ptr, ptr → i64";
    case TypeRule::get: return "→ the variable's type";
    case TypeRule::set: return "the variable's type";
    case TypeRule::is_defined: return "→ i1";
    case TypeRule::phi: return "T per edge → T";
    case TypeRule::pi: return "value → T, which may be narrower";
    case TypeRule::upsilon: return "T → T";
    case TypeRule::phi_c: return "upsilons of T → T";
    case TypeRule::leave: return "tokens";
    case TypeRule::the_exception: return "→ ref";
    case TypeRule::pop_exception: return "token";
    case TypeRule::throw_undef: return "i1";
    case TypeRule::check_null: return "ptr or ref T → T";
    case TypeRule::check_int: return "int T → T";
    case TypeRule::check_bounds: return "int T, T → T";
    case TypeRule::check_overflow: return "(T, i1) → T";
    case TypeRule::check_true: return "i1";
    case TypeRule::save_state: return "caller state or undef, values → state";
    case TypeRule::state_use: return "state";
    case TypeRule::guard: return "i1, state";
    case TypeRule::branch: return "i1";
    case TypeRule::switch_: return "int T, constants of T";
    case TypeRule::ret: return "the function's result";
    case TypeRule::throw_: return "ref";
    case TypeRule::enter: return "→ token";
    case TypeRule::deopt: return "state";
    case TypeRule::dynamic: return "the language's values → what it gives";
    case TypeRule::kind_test: return "value → i1";
    case TypeRule::variant_make: return "T or narrower → T";
    case TypeRule::variant_tag: return "value → i8";
    case TypeRule::variant_get: return "value → T of one kind";
  }
  return "";
}

struct TraitName {
  Traits trait;
  std::string_view name, doc;
};
constexpr TraitName trait_names[] = {
    {commutes, "commutes", "its two operands may be swapped"},
    {identity, "identity", "every execution gives a new thing: may be removed when unused, not merged"},
    {reads_memory, "reads memory", "depends on what was written to memory"},
    {writes_memory, "writes memory", "changes memory"},
    {reads_variable, "reads variable", "depends on what was assigned"},
    {writes_variable, "writes variable", "assigns a variable"},
    {reads_exception, "reads exception", "depends on the exception that is being handled"},
    {handlers, "handlers", "changes the handler stack or the exception stack"},
    {throws, "throws", "may throw an exception"},
    {traps, "traps", "may end the program; no exception, nothing can catch it"},
    {host_effect, "host", "may do anything outside of the program"},
    {safepoint_effect, "safepoint", "the runtime may look at the frame here"},
    {deoptimises, "deoptimises", "may leave the compiled code"},
    {idempotent, "idempotent", "doing it again changes nothing"},
    {declared_effect, "declared", "what the declaration of the intrinsic says"},
};

/// A terminator is what it is whether or not it has effects; anything else without them is pure.
std::string effects_of(const OpInfo& op) {
  if (op.rule == TypeRule::call || op.rule == TypeRule::call_indirect) return "any";
  bool is_pure = (op.traits & ~commutes) == 0;
  std::string out = is_pure ? "pure" : "";
  for (const TraitName& trait : trait_names)
    if (op.traits & trait.trait) out += (out.empty() ? "" : ", ") + std::string(trait.name);
  return out.empty() ? "-" : out;
}

/// A bar would end the cell of the table.
std::string cell(std::string_view text) {
  std::string out;
  for (char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

void append_ops(std::string& out) {
  std::string_view section;
  for (unsigned i = 0; i < op_count; ++i) {
    const OpInfo& op = op_table[i];
    if (op.section != section) {
      section = op.section;
      size_t note = section.find(" (");
      out += "\n### " + std::string(section.substr(0, note)) + "\n\n";
      if (note != std::string_view::npos) {
        std::string text(section.substr(note + 2, section.size() - note - 3));
        text[0] = static_cast<char>(text[0] >= 'a' && text[0] <= 'z' ? text[0] - 'a' + 'A' : text[0]);
        out += text + ".\n\n";
      }
      out += "| op | operands | types | effects | meaning |\n|---|---|---|---|---|\n";
    }
    out += "| `" + std::string(op.text) + "` | " + operands_of(op) + " | " + cell(types_of(op.rule)) + " | " +
           effects_of(op) + " | " + cell(op.doc) + " |\n";
  }
}

void append_rules(std::string& out) {
  std::string_view subject;
  for (const VerifyRule& rule : verify_rules()) {
    if (rule.subject != subject) {
      subject = rule.subject;
      out += "\n### " + std::string(subject) + "\n\n| rule | what it says |\n|---|---|\n";
    }
    out += "| `" + std::string(rule.name) + "` | " + cell(rule.doc) + " |\n";
  }
}

}  // namespace

std::string ir_reference() {
  std::string out =
      "# The operations\n\n"
      "<!-- Made by `braid generate ir` from src/ir/ops.def and src/ir/verify_rules.def: edit those, then run ./dev docs. -->\n\n"
      "Every operation of the IR, from the one table that text, verifier, types and engines read. How statements are\n"
      "written is in [text.md](text.md); why the IR is as it is, in [design.md](design.md).\n\n"
      "Arithmetic is total and pure. What may throw is an operation of its own (the checks), whose result is the checked\n"
      "value. An operation without effects is pure: it may be removed when nobody uses its value. Nothing is undefined\n"
      "behaviour except what the verifier rejects.\n\n"
      "An address reaches only the stack slot, global or allocation that it was derived from, and passes count on it. A load\n"
      "or store through it elsewhere stays within the program's memory, or traps; but which value it meets there, and which\n"
      "numbers the addresses of slots are, is not fixed and may change with every pass.\n\n"
      "## Effects\n\n| effect | meaning |\n|---|---|\n";
  for (const TraitName& trait : trait_names) out += "| " + std::string(trait.name) + " | " + std::string(trait.doc) + " |\n";
  out += "\n## Operations by subject\n\n`(value)*` means any number of values. T is one type throughout a row.\n";
  append_ops(out);
  out += "\n## Rules of the verifier\n\nEvery rule that a program must obey. `braid verify` names the broken rule in brackets.\n";
  append_rules(out);
  return out;
}

}  // namespace braid::tool
