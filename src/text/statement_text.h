// The text of one statement of a listing.
#pragma once

#include <span>
#include <string>

#include "text/listing.h"

namespace braid::text {

/// A constant that is no number, as both styles write it: text in quotes, `null`, or an address.
void append_reference(std::string& out, const ir::Module& module, Kind kind, uint64_t bits);

class StatementText {
 public:
  /// `printed` holds what stands further up, by dense number; without it, everything with a lower number does.
  StatementText(const Listing& listing, std::string& out, const BitSet* printed = nullptr)
      : l_(listing), f_(listing.function()), out_(out), printed_(printed) {}

  void append(ir::BlockId block, ir::Operand id, bool with_result);
  /// Any value operand; a constant with its type.
  void append_value(ir::Operand operand);
  void append_type(Type type);

 private:
  void append_operation(ir::BlockId block, ir::Operand id, const ir::Stmt& stmt);
  void append_generic(ir::Operand id, const ir::Stmt& stmt, const ir::OpInfo& op);
  void append_phi(ir::BlockId block, const ir::Stmt& stmt, Type type);
  void append_switch(const ir::Stmt& stmt, uint32_t default_operand);
  void append_save_state(const ir::Stmt& stmt);
  void append_intrinsic(const ir::Stmt& stmt);
  void append_indirect_call(const ir::Stmt& stmt);
  void append_list(const ir::Stmt& stmt, uint32_t first, char open, char close);
  void append_operand(const ir::Stmt& stmt, uint32_t i, Type shown);
  void append_value(const ir::Stmt& stmt, uint32_t i, Type shown);
  void append_constant(ir::Constant constant);
  void append_target(uint32_t edge_word);
  void append_attributes(ir::BlockId block, ir::Operand id, const ir::Stmt& stmt);
  void append_location(ir::Loc loc);
  Type first_operand_type(const ir::Stmt& stmt) const;
  bool type_follows(ir::Operand id, const ir::Stmt& stmt) const;
  bool operands_exist(const ir::Stmt& stmt) const;

  const Listing& l_;
  const ir::Function& f_;
  std::string& out_;
  const BitSet* printed_;
};

}  // namespace braid::text
