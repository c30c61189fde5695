// A verified pandasm program as a module of functions with variables. What the numbers in its intrinsics and states
// stand for is answered here; pandasm/ssa_engine.h runs it.
//
// A function of the program is one of the module, under its name; where several have one name, the types of the
// parameters stand behind it. Functions without a body are external. The types of registers come from the verifier, so
// nothing is left to be fixed afterwards: a constant has the type of the register that it is written to, null is a
// reference, and a register that holds values of different types is a variable for each of them. Functions are as they were
// filled, not at rest: `ssa::construct` takes them so.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/source_file.h"
#include "bytecode/build.h"
#include "front/pandasm/hierarchy.h"
#include "front/pandasm/managed.h"
#include "front/pandasm/receivers.h"
#include "front/pandasm/verify.h"
#include "ir/module.h"

namespace braid::pandasm {

struct TranslationOptions {
  bytecode::BuildOptions build;
  /// A virtual call that may mean several functions becomes a call of the likeliest one behind a guard, if one is
  /// likely: where all
  /// receivers were of one record, or only one of the functions has a body.
  bool guesses = false;
  std::function<Receivers(uint32_t function, bytecode::Pc pc)> receivers;  ///< may be empty
  /// Before each instruction that may throw, `pa.stays` decides whether to go on here or in the interpreter.
  bool may_leave = false;
  bool locations = false;  ///< statements know their lines
};

class Translation {
 public:
  /// Of a program that was linked and verified; all of them outlive this.
  Translation(const SourceFile& source, const Program& program, const Links& links, const std::vector<FunctionTypes>& types,
              const TranslationOptions& options = {});
  ~Translation();

  ir::Module& module() { return *module_; }
  std::unique_ptr<ir::Module> take_module() { return std::move(module_); }
  const Program& program() const { return program_; }
  const Links& links() const { return links_; }
  const bytecode::BuildReport& report() const { return report_; }

  ir::FuncId function(uint32_t number) const { return functions_[number]; }
  /// The function of the program that a function of the module, which is one, stands for.
  uint32_t number_of(ir::FuncId function) const { return index(function); }
  /// Runs what must run before a record can be used: `pa.initialise`.
  ir::FuncId initialise_function();
  /// Code that goes on at a loop header of a function, given the registers that are live there, by number. Each time
  /// a new one.
  struct Entry {
    ir::FuncId function;
    std::vector<uint32_t> registers;
  };
  Entry add_entry(uint32_t function, bytecode::Pc header);
  /// The code of a function as its options would have it now.
  void translate_again(uint32_t function);
  /// The loop headers of a function, by their first instruction.
  std::vector<bytecode::Pc> headers(uint32_t function) const;

  /// What a state's position stands for.
  struct Place {
    uint32_t function;
    bytecode::Pc pc;
  };
  Place place(uint32_t position) const;
  uint32_t position(uint32_t function, bytecode::Pc pc) const { return first_position_[function] + pc; }
  /// The instruction that a statement with this location comes from, if it comes from one; only with `locations`.
  std::optional<Place> place(const ir::Location& location);
  /// Whether a guess was made for the virtual call at a position.
  bool is_guess(uint32_t position) const { return guesses_.contains(position); }
  uint32_t guess_count() const { return static_cast<uint32_t>(guesses_.size()); }
  const std::vector<Type>& types() const { return types_of_numbers_; }
  FieldLink field(uint32_t number) const;

 private:
  friend class FunctionTranslator;

  ir::Signature signature(uint32_t function) const;
  void declare_functions();
  void translate(uint32_t function);
  ir::IntrinsicId intrinsic(Managed operation);
  /// Makes an array of arrays, of so many lengths.
  ir::IntrinsicId array_maker(uint32_t dimensions);
  uint32_t number_of(const Type& type);

  const SourceFile& source_;
  const Program& program_;
  const Links& links_;
  const std::vector<FunctionTypes>& function_types_;
  TranslationOptions options_;
  std::unique_ptr<ir::Module> module_;
  std::vector<ir::FuncId> functions_;
  Hierarchy hierarchy_;
  std::unordered_set<uint32_t> guesses_;     ///< positions of calls
  std::unordered_map<uint64_t, Place> places_;  ///< by line and column; made when someone asks
  std::unordered_map<uint64_t, uint32_t> entry_counts_;  ///< how often a header has got code
  std::vector<uint32_t> first_position_;     ///< by function, and one more
  std::vector<uint32_t> first_field_;        ///< by record, and one more
  std::vector<Type> types_of_numbers_;
  std::map<std::tuple<Primitive, uint8_t, uint32_t>, uint32_t> number_of_type_;
  std::vector<ir::IntrinsicId> intrinsics_;  ///< by operation; none if nothing has used it
  ir::FuncId initialise_ = none_id<ir::FuncId>;
  Symbol file_;
  bytecode::BuildReport report_;
};

/// How a value of a declared type is kept: i32, i64, f32, f64, a reference; void for nothing.
braid::Type storage_of(const Type& type);
braid::Type storage_of(ValueType::Kind kind);
/// `pa.new_array.2`: what makes an array of arrays of so many lengths.
std::string array_maker_name(uint32_t dimensions);

}  // namespace braid::pandasm
