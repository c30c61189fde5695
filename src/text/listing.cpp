#include "text/listing.h"

#include <algorithm>
#include <utility>

#include "text/names.h"

namespace braid::text {

using namespace ir;

bool is_live(const Function& f, uint32_t edge_word) {
  return edge_word < f.edge_count() && !f.edge(static_cast<EdgeId>(edge_word)).dead;
}

bool operand_exists(const Function& f, Operand operand) {
  if (operand.is_stmt() || operand.is_pending()) return f.dense(operand) < f.dense_count();
  return !operand.is_param() || operand.number() < f.param_count();
}

LiveTerminator live_terminator(const Function& f, const Stmt& stmt) {
  std::span<const uint32_t> words = f.args(stmt);
  auto live = [&](uint32_t i) { return i < words.size() && is_live(f, words[i]); };
  switch (stmt.op) {
    case Op::jump:
      if (live(0)) return {Op::jump, 0};
      break;
    case Op::branch:
      if (live(1) && live(2)) return {Op::branch};
      if (live(1) || live(2)) return {Op::jump, live(1) ? 1u : 2u};
      break;
    case Op::enter:
      if (live(1)) return {Op::enter};
      break;
    case Op::switch_: {
      if (live(1)) return {Op::switch_, 1};
      // The last live case takes over from a dead default.
      for (uint32_t i = static_cast<uint32_t>(words.size()); i > 3; --i)
        if (i % 2 == 0 && live(i - 1)) return {Op::switch_, i - 1};
      break;
    }
    default: return {stmt.op};
  }
  return {Op::unreachable};
}

namespace {

/// Marks what cannot be listed under its own name: no plain name, a name that stands for "no name", or one that a thing
/// before it has.
template <typename NameOf>
void find_aliases(const Module& module, BitSet& aliases, uint32_t count, std::string_view prefix, NameOf&& name_of) {
  std::vector<std::pair<uint32_t, uint32_t>> named;
  for (uint32_t i = 0; i < count; ++i)
    if (Symbol name = name_of(i); !is_none(name)) named.emplace_back(index(name), i);
  if (named.empty()) return;
  aliases.resize(count);
  std::ranges::sort(named);
  for (size_t k = 0; k < named.size(); ++k) {
    std::string_view name = module.name(static_cast<Symbol>(named[k].first));
    bool again = k > 0 && named[k - 1].first == named[k].first;
    if (again || !is_name(name) || name == "none" || number_behind(prefix, name) >= 0) aliases.set(named[k].second);
  }
}

}  // namespace

void Listing::find_names() {
  const Module& module = f_.module();
  find_aliases(module, block_aliases_, f_.block_count(), block_prefix,
               [&](uint32_t i) { return f_.block(static_cast<BlockId>(i)).name; });
  find_aliases(module, variable_aliases_, static_cast<uint32_t>(f_.variables.size()), variable_prefix,
               [&](uint32_t i) { return f_.variables[static_cast<VarId>(i)].name; });
  uint32_t params = std::min(f_.param_count(), static_cast<uint32_t>(f_.param_names.size()));
  find_aliases(module, param_aliases_, params, param_prefix, [&](uint32_t i) { return f_.param_names[i]; });
}

void Listing::append_block(std::string& out, BlockId b) const {
  if (index(b) < f_.block_count() && block_has_name(b)) {
    out += f_.module().name(f_.block(b).name);
  } else {
    out += block_prefix;
    append_number(out, index(b));
  }
}

void Listing::append_variable(std::string& out, VarId v) const {
  if (f_.variables.contains(v) && variable_has_name(v)) {
    out += f_.module().name(f_.variables[v].name);
  } else {
    out += variable_prefix;
    append_number(out, index(v));
  }
}

void Listing::append_param(std::string& out, uint32_t i) const {
  if (param_has_name(i)) {
    out += f_.module().name(f_.param_names[i]);
  } else {
    out += param_prefix;
    append_number(out, i);
  }
}

void Listing::order_edges() {
  edges_ = Csr<EdgeId>::build(f_.block_count(), [&](auto&& emit) {
    for (uint32_t b = 0; b < f_.block_count(); ++b) {
      Operand terminator = f_.terminator(static_cast<BlockId>(b));
      if (terminator.is_undef() || !operand_exists(f_, terminator)) continue;
      for_each_listed_target(f_, f_.stmt(terminator), [&](EdgeId e) {
        if (uint32_t to = index(f_.edge(e).to); to < f_.block_count()) emit(to, e);
      });
    }
  });
}

void Listing::order_edges(const Compact& walk) {
  edges_ = Csr<EdgeId>::build(f_.block_count(), [&](auto&& emit) {
    for (uint32_t b = 0; b < f_.block_count(); ++b) {
      if (walk.is_gone(static_cast<BlockId>(b))) continue;
      walk.for_each_succ(static_cast<BlockId>(b), [&](EdgeId e) { emit(index(f_.edge(e).to), e); });
    }
  });
}

void Listing::find_uses() {
  used_ = BitSet(f_.dense_count());
  for (uint32_t dense = 0; dense < f_.dense_count(); ++dense) {
    const Stmt& stmt = f_.stmt(f_.from_dense(dense));
    const OpInfo& op = info(stmt.op);
    std::span<const uint32_t> words = f_.args(stmt);
    if (!op.arity_ok(static_cast<uint32_t>(words.size()))) continue;
    for (uint32_t i = 0; i < words.size(); ++i) {
      Operand operand = Operand::from_word(words[i]);
      if (operand.tag() > Operand::Tag::pending || !op.is_value(i)) continue;
      if (operand_exists(f_, operand)) used_.set(f_.dense(operand));
    }
  }
}

}  // namespace braid::text
