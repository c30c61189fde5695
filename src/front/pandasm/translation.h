// A verified pandasm program as a module of functions with variables. What the numbers in its intrinsics and states
// stand for is answered here; pandasm/ssa_engine.h runs it.
//
// A function of the program is one of the module, under its name; where several have one name, the types of the
// parameters stand behind it. Functions without a body are external. The types of registers come from the verifier, so
// nothing is left to be fixed afterwards: a constant has the type of the register that it is written to, null is a
// reference, and a register that holds values of different types is a variable for each of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/source_file.h"
#include "bytecode/build.h"
#include "front/pandasm/managed.h"
#include "front/pandasm/verify.h"
#include "ir/module.h"

namespace braid::pandasm {

struct TranslationOptions {
  bytecode::BuildOptions build;
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
  /// Runs what must run before a record can be used: `pa.initialise`.
  ir::FuncId initialise_function();
  /// Code that goes on at a loop header of a function, given the registers that are live there, by number.
  struct Entry {
    ir::FuncId function;
    std::vector<uint32_t> registers;
  };
  Entry add_entry(uint32_t function, bytecode::Pc header);
  /// The loop headers of a function, by their first instruction.
  std::vector<bytecode::Pc> headers(uint32_t function) const;

  /// What a state's position stands for.
  struct Place {
    uint32_t function;
    bytecode::Pc pc;
  };
  Place place(uint32_t position) const;
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
  void find_initialisers();
  /// Its first parameter is its owner.
  bool is_instance(uint32_t function) const;

  const SourceFile& source_;
  const Program& program_;
  const Links& links_;
  const std::vector<FunctionTypes>& function_types_;
  TranslationOptions options_;
  std::unique_ptr<ir::Module> module_;
  std::vector<ir::FuncId> functions_;
  std::vector<uint32_t> owners_;             ///< by function: its record, or unlinked
  std::vector<bool> has_initialiser_;        ///< by record: it or one that it extends has
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
