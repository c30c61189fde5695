// Modules and functions, as an embedding program holds them.
#pragma once

#include <braid/expected.h>
#include <braid/intrinsic.h>
#include <braid/type.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

namespace ir {
class Module;
class Function;
}  // namespace ir

/// A function. It belongs to its module; what can be done with it are free functions: `to_text`, `verify`, `interpret`,
/// `run`, `optimize`, and the ones below.
using Func = ir::Function;

struct Param {
  std::string name;
  Type type;
};

/// Functions, externals, globals and intrinsics. Modules share nothing: one per thread is safe. A declaration that contradicts
/// one of the same name, or has an impossible name, is not taken; `verify` and `try_done` report it.
class Module {
 public:
  Module();
  ~Module();
  Module(Module&&) noexcept;
  Module& operator=(Module&&) noexcept;

  /// A function or external by name, or nullptr.
  Func* find(std::string_view name) const;
  std::vector<Func*> functions() const;

  /// A function that the host provides when the program runs (`RunOptions::host`).
  Func& declare_external(std::string_view name, std::span<const Type> params, Type result,
                         Effects effects = Effects::reads_memory | Effects::writes_memory | Effects::may_throw |
                                           Effects::host);
  /// An operation of one's own. It can be built, printed, parsed, verified, and run if it says how it evaluates.
  void declare(IntrinsicDef intrinsic);
  /// Bytes in memory: `size` of them, the first ones from `initial`.
  void add_global(std::string_view name, uint64_t size, std::span<const uint8_t> initial = {}, bool constant = false);
  /// A class for `object` and `ref` types; `parent` may be empty.
  void add_class(std::string_view name, std::string_view parent = {});

  /// The representation, for code inside Braid.
  ir::Module& ir() const { return *ir_; }
  explicit Module(std::unique_ptr<ir::Module> ir);

 private:
  std::unique_ptr<ir::Module> ir_;
};

std::string_view name(const Func& f);
uint32_t statement_count(const Func& f);
uint32_t block_count(const Func& f);
/// Phis and phi_cs.
uint32_t phi_count(const Func& f);
/// All rules of the IR; the diagnostics name the rule and show the statement.
Expected<void> verify(const Func& f);
Expected<void> verify(const Module& m);

}  // namespace braid
