// Edits inside of a walk, each done in the implementation and in the model, and the walk itself in step with the model.
#pragma once

#include <functional>

#include "ir_edit_actions.h"

namespace braid::ir::model {

class Walker : public Actions {
 public:
  using Actions::Actions;

  /// Called after every step of a walk.
  std::function<void()> at_step = [] {};

  /// One walk, with about so many edits per ten steps; the result is compared with the model. False if something failed.
  bool run_walk(CompactOptions options, uint32_t edits_per_ten) {
    log.push_back("walk");
    ++coverage_["walks"];
    model.fold_branches = options.fold_branches;
    model.begin_walk();
    if (!model.gone.empty()) ++coverage_["walks with unreachable blocks"];
    options_ = options;
    walk = std::make_unique<Compact>(function, options);
    old_names.clear();
    refs.clear();
    news.clear();
    for (auto [id, operand] : names) old_names[id] = static_cast<OldRef>(function.dense(operand));
    over_ = false;
    at_terminator_ = false;
    edited_graph_ = false;
    bool forward = false;
    if (edits_per_ten > 0 && random.chance(30)) walk_edit();
    for (int rounds = 0; rounds < 4; ++rounds) {
      while (failure.empty() && walk->next()) {
        if (!visit()) break;
        forward |= has_forward_reference();
        for (uint32_t edits = edits_per_ten; failure.empty() && random.below(10) < edits; edits /= 2) walk_edit();
        if (failure.empty() && options.count_uses && random.chance(20)) check_use_counts();
        if (failure.empty()) at_step();
      }
      if (!failure.empty()) break;
      over_ = true;
      // Edits behind a finished walk may make it go on.
      if (edits_per_ten == 0 || rounds == 3 || !random.chance(30)) break;
      walk_edit();
      over_ = false;
    }
    if (failure.empty())
      if (std::string wrong = model.walk_is_over(); !wrong.empty()) fail(wrong);
    uint64_t copied = walk->copied();
    uint32_t statements = function.dense_count();  // what was inserted ahead counts
    walk->finish();
    uint64_t moved = walk->moved();
    walk.reset();
    if (!failure.empty()) return false;
    if (forward) ++coverage_["walks with forward references"];
    if (moved != 0) ++coverage_["walks that moved blocks"];
    if (moved != 0 && !edited_graph_) fail("blocks were moved although no edge was removed");
    if (copied > statements) fail("a statement was copied twice");
    size_t blocks_before = model.blocks.size();
    model.finish(options.remove_dead);
    if (model.blocks.size() < blocks_before) ++coverage_["walks that dropped blocks"];
    if (!compare() || !check_order()) return false;
    rename();
    return true;
  }

 private:
  bool visit() {
    Ref here = walk->here();
    int id = static_cast<int>(index(walk->loc(here)));
    int block = number_of(function.block(walk->block_here()).name);
    if (std::string wrong = model.step(block, id); !wrong.empty()) return fail(wrong);
    refs[id] = here;
    at_terminator_ = is_terminator(walk->op(here));
    const Statement& s = *model.find(id).it;
    if (walk->op(here) != s.op) return fail("#" + str(id) + " is visited as " + std::string(info(walk->op(here)).text));
    if (walk->type(here) != s.type) return fail("#" + str(id) + " is visited with another type");
    // The old name leads to the new one.
    auto old = old_names.find(id);
    if (old != old_names.end() && walk->renamed(old->second) != Operand(here)) return fail("#" + str(id) + " is not renamed to itself");
    return true;
  }
  bool has_forward_reference() {
    const Stmt& s = walk->stmt(walk->here());
    for (uint32_t i = 0; i < walk->args(s).size(); ++i)
      if (info(s.op).is_value(i) && walk->operand(walk->here(), i).is_old()) return true;
    return false;
  }
  void check_use_counts() {
    std::map<uint32_t, uint32_t> counts, behind;
    auto count = [&](const Stmt& s) {
      for (uint32_t i = 0; i < walk->args(s).size(); ++i) {
        if (!info(s.op).is_value(i)) continue;
        Operand used = Operand::from_word(walk->args(s)[i]);
        if (used.is_stmt()) ++counts[used.number()];
        if (used.is_pending()) ++behind[used.number()];
      }
    };
    for (uint32_t i = 0; i < walk->size(); ++i) count(walk->stmt(static_cast<Ref>(i)));
    for (auto [id, r] : news) count(walk->stmt(r));
    for (uint32_t i = 0; i < walk->size(); ++i)
      if (walk->use_count(static_cast<Ref>(i)) != counts[i]) fail("the uses of %" + str(i) + " are counted wrong");
    for (auto [id, r] : news)
      if (walk->use_count(r) != behind[index(r)]) fail("the uses of #" + str(id) + " are counted wrong");
    ++coverage_["use counts checked"];
  }

  // ---- edits ----
  bool can_insert_here() { return !over_ && (model.order.empty() || (model.current() >= 0 && !at_terminator_)); }

  void walk_edit() {
    switch (random.below(34)) {
      case 0:
      case 1:
      case 2: return insert_here();
      case 3:
      case 4:
      case 5:
      case 6: return insert_behind();
      case 7:
      case 8:
      case 9:
      case 10: return insert_ahead();
      case 11: return insert_phi_ahead();
      case 12:
      case 13: return erase_in_walk();
      case 14:
      case 15: return replace_in_walk();
      case 16:
      case 17: return change_here();
      case 18: return overwrite_in_walk();
      case 19:
      case 20:
      case 21: return set_operand_in_walk();
      case 22: return set_column_in_walk();
      case 23: return set_type_in_walk();
      case 24:
      case 25: edited_graph_ = true; return remove_one_edge();
      case 26: edited_graph_ = true; return split_one();
      case 27: edited_graph_ = true; return redirect_one();
      case 28: edited_graph_ = true; return clone_some();
      case 29: edited_graph_ = true; return add_block_in_walk();
      case 30: return add_upsilon_somewhere();
      case 31: edited_graph_ = true; return end_here();
      case 32: edited_graph_ = true; return overwrite_terminator();
      default: return set_operand_in_walk();
    }
  }

  void insert_here() {
    if (!can_insert_here()) return;
    model.open_first();
    int b = model.current();
    Statement s = b != 0 && only_phis_are_emitted(b) && random.chance(60) ? phi(b) : statement(b);
    if (!is_phi_like(s.op) && phis_are_ahead(b)) return;
    note(is_phi_like(s.op) ? "insert phi here" : "insert here", str(s.id));
    refs[s.id] = walk->insert_here(draft(s, b));
    model.insert_here(model.resolved(s));
  }
  bool only_phis_are_emitted(int b) {
    for (const Statement& s : model.blocks[b])
      if (model.is_emitted(s.id) && !is_phi_like(s.op) && s.op != Op::nothing) return false;
    return true;
  }
  bool phis_are_ahead(int b) {
    for (Statement& s : model.blocks[b])
      if (is_phi_like(s.op) && !model.is_emitted(s.id)) return true;
    return false;
  }
  void end_here() {
    if (!can_insert_here()) return;
    model.open_first();
    Statement s;
    s.id = new_id();
    s.op = random.chance(60) ? Op::ret : Op::unreachable;
    if (s.op == Op::ret) s.slots = {value_slot(any_value())};
    note("end block here", str(model.current()));
    refs[s.id] = walk->end_block_here(draft(s, model.current()));
    model.end_block_here(model.resolved(s));
    at_terminator_ = true;
  }
  void insert_behind() {
    std::vector<int> anchors = ids([&](const Statement& s) { return refs.contains(s.id) || news.contains(s.id); });
    if (anchors.empty()) return;
    int anchor = random.chance(40) && (refs.contains(last_anchor_) || news.contains(last_anchor_)) && model.exists(last_anchor_)
                     ? last_anchor_
                     : random.pick(anchors);
    last_anchor_ = anchor;
    bool after = random.chance(50) && !is_terminator(model.find(anchor).it->op);
    std::optional<Statement> s = fitting(anchor, after);
    if (!s) return;
    bool is_new = news.contains(anchor);
    note(std::string("insert behind ") + (after ? "after" : "before") + (is_new ? " NewRef" : " Ref"), str(s->id) + " at " + str(anchor));
    Draft d = draft(*s, model.find(anchor).block);
    if (is_new)
      news[s->id] = after ? walk->insert_after(news[anchor], d) : walk->insert_before(news[anchor], d);
    else
      news[s->id] = after ? walk->insert_after(refs[anchor], d) : walk->insert_before(refs[anchor], d);
    model.insert(after, anchor, model.resolved(*s), true);
  }
  bool is_ahead(int id) { return old_names.contains(id) && !model.is_emitted(id) && walk->is_ahead(old_names[id]); }
  void insert_ahead() {
    bool after = random.chance(50);
    std::set<int> open = over_ || at_terminator_ ? std::set<int>{} : model.open_for_after();
    std::vector<int> anchors = ids([&](const Statement& s) {
      return is_ahead(s.id) || (after && open.contains(s.id) && old_names.contains(s.id));
    });
    if (after) std::erase_if(anchors, [&](int id) { return is_terminator(model.find(id).it->op); });
    std::vector<int> near;
    for (int id : anchors)
      if (open.contains(id) || id == last_anchor_) near.push_back(id);
    if (anchors.empty()) return;
    int anchor = !near.empty() && random.chance(50) ? random.pick(near) : random.pick(anchors);
    last_anchor_ = anchor;
    std::optional<Statement> s = fitting(anchor, after);
    if (!s) return;
    int block = model.find(anchor).block;
    if (open.contains(anchor) && (is_phi_like(s->op) ? !only_phis_are_emitted(block) : phis_are_ahead(block))) return;
    note(std::string("insert ahead ") + (after ? "after" : "before") + (open.contains(anchor) ? " the visited" : ""),
         str(s->id) + " at " + str(anchor));
    ++coverage_["inserted ahead"];
    Draft d = draft(*s, model.find(anchor).block);
    old_names[s->id] = after ? walk->insert_after(old_names[anchor], d) : walk->insert_before(old_names[anchor], d);
    model.insert(after, anchor, model.resolved(*s));
  }
  void insert_phi_ahead() {
    std::vector<int> fits;
    for (auto& [number, list] : model.blocks)
      if (number != 0 && !model.was_opened(number)) fits.push_back(number);
    if (fits.empty()) return;
    int b = random.pick(fits);
    Statement s = phi(b);
    note("insert phi ahead", str(s.id) + " in " + str(b));
    ++coverage_["inserted ahead"];
    old_names[s.id] = walk->insert_phi(blocks.at(b), draft(s, b));
    model.insert_phi(b, model.resolved(s));
  }
  /// Which of its names a change goes by; none if the walk has passed the statement without emitting it.
  enum class By { nobody, ref, new_ref, old_ref };
  By way_to(int id) {
    if (news.contains(id)) return By::new_ref;
    if (refs.contains(id)) return By::ref;
    return is_ahead(id) ? By::old_ref : By::nobody;
  }
  static const char* text(By by) {
    return by == By::ref ? " behind" : by == By::new_ref ? " NewRef" : " ahead";
  }
  template <typename F>
  int pick_reachable(F&& fits) {
    std::vector<int> from = ids([&](const Statement& s) { return fits(s) && way_to(s.id) != By::nobody; });
    return from.empty() ? -1 : random.pick(from);
  }
  void erase_in_walk() {
    int id = pick_reachable(is_plain);
    if (id >= 0) erase(id);
  }
  void erase(int id) {
    By by = way_to(id);
    note(id == model.visited() ? "erase here" : std::string("erase") + text(by), str(id));
    uint32_t size = walk->size();
    if (by == By::ref) walk->erase(refs[id]);
    if (by == By::new_ref) walk->erase(news[id]);
    if (by == By::old_ref) walk->erase(old_names[id]);
    forget_if_gone(id, size);
    model.erase(id);
  }
  /// A statement that vanished from the result has lost its Ref.
  void forget_if_gone(int id, uint32_t size_before) {
    if (walk->size() == size_before) return;
    ++coverage_["vanished at once"];
    refs.erase(id);
  }
  void replace_in_walk() {
    int id = pick_reachable([](const Statement& s) { return is_plain(s) && s.op != Op::upsilon; });
    if (id >= 0) replace(id);
  }
  void replace(int id) {
    By by = way_to(id);
    Value v = value_unlike(id);
    note(id == model.visited() ? "replace here" : std::string("replace") + text(by), str(id) + " by " + show(v));
    uint32_t size = walk->size();
    Operand value = name(v);
    if (by == By::ref) walk->replace(refs[id], value);
    if (by == By::new_ref) walk->replace(news[id], value);
    if (by == By::old_ref) walk->replace(old_names[id], value);
    forget_if_gone(id, size);
    model.replace(id, v);
  }
  void change_here() {
    int id = model.visited();
    if (over_ || id < 0 || !refs.contains(id) || !is_plain(*model.find(id).it) || model.find(id).it->op == Op::upsilon) return;
    if (random.chance(50))
      erase(id);
    else
      replace(id);
  }
  void overwrite_in_walk() {
    int id = pick_reachable([&](const Statement& s) { return is_plain(s) && s.op != Op::upsilon && way_to(s.id) != By::old_ref; });
    if (id < 0) return;
    Model::At at = model.find(id);
    Statement s = is_phi_like(at.it->op) ? phi(at.block) : statement(at.block);
    s.id = id;
    note(std::string("overwrite") + text(way_to(id)), str(id));
    Draft d = draft(s, at.block);
    if (way_to(id) == By::ref)
      walk->overwrite(refs[id], d);
    else
      walk->overwrite(news[id], d);
    model.overwrite(id, model.resolved(s));
  }
  void overwrite_terminator() {
    int id = pick_reachable([&](const Statement& s) { return is_terminator(s.op) && refs.contains(s.id); });
    if (id < 0) return;
    Statement s;
    s.id = id;
    s.op = random.chance(60) ? Op::ret : Op::unreachable;
    if (s.op == Op::ret) s.slots = {value_slot(any_value())};
    note("overwrite terminator", str(id));
    walk->overwrite(refs[id], draft(s, model.find(id).block));
    model.kill_targets(*model.find(id).it);
    model.overwrite(id, model.resolved(s));
  }
  void set(int id, uint32_t i, Value v) {
    By by = way_to(id);
    note(std::string("set operand") + text(by), str(id) + " operand " + str(i) + " to " + show(v));
    Operand value = name(v);
    if (by == By::ref) walk->set_operand(refs[id], i, value);
    if (by == By::new_ref) walk->set_operand(news[id], i, value);
    if (by == By::old_ref) walk->set_operand(old_names[id], i, value);
  }
  void set_operand_in_walk() {
    int id = pick_reachable([](const Statement& s) { return s.op != Op::nothing && !is_phi_like(s.op) && !s.slots.empty(); });
    if (id < 0) return;
    Statement& s = *model.find(id).it;
    for (size_t i = random.below(s.slots.size()); i < s.slots.size(); ++i) {
      if (s.slots[i].kind != OperandKind::value || is_case(s, i)) continue;
      Value v = any_value();
      set(id, static_cast<uint32_t>(i), v);
      s.slots[i].value = model.resolve(v);
      return;
    }
  }
  void set_column_in_walk() {
    int id = pick_reachable([](const Statement& s) { return s.op == Op::phi; });
    if (id < 0) return;
    Model::At at = model.find(id);
    std::vector<int> in = model.edges_in(at.block);
    if (in.empty()) return;
    int e = random.pick(in);
    Value v = any_value();
    set(id, function.edge(edge_id(e)).pred_index, v);
    at.it->columns[e] = model.resolve(v);
  }
  void set_type_in_walk() {
    int id = pick_reachable([&](const Statement& s) { return is_plain(s) && refs.contains(s.id); });
    if (id < 0) return;
    note("set type", str(id));
    Statement& s = *model.find(id).it;
    s.type = random.pick(types_);
    s.flags = random.chance(50) ? cannot_throw : 0;
    walk->set_type(refs[id], s.type);
    walk->set_flags(refs[id], s.flags);
  }
  void add_block_in_walk() {
    int b = new_block_number();
    blocks[b] = walk->new_block(block_name(b));
    if (random.chance(20)) handlers.insert(b);
    note("new block in the walk", str(b));
    auto add = [&](const Statement& s) {
      ++coverage_["inserted ahead"];
      old_names[s.id] = walk->append(blocks[b], draft(s, b));
      model.insert_end(b, model.resolved(s));
    };
    for (uint32_t i = random.below(3); i > 0; --i) add(phi(b));
    for (uint32_t i = random.below(4); i > 0; --i) add(statement(b));
    std::vector<uint32_t> list;
    Statement t = terminator_for(b, list);
    ++coverage_["inserted ahead"];
    walk->terminate(blocks[b], {t.op, t.type, list, static_cast<Loc>(t.id)});
    old_names[t.id] = static_cast<OldRef>(function.dense(function.terminator(blocks[b])));
    model.insert_end(b, t);
    lead_to(b);
  }

  CompactOptions options_;
  bool over_ = false;
  bool at_terminator_ = false;
  bool edited_graph_ = false;
};

}  // namespace braid::ir::model
