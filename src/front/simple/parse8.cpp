#include "front/simple/parse8.h"

#include <charconv>
#include <utility>

#include "front/simple/lexer8.h"
#include "front/simple/common.h"
#include "front/simple/limited_rewrites.h"
#include "sea/chapter8.h"
#include "sea/print_graph.h"

namespace braid::simple {
namespace {

using ir::Op;
using sea::NodeId;

constexpr std::string_view keywords[] = {"break", "continue", "else", "false", "if", "int", "return", "true", "while"};

bool is_keyword(std::string_view name) {
  for (std::string_view keyword : keywords)
    if (name == keyword) return true;
  return false;
}

class Parser8 {
 public:
  Parser8(ir::Module& module, const SourceFile& source, const ParseOptions& options)
      : module_(module), source_(source), options_(options), lexer_(source.text()), graph_(sea::new_graph(options.pool, module)),
        chapter8_(*graph_),
        builder_(make_room(), peepholes(), {.numbered = true, .single_region = options.single_region}) {
    if (options.limit)
      limited_ = std::make_unique<LimitedRewrites>(
          options, [this] { return LimitedRewrites::Place{module_.symbol("main"), graph_.get(), lexer_.offset()}; });
    chapter8_.set_observer(limited_ != nullptr ? limited_.get() : options.observer);
    frames_.reserve(16);
    pending_.reserve(16);
  }

  Expected<Program> run() {
    Symbol arg = module_.symbol("arg");
    NodeId parameter = builder_.parameter(arg);
    if (options_.assumed_arg) {
      NodeId known = builder_.constant(*options_.assumed_arg);
      graph_->kill_unused(parameter);
      parameter = known;
    }
    builder_.scopes().define(arg, i64, parameter);
    open_block(true);
    while (!frames_.empty() && !failed_) resume();
    if (!failed_ && !lexer_.at_end()) fail(lexer_.offset(), "Syntax error, unexpected " + lexer_.any_token());
    if (failed_) {
      if (options_.pool != nullptr) options_.pool->give(std::move(graph_));
      return error_;
    }
    builder_.finish();
    Program program;
    program.functions.push_back(main_function(module_, std::move(graph_)));
    program.shown = std::move(shown_);
    if (limited_ != nullptr) program.trail = limited_->take_trail();
    return program;
  }

 private:
  /// What waits for the end of a statement inside of it.
  struct Frame {
    enum class Kind : uint8_t { program, block, if_, else_, while_ };
    Kind kind;
    size_t offset;
  };
  enum class Sign : uint8_t { equal, not_equal, less_equal, less, greater_equal, greater, plus, minus, times, over, negate, parenthesis };
  struct Pending {
    Sign sign;
    NodeId left;
  };

  sea::Peepholes& peepholes() { return options_.peepholes ? static_cast<sea::Peepholes&>(chapter8_) : none_; }

  /// Room that is not used costs nothing; growing does.
  sea::Graph& make_room() {
    graph_->reserve(static_cast<uint32_t>(source_.size() / 2 + 16));
    graph_->reserve_skips(static_cast<uint32_t>(source_.size() / 8 + 4));
    chapter8_.reserve(static_cast<uint32_t>(source_.size() / 8 + 16));
    return *graph_;
  }

  // ---- errors ----
  bool fail(size_t offset, std::string message) {
    if (!failed_) error_ = source_.error(offset, std::move(message));
    failed_ = true;
    return false;
  }
  bool require(std::string_view syntax) { return lexer_.match(syntax) || fail_expected(syntax); }
  bool fail_expected(std::string_view what) {
    return fail(lexer_.offset(), "Syntax error, expected " + std::string(what) + ": " + lexer_.any_token());
  }

  // ---- statements ----
  void open_block(bool whole) {
    builder_.scopes().open_level();
    frames_.push_back({whole ? Frame::Kind::program : Frame::Kind::block, lexer_.offset()});
  }

  /// Goes on with the innermost statement that is not complete.
  void resume() {
    if (std::exchange(inner_begins_, false)) return begin_statement();
    Frame& frame = frames_.back();
    switch (frame.kind) {
      case Frame::Kind::program:
      case Frame::Kind::block:
        if (lexer_.peek() == '}' || lexer_.at_end()) return close_block();
        return begin_statement();
      case Frame::Kind::if_:
        builder_.else_();
        frame.kind = Frame::Kind::else_;
        if (lexer_.match_word("else")) return begin_statement();
        return;
      case Frame::Kind::else_:
        if (!builder_.end_if()) fail(frame.offset, "Cannot define a new name on one arm of an if");
        break;
      case Frame::Kind::while_: builder_.end_loop(); break;
    }
    frames_.pop_back();
  }

  /// It begins when `resume` is called next: not from here, so that statements in statements need no stack.
  void begin_inner(Frame::Kind kind, size_t offset) {
    frames_.push_back({kind, offset});
    inner_begins_ = true;
  }

  void close_block() {
    bool whole = frames_.back().kind == Frame::Kind::program;
    builder_.scopes().close_level();
    frames_.pop_back();
    if (!whole) require("}");
  }

  void begin_statement() {
    char first = lexer_.peek();
    size_t offset = lexer_.offset();
    switch (first) {
      case 'r':
        if (lexer_.match_word("return")) return parse_return();
        break;
      case 'i':
        if (lexer_.match_word("int")) return parse_declaration();
        if (lexer_.match_word("if")) return begin_if(offset);
        break;
      case '{': lexer_.match('{'); return open_block(false);
      case 'w':
        if (lexer_.match_word("while")) return begin_while(offset);
        break;
      case 'b':
        if (lexer_.match_word("break")) return parse_jump(offset, true);
        break;
      case 'c':
        if (lexer_.match_word("continue")) return parse_jump(offset, false);
        break;
      case '#':
        if (lexer_.match_word("#showGraph")) return show_graph();
        break;
      case ';':
        if (lexer_.match_word(";")) return;
        break;
      default: break;
    }
    parse_assignment();
  }

  void parse_return() {
    NodeId value;
    if (parse_expression(value) && require(";")) builder_.ret(value);
  }

  /// A name that is no keyword; empty after an error.
  std::string_view require_name() {
    std::string_view name = lexer_.match_name();
    if (!name.empty() && !is_keyword(name)) return name;
    fail(lexer_.offset() - name.size(), "Expected an identifier, found '" + (name.empty() ? "null" : std::string(name)) + "'");
    return {};
  }

  void parse_declaration() {
    std::string_view name = require_name();
    NodeId value;
    if (name.empty() || !require("=") || !parse_expression(value) || !require(";")) return;
    if (!builder_.scopes().define(module_.symbol(name), i64, value)) fail(offset_of(name), "Redefining name '" + std::string(name) + "'");
  }

  void parse_assignment() {
    std::string_view name = require_name();
    NodeId value;
    if (name.empty() || !require("=") || !parse_expression(value) || !require(";")) return;
    uint32_t slot = find(name);
    if (slot == sea::Scopes::no_slot)
      fail_undefined(name);
    else
      builder_.scopes().assign(slot, value);
  }

  void begin_if(size_t offset) {
    NodeId condition;
    if (!require("(") || !parse_expression(condition) || !require(")")) return;
    builder_.if_(condition);
    begin_inner(Frame::Kind::if_, offset);
  }

  void begin_while(size_t offset) {
    if (!require("(")) return;
    builder_.loop();
    NodeId condition;
    if (!parse_expression(condition) || !require(")")) return;
    builder_.loop_while(condition);
    begin_inner(Frame::Kind::while_, offset);
  }

  void parse_jump(size_t offset, bool leaves) {
    if (!builder_.in_loop()) {
      fail(offset, "No active loop for a break or continue");
      return;
    }
    leaves ? builder_.break_() : builder_.continue_();
    require(";");
  }

  void show_graph() {
    shown_ += sea::print_dot8(builder_, source_.text());
    require(";");
  }

  // ---- expressions ----
  /// Every operation of two values takes all that is behind it and binds as tightly: they group to the right.
  static int strength(Sign sign) {
    if (sign == Sign::parenthesis) return 0;
    if (sign <= Sign::greater) return 1;
    if (sign <= Sign::minus) return 2;
    return sign <= Sign::over ? 3 : 4;
  }

  bool match_sign(Sign& sign) {
    switch (lexer_.peek()) {
      case '=':
        if (!lexer_.match("==")) return false;
        sign = Sign::equal;
        return true;
      case '!':
        if (!lexer_.match("!=")) return false;
        sign = Sign::not_equal;
        return true;
      case '<':
        lexer_.match('<');
        sign = lexer_.match_here('=') ? Sign::less_equal : Sign::less;
        return true;
      case '>':
        lexer_.match('>');
        sign = lexer_.match_here('=') ? Sign::greater_equal : Sign::greater;
        return true;
      case '+': sign = Sign::plus; break;
      case '-': sign = Sign::minus; break;
      case '*': sign = Sign::times; break;
      case '/': sign = Sign::over; break;
      default: return false;
    }
    lexer_.match(lexer_.peek());
    return true;
  }

  bool parse_expression(NodeId& value) {
    size_t base = pending_.size();
    for (;;) {
      while (true) {
        if (lexer_.match('-'))
          pending_.push_back({Sign::negate, sea::no_node});
        else if (!lexer_.at_digit() && lexer_.match('('))
          pending_.push_back({Sign::parenthesis, sea::no_node});
        else
          break;
      }
      if (!parse_primary(value)) return false;
      for (;;) {
        Sign sign;
        bool more = match_sign(sign);
        reduce(base, more ? strength(sign) : 0, value);
        if (more) {
          pending_.push_back({sign, value});
          break;
        }
        if (pending_.size() == base) return true;
        pending_.pop_back();  // a parenthesis
        if (!require(")")) return false;
      }
    }
  }

  /// Completes what binds more tightly than a sign of this strength, up to a parenthesis.
  void reduce(size_t base, int limit, NodeId& value) {
    while (pending_.size() > base && strength(pending_.back().sign) > limit) {
      Pending top = pending_.back();
      pending_.pop_back();
      value = operation(top, value);
    }
  }

  NodeId operation(const Pending& pending, NodeId right) {
    switch (pending.sign) {
      case Sign::equal: return builder_.binary(Op::eq, pending.left, right);
      case Sign::not_equal: return builder_.is_zero(builder_.binary(Op::eq, pending.left, right));
      case Sign::less_equal: return builder_.binary(Op::sle, pending.left, right);
      case Sign::less: return builder_.binary(Op::slt, pending.left, right);
      case Sign::greater_equal: return builder_.binary(Op::sle, right, pending.left);
      case Sign::greater: return builder_.binary(Op::slt, right, pending.left);
      case Sign::plus: return builder_.binary(Op::add, pending.left, right);
      case Sign::minus: return builder_.binary(Op::sub, pending.left, right);
      case Sign::times: return builder_.binary(Op::mul, pending.left, right);
      case Sign::over: return builder_.binary(Op::sdiv, pending.left, right);
      default: return builder_.unary(Op::neg, right);
    }
  }

  bool parse_primary(NodeId& value) {
    size_t offset = lexer_.offset();
    if (lexer_.at_digit()) return parse_number(offset, value);
    std::string_view name = lexer_.match_name();
    if (name.empty()) return fail_expected("an identifier or expression");
    if (name == "true" || name == "false") {
      value = builder_.constant(name == "true");
      return true;
    }
    uint32_t slot = find(name);
    if (slot == sea::Scopes::no_slot) return fail_undefined(name);
    value = builder_.scopes().lookup(slot);
    return true;
  }

  bool parse_number(size_t offset, NodeId& value) {
    std::string_view digits = lexer_.match_digits();
    if (digits.size() > 1 && digits[0] == '0') return fail(offset, "Syntax error: integer values cannot start with '0'");
    int64_t number = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc())
      return fail(offset, "For input string: \"" + std::string(digits) + "\"");
    value = builder_.constant(number);
    return true;
  }

  // ---- names ----
  size_t offset_of(std::string_view part) const { return static_cast<size_t>(part.data() - source_.text().data()); }
  uint32_t find(std::string_view name) const {
    Symbol symbol = module_.symbols.find(name);
    return is_none(symbol) ? sea::Scopes::no_slot : builder_.scopes().find(symbol);
  }
  bool fail_undefined(std::string_view name) { return fail(offset_of(name), "Undefined name '" + std::string(name) + "'"); }

  ir::Module& module_;
  const SourceFile& source_;
  const ParseOptions& options_;
  Lexer8 lexer_;
  std::unique_ptr<sea::Graph> graph_;
  sea::Chapter8 chapter8_;
  sea::NoPeepholes none_;
  std::unique_ptr<LimitedRewrites> limited_;
  sea::Builder builder_;
  std::vector<Frame> frames_;
  bool inner_begins_ = false;  ///< the statement inside of the innermost one
  std::vector<Pending> pending_;
  std::string shown_;
  bool failed_ = false;
  Diagnostic error_;
};

}  // namespace

Expected<Program> parse_simple8(ir::Module& module, const SourceFile& source, const ParseOptions& options) {
  return Parser8(module, source, options).run();
}

}  // namespace braid::simple
