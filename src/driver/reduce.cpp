#include "driver/reduce.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "driver/diff.h"
#include "driver/reduce_simple.h"
#include "ir/compact.h"
#include "ir/verify.h"
#include "passes/runner.h"
#include "ssa/tracks.h"
#include "text/parse.h"
#include "text/print.h"

namespace braid::driver {

using namespace ir;

namespace {

/// What candidates are made of. Those of text need no valid program.
enum class Kind : uint8_t {
  declarations,
  lines,
  passes,
  blocks,
  edges,
  returns,
  statements,
  forwards,
  operands
};
constexpr Kind kinds_of_text[] = {Kind::declarations, Kind::lines};
constexpr Kind all_kinds[] = {Kind::declarations, Kind::blocks,     Kind::edges,
                              Kind::returns,      Kind::statements, Kind::forwards,
                              Kind::operands,     Kind::passes,     Kind::lines};

/// Smaller is simpler: lines, then values that are read, then length, then digits other than zero.
using Measure = std::tuple<size_t, size_t, size_t, size_t>;
Measure measure(std::string_view text) {
  size_t lines = 0, values = 0, digits = 0;
  for (char c : text) {
    lines += c == '\n';
    values += c == '%';
    digits += c >= '1' && c <= '9';
  }
  return {lines, values, text.size(), digits};
}

bool is_constant_zero(const Function& f, Operand operand) {
  return operand.is_undef() || (operand.is_constant() && operand == ssa::zero_of(f, f.type_of(operand)));
}

/// One thing that an edit of the IR takes out.
struct Atom {
  Function* f;
  uint32_t number;  ///< of a block, an edge or a statement
  uint32_t operand = 0;
};

void collect_operands(Function& f, uint32_t i, Kind kind, std::vector<Atom>& atoms) {
  const Stmt& s = f.columns().stmt(i);
  for (uint32_t k = 0; k < f.operand_count(s); ++k) {
    if (info(s.op).kind_of(k) != OperandKind::value) continue;
    Operand value = f.operand(s, k);
    if (kind == Kind::operands && !is_constant_zero(f, value)) atoms.push_back({&f, i, k});
    bool may_stand_for_it = !is_terminator(s.op) && f.type(static_cast<Ref>(i)) == f.type_of(value);
    if (kind == Kind::forwards && may_stand_for_it) atoms.push_back({&f, i, k});
  }
}

std::vector<Atom> collect(Module& module, Kind kind) {
  std::vector<Atom> atoms;
  for (uint32_t n = 0; n < module.function_count(); ++n) {
    Function& f = module.function(static_cast<FuncId>(n));
    if (f.is_external()) continue;
    if (kind == Kind::blocks)
      for (uint32_t b = 1; b < f.block_count(); ++b) atoms.push_back({&f, b});
    if (kind == Kind::returns)
      for (uint32_t b = 0; b < f.block_count(); ++b)
        if (Op op = f.op(f.terminator(static_cast<BlockId>(b))); op != Op::ret && op != Op::unreachable)
          atoms.push_back({&f, b});
    if (kind == Kind::edges)
      for (uint32_t e = 0; e < f.edge_count(); ++e)
        if (const Edge& edge = f.edge(static_cast<EdgeId>(e));
            !edge.dead && f.op(f.terminator(edge.from)) != Op::jump)
          atoms.push_back({&f, e});
    for (uint32_t i = 0; i < f.size(); ++i) {
      Op op = f.columns().stmt(i).op;
      if (kind == Kind::statements && !is_terminator(op) && op != Op::nothing) atoms.push_back({&f, i});
      collect_operands(f, i, kind, atoms);
    }
  }
  return atoms;
}

void take_out(Kind kind, const Atom& atom) {
  Function& f = *atom.f;
  Operand id(static_cast<Ref>(atom.number));
  switch (kind) {
    case Kind::blocks: {
      std::vector<EdgeId> into;
      f.for_each_pred(static_cast<BlockId>(atom.number), [&](EdgeId e) { into.push_back(e); });
      for (EdgeId e : into) f.remove_edge(e);
      break;
    }
    case Kind::edges:
      if (!f.edge(static_cast<EdgeId>(atom.number)).dead) f.remove_edge(static_cast<EdgeId>(atom.number));
      break;
    case Kind::returns: {
      BlockId b = static_cast<BlockId>(atom.number);
      Operand zero = ssa::zero_of(f, f.result_type());
      if (f.result_type() == void_type)
        f.ret(b);
      else if (zero.is_undef())
        f.unreachable(b);
      else
        f.ret(b, zero);
      break;
    }
    case Kind::statements:
      if (f.type(id) == void_type)
        f.erase(id);
      else
        f.replace(id, ssa::zero_of(f, f.type(id)));
      break;
    case Kind::forwards:
      if (f.op(id) != Op::same && f.operand(id, atom.operand) != id)
        f.replace(id, f.operand(id, atom.operand));
      break;
    case Kind::operands:
      f.set_operand(id, atom.operand, ssa::zero_of(f, f.type_of(f.operand(id, atom.operand))));
      break;
    default: break;
  }
}

uint64_t count_statements(const Module& module) {
  uint64_t count = 0;
  for (uint32_t n = 0; n < module.function_count(); ++n)
    count += module.function(static_cast<FuncId>(n)).size();
  return count;
}

class Reducer {
 public:
  Reducer(const SourceFile& source, const ReduceCheck& check, const ReduceOptions& options)
      : source_(source), check_(check), options_(options) {}

  Expected<ReduceResult> run() {
    Expected<text::ParsedModule> parsed = text::parse_module(source_);
    if (!parsed) return parsed.error();
    is_valid_ = ir::verify(*parsed->module).empty();
    result_.size_before = count_statements(*parsed->module);
    // The printed form may behave otherwise, if the check looks at comments or at names of values.
    current_ = text::to_text(*parsed->module);
    ++result_.checks;
    if (!check_(current_)) {
      Diagnostic error;
      error.file = source_.name();
      error.message = "the check does not hold for this program as it is printed";
      return error;
    }
    std::span<const Kind> kinds =
        is_valid_ ? std::span<const Kind>(all_kinds) : std::span<const Kind>(kinds_of_text);
    for (bool changed = true; changed && !result_.ended_early;) {
      changed = false;
      for (Kind kind : kinds) changed |= reduce_kind(kind);
    }
    result_.size_after = count_statements(*parse(current_)->module);
    result_.text = std::move(current_);
    return std::move(result_);
  }

 private:
  Expected<text::ParsedModule> parse(const std::string& text) const {
    return text::parse_module(SourceFile(source_.name(), text));
  }

  /// Tries to take out all, then halves, then quarters, down to one at a time.
  bool reduce_kind(Kind kind) {
    bool changed = false;
    size_t count = count_atoms(kind);
    for (size_t chunk = count; chunk > 0; chunk /= 2) {
      for (size_t begin = 0; begin < count && !result_.ended_early;) {
        if (attempt(kind, begin, std::min(begin + chunk, count))) {
          changed = true;
          count = count_atoms(kind);  // the next ones have moved up
        } else {
          begin += chunk;
        }
      }
    }
    return changed;
  }

  size_t count_atoms(Kind kind) const {
    switch (kind) {
      case Kind::passes: return passes::all_passes().size();
      case Kind::declarations: return declarations().size();
      case Kind::lines: return split_lines(current_).size();
      default: return collect(*parse(current_)->module, kind).size();
    }
  }

  bool attempt(Kind kind, size_t begin, size_t end) {
    std::optional<std::string> candidate;
    if (kind == Kind::declarations)
      candidate = without_declarations(begin, end);
    else if (kind == Kind::lines)
      candidate = without_lines(begin, end);
    else
      candidate = edited(kind, begin, end);
    if (!candidate || measure(*candidate) >= measure(current_)) return false;
    if (kind == Kind::declarations || kind == Kind::lines) {
      Expected<text::ParsedModule> parsed = parse(*candidate);
      if (!parsed || (is_valid_ && !ir::verify(*parsed->module).empty())) return false;
    }
    if (!rejected_.insert(*candidate).second) return false;
    if (options_.max_checks != 0 && result_.checks == options_.max_checks) {
      result_.ended_early = true;
      return false;
    }
    ++result_.checks;
    if (!check_(*candidate)) return false;
    current_ = std::move(*candidate);
    return true;
  }

  /// Where declarations begin: lines that begin with a letter, without the labels in between.
  std::vector<size_t> declarations() const {
    std::vector<size_t> starts;
    bool inside = false;
    std::vector<std::string_view> lines = split_lines(current_);
    for (size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].starts_with('}')) inside = false;
      if (inside || lines[i].empty() || lines[i].starts_with('}')) continue;
      starts.push_back(i);
      inside = lines[i].starts_with("func ");
    }
    return starts;
  }
  std::string without_declarations(size_t begin, size_t end) const {
    std::vector<size_t> starts = declarations();
    size_t lines = split_lines(current_).size();
    return without_lines(starts[begin], end < starts.size() ? starts[end] : lines);
  }
  std::string without_lines(size_t begin, size_t end) const {
    std::string text;
    std::vector<std::string_view> lines = split_lines(current_);
    for (size_t i = 0; i < lines.size(); ++i)
      if (i < begin || i >= end) (text += lines[i]) += '\n';
    return text;
  }

  /// Nothing if the edit gives no valid program.
  std::optional<std::string> edited(Kind kind, size_t begin, size_t end) const {
    std::unique_ptr<Module> module = std::move(parse(current_)->module);
    if (kind == Kind::passes) {
      passes::Pipeline pipeline;
      for (size_t i = begin; i < end; ++i) pipeline.push_back(&passes::all_passes()[i]);
      passes::run_passes(*module, pipeline, {});
    } else {
      std::vector<Atom> atoms = collect(*module, kind);
      for (size_t i = begin; i < end; ++i) take_out(kind, atoms[i]);
      if (!ir::verify(*module).empty()) return std::nullopt;
      for (uint32_t n = 0; n < module->function_count(); ++n)
        if (Function& f = module->function(static_cast<FuncId>(n)); !f.is_external()) ir::compact(f);
    }
    if (!ir::verify(*module).empty()) return std::nullopt;
    return text::to_text(*module);
  }

  const SourceFile& source_;
  const ReduceCheck& check_;
  ReduceOptions options_;
  bool is_valid_ = false;
  std::string current_;
  std::unordered_set<std::string> rejected_;  ///< never iterated
  ReduceResult result_;
};

}  // namespace

Expected<ReduceResult> reduce(const SourceFile& source, const ReduceCheck& check,
                              const ReduceOptions& options) {
  if (options.language) return reduce_simple(source, check, options);
  return Reducer(source, check, options).run();
}

}  // namespace braid::driver
