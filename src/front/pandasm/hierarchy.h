// What a program says of its records and functions, without any objects: who extends whom, whose a function is,
// which function a
// virtual call means, what must run before a record can be used.
//
// Records make a tree, numbered so that the subtypes of one stand in a row: a subtype test is two comparisons.
// Functions that
// override each other have one key.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "front/pandasm/link.h"

namespace braid::pandasm {

class Hierarchy {
 public:
  /// Both outlive it. O(program).
  Hierarchy(const Program& program, const Links& links);

  // ---- records ----
  /// unlinked if the program has no such record.
  uint32_t find_record(std::string_view name) const;
  uint32_t object_record() const { return object_; }
  bool is_subrecord(uint32_t a, uint32_t b) const {
    return order_[a].first >= order_[b].first && order_[a].first < order_[b].end;
  }
  /// All of them, those that others extend first.
  const std::vector<uint32_t>& top_down() const { return top_down_; }
  /// The class initialiser of a record, or unlinked.
  uint32_t initialiser(uint32_t record) const { return initialisers_[record]; }
  /// Whether the record, or one that it extends, has an initialiser.
  bool needs_initialising(uint32_t record) const { return needs_initialising_[record]; }

  // ---- functions ----
  /// The record whose function this is, or unlinked.
  uint32_t owner(uint32_t function) const { return functions_[function].owner; }
  /// Its first parameter is its owner: it can be overridden, and calling it initialises nothing.
  bool is_instance(uint32_t function) const { return functions_[function].is_instance; }
  /// A subtype of its owner has one of its own.
  bool is_overridden(uint32_t function) const { return functions_[function].is_overridden; }
  /// What a virtual call of the function means for an object of a record: the nearest one of the same name,
  /// parameters and result, seen
  /// from the record upwards. Found by walking up the tree.
  uint32_t find_virtual(uint32_t record, uint32_t function) const;
  /// The only function with a body that a virtual call can mean; unlinked if there are several or none. O(functions
  /// of its key).
  uint32_t only_implementation(uint32_t function) const;

 private:
  struct Range {
    uint32_t first = 0, end = 0;
  };
  struct FunctionPlace {
    uint32_t owner = unlinked;
    uint32_t key = 0;  ///< equal for those that override each other; 0 for those that nothing overrides
    bool is_instance = false, is_overridden = false;
  };

  void number_records();
  void place_functions();
  void find_overridden();
  void find_needs();

  const Program& program_;
  const Links& links_;
  uint32_t object_ = unlinked;
  std::vector<uint32_t> top_down_;
  std::vector<Range> order_;             ///< by record
  std::vector<FunctionPlace> functions_;
  std::vector<uint32_t> initialisers_;   ///< by record
  std::vector<bool> needs_initialising_; ///< by record
  std::vector<std::vector<uint32_t>> functions_of_key_;
  std::unordered_map<uint64_t, uint32_t> virtual_functions_;  ///< by record and key
};

}  // namespace braid::pandasm
