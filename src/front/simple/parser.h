// The parser of today's Simple, statement by statement into graphs, one for each function.
//
// No recursion: statements that are not complete stand in `frames_`, operations that wait for an operand in `pending_`.
// After an error it goes on with the next statement; a name that is not known is worth 0.
#pragma once

#include <braid/expected.h>

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/source_file.h"
#include "front/simple/lexer.h"
#include "front/simple/simple.h"
#include "sea/build.h"
#include "sea/full_peepholes.h"

namespace braid::simple {

class Parser {
 public:
  Parser(ir::Module& module, const SourceFile& source, const ParseOptions& options);
  Expected<Program> run();

 private:
  using NodeId = sea::NodeId;

  /// What waits for the end of a statement inside of it.
  struct Frame {
    enum class Kind : uint8_t { program, block, function, if_, else_, while_, for_ };
    Kind kind;
    size_t offset;    ///< where it begins; of a `for`, its step
  };
  /// An operation that waits for what is behind its sign.
  struct Pending {
    enum class Kind : uint8_t { parenthesis, call, prefix, binary, and_, or_, then, otherwise, assign, step };
    Kind kind;
    Token token = Token::bad;
    NodeId left = sea::no_node;   ///< the value before the sign
    uint32_t number = 0;          ///< the slot assigned to; the first argument of a call
    Symbol name = none_id<Symbol>;
    size_t offset = 0;
  };
  struct Function {
    ir::FuncId id;
    uint32_t parameters;
    size_t offset;         ///< where it was mentioned first
    bool defined = false;
    bool reported = false;
  };
  /// One function that is being built.
  struct Context {
    /// Room for a text of about this size.
    Context(ir::Module& module, const ParseOptions& options, size_t text_size);
    Symbol name = none_id<Symbol>;
    ir::FuncId id{};
    std::unique_ptr<sea::Graph> graph;
    std::unique_ptr<sea::Peepholes> peepholes;
    sea::FullPeepholes* full_peepholes = nullptr;  ///< the same, if it is them
    std::unique_ptr<sea::Builder> builder;
    std::vector<bool> fixed;  ///< by slot: it cannot be assigned
    uint32_t parameters = 0;
  };

  sea::Builder& builder() { return *context_->builder; }
  /// The graph is complete; with peepholes, the whole of it is optimised.
  void finish_graph();
  sea::Scopes& scopes() { return context_->builder->scopes(); }

  // ---- errors ----
  bool fail(size_t offset, std::string message);
  bool fail_expected(std::string_view what);
  /// Goes on if the token is next.
  bool take(Token token) {
    if (lexer_.token() != token) return false;
    lexer_.next();
    return true;
  }
  bool require(Token token);
  void skip_statement(size_t begin);
  void skip_to_close();
  std::string found() const;

  // ---- statements (parse_statements.cpp) ----
  void open_block(Frame::Kind kind);
  void close_block();
  void resume();
  void begin_statement();
  bool parse_simple_statement();
  void begin_inner(Frame::Kind kind, size_t offset);
  bool parse_return();
  bool parse_declarations();
  bool declare(std::string_view name, size_t offset, NodeId value, bool fixed);
  bool parse_jump();
  bool show_graph();
  NodeId parse_condition();
  void begin_if();
  void begin_while();
  void begin_for();
  void end_for(const Frame& frame);

  // ---- functions (parse_functions.cpp) ----
  bool begin_function(std::string_view name, size_t offset);
  ir::FuncId define_function(std::string_view name, const std::vector<Symbol>& parameters, size_t offset);
  ir::FuncId reject_main(size_t offset);
  void end_function();
  std::vector<Symbol> parse_parameters();
  Function& function(Symbol name, uint32_t parameters, size_t offset);
  void check_functions();

  // ---- expressions (parse_expressions.cpp) ----
  bool parse_expression(NodeId& value);
  bool parse_operand(size_t base, NodeId& value, bool& complete);
  bool parse_name(size_t base, NodeId& value, bool& complete);
  bool parse_number(NodeId& value);
  bool parse_sign(size_t base, NodeId& value, bool& more);
  void reduce(size_t base, int strength, bool right, NodeId& value);
  NodeId complete(const Pending& pending, NodeId value);
  NodeId binary(Token token, NodeId a, NodeId b);
  NodeId finish_call(const Pending& pending);
  bool close_call(NodeId& value, bool& more);
  uint32_t find(std::string_view name) const;
  NodeId report_undefined(std::string_view name, size_t offset);
  NodeId assign(uint32_t slot, NodeId value);
  bool can_assign(uint32_t slot, std::string_view name, size_t offset);

  ir::Module& module_;
  const SourceFile& source_;
  const ParseOptions& options_;
  Lexer lexer_;
  Diagnostics errors_;
  std::unique_ptr<Context> context_;             ///< the function that is being built
  std::vector<std::unique_ptr<Context>> outer_;  ///< those around it: the program
  std::vector<Frame> frames_;
  std::vector<Pending> pending_;
  std::vector<NodeId> arguments_;
  std::unordered_map<uint32_t, Function> functions_;  ///< by symbol
  std::vector<Symbol> function_order_;
  std::vector<uint32_t> undefined_;  ///< symbols that were reported
  Program program_;
};

}  // namespace braid::simple
