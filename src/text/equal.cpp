#include "text/equal.h"

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/order.h"
#include "text/listing.h"
#include "type/type_text.h"

namespace braid::text {

using namespace ir;

namespace {

/// Things that belong to a module, compared by what they mean: ids differ from module to module.
struct Modules {
  const Module& a;
  const Module& b;

  bool same(Symbol x, Symbol y) const {
    if (is_none(x) || is_none(y)) return is_none(x) && is_none(y);
    return a.name(x) == b.name(y);
  }
  bool same(Type x, Type y) const {
    if (x.is_plain() || y.is_plain()) return x == y;
    std::string first, second;
    append_type(first, a.types, x, &a.symbols);
    append_type(second, b.types, y, &b.symbols);
    return first == second;
  }
  bool same(const Constant& x, const Constant& y) const {
    if (x.type != y.type || x.type != string_type) return x == y;
    return same(static_cast<Symbol>(x.bits), static_cast<Symbol>(y.bits));
  }
  bool same(const Signature& x, const Signature& y) const {
    if (x.params.size() != y.params.size() || !same(x.result, y.result)) return false;
    for (size_t i = 0; i < x.params.size(); ++i)
      if (!same(x.params[i], y.params[i])) return false;
    return true;
  }
  bool same(Loc x, Loc y) const {
    for (; x != Loc{} && y != Loc{}; x = a.location(x).inlined_at, y = b.location(y).inlined_at) {
      const Location& first = a.location(x);
      const Location& second = b.location(y);
      if (!same(first.file, second.file) || first.line != second.line || first.column != second.column) return false;
    }
    return x == y;
  }
};

/// One of the two functions: its listing, and the number of each statement in the order of the listing.
struct Side {
  explicit Side(const Function& function) : f(function), listing(function), lists(function) {
    listing.order_edges();
    number.assign(f.dense_count(), 0xffffffffu);
    for (uint32_t b = 0; b < f.block_count(); ++b) {
      starts.push_back(static_cast<uint32_t>(order.size()));
      for_each_statement(f, lists, static_cast<BlockId>(b), [&](Operand id) {
        number[f.dense(id)] = static_cast<uint32_t>(order.size());
        order.push_back(id);
      });
    }
    starts.push_back(static_cast<uint32_t>(order.size()));
  }

  const Function& f;
  Listing listing;
  PendingLists lists;
  std::vector<Operand> order;
  std::vector<uint32_t> starts;  ///< by block: where its statements begin in `order`
  std::vector<uint32_t> number;  ///< by dense number: the place in `order`
};

class Comparison {
 public:
  Comparison(const Function& a, const Function& b) : modules_{a.module(), b.module()}, a_(a), b_(b) {}

  bool equal() { return headers() && blocks(); }
  const std::string& difference() const { return difference_; }

 private:
  bool differ(std::string what) {
    difference_ = "@" + std::string(a_.f.name_text()) + ": " + std::move(what);
    return false;
  }

  bool headers() {
    const Function &f = a_.f, &g = b_.f;
    if (!modules_.same(f.name(), g.name()) || f.is_external() != g.is_external()) return differ("name");
    if (!modules_.same(f.signature(), g.signature())) return differ("signature");
    if (f.is_external() && f.external_traits != g.external_traits) return differ("effects");
    auto param_name = [](const Function& function, uint32_t i) {
      return i < function.param_names.size() ? function.param_names[i] : none_id<Symbol>;
    };
    for (uint32_t i = 0; i < f.param_count(); ++i)
      if (!modules_.same(param_name(f, i), param_name(g, i))) return differ("name of parameter " + std::to_string(i));
    if (f.variables.size() != g.variables.size()) return differ("number of variables");
    for (uint32_t i = 0; i < f.variables.size(); ++i) {
      const Variable& x = f.variables[static_cast<VarId>(i)];
      const Variable& y = g.variables[static_cast<VarId>(i)];
      if (!modules_.same(x.name, y.name) || !modules_.same(x.type, y.type) || x.undef != y.undef)
        return differ("variable " + std::to_string(i));
    }
    return true;
  }

  bool blocks() {
    if (a_.f.block_count() != b_.f.block_count()) return differ("number of blocks");
    if (a_.starts != b_.starts) return differ("number of statements");
    for (uint32_t i = 0; i < a_.f.block_count(); ++i) {
      BlockId block = static_cast<BlockId>(i);
      const Block &x = a_.f.block(block), &y = b_.f.block(block);
      if (!modules_.same(x.name, y.name) || a_.f.impossible(block) != b_.f.impossible(block) || !same(x.terminator, y.terminator))
        return differ("block " + std::to_string(i));
      for (uint32_t k = a_.starts[i]; k < a_.starts[i + 1]; ++k)
        if (!statements(block, a_.order[k], b_.order[k])) return differ("statement " + std::to_string(k));
    }
    return true;
  }

  bool statements(BlockId block, Operand x, Operand y) {
    const Stmt &s = a_.f.stmt(x), &t = b_.f.stmt(y);
    if (x.tag() != y.tag() || s.flags != t.flags || !modules_.same(a_.f.loc(x), b_.f.loc(y))) return false;
    if (a_.f.source_variable(x) != b_.f.source_variable(y)) return false;
    if (x.is_pending() && !same_place(a_.f.points()[x.number()], b_.f.points()[y.number()])) return false;
    if (is_terminator(s.op) && is_terminator(t.op)) return same_terminator(x, y);
    if (s.op != t.op || !modules_.same(a_.f.type(x), b_.f.type(y))) return false;
    if (s.op == Op::phi) return same_phi(block, s, t);
    std::span<const uint32_t> words = a_.f.args(s), others = b_.f.args(t);
    if (words.size() != others.size()) return false;
    for (uint32_t i = 0; i < words.size(); ++i)
      if (!same_operand(info(s.op), i, words[i], others[i])) return false;
    return true;
  }

  bool same_place(const Point& x, const Point& y) {
    if (x.side != y.side) return false;
    return x.of_block() ? x.block() == y.block() : same(x.anchor(), y.anchor());
  }

  bool same_terminator(Operand x, Operand y) {
    const Stmt &s = a_.f.stmt(x), &t = b_.f.stmt(y);
    LiveTerminator first = live_terminator(a_.f, s), second = live_terminator(b_.f, t);
    if (first.op != second.op) return false;
    bool whole = s.op == first.op && t.op == second.op;
    if (whole && !modules_.same(a_.f.type(x), b_.f.type(y))) return false;
    std::vector<std::pair<BlockId, EdgeKind>> targets, others;
    for_each_listed_target(a_.f, s, [&](EdgeId e) { targets.emplace_back(a_.f.edge(e).to, a_.f.edge(e).kind); });
    for_each_listed_target(b_.f, t, [&](EdgeId e) { others.emplace_back(b_.f.edge(e).to, b_.f.edge(e).kind); });
    if (targets != others) return false;
    std::vector<Operand> values = values_of(a_.f, s, first), other_values = values_of(b_.f, t, second);
    if (values.size() != other_values.size()) return false;
    for (size_t i = 0; i < values.size(); ++i)
      if (!same(values[i], other_values[i])) return false;
    return true;
  }

  static std::vector<Operand> values_of(const Function& f, const Stmt& stmt, LiveTerminator live) {
    std::vector<Operand> values;
    if (live.op == Op::jump || live.op == Op::unreachable) return values;
    std::span<const uint32_t> words = f.args(stmt);
    for (uint32_t i = 0; i < words.size(); ++i) {
      if (!info(stmt.op).is_value(i)) continue;
      bool is_case = live.op == Op::switch_ && i >= 2;
      if (is_case && (i + 1 == live.target || !is_live(f, words[i + 1]))) continue;
      values.push_back(Operand::from_word(words[i]));
    }
    return values;
  }

  bool same_phi(BlockId block, const Stmt& s, const Stmt& t) {
    std::span<const EdgeId> edges = a_.listing.edges_into(block), others = b_.listing.edges_into(block);
    if (edges.size() != others.size()) return false;
    auto operand = [](const Function& f, const Stmt& phi, EdgeId e) {
      uint32_t i = f.edge(e).pred_index;
      return i < f.operand_count(phi) ? f.operand(phi, i) : Operand::undef();
    };
    for (size_t i = 0; i < edges.size(); ++i)
      if (!same(operand(a_.f, s, edges[i]), operand(b_.f, t, others[i]))) return false;
    return true;
  }

  bool same_operand(const OpInfo& op, uint32_t i, uint32_t x, uint32_t y) {
    const Module &m = modules_.a, &n = modules_.b;
    switch (op.kind_of(i)) {
      case OperandKind::value: return same(Operand::from_word(x), Operand::from_word(y));
      case OperandKind::function:
        return m.function(static_cast<FuncId>(x)).name_text() == n.function(static_cast<FuncId>(y)).name_text();
      case OperandKind::global:
        return modules_.same(m.globals[static_cast<GlobalId>(x)].name, n.globals[static_cast<GlobalId>(y)].name);
      case OperandKind::intrinsic:
        return modules_.same(m.intrinsics[static_cast<IntrinsicId>(x)].name,
                             n.intrinsics[static_cast<IntrinsicId>(y)].name);
      case OperandKind::symbol: return modules_.same(static_cast<Symbol>(x), static_cast<Symbol>(y));
      case OperandKind::signature:
        return modules_.same(m.signature(static_cast<SigId>(x)), n.signature(static_cast<SigId>(y)));
      case OperandKind::type: return modules_.same(Type{x}, Type{y});
      case OperandKind::block:
      case OperandKind::variable:
      case OperandKind::immediate: return x == y;
    }
    return false;
  }

  bool same(Operand x, Operand y) {
    if (x.is_constant() && y.is_constant())
      return modules_.same(modules_.a.constants.value(x), modules_.b.constants.value(y));
    if (x.tag() != y.tag()) return false;
    if (!x.is_stmt() && !x.is_pending()) return x == y;
    return a_.number[a_.f.dense(x)] == b_.number[b_.f.dense(y)];
  }

  Modules modules_;
  Side a_, b_;
  std::string difference_;
};

bool same_tables(const Modules& modules) {
  const Module &a = modules.a, &b = modules.b;
  if (a.globals.size() != b.globals.size() || a.intrinsics.size() != b.intrinsics.size()) return false;
  for (uint32_t i = 0; i < a.globals.size(); ++i) {
    const Global &x = a.globals[static_cast<GlobalId>(i)], &y = b.globals[static_cast<GlobalId>(i)];
    if (!modules.same(x.name, y.name) || x.size != y.size || x.align != y.align || x.constant != y.constant ||
        x.initial != y.initial)
      return false;
  }
  for (uint32_t i = 0; i < a.intrinsics.size(); ++i) {
    const Intrinsic& x = a.intrinsics[static_cast<IntrinsicId>(i)];
    const Intrinsic& y = b.intrinsics[static_cast<IntrinsicId>(i)];
    if (!modules.same(x.name, y.name) || x.traits != y.traits ||
        !modules.same(a.signature(x.signature), b.signature(y.signature)))
      return false;
  }
  const ClassTree &classes = a.types.classes(), &others = b.types.classes();
  if (classes.size() != others.size()) return false;
  for (uint32_t i = 0; i < classes.size(); ++i) {
    ClassId id = static_cast<ClassId>(i);
    if (classes.name(id) != others.name(id) || classes.parent(id) != others.parent(id)) return false;
  }
  return true;
}

}  // namespace

bool ir_equal(const Function& a, const Function& b, std::string* difference) {
  Comparison comparison(a, b);
  if (comparison.equal()) return true;
  if (difference) *difference = comparison.difference();
  return false;
}

bool ir_equal(const Module& a, const Module& b, std::string* difference) {
  if (!same_tables({a, b}) || a.function_count() != b.function_count()) {
    if (difference) *difference = "declarations";
    return false;
  }
  for (uint32_t i = 0; i < a.function_count(); ++i)
    if (!ir_equal(a.function(static_cast<FuncId>(i)), b.function(static_cast<FuncId>(i)), difference)) return false;
  return true;
}

}  // namespace braid::text
