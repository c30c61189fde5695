// Does every edit twice: in a function (or in a walk over it) and in the naive model, and compares the two.
//
// ir_edit_driver.h has what both sides share: making statements, names, comparing. The edits themselves are in
// ir_edit_actions.h.
#pragma once

#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/compact.h"
#include "ir/order.h"
#include "ir_edit_model.h"

namespace braid::ir::model {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {}
  uint32_t below(size_t count) {
    state_ += 0x9e3779b97f4a7c15ull;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return static_cast<uint32_t>(((z ^ (z >> 31)) >> 32) * count >> 32);
  }
  bool chance(uint32_t percent) { return below(100) < percent; }
  template <typename C>
  auto pick(const C& from) {
    return *std::next(from.begin(), below(from.size()));
  }

 private:
  uint64_t state_;
};

using Coverage = std::map<std::string, uint64_t>;

class Driver {
 public:
  Driver(uint64_t seed, Coverage& coverage)
      : random(seed),
        function(module.add_function(module.symbol("f"), {{i64, i64, i1}, i64})),
        model(module, {i64, i64, i1}),
        coverage_(coverage) {
    callee_ = module.add_function(module.symbol("callee"), {{}, i64}, true).id();
    function.variables.push({module.symbol("x"), i64, UndefMeaning::zero});
    function.variables.push({module.symbol("y"), i64, UndefMeaning::throws});
    types_ = {i64, module.types.int_range(Kind::i64, 0, 9), module.types.int_range(Kind::i64, 0, 99),
              module.types.int_constant(Kind::i64, 1)};
  }
  Driver(const Driver&) = delete;

  Module module;
  Random random;
  Function& function;
  Model model;
  std::unique_ptr<Compact> walk;
  std::set<int> handlers;  ///< blocks that exceptional edges enter
  std::vector<std::string> log;
  std::string failure;     ///< the first thing that went wrong

  void note(const std::string& what, const std::string& details = {}) {
    ++coverage_[what];
    log.push_back(what + " " + details);
  }
  bool fail(const std::string& what) {
    if (failure.empty()) failure = what;
    return false;
  }
  static std::string str(int64_t number) { return std::to_string(number); }

  // ---- names ----
  std::map<int, Operand> names;   ///< in the function: statement -> Ref or NewRef
  std::map<int, BlockId> blocks;
  std::map<int, OldRef> old_names;  ///< in the walk
  std::map<int, Ref> refs;
  std::map<int, NewRef> news;

  int new_id() { return next_id_++; }
  int new_block_number() {
    int number = next_block_++;
    model.blocks[number];
    return number;
  }
  Symbol block_name(int number) { return module.symbol("n" + str(number)); }
  int number_of(Symbol name) const { return std::atoi(std::string(module.name(name).substr(1)).c_str()); }

  /// A name for a value; in a walk sometimes one of several that there are.
  Operand name(Value v) {
    if (v.stmt < 0) return Operand::from_word(v.word);
    if (!walk) return names.at(v.stmt);
    bool has_old = old_names.contains(v.stmt);
    if (news.contains(v.stmt)) return news.at(v.stmt);
    if (refs.contains(v.stmt) && (!has_old || random.chance(60))) return refs.at(v.stmt);
    return old_names.at(v.stmt);
  }
  bool has_name(int id) const {
    return walk ? news.contains(id) || refs.contains(id) || old_names.contains(id) : names.contains(id);
  }

  /// The edge of the implementation that is this edge of the model.
  EdgeId edge_id(int edge) {
    BlockId from = blocks.at(model.edges[edge].from);
    uint32_t slot = static_cast<uint32_t>(model.slot_of(edge));
    for (uint32_t e = 0; e < function.edge_count(); ++e) {
      const ir::Edge& candidate = function.edge(static_cast<EdgeId>(e));
      if (!candidate.dead && candidate.from == from && candidate.slot == slot) return static_cast<EdgeId>(e);
    }
    fail("no edge in slot " + str(slot) + " of block " + str(model.edges[edge].from));
    return none_id<EdgeId>;
  }
  /// Words of a phi in a block, one per entry of the list of predecessors.
  std::vector<uint32_t> column_words(int block, const std::map<int, Value>& columns) {
    std::map<EdgeId, int> numbers;
    for (auto [edge, value] : columns)
      if (!model.edges[edge].dead) numbers[edge_id(edge)] = edge;
    std::vector<uint32_t> words;
    for (EdgeId e = function.block(blocks.at(block)).first_pred; !is_none(e); e = function.edge(e).next_pred)
      words.push_back(numbers.contains(e) ? name(columns.at(numbers[e])).word() : Operand::undef().word());
    return words;
  }
  /// Operand words of a statement that is no terminator, or one that goes nowhere.
  std::vector<uint32_t> words(const Statement& s, int block) {
    if (s.op == Op::phi) return column_words(block, s.columns);
    std::vector<uint32_t> result;
    for (const Slot& slot : s.slots) result.push_back(slot.kind == OperandKind::value ? name(slot.value).word() : slot.raw);
    return result;
  }
  Inst inst(const Statement& s, int block) {
    std::vector<uint32_t> list = words(s, block);
    Inst made = function.make(s.op, s.type, list, static_cast<Loc>(s.id));
    made.stmt.flags = s.flags;
    return made;
  }
  Draft draft(const Statement& s, int block) {
    draft_words_ = words(s, block);
    return {s.op, s.type, draft_words_, static_cast<Loc>(s.id), s.flags};
  }

  // ---- random statements ----
  Operand constant() {
    switch (random.below(6)) {
      case 0: return Operand::param(random.below(2));
      case 1: return module.constants.get(f64, 0x3ff0000000000000u + random.below(2));
      default: return module.constant(i64, random.below(4));
    }
  }
  /// Any value at all.
  Value any_value() {
    if (random.chance(30)) return of_word(random.chance(10) ? Operand::undef() : constant());
    std::vector<int> ids;
    for (auto& [number, list] : model.blocks)
      for (const Statement& s : list)
        if (has_name(s.id) && (!is_terminator(s.op) || s.op == Op::enter)) ids.push_back(s.id);
    return ids.empty() ? of_word(constant()) : of_stmt(random.pick(ids));
  }
  static Slot value_slot(Value v) { return {OperandKind::value, v, -1, 0}; }
  static Slot raw_slot(OperandKind kind, uint32_t raw) { return {kind, {}, -1, raw}; }

  Statement statement(int block) {
    Statement s;
    s.id = new_id();
    s.type = random.pick(types_);
    auto values = [&](uint32_t count) {
      for (uint32_t i = 0; i < count; ++i) s.slots.push_back(value_slot(any_value()));
    };
    switch (random.below(14)) {
      case 0: s.op = Op::neg; values(1); break;
      case 1: s.op = Op::select; values(3); break;
      case 2: s.op = Op::tuple; values(random.below(7)); break;
      case 3:
      case 4:
        s.op = Op::call;
        s.slots.push_back(raw_slot(OperandKind::function, index(callee_)));
        values(random.below(6));
        break;
      case 5: s.op = Op::get; s.slots.push_back(raw_slot(OperandKind::variable, random.below(2))); break;
      case 6:
        s.op = Op::set;
        s.type = void_type;
        s.slots.push_back(raw_slot(OperandKind::variable, random.below(2)));
        values(1);
        break;
      case 7: s.op = Op::pi; values(1); break;
      case 8:
        s.op = Op::throw_undef;
        s.type = void_type;
        s.slots.push_back(raw_slot(OperandKind::symbol, index(module.symbol("x"))));
        values(1);
        if (random.chance(30)) s.slots[1].value = of_word(module.constant(i1, 1));
        break;
      case 9: s.op = Op::leave; s.type = void_type; values(random.below(5)); break;
      case 10:
        s.op = Op::save_state;
        s.slots = {raw_slot(OperandKind::immediate, 7), raw_slot(OperandKind::immediate, 0)};
        values(1);
        for (uint32_t i = random.below(3); i > 0; --i) {
          s.slots.push_back(raw_slot(OperandKind::immediate, i));
          values(1);
        }
        break;
      case 11: s.op = Op::check_zero; values(1); break;
      default: s.op = Op::add; values(2); break;
    }
    if (random.chance(20)) s.flags = cannot_throw;
    (void)block;
    return s;
  }
  /// A phi, or in a handler a phi_c, for a block.
  Statement phi(int block) {
    Statement s;
    s.id = new_id();
    s.type = random.pick(types_);
    if (handlers.contains(block)) {
      s.op = Op::phi_c;
      std::vector<int> upsilons;
      for (auto& [number, list] : model.blocks)
        for (const Statement& u : list)
          if (u.op == Op::upsilon && has_name(u.id)) upsilons.push_back(u.id);
      for (uint32_t i = random.below(6); i > 0 && !upsilons.empty(); --i)
        s.slots.push_back(value_slot(of_stmt(random.pick(upsilons))));
    } else {
      s.op = Op::phi;
      for (int e : model.edges_in(block))
        if (!random.chance(10)) s.columns[e] = any_value();
    }
    return s;
  }

  // ---- comparing ----
  Value value_of(Operand operand) {
    operand = function.resolve(operand);
    if (!operand.is_stmt() && !operand.is_pending()) return of_word(operand);
    if (function.op(operand) == Op::nothing) return erased();
    return of_stmt(static_cast<int>(index(function.loc(operand))));
  }
  std::string show(Value v) {
    if (v.stmt >= 0) return "#" + str(v.stmt);
    if (v == undef()) return "undef";
    if (v == erased()) return "erased";
    return "word " + str(v.word);
  }

  /// The function says what the model says.
  bool compare() {
    if (!check_graph()) return false;
    if (function.block_count() != model.blocks.size())
      return fail("the function has " + str(function.block_count()) + " blocks, the model " + str(model.blocks.size()));
    PendingLists lists(function);
    for (uint32_t b = 0; b < function.block_count(); ++b) {
      BlockId block = static_cast<BlockId>(b);
      int number = number_of(function.block(block).name);
      if (!model.blocks.contains(number)) return fail("block " + str(number) + " should be gone");
      BlockId never = function.impossible(block);
      auto marked = model.impossible.find(number);
      int want = marked != model.impossible.end() && model.blocks.contains(marked->second) ? marked->second : -1;
      if ((is_none(never) ? -1 : number_of(function.block(never).name)) != want)
        return fail("block " + str(number) + " has another impossible successor");
      List& list = model.blocks[number];
      auto expected = list.begin();
      bool good = true;
      for_each_statement(function, lists, block, [&](Operand id) {
        if (function.op(id) == Op::nothing || function.op(id) == Op::same) return;
        while (expected != list.end() && expected->op == Op::nothing) ++expected;
        if (!good) return;
        if (expected == list.end())
          good = fail("block " + str(number) + " has #" + str(index(function.loc(id))) + " behind its end");
        else
          good = compare_statement(block, id, *expected++);
      });
      while (expected != list.end() && expected->op == Op::nothing) ++expected;
      if (good && expected != list.end()) good = fail("block " + str(number) + " lacks #" + str(expected->id));
      if (!good) return false;
    }
    return true;
  }

  bool compare_statement(BlockId block, Operand id, const Statement& expected) {
    const Stmt& s = function.stmt(id);
    std::string where = "#" + str(expected.id) + ": ";
    if (index(function.loc(id)) != static_cast<uint32_t>(expected.id))
      return fail(where + "found #" + str(index(function.loc(id))) + " instead");
    if (s.op != expected.op) return fail(where + "is " + std::string(info(s.op).text) + ", expected " + std::string(info(expected.op).text));
    if (function.type(id) != expected.type) return fail(where + "has another type");
    if ((s.flags & cannot_throw) != (expected.flags & cannot_throw)) return fail(where + "has other flags");
    if (id.is_stmt()) {
      VarId variable = function.source_variable(id);
      if ((is_none(variable) ? -1 : static_cast<int>(index(variable))) != expected.variable)
        return fail(where + "has another source variable");
    }
    std::span<const uint32_t> words = function.args(s);
    if (s.op == Op::phi) {
      if (words.size() != function.block(block).pred_count) return fail(where + "has " + str(words.size()) + " columns");
      bool good = true;
      function.for_each_pred(block, [&](EdgeId e) {
        int edge = model_edge(e);
        if (edge < 0) return;
        Value want = expected.columns.contains(edge) ? expected.columns.at(edge) : undef();
        Value have = value_of(Operand::from_word(words[function.edge(e).pred_index]));
        if (have != want && good) good = fail(where + "reads " + show(have) + ", expected " + show(want));
      });
      return good;
    }
    if (words.size() != expected.slots.size()) return fail(where + "has " + str(words.size()) + " operands, expected " + str(expected.slots.size()));
    if (s.op == Op::phi_c) {
      std::multiset<int> have, want;
      for (uint32_t word : words) have.insert(value_of(Operand::from_word(word)).stmt);
      for (const Slot& slot : expected.slots) want.insert(slot.value.stmt);
      return have == want || fail(where + "lists other upsilons");
    }
    for (size_t i = 0; i < words.size(); ++i) {
      const Slot& slot = expected.slots[i];
      if (slot.kind == OperandKind::value) {
        Value have = value_of(Operand::from_word(words[i]));
        if (have != slot.value) return fail(where + "operand " + str(static_cast<int64_t>(i)) + " is " + show(have) + ", expected " + show(slot.value));
      } else if (slot.kind == OperandKind::block) {
        EdgeId e = static_cast<EdgeId>(words[i]);
        bool has = !is_none(e) && !function.edge(e).dead;
        if (has != (slot.edge >= 0 && !model.edges[slot.edge].dead)) return fail(where + "lacks or has a target");
        if (has && number_of(function.block(function.edge(e).to).name) != model.edges[slot.edge].to)
          return fail(where + "goes to another block");
      } else if (words[i] != slot.raw) {
        return fail(where + "has another immediate");
      }
    }
    return true;
  }
  int model_edge(EdgeId e) {
    const ir::Edge& edge = function.edge(e);
    Statement* t = model.terminator(number_of(function.block(edge.from).name));
    if (t == nullptr || edge.slot >= t->slots.size() || t->slots[edge.slot].kind != OperandKind::block ||
        t->slots[edge.slot].edge < 0 || model.edges[t->slots[edge.slot].edge].dead) {
      fail("an edge out of block " + str(number_of(function.block(edge.from).name)) + " should not be there");
      return -1;
    }
    return t->slots[edge.slot].edge;
  }

  /// What must hold of blocks and edges in every function.
  bool check_graph() {
    std::set<uint32_t> listed;
    for (uint32_t b = 0; b < function.block_count(); ++b) {
      const ir::Block& block = function.block(static_cast<BlockId>(b));
      uint32_t count = 0;
      for (EdgeId e = block.first_pred; !is_none(e); e = function.edge(e).next_pred) {
        const ir::Edge& edge = function.edge(e);
        if (edge.to != static_cast<BlockId>(b) || edge.pred_index != count++) return fail("a list of predecessors is out of order");
        if (!listed.insert(index(e)).second) return fail("an edge is listed twice");
        if (edge.dead) continue;
        Operand t = function.terminator(edge.from);
        if (t.is_undef() || function.arg(function.stmt(t), edge.slot) != index(e)) return fail("a terminator does not name its edge");
      }
      if (count != block.pred_count) return fail("a block counts its predecessors wrong");
    }
    for (uint32_t e = 0; e < function.edge_count(); ++e)
      if (!function.edge(static_cast<EdgeId>(e)).dead && !listed.contains(e)) return fail("a live edge is in no list");
    return true;
  }

  /// At rest, dominators come first and every block is reachable: `a` dominates `b` if `b` cannot be reached without it.
  bool check_order() {
    if (function.size() != 0) {
      uint32_t position = 0;
      for (uint32_t b = 0; b < function.block_count(); ++b) {
        const ir::Block& block = function.block(static_cast<BlockId>(b));
        if (block.first != position || block.more != ir::Block::no_range) return fail("blocks are not one range each, in order");
        position = block.end;
      }
      if (position != function.size()) return fail("blocks do not cover the vector");
    }
    std::vector<int> numbers;
    for (uint32_t b = 0; b < function.block_count(); ++b) numbers.push_back(number_of(function.block(static_cast<BlockId>(b)).name));
    if (numbers.empty() || numbers[0] != 0) return fail("the entry is not the first block");
    for (size_t later = 0; later < numbers.size(); ++later) {
      std::set<int> without = model.reachable(numbers[later]);
      for (size_t b = 0; b < later; ++b)
        if (!without.contains(numbers[b]))
          return fail("block " + str(numbers[later]) + " dominates block " + str(numbers[b]) + ", which comes first");
    }
    return true;
  }

  /// Takes the names of a function that was compacted just now.
  void rename() {
    names.clear();
    blocks.clear();
    for (uint32_t dense = 0; dense < function.dense_count(); ++dense) {
      Operand id = function.from_dense(dense);
      int number = static_cast<int>(index(function.loc(id)));
      names[number] = id;
      // Who names it from now on means nothing, whatever it was replaced by before.
      if (function.op(id) == Op::nothing) model.forward[number] = erased();
    }
    for (uint32_t b = 0; b < function.block_count(); ++b)
      blocks[number_of(function.block(static_cast<BlockId>(b)).name)] = static_cast<BlockId>(b);
    std::erase_if(handlers, [&](int b) { return !blocks.contains(b); });
  }

 protected:
  Coverage& coverage_;
  FuncId callee_;
  std::vector<Type> types_;
  std::vector<uint32_t> draft_words_;
  int next_id_ = 1;
  int next_block_ = 0;
};

}  // namespace braid::ir::model
