// A module: functions and externals, globals, intrinsics, and the tables that they share.
//
// Nothing is global: modules are independent, and one module per thread is safe.
#pragma once

#include <braid/intrinsic.h>
#include <braid/type.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/hash_index.h"
#include "base/id_map.h"
#include "base/symbol_table.h"
#include "ir/constants.h"
#include "ir/op.h"
#include "ir/operand.h"
#include "type/type_table.h"

namespace braid::ir {

class Function;

struct Signature {
  std::vector<Type> params;
  Type result = void_type;
  friend bool operator==(const Signature&, const Signature&) = default;
};

/// Bytes in memory with a name. `initial` is at most `size` long; the rest is zero.
struct Global {
  Symbol name;
  uint64_t size = 0;
  uint32_t align = 8;
  bool constant = false;  ///< a store to it traps
  std::vector<uint8_t> initial;
  friend bool operator==(const Global&, const Global&) = default;
};

struct Intrinsic {
  Symbol name;
  SigId signature;
  Traits traits = no_traits;
  IntrinsicEval evaluate;  ///< may be empty: then it cannot be run
  IntrinsicType refine;    ///< may be empty: then the type is the signature's
};

struct Location {
  Symbol file;
  uint32_t line = 0, column = 0;
  Loc inlined_at{};  ///< the call in whose place the statement stands; none if it was not inlined
  friend bool operator==(const Location&, const Location&) = default;
};

/// Whose meaning the dynamic operations of a module have (ir/language.h).
enum class LanguageId : uint8_t { none, php };

class Module {
 public:
  Module();
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  SymbolTable symbols;
  TypeTable types;
  ConstTable constants;
  LanguageId language = LanguageId::none;

  /// A new function or external. The name must be free (see `find_function`).
  Function& add_function(Symbol name, Signature sig, bool external = false) {
    return add_function(name, signature(std::move(sig)), external);
  }
  Function& add_function(Symbol name, SigId signature, bool external = false);
  /// Puts `body` (a copy of a function of this module, edited) in place of the function with its id.
  Function& replace_function(FuncId id, Function body);
  Function* find_function(Symbol name);
  Function* find_function(std::string_view name);
  Function& function(FuncId id) { return *functions_[id]; }
  const Function& function(FuncId id) const { return *functions_[id]; }
  size_t function_count() const { return functions_.size(); }
  bool has_function(FuncId id) const { return functions_.contains(id); }

  GlobalId add_global(Global global);
  GlobalId find_global(Symbol name) const;  ///< none_id if there is none
  IdMap<GlobalId, Global> globals;

  IntrinsicId add_intrinsic(Intrinsic intrinsic);
  IntrinsicId find_intrinsic(Symbol name) const;  ///< none_id if there is none
  IdMap<IntrinsicId, Intrinsic> intrinsics;

  /// Functions that somebody changed through the public interface, in this order, for those who keep what they have made of
  /// them; none stands for all.
  std::vector<FuncId> changes;

  /// What is wrong with declarations that came through the public interface, which cannot refuse them.
  std::vector<std::string> mistakes;

  SigId signature(Signature signature);  ///< interned
  const Signature& signature(SigId id) const { return signatures_[id]; }
  size_t signature_count() const { return signatures_.size(); }

  Loc location(Symbol file, uint32_t line, uint32_t column, Loc inlined_at = {});
  const Location& location(Loc loc) const { return locations_[index(loc)]; }
  size_t location_count() const { return locations_.size(); }
  /// Calls in whose place a statement stands, one inside of the other.
  uint32_t inlined_depth(Loc loc) const {
    uint32_t depth = 0;
    for (loc = locations_[index(loc)].inlined_at; loc != Loc{}; loc = locations_[index(loc)].inlined_at) ++depth;
    return depth;
  }

  /// Shorthands for operands.
  Operand constant(Type type, int64_t value) { return constants.get(type, static_cast<uint64_t>(value)); }
  /// The type with a single value that a constant operand has, as narrow as the lattice knows.
  Type constant_type(Operand constant);
  Symbol symbol(std::string_view name) { return symbols.intern(name); }
  std::string_view name(Symbol symbol) const { return symbols.view(symbol); }

 private:
  IdMap<FuncId, std::unique_ptr<Function>> functions_;
  IdMap<SigId, Signature> signatures_;
  std::vector<Location> locations_;
  SmallHashIndex functions_by_name_, globals_by_name_, intrinsics_by_name_, signatures_by_hash_;
};

}  // namespace braid::ir
