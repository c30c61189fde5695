// Random programs, run in four ways and by a model: SSA with a phi for every variable in every block (so that phis copy,
// swap and cycle without end), the same with variables, each optimised and traced.
#include <array>
#include <random>

#include "interp_testing.h"
#include "ir/eval_op.h"

namespace braid::interp {
namespace {

using ir::BlockId;
using ir::Op;
using ir::Operand;

constexpr uint32_t variable_count = 6;  // the last one is mixed: i64|f64
constexpr uint32_t mixed = variable_count - 1;

struct Assignment {
  uint32_t to, left, right;
  Op op;              // `same` copies
  int64_t constant;   // used if `right` is variable_count
};
struct Node {
  std::vector<Assignment> assignments;
  enum class End { jump, branch, switch_ } end;
  uint32_t left, right;
  Op compare;
  std::vector<uint32_t> targets;
};
struct Sketch {
  std::vector<Node> nodes;
  std::array<bool, variable_count> starts_undefined;  // unless the input is 0: nothing is undefined on all paths
};

Sketch sketch(std::mt19937& random) {
  auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  constexpr Op ops[] = {Op::add, Op::sub, Op::xor_, Op::smax, Op::same, Op::same, Op::add};
  constexpr Op compares[] = {Op::slt, Op::eq, Op::uge, Op::sle, Op::ne};
  Sketch s;
  s.nodes.resize(2 + below(6));
  for (uint32_t i = 0; i < variable_count; ++i) s.starts_undefined[i] = below(8) == 0;
  for (Node& node : s.nodes) {
    for (uint32_t i = below(5); i > 0; --i) {
      Assignment a{below(variable_count), below(mixed), below(mixed + 2), ops[below(7)], static_cast<int64_t>(below(9)) - 4};
      if (a.right == mixed) a.right = variable_count;
      if (a.right > variable_count) a.right = variable_count;
      node.assignments.push_back(a);
    }
    node.end = static_cast<Node::End>(below(3));
    node.left = below(mixed);
    node.right = below(mixed);
    node.compare = compares[below(5)];
    uint32_t count = node.end == Node::End::jump ? 1 : node.end == Node::End::branch ? 2 : 3;
    for (uint32_t i = 0; i < count; ++i) node.targets.push_back(below(static_cast<uint32_t>(s.nodes.size())));
  }
  return s;
}

/// What the program does: the values of all variables when the fuel is gone, or that it used an undefined one.
std::string model(const Sketch& s, int64_t fuel, int64_t input) {
  struct Slot {
    bool defined;
    Value value;
  };
  std::array<Slot, variable_count> v;
  for (uint32_t i = 0; i < variable_count; ++i) v[i] = {input == 0 || !s.starts_undefined[i], Value(input + int64_t{i})};
  uint32_t at = 0;
  while (fuel-- > 0) {
    const Node& node = s.nodes[at];
    for (const Assignment& a : node.assignments) {
      if (!v[a.left].defined && (a.op != Op::same || a.to == mixed)) return "undefined";
      if (a.op == Op::same) {
        v[a.to] = v[a.left];
        if (a.to == mixed && a.constant > 0) v[a.to].value = Value(static_cast<double>(a.constant));
        continue;
      }
      if (a.right < variable_count && !v[a.right].defined) return "undefined";
      int64_t right = a.right < variable_count ? v[a.right].value.as_i64() : a.constant;
      uint64_t both[] = {v[a.left].value.bits, static_cast<uint64_t>(right)};
      v[a.to] = {true, Value(i64, *ir::fold(a.op, Kind::i64, Kind::i64, both))};
    }
    uint32_t way = 0;
    if (node.end != Node::End::jump) {
      if (!v[node.left].defined || (node.end == Node::End::branch && !v[node.right].defined)) return "undefined";
      uint64_t both[] = {v[node.left].value.bits, v[node.right].value.bits};
      if (node.end == Node::End::branch) way = *ir::fold(node.compare, Kind::i64, Kind::i1, both) ? 0 : 1;
      else way = both[0] == 1 ? 1 : both[0] == 2 ? 2 : 0;
    }
    at = node.targets[way];
  }
  std::string out = "(";
  for (uint32_t i = 0; i < variable_count; ++i) {
    if (!v[i].defined) return "undefined";
    out += (i == 0 ? "" : ", ") + ir::to_string(v[i].value);
  }
  return out + ")";
}

/// Builds `@f(fuel, input)`. Each node is a block that counts the fuel and one that works; both have a phi per variable.
class Build {
 public:
  Build(const Sketch& s, bool ssa) : sketch_(s), ssa_(ssa), m_(std::make_unique<ir::Module>()) {
    std::vector<Type> elements(mixed, i64);
    elements.push_back(i64 | f64);
    Type result = m_->types.tuple(elements);
    f_ = &m_->add_function(m_->symbol("f"), {{i64, i64}, result});
    for (uint32_t i = 0; i <= variable_count; ++i)
      f_->variables.push({m_->symbol("v" + std::to_string(i)), i == mixed ? i64 | f64 : i64, ir::UndefMeaning::reject});

    BlockId entry = f_->new_block();
    for (size_t i = 0; i < 2 * s.nodes.size(); ++i) blocks_.push_back(f_->new_block());
    exit_ = f_->new_block();
    BlockId whole = f_->new_block(), partly = f_->new_block();
    at(entry);
    f_->branch(entry, add(Op::eq, i1, {Operand::param(1), m_->constant(i64, 0)}), whole, partly);
    for (BlockId b : {whole, partly}) {
      at(b);
      for (uint32_t i = 0; i < variable_count; ++i) {
        bool undefined = b == partly && s.starts_undefined[i];
        write(i, undefined ? Operand::undef() : add(Op::add, i64, {Operand::param(1), m_->constant(i64, i)}));
      }
      write(variable_count, Operand::param(0));
      f_->jump(b, blocks_[0]);
      leave();
    }
    for (uint32_t i = 0; i < s.nodes.size(); ++i) build(i);
    finish(result);
  }
  std::unique_ptr<ir::Module> take() { return std::move(m_); }

 private:
  void at(BlockId b) { block_ = b; }
  Operand add(Op op, Type type, std::initializer_list<Operand> operands) {
    return f_->append(block_, f_->make(op, type, operands));
  }
  Type type(uint32_t variable) const { return variable == mixed ? i64 | f64 : i64; }
  Operand read(uint32_t variable) {
    if (ssa_) return now_[variable];
    uint32_t words[] = {variable};
    return f_->append(block_, f_->make(Op::get, type(variable), words));
  }
  void write(uint32_t variable, Operand value) {
    now_[variable] = value;
    if (ssa_) return;
    uint32_t words[] = {variable, value.word()};
    f_->append(block_, f_->make(Op::set, void_type, words));
  }
  /// Remembers what the variables hold at the end of the current block.
  void leave() { ends_.push_back({block_, now_}); }
  void start(BlockId b) {
    at(b);
    if (!ssa_) return;
    // One operand per edge that is there already; each new edge adds one.
    std::vector<uint32_t> operands(f_->block(b).pred_count, Operand::undef().word());
    for (uint32_t i = 0; i <= variable_count; ++i) {
      now_[i] = f_->append(b, f_->make(Op::phi, type(i), operands));
      phis_.push_back({b, i, now_[i]});
    }
  }
  void build(uint32_t number) {
    const Node& node = sketch_.nodes[number];
    BlockId count = blocks_[2 * number], work = blocks_[2 * number + 1];
    start(count);
    Operand fuel = read(variable_count);
    Operand more = add(Op::sgt, i1, {fuel, m_->constant(i64, 0)});
    f_->branch(count, more, work, exit_);
    leave();
    start(work);
    write(variable_count, add(Op::sub, i64, {read(variable_count), m_->constant(i64, 1)}));
    for (const Assignment& a : node.assignments) {
      if (a.op == Op::same) {
        if (a.to != mixed) {
          write(a.to, read(a.left));
          continue;
        }
        Operand left = add(Op::xor_, i64, {read(a.left), m_->constant(i64, 0)});
        if (a.constant > 0)
          write(a.to, m_->constants.get(f64, ir::bits_of(static_cast<double>(a.constant))));
        else
          write(a.to, left);
        continue;
      }
      Operand left = read(a.left);
      Operand right = a.right < variable_count ? read(a.right) : m_->constant(i64, a.constant);
      write(a.to, add(a.op, i64, {left, right}));
    }
    auto target = [&](uint32_t i) { return blocks_[2 * node.targets[i]]; };
    if (node.end == Node::End::jump) {
      f_->jump(work, target(0));
    } else if (node.end == Node::End::branch) {
      Operand left = read(node.left), right = read(node.right);
      f_->branch(work, add(node.compare, i1, {left, right}), target(0), target(1));
    } else {
      ir::Function::Case cases[] = {{m_->constant(i64, 1), target(1)}, {m_->constant(i64, 2), target(2)}};
      f_->switch_on(work, read(node.left), target(0), cases);
    }
    leave();
  }
  void finish(Type result) {
    start(exit_);
    std::vector<uint32_t> words;
    for (uint32_t i = 0; i < variable_count; ++i) words.push_back(read(i).word());
    f_->ret(exit_, f_->append(exit_, f_->make(Op::tuple, result, words)));
    leave();
    for (auto& [block, variable, phi] : phis_) {
      f_->for_each_pred(block, [&](ir::EdgeId e) {
        for (auto& [from, values] : ends_)
          if (from == f_->edge(e).from) f_->set_operand(phi, f_->edge(e).pred_index, values[variable]);
      });
    }
  }

  const Sketch& sketch_;
  bool ssa_;
  std::unique_ptr<ir::Module> m_;
  ir::Function* f_ = nullptr;
  std::vector<BlockId> blocks_;
  BlockId exit_{}, block_{};
  using Values = std::array<Operand, variable_count + 1>;
  Values now_{};
  std::vector<std::pair<BlockId, Values>> ends_;
  struct Phi {
    BlockId block;
    uint32_t variable;
    Operand phi;
  };
  std::vector<Phi> phis_;
};

std::string shown(const Outcome& outcome) {
  if (outcome.kind != OutcomeKind::trap) return to_string(outcome);
  bool undefined = outcome.message.starts_with("use of undef") || outcome.message.starts_with("undefined variable");
  return undefined ? "undefined" : to_string(outcome);
}

TEST(InterpRandom, FourWaysAndAModelAgree) {
  int undefined = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    Sketch s = sketch(random);
    Program ssa(Build(s, true).take()), variables(Build(s, false).take());
    for (int64_t fuel : {0, 1, 2, 3, 7, 40}) {
      for (int64_t input : {-3, 0, 2}) {
        std::vector<Value> arguments = {Value(fuel), Value(input)};
        std::string want = model(s, fuel, input);
        undefined += want == "undefined";
        for (bool trace : {false, true}) {
          ASSERT_EQ(shown(ssa.outcome("f", arguments, trace)), want) << "seed " << seed << ", traced " << trace;
          // A copy of an undefined variable is a use of it there.
          std::string with_variables = shown(variables.outcome("f", arguments, trace));
          if (with_variables != "undefined") {
            ASSERT_EQ(with_variables, want) << "seed " << seed;
          }
        }
      }
    }
  }
  EXPECT_GT(undefined, 100) << "undef is tried, too";
  EXPECT_LT(undefined, 400 * 18 * 9 / 10);
}

}  // namespace
}  // namespace braid::interp
