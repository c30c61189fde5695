// Names, places and trust for the verifier.
#include "ir/verify_context.h"

#include <algorithm>
#include <unordered_set>

#include "base/number_text.h"
#include "ir/bits.h"
#include "type/type_text.h"

namespace braid::ir {
namespace {

constexpr std::string_view rule_names[] = {
#define SUBJECT(title)
#define RULE(id, name, doc) name,
#include "ir/verify_rules.def"
#undef RULE
#undef SUBJECT
};

constexpr uint32_t not_yet = 0xffffffffu;

}  // namespace

bool is_value_type(const TypeTable& types, Type type) {
  auto is_sound = [&](Type part) {
    if (part.is_plain() ? part.bits >> kind_count != 0 : part.table_index() >= types.size()) return false;
    const KindSet kinds = types.kinds(part);
    return kinds != 0 && (kinds & ~any.bits) == 0;
  };
  auto has_parts = [&](Type part) {
    return !part.is_plain() && (types.kinds(part) & tuple_type.bits) != 0 && types.has_elements(part);
  };
  if (!is_sound(type) || !has_parts(type)) return is_sound(type);
  // Tuples share their elements: each type is looked at once.
  std::vector<Type> work = {type};
  std::unordered_set<uint32_t> seen;
  while (!work.empty()) {
    Type part = work.back();
    work.pop_back();
    if (!is_sound(part)) return false;
    if (!has_parts(part) || !seen.insert(part.bits).second) continue;
    std::span<const Type> elements = types.elements(part);
    work.insert(work.end(), elements.begin(), elements.end());
  }
  return true;
}

VerifyContext::VerifyContext(const Function& function, const VerifyOptions& options)
    : f(function),
      module(function.module()),
      types(function.module().types),
      size(function.size()),
      block_count(function.block_count()),
      limit_(options.limit),
      options_(options) {}

// ---- findings ----

void VerifyContext::report(Rule rule, Operand where, BlockId block, std::string message) {
  if (full()) return;
  findings_.push_back({rule_names[static_cast<size_t>(rule)], f.id(), block, where, std::move(message)});
}

std::vector<Finding> VerifyContext::take_findings() {
  struct Place {
    uint64_t block, in_block;
    size_t found;
    auto operator<=>(const Place&) const = default;
  };
  std::vector<Place> places;
  for (const Finding& finding : findings_) {
    uint64_t in_block = 0;
    if (is_statement(finding.where)) {
      uint32_t dense = f.dense(finding.where);
      in_block = 1 + uint64_t{dense < order.size() ? order[dense] : dense};
    }
    places.push_back({is_none(finding.block) ? 0 : 1 + uint64_t{index(finding.block)}, in_block, places.size()});
  }
  std::sort(places.begin(), places.end());
  std::vector<Finding> ordered;
  for (const Place& place : places) ordered.push_back(std::move(findings_[place.found]));
  return ordered;
}

// ---- names ----

std::string VerifyContext::name(Operand operand) const {
  if (options_.name && is_statement(operand)) return options_.name(f, operand);
  switch (operand.tag()) {
    case Operand::Tag::stmt: return say("%", operand.number());
    case Operand::Tag::pending: return say("%+", operand.number());
    case Operand::Tag::param: {
      if (operand.is_undef()) return "undef";
      if (operand.is_erased()) return "an erased statement";
      uint32_t number = operand.number();
      bool named = number < f.param_names.size() && is_symbol(f.param_names[number]);
      return named ? say("%", module.name(f.param_names[number])) : say("%arg", number);
    }
    case Operand::Tag::constant:
    case Operand::Tag::small: {
      if (!module.constants.contains(operand)) return "a constant that does not exist";
      Constant constant = module.constants.value(operand);
      std::string text = name(constant.type) + " ";
      if (constant.type == f64)
        append_hex_float(text, as_float<double>(constant.bits));
      else if (constant.type == f32)
        append_hex_float(text, as_float<float>(constant.bits));
      else
        text += std::to_string(static_cast<int64_t>(constant.bits));
      return text;
    }
    default: return "an operand of an unfinished compaction";
  }
}

std::string VerifyContext::name(BlockId b) const {
  if (index(b) < block_count && is_symbol(f.block(b).name)) return say("'", module.name(f.block(b).name), "'");
  return say("'b", index(b), "'");
}

std::string VerifyContext::name(Type type) const {
  return is_type(type) ? to_string(types, type) : "a type that does not exist";
}

// ---- trust ----

bool VerifyContext::operands_exist(const Stmt& stmt) const {
  if (!stmt.is_pooled()) return stmt.n <= 3;
  return uint64_t{stmt.arg[0]} + stmt.arg[1] <= f.pool_.size();
}

bool VerifyContext::is_operand(Operand operand) const {
  switch (operand.tag()) {
    case Operand::Tag::stmt:
    case Operand::Tag::pending: return is_statement(operand);
    case Operand::Tag::param: return !operand.is_param() || operand.number() < f.param_count();
    case Operand::Tag::constant:
    case Operand::Tag::small: return module.constants.contains(operand);
    default: return false;
  }
}

uint32_t VerifyContext::range_count() const { return static_cast<uint32_t>(f.ranges_.size()); }

VerifyContext::RangeLink VerifyContext::range_link(uint32_t number) const {
  const Function::Range& range = f.ranges_[number];
  return {range.first, range.end, range.next};
}

void VerifyContext::mark_bad(uint32_t dense) {
  if (!any_bad_) bad_.resize(f.dense_count());
  any_bad_ = true;
  bad_.set(dense);
}

// ---- places ----

void VerifyContext::number_statements() {
  lists = PendingLists(f);
  bool ascending = lists.empty();
  if (ascending && range_count() == 0) return;
  for (uint32_t b = 0; ascending && b < block_count; ++b) {
    uint32_t last_end = 0;
    f.for_each_range(static_cast<BlockId>(b), [&](uint32_t first, uint32_t end) {
      ascending = ascending && first >= last_end;
      last_end = end;
    });
  }
  if (ascending) return;
  order.assign(f.dense_count(), 0);
  for (uint32_t b = 0; b < block_count; ++b) {
    uint32_t place = 0;
    for_each_statement(f, lists, static_cast<BlockId>(b), [&](Operand id) { order[f.dense(id)] = place++; });
  }
}

/// Compaction numbers blocks forwards; a function that is being edited may need the general algorithm.
void VerifyContext::find_dominance() {
  if (!dominance_.build(column_starts, columns)) dominance_.take(block_tree().tree());
  if (dominance_.all_reachable()) return;
  for (flow::Node& from : columns)
    if (!is_none(from) && !dominance_.is_reachable(from)) from = none_id<flow::Node>;
}

const flow::Graph& VerifyContext::block_graph() {
  if (!graph_) graph_ = std::make_shared<const flow::Graph>(ir::block_graph(f));
  return *graph_;
}

const BlockDominance& VerifyContext::block_tree() {
  block_graph();
  if (!tree_) tree_.emplace(graph_);
  return *tree_;
}

// ---- reading ----

Operand VerifyContext::resolve(Operand operand) {
  if (!is_statement(operand)) return operand;
  uint32_t dense = f.dense(operand);
  if (f.stmt(operand).op != Op::same) return operand;
  if (resolved_.empty()) resolved_.assign(f.dense_count(), not_yet);
  if (resolved_[dense] == not_yet) resolve_chain(dense);
  return Operand::from_word(resolved_[dense]);
}

/// Gives every `same` on the chain its answer. While it walks, the answer of those on the way is `erased`, which is what
/// a ring stands for.
uint32_t VerifyContext::resolve_chain(uint32_t dense) {
  std::vector<uint32_t> way;
  Operand at = f.from_dense(dense);
  uint32_t answer = not_yet;
  while (answer == not_yet) {
    if (!is_operand(at)) {
      answer = Operand::erased().word();
    } else if (!is_statement(at) || f.stmt(at).op != Op::same) {
      answer = at.word();
    } else if (uint32_t d = f.dense(at); resolved_[d] != not_yet) {
      answer = resolved_[d];
    } else {
      way.push_back(d);
      resolved_[d] = Operand::erased().word();
      const Stmt& same = f.stmt(at);
      at = same.n == 1 ? Operand::from_word(same.arg[0]) : Operand::erased();
    }
  }
  for (uint32_t d : way) resolved_[d] = answer;
  return answer;
}

}  // namespace braid::ir
