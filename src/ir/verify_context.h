// What the checks of the verifier share: the function, where its statements stand, and how faults are told.
#pragma once

#include <array>
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bit_set.h"
#include "flow/dominance.h"
#include "ir/graph_view.h"
#include "ir/order.h"
#include "ir/verify.h"

namespace braid::ir {

enum class Rule : uint8_t {
#define SUBJECT(title)
#define RULE(id, name, doc) id,
#include "ir/verify_rules.def"
#undef RULE
#undef SUBJECT
};

/// A message from its parts: text and numbers.
template <typename... Parts>
std::string say(const Parts&... parts) {
  std::string text;
  auto add = [&](const auto& part) {
    if constexpr (std::integral<std::remove_cvref_t<decltype(part)>>)
      text += std::to_string(part);
    else
      text += part;
  };
  (add(parts), ...);
  return text;
}

/// Whether a variable may hold it: a plain value, or a tuple of nothing but such. False for a type that does not exist.
bool is_value_type(const TypeTable& types, Type type);

class VerifyContext {
 public:
  VerifyContext(const Function& function, const VerifyOptions& options);

  const Function& f;
  const Module& module;
  const TypeTable& types;
  const uint32_t size;         ///< statements in the vector; dense ids from here on are buffered
  const uint32_t block_count;

  // ---- findings ----
  void report(Rule rule, Operand where, BlockId block, std::string message);
  void report(Rule rule, Operand where, std::string message) { report(rule, where, block_of(where), std::move(message)); }
  bool full() const { return findings_.size() >= limit_; }
  bool clean() const { return findings_.empty(); }
  std::vector<Finding> take_findings();

  // ---- names, as the text form has them ----
  std::string name(Operand operand) const;
  std::string name(BlockId b) const;  ///< in quotes
  std::string name(Type type) const;

  // ---- what must be checked before anything else may read it ----
  bool operands_exist(const Stmt& stmt) const;  ///< the list lies in the pool
  bool is_type(Type type) const { return types.has(type); }
  bool is_symbol(Symbol symbol) const { return module.symbols.contains(symbol); }
  bool is_statement(Operand operand) const {
    return (operand.is_stmt() && operand.number() < size) ||
           (operand.is_pending() && operand.number() < f.pending_count());
  }
  bool is_operand(Operand operand) const;  ///< it names something, or is `undef` or `erased`
  struct RangeLink {
    uint32_t first, end, next;
  };
  uint32_t range_count() const;
  RangeLink range_link(uint32_t number) const;

  /// A statement whose operands cannot be trusted: later checks leave it out.
  void mark_bad(uint32_t dense);
  bool is_bad(uint32_t dense) const { return any_bad_ && bad_.test(dense); }

  // ---- places; valid once the graph is checked ----
  std::vector<BlockId> block_of_dense;  ///< none for a statement in no block
  /// Places in their blocks by dense id; empty while dense ids themselves are in order.
  std::vector<uint32_t> order;
  PendingLists lists;
  void number_statements();
  /// The predecessor of each phi column, by block: `columns[column_starts[b]]` and on. None where the edge is dead or, once
  /// dominance is known, comes from an unreachable block.
  std::vector<uint32_t> column_starts;
  std::vector<flow::Node> columns;
  void find_dominance();
  const flow::Dominance& dominance() const { return dominance_; }
  /// Graph and tree for the few rules that walk them; made on demand, the graph without the tree.
  const flow::Graph& block_graph();
  const BlockDominance& block_tree();

  BlockId block_of(Operand id) const {
    return is_statement(id) && f.dense(id) < block_of_dense.size() ? block_of_dense[f.dense(id)] : none_id<BlockId>;
  }
  uint32_t order_of(uint32_t dense) const { return order.empty() ? dense : order[dense]; }
  bool is_reachable(BlockId b) const { return dominance_.is_reachable(node(b)); }
  bool dominates(BlockId a, BlockId b) const { return dominance_.dominates(node(a), node(b)); }
  /// `def` (dense) is executed before `use` (dense) on every path to it. Both in reachable blocks.
  bool comes_before(uint32_t def, uint32_t use) const {
    BlockId from = block_of_dense[def], to = block_of_dense[use];
    return from == to ? order_of(def) < order_of(use) : dominates(from, to);
  }

  // ---- reading statements ----
  /// As Function::resolve, but for statements that may be corrupt, and without walking a chain twice.
  Operand resolve(Operand operand);
  Operand operand(const Stmt& stmt, uint32_t i) { return resolve(Operand::from_word(f.args(stmt)[i])); }
  std::span<const flow::Node> phi_columns(BlockId b) const {
    return {columns.data() + column_starts[index(b)], column_starts[index(b) + 1] - column_starts[index(b)]};
  }

  /// Calls `visit(Operand id, uint32_t dense, const Stmt&)` for the statements of a block that can be trusted.
  template <typename F>
  void for_each_in(BlockId b, F&& visit) const {
    for_each_statement(f, lists, b, [&](Operand id) {
      uint32_t dense = f.dense(id);
      if (!is_bad(dense)) visit(id, dense, f.stmt(id));
    });
  }
  /// The same for all reachable blocks.
  template <typename F>
  void for_each_reachable(F&& visit) const {
    for (uint32_t b = 0; b < block_count; ++b)
      if (is_reachable(static_cast<BlockId>(b))) for_each_in(static_cast<BlockId>(b), visit);
  }
  /// Calls `visit(i, Operand)` for the value operands; those of a phi's dead columns are left out.
  template <typename F>
  void for_each_operand(const Stmt& stmt, BlockId b, F&& visit) {
    const OpInfo& op = info(stmt.op);
    std::span<const uint32_t> words = f.args(stmt);
    bool is_phi = stmt.op == Op::phi;
    std::span<const flow::Node> columns = is_phi ? phi_columns(b) : std::span<const flow::Node>{};
    for (uint32_t i = 0; i < words.size(); ++i) {
      if (!op.is_value(i)) continue;
      if (is_phi && (i >= columns.size() || is_none(columns[i]))) continue;
      visit(i, resolve(Operand::from_word(words[i])));
    }
  }

  std::array<bool, op_count> present{};  ///< ops that occur, those of plain statements left out; filled by check_values
  std::vector<uint32_t> unplain;         ///< reachable statements (dense) that are not plain, in order; the same
  bool undef_flows = false;              ///< `undef` is an operand of phi, pi or upsilon; filled by check_values

 private:
  uint32_t resolve_chain(uint32_t dense);

  std::vector<Finding> findings_;
  uint32_t limit_;
  const VerifyOptions& options_;
  bool any_bad_ = false;
  BitSet bad_;
  std::vector<uint32_t> resolved_;  ///< by dense id of a `same`: operand word, or not_yet; empty while there was none
  flow::Dominance dominance_;
  std::shared_ptr<const flow::Graph> graph_;
  std::optional<BlockDominance> tree_;
};

// The checks, by subject. Each needs those before it.
bool check_tables(VerifyContext& c);   ///< false: types cannot be read
bool check_graph(VerifyContext& c);    ///< false: blocks and edges cannot be followed
void check_values(VerifyContext& c);
void check_undef(VerifyContext& c);
void check_types(VerifyContext& c);
void check_handlers(VerifyContext& c);
void check_states(VerifyContext& c);

}  // namespace braid::ir
