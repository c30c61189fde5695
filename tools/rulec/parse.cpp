// Reading rules: one a line, by recursive descent; nesting is bounded.
#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "rule.h"

namespace braid::rulec {
namespace {

using ir::Op;

constexpr int deepest = 16;

struct Infix {
  std::string_view text;
  int strength;
  Op op;
};
constexpr Infix infixes[] = {
    {"||", 1, Op::or_}, {"&&", 2, Op::and_}, {"==", 3, Op::eq}, {"!=", 3, Op::ne}, {"|", 4, Op::or_},
    {"^", 5, Op::xor_}, {"&", 6, Op::and_},  {"+", 7, Op::add}, {"-", 7, Op::sub}, {"*", 8, Op::mul},
};

class LineParser {
 public:
  LineParser(Rule& rule, Errors& errors) : rule_(rule), errors_(errors), text_(rule.text) {}

  bool run() {
    rule_.name = name();
    if (rule_.name.empty()) return fail("a rule begins with its name");
    if (!take(":")) return fail("':' is missing behind the name of the rule");
    rule_.pattern = expression(0);
    if (take_word("if")) rule_.condition = expression(0);
    if (!take("=>")) return fail("'=>' is missing");
    rule_.result = expression(0);
    while (!failed_ && skip_space()) attribute();
    return !failed_;
  }

 private:
  bool fail(const std::string& message) {
    if (!failed_) errors_.add(rule_, static_cast<uint32_t>(at_ + 1), message);
    failed_ = true;
    return false;
  }
  /// False at the end of the line.
  bool skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    if (at_ < text_.size() && text_[at_] == '#') at_ = text_.size();
    return at_ < text_.size();
  }
  bool looking_at(std::string_view symbol) { return skip_space() && text_.substr(at_).starts_with(symbol); }
  bool take(std::string_view symbol) {
    if (!looking_at(symbol)) return false;
    at_ += symbol.size();
    return true;
  }
  static bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
  std::string name() {
    if (!skip_space() || std::isdigit(static_cast<unsigned char>(text_[at_]))) return {};
    size_t start = at_;
    while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }
  bool take_word(std::string_view word) {
    size_t start = at_;
    if (name() == word) return true;
    at_ = start;
    return false;
  }

  NodeId add(Node node) {
    rule_.nodes.push_back(std::move(node));
    return static_cast<NodeId>(rule_.nodes.size() - 1);
  }
  Node node(NodeKind kind, size_t at) {
    Node made;
    made.kind = kind;
    made.column = static_cast<uint32_t>(at + 1);
    return made;
  }
  NodeId operation(Op op, size_t at, std::vector<NodeId> inputs, bool is_infix = false) {
    Node made = node(NodeKind::op, at);
    made.op = op;
    made.is_infix = is_infix;
    made.inputs = std::move(inputs);
    return add(std::move(made));
  }
  NodeId integer(int64_t value, size_t at) {
    Node made = node(NodeKind::integer, at);
    made.integer = value;
    return add(std::move(made));
  }

  const Infix* infix() {
    if (looking_at("=>")) return nullptr;
    for (const Infix& candidate : infixes)
      if (looking_at(candidate.text)) return &candidate;
    return nullptr;
  }
  NodeId expression(int least, int depth = 0) {
    if (depth > deepest) {
      fail("nested too deeply");
      return no_node;
    }
    NodeId left = unary(depth);
    while (!failed_) {
      const Infix* op = infix();
      if (op == nullptr || op->strength < least) break;
      size_t at = at_;
      at_ += op->text.size();
      NodeId right = expression(op->strength + 1, depth + 1);
      if (failed_) break;
      left = operation(op->op, at, {left, right}, true);
    }
    return left;
  }
  NodeId unary(int depth) {
    if (depth > deepest) {
      fail("nested too deeply");
      return no_node;
    }
    skip_space();
    size_t at = at_;
    if (at_ < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[at_])) ||
                               (text_[at_] == '-' && at_ + 1 < text_.size() &&
                                std::isdigit(static_cast<unsigned char>(text_[at_ + 1])))))
      return number();
    if (take("-")) return operation(Op::neg, at, {unary(depth + 1)}, true);
    if (take("~")) return operation(Op::not_, at, {unary(depth + 1)}, true);
    if (take("!")) return operation(Op::not_, at, {unary(depth + 1)}, true);
    if (take("(")) {
      NodeId inner = expression(0, depth + 1);
      if (!take(")")) fail("')' is missing");
      return inner;
    }
    return named(depth);
  }
  NodeId number() {
    size_t start = at_;
    if (text_[at_] == '-') ++at_;
    while (at_ < text_.size() && (is_name_char(text_[at_]) || text_[at_] == '.')) ++at_;
    std::string word(text_.substr(start, at_ - start));
    if (word.find('.') != std::string::npos) {
      Node made = node(NodeKind::real, start);
      char* end = nullptr;
      made.real = std::strtod(word.c_str(), &end);
      if (*end != '\0') fail("'" + word + "' is not a number");
      return add(std::move(made));
    }
    int64_t value = 0;
    auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) fail("'" + word + "' is not a number");
    return integer(value, start);
  }

  NodeId named(int depth) {
    skip_space();
    size_t at = at_;
    std::string word = name();
    if (word.empty()) {
      fail("an expression is missing");
      return no_node;
    }
    if (looking_at("(")) return call(word, at, depth);
    if (take("@")) {
      NodeId named_op = named(depth);
      if (!failed_ && rule_[named_op].kind != NodeKind::op) fail("only an operation can have a name");
      if (!failed_) rule_[named_op].label = word;
      return named_op;
    }
    if (word == "true" || word == "false") {
      NodeId made = integer(word == "true", at);
      rule_[made].name = word;  // an i1, where plain numbers are of any type
      return made;
    }
    if (word == "all_ones") return integer(-1, at);
    if (word == "width") return add(node(NodeKind::width, at));
    if (word == "min_signed") return add(node(NodeKind::minimum, at));
    if (word == "max_signed") return add(node(NodeKind::maximum, at));
    Node made =
        node(std::isupper(static_cast<unsigned char>(word[0])) ? NodeKind::constant : NodeKind::value, at);
    made.name = word;
    if (depth > 0 && take(":")) made.only = kinds();
    return add(std::move(made));
  }
  NodeId call(const std::string& word, size_t at, int depth) {
    take("(");
    std::vector<NodeId> inputs;
    std::string target;  // `trunc(C to x)`
    if (!looking_at(")")) {
      do {
        inputs.push_back(expression(0, depth + 1));
      } while (!failed_ && take(","));
      if (take_word("to") && (target = name()).empty()) fail("the name behind 'to' is missing");
    }
    if (!failed_ && !take(")")) fail("')' is missing");
    if (failed_) return no_node;
    return made_call(word, at, std::move(inputs), target);
  }
  NodeId made_call(const std::string& word, size_t at, std::vector<NodeId> inputs,
                   const std::string& target) {
    auto special = [&](NodeKind kind, size_t count) {
      if (inputs.size() != count) fail("'" + word + "' takes " + std::to_string(count) + " operands");
      Node made = node(kind, at);
      made.inputs = std::move(inputs);
      return add(std::move(made));
    };
    if (word == "width") return special(NodeKind::width, 1);
    if (word == "inverse") return special(NodeKind::inverse, 1);
    if (word == "narrower") return special(NodeKind::narrower, 2);
    if (word == "same_type") return special(NodeKind::same_type, 2);
    if (word == "computed") return special(NodeKind::computed, 1);
    if (word == "log2" && inputs.size() == 1) return operation(Op::ctz, at, std::move(inputs));
    if (word == "is_power_of_two" && inputs.size() == 1) {
      NodeId c = inputs[0];
      NodeId less = operation(Op::sub, at, {c, integer(1, at)});
      NodeId some = operation(Op::ne, at, {c, integer(0, at)});
      NodeId one_bit = operation(Op::eq, at, {operation(Op::and_, at, {c, less}), integer(0, at)});
      return operation(Op::and_, at, {some, one_bit});
    }
    std::optional<Op> op = ir::find_op(word);
    if (!op) {
      at_ = at;
      fail("'" + word + "' is no operation");
      return no_node;
    }
    const ir::OpInfo& info = ir::info(*op);
    if (info.group_count != 0 || !info.arity_ok(static_cast<uint32_t>(inputs.size()))) {
      at_ = at;
      fail("'" + word + "' takes " + std::to_string(info.fixed_count) + " operands");
      return no_node;
    }
    for (uint32_t i = 0; i < inputs.size(); ++i)
      if (info.kind_of(i) == ir::OperandKind::immediate) rule_[inputs[i]].is_immediate = true;
    NodeId made = operation(*op, at, std::move(inputs));
    rule_[made].name = target;
    return made;
  }

  void attribute() {
    if (take_word("for")) {
      do {
        rule_.only |= kinds();
      } while (take(","));
      return;
    }
    if (take_word("once")) {
      rule_.once = true;
    } else if (take_word("proof")) {
      if (take("=random:"))
        random_widths();
      else if (take("=cases"))
        rule_.proof_cases = true;
      else
        fail("a proof is 'proof=cases' or 'proof=random:' and widths");
    } else {
      fail("an attribute is 'for', 'once' or 'proof='");
    }
  }
  /// `16,32,64`. Narrower words are never left to chance.
  void random_widths() {
    do {
      uint32_t width = take("16") ? 16 : take("32") ? 32 : take("64") ? 64 : 0;
      if (width == 0)
        fail("only 16, 32 and 64 bits may be left to random cases");
      else if (!rule_.random_widths.empty() && width <= rule_.random_widths.back())
        fail("widths stand in their order, each of them once");
      rule_.random_widths.push_back(width);
    } while (!failed_ && take(","));
  }
  /// `i8`, or `i8..i64`
  KindSet kinds() {
    std::optional<Kind> first = kind();
    std::optional<Kind> last = first;
    if (take("..")) last = kind();
    if (!first || !last) {
      fail("a type is missing");
      return 0;
    }
    KindSet set = 0;
    for (int k = static_cast<int>(*first); k <= static_cast<int>(*last); ++k)
      set |= kind_bit(static_cast<Kind>(k));
    return set;
  }
  std::optional<Kind> kind() {
    std::string word = name();
    for (int k = 0; k < kind_count; ++k)
      if (kind_name(static_cast<Kind>(k)) == word) return static_cast<Kind>(k);
    return std::nullopt;
  }

  Rule& rule_;
  Errors& errors_;
  std::string_view text_;
  size_t at_ = 0;
  bool failed_ = false;
};

bool is_blank(std::string_view line) {
  size_t first = line.find_first_not_of(" \t\r");
  return first == std::string_view::npos || line[first] == '#';
}

}  // namespace

void Errors::add(const Rule& rule, uint32_t column, const std::string& message) {
  texts_.push_back(rule.file + ":" + std::to_string(rule.line) + ":" + std::to_string(column) +
                   ": error: " + message);
}

bool is_constant(const Rule& rule, NodeId id) {
  if (rule[id].kind == NodeKind::value) return false;
  switch (rule[id].kind) {
    case NodeKind::width:
    case NodeKind::narrower:
    case NodeKind::same_type:
    case NodeKind::computed: return true;  // they ask about a value, but do not use it
    default: break;
  }
  return std::all_of(rule[id].inputs.begin(), rule[id].inputs.end(),
                     [&](NodeId i) { return is_constant(rule, i); });
}

bool same(const Rule& rule, NodeId a, NodeId b) {
  const Node &x = rule[a], &y = rule[b];
  if (x.kind != y.kind || x.op != y.op || x.name != y.name || x.integer != y.integer || x.type != y.type)
    return false;
  if (std::bit_cast<uint64_t>(x.real) != std::bit_cast<uint64_t>(y.real)) return false;
  return std::equal(x.inputs.begin(), x.inputs.end(), y.inputs.begin(), y.inputs.end(),
                    [&](NodeId i, NodeId j) { return same(rule, i, j); });
}

NodeId find_variable(const Rule& rule, NodeId below, std::string_view name) {
  NodeId found = no_node;
  for_each_below(rule, below, [&](NodeId id) {
    const Node& node = rule[id];
    bool is_variable = node.kind == NodeKind::value || node.kind == NodeKind::constant;
    if (found == no_node && ((is_variable && node.name == name) || (!name.empty() && node.label == name)))
      found = id;
  });
  return found;
}

void parse(std::string_view file, std::string_view text, std::vector<Rule>& rules, Errors& errors) {
  uint32_t number = 0;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (is_blank(line)) continue;
    Rule rule;
    rule.file = file;
    rule.line = number;
    rule.text = line;
    if (LineParser(rule, errors).run()) rules.push_back(std::move(rule));
  }
}

}  // namespace braid::rulec
