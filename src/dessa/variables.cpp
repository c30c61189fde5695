#include "dessa/variables.h"

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include "base/hash_index.h"
#include "ssa/tracks.h"

namespace braid::dessa {

using ir::Operand;
using ir::UndefMeaning;
using ir::VarId;

namespace {

/// Names of variables that are taken. Those like made-up ones, v0 and so on, are known by their numbers.
class Names {
 public:
  /// At most so many are going to be made: no made-up one has a larger number than both of them together.
  Names(const ir::Function& f, size_t most) : module_(f.module()), is_number_taken_(f.variables.size() + most) {
    for (const ir::Variable& variable : f.variables) take(variable.name);
  }

  Symbol make() {
    while (is_number_taken_[next_]) ++next_;
    char text[16] = {'v'};
    char* end = std::to_chars(text + 1, text + sizeof(text), next_++).ptr;
    return module_.symbol({text, static_cast<size_t>(end - text)});
  }
  /// The name itself, or with a number behind it.
  Symbol make_like(Symbol wanted) {
    if (take(wanted)) return wanted;
    std::string text(module_.name(wanted));
    for (uint32_t n = 2;; ++n)
      if (Symbol name = module_.symbol(text + "." + std::to_string(n)); take(name)) return name;
  }

 private:
  static constexpr uint32_t no_number = 0xffffffffu;

  /// Of a name like a made-up one.
  static uint32_t number_of(std::string_view name) {
    if (name.size() < 2 || name[0] != 'v' || (name[1] == '0' && name.size() > 2)) return no_number;
    uint32_t number = 0;
    auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
    return end == name.data() + name.size() && error == std::errc() ? number : no_number;
  }
  /// Whether it was free.
  bool take(Symbol name) {
    if (const uint32_t number = number_of(module_.name(name)); number < is_number_taken_.size()) {
      if (number < next_ || is_number_taken_[number]) return false;
      return is_number_taken_[number] = true;
    }
    // Different names have different hashes.
    const uint32_t next = count_;
    const bool is_free = others_.find_or_add(index(name) * 0x9e3779b1u, next, [](uint32_t) { return true; }) == next;
    count_ += is_free;
    return is_free;
  }

  ir::Module& module_;
  std::vector<bool> is_number_taken_;  ///< from `next_` on
  uint32_t next_ = 0;
  HashIndex others_;
  uint32_t count_ = 0;  ///< of the others
};

/// Variables that the function reads or assigns; the others are declared only to name the source of values.
std::vector<bool> mentioned_variables(const ir::Function& f, const Survey& survey) {
  std::vector<bool> mentioned(f.variables.size(), false);
  if (!survey.has(ir::Op::get) && !survey.has(ir::Op::set) && !survey.has(ir::Op::is_defined)) return mentioned;
  for (uint32_t i = 0; i < f.size(); ++i) {
    const ir::Stmt& s = f.columns().stmt(i);
    if (s.op == ir::Op::get || s.op == ir::Op::set || s.op == ir::Op::is_defined) mentioned[s.arg[0]] = true;
  }
  return mentioned;
}

}  // namespace

/// By class, from the first member that has one.
std::vector<Variables::Wish> Variables::wishes() const {
  const ir::Function& f = webs_.function();
  std::vector<Wish> wishes(webs_.nodes.size());
  for (uint32_t i = 0; i < f.param_names.size(); ++i) {
    uint32_t node = webs_.node_of(Operand::param(i));
    if (node == nothing) continue;
    Wish& wish = wishes[classes_.class_of(node)];
    if (is_none(wish.name)) wish.name = f.param_names[i];
  }
  for (uint32_t n = 0; n < webs_.nodes.size() && f.has_source_variables(); ++n) {
    Wish& wish = wishes[classes_.class_of(n)];
    if (is_none(wish.source)) wish.source = f.source_variable(webs_.nodes[n].id);
  }
  return wishes;
}

Variables::Variables(ir::Function& f, const Survey& survey, const Webs& webs, const LiveRanges& live,
                     const Coalescing& classes)
    : webs_(webs),
      live_(live),
      classes_(classes),
      node_count_(webs.nodes.size()),
      of_node_(node_count_ + 1, none_id<VarId>) {
  std::vector<Wish> wishes = this->wishes();
  std::vector<bool> mentioned = mentioned_variables(f, survey);
  TypeTable& types = f.module().types;
  Names names(f, node_count_);
  auto declare = [&](uint32_t node, Type type) {
    VarId& variable = of_node_[classes.class_of(node)];
    if (!is_none(variable)) return;
    const Wish& wish = wishes[classes.class_of(node)];
    // A source variable that nobody mentions comes back as itself, once.
    if (!is_none(wish.source) && !mentioned[index(wish.source)] &&
        types.storage(f.variables[wish.source].type) == types.storage(type)) {
      variable = wish.source;
      mentioned[index(variable)] = true;
      f.variables[variable].undef = UndefMeaning::reject;
      f.variables[variable].type = types.join(f.variables[variable].type, type);
      return;
    }
    Symbol like = is_none(wish.source) ? wish.name : f.variables[wish.source].name;
    variable =
        f.variables.push({is_none(like) ? names.make() : names.make_like(like), type, UndefMeaning::reject});
  };
  for (const Web& web : webs.webs)
    if (live.is_used(web.value)) declare(web.node, webs.nodes[web.value].type);
  for (const Slot& slot : webs.slots) declare(slot.node, f.columns().type(slot.phi_c));
  // A class is named by one of its members, which has the variable already.
  for (uint32_t n = 0; n < webs.nodes.size(); ++n) {
    VarId variable = of_node_[n] = of_node_[classes.class_of(n)];
    if (!webs.has_one_type && !is_none(variable) && f.variables[variable].type != webs.nodes[n].type)
      f.variables[variable].type = types.join(f.variables[variable].type, webs.nodes[n].type);
  }
  if (!webs.has_undef) return;

  std::vector<bool> is_copied = copied_variables(f);
  auto may_be_undefined = [&](uint32_t node, Operand operand) {
    VarId variable = of_node(node);
    if (!operand.is_undef() || is_none(variable) || !is_copied[index(variable)]) return;
    if (!ssa::zero_of(f, f.variables[variable].type).is_undef())
      f.variables[variable].undef = UndefMeaning::zero;
  };
  for (const Web& web : webs.webs)
    for (uint32_t word : webs.operands(web))
      may_be_undefined(web.node, Operand::from_word(word));
  for (const Slot& slot : webs.slots)
    for (const Upsilon& u : webs.upsilons_of(slot)) may_be_undefined(slot.node, webs.operand(u));
}

/// Variables that are read where `undef` may flow, not only where a value is needed.
std::vector<bool> Variables::copied_variables(const ir::Function& f) const {
  std::vector<bool> copied(f.variables.size(), false);
  auto mark = [&](VarId variable) {
    if (!is_none(variable)) copied[index(variable)] = true;
  };
  for (const Web& web : webs_.webs) {
    if (needs_start_copy(web.node, web.value)) mark(of_node(web.node));
    for (uint32_t word : webs_.operands(web))
      if (Operand operand = Operand::from_word(word); needs_copy(web, operand)) mark(of(operand));
  }
  for (const Slot& slot : webs_.slots) {
    if (needs_start_copy(slot.node, slot.value)) mark(of_node(slot.node));
    for (const Upsilon& u : webs_.upsilons_of(slot))
      if (needs_store(slot, webs_.operand(u))) mark(of(webs_.operand(u)));
  }
  for (uint32_t i = 0; i < f.size(); ++i) {
    const ir::Stmt& s = f.columns().stmt(i);
    if (s.op != ir::Op::pi && s.op != ir::Op::save_state && s.op != ir::Op::set) continue;
    for (uint32_t k = 0; k < f.operand_count(s); ++k)
      if (ir::info(s.op).is_value(k)) mark(of(f.operand(s, k)));
  }
  return copied;
}

}  // namespace braid::dessa
