// What Simple programs mean, told by a tree: the independent side of the tests. Nothing here shares code with
// the front end, the graphs or the op table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace braid::simple_testing {

enum class Dialect : uint8_t { simple8, simple };

enum class Kind : uint8_t {
  // expressions
  number,
  variable,
  negate,
  not_,
  add,
  sub,
  mul,
  div,
  mod,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  shift_right_logical,
  choice,
  and_then,
  or_else,
  call,
  // statements
  empty,
  declare,
  assign /* is also an expression */,
  block,
  if_,
  while_,
  break_,
  continue_,
  return_,
  evaluate,
  // what is made of those above, counted beside them
  increment,
  decrement,
  update,
  for_,
  declare_empty,
  show_graph,
  count
};
std::string_view name_of(Kind kind);

/// Children are indices; -1 is "none". Statements of a block hang together by `next`.
struct Tree {
  Kind kind;
  Kind form = Kind::count;         ///< how it was written, if that is another kind
  int32_t a = -1, b = -1, c = -1;  ///< operands; of `while_`: condition, body, step of a `for`
  int32_t next = -1;               ///< the next statement, or the next argument of a call
  int64_t value = 0;               ///< a number, the slot of a variable, the number of a function
};

struct TreeFunction {
  std::string name;
  uint32_t parameters = 1;
  uint32_t slots = 0;
  int32_t body = -1;  ///< the first statement
};

struct TreeProgram {
  std::vector<Tree> trees;
  std::vector<TreeFunction> functions;  ///< the first one is the program itself
  std::string error;                    ///< of a program that is not valid
  size_t error_offset = 0;
  std::vector<size_t> early_calls;  ///< today: of functions not defined before the error, or around it; these may be errors, too
  bool undecided = false;  ///< nested deeper than these tests go, or not ASCII: nothing is said about it

  bool is_valid() const { return error.empty() && !undecided; }
  void clear();
};

/// Parses chapter 8's language as the original does, with its error texts.
void parse_simple8(std::string_view text, TreeProgram& out);
/// Parses today's language. Of several errors, the first.
void parse_simple(std::string_view text, TreeProgram& out);
inline void parse_tree(Dialect dialect, std::string_view text, TreeProgram& out) {
  dialect == Dialect::simple8 ? parse_simple8(text, out) : parse_simple(text, out);
}

struct TreeOutcome {
  enum class Kind : uint8_t { value, fallthrough, timeout };
  Kind kind = Kind::value;
  int64_t value = 0;
  friend bool operator==(const TreeOutcome&, const TreeOutcome&) = default;
};
std::string to_string(const TreeOutcome& outcome);

struct TreeLimits {
  uint64_t back_edges = 1000;
  uint64_t calls = 2000;
  uint32_t depth = 100;
};

/// Walks the tree. May be kept: its memory is used again.
class TreeInterpreter {
 public:
  TreeLimits limits;
  TreeOutcome run(const TreeProgram& program, int64_t argument);
  uint64_t executed[static_cast<size_t>(Kind::count)] =
      {};  ///< statements and operations that were reached, over all runs

 private:
  enum class Flow : uint8_t { next, break_, continue_, return_, timeout };
  Flow statements(int32_t at);
  Flow statement(const Tree& tree);
  int64_t value(int32_t at) {
    const Tree& tree = trees_[at];
    if (tree.kind == Kind::number) return tree.value;
    if (tree.kind == Kind::variable) return slots_[base_ + static_cast<size_t>(tree.value)];
    return operation(tree);
  }
  int64_t operation(const Tree& tree);
  int64_t call(const Tree& tree);

  const TreeProgram* program_ = nullptr;
  const Tree* trees_ = nullptr;  ///< those of the program
  std::vector<int64_t> slots_;
  size_t base_ = 0;
  int64_t result_ = 0;
  uint64_t back_edges_ = 0, calls_ = 0;
  uint32_t depth_ = 0;
  bool timeout_ = false;
};

}  // namespace braid::simple_testing
