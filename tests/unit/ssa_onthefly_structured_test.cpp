// Random structured programs with loops, exceptions and undefined variables, once through the structured form of the
// Builder and once through labels: running the SSA gives what running the program over variables gives; handlers see the
// right values; no phi and no phi_c is left that is not needed.
#include <braid/braid.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "ir/function.h"
#include "ssa_flow_oracle.h"

namespace braid {
namespace {

enum class Meaning : uint8_t { param, zero, throws };

struct Node {
  enum class Kind : uint8_t {
    read, write, compute, copy, unset, is_defined, check, throw_, rethrow,
    if_, if_else, while_, loop, break_, continue_, ret, try_
  } kind;
  uint32_t variable = 0, other = 0;
  uint32_t shift = 0;
  int64_t number = 0;
  std::vector<Node> first = {}, second = {};  ///< then and else, body and handler
};
using Kind = Node::Kind;
using Nodes = std::vector<Node>;

struct Program {
  std::vector<Meaning> variables;
  Nodes body;
};

struct Features {
  bool exceptions = true;
  bool equal_values = true;  ///< copies and unset
  bool plain = false;        ///< nothing that cannot be reached, no variable that is checked
};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}
  uint32_t below(uint32_t n) { return std::uniform_int_distribution<uint32_t>(0, n - 1)(random_); }

  Program make(const Features& features) {
    features_ = features;
    Program program;
    uint32_t variables = 1 + below(5);
    constexpr Meaning meanings[] = {Meaning::param, Meaning::param, Meaning::zero, Meaning::throws};
    for (uint32_t v = 0; v < variables; ++v) {
      program.variables.push_back(meanings[below(features.plain ? 3 : 4)]);
      if (below(2) == 0) program.body.push_back({Kind::write, v, 0, 0, ++number_});
    }
    variables_ = &program.variables;
    left_ = static_cast<int>(5 + below(80));
    while (left_ > 0) append(program.body, 0, false, false);
    return program;
  }

 private:
  void append(Nodes& list, int depth, bool in_loop, bool in_handler) {
    --left_;
    uint32_t count = static_cast<uint32_t>(variables_->size());
    Node node{Kind::read, below(count), below(count), below(16), ++number_};
    uint32_t kind = below(100);
    auto fill = [&](Nodes& nodes, bool loop, bool handler) {
      for (uint32_t n = 1 + below(5); n > 0 && left_ > 0; --n) append(nodes, depth + 1, loop, handler);
    };
    bool is_param = (*variables_)[node.variable] == Meaning::param;
    if (kind < 20) {
      node.kind = Kind::read;
    } else if (kind < 40) {
      node.kind = below(2) == 0 ? Kind::write : Kind::compute;
    } else if (kind < 46 && features_.equal_values) {
      node.kind = is_param || below(2) == 0 ? Kind::copy : Kind::unset;
    } else if (kind < 49) {
      node.kind = Kind::is_defined;
    } else if (kind < 59 && features_.exceptions) {
      node.kind = Kind::check;
    } else if (kind < 61 && features_.exceptions) {
      node.kind = in_handler && below(2) == 0 ? Kind::rethrow : Kind::throw_;
    } else if (kind < 65) {
      node.kind = !in_loop ? Kind::read : below(2) == 0 ? Kind::break_ : Kind::continue_;
    } else if (kind < 66) {
      node.kind = Kind::ret;
    } else if (depth > 6) {
      node.kind = Kind::write;
    } else if (kind < 74) {
      node.kind = Kind::if_;
      fill(node.first, in_loop, in_handler);
    } else if (kind < 81) {
      node.kind = Kind::if_else;
      fill(node.first, in_loop, in_handler);
      fill(node.second, in_loop, in_handler);
    } else if (kind < 89) {
      node.kind = below(2) == 0 ? Kind::while_ : Kind::loop;
      if (features_.plain && node.kind == Kind::loop) {
        Node guard{Kind::if_, below(count), 0, below(16), ++number_};
        guard.first.push_back({Kind::break_});
        node.first.push_back(std::move(guard));
      }
      fill(node.first, true, in_handler);
    } else if (features_.exceptions) {
      node.kind = Kind::try_;
      fill(node.first, in_loop, in_handler);
      if (below(4) != 0) node.first.push_back({Kind::check, 0, 0, below(16), ++number_});
      fill(node.second, in_loop, true);
    }
    // A jump is mostly taken on a condition; without one, the rest of the list is dead code.
    bool jumps = node.kind == Kind::break_ || node.kind == Kind::continue_ || node.kind == Kind::ret ||
                 node.kind == Kind::throw_ || node.kind == Kind::rethrow;
    if (jumps && (features_.plain || below(8) != 0)) {
      Node guard{Kind::if_, below(count), 0, below(16), ++number_};
      guard.first.push_back(std::move(node));
      node = std::move(guard);
    }
    list.push_back(std::move(node));
  }

  std::mt19937_64 random_;
  Features features_;
  std::vector<Meaning>* variables_ = nullptr;
  int left_ = 0;
  int64_t number_ = 1000;
};

std::string name_of(uint32_t variable) { return "v" + std::to_string(variable); }

// ---- through the Builder ----

/// What both forms share: statements without control flow.
class Driver {
 public:
  Driver(Module& m, const Program& program) : program_(program), b_(m, "f", params(program), i64) {
    m.add_global("log", 8);
    m.add_global("fuel", 8);
    log_ = b_.global("log");
    fuel_ = b_.global("fuel");
    b_.store(b_.param("log"), *log_);
    b_.store(b_.param("fuel"), *fuel_);
    for (uint32_t v = 0; v < program.variables.size(); ++v) {
      Meaning meaning = program.variables[v];
      Undefined undefined = meaning == Meaning::zero ? Undefined::zero : Undefined::throws;
      variables_.push_back(std::unique_ptr<Var>(
          new Var(meaning == Meaning::param ? b_.param(name_of(v)) : b_.var(name_of(v), i64, undefined))));
    }
  }
  virtual ~Driver() = default;
  Expected<Func*> build() {
    emit(program_.body);
    b_.ret(b_.load(i64, *log_));
    return b_.try_done();
  }

 protected:
  static std::vector<Param> params(const Program& program) {
    std::vector<Param> list = {{"log", i64}, {"fuel", i64}};
    for (uint32_t v = 0; v < program.variables.size(); ++v)
      if (program.variables[v] == Meaning::param) list.push_back({name_of(v), i64});
    return list;
  }
  Var& variable(uint32_t v) { return *variables_[v]; }
  Val log() { return b_.load(i64, *log_); }
  void note(Val value) { b_.store(log() * 31 + value, *log_); }
  Val bit(const Node& node) {
    Val source = node.number % 3 == 0 ? variable(node.variable).get() : log();
    return b_.convert("trunc", source >> node.shift, i1);
  }
  Val has_fuel() {
    Val left = b_.load(i64, *fuel_);
    b_.store(left - 1, *fuel_);
    return left > 0;
  }
  void emit(const Nodes& nodes) {
    for (const Node& node : nodes) emit(node);
  }
  void emit(const Node& node) {
    switch (node.kind) {
      case Kind::read: note(variable(node.variable)); break;
      case Kind::write: variable(node.variable) = log() ^ node.number; break;
      case Kind::compute: variable(node.variable) = variable(node.other) + node.number; break;
      case Kind::copy: variable(node.variable) = variable(node.other); break;
      case Kind::unset: b_.unset(variable(node.variable)); break;
      case Kind::is_defined: note(b_.convert("zext", b_.is_defined(variable(node.variable)), i64)); break;
      case Kind::check: b_.op("check_zero", {(log() >> node.shift) & 3}); break;
      case Kind::throw_: b_.throw_(b_.op("box", {b_.constant(i64, node.number)})); break;
      case Kind::rethrow: b_.throw_(exceptions_.back()); break;
      default: emit_flow(node);
    }
  }
  virtual void emit_flow(const Node& node) = 0;

  const Program& program_;
  Builder b_;
  std::optional<Val> log_, fuel_;
  std::vector<std::unique_ptr<Var>> variables_;
  std::vector<Val> exceptions_;  ///< of the open handlers
};

class StructuredDriver : public Driver {
 public:
  using Driver::Driver;

 private:
  void emit_flow(const Node& node) override {
    auto first = [&] { emit(node.first); };
    auto second = [&] { emit(node.second); };
    switch (node.kind) {
      case Kind::if_: b_.if_(bit(node), first); break;
      case Kind::if_else: b_.if_(bit(node), first, second); break;
      case Kind::while_:
        b_.while_(
            [&] {
              Val fuel = has_fuel();
              return fuel & bit(node);
            },
            first);
        break;
      case Kind::loop:
        b_.loop([&] {
          b_.if_(has_fuel(), [] {}, [&] { b_.ret(log()); });
          first();
        });
        break;
      case Kind::break_: b_.break_(); break;
      case Kind::continue_: b_.continue_(); break;
      case Kind::ret: b_.ret(log()); break;
      default:
        b_.try_(first, [&](Val exception) {
          note(b_.constant(i64, node.number));
          exceptions_.push_back(exception);
          second();
          exceptions_.pop_back();
        });
    }
  }
};

class GotoDriver : public Driver {
 public:
  using Driver::Driver;

 private:
  struct Loop {
    Label head, out;
    size_t tokens;
  };
  void leave(size_t count) {
    for (size_t i = tokens_.size(); i-- > count;) b_.leave(tokens_[i]);
  }
  void ret() {
    Val value = log();
    leave(0);
    b_.ret(value);
  }
  void emit_flow(const Node& node) override {
    switch (node.kind) {
      case Kind::if_:
      case Kind::if_else: {
        Label then = b_.label(), otherwise = b_.label(), after = b_.label();
        b_.branch(bit(node), then, otherwise);
        b_.at(otherwise);
        emit(node.second);
        b_.jump(after);
        b_.at(then);
        emit(node.first);
        b_.jump(after);
        b_.at(after);
        break;
      }
      case Kind::while_:
      case Kind::loop: {
        Label head = b_.label(), body = b_.label(), out = b_.label(), empty = b_.label();
        b_.jump(head);
        b_.at(head);
        Val fuel = has_fuel();
        if (node.kind == Kind::while_) {
          b_.branch(fuel & bit(node), body, out);
        } else {
          b_.branch(fuel, body, empty);
          b_.at(empty);
          ret();
        }
        b_.at(body);
        loops_.push_back({head, out, tokens_.size()});
        emit(node.first);
        loops_.pop_back();
        b_.jump(head);
        b_.at(out);
        break;
      }
      case Kind::break_:
        leave(loops_.back().tokens);
        b_.jump(loops_.back().out);
        break;
      case Kind::continue_:
        leave(loops_.back().tokens);
        b_.jump(loops_.back().head);
        break;
      case Kind::ret: ret(); break;
      default: {
        Label handler = b_.handler_label(), body = b_.label(), after = b_.label();
        Val token = b_.enter(handler, body);
        b_.at(body);
        tokens_.push_back(token);
        emit(node.first);
        tokens_.pop_back();
        b_.leave(token);
        b_.jump(after);
        b_.at(handler);
        exceptions_.push_back(b_.the_exception());
        b_.pop_exception(token);
        note(b_.constant(i64, node.number));
        emit(node.second);
        exceptions_.pop_back();
        b_.jump(after);
        b_.at(after);
      }
    }
  }

  std::vector<Loop> loops_;
  std::vector<Val> tokens_;
};

// ---- over variables ----

class Model {
 public:
  Model(const Program& program, int64_t log, int64_t fuel, std::span<const int64_t> params)
      : program_(program), log_(static_cast<uint64_t>(log)), fuel_(fuel) {
    for (Meaning meaning : program.variables) {
      values_.push_back(meaning == Meaning::throws ? std::nullopt : std::optional<uint64_t>(0));
      if (meaning != Meaning::param) continue;
      values_.back() = static_cast<uint64_t>(params.front());
      params = params.subspan(1);
    }
  }
  std::string run() {
    End end = execute(program_.body);
    return end == End::throws ? "throws " + exception_ : std::to_string(static_cast<int64_t>(log_));
  }
  int handlers_entered() const { return handlers_entered_; }

 private:
  enum class End { goes_on, breaks, continues, returns, throws };

  bool read(uint32_t v, uint64_t& value) {
    if (!values_[v]) exception_ = "undefined '" + name_of(v) + "'";
    value = values_[v].value_or(0);
    return values_[v].has_value();
  }
  bool bit(const Node& node, bool& value) {
    uint64_t source = log_;
    if (node.number % 3 == 0 && !read(node.variable, source)) return false;
    value = (source >> node.shift & 1) != 0;
    return true;
  }
  void note(uint64_t value) { log_ = log_ * 31 + value; }

  End execute(const Nodes& nodes) {
    for (const Node& node : nodes)
      if (End end = execute(node); end != End::goes_on) return end;
    return End::goes_on;
  }
  End execute(const Node& node) {
    uint64_t value = 0;
    bool choice = false;
    switch (node.kind) {
      case Kind::read:
        if (!read(node.variable, value)) return End::throws;
        note(value);
        return End::goes_on;
      case Kind::write: values_[node.variable] = log_ ^ static_cast<uint64_t>(node.number); return End::goes_on;
      case Kind::compute:
      case Kind::copy:
        if (!read(node.other, value)) return End::throws;
        values_[node.variable] = node.kind == Kind::copy ? value : value + static_cast<uint64_t>(node.number);
        return End::goes_on;
      case Kind::unset:
        values_[node.variable] = std::nullopt;
        if (program_.variables[node.variable] == Meaning::zero) values_[node.variable] = 0;
        return End::goes_on;
      case Kind::is_defined: note(values_[node.variable].has_value()); return End::goes_on;
      case Kind::check:
        if ((log_ >> node.shift & 3) != 0) return End::goes_on;
        exception_ = "zero";
        return End::throws;
      case Kind::throw_: exception_ = "box " + std::to_string(node.number); return End::throws;
      case Kind::rethrow: exception_ = handled_.back(); return End::throws;
      case Kind::if_:
      case Kind::if_else:
        if (!bit(node, choice)) return End::throws;
        return execute(choice ? node.first : node.second);
      case Kind::while_:
      case Kind::loop: return execute_loop(node);
      case Kind::break_: return End::breaks;
      case Kind::continue_: return End::continues;
      case Kind::ret: return End::returns;
      case Kind::try_: {
        End end = execute(node.first);
        if (end != End::throws) return end;
        ++handlers_entered_;
        note(static_cast<uint64_t>(node.number));
        handled_.push_back(exception_);
        end = execute(node.second);
        handled_.pop_back();
        return end;
      }
    }
    return End::goes_on;
  }
  End execute_loop(const Node& node) {
    for (;;) {
      bool has_fuel = fuel_-- > 0;
      bool goes_on = true;
      if (node.kind == Kind::while_) {
        if (!bit(node, goes_on)) return End::throws;
        if (!(goes_on && has_fuel)) return End::goes_on;
      } else if (!has_fuel) {
        return End::returns;
      }
      End end = execute(node.first);
      if (end == End::breaks) return End::goes_on;
      if (end == End::returns || end == End::throws) return end;
    }
  }

  const Program& program_;
  uint64_t log_;
  int64_t fuel_;
  std::vector<std::optional<uint64_t>> values_;
  std::string exception_;
  std::vector<std::string> handled_;
  int handlers_entered_ = 0;
};

// ---- as the oracle sees it ----

class FlowOf {
 public:
  explicit FlowOf(const Program& program) {
    model.variable_count = static_cast<uint32_t>(program.variables.size());
    at_ = block();
    visit(program.body);
  }
  FlowModel model;

 private:
  uint32_t block() {
    model.blocks.emplace_back();
    return static_cast<uint32_t>(model.blocks.size() - 1);
  }
  void edge(uint32_t from, uint32_t to) { model.blocks[from].successors.push_back(to); }
  void access(bool is_write, uint32_t variable) { model.blocks[at_].accesses.push_back({is_write, variable}); }
  void condition(const Node& node) {
    if (node.number % 3 == 0) access(false, node.variable);
  }
  void visit(const Nodes& nodes) {
    for (const Node& node : nodes) visit(node);
  }
  void visit(const Node& node) {
    switch (node.kind) {
      case Kind::read: access(false, node.variable); break;
      case Kind::write: access(true, node.variable); break;
      case Kind::compute:
        access(false, node.other);
        access(true, node.variable);
        break;
      case Kind::if_:
      case Kind::if_else: {
        condition(node);
        uint32_t then = block(), otherwise = block(), after = block();
        edge(at_, then);
        edge(at_, otherwise);
        at_ = then;
        visit(node.first);
        edge(at_, after);
        at_ = otherwise;
        visit(node.second);
        edge(at_, after);
        at_ = after;
        break;
      }
      case Kind::while_:
      case Kind::loop: {
        uint32_t head = block(), body = block(), out = block();
        edge(at_, head);
        at_ = head;
        if (node.kind == Kind::while_) {
          condition(node);
          edge(head, out);
        }
        edge(head, body);
        at_ = body;
        loops_.push_back({head, out});
        visit(node.first);
        loops_.pop_back();
        edge(at_, head);
        at_ = out;
        break;
      }
      case Kind::break_:
        edge(at_, loops_.back().second);
        at_ = block();
        break;
      case Kind::continue_:
        edge(at_, loops_.back().first);
        at_ = block();
        break;
      case Kind::ret: at_ = block(); break;
      default: break;
    }
  }
  uint32_t at_ = 0;
  std::vector<std::pair<uint32_t, uint32_t>> loops_;
};

/// By definition: a phi or phi_c is needed if there is no single value through which everything comes that reaches it, and
/// if something other than phis uses it in the end. Answers what is not needed.
std::string needless_phis(const Func& f) {
  if (phi_count(f) == 0) return "";
  std::map<uint32_t, std::vector<uint32_t>> inputs;  // phi -> words of what flows in
  std::set<uint32_t> values;
  std::deque<uint32_t> used;
  for (uint32_t i = 0; i < f.size(); ++i) {
    ir::Operand id = static_cast<ir::Ref>(i);
    const ir::Stmt& stmt = f.stmt(id);
    if (ir::is_phi_like(stmt.op)) {
      for (uint32_t word : f.args(stmt)) {
        ir::Operand operand = ir::Operand::from_word(word);
        inputs[id.word()].push_back(stmt.op == ir::Op::phi ? word : f.operand(operand, 0).word());
        values.insert(inputs[id.word()].back());
      }
    } else if (stmt.op != ir::Op::upsilon) {
      for (uint32_t n = 0; n < f.operand_count(stmt); ++n)
        if (ir::info(stmt.op).is_value(n)) used.push_back(f.arg(stmt, n));
    }
  }
  auto reached_without = [&](uint32_t removed) {
    std::set<uint32_t> reached;
    for (uint32_t value : values)
      if (!inputs.contains(value) && value != removed) reached.insert(value);
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [phi, words] : inputs)
        if (phi != removed && !reached.contains(phi) &&
            std::any_of(words.begin(), words.end(), [&](uint32_t word) { return reached.contains(word); }))
          changed = reached.insert(phi).second;
    }
    return reached;
  };
  std::string needless;
  for (uint32_t removed : values) {
    std::set<uint32_t> reached = reached_without(removed);
    for (const auto& [phi, words] : inputs)
      if (phi != removed && !reached.contains(phi)) needless += " %" + std::to_string(phi) + " is one value;";
  }
  std::set<uint32_t> needed;
  while (!used.empty()) {
    uint32_t word = used.front();
    used.pop_front();
    if (inputs.contains(word) && needed.insert(word).second) used.insert(used.end(), inputs[word].begin(), inputs[word].end());
  }
  for (const auto& [phi, words] : inputs)
    if (!needed.contains(phi)) needless += " %" + std::to_string(phi) + " is not used;";
  return needless;
}

std::unique_ptr<Driver> driver(bool structured, Module& m, const Program& program) {
  if (structured) return std::make_unique<StructuredDriver>(m, program);
  return std::make_unique<GotoDriver>(m, program);
}

uint32_t count_op(const Func& f, ir::Op op) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < f.size(); ++i) count += f.columns().stmt(i).op == op;
  return count;
}

TEST(OnTheFlyStructured, PhisAreThoseOfMinimalPrunedSsa) {
  constexpr int programs = 3000;
  double phis = 0, blocks = 0, dead = 0;
  for (int seed = 0; seed < programs; ++seed) {
    Generator random(static_cast<uint64_t>(seed));
    Program program = random.make({false, false});
    FlowModel model = FlowOf(program).model;
    std::vector<uint32_t> expected;
    for (const std::vector<bool>& of_block : model.minimal_phis())
      if (uint32_t count = static_cast<uint32_t>(std::count(of_block.begin(), of_block.end(), true)); count > 0)
        expected.push_back(count);
    std::sort(expected.begin(), expected.end());
    for (bool structured : {true, false}) {
      Module m;
      Expected<Func*> f = driver(structured, m, program)->build();
      ASSERT_TRUE(f) << "seed " << seed << "\n" << render(f.error());
      std::map<uint32_t, uint32_t> by_block;
      for (uint32_t i = 0; i < (*f)->size(); ++i)
        if ((*f)->columns().stmt(i).op == ir::Op::phi && (*f)->columns().type(i) == i64)
          ++by_block[index((*f)->block_of(static_cast<ir::Ref>(i)))];
      std::vector<uint32_t> found;
      for (const auto& [block, count] : by_block) found.push_back(count);
      std::sort(found.begin(), found.end());
      ASSERT_EQ(found, expected) << "seed " << seed << (structured ? " structured\n" : " labels\n") << to_text(**f);
      ASSERT_EQ(needless_phis(**f), "") << "seed " << seed << "\n" << to_text(**f);
      phis += phi_count(**f);
      blocks += block_count(**f);
    }
    std::vector<bool> reachable = model.reachable();
    dead += std::count(reachable.begin(), reachable.end(), false) > 0;
  }
  std::printf("%.1f blocks and %.1f phis each, %.0f%% with dead code\n", blocks / (2 * programs), phis / (2 * programs),
              100 * dead / programs);
  EXPECT_GT(phis / (2 * programs), 4);
  EXPECT_GT(blocks / (2 * programs), 10);
  EXPECT_GT(dead / programs, 0.3);
}

/// Programs that never leave the construction of structured code. The model knows nothing of copies.
TEST(OnTheFlyStructured, PlainPrograms) {
  constexpr int programs = 3000;
  double phis = 0, blocks = 0;
  for (int seed = 0; seed < programs; ++seed) {
    Generator random(2000000 + static_cast<uint64_t>(seed));
    bool equal_values = seed % 2 == 0;
    Program program = random.make({false, equal_values, true});
    FlowModel model = FlowOf(program).model;
    uint32_t expected = 0;
    for (const std::vector<bool>& of_block : model.minimal_phis())
      expected += static_cast<uint32_t>(std::count(of_block.begin(), of_block.end(), true));
    Module m;
    Expected<Func*> built = driver(true, m, program)->build();
    ASSERT_TRUE(built) << "seed " << seed << "\n" << render(built.error());
    const Func& f = **built;
    if (!equal_values) {
      ASSERT_EQ(phi_count(f), expected) << "seed " << seed << "\n" << to_text(f);
      ASSERT_EQ(needless_phis(f), "") << "seed " << seed << "\n" << to_text(f);
    }
    for (int r = 0; r < 4; ++r) {
      int64_t log = random.below(1u << 30), fuel = random.below(40);
      std::vector<int64_t> params;
      std::vector<Value> arguments = {Value(log), Value(fuel)};
      for (Meaning meaning : program.variables)
        if (meaning == Meaning::param) {
          params.push_back(static_cast<int64_t>(random.below(1u << 31)) - (1 << 30));
          arguments.push_back(Value(params.back()));
        }
      ASSERT_EQ(run(f, arguments).message, Model(program, log, fuel, params).run()) << "seed " << seed << "\n" << to_text(f);
    }
    phis += phi_count(f);
    blocks += block_count(f);
  }
  std::printf("%.1f blocks and %.1f phis each\n", blocks / programs, phis / programs);
  EXPECT_GT(phis / programs, 4);
  EXPECT_GT(blocks / programs, 10);
}

TEST(OnTheFlyStructured, RunsAsTheProgramOverVariables) {
  constexpr int programs = 3000, runs = 4;
  double handlers = 0, values = 0, undefined = 0, boxes = 0, zeros = 0, phi_cs = 0, upsilons = 0, with_try = 0, total = 0;
  for (int seed = 0; seed < programs; ++seed) {
    Generator random(1000000 + static_cast<uint64_t>(seed));
    bool equal_values = seed % 2 == 0;
    Program program = random.make({true, equal_values});
    Module m[2];
    Func* functions[2];
    for (bool structured : {false, true}) {
      Expected<Func*> f = driver(structured, m[structured], program)->build();
      ASSERT_TRUE(f) << "seed " << seed << (structured ? " structured\n" : " labels\n") << render(f.error());
      functions[structured] = *f;
      if (!equal_values) {
        ASSERT_EQ(needless_phis(**f), "") << "seed " << seed << "\n" << to_text(**f);
      }
      with_try += count_op(**f, ir::Op::enter) > 0;
      phi_cs += count_op(**f, ir::Op::phi_c);
      upsilons += count_op(**f, ir::Op::upsilon);
    }
    ASSERT_EQ(phi_count(*functions[0]), phi_count(*functions[1]))
        << "seed " << seed << "\n" << to_text(*functions[0]) << to_text(*functions[1]);
    for (int r = 0; r < runs; ++r) {
      int64_t log = random.below(1u << 30), fuel = random.below(40);
      std::vector<int64_t> params;
      std::vector<Value> arguments = {Value(log), Value(fuel)};
      for (Meaning meaning : program.variables)
        if (meaning == Meaning::param) {
          params.push_back(static_cast<int64_t>(random.below(1u << 31)) - (1 << 30));
          arguments.push_back(Value(params.back()));
        }
      Model model(program, log, fuel, params);
      std::string expected = model.run();
      for (Func* f : functions)
        ASSERT_EQ(run(*f, arguments).message, expected)
            << "seed " << seed << (f == functions[1] ? " structured\n" : " labels\n") << to_text(*f);
      ++total;
      handlers += model.handlers_entered() > 0;
      values += !expected.starts_with("throws");
      undefined += expected.starts_with("throws undefined");
      boxes += expected.starts_with("throws box");
      zeros += expected == "throws zero";
    }
  }
  std::printf("%.0f%% with try, %.1f phi_cs, %.1f upsilons each; ran into a handler %.0f%%; ended with a value %.0f%%, "
              "undefined %.0f%%, thrown box %.0f%%, failed check %.0f%%\n",
              50 * with_try / programs, phi_cs / (2 * programs), upsilons / (2 * programs), 100 * handlers / total,
              100 * values / total, 100 * undefined / total, 100 * boxes / total, 100 * zeros / total);
  EXPECT_GT(with_try / (2 * programs), 0.4);
  EXPECT_GT(phi_cs / (2 * programs), 0.5);
  EXPECT_GT(handlers / total, 0.15);
  EXPECT_GT(values / total, 0.2);
  EXPECT_GT(undefined / total, 0.1);
  EXPECT_GT(boxes / total, 0.02);
  EXPECT_GT(zeros / total, 0.1);
}

}  // namespace
}  // namespace braid
