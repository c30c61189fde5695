#include "text/print.h"

#include "ir/language.h"
#include "ir/order.h"
#include "text/names.h"
#include "text/statement_text.h"
#include "type/type_text.h"

namespace braid::text {

using namespace ir;

namespace {

class FunctionPrinter {
 public:
  FunctionPrinter(const Function& f, std::string& out)
      : f_(f), out_(out), listing_(f), text_(listing_, out, f.is_at_rest() ? nullptr : &printed_), lists_(f) {}

  void print() {
    listing_.find_names();
    print_header();
    if (f_.is_external()) return;
    listing_.order_edges();
    listing_.find_uses();
    printed_.resize(f_.dense_count());
    out_.reserve(out_.size() + 32 * size_t{f_.dense_count()} + 64);
    for (uint32_t v = 0; v < f_.variables.size(); ++v) print_variable(static_cast<VarId>(v));
    for (uint32_t b = 0; b < f_.block_count(); ++b) print_block(static_cast<BlockId>(b));
    out_ += "}\n";
  }

 private:
  void print_header() {
    out_ += f_.is_external() ? "extern " : "func ";
    append_global_name(out_, f_.name_text());
    out_ += '(';
    for (uint32_t i = 0; i < f_.param_count(); ++i) {
      if (i > 0) out_ += ", ";
      bool has_symbol = i < f_.param_names.size() && !is_none(f_.param_names[i]);
      if (has_symbol || !f_.is_external()) {
        listing_.append_param(out_, i);
        if (has_symbol && !listing_.param_has_name(i)) {
          out_ += ' ';
          append_quoted(out_, f_.module().name(f_.param_names[i]));
        }
        out_ += ": ";
      }
      text_.append_type(f_.param_type(i));
    }
    out_ += ") -> ";
    text_.append_type(f_.result_type());
    if (f_.is_external())
      print_effects(out_, f_.external_traits);
    else
      out_ += " {";
    out_ += '\n';
  }

  void print_variable(VarId v) {
    const Variable& variable = f_.variables[v];
    out_ += "  var ";
    listing_.append_variable(out_, v);
    if (!listing_.variable_has_name(v)) {
      out_ += ' ';
      append_quoted(out_, f_.module().name(variable.name));
    }
    out_ += ": ";
    text_.append_type(variable.type);
    if (variable.undef != UndefMeaning::throws) {
      out_ += ' ';
      out_ += undef_words[static_cast<size_t>(variable.undef)];
    }
    out_ += '\n';
  }

  void print_block(BlockId b) {
    listing_.append_block(out_, b);
    if (!is_none(f_.block(b).name) && !listing_.block_has_name(b)) {
      out_ += ' ';
      append_quoted(out_, f_.module().name(f_.block(b).name));
    }
    out_ += ":\n";
    for_each_statement(f_, lists_, b, [&](Operand id) { print_statement(b, id); });
  }

  void print_statement(BlockId b, Operand id) {
    out_ += "  ";
    bool with_result = true;
    if (id.is_pending()) {
      print_place(f_.points()[id.number()]);
    } else {
      bool has_value = f_.type(id) != void_type && !is_terminator(f_.op(id));
      with_result = has_value || listing_.is_used(id);
    }
    text_.append(b, id, with_result);
    out_ += '\n';
    printed_.set(f_.dense(id));
  }

  /// The statement that a buffered one hangs on is named only if it is buffered, too.
  void print_place(const Point& point) {
    constexpr std::string_view sides[] = {"+<", "+>", "+phi", "+end"};
    out_ += sides[static_cast<size_t>(point.side)];
    if (!point.of_block() && point.anchor().is_pending()) {
      out_ += '(';
      text_.append_value(point.anchor());
      out_ += ')';
    }
    out_ += ' ';
  }

 public:
  static void print_effects(std::string& out, Traits traits) {
    if (traits == any_effect) return;
    if (traits == no_traits) out += " pure";
    for (const TraitWord& known : trait_words) {
      if ((traits & known.trait) == 0) continue;
      out += ' ';
      out += known.word;
    }
  }

 private:
  const Function& f_;
  std::string& out_;
  Listing listing_;
  BitSet printed_;
  StatementText text_;
  PendingLists lists_;
};

void print_classes(std::string& out, const ClassTree& classes) {
  for (uint32_t i = 0; i < classes.size(); ++i) {
    ClassId id = static_cast<ClassId>(i);
    out += "class ";
    append_global_name(out, classes.name(id));
    if (!is_none(classes.parent(id))) {
      out += " : ";
      append_global_name(out, classes.name(classes.parent(id)));
    }
    out += '\n';
  }
}

void print_global(std::string& out, const Module& module, const Global& global) {
  out += "global ";
  append_global_name(out, module.name(global.name));
  out += ": ";
  append_number(out, global.size);
  if (global.align != Global{}.align) {
    out += " align ";
    append_number(out, global.align);
  }
  if (global.constant) out += " const";
  if (!global.initial.empty()) {
    out += " = ";
    append_quoted(out, {reinterpret_cast<const char*>(global.initial.data()), global.initial.size()});
  }
  out += '\n';
}

void print_intrinsic(std::string& out, const Module& module, const Intrinsic& intrinsic) {
  std::string_view name = module.name(intrinsic.name);
  out += "intrinsic ";
  if (is_name(name))
    out += name;
  else
    append_quoted(out, name);
  out += '(';
  const Signature& signature = module.signature(intrinsic.signature);
  for (size_t i = 0; i < signature.params.size(); ++i) {
    if (i > 0) out += ", ";
    append_type(out, module.types, signature.params[i], &module.symbols);
  }
  out += ") -> ";
  append_type(out, module.types, signature.result, &module.symbols);
  FunctionPrinter::print_effects(out, intrinsic.traits);
  out += '\n';
}

}  // namespace

void append_text(std::string& out, const Function& f) { FunctionPrinter(f, out).print(); }

void append_text(std::string& out, const Module& module) {
  size_t start = out.size();
  if (const Language* language = ir::language(module.language)) (out += "language ") += language->name, out += '\n';
  print_classes(out, module.types.classes());
  for (const Global& global : module.globals) print_global(out, module, global);
  for (const Intrinsic& intrinsic : module.intrinsics) print_intrinsic(out, module, intrinsic);
  bool after_external = true;
  for (uint32_t i = 0; i < module.function_count(); ++i) {
    const Function& f = module.function(static_cast<FuncId>(i));
    if (out.size() > start && !(f.is_external() && after_external)) out += '\n';
    append_text(out, f);
    after_external = f.is_external();
  }
}

std::string to_text(const Function& f) {
  std::string out;
  append_text(out, f);
  return out;
}

std::string to_text(const Module& module) {
  std::string out;
  append_text(out, module);
  return out;
}

StatementPrinter::StatementPrinter(const Function& f) : listing_(f) {
  listing_.find_names();
  listing_.order_edges();
  listing_.find_uses();
}

void StatementPrinter::append(std::string& out, Operand id) const {
  const Function& f = listing_.function();
  bool has_value = f.type(id) != void_type && !is_terminator(f.op(id));
  StatementText(listing_, out).append(f.block_of(id), id, has_value || listing_.is_used(id));
}

void StatementPrinter::append_value(std::string& out, Operand operand) const {
  StatementText(listing_, out).append_value(operand);
}

void append_statement(std::string& out, const Function& f, Operand id) { StatementPrinter(f).append(out, id); }

}  // namespace braid::text
