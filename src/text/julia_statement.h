// One statement in the Julia style: what stands between the value column and the type.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ir/compact.h"
#include "text/listing.h"

namespace braid::text {

class JuliaStatement {
 public:
  /// Edges, variables and, if there are any, names of the listing. `walk` is the compaction under way, if the function is
  /// the one that it walks over or the part that it has emitted; operands may be names of the walk then.
  JuliaStatement(const Listing& listing, std::string& out, const ir::Compact* walk = nullptr)
      : f_(listing.function()), listing_(listing), out_(out), walk_(walk) {}

  /// Names targets, and where phis come from, by statements instead of blocks: `%` and these numbers of the first
  /// statement of each block. A phi's edge comes from the statement that ends its block.
  void name_blocks_by(std::span<const uint32_t> first_statements) { first_statements_ = first_statements; }

  /// A statement of block `b`, with its type or without.
  void append(ir::BlockId b, ir::Operand id, bool typed);
  void append_goto(ir::BlockId target);
  /// What a statement is called: counted from 1, buffered ones behind all others.
  uint32_t number_of(ir::Operand id) const { return f_.dense(id) + 1; }
  /// The operand of a phi for an edge into its block.
  ir::Operand phi_operand(const ir::Stmt& phi, ir::EdgeId e) const {
    uint32_t i = f_.edge(e).pred_index;
    return i < f_.operand_count(phi) ? f_.operand(phi, i) : ir::Operand::undef();
  }

 private:
  void append_node(ir::BlockId b, ir::Operand id);
  void append_terminator(const ir::Stmt& stmt);
  void append_switch(const ir::Stmt& stmt, uint32_t default_operand);
  void append_phi(ir::BlockId b, const ir::Stmt& stmt);
  void append_call(ir::Operand id, const ir::Stmt& stmt);
  void append_list(std::string_view before, const ir::Stmt& stmt);
  void append_expression(std::string_view head, const ir::Stmt& stmt);
  std::string_view call_label(const ir::Stmt& stmt) const;

  void append_block_number(ir::BlockId b);
  void append_source(ir::BlockId b);
  void append_target(const ir::Stmt& stmt, uint32_t i);
  void append_operand(const ir::Stmt& stmt, uint32_t i);
  void append_value(ir::Operand operand);
  void append_constant(ir::Constant constant);
  Type type_of(ir::Operand operand) const;
  void append_type(Type type);
  void append_type_name(Type type);

  const ir::Function& f_;
  const Listing& listing_;
  std::string& out_;
  const ir::Compact* walk_;
  std::span<const uint32_t> first_statements_;
};

}  // namespace braid::text
