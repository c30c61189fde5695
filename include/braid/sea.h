// Parsing a language of one's own straight into a sea of nodes: scopes with lazy phis, conditions, loops with break and
// continue, without blocks and without a tree.
//
//   Sea sea(m, "count", {"n"});
//   sea.define("i", sea.constant(0));
//   sea.loop();
//   sea.loop_while(sea.op("slt", *sea.lookup("i"), *sea.lookup("n")));
//   sea.assign("i", sea.op("add", *sea.lookup("i"), sea.constant(1)));
//   sea.end_loop();
//   sea.ret(*sea.lookup("i"));
//   Func& f = sea.land();                    // linear SSA
//
// What is no program - a side without its condition, a break before the condition of its loop, a node of another Sea, an operation
// that there is not - is a mistake that `verify` of the module reports: nothing is built from there on, and the function stays a
// declaration.
//
// All values are i64. Names are looked up where they are read: the phi of a loop is made then, if it is needed.
#pragma once

#include <braid/module.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace braid {

struct SeaOptions {
  bool peepholes = true;       ///< simplify every node as it is made
  bool single_region = false;  ///< all breaks of a loop meet in one region, and so do its continues
};

/// What a graph is worth for some arguments.
struct SeaResult {
  enum class Kind : uint8_t {
    value,
    fallthrough,  ///< it ended without a return
    timeout,      ///< too many rounds of loops, or calls
    other,        ///< it does what cannot be evaluated as a graph; see `message`
  };
  Kind kind = Kind::value;
  int64_t value = 0;
  std::string message;  ///< the value, or how it ended, in words
};

/// A function as a graph, while it is being built and after.
class Sea {
 public:
  /// A node of this graph. It stays valid until `finish`, while loops around it are open; names are valid for longer.
  struct Node {
    uint32_t id = 0;
    const void* sea = nullptr;  ///< whose node it is
  };

  /// Declares the function; its parameters are names of the outermost scope. The module has a declaration until `land`. A
  /// name that it has with a body, or with other types, is a mistake that `verify` reports; the function stays outside then.
  Sea(Module& m, std::string_view name, std::span<const std::string> parameters, SeaOptions options = {});
  Sea(Module& m, std::string_view name, std::initializer_list<std::string> parameters, SeaOptions options = {})
      : Sea(m, name, std::span(parameters.begin(), parameters.size()), options) {}
  ~Sea();
  Sea(Sea&&) noexcept;
  Sea& operator=(Sea&&) noexcept;

  // ---- values ----
  Node constant(int64_t value);
  /// An operation of integers by its name in docs/ir.md: `add`, `sdiv`, `slt`, … Another name is a mistake.
  Node op(std::string_view name, Node a, Node b);
  Node negate(Node a);
  /// 1 if `a` is 0, otherwise 0.
  Node is_zero(Node a);
  /// Calls happen in the order in which they are built. The callee takes and returns i64; anything else is a mistake that
  /// `verify` reports, and worth 0.
  Node call(const Func& callee, std::span<const Node> arguments);

  // ---- names ----
  void open_scope();
  void close_scope();
  /// False if the innermost scope has the name already.
  bool define(std::string_view name, Node value);
  /// Nothing if there is no such name.
  std::optional<Node> lookup(std::string_view name);
  /// False if there is no such name.
  bool assign(std::string_view name, Node value);

  // ---- control ----
  void if_(Node condition);
  void else_();
  /// Both sides must have closed the scopes that they opened, and defined no names outside of these.
  void end_if();
  void loop();
  /// Once in each loop, before its breaks and continues and the names it defines: it goes on if the condition is not 0.
  void loop_while(Node condition);
  /// False outside of a loop.
  bool break_();
  bool continue_();
  void end_loop();
  void ret(Node value);

  // ---- the result ----
  /// Nothing can be added any more. The functions below do it if it was not done.
  void finish();
  /// What it returns, as an expression: `return Phi(Loop6,arg,(Phi_arg+1));`; nothing after a mistake.
  std::string to_text();
  /// Evaluates the graph itself, and, where it calls functions of the module, these.
  SeaResult evaluate(std::span<const int64_t> arguments, uint64_t most_rounds = 1000);
  SeaResult evaluate(std::initializer_list<int64_t> arguments, uint64_t most_rounds = 1000) {
    return evaluate(std::span(arguments.begin(), arguments.size()), most_rounds);
  }
  /// The function in linear SSA. It takes its place in the module; where there is none, this is a mere declaration.
  Func& land();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace braid
