// The walk over the tree.
#include "tree.h"

namespace braid::simple_testing {

std::string_view name_of(Kind kind) {
  constexpr std::string_view names[] = {
      "number",     "variable", "-x",  "!x",    "+",     "-",        "*",      "/",         "%",
      "==",         "!=",       "<",   "<=",    ">",     ">=",       "&",      "|",         "^",
      "<<",         ">>",       ">>>", "?:",    "&&",    "||",       "call",   "empty",     "declaration",
      "assignment", "block",    "if",  "while", "break", "continue", "return", "expression",
      "++",         "--",       "op=", "for",   "int x;", "#showGraph"};
  static_assert(std::size(names) == static_cast<size_t>(Kind::count));
  return names[static_cast<size_t>(kind)];
}

std::string to_string(const TreeOutcome& outcome) {
  switch (outcome.kind) {
    case TreeOutcome::Kind::value: return std::to_string(outcome.value);
    case TreeOutcome::Kind::fallthrough: return "fallthrough";
    case TreeOutcome::Kind::timeout: break;
  }
  return "timeout";
}

void TreeProgram::clear() {
  trees.clear();
  functions.clear();
  error.clear();
  error_offset = 0;
  early_calls.clear();
  undecided = false;
}

TreeOutcome TreeInterpreter::run(const TreeProgram& program, int64_t argument) {
  program_ = &program;
  trees_ = program.trees.data();
  back_edges_ = calls_ = 0;
  depth_ = 1;
  timeout_ = false;
  base_ = 0;
  slots_.assign(program.functions[0].slots, 0);
  slots_[0] = argument;
  switch (statements(program.functions[0].body)) {
    case Flow::return_: return {TreeOutcome::Kind::value, result_};
    case Flow::timeout: return {TreeOutcome::Kind::timeout, 0};
    default: return {TreeOutcome::Kind::fallthrough, 0};
  }
}

TreeInterpreter::Flow TreeInterpreter::statements(int32_t at) {
  while (at >= 0) {
    const Tree& tree = trees_[at];
    if (Flow flow = statement(tree); flow != Flow::next) return flow;
    at = tree.next;
  }
  return Flow::next;
}

TreeInterpreter::Flow TreeInterpreter::statement(const Tree& tree) {
  ++executed[static_cast<size_t>(tree.kind)];
  if (tree.form != Kind::count) ++executed[static_cast<size_t>(tree.form)];
  switch (tree.kind) {
    case Kind::declare:
    case Kind::assign: {
      int64_t computed = value(tree.a);
      if (timeout_) return Flow::timeout;
      slots_[base_ + static_cast<size_t>(tree.value)] = computed;
      return Flow::next;
    }
    case Kind::evaluate: value(tree.a); return timeout_ ? Flow::timeout : Flow::next;
    case Kind::block: return statements(tree.a);
    case Kind::if_: {
      bool truth = value(tree.a) != 0;
      if (timeout_) return Flow::timeout;
      return truth ? statements(tree.b) : statements(tree.c);
    }
    case Kind::while_:
      for (;;) {
        bool truth = value(tree.a) != 0;
        if (timeout_) return Flow::timeout;
        if (!truth) return Flow::next;
        Flow flow = statements(tree.b);
        if (flow == Flow::break_) return Flow::next;
        if (flow == Flow::return_ || flow == Flow::timeout) return flow;
        if (tree.c >= 0 && statements(tree.c) == Flow::timeout) return Flow::timeout;
        if (++back_edges_ > limits.back_edges) return Flow::timeout;
      }
    case Kind::break_: return Flow::break_;
    case Kind::continue_: return Flow::continue_;
    case Kind::return_: result_ = value(tree.a); return timeout_ ? Flow::timeout : Flow::return_;
    default: return Flow::next;
  }
}

int64_t TreeInterpreter::operation(const Tree& tree) {
  ++executed[static_cast<size_t>(tree.kind)];
  if (tree.form != Kind::count) ++executed[static_cast<size_t>(tree.form)];
  if (tree.kind == Kind::call) return call(tree);
  const int64_t x = value(tree.a);
  if (timeout_) return 0;
  const uint64_t u = static_cast<uint64_t>(x);
  switch (tree.kind) {
    case Kind::assign: return slots_[base_ + static_cast<size_t>(tree.value)] = x;
    case Kind::choice: return value(x != 0 ? tree.b : tree.c);
    case Kind::and_then: return x != 0 ? value(tree.b) : 0;
    case Kind::or_else: return x != 0 ? x : value(tree.b);
    case Kind::negate: return static_cast<int64_t>(~u + 1);
    case Kind::not_: return x == 0 ? 1 : 0;
    default: break;
  }
  int64_t y = value(tree.b);
  uint64_t v = static_cast<uint64_t>(y);
  switch (tree.kind) {
    case Kind::add: return static_cast<int64_t>(u + v);
    case Kind::sub: return static_cast<int64_t>(u - v);
    case Kind::mul: return static_cast<int64_t>(u * v);
    case Kind::div:
      if (y == 0) return 0;
      return y == -1 ? static_cast<int64_t>(~u + 1) : x / y;
    case Kind::mod: return y == 0 || y == -1 ? 0 : x % y;
    case Kind::equal: return x == y;
    case Kind::not_equal: return x != y;
    case Kind::less: return x < y;
    case Kind::less_equal: return x <= y;
    case Kind::greater: return x > y;
    case Kind::greater_equal: return x >= y;
    case Kind::bit_and: return x & y;
    case Kind::bit_or: return x | y;
    case Kind::bit_xor: return x ^ y;
    case Kind::shift_left: return static_cast<int64_t>(u << (v % 64));
    case Kind::shift_right:
      return x >= 0 ? static_cast<int64_t>(u >> (v % 64)) : static_cast<int64_t>(~(~u >> (v % 64)));
    case Kind::shift_right_logical: return static_cast<int64_t>(u >> (v % 64));
    default: return 0;
  }
}

int64_t TreeInterpreter::call(const Tree& tree) {
  const TreeFunction& callee = program_->functions[static_cast<size_t>(tree.value)];
  int64_t arguments[16] = {};
  size_t count = 0;
  for (int32_t at = tree.a; at >= 0; at = trees_[at].next) {
    arguments[count++] = value(trees_[at].a);
    if (timeout_) return 0;
  }
  if (++calls_ > limits.calls || depth_ >= limits.depth) {
    timeout_ = true;
    return 0;
  }
  size_t caller = base_;
  base_ = slots_.size();
  slots_.resize(base_ + callee.slots, 0);
  for (size_t i = 0; i < count; ++i) slots_[base_ + i] = arguments[i];
  ++depth_;
  Flow flow = statements(callee.body);
  --depth_;
  slots_.resize(base_);
  base_ = caller;
  if (flow == Flow::timeout) timeout_ = true;
  return flow == Flow::return_ ? result_ : 0;
}

}  // namespace braid::simple_testing
