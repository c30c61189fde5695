// A rewrite rule as data: what docs/rules.md calls pattern, condition and result, with types.
//
// All expressions of a rule stand in one vector and name each other by position. A *constant expression* has
// no value variable in it: it is computed when the rule fires, by the same evaluator of ops that gives the
// ops their meaning.
#pragma once

#include <braid/type.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/op.h"

namespace braid::rulec {

enum class NodeId : uint32_t {};
enum class ClassId : uint32_t {};  ///< expressions of one type
inline constexpr NodeId no_node{~0u};
inline constexpr ClassId no_class{~0u};

constexpr uint32_t index(NodeId id) { return static_cast<uint32_t>(id); }
constexpr uint32_t index(ClassId id) { return static_cast<uint32_t>(id); }

enum class NodeKind : uint8_t {
  op,         ///< an operation of the op table
  value,      ///< x: any value
  constant,   ///< C: a constant
  integer,    ///< 1, -1, true
  real,       ///< 0.5
  width,      ///< width: the number of bits of its own type; width(x): of x's type
  minimum,    ///< min_signed
  maximum,    ///< max_signed
  inverse,    ///< inverse(C): C * inverse(C) = 1 for odd C
  narrower,   ///< narrower(x, y): x has fewer bits than y
  same_type,  ///< same_type(x, y)
  computed,   ///< computed(x): x is the result of float arithmetic, so that its NaN is the canonical one
};

struct Node {
  NodeKind kind = NodeKind::op;
  ir::Op op = ir::Op::nothing;
  bool is_immediate = false;  ///< stands where the op table has an immediate
  bool is_infix = false;
  uint32_t column = 0;
  KindSet only = 0;  ///< `x:i1`: the kinds of this variable; 0 is all
  ClassId type = no_class;
  int64_t integer = 0;
  double real = 0;
  std::string name;   ///< of a variable; of an operation `(… to x)`: x
  std::string label;  ///< `t@trunc(x)`: names an operation of the pattern, to speak of its type
  std::vector<NodeId> inputs;
};

/// How the types of two classes hang together.
struct WidthLimit {
  enum class Kind : uint8_t { narrower, same_width, same_type } kind;
  ClassId less, more;
};

/// One assignment of kinds to all classes of a rule.
using Kinds = std::vector<Kind>;

struct Rule {
  std::string name, file, text;
  uint32_t line = 0;
  NodeId pattern = no_node, condition = no_node, result = no_node;
  KindSet only = 0;                     ///< `for`: the kinds of the first operand; 0 is all
  std::vector<uint32_t> random_widths;  ///< `proof=random:32,64`: where the solver gives up, in order
  bool proof_cases = false;             ///< `proof=cases`: one proof per value of a constant
  bool once = false;                    ///< only where nobody else uses what the inner operations give

  std::vector<Node> nodes;
  std::vector<KindSet> domains;    ///< of each class
  std::vector<KindSet> implied;    ///< of each class: what the operations of the pattern leave open
  std::vector<ClassId> elements;   ///< of a class of overflow tuples: the type of the first field
  std::vector<WidthLimit> limits;  ///< those of the pattern and the condition
  std::vector<Kinds> assignments;  ///< all that satisfy the domains and limits
  std::vector<std::string>
      not_constant;  ///< value variables that must not be constants, or rewriting would not end
  std::vector<std::pair<NodeId, NodeId>>
      decreasing;  ///< new < old constant (unsigned), on which the end of rewriting hangs

  const Node& operator[](NodeId id) const { return nodes[index(id)]; }
  Node& operator[](NodeId id) { return nodes[index(id)]; }
};

/// No value variable in it.
bool is_constant(const Rule& rule, NodeId id);
/// The same expression.
bool same(const Rule& rule, NodeId a, NodeId b);
/// Calls `f(id)` for the node and all below, inputs first.
template <typename F>
void for_each_below(const Rule& rule, NodeId id, F&& f) {
  if (id == no_node) return;
  for (NodeId input : rule[id].inputs) for_each_below(rule, input, f);
  f(id);
}
/// The value variable of this name in the pattern.
NodeId find_variable(const Rule& rule, NodeId below, std::string_view name);

class Errors {
 public:
  void add(const Rule& rule, uint32_t column, const std::string& message);
  void add(const std::string& text) { texts_.push_back(text); }
  bool empty() const { return texts_.empty(); }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
};

/// Reads the rules of one file; `text` is its content.
void parse(std::string_view file, std::string_view text, std::vector<Rule>& rules, Errors& errors);
/// Finds the types of all expressions and every assignment of kinds that the rule applies to.
void infer_types(Rule& rule, Errors& errors);
/// Shows that the result is smaller than the pattern in a well-founded order, and that it does not make more
/// operations.
void check_order(Rule& rule, Errors& errors);
/// Types and order of each.
void check_each(std::vector<Rule>& rules, Errors& errors);
/// Names are unique; every commutative op that has a pattern with a constant moves constants to the right.
void check_together(const std::vector<Rule>& rules, Errors& errors);
/// All of the above for the files of these names.
std::vector<Rule> read_rules(const std::vector<std::string>& files, Errors& errors);

/// The matcher (C++), the enumeration and the table of rules.
std::string emit_matcher(const std::vector<Rule>& rules);
/// Which operands they look for (C++).
std::string emit_operands(const std::vector<Rule>& rules);
std::string emit_ids(const std::vector<Rule>& rules);
std::string emit_table(const std::vector<Rule>& rules);

}  // namespace braid::rulec
