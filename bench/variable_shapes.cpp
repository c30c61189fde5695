#include "variable_shapes.h"

#include <vector>

#include "ir/compact.h"

namespace braid::bench {

using ir::BlockId;
using ir::Op;
using ir::Operand;

std::string_view name(Flow flow) {
  switch (flow) {
    case Flow::straight: return "straight line";
    case Flow::diamonds: return "chain of diamonds";
    case Flow::loops: return "nested loops";
    case Flow::exits: return "break and continue";
    case Flow::random: return "random reducible";
    case Flow::ladder: return "ladder";
    case Flow::deep: return "deep nest";
    case Flow::wide_join: return "100000 predecessors";
    case Flow::thousand_loops: return "1000 nested loops";
  }
  return {};
}

namespace {

/// Fills a function with assignments. A program moves through its variables slowly, so that each of them is mentioned in one
/// part of it, as in real programs; with few variables all are mentioned everywhere.
class Writer {
 public:
  Writer(ir::Function& f, uint32_t statements, uint32_t variables, uint64_t seed)
      : f_(f), limit_(statements), count_(variables), state_(seed) {
    for (uint32_t v = 0; v < variables; ++v)
      f_.variables.push({f.module().symbol("v" + std::to_string(v)), i64, ir::UndefMeaning::reject});
    at(f_.new_block());
    for (uint32_t v = 0; v < variables; ++v) set(v, Operand::param(v % 2));
  }

  BlockId block() { return f_.new_block(); }
  void at(BlockId b) { block_ = b; }
  bool full() const { return f_.size() >= limit_; }
  uint32_t size() const { return f_.size(); }

  /// Four statements: v = w + u.
  void assign() {
    Operand left = get(pick()), right = get(pick());
    set(pick(), f_.append(block_, f_.make(Op::add, i64, {left, right})));
  }
  Operand condition() {
    Operand left = get(pick()), right = get(pick());
    return f_.append(block_, f_.make(Op::slt, i1, {left, right}));
  }
  void jump(BlockId to) { f_.jump(block_, to); }
  void branch(BlockId yes, BlockId no) { f_.branch(block_, condition(), yes, no); }
  void switch_to(const std::vector<BlockId>& targets) {
    std::vector<ir::Function::Case> cases;
    for (uint32_t i = 1; i < targets.size(); ++i) cases.push_back({f_.module().constant(i64, i), targets[i]});
    f_.switch_on(block_, get(pick()), targets[0], cases);
  }
  void ret() { f_.ret(block_, get(pick())); }
  uint32_t random(uint32_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>((state_ >> 33) % limit);
  }

 private:
  static constexpr uint32_t window = 8;

  Operand get(uint32_t variable) {
    uint32_t words[] = {variable};
    return f_.append(block_, f_.make(Op::get, i64, words));
  }
  void set(uint32_t variable, Operand value) {
    uint32_t words[] = {variable, value.word()};
    f_.append(block_, f_.make(Op::set, void_type, words));
  }
  uint32_t pick() {
    uint32_t base = count_ <= window ? 0
                                     : static_cast<uint32_t>(uint64_t{std::min(f_.size(), limit_)} * (count_ - window) / limit_);
    return base + random(std::min(window, count_));
  }

  ir::Function& f_;
  uint32_t limit_, count_;
  BlockId block_{};
  uint64_t state_;
};

void diamond(Writer& w) {
  BlockId yes = w.block(), no = w.block(), after = w.block();
  w.branch(yes, no);
  for (BlockId side : {yes, no}) {
    w.at(side);
    w.assign();
    w.jump(after);
  }
  w.at(after);
  w.assign();
}

/// Loops inside each other; the innermost body, then what follows each loop.
void nest(Writer& w, uint32_t depth) {
  std::vector<std::pair<BlockId, BlockId>> open;
  for (uint32_t i = 0; i < depth; ++i) {
    BlockId head = w.block(), body = w.block(), after = w.block();
    w.jump(head);
    w.at(head);
    w.branch(body, after);
    w.at(body);
    w.assign();
    open.push_back({head, after});
  }
  for (; !open.empty(); open.pop_back()) {
    w.assign();
    w.jump(open.back().first);
    w.at(open.back().second);
  }
}

void loop_with_exits(Writer& w) {
  BlockId head = w.block(), body = w.block(), go_on = w.block(), rest = w.block(), leave = w.block(), last = w.block();
  BlockId after = w.block();
  w.jump(head);
  w.at(head);
  w.branch(body, after);
  w.at(body);
  w.assign();
  w.branch(go_on, rest);
  w.at(go_on);
  w.assign();
  w.jump(head);
  w.at(rest);
  w.branch(leave, last);
  w.at(leave);
  w.assign();
  w.jump(after);
  w.at(last);
  w.assign();
  w.jump(head);
  w.at(after);
}

/// A tree of conditions and loops, to a depth of eight.
void random_flow(Writer& w) {
  struct Open {
    bool is_loop;
    BlockId next, after;  ///< loop head, or the second side of a condition until it was taken
    bool second;
  };
  std::vector<Open> open;
  while (!w.full() || !open.empty()) {
    uint32_t choice = w.full() ? 3 : w.random(4);
    if (choice == 0 && open.size() < 8) {
      BlockId yes = w.block(), no = w.block(), after = w.block();
      w.branch(yes, no);
      w.at(yes);
      open.push_back({false, no, after, false});
    } else if (choice == 1 && open.size() < 8) {
      BlockId head = w.block(), body = w.block(), after = w.block();
      w.jump(head);
      w.at(head);
      w.branch(body, after);
      w.at(body);
      open.push_back({true, head, after, false});
    } else if (choice == 3 && !open.empty()) {
      Open& top = open.back();
      w.jump(top.is_loop ? top.next : top.after);
      if (top.is_loop || top.second) {
        w.at(top.after);
        open.pop_back();
      } else {
        w.at(top.next);
        top.second = true;
      }
    } else {
      w.assign();
    }
  }
}

void ladder(Writer& w) {
  BlockId left = w.block(), right = w.block();
  w.branch(left, right);
  while (!w.full()) {
    BlockId next_left = w.block(), next_right = w.block();
    w.at(left);
    w.assign();
    w.branch(right, next_left);
    w.at(right);
    w.assign();
    w.branch(left, next_right);
    left = next_left;
    right = next_right;
  }
  BlockId end = w.block();
  w.at(left);
  w.jump(end);
  w.at(right);
  w.jump(end);
  w.at(end);
}

void wide_join(Writer& w) {
  std::vector<BlockId> sides;
  for (uint32_t i = 0; i < 100'000; ++i) sides.push_back(w.block());
  BlockId after = w.block();
  w.switch_to(sides);
  for (BlockId side : sides) {
    w.at(side);
    w.assign();
    w.jump(after);
  }
  w.at(after);
  for (int i = 0; i < 8; ++i) w.assign();
}

}  // namespace

ir::Function& build(ir::Module& module, Flow flow, uint32_t statements, uint32_t variables, uint64_t seed) {
  ir::Function& f = module.add_function(module.symbol("f"), {{i64, i64}, i64});
  Writer w(f, statements, variables, seed);
  switch (flow) {
    case Flow::straight:
      while (!w.full()) w.assign();
      break;
    case Flow::diamonds:
      while (!w.full()) diamond(w);
      break;
    case Flow::loops:
      while (!w.full()) nest(w, 3);
      break;
    case Flow::exits:
      while (!w.full()) loop_with_exits(w);
      break;
    case Flow::random: random_flow(w); break;
    case Flow::ladder: ladder(w); break;
    case Flow::deep: nest(w, std::max(1u, statements > w.size() ? (statements - w.size()) / 14 : 1)); break;
    case Flow::wide_join: wide_join(w); break;
    case Flow::thousand_loops: nest(w, 1000); break;
  }
  w.ret();
  ir::compact(f);
  return f;
}

double units(const ir::Function& with_variables, const ir::Function& in_ssa) {
  double sum = static_cast<double>(with_variables.size()) + in_ssa.size();
  for (uint32_t i = 0; i < in_ssa.size(); ++i)
    if (const ir::Stmt& s = in_ssa.columns().stmt(i); s.op == Op::phi) sum += in_ssa.operand_count(s);
  return sum;
}

}  // namespace braid::bench
