// From rules to C++: one decision tree per root operation.
//
// A tree tests one place of the pattern after the other, the last operand first, because constants stand
// there: is it a constant, and otherwise, which operation. Rules that leave a place open are tried behind
// those that do not, so that no rule stands in the code twice and no test is made twice on one way. What is
// left at the end of a way (equal variables, literals, conditions) is one `if` per rule.
#include <bit>
#include <cassert>
#include <map>
#include <memory>
#include <set>

#include "variant.h"

namespace braid::rulec {
namespace {

using ir::Op;
using ir::TypeRule;

/// A place in a pattern: the numbers of the operands on the way from the root.
using Path = std::vector<uint32_t>;

std::string name_of(const Path& path) {
  std::string name;
  for (uint32_t step : path) name += (name.empty() ? "" : "_") + std::to_string(step);
  return name;
}
std::string value_at(const Path& path) { return "v" + name_of(path); }
std::string bits_at(const Path& path) { return "c" + name_of(path); }
std::string op_name(Op op) { return "Op::" + std::string(ir::info(op).id); }
std::string kind_text(Kind kind) {
  std::string name(kind_name(kind));
  return "Kind::" + name + (name == "null" || name == "void" ? "_" : "");
}

class Code {
 public:
  void line(const std::string& text) { text_ += std::string(depth_ * 2, ' ') + text + "\n"; }
  void open(const std::string& text) { line(text + " {"), ++depth_; }
  void close() { --depth_, line("}"); }
  void turn(const std::string& text) { --depth_, line("} " + text + " {"), ++depth_; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  size_t depth_ = 0;
};

/// Where the nodes of a variant's pattern stand.
class Places {
 public:
  explicit Places(const Variant& variant) : variant_(variant) { place(variant.rule->pattern, {}); }

  NodeId at(const Path& path) const {
    auto found = nodes_.find(path);
    return found == nodes_.end() ? no_node : found->second;
  }
  const Path& of(NodeId id) const { return paths_.at(id); }
  const std::map<Path, NodeId>& all() const { return nodes_; }

 private:
  void place(NodeId id, const Path& path) {
    nodes_.emplace(path, id);
    paths_.emplace(id, path);
    if (is_constant(*variant_.rule, id)) return;
    std::vector<NodeId> inputs = variant_.inputs(id);
    for (uint32_t i = 0; i < inputs.size(); ++i) {
      Path below = path;
      below.push_back(i);
      place(inputs[i], below);
    }
  }
  const Variant& variant_;
  std::map<Path, NodeId> nodes_;
  std::map<NodeId, Path> paths_;
};

struct Item {
  Variant variant;
  Places places;
  explicit Item(const Variant& v) : variant(v), places(variant) {}
  Item(const Item&) = delete;
  const Rule& rule() const { return *variant.rule; }
};

/// Writes the test and the result of one rule at the end of a way through the tree.
class LeafWriter {
 public:
  LeafWriter(const Item& item, Code& code) : item_(item), rule_(item.rule()), code_(code) {}

  void run() {
    bind();
    test_types();
    test_order();
    if (rule_.once)
      for (auto& [path, id] : item_.places.all())
        if (!path.empty() && rule_[id].kind == NodeKind::op && !is_constant(rule_, id))
          test("view.once(" + value_at(path) + ")");
    if (rule_.condition != no_node) test_condition(rule_.condition);
    std::string condition;
    for (const std::string& text : tests_) condition += (condition.empty() ? "" : " && ") + text;
    code_.open(condition.empty() ? "" : "if (" + condition + ")");
    code_.line("fired = RuleId::" + rule_.name + ";");
    code_.line("return " + made(rule_.result) + ";");
    code_.close();
  }

 private:
  void test(const std::string& text) { tests_.push_back(text); }

  /// Equal variables, literals.
  void bind() {
    for (auto& [path, id] : item_.places.all()) {
      const Node& node = rule_[id];
      if (node.kind == NodeKind::value) {
        auto [known, is_new] = variables_.emplace(node.name, path);
        if (!is_new) test("view.same(" + value_at(known->second) + ", " + value_at(path) + ")");
      } else if (node.kind == NodeKind::constant) {
        auto [known, is_new] = variables_.emplace(node.name, path);
        if (!is_new) test(matched(known->second) + " == " + matched(path));
      } else if (is_constant(rule_, id)) {
        literals_.emplace_back(path, id);
      }
    }
    for (auto& [path, id] : literals_) test(matched(path) + " == " + computed(id));
  }
  /// The bits of what stands there, an immediate or a constant.
  std::string matched(const Path& path) const {
    if (!rule_[item_.places.at(path)].is_immediate) return "*" + bits_at(path);
    if (path.size() == 1) return "immediate";
    return "view.immediate(" + value_at(Path(path.begin(), path.end() - 1)) + ")";
  }

  void test_types() {
    for (uint32_t c = 0; c < rule_.domains.size(); ++c) {
      KindSet open = rule_.implied[c] & ~rule_.domains[c];
      if (open == 0 || !stands_in_pattern(static_cast<ClassId>(c))) continue;
      test("is_one_of(" + kind_of(static_cast<ClassId>(c), true) + ", " + std::to_string(rule_.domains[c]) +
           "u)");
    }
  }
  bool stands_in_pattern(ClassId type) const {
    for (auto& [path, id] : item_.places.all())
      if (rule_[id].type == type) return true;
    return false;
  }
  /// A variable of such a type is not a constant: rewriting ends.
  void test_order() {
    for (const std::string& name : rule_.not_constant) {
      const Path& path = variables_.at(name);
      test(path.size() == 1 ? "!" + bits_at(path) : "!view.constant_of(" + value_at(path) + ")");
    }
  }
  void test_condition(NodeId id) {
    const Node& node = rule_[id];
    if (node.kind == NodeKind::op && node.op == Op::and_ && rule_.domains[index(node.type)] == i1.bits) {
      for (NodeId input : node.inputs) test_condition(input);
      return;
    }
    test("(" + computed(id) + ")");
  }

  std::string kind_of(ClassId type, bool is_asked = false) const {
    KindSet domain = rule_.domains[index(type)];
    if (!is_asked && std::has_single_bit(domain))
      return kind_text(static_cast<Kind>(std::countr_zero(domain)));
    if (rule_[rule_.pattern].type == type) return "kind";
    for (auto& [path, id] : item_.places.all())
      if (rule_[id].type == type && !rule_[id].is_immediate) return "view.kind(" + value_at(path) + ")";
    // A class that only the result has is the type of an operation that follows from its inputs.
    return "kind";
  }

  /// A constant expression as C++, computed in canonical bits.
  std::string computed(NodeId id) const {
    const Node& node = rule_[id];
    auto input = [&](uint32_t i) { return computed(node.inputs[i]); };
    switch (node.kind) {
      case NodeKind::constant: return matched(variables_.at(node.name));
      case NodeKind::integer:
        if (node.is_immediate || node.integer == 0) return "uint64_t{" + std::to_string(node.integer) + "}";
        return "literal(" + kind_of(node.type) + ", " + std::to_string(node.integer) + ")";
      case NodeKind::real:
        return "real_literal(" + kind_of(node.type) + ", uint64_t{" +
               std::to_string(std::bit_cast<uint64_t>(node.real)) + "u})";
      case NodeKind::width: {
        ClassId of = node.inputs.empty() ? node.type : rule_[node.inputs[0]].type;
        return "literal(" + kind_of(node.type) + ", bit_width(" + kind_of(of) + "))";
      }
      case NodeKind::minimum: return "min_signed(" + kind_of(node.type) + ")";
      case NodeKind::maximum: return "max_signed(" + kind_of(node.type) + ")";
      case NodeKind::inverse: return "inverse(" + kind_of(node.type) + ", " + input(0) + ")";
      case NodeKind::narrower:
        return "bit_width(" + kind_of(rule_[node.inputs[0]].type) + ") < bit_width(" +
               kind_of(rule_[node.inputs[1]].type) + ")";
      case NodeKind::same_type:
        return kind_of(rule_[node.inputs[0]].type) + " == " + kind_of(rule_[node.inputs[1]].type);
      case NodeKind::computed:
        return "makes_canonical_nan(view.op(" + value_at(variables_.at(rule_[node.inputs[0]].name)) + "))";
      case NodeKind::value: break;
      case NodeKind::op: return computed_op(id);
    }
    return {};
  }
  std::string computed_op(NodeId id) const {
    const Node& node = rule_[id];
    if (rule_.domains[index(node.type)] == i1.bits && (node.op == Op::and_ || node.op == Op::or_))
      return "(" + computed(node.inputs[0]) + (node.op == Op::and_ ? ") && (" : ") || (") +
             computed(node.inputs[1]) + ")";
    if (rule_.domains[index(node.type)] == i1.bits && node.op == Op::not_)
      return "!(" + computed(node.inputs[0]) + ")";
    std::string text = "compute<" + op_name(node.op) + ">(" + kind_of(rule_[node.inputs[0]].type) + ", " +
                       kind_of(node.type);
    for (NodeId input : node.inputs) text += ", " + computed(input);
    return text + ")";
  }

  /// The name of the value that a part of the result is, made by statements before it in a fixed order.
  std::string made(NodeId id) {
    const Node& node = rule_[id];
    if (node.kind == NodeKind::constant && !rule_[item_.places.at(variables_.at(node.name))].is_immediate)
      return value_at(variables_.at(node.name));
    if (is_constant(rule_, id)) return "view.constant(" + kind_of(node.type) + ", " + computed(id) + ")";
    if (node.kind == NodeKind::value) return value_at(variables_.at(node.name));
    for (auto& [path, there] : item_.places.all())
      if (!path.empty() && same(rule_, there, id)) return value_at(path);
    std::string call = "make(view, " + op_name(node.op) + ", " + kind_of(node.type);
    for (NodeId input : node.inputs) {
      std::string text = made(input);
      if (text.starts_with("view.constant") || text.starts_with("make(")) {
        std::string name = "r" + std::to_string(made_++);
        code_.line("const Value " + name + " = " + text + ";");
        text = name;
      }
      call += ", " + text;
    }
    return call + ")";
  }

  const Item& item_;
  const Rule& rule_;
  Code& code_;
  std::map<std::string, Path> variables_;
  std::vector<std::pair<Path, NodeId>> literals_;
  std::vector<std::string> tests_;
  int made_ = 0;
};

class TreeWriter {
 public:
  explicit TreeWriter(Code& code) : code_(code) {}

  void run(Op op, const std::vector<const Item*>& items) {
    const ir::OpInfo& info = ir::info(op);
    std::string values, constants, folded;
    std::vector<Path> places;
    bool has_immediate = false;
    for (uint32_t i = 0; i < info.fixed_count; ++i) {
      if (!info.is_value(i)) {
        has_immediate = true;
        continue;
      }
      std::string number = std::to_string(i);
      values += ", const Value v" + number;
      constants += (constants.empty() ? "" : " && ") + ("c" + number);
      folded += ", *c" + number;
      places.insert(places.begin(), Path{i});
    }
    code_.line("template <typename V, typename Value = typename V::Value>");
    code_.open("Maybe<Value> match_" + std::string(info.id) + "(V& view, [[maybe_unused]] Kind kind" +
               values + ", [[maybe_unused]] uint64_t immediate, RuleId& fired)");
    for (const Path& place : places) {
      code_.line("[[maybe_unused]] const Maybe<uint64_t> " + bits_at(place) + " = view.constant_of(" +
                 value_at(place) + ");");
      known_.insert(bits_at(place));
    }
    if (op != Op::extract) {
      code_.open("if (" + constants + ")");
      std::string last = std::to_string(places.front()[0]);
      code_.line("if (auto made = fold_constants(view, " + op_name(op) + ", view.kind(v" + last +
                 "), kind, fired" + folded + (has_immediate ? ", immediate" : "") + ")) return made;");
      code_.close();
    }
    level(items, places);
    code_.line("return std::nullopt;");
    code_.close();
    code_.line("");
  }

 private:
  static NodeKind head(const Item& item, const Path& path) {
    NodeId id = item.places.at(path);
    if (id == no_node) return NodeKind::value;
    return is_constant(item.rule(), id) ? NodeKind::constant : item.rule()[id].kind;
  }

  void level(std::vector<const Item*> items, std::vector<Path> pending) {
    while (!pending.empty()) {
      Path path = pending.front();
      pending.erase(pending.begin());
      std::vector<const Item*> constants, open;
      std::map<Op, std::vector<const Item*>> by_op;
      for (const Item* item : items) {
        NodeKind kind = head(*item, path);
        if (kind == NodeKind::constant)
          constants.push_back(item);
        else if (kind == NodeKind::op)
          by_op[item->rule()[item->places.at(path)].op].push_back(item);
        else
          open.push_back(item);
      }
      if (!constants.empty() || !by_op.empty()) test_place(path, pending, constants, by_op);
      items = std::move(open);
    }
    for (const Item* item : items) LeafWriter(*item, code_).run();
  }

  void test_place(const Path& path, const std::vector<Path>& pending,
                  const std::vector<const Item*>& constants,
                  const std::map<Op, std::vector<const Item*>>& by_op) {
    std::string bits = bits_at(path);
    if (!constants.empty()) {
      if (known_.contains(bits))
        code_.open("if (" + bits + ")");
      else
        code_.open("if (const Maybe<uint64_t> " + bits + " = view.constant_of(" + value_at(path) +
                   "))");
      level(constants, pending);
      if (!by_op.empty())
        code_.turn("else");
      else
        code_.close();
    }
    if (by_op.empty()) return;
    code_.open("switch (view.op(" + value_at(path) + "))");
    for (auto& [op, items] : by_op) {
      code_.open("case " + op_name(op) + ":");
      std::vector<Path> places;
      std::string names;
      for (uint32_t i = 0; i < ir::info(op).fixed_count; ++i) {
        if (!ir::info(op).is_value(i)) continue;
        assert(i == places.size() && "immediates stand behind the values");
        Path below = path;
        below.push_back(i);
        names += (i == 0 ? "" : ", ") + value_at(below);
        places.insert(places.begin(), below);
      }
      code_.line("[[maybe_unused]] const auto [" + names + "] = inputs_of<" + std::to_string(places.size()) + ">(view, " +
                 value_at(path) + ");");
      places.insert(places.end(), pending.begin(), pending.end());
      level(items, places);
      code_.line("break;");
      code_.close();
    }
    code_.line("default: break;");
    code_.close();
    if (!constants.empty()) code_.close();
  }

  Code& code_;
  std::set<std::string> known_;
};

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string trimmed(const std::string& text) {
  size_t end = text.find('#');
  std::string_view part = std::string_view(text).substr(0, end);
  return std::string(part.substr(0, part.find_last_not_of(" \t") + 1));
}

constexpr const char* written = "// Written by rulec from src/rules/*.rules; see docs/rules.md.\n";

}  // namespace

std::string emit_matcher(const std::vector<Rule>& rules) {
  std::map<Op, std::vector<std::unique_ptr<Item>>> by_root;
  for (const Rule& rule : rules)
    for (const Variant& variant : variants_of(rule))
      by_root[rule[rule.pattern].op].push_back(std::make_unique<Item>(variant));
  Code code;
  for (auto& [op, items] : by_root) {
    std::vector<const Item*> pointers;
    for (auto& item : items) pointers.push_back(item.get());
    TreeWriter(code).run(op, pointers);
  }
  code.line("template <typename V, typename Value = typename V::Value>");
  code.open(
      "Maybe<Value> match(V& view, Op op, Kind kind, std::span<const Value> inputs, uint64_t "
      "immediate, RuleId& fired)");
  code.open("switch (op)");
  for (auto& [op, items] : by_root) {
    std::string values;
    for (uint32_t i = 0; i < ir::info(op).fixed_count; ++i)
      if (ir::info(op).is_value(i)) values += ", inputs[" + std::to_string(i) + "]";
    code.line("case " + op_name(op) + ": return match_" + std::string(ir::info(op).id) + "<V>(view, kind" +
              values + ", immediate, fired);");
  }
  code.line("default: return fold_any(view, op, kind, inputs, fired);");
  code.close();
  code.close();
  return written + code.text();
}

std::string emit_ids(const std::vector<Rule>& rules) {
  std::string text = written;
  for (const Rule& rule : rules) text += "RULE(" + rule.name + ")\n";
  return text;
}

std::string emit_table(const std::vector<Rule>& rules) {
  std::string text = written;
  for (const Rule& rule : rules)
    text += "{" + quoted(rule.name) + ", " + quoted(trimmed(rule.text)) + ", " + quoted(rule.file) + ", " +
            std::to_string(rule.line) + ", " + (rule.random_widths.empty() ? "Proof::full" : "Proof::partial") + ", " +
            (rule.once ? "true" : "false") + "},\n";
  return text;
}

}  // namespace braid::rulec
