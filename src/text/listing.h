// How a function is listed: names of its blocks, variables and parameters, the order of edges, terminators without their
// dead edges, and which void results are used. Everything that prints or compares functions asks here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/bit_set.h"
#include "base/csr.h"
#include "ir/compact.h"
#include "ir/function.h"

namespace braid::text {

/// A terminator as it is listed: a dead edge of a switch is left out, and a terminator that lacks the edges it needs
/// is a simpler one.
struct LiveTerminator {
  ir::Op op;
  uint32_t target = 0;  ///< the operand that is the target of a jump, or the default of a switch
};
LiveTerminator live_terminator(const ir::Function& f, const ir::Stmt& stmt);

bool is_live(const ir::Function& f, uint32_t edge_word);
/// False for the number of a statement or parameter that there is not. A listing is also made of functions that the
/// verifier rejects.
bool operand_exists(const ir::Function& f, ir::Operand operand);

/// Calls `visit(EdgeId)` for the live edges of a terminator in the order in which they are listed.
template <typename Visit>
void for_each_listed_target(const ir::Function& f, const ir::Stmt& stmt, Visit&& visit) {
  LiveTerminator live = live_terminator(f, stmt);
  if (live.op == ir::Op::unreachable) return;
  std::span<const uint32_t> words = f.args(stmt);
  auto edge = [&](uint32_t i) { return static_cast<ir::EdgeId>(words[i]); };
  if (live.op == ir::Op::jump) return visit(edge(live.target));
  if (live.op == ir::Op::switch_) visit(edge(live.target));
  for (uint32_t i = 0; i < words.size(); ++i) {
    if (ir::info(live.op).kind_of(i) != ir::OperandKind::block || !is_live(f, words[i])) continue;
    if (live.op != ir::Op::switch_ || i != live.target) visit(edge(i));
  }
}

class Listing {
 public:
  explicit Listing(const ir::Function& f) : f_(f) {}

  const ir::Function& function() const { return f_; }

  /// Whether a name stands as it is; otherwise `b7`, `var.7` or `%arg7` stands in its place.
  bool block_has_name(ir::BlockId b) const { return !is_none(f_.block(b).name) && !unnamed(block_aliases_, index(b)); }
  bool variable_has_name(ir::VarId v) const { return !unnamed(variable_aliases_, index(v)); }
  bool param_has_name(uint32_t i) const {
    return i < f_.param_names.size() && !is_none(f_.param_names[i]) && !unnamed(param_aliases_, i);
  }
  void append_block(std::string& out, ir::BlockId b) const;
  void append_variable(std::string& out, ir::VarId v) const;
  void append_param(std::string& out, uint32_t i) const;

  /// The live edges into a block in the order of the list: by source block, then as the source's terminator lists them.
  std::span<const ir::EdgeId> edges_into(ir::BlockId b) const { return edges_.row(b); }
  /// Whether a statement with a void result or a token is used.
  bool is_used(ir::Operand id) const { return used_.test(f_.dense(id)); }

  /// Each of these makes one part of the listing. O(blocks log blocks + variables log variables), O(edges), O(operands).
  void find_names();
  void order_edges();
  /// The same of a compaction under way, which the function is emitted by or walked over.
  void order_edges(const ir::Compact& walk);
  void find_uses();

 private:
  static bool unnamed(const BitSet& aliases, uint32_t i) { return i < aliases.size() && aliases.test(i); }

  const ir::Function& f_;
  BitSet block_aliases_, variable_aliases_, param_aliases_;
  Csr<ir::EdgeId> edges_;
  BitSet used_;
};

}  // namespace braid::text
