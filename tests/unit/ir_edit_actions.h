// The edits of the random walk, each done in the implementation and in the model: on a function, and inside a walk.
#pragma once

#include "ir_edit_driver.h"

namespace braid::ir::model {

class Actions : public Driver {
 public:
  using Driver::Driver;

  // ---- a random function: any graph, any operands ----
  void build() {
    int count = 1 + static_cast<int>(random.below(9));
    for (int i = 0; i < count; ++i) {
      int b = new_block_number();
      blocks[b] = function.new_block(block_name(b));
      if (i > 0 && random.chance(20)) handlers.insert(b);
    }
    // Statements come to blocks by turns, so that a block is several ranges.
    std::set<int> begun;
    for (uint32_t i = random.below(static_cast<size_t>(count) * 6); i > 0; --i) {
      int b = static_cast<int>(random.below(static_cast<size_t>(count)));
      Statement s = !begun.contains(b) && random.chance(40) ? phi(b) : random.chance(10) ? upsilon() : statement(b);
      if (!is_phi_like(s.op)) begun.insert(b);
      append(b, s);
    }
    for (int b = 0; b < count; ++b) terminate(b);
    for (auto& [number, list] : model.blocks)
      for (Statement& s : list) {
        if (s.op != Op::phi && !random.chance(30)) continue;
        for (uint32_t i = 0; i < 4; ++i) set_operand_of(s.id);
      }
    ++coverage_["functions"];
  }
  Statement upsilon() {
    Statement s;
    s.id = new_id();
    s.op = Op::upsilon;
    s.type = i64;
    s.slots = {value_slot(any_value())};
    return s;
  }
  void append(int b, Statement s) {
    Ref r = function.append(blocks[b], inst(s, b));
    names[s.id] = r;
    if (random.chance(20)) {
      s.variable = static_cast<int>(random.below(2));
      function.set_source_variable(r, static_cast<VarId>(s.variable));
    }
    model.append(b, model.resolved(s));
  }

  std::vector<int> targets(bool handler) {
    std::vector<int> result;
    for (auto& [number, list] : model.blocks)
      if (number != 0 && handlers.contains(number) == handler && !(walk && model.gone.contains(number)))
        result.push_back(number);
    return result;
  }
  /// A random terminator for a block; words with block numbers.
  Statement terminator_for(int b, std::vector<uint32_t>& list) {
    std::vector<int> normal = targets(false), handling = targets(true);
    Statement s;
    s.id = new_id();
    auto target = [&](const std::vector<int>& from, bool exceptional) {
      int to = random.pick(from);
      list.push_back(index(blocks.at(to)));
      s.slots.push_back({OperandKind::block, {}, model.new_edge(b, to, exceptional), 0});
    };
    auto value = [&](Value v) {
      list.push_back(name(v).word());
      s.slots.push_back(value_slot(model.resolve(v)));
    };
    uint32_t kind = normal.empty() ? 80 + random.below(20) : random.below(100);
    if (kind < 30) {
      s.op = Op::jump;
      target(normal, false);
    } else if (kind < 55) {
      s.op = Op::branch;
      value(random.chance(30) ? of_word(module.constant(i1, random.below(2))) : any_value());
      target(normal, false);
      target(normal, false);
    } else if (kind < 68) {
      s.op = Op::switch_;
      value(random.chance(30) ? of_word(module.constant(i64, random.below(5))) : any_value());
      target(normal, false);
      for (uint32_t i = 0, cases = random.below(4); i < cases; ++i) {
        value(of_word(module.constant(i64, i)));
        target(normal, false);
      }
    } else if (kind < 80) {
      s.op = Op::enter;
      s.type = token_type;
      if (handling.empty() || random.chance(10)) {
        list.push_back(index(none_id<BlockId>));
        s.slots.push_back({OperandKind::block, {}, -1, 0});
      } else {
        target(handling, true);
      }
      target(normal, false);
    } else if (kind < 93) {
      s.op = Op::ret;
      if (random.chance(80)) value(any_value());
    } else {
      s.op = Op::unreachable;
    }
    return s;
  }
  void terminate(int b) {
    std::vector<uint32_t> list;
    Statement* old = model.terminator(b);
    if (old) model.kill_targets(*old);
    Statement s = terminator_for(b, list);
    if (old) s.id = old->id;
    function.terminate(blocks[b], s.op, list, static_cast<Loc>(s.id));
    names[s.id] = function.terminator(blocks[b]);
    if (old)
      model.overwrite(s.id, s);
    else
      model.append(b, s);
  }

  // ---- choosing ----
  /// Statements that have a name here and fit.
  template <typename F>
  std::vector<int> ids(F&& fits) {
    std::vector<int> result;
    for (auto& [number, list] : model.blocks)
      for (Statement& s : list)
        if (has_name(s.id) && fits(s)) result.push_back(s.id);
    return result;
  }
  static bool is_plain(const Statement& s) { return s.op != Op::nothing && !is_terminator(s.op); }
  /// A new statement for a place before or after an anchor; nothing if none fits there.
  std::optional<Statement> fitting(int anchor, bool after) {
    Model::At at = model.find(anchor);
    auto it = at.it;
    if (after) ++it;
    // A phi stands behind nothing but phis, also behind what hangs on the same anchor.
    bool fits_phi = is_phi_like(at.it->op);
    for (auto other = it; after && other != model.blocks[at.block].end() && model.hangs_on(*other, anchor); ++other)
      fits_phi &= is_phi_like(other->op) || other->op == Op::nothing;
    if (fits_phi && random.chance(70)) return phi(at.block);
    if (model.phi_follows(at.block, it)) return std::nullopt;
    return random.chance(5) ? upsilon() : statement(at.block);
  }
  std::vector<int> live_edges(bool normal_only) {
    std::vector<int> result;
    for (size_t e = 0; e < model.edges.size(); ++e) {
      const Edge& edge = model.edges[e];
      if (edge.dead || (normal_only && edge.exceptional) || !blocks.contains(edge.from)) continue;
      if (walk && (model.gone.contains(edge.from) || model.gone.contains(edge.to))) continue;
      result.push_back(static_cast<int>(e));
    }
    return result;
  }
  Value value_unlike(int id) {
    for (int tries = 0; tries < 5; ++tries)
      if (Value v = any_value(); model.resolve(v) != of_stmt(id)) return v;
    return of_word(constant());
  }

  // ---- edits of a function ----
  void edit() {
    switch (random.below(24)) {
      case 0:
      case 1:
      case 2:
      case 3: return insert_at_anchor();
      case 4: return insert_at_block();
      case 5: return replace_one();
      case 6: return erase_one();
      case 7: return overwrite_one();
      case 8:
      case 9: return set_operand_somewhere();
      case 10: return set_columns();
      case 11: return add_block();
      case 12: return reterminate();
      case 13: return split_one();
      case 14:
      case 15: return remove_one_edge();
      case 16: return redirect_one();
      case 17: return clone_some();
      case 18: return merge_one();
      case 19: return add_upsilon_somewhere();
      case 20: return insert_copy();
      case 21: return split_one_block();
      case 22: return mark_impossible();
      default: return set_operand_somewhere();
    }
  }

  void insert_at_anchor() {
    std::vector<int> anchors = ids([](const Statement&) { return true; });
    if (anchors.empty()) return;
    // Often the same anchor again: equal points.
    int anchor = random.chance(40) && model.exists(last_anchor_) && has_name(last_anchor_) ? last_anchor_ : random.pick(anchors);
    last_anchor_ = anchor;
    bool after = random.chance(50) && !is_terminator(model.find(anchor).it->op);
    std::optional<Statement> s = fitting(anchor, after);
    if (!s) return;
    int block = model.find(anchor).block;
    Operand at = names.at(anchor);
    note(std::string("insert ") + (after ? "after" : "before") + (at.is_pending() ? " pending" : ""), str(s->id) + " at " + str(anchor));
    names[s->id] = function.insert(after ? Function::after(at) : Function::before(at), inst(*s, block));
    model.insert(after, anchor, model.resolved(*s));
  }
  void insert_at_block() {
    int b = pick_block();
    switch (random.below(3)) {
      case 0: {
        Statement s = phi(b);
        note("insert phi", str(s.id) + " in block " + str(b));
        names[s.id] = function.insert(Function::phis_of(blocks[b]), inst(s, b));
        model.insert_phi(b, model.resolved(s));
        break;
      }
      case 1: {
        Statement s = statement(b);
        Point point = function.at_start(blocks[b]);
        int expected = -1;
        for (Statement& other : model.blocks[b])
          if (expected < 0 && other.place == Place::settled && is_plain_or_end(other)) expected = other.id;
        int anchor = static_cast<int>(index(function.loc(point.anchor())));
        if (anchor != expected) fail("at_start gives " + str(anchor) + ", expected " + str(expected));
        note("insert at start", str(s.id) + " in block " + str(b));
        names[s.id] = function.insert(point, inst(s, b));
        model.insert(false, expected, model.resolved(s));
        break;
      }
      default: {
        Statement s = statement(b);
        note("insert at end", str(s.id) + " in block " + str(b));
        names[s.id] = function.insert(function.at_end(blocks[b]), inst(s, b));
        model.insert(false, model.terminator(b)->id, model.resolved(s));
      }
    }
  }
  static bool is_plain_or_end(const Statement& s) { return !is_phi_like(s.op) && s.op != Op::nothing; }
  int pick_block() {
    auto it = model.blocks.begin();
    std::advance(it, random.below(model.blocks.size()));
    return it->first;
  }
  /// Inserts what `inst` reads of another statement: each must have operands of its own.
  void insert_copy() {
    std::vector<int> sources = ids([](const Statement& s) { return is_plain(s) && !is_phi_like(s.op) && s.op != Op::upsilon; });
    if (sources.empty()) return;
    int source = random.pick(sources);
    int b = pick_block();
    Statement s = *model.find(source).it;
    s.id = new_id();
    s.variable = -1;
    Inst copy = function.inst(names.at(source));
    copy.loc = static_cast<Loc>(s.id);
    note("insert copy", str(s.id) + " of " + str(source));
    names[s.id] = function.insert(function.at_end(blocks[b]), copy);
    model.insert(false, model.terminator(b)->id, s);
    set_operand_of(s.id);
    set_operand_of(source);
  }
  void replace_one() {
    std::vector<int> from = ids([](const Statement& s) { return is_plain(s) && s.op != Op::upsilon; });
    if (from.empty()) return;
    int id = random.pick(from);
    Value v = value_unlike(id);
    note("replace", str(id) + " by " + show(v));
    function.replace(names.at(id), name(v));
    model.replace(id, v);
  }
  void erase_one() {
    std::vector<int> from = ids(is_plain);
    if (from.empty()) return;
    int id = random.pick(from);
    note(model.is_used(id) ? "erase used" : "erase", str(id));
    function.erase(names.at(id));
    model.erase(id);
  }
  void overwrite_one() {
    std::vector<int> from = ids([](const Statement& s) { return is_plain(s) && s.op != Op::upsilon; });
    if (from.empty()) return;
    int id = random.pick(from);
    Model::At at = model.find(id);
    Statement s = is_phi_like(at.it->op) ? phi(at.block) : statement(at.block);
    s.id = id;
    note("overwrite", str(id));
    function.overwrite(names.at(id), inst(s, at.block));
    model.overwrite(id, model.resolved(s));
  }
  /// Sets one operand or column of a statement, in the function.
  void set_operand_of(int id) {
    Model::At at = model.find(id);
    if (at.it->op == Op::phi) {
      std::vector<int> in = model.edges_in(at.block);
      if (in.empty()) return;
      int e = random.pick(in);
      Value v = any_value();
      function.set_operand(names.at(id), function.edge(edge_id(e)).pred_index, name(v));
      at.it->columns[e] = model.resolve(v);
      return;
    }
    if (at.it->op == Op::phi_c) return;
    for (size_t i = random.below(at.it->slots.size() + 1); i < at.it->slots.size(); ++i) {
      if (at.it->slots[i].kind != OperandKind::value || is_case(*at.it, i)) continue;
      Value v = any_value();
      function.set_operand(names.at(id), static_cast<uint32_t>(i), name(v));
      at.it->slots[i].value = model.resolve(v);
      return;
    }
  }
  static bool is_case(const Statement& s, size_t slot) { return s.op == Op::switch_ && slot > 0; }
  void set_operand_somewhere() {
    std::vector<int> from = ids([](const Statement& s) { return s.op != Op::nothing; });
    if (from.empty()) return;
    int id = random.pick(from);
    note("set operand", str(id));
    set_operand_of(id);
    if (is_plain(*model.find(id).it) && random.chance(20)) {
      Type type = random.pick(types_);
      function.set_type(names.at(id), type);
      model.find(id).it->type = type;
    }
  }
  void set_columns() {
    std::vector<int> from = ids([](const Statement& s) { return s.op == Op::phi; });
    if (from.empty()) return;
    int id = random.pick(from);
    note("set column", str(id));
    set_operand_of(id);
  }
  void add_block() {
    int b = new_block_number();
    blocks[b] = function.new_block(block_name(b));
    if (random.chance(20)) handlers.insert(b);
    note("new block", str(b));
    for (uint32_t i = random.below(3); i > 0; --i) append(b, phi(b));
    bool early = random.chance(50);
    if (early) {
      // At the end of a block that has none yet.
      Statement s = statement(b);
      names[s.id] = function.insert(function.at_end(blocks[b]), inst(s, b));
      model.insert_end(b, model.resolved(s));
    }
    for (uint32_t i = random.below(4); i > 0; --i) append(b, statement(b));
    terminate(b);
    lead_to(b);
  }
  /// Makes some edge lead to a block.
  void lead_to(int b) {
    std::vector<int> edges = live_edges(false);
    std::erase_if(edges, [&](int e) { return model.edges[e].exceptional != handlers.contains(b); });
    if (!edges.empty()) redirect(random.pick(edges), b);
  }
  void redirect(int e, int to) {
    note("redirect edge", str(model.edges[e].from) + " to " + str(model.edges[e].to) + " now to " + str(to));
    EdgeId id = edge_id(e);
    EdgeId moved = walk ? walk->redirect_edge(id, blocks.at(to)) : function.redirect_edge(id, blocks.at(to));
    int edge = model.redirect_edge(e, to);
    if (function.edge(moved).slot != static_cast<uint32_t>(model.slot_of(edge))) fail("the redirected edge has another slot");
  }
  void reterminate() {
    int b = pick_block();
    note("terminate again", str(b));
    terminate(b);
  }
  void split_one() {
    std::vector<int> edges = live_edges(true);
    if (edges.empty()) return;
    int e = random.pick(edges);
    int b = new_block_number(), jump = new_id();
    note("split edge", str(model.edges[e].from) + " to " + str(model.edges[e].to) + " by " + str(b));
    EdgeId id = edge_id(e);
    blocks[b] = walk ? walk->split_edge(id, block_name(b)) : function.split_edge(id, block_name(b));
    Operand t = function.terminator(blocks[b]);
    if (walk) {
      old_names[jump] = static_cast<OldRef>(function.dense(t));
      walk->set_loc(old_names[jump], static_cast<Loc>(jump));
    } else {
      names[jump] = t;
      function.set_loc(t, static_cast<Loc>(jump));
    }
    model.split_edge(e, b, jump);
  }
  void split_one_block() {
    std::vector<int> from = ids([&](const Statement& s) {
      if (!names.at(s.id).is_stmt() || is_phi_like(s.op) || s.op == Op::nothing) return false;
      Model::At at = model.find(s.id);
      // What waits at the end of a block, and phis behind the place, would stay behind.
      for (Statement& other : model.blocks[at.block])
        if (model.root(other).place == Place::end) return false;
      return !model.phi_follows(at.block, at.it);
    });
    if (from.empty() || model.blocks.size() > 40) return;
    int at = random.pick(from), b = model.find(at).block;
    int made = new_block_number();
    bool waits = function.pending_count() != 0;
    note(waits ? "split block with pending" : "split block", str(b) + " at " + str(at) + " by " + str(made));
    blocks[made] = function.split_block(blocks[b], static_cast<Ref>(names.at(at).number()), block_name(made));
    model.split_block(b, at, made);
    int jump = new_id();
    function.terminate(blocks[b], Op::jump, std::vector<uint32_t>{index(blocks[made])}, static_cast<Loc>(jump));
    names[jump] = function.terminator(blocks[b]);
    Statement s;
    s.id = jump;
    Model::become(s, Op::jump, model.new_edge(b, made, false));
    model.append(b, s);
  }
  void mark_impossible() {
    int b = pick_block(), to = pick_block();
    bool clears = random.chance(20);
    note(clears ? "no impossible successor" : "impossible successor", str(to) + " from " + str(b));
    function.set_impossible(blocks[b], clears ? none_id<BlockId> : blocks[to]);
    if (clears)
      model.impossible.erase(b);
    else
      model.impossible[b] = to;
  }
  void remove_one_edge() {
    std::vector<int> edges = live_edges(false);
    if (edges.empty()) return;
    int e = random.pick(edges);
    std::string kind;
    if (walk) {
      int to = model.edges[e].to;
      kind = to == model.current() ? " to the current block" : model.was_opened(to) ? " behind" : " ahead";
    }
    note("remove edge" + kind, str(model.edges[e].from) + " to " + str(model.edges[e].to));
    if (walk)
      walk->remove_edge(edge_id(e));
    else
      function.remove_edge(edge_id(e));
    model.remove_edge(e);
  }
  void redirect_one() {
    std::vector<int> edges = live_edges(false);
    if (edges.empty()) return;
    int e = random.pick(edges);
    std::vector<int> to = targets(model.edges[e].exceptional);
    if (!to.empty()) redirect(e, random.pick(to));
  }
  void clone_some() {
    std::vector<int> originals, copies;
    for (auto& [number, list] : model.blocks)
      if (number != 0 && random.chance(30) && !(walk && (number == model.current() || model.gone.contains(number))))
        originals.push_back(number);
    if (originals.empty() || model.blocks.size() > 40) return;
    std::vector<BlockId> list;
    std::string text;
    for (int b : originals) {
      list.push_back(blocks.at(b));
      text += str(b) + " ";
    }
    note("clone blocks", text);
    std::vector<BlockId> made = walk ? walk->clone_blocks(list) : function.clone_blocks(list);
    for (int b : originals) {
      copies.push_back(new_block_number());
      if (handlers.contains(b)) handlers.insert(copies.back());
    }
    model.clone_blocks(originals, copies, next_id_, walk ? Place::end : Place::settled);
    PendingLists lists(function);
    for (size_t i = 0; i < copies.size(); ++i) {
      blocks[copies[i]] = made[i];
      if (!is_none(function.block(made[i]).name)) fail("a copy has a name");
      if (walk)
        walk->set_block_name(made[i], block_name(copies[i]));
      else
        function.set_block_name(made[i], block_name(copies[i]));
      List& statements = model.blocks[copies[i]];
      auto next = statements.begin();
      for_each_statement(function, lists, made[i], [&](Operand id) {
        if (function.op(id) == Op::same) return;
        if (next == statements.end()) return void(fail("a copy has too many statements"));
        if (walk) {
          old_names[next->id] = static_cast<OldRef>(function.dense(id));
          walk->set_loc(old_names[next->id], static_cast<Loc>(next->id));
        } else {
          names[next->id] = id;
          function.set_loc(id, static_cast<Loc>(next->id));
        }
        ++next;
      });
      if (next != statements.end()) fail("a copy lacks statements");
    }
    for (int b : copies)
      if (random.chance(70)) lead_to(b);
  }
  void merge_one() {
    if (function.pending_count() != 0) return;
    for (auto& [b, list] : model.blocks) {
      Statement* t = model.terminator(b);
      if (t->op != Op::jump) continue;
      int e = t->slots[0].edge, next = model.edges[e].to;
      if (next == b || next == 0 || model.edges_in(next).size() != 1) continue;
      bool reads_itself = false;
      for (Statement& s : model.blocks[next])
        if (s.op == Op::phi && s.columns.contains(e)) reads_itself |= model.find(s.columns[e].stmt).block == next;
      if (reads_itself) continue;
      note("merge blocks", str(b) + " and " + str(next));
      function.merge_successor(blocks[b]);
      for (Statement& s : model.blocks[next])
        if (s.op == Op::phi) model.replace(s.id, s.columns.contains(e) ? s.columns[e] : undef());
      for (int out : model.edges_out(next)) model.edges[out].from = b;
      model.edges[e].dead = true;
      if (auto moved = model.impossible.extract(next); moved && !model.impossible.contains(b)) {
        moved.key() = b;
        model.impossible.insert(std::move(moved));
      }
      int jump = t->id;
      std::erase_if(list, [&](const Statement& s) { return s.id == jump; });
      names.erase(jump);
      list.splice(list.end(), model.blocks[next]);
      model.blocks.erase(next);
      blocks.erase(next);
      return;
    }
  }
  void add_upsilon_somewhere() {
    std::vector<int> phi_cs = ids([](const Statement& s) { return s.op == Op::phi_c; });
    std::vector<int> upsilons = ids([](const Statement& s) { return s.op == Op::upsilon; });
    if (phi_cs.empty() || upsilons.empty()) return;
    int phi_c = random.pick(phi_cs), u = random.pick(upsilons);
    if (walk && !refs.contains(phi_c) && !news.contains(phi_c) && model.is_emitted(phi_c)) return;
    note("add upsilon", str(u) + " to " + str(phi_c));
    if (walk)
      walk->add_upsilon(refs.contains(phi_c) ? Operand(refs[phi_c]) : name(of_stmt(phi_c)), name(of_stmt(u)));
    else
      function.add_upsilon(names.at(phi_c), names.at(u));
    model.find(phi_c).it->slots.push_back(value_slot(of_stmt(u)));
  }

 protected:
  int last_anchor_ = -1;
};

}  // namespace braid::ir::model
