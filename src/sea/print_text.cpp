#include "sea/print_text.h"

#include <charconv>
#include <string_view>
#include <vector>

#include "ir/function.h"

namespace braid::sea {
namespace {

using ir::Op;

struct OpText {
  Op op;
  std::string_view sign;   ///< between its two operands
  std::string_view label;  ///< where it comes again
};
constexpr OpText binary_texts[] = {
    {Op::add, "+", "Add"},   {Op::sub, "-", "Sub"},  {Op::mul, "*", "Mul"},    {Op::sdiv, "/", "Div"},
    {Op::srem, "%", "Rem"},  {Op::and_, "&", "And"}, {Op::or_, "|", "Or"},     {Op::xor_, "^", "Xor"},
    {Op::shl, "<<", "Shl"},  {Op::ashr, ">>", "Sar"}, {Op::lshr, ">>>", "Shr"}, {Op::eq, "==", "EQ"},
    {Op::ne, "!=", "NE"},    {Op::slt, "<", "LT"},   {Op::sle, "<=", "LE"},    {Op::sgt, ">", "GT"},
    {Op::sge, ">=", "GE"},
};

const OpText* binary_text(NodeOp op) {
  for (const OpText& text : binary_texts)
    if (op == text.op) return &text;
  return nullptr;
}

class Printer {
 public:
  explicit Printer(const Graph& graph) : graph_(graph), seen_(graph.size()) {}

  std::string run(NodeId root) {
    push(root);
    while (!work_.empty()) {
      Item item = work_.back();
      work_.pop_back();
      if (item.text.data() != nullptr)
        out_ += item.text;
      else
        print(item.node);
    }
    return std::move(out_);
  }

 private:
  struct Item {
    std::string_view text;  ///< if it has data, this; otherwise the node
    NodeId node = no_node;
  };

  void push(std::string_view text) { work_.push_back({text}); }
  void push(NodeId node) { work_.push_back({{}, node}); }

  void number(uint64_t value) {
    char digits[24];
    out_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
  void name(NodeId n) {
    Symbol symbol = static_cast<Symbol>(graph_.note(n));
    if (graph_.module().symbols.contains(symbol))
      out_ += graph_.module().name(symbol);
    else if (graph_.op(n) == NodeOp::parameter)
      out_ += "arg", number(graph_.payload(n));
  }

  /// `name(a,b)` of the inputs from the first one given.
  void list(NodeId n, uint32_t from) {
    push(")");
    for (uint32_t i = graph_.input_count(n); i-- > from;) {
      push(graph_.input(n, i));
      if (i > from) push(",");
    }
    push("(");
  }

  void print(NodeId n) {
    if (is_none(n)) {
      out_ += "____";
      return;
    }
    if (seen_[index(n)]) return again(n);
    seen_[index(n)] = true;
    NodeOp op = graph_.op(n);
    if (const OpText* text = binary_text(op)) {
      push(")");
      push(graph_.input(n, 1));
      push(text->sign);
      push(graph_.input(n, 0));
      out_ += "(";
      return;
    }
    switch (op) {
      case NodeOp::constant: return constant(n);
      case NodeOp::parameter: return name(n);
      case NodeOp::region:
        if (graph_.input_count(n) == 0) return label(n);
        out_ += "Region", number(graph_.number(n));
        return;
      case NodeOp::loop: out_ += "Loop", number(graph_.number(n)); return;
      case NodeOp::dead: out_ += "Dead", number(graph_.number(n)); return;
      case NodeOp::is_zero: return prefix("(!", n);
      case NodeOp::neg: return prefix("(-", n);
      case NodeOp::phi: return phi(n);
      case NodeOp::ret:
        push(";");
        if (graph_.input_count(n) > 2) push(graph_.input(n, 2)), push(" ");
        out_ += "return";
        return;
      case NodeOp::stop: return stop(n);
      case NodeOp::unreachable:
        if (!leads_out_of_loop(n)) break;
        out_ += "never;";
        return;
      case NodeOp::call:
        out_ += graph_.module().name(graph_.module().function(static_cast<ir::FuncId>(graph_.words(n)[0])).name());
        return list(n, 2);
      default: break;
    }
    label(n);
    if (is_table_op(op)) list(n, 0);
  }

  /// The end of an endless loop.
  bool leads_out_of_loop(NodeId n) const {
    const NodeId control = graph_.input(n, 0);
    return !is_none(control) && graph_.op(control) == NodeOp::projection && graph_.op(graph_.input(control, 0)) == NodeOp::never;
  }

  void prefix(std::string_view sign, NodeId n) {
    push(")");
    push(graph_.input(n, 0));
    out_ += sign;
  }

  void phi(NodeId n) {
    NodeId region = graph_.input(n, 0);
    if (is_none(graph_.input(region, graph_.input_count(region) - 1))) out_ += "Z";
    out_ += "Phi";
    list(n, 0);
  }

  void stop(NodeId n) {
    uint32_t count = graph_.input_count(n);
    if (count == 1) return push(graph_.input(n, 0));
    push("]");
    for (uint32_t i = count; i-- > 0;) {
      push(" ");
      push(graph_.input(n, i));
    }
    push("Stop[ ");
  }

  void constant(NodeId n) {
    ir::Constant value = graph_.constant_value(n);
    if (static_cast<int64_t>(value.bits) < 0) out_ += "-";
    number(static_cast<int64_t>(value.bits) < 0 ? 0 - value.bits : value.bits);
  }

  /// What was printed before.
  void again(NodeId n) {
    if (graph_.is_constant(n)) return constant(n);
    if (graph_.op(n) == NodeOp::parameter) return name(n);
    if (graph_.is(n, Op::phi)) {
      out_ += "Phi_";
      return name(n);
    }
    label(n);
  }

  void label(NodeId n) {
    NodeOp op = graph_.op(n);
    if (const OpText* text = binary_text(op)) {
      out_ += text->label;
      return;
    }
    switch (op) {
      case NodeOp::region: out_ += graph_.input_count(n) == 0 ? "~Ctrl" : "Region"; return;
      case NodeOp::loop: out_ += "Loop"; return;
      case NodeOp::is_zero: out_ += "Not"; return;
      case NodeOp::start: out_ += "Start"; return;
      case NodeOp::stop: out_ += "Stop"; return;
      case NodeOp::undef: out_ += "undef"; return;
      case NodeOp::projection: out_ += "Proj", number(graph_.payload(n)); return;
      case NodeOp::effect_entry: out_ += "EffectEntry"; return;
      case NodeOp::neg: out_ += "Minus"; return;
      case NodeOp::ret: out_ += "Return"; return;
      case NodeOp::call: out_ += "Call"; return;
      default:
        if (is_table_op(op)) out_ += ir::info(table_op(op)).text;
    }
  }

  const Graph& graph_;
  std::vector<bool> seen_;
  std::vector<Item> work_;
  std::string out_;
};

}  // namespace

std::string print_text(const Graph& graph) { return Printer(graph).run(graph.stop); }
std::string print_text(const Graph& graph, NodeId node) { return Printer(graph).run(node); }

}  // namespace braid::sea
