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
#include "front/simple/limited_rewrites.h"
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
    enum class Kind : uint8_t { parenthesis, call, prefix, binary, and_, or_, then, otherwise, assign };
    Kind kind;
    Token token = Token::bad;
    uint8_t strength = 0;         ///< how tightly it binds; 0 if it waits for a sign that closes it
    NodeId left = sea::no_node;   ///< the value before the sign
    uint32_t slot = 0;            ///< what is assigned to
  };
  static_assert(sizeof(Pending) == 12);
  struct Call {
    Symbol name;
    uint32_t first_argument;
    size_t offset;
  };
  /// What comes behind a part of an expression.
  enum class Next : uint8_t { operand, sign, nothing, error };
  struct Name {
    std::string_view text;
    size_t offset;
    Symbol symbol;  ///< none if nobody has mentioned it before
  };
  struct Function {
    ir::FuncId id;
    uint32_t parameters;
    size_t offset;         ///< where it was mentioned first
    bool defined = false;
    bool reported = false;  ///< something is wrong with the name itself: nothing more is said of its calls
  };
  /// Of a function that is not defined yet.
  struct EarlyCall {
    Symbol name;
    uint32_t arguments;
    size_t offset;
  };
  struct Error {
    size_t offset;
    std::string message;
  };
  /// One function that is being built.
  struct Context {
    /// Room for a text of about this size.
    Context(std::unique_ptr<sea::Graph> graph, const ParseOptions& options, size_t text_size, LimitedRewrites* limited);
    Symbol name = none_id<Symbol>;
    ir::FuncId id{};
    std::unique_ptr<sea::Graph> graph;
    std::unique_ptr<sea::Peepholes> peepholes;
    sea::FullPeepholes* full_peepholes = nullptr;  ///< the same, if it is them
    std::unique_ptr<sea::Builder> builder;
    std::vector<bool> fixed;  ///< by slot: it cannot be assigned
    uint32_t parameters = 0;
  };

  /// Null without a limit.
  std::unique_ptr<LimitedRewrites> limit_rewrites();
  sea::Builder& builder() { return *builder_; }
  /// The graph is complete; with peepholes, the whole of it is optimised. One that does not come from the options' pool holds
  /// only what it needs.
  std::unique_ptr<sea::Graph> finish_graph();
  sea::Scopes& scopes() { return builder_->scopes(); }

  // ---- errors ----
  /// Of what goes wrong at one place only the first is told.
  bool fail(size_t offset, std::string message);
  /// In the order of their positions.
  Diagnostics all_errors();
  bool fail_expected(std::string_view what) { return fail_expected(what, lexer_.offset()); }
  bool fail_expected(std::string_view what, size_t offset, std::string_view why = {});
  bool fail_name();
  void skip_misused_keyword();
  bool fail_nested_function(size_t offset) {
    return fail(offset, "a function is defined at the top of the program, not inside of anything");
  }
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
  void declare(std::string_view name, size_t offset, NodeId value, bool fixed);
  /// Where functions stand: in nothing but the program.
  bool at_top() { return outer_.empty() && scopes().level_count() == top_level; }
  static constexpr uint32_t top_level = 2;
  bool parse_jump();
  bool show_graph();
  NodeId parse_condition();
  void begin_if();
  void begin_while();
  void begin_for();
  void end_for(size_t step);

  // ---- functions (parse_functions.cpp) ----
  bool begin_function(std::string_view name, size_t offset);
  ir::FuncId define_function(std::string_view name, const std::vector<Symbol>& parameters, size_t offset);
  ir::FuncId reject_main(size_t offset);
  void end_function();
  std::vector<Symbol> parse_parameters();
  Function& function(Symbol name, uint32_t parameters, size_t offset);
  void fail_count(const EarlyCall& call, uint32_t parameters);
  void check_functions();

  // ---- expressions (parse_expressions.cpp) ----
  NodeId parse_expression();  ///< none after an error
  NodeId abandon_expression();
  NodeId parse_operand();
  static bool begins_expression(Token token);
  bool parse_name(const Name& name, uint32_t slot, NodeId& value);
  NodeId parse_step(Token token);
  NodeId parse_number();
  int64_t parse_unusual_number(std::string_view digits, size_t offset);
  Next parse_sign(Token token, NodeId& value);
  NodeId reduce(uint8_t strength, NodeId value);
  NodeId complete(const Pending& pending, NodeId value);
  NodeId binary(Token token, NodeId a, NodeId b);
  Next parse_behind_argument(NodeId& value);
  NodeId finish_call();
  /// Of the name that is the token now; none if nobody has mentioned it before.
  Symbol known_symbol() {
    const Symbol symbol = lexer_.symbol();
    return is_none(symbol) ? look_up_symbol() : symbol;
  }
  Symbol look_up_symbol();
  NodeId report_undefined(const Name& name);
  NodeId assign(uint32_t slot, NodeId value);
  bool can_assign(uint32_t slot, const Name& name);

  ir::Module& module_;
  const SourceFile& source_;
  const ParseOptions& options_;
  Lexer lexer_;
  std::vector<Error> errors_;
  sea::GraphPool own_pool_;
  sea::GraphPool& pool_;                         ///< where graphs are built
  std::unique_ptr<LimitedRewrites> limited_;     ///< if there is a limit
  bool is_optimising_ = false;                   ///< with a limit: the function is parsed
  std::unique_ptr<Context> context_;             ///< the function that is being built
  sea::Builder* builder_;                        ///< its builder
  std::vector<std::unique_ptr<Context>> outer_;  ///< those around it: the program
  std::vector<Frame> frames_;
  bool inner_begins_ = false;  ///< the statement inside of the innermost one
  std::vector<Pending> pending_;
  std::vector<Call> calls_;          ///< those that wait for arguments
  std::vector<NodeId> arguments_;    ///< of all of them
  std::unordered_map<uint32_t, Function> functions_;  ///< by symbol
  std::vector<Symbol> function_order_;
  std::vector<bool> defines_function_;  ///< by symbol
  std::vector<EarlyCall> early_calls_;
  bool in_head_ = false;                ///< of a `for`
  std::vector<uint32_t> undefined_;  ///< symbols that were reported
  Program program_;
};

}  // namespace braid::simple
