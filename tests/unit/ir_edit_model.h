// A naive model of functions that are edited and compacted: blocks are lists of statements with identities, replacing all
// uses is a search through everything, reachability is a depth-first search. It shares no code with the implementation
// (only the op table, which says what an operand is, and the type lattice).
//
// Identities: a statement is known by its location column, a block by its name, an edge by the slot of its terminator.
#pragma once

#include <algorithm>
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ir/module.h"
#include "ir/stmt.h"

namespace braid::ir::model {

struct Value {
  int stmt = -1;                              ///< a statement, or
  uint32_t word = Operand::undef().word();  ///< anything else
  friend bool operator==(const Value&, const Value&) = default;
};
inline Value of_stmt(int id) { return {id, 0}; }
inline Value of_word(Operand operand) { return {-1, operand.word()}; }
inline Value undef() { return of_word(Operand::undef()); }
inline Value erased() { return of_word(Operand::erased()); }

struct Slot {
  OperandKind kind = OperandKind::value;
  Value value{};
  int edge = -1;     ///< of a block operand
  uint32_t raw = 0;  ///< of any other
};

struct Edge {
  int from, to;
  bool exceptional = false, dead = false;
};

/// How a statement came to its place. Lists keep places that are not settled apart until compaction settles them.
enum class Place { settled, hung, phis, end };

struct Statement {
  int id = 0;
  Op op = Op::nothing;
  Type type = void_type;
  uint8_t flags = 0;
  int variable = -1;
  std::vector<Slot> slots;       ///< not of a phi
  std::map<int, Value> columns;  ///< of a phi, by edge; what is not there is undef
  Place place = Place::settled;
  int anchor = -1;
  bool after = false;   ///< on which side of the anchor
  bool behind = false;  ///< inserted behind the walk under way
};

using List = std::list<Statement>;

class Model {
 public:
  /// The second variable of the function throws when it is read undefined.
  Model(Module& module, std::vector<Type> params) : module_(module), params_(std::move(params)) {}

  std::map<int, List> blocks;
  std::vector<Edge> edges;
  std::map<int, int> impossible;  ///< by block: the successor that is said not to be reached
  std::map<int, Value> forward;  ///< statements that are no more -> what their uses mean

  // ---- finding ----
  struct At {
    int block = -1;
    List::iterator it{};
  };
  At find(int id) {
    for (auto& [number, list] : blocks)
      for (auto it = list.begin(); it != list.end(); ++it)
        if (it->id == id) return {number, it};
    return {};
  }
  bool exists(int id) { return find(id).block >= 0; }
  bool is_value(int id) {
    At at = find(id);
    return at.block >= 0 && at.it->op != Op::nothing && !is_terminator(at.it->op);
  }
  Statement* terminator(int block) {
    for (Statement& s : blocks[block])
      if (is_terminator(s.op)) return &s;
    return nullptr;
  }
  Value resolve(Value v) const {
    while (v.stmt >= 0 && forward.contains(v.stmt)) v = forward.at(v.stmt);
    return v;
  }
  Statement resolved(Statement s) const {
    for (Slot& slot : s.slots)
      if (slot.kind == OperandKind::value) slot.value = resolve(slot.value);
    for (auto& [edge, value] : s.columns) value = resolve(value);
    return s;
  }
  std::vector<int> edges_out(int block) {
    std::vector<int> out;
    if (Statement* t = terminator(block))
      for (const Slot& slot : t->slots)
        if (slot.kind == OperandKind::block && slot.edge >= 0 && !edges[slot.edge].dead) out.push_back(slot.edge);
    return out;
  }
  std::vector<int> edges_in(int block) const {
    std::vector<int> in;
    for (size_t e = 0; e < edges.size(); ++e)
      if (edges[e].to == block && !edges[e].dead) in.push_back(static_cast<int>(e));
    return in;
  }
  int slot_of(int edge) {
    Statement* t = terminator(edges[edge].from);
    for (size_t i = 0; t && i < t->slots.size(); ++i)
      if (t->slots[i].kind == OperandKind::block && t->slots[i].edge == edge) return static_cast<int>(i);
    return -1;
  }
  std::set<int> reachable(int without = -1) {
    std::set<int> seen;
    std::vector<int> work;
    if (without != 0) work.push_back(0), seen.insert(0);
    while (!work.empty()) {
      int b = work.back();
      work.pop_back();
      for (int e : edges_out(b))
        if (edges[e].to != without && seen.insert(edges[e].to).second) work.push_back(edges[e].to);
    }
    return seen;
  }
  /// Statements that may still get something behind them although the walk has passed them: the visited one, and what it
  /// hangs behind of.
  std::set<int> open_for_after() {
    std::set<int> open;
    At at = find(visited_);
    if (current_ < 0 || at.block < 0) return open;
    open.insert(visited_);
    for (Statement* s = &*at.it; s->place == Place::hung && !s->behind;) {
      if (s->after) open.insert(s->anchor);
      at = find(s->anchor);
      if (at.block < 0) break;
      s = &*at.it;
    }
    return open;
  }
  /// Whether any phi or phi_c stands at `it` or behind.
  bool phi_follows(int block, List::iterator it) {
    return std::any_of(it, blocks[block].end(), [](const Statement& s) { return is_phi_like(s.op); });
  }

  // ---- places ----
  const Statement& root(const Statement& s) {
    const Statement* at = &s;
    while (at->place == Place::hung) at = &*find(at->anchor).it;
    return *at;
  }
  bool hangs_on(const Statement& s, int id) {
    // What was inserted behind the walk and what was inserted before or ahead of it are different buffers.
    for (const Statement* at = &s; at->place == Place::hung && at->behind == s.behind;) {
      if (at->anchor == id) return true;
      At next = find(at->anchor);
      if (next.block < 0) return false;
      at = &*next.it;
    }
    return false;
  }
  void insert(bool after, int anchor, Statement s, bool behind = false) {
    At at = find(anchor);
    s.place = Place::hung;
    s.anchor = anchor;
    s.after = after;
    s.behind = behind;
    if (behind) emitted_.insert(s.id);
    List& list = blocks[at.block];
    auto it = at.it;
    if (after) {
      ++it;
      // Ahead of the walk means not before the place where it stands.
      if (!behind && at.block == current_ && is_before(list, it, cursor_)) it = cursor_;
      while (it != list.end() && it->behind == behind && hangs_on(*it, anchor)) ++it;
    }
    put(at.block, it, std::move(s));
  }
  void insert_phi(int block, Statement s) {
    List& list = blocks[block];
    auto it = list.begin();
    while (it != list.end() && root(*it).place == Place::phis) ++it;
    s.place = Place::phis;
    put(block, it, std::move(s));
  }
  /// At the end of a block without a terminator, in the insertion buffer.
  void insert_end(int block, Statement s) {
    s.place = Place::end;
    put(block, blocks[block].end(), std::move(s));
  }
  /// In the vector.
  void append(int block, Statement s) {
    List& list = blocks[block];
    auto it = list.begin();
    while (it != list.end() && root(*it).place != Place::end) ++it;
    put(block, is_terminator(s.op) ? list.end() : it, std::move(s));
  }

  // ---- statements ----
  void replace_uses(int id, Value value) {
    for (auto& [number, list] : blocks)
      for (Statement& s : list) {
        for (Slot& slot : s.slots)
          if (slot.kind == OperandKind::value && slot.value == of_stmt(id)) slot.value = value;
        for (auto& [edge, v] : s.columns)
          if (v == of_stmt(id)) v = value;
      }
    forward[id] = value;
  }
  void replace(int id, Value value) {
    bury(*find(id).it);
    replace_uses(id, resolve(value));
  }
  void erase(int id) { replace(id, erased()); }
  bool is_used(int id) {
    for (auto& [number, list] : blocks)
      for (Statement& s : list) {
        for (Slot& slot : s.slots)
          if (slot.kind == OperandKind::value && slot.value == of_stmt(id)) return true;
        for (auto& [edge, v] : s.columns)
          if (v == of_stmt(id)) return true;
      }
    return false;
  }
  void overwrite(int id, const Statement& by) {
    Statement& s = *find(id).it;
    s.op = by.op;
    s.type = by.type;
    s.flags = by.flags;
    s.slots = by.slots;
    s.columns = by.columns;
  }

  // ---- graph ----
  int new_edge(int from, int to, bool exceptional) {
    edges.push_back({from, to, exceptional, false});
    int e = static_cast<int>(edges.size() - 1);
    if (preds_.contains(to)) preds_[to].push_back(e);
    return e;
  }
  void kill_targets(const Statement& terminator) {
    for (const Slot& slot : terminator.slots)
      if (slot.kind == OperandKind::block && slot.edge >= 0) edges[slot.edge].dead = true;
  }
  static void become(Statement& t, Op op, int edge = -1) {
    t.op = op;
    t.type = void_type;
    t.slots.clear();
    if (edge >= 0) t.slots.push_back({OperandKind::block, {}, edge, 0});
  }
  void remove_edge(int e) {
    Statement& t = *terminator(edges[e].from);
    edges[e].dead = true;
    if (t.op == Op::branch) {
      become(t, Op::jump, t.slots[1].edge == e ? t.slots[2].edge : t.slots[1].edge);
    } else if (t.op == Op::jump || (t.op == Op::enter && t.slots[1].edge == e)) {
      kill_targets(t);
      become(t, Op::unreachable);
    }
  }
  /// The new block has a jump with the identity `jump`.
  void split_edge(int e, int middle, int jump) {
    Statement& t = *terminator(edges[e].from);
    int slot = slot_of(e);
    int into = new_edge(edges[e].from, middle, false);
    t.slots[slot].edge = into;
    edges[e].from = middle;
    Statement s;
    s.id = jump;
    become(s, Op::jump, e);
    append(middle, s);
  }
  /// What stands from a settled statement on, with what hangs before it, is a block of its own.
  void split_block(int block, int at, int made) {
    List& list = blocks[block];
    auto first = find(at).it;
    while (first != list.begin() && root(*std::prev(first)).id == at) --first;
    List& tail = blocks[made];
    tail.splice(tail.end(), list, first, list.end());
    for (Edge& edge : edges)
      if (edge.from == block) edge.from = made;
    if (auto moved = impossible.extract(block)) {
      moved.key() = made;
      impossible.insert(std::move(moved));
    }
  }
  int redirect_edge(int e, int to) {
    int slot = slot_of(e);
    edges[e].dead = true;
    int moved = new_edge(edges[e].from, to, edges[e].exceptional);
    terminator(edges[e].from)->slots[slot].edge = moved;
    return moved;
  }
  void drop_dead_cases(Statement& t) {
    if (t.op != Op::switch_) return;
    auto dead = [&](const Slot& slot) { return edges[slot.edge].dead; };
    std::vector<Slot> kept = {t.slots[0], t.slots[1]};
    bool any = dead(t.slots[1]);
    for (size_t i = 2; i < t.slots.size(); i += 2) {
      any |= dead(t.slots[i + 1]);
      if (!dead(t.slots[i + 1])) kept.insert(kept.end(), {t.slots[i], t.slots[i + 1]});
    }
    if (!any) return;
    if (dead(kept[1]) && kept.size() > 2) {
      kept[1] = kept.back();
      kept.resize(kept.size() - 2);
    }
    if (dead(kept[1]))
      become(t, Op::unreachable);
    else if (kept.size() == 2)
      become(t, Op::jump, kept[1].edge);
    else
      t.slots = kept;
  }
  /// `copies[i]` is the copy of `originals[i]`; identities of new statements count on from `next_id`, in order of blocks and
  /// places, terminators where they stand.
  void clone_blocks(const std::vector<int>& originals, const std::vector<int>& copies, int& next_id, Place place) {
    std::map<int, int> block_copy, stmt_copy, edge_copy;
    for (size_t i = 0; i < originals.size(); ++i) block_copy[originals[i]] = copies[i];
    std::map<int, List> made;
    for (size_t i = 0; i < originals.size(); ++i)
      for (const Statement& s : blocks[originals[i]]) {
        if (s.op == Op::nothing) continue;
        Statement copy = s;
        copy.id = next_id++;
        copy.place = place;
        copy.anchor = -1;
        copy.behind = false;
        if (place != Place::settled) copy.variable = -1;
        stmt_copy[s.id] = copy.id;
        made[copies[i]].push_back(copy);
      }
    for (auto& [block, list] : made)
      for (Statement& s : list) {
        if (!is_terminator(s.op)) continue;
        if (s.op == Op::switch_) {
          bool any_dead = false;
          for (const Slot& slot : s.slots) any_dead |= slot.kind == OperandKind::block && edges[slot.edge].dead;
          drop_dead_cases(s);
          // A copy stays a switch, if only with a default.
          if (any_dead && s.op == Op::jump) {
            int edge = s.slots[0].edge;
            s.op = Op::switch_;
            s.slots = {original_of(stmt_copy, s.id).slots[0], {OperandKind::block, {}, edge, 0}};
          }
        }
        for (Slot& slot : s.slots) {
          if (slot.kind != OperandKind::block || slot.edge < 0) continue;
          Edge e = edges[slot.edge];
          if (e.dead) {
            slot.edge = -1;
            continue;
          }
          int to = block_copy.contains(e.to) ? block_copy[e.to] : e.to;
          int copied = new_edge(block, to, e.exceptional);
          edge_copy[slot.edge] = copied;
          slot.edge = copied;
        }
      }
    auto renamed = [&](Value v) { return v.stmt >= 0 && stmt_copy.contains(v.stmt) ? of_stmt(stmt_copy[v.stmt]) : v; };
    auto column = [&](const Statement& phi, int edge) {
      return phi.columns.contains(edge) ? renamed(phi.columns.at(edge)) : undef();
    };
    for (auto& [block, list] : made)
      for (Statement& s : list) {
        for (Slot& slot : s.slots)
          if (slot.kind == OperandKind::value) slot.value = renamed(slot.value);
        if (s.op != Op::phi) continue;
        std::map<int, Value> columns;
        for (auto [from, to] : edge_copy)
          if (edges[to].to == block) columns[to] = column(s, from);
        s.columns = columns;
      }
    for (auto [from, to] : edge_copy) {
      if (edges[from].to != edges[to].to) continue;
      for (Statement& s : blocks[edges[to].to])
        if (s.op == Op::phi) s.columns[to] = column(s, from);
    }
    for (auto& [number, list] : blocks) {
      bool is_handler = std::any_of(edges.begin(), edges.end(), [&, b = number](const Edge& e) { return e.to == b && e.exceptional; });
      for (Statement& s : list) {
        if (s.op != Op::phi_c || stmt_copy.contains(s.id) || !is_handler) continue;
        for (size_t i = 0, count = s.slots.size(); i < count; ++i)
          if (Value v = renamed(s.slots[i].value); v != s.slots[i].value) s.slots.push_back({OperandKind::value, v, -1, 0});
      }
    }
    for (auto& [block, list] : made) blocks[block] = list;
  }

  // ---- the walk ----
  bool fold_branches = false;
  std::vector<int> order;             ///< blocks in the order of emission
  std::set<int> gone;                 ///< blocks not reachable at the start
  int current() const { return current_; }
  int visited() const { return visited_; }
  bool is_emitted(int id) const { return emitted_.contains(id); }
  bool is_open_block(int b) const { return b == current_; }
  bool was_opened(int b) const { return preds_.contains(b); }
  const std::vector<int>& preds(int b) const { return preds_.at(b); }
  bool ended_here() const { return ended_; }
  bool is_done() const { return done_; }
  void mark_emitted(int id) { emitted_.insert(id); }

  void begin_walk() {
    order.clear();
    gone.clear();
    emitted_.clear();
    preds_.clear();
    current_ = visited_ = -1;
    ended_ = done_ = false;
    std::set<int> live = reachable();
    for (auto& [number, list] : blocks)
      if (!live.contains(number)) gone.insert(number);
    // Their edges are as good as none.
    for (int b : gone)
      if (Statement* t = terminator(b)) kill_targets(*t);
  }

  /// The implementation has visited `id` in `block`; answers what is wrong with that, or nothing.
  std::string step(int block, int id) {
    for (;;) {
      if (current_ < 0) {
        if (std::string wrong = open(block); !wrong.empty()) return wrong;
      }
      List& list = blocks[current_];
      while (cursor_ != list.end()) {
        Statement& s = *cursor_;
        if (s.op != Op::nothing && !vanishes(s)) {
          if (current_ != block) return "visits block " + std::to_string(block) + ", expected " + std::to_string(current_);
          if (s.id != id) return "visits statement " + std::to_string(id) + ", expected " + std::to_string(s.id);
          visited_ = id;
          emitted_.insert(id);
          ++cursor_;
          return {};
        }
        emitted_.insert(s.id);
        ++cursor_;
      }
      if (block == current_) return "visits " + std::to_string(id) + " in a block that is at its end";
      close();
    }
  }
  /// The block that `insert_here` goes to before the first step.
  void open_first() {
    if (current_ < 0) open(0);
  }
  void insert_here(Statement s) {
    s.place = Place::settled;
    emitted_.insert(s.id);
    blocks[current_].insert(cursor_, std::move(s));
  }
  void end_block_here(Statement t) {
    if (Statement* old = terminator(current_)) kill_targets(*old);
    for (auto it = cursor_; it != blocks[current_].end(); ++it) dropped_types_[it->id] = it->type;
    blocks[current_].erase(cursor_, blocks[current_].end());
    cursor_ = blocks[current_].end();
    insert_here(std::move(t));
    ended_ = true;
  }
  std::string walk_is_over() {
    if (current_ >= 0) {
      for (; cursor_ != blocks[current_].end(); ++cursor_)
        if (cursor_->op != Op::nothing && !vanishes(*cursor_)) return "statement " + std::to_string(cursor_->id) + " was not visited";
      close();
    }
    for (int b : reachable())
      if (!preds_.contains(b)) return "block " + std::to_string(b) + " was not visited";
    done_ = true;
    return {};
  }

  void finish(bool remove_dead) {
    std::set<int> live = reachable();
    std::erase_if(blocks, [&](const auto& entry) { return !live.contains(entry.first); });
    for (Edge& e : edges)
      if (!live.contains(e.from) || !live.contains(e.to)) e.dead = true;
    std::set<int> present;
    for (auto& [number, list] : blocks)
      for (Statement& s : list)
        if (s.op != Op::nothing) present.insert(s.id);
    for (auto& [number, list] : blocks)
      for (Statement& s : list) {
        for (Slot& slot : s.slots) {
          if (slot.kind == OperandKind::value && slot.value.stmt >= 0 && !present.contains(slot.value.stmt))
            slot.value = erased();
          if (slot.kind == OperandKind::block && slot.edge >= 0 && edges[slot.edge].dead && s.op == Op::enter) slot.edge = -1;
        }
        for (auto& [edge, value] : s.columns)
          if (value.stmt >= 0 && !present.contains(value.stmt)) value = erased();
        std::erase_if(s.columns, [&](const auto& entry) { return edges[entry.first].dead; });
        if (s.op == Op::phi_c) std::erase_if(s.slots, [](const Slot& slot) { return slot.value == erased(); });
        drop_dead_cases(s);
      }
    for (auto& [id, value] : forward)
      if (Value v = resolve(value); v.stmt >= 0 && !present.contains(v.stmt)) value = erased();
    std::set<int> read;
    for (auto& [number, list] : blocks)
      for (Statement& s : list)
        if (s.op == Op::phi_c)
          for (Slot& slot : s.slots) read.insert(slot.value.stmt);
    for (auto& [number, list] : blocks)
      for (Statement& s : list)
        if (s.op == Op::upsilon && !read.contains(s.id)) erase(s.id);
    while (remove_dead && remove_one_dead()) {
    }
    for (auto& [number, list] : blocks)
      for (Statement& s : list) {
        if (s.behind) {
          s.behind = false;
        } else {
          s.place = Place::settled;
          s.anchor = -1;
        }
      }
    current_ = visited_ = -1;
    preds_.clear();
  }
  /// What has an effect and must stay; answers for the ops that the tests use.
  static bool has_effect(const Statement& s) {
    switch (s.op) {
      case Op::get: return s.slots[0].raw == 1 && (s.flags & cannot_throw) == 0;
      case Op::check_zero:
      case Op::throw_undef: return (s.flags & cannot_throw) == 0;
      case Op::call:
      case Op::set:
      case Op::leave:
      case Op::pop_exception: return true;
      default: return is_terminator(s.op);
    }
  }

 private:
  static bool is_before(List& list, List::iterator a, List::iterator b) {
    for (; a != list.end(); ++a)
      if (a == b) return true;
    return b == list.end();
  }
  /// A statement that is put where the walk stands is ahead of it, unless it was inserted behind.
  void put(int block, List::iterator it, Statement s) {
    bool at_cursor = block == current_ && it == cursor_ && !s.behind;
    auto placed = blocks[block].insert(it, std::move(s));
    if (at_cursor) cursor_ = placed;
  }
  static void bury(Statement& s) {
    s.op = Op::nothing;
    s.type = void_type;
    s.slots.clear();
    s.columns.clear();
  }
  Statement original_of(const std::map<int, int>& stmt_copy, int copy) {
    for (auto [from, to] : stmt_copy)
      if (to == copy) return *find(from).it;
    return {};
  }

  std::string open(int block) {
    if (preds_.contains(block)) return "block " + std::to_string(block) + " is visited twice";
    std::vector<int> in = edges_in(block);
    bool led_to = std::any_of(in.begin(), in.end(), [&](int e) { return closed_.contains(edges[e].from); });
    if (order.empty() ? block != 0 : !led_to) return "no finished block leads to block " + std::to_string(block);
    if (order.empty()) closed_.clear();
    order.push_back(block);
    current_ = block;
    cursor_ = blocks[block].begin();
    preds_[block] = in;
    ended_ = false;
    return {};
  }
  void close() {
    closed_.insert(current_);
    current_ = -1;
    visited_ = -1;
  }

  Type type_of(Value v, bool narrow) {
    if (v.stmt >= 0) {
      At at = find(v.stmt);
      return at.block < 0 ? dropped_types_[v.stmt] : at.it->type;
    }
    Operand operand = Operand::from_word(v.word);
    if (operand.is_constant()) return narrow ? module_.constant_type(operand) : module_.constants.value(operand).type;
    return operand.is_param() ? params_[operand.number()] : none;
  }
  bool is_late(Value v) const { return v.stmt >= 0 && !emitted_.contains(v.stmt); }

  /// What compaction takes out when it comes to the statement. Also folds terminators.
  bool vanishes(Statement& s) {
    if (s.op == Op::phi && preds_[current_].size() == 1) {
      int edge = preds_[current_][0];
      Value v = s.columns.contains(edge) ? s.columns[edge] : undef();
      if (v == undef() || v == erased() || is_late(v) || v == of_stmt(s.id)) return false;
      if (!module_.types.leq(type_of(v, false), s.type)) return false;
      replace(s.id, v);
      return true;
    }
    if (s.op == Op::pi) {
      Value v = s.slots[0].value;
      if (v == undef() || is_late(v) || !module_.types.leq(type_of(v, true), s.type)) return false;
      replace(s.id, v);
      return true;
    }
    if (s.op == Op::throw_undef) {
      Operand flag = Operand::from_word(s.slots[1].value.word);
      if (s.slots[1].value.stmt >= 0 || !flag.is_constant() || module_.constants.value(flag).bits != 1) return false;
      erase(s.id);
      return true;
    }
    if (s.op == Op::leave) {
      std::erase_if(s.slots, [](const Slot& slot) { return slot.value == erased(); });
      if (!s.slots.empty()) return false;
      erase(s.id);
      return true;
    }
    if (fold_branches && (s.op == Op::branch || s.op == Op::switch_)) fold(s);
    return false;
  }
  void fold(Statement& t) {
    Value v = t.slots[0].value;
    Operand word = Operand::from_word(v.word);
    uint64_t bits;
    if (v.stmt < 0 && word.is_constant()) {
      bits = module_.constants.value(word).bits;
    } else {
      auto known = module_.types.as_constant(type_of(v, false));
      if (!known) return;
      bits = known->bits;
    }
    auto lives = [&](int edge) { return !edges[edge].dead; };
    int taken = -1;
    if (t.op == Op::branch) {
      taken = t.slots[bits ? 1 : 2].edge;
    } else {
      for (size_t i = 2; i < t.slots.size() && taken < 0; i += 2)
        if (module_.constants.value(Operand::from_word(t.slots[i].value.word)).bits == bits && lives(t.slots[i + 1].edge))
          taken = t.slots[i + 1].edge;
      if (taken < 0 && lives(t.slots[1].edge)) taken = t.slots[1].edge;
      for (size_t i = 3; taken < 0 && i < t.slots.size(); i += 2) {
        size_t from_end = t.slots.size() - 1 - (i - 3);
        if (lives(t.slots[from_end].edge)) taken = t.slots[from_end].edge;
      }
      if (taken < 0) return;
    }
    for (const Slot& slot : t.slots)
      if (slot.kind == OperandKind::block && slot.edge != taken) edges[slot.edge].dead = true;
    become(t, Op::jump, taken);
  }
  bool remove_one_dead() {
    for (auto& [number, list] : blocks)
      for (Statement& s : list)
        if (s.op != Op::nothing && !has_effect(s) && !is_used(s.id)) {
          erase(s.id);
          return true;
        }
    return false;
  }

  Module& module_;
  std::vector<Type> params_;
  std::set<int> emitted_, closed_;
  std::map<int, Type> dropped_types_;  ///< of statements behind the end of a block that was ended early
  std::map<int, std::vector<int>> preds_;  ///< edges into an opened block: live when it was opened, or made since
  int current_ = -1, visited_ = -1;
  bool ended_ = false, done_ = false;
  List::iterator cursor_;
};

}  // namespace braid::ir::model
