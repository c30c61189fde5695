// Types of rules: classes of expressions that have one type, by the type rules of the op table, and the kinds
// they can be.
#include <algorithm>
#include <bit>

#include "rule.h"

namespace braid::rulec {
namespace {

using ir::TypeRule;

constexpr KindSet integers = (i1 | i8 | i16 | i32 | i64).bits;
constexpr KindSet floats = (f32 | f64).bits;
constexpr KindSet references = (null_type | string_type | array_type | object_type | ref).bits;
/// Kinds of one word each; references stand for one another.
constexpr KindSet words = integers | floats | (ptr | ref).bits;

class Inference {
 public:
  Inference(Rule& rule, Errors& errors) : rule_(rule), errors_(errors) {}

  void run() {
    visit(rule_.pattern, Part::pattern);
    root_ = rule_[rule_.pattern].type;
    pattern_end_ = static_cast<uint32_t>(parent_.size());
    restrict_first_operand();
    visit(rule_.condition, Part::condition);
    visit(rule_.result, Part::result);
    if (failed_) return;
    if (rule_.condition != no_node) {
      limit(type(rule_.condition), i1.bits, rule_.condition);
      find_limits(rule_.condition);
    }
    const Node& result = rule_[rule_.result];
    bool is_variable = result.kind == NodeKind::value || result.kind == NodeKind::constant;
    if (is_variable)
      required_.push_back({WidthLimit::Kind::same_type, result.type, root_});
    else
      unify(result.type, root_, rule_.result);
    number_classes();
    find_implied();
    enumerate();
    check_required();
  }

 private:
  enum class Part : uint8_t { pattern, condition, result };

  void fail(NodeId at, const std::string& message) {
    if (!failed_) errors_.add(rule_, rule_[at].column, message);
    failed_ = true;
  }
  ClassId fresh(KindSet domain) {
    parent_.push_back(static_cast<uint32_t>(parent_.size()));
    domains_.push_back(domain);
    elements_.push_back(no_class);
    return static_cast<ClassId>(parent_.size() - 1);
  }
  ClassId find(ClassId c) const {
    uint32_t at = index(c);
    while (parent_[at] != at) at = parent_[at];
    return static_cast<ClassId>(at);
  }
  ClassId type(NodeId id) const { return find(rule_[id].type); }
  void limit(ClassId c, KindSet domain, NodeId at) {
    KindSet& mine = domains_[index(find(c))];
    mine &= domain;
    if (mine == 0) fail(at, "no type fits here");
  }
  void unify(ClassId a, ClassId b, NodeId at) {
    a = find(a), b = find(b);
    if (a == b) return;
    if (index(b) < index(a)) std::swap(a, b);
    // What the pattern keeps apart may be two types; that the result needs one must follow from the
    // condition.
    if (index(b) < pattern_end_) {
      required_.push_back({WidthLimit::Kind::same_type, a, b});
      return;
    }
    parent_[index(b)] = index(a);
    ClassId first = elements_[index(a)], second = elements_[index(b)];
    if (first == no_class) elements_[index(a)] = second;
    limit(a, domains_[index(b)], at);
    if (first != no_class && second != no_class) unify(first, second, at);
  }

  void visit(NodeId id, Part part) {
    if (id == no_node || failed_) return;
    Node& node = rule_[id];
    for (NodeId input : std::vector<NodeId>(node.inputs)) visit(input, part);
    if (failed_ || rule_[id].type != no_class) return;
    ClassId made = made_class(id, part);
    rule_[id].type = made;
  }

  ClassId made_class(NodeId id, Part part) {
    const Node& node = rule_[id];
    switch (node.kind) {
      case NodeKind::value:
      case NodeKind::constant: return variable(id, part);
      case NodeKind::integer:
        return fresh(node.is_immediate ? i64.bits : node.name.empty() ? integers : i1.bits);
      case NodeKind::real: return fresh(floats);
      case NodeKind::width:
      case NodeKind::minimum:
      case NodeKind::maximum: return fresh(integers);
      case NodeKind::inverse: limit(type(node.inputs[0]), integers, id); return rule_[node.inputs[0]].type;
      case NodeKind::computed: limit(type(node.inputs[0]), floats, id); return fresh(i1.bits);
      case NodeKind::narrower:
      case NodeKind::same_type: return fresh(i1.bits);
      case NodeKind::op: break;
    }
    if (part == Part::pattern && is_constant(rule_, id) && uses_constant(id))
      fail(id, "a computed constant in a pattern cannot depend on others; give it a name and use 'if'");
    if (node.is_infix && !is_constant(rule_, id))
      fail(id, "infix operators are for constants; write '" + std::string(ir::info(node.op).text) + "(…)'");
    return operation(id, part);
  }
  bool uses_constant(NodeId id) const {
    bool found = false;
    for_each_below(rule_, id, [&](NodeId below) { found |= rule_[below].kind == NodeKind::constant; });
    return found;
  }

  ClassId variable(NodeId id, Part part) {
    const Node& node = rule_[id];
    if (node.is_immediate) return fresh(i64.bits);
    if (node.name == "result") return root_;
    NodeId known = find_variable(rule_, rule_.pattern, node.name);
    if (known == no_node) {
      fail(id, "'" + node.name + "' does not stand in the pattern");
      return fresh(words);
    }
    if (known != id && rule_[known].type != no_class) return rule_[known].type;
    if (part != Part::pattern) fail(id, "'" + node.name + "' does not stand in the pattern");
    return fresh(node.only != 0 ? node.only : words | references);
  }

  ClassId operation(NodeId id, Part part) {
    const Node& node = rule_[id];
    auto input = [&](uint32_t i) { return rule_[node.inputs[i]].type; };
    auto both = [&](KindSet domain) {
      unify(input(0), input(1), id);
      limit(input(0), domain, id);
    };
    auto converted = [&](KindSet from, KindSet to) {
      limit(input(0), from, id);
      ClassId made = fresh(to);
      if (!node.name.empty()) {
        NodeId known = find_variable(rule_, rule_.pattern, node.name);
        if (node.name == "result")
          unify(made, root_, id);
        else if (known == no_node)
          fail(id, "'" + node.name + "' does not stand in the pattern");
        else
          unify(made, rule_[known].type, id);
      }
      return made;
    };
    auto relate = [&](WidthLimit::Kind kind, ClassId less, ClassId more) {
      (part == Part::pattern ? given_ : required_).push_back({kind, less, more});
    };
    switch (ir::info(node.op).rule) {
      case TypeRule::int_binary: both(integers); return input(0);
      case TypeRule::int_unary: limit(input(0), integers, id); return input(0);
      case TypeRule::float_binary: both(floats); return input(0);
      case TypeRule::float_unary: limit(input(0), floats, id); return input(0);
      case TypeRule::equality: both(integers | ptr.bits | references); return fresh(i1.bits);
      case TypeRule::signed_compare: both(integers); return fresh(i1.bits);
      case TypeRule::unsigned_compare: both(integers | ptr.bits); return fresh(i1.bits);
      case TypeRule::float_compare: both(floats); return fresh(i1.bits);
      case TypeRule::overflow: {
        both(integers);
        ClassId made = fresh(tuple_type.bits);
        elements_[index(made)] = input(0);
        return made;
      }
      case TypeRule::extract: {
        ClassId element = elements_[index(find(input(0)))];
        const Node& field = rule_[node.inputs[1]];
        if (element == no_class || field.kind != NodeKind::integer || field.integer < 0 ||
            field.integer > 1) {
          fail(id, "extract is for fields 0 and 1 of operations that report overflow");
          return fresh(words);
        }
        return field.integer == 0 ? element : fresh(i1.bits);
      }
      case TypeRule::int_narrow: {
        ClassId made = converted(integers, integers);
        relate(WidthLimit::Kind::narrower, made, input(0));
        return made;
      }
      case TypeRule::int_extend: {
        ClassId made = converted(integers, integers);
        relate(WidthLimit::Kind::narrower, input(0), made);
        return made;
      }
      case TypeRule::bitcast: {
        ClassId made = converted((i32 | i64 | f32 | f64).bits, (i32 | i64 | f32 | f64).bits);
        relate(WidthLimit::Kind::same_width, input(0), made);
        return made;
      }
      case TypeRule::int_to_float: return converted(integers, floats);
      case TypeRule::float_to_int: return converted(floats, integers);
      case TypeRule::float_extend: return converted(f32.bits, f64.bits);
      case TypeRule::float_narrow: return converted(f64.bits, f32.bits);
      case TypeRule::ptr_to_int: return converted(ptr.bits, i64.bits);
      case TypeRule::int_to_ptr: return converted(i64.bits, ptr.bits);
      case TypeRule::select:
        limit(input(0), i1.bits, id);
        unify(input(1), input(2), id);
        return input(1);
      case TypeRule::ptr_add:
        limit(input(0), ptr.bits, id);
        limit(input(1), i64.bits, id);
        return input(0);
      case TypeRule::ptr_diff: both(ptr.bits); return fresh(i64.bits);
      default:
        fail(id, "'" + std::string(ir::info(node.op).text) + "' is not an operation that rules know");
        return fresh(words);
    }
  }

  void restrict_first_operand() {
    if (rule_.only == 0 || failed_) return;
    const Node& root = rule_[rule_.pattern];
    if (root.kind != NodeKind::op) return;
    ClassId first = type(root.inputs[root.op == ir::Op::select ? 1 : 0]);
    ClassId element = elements_[index(first)];
    limit(element == no_class ? first : element, rule_.only, rule_.pattern);
  }

  /// What all parts of the condition, joined by and, say of types.
  void find_limits(NodeId id) {
    const Node& node = rule_[id];
    if (node.kind == NodeKind::op && node.op == ir::Op::and_)
      for (NodeId input : node.inputs) find_limits(input);
    if (node.kind == NodeKind::narrower)
      given_.push_back({WidthLimit::Kind::narrower, type(node.inputs[0]), type(node.inputs[1])});
    if (node.kind == NodeKind::same_type)
      given_.push_back({WidthLimit::Kind::same_type, type(node.inputs[0]), type(node.inputs[1])});
  }

  void number_classes() {
    std::vector<ClassId> number(parent_.size(), no_class);
    uint32_t count = 0;
    std::vector<ClassId> roots;
    auto numbered = [&](ClassId c) {
      ClassId& n = number[index(find(c))];
      if (n == no_class) {
        n = static_cast<ClassId>(count++);
        roots.push_back(find(c));
      }
      return n;
    };
    for (Node& node : rule_.nodes)
      if (node.type != no_class) node.type = numbered(node.type);
    auto moved = [&](std::vector<WidthLimit>& limits) {
      for (WidthLimit& l : limits) l.less = numbered(l.less), l.more = numbered(l.more);
    };
    moved(given_);
    moved(required_);
    for (uint32_t c = 0; c < count; ++c) {
      ClassId element = elements_[index(roots[c])];
      rule_.domains.push_back(domains_[index(roots[c])]);
      rule_.elements.push_back(element == no_class ? no_class : numbered(element));
    }
    rule_.limits = given_;
    root_ = rule_[rule_.pattern].type;
  }

  /// What the operations of the pattern say of types; the matcher checks only what goes beyond it.
  void find_implied() {
    rule_.implied.assign(rule_.domains.size(), words | references | tuple_type.bits);
    for_each_below(rule_, rule_.pattern, [&](NodeId id) {
      const Node& node = rule_[id];
      if (node.kind != NodeKind::op || is_constant(rule_, id)) return;
      auto imply = [&](NodeId at, KindSet kinds) { rule_.implied[index(rule_[at].type)] &= kinds; };
      auto imply_inputs = [&](KindSet kinds) {
        for (NodeId input : node.inputs) imply(input, kinds);
      };
      switch (ir::info(node.op).rule) {
        case TypeRule::int_binary:
        case TypeRule::int_unary:
        case TypeRule::overflow:
        case TypeRule::int_to_float: imply_inputs(integers); break;
        case TypeRule::float_binary:
        case TypeRule::float_unary:
        case TypeRule::float_to_int: imply_inputs(floats); break;
        case TypeRule::int_narrow:
        case TypeRule::int_extend: imply_inputs(integers), imply(id, integers); break;
        case TypeRule::equality: imply_inputs(integers | ptr.bits | references), imply(id, i1.bits); break;
        case TypeRule::signed_compare: imply_inputs(integers), imply(id, i1.bits); break;
        case TypeRule::unsigned_compare: imply_inputs(integers | ptr.bits), imply(id, i1.bits); break;
        case TypeRule::float_compare: imply_inputs(floats), imply(id, i1.bits); break;
        case TypeRule::select: imply(node.inputs[0], i1.bits); break;
        default: break;
      }
      switch (ir::info(node.op).rule) {
        case TypeRule::int_to_float: imply(id, floats); break;
        case TypeRule::bitcast:
          imply_inputs((i32 | i64 | f32 | f64).bits), imply(id, (i32 | i64 | f32 | f64).bits);
          break;
        case TypeRule::float_to_int: imply(id, integers); break;
        case TypeRule::float_extend:
        case TypeRule::float_narrow:
        case TypeRule::ptr_to_int:
        case TypeRule::int_to_ptr:
        case TypeRule::ptr_add:
        case TypeRule::ptr_diff:
          for (NodeId at : node.inputs) imply(at, rule_.domains[index(rule_[at].type)]);
          imply(id, rule_.domains[index(node.type)]);
          break;
        default: break;
      }
      if (rule_.elements[index(node.type)] != no_class) imply(id, tuple_type.bits);
      if (node.op == ir::Op::extract && rule_[node.inputs[1]].integer == 1) imply(id, i1.bits);
      for (NodeId input : node.inputs)
        if (rule_[input].is_immediate) imply(input, i64.bits);
    });
  }

  static bool holds(const WidthLimit& limit, const Kinds& kinds) {
    Kind less = kinds[index(limit.less)], more = kinds[index(limit.more)];
    switch (limit.kind) {
      case WidthLimit::Kind::narrower: return bit_width(less) < bit_width(more);
      case WidthLimit::Kind::same_width: return bit_width(less) == bit_width(more) && less != more;
      case WidthLimit::Kind::same_type: return less == more;
    }
    return false;
  }

  /// Classes are few: all combinations, filtered.
  void enumerate() {
    if (failed_) return;
    Kinds kinds(rule_.domains.size(), Kind::null_);
    size_t at = 0;
    std::vector<int> tried(kinds.size(), -1);
    while (true) {
      if (at == kinds.size()) {
        bool all =
            std::all_of(given_.begin(), given_.end(), [&](const WidthLimit& l) { return holds(l, kinds); });
        if (all) rule_.assignments.push_back(kinds);
        if (at == 0) return;
        --at;
        continue;
      }
      KindSet domain = rule_.domains[at] & (words | tuple_type.bits);
      int next = tried[at] + 1;
      while (next < kind_count && (domain >> next & 1) == 0) ++next;
      if (next == kind_count) {
        tried[at] = -1;
        if (at == 0) break;
        --at;
        continue;
      }
      tried[at] = next;
      kinds[at++] = static_cast<Kind>(next);
    }
    if (rule_.assignments.empty()) fail(rule_.pattern, "the rule applies to no type");
  }
  /// The types of the result follow from those of the pattern.
  void check_required() {
    if (failed_) return;
    std::vector<bool> known(rule_.domains.size());
    for_each_below(rule_, rule_.pattern, [&](NodeId id) { known[index(rule_[id].type)] = true; });
    auto check = [&](NodeId id) {
      uint32_t c = index(rule_[id].type);
      if (!known[c] && !std::has_single_bit(rule_.domains[c]))
        fail(id, "nothing says which type this is; write '(… to x)'");
    };
    for_each_below(rule_, rule_.condition, check);
    for_each_below(rule_, rule_.result, check);
    for (const Kinds& kinds : rule_.assignments)
      for (const WidthLimit& limit : required_)
        if (!holds(limit, kinds))
          return fail(rule_.result, "the types of the result do not fit those of the pattern");
  }

  Rule& rule_;
  Errors& errors_;
  std::vector<uint32_t> parent_;
  std::vector<KindSet> domains_;
  std::vector<ClassId> elements_;
  std::vector<WidthLimit> given_, required_;
  ClassId root_ = no_class;
  uint32_t pattern_end_ = 0;  ///< classes below were made by the pattern
  bool failed_ = false;
};

}  // namespace

void infer_types(Rule& rule, Errors& errors) { Inference(rule, errors).run(); }

}  // namespace braid::rulec
