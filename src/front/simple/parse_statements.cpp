// Statements of today's Simple.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/letters.h"
#include "front/simple/common.h"
#include "front/simple/parser.h"
#include "sea/print_graph.h"

namespace braid::simple {

using sea::NodeId;

namespace {

/// In the frame of a `for` whose head is not sound.
constexpr size_t no_step = static_cast<size_t>(-1);

std::string hex(uint32_t number, int digits) {
  char text[16];
  std::snprintf(text, sizeof text, "%0*X", digits, number);
  return text;
}

}  // namespace

Parser::Parser(ir::Module& module, const SourceFile& source, const ParseOptions& options)
    : module_(module), source_(source), options_(options), lexer_(source), pool_(options.pool != nullptr ? *options.pool : own_pool_),
      limited_(limit_rewrites()), context_(std::make_unique<Context>(pool_.take(module), options, source.size(), limited_.get())),
      builder_(context_->builder.get()) {
  context_->name = module.symbol("main");
  context_->parameters = 1;
  frames_.reserve(16);
  pending_.reserve(16);
}

Expected<Program> Parser::run() {
  Symbol arg = module_.symbol("arg");
  ir::FuncId id = declare_main(module_);
  program_.functions.push_back({context_->name, id, 1, nullptr});
  NodeId parameter = builder().parameter(arg);
  if (options_.assumed_arg) {
    NodeId known = builder().constant(*options_.assumed_arg);
    context_->graph->kill_unused(parameter);
    parameter = known;
  }
  scopes().define(arg, i64, parameter);
  open_block(Frame::Kind::program);
  while (!frames_.empty() && errors_.size() < Diagnostics::default_limit) resume();
  if (frames_.empty()) check_functions();
  if (!errors_.empty()) return all_errors();
  program_.functions[0].graph = finish_graph();
  if (limited_ != nullptr) program_.trail = limited_->take_trail();
  return std::move(program_);
}

// ---- errors ----

bool Parser::fail(size_t offset, std::string message) {
  if (std::ranges::find(errors_, offset, &Error::offset) == errors_.end()) errors_.push_back({offset, std::move(message)});
  return false;
}

Diagnostics Parser::all_errors() {
  std::ranges::sort(errors_, {}, &Error::offset);
  Diagnostics all;
  for (Error& error : errors_) all.add(source_.error(error.offset, std::move(error.message)));
  return all;
}

std::string Parser::found() const {
  switch (lexer_.token()) {
    case Token::end: return "the end";
    case Token::bad:
      if (lexer_.unclosed_comment()) return "a comment without an end";
      if (const Utf8Character c = first_character(lexer_.text()); c.code >= 0x80)
        return "'" + std::string(lexer_.text()) + "' (U+" + hex(c.code, 4) + ")";
      [[fallthrough]];
    default: return "'" + std::string(lexer_.text()) + "'";
  }
}

bool Parser::fail_expected(std::string_view what, size_t offset, std::string_view why) {
  if (lexer_.is_invalid_utf8()) return fail(lexer_.offset(), "invalid UTF-8: byte 0x" + hex(static_cast<uint8_t>(lexer_.text()[0]), 2));
  return fail(offset, std::string(why) + "expected " + std::string(what) + ", found " + found());
}

bool Parser::fail_name() {
  fail_expected("a name");
  skip_misused_keyword();
  return false;
}

/// Where no keyword can stand: if no statement can begin with it there, it stands for something else, and is passed over.
void Parser::skip_misused_keyword() {
  const Token keyword = lexer_.token();
  if (keyword < Token::break_ || keyword > Token::while_) return;
  const size_t offset = lexer_.offset();
  lexer_.next();
  const Token behind = lexer_.token();
  bool begins = false;
  switch (keyword) {
    case Token::if_:
    case Token::while_:
    case Token::for_: begins = behind == Token::open; break;
    case Token::int_:
    case Token::val:
    case Token::var: begins = behind == Token::name; break;
    case Token::return_: begins = begins_expression(behind); break;
    default: break;
  }
  if (begins) lexer_.go_to(offset);
}

/// Something is missing: it is shown where it should stand.
bool Parser::require(Token token) {
  if (take(token)) return true;
  bool own_line = token == Token::semicolon && lexer_.end_of_last() > 0;
  return fail_expected("'" + std::string(spelling(token)) + "'", own_line ? lexer_.end_of_last() : lexer_.offset());
}

/// After an error: to the end of the statement that began there.
void Parser::skip_statement(size_t begin) {
  if (lexer_.offset() == begin && lexer_.token() != Token::close_brace) lexer_.next();
  for (;; lexer_.next()) {
    switch (lexer_.token()) {
      case Token::semicolon: lexer_.next(); return;
      case Token::end:
      case Token::open_brace:
      case Token::close_brace:
      case Token::return_:
      case Token::int_:
      case Token::if_:
      case Token::while_:
      case Token::for_:
      case Token::break_:
      case Token::continue_: return;
      default: break;
    }
  }
}

/// To behind the parenthesis that closes, or to where the statement must have ended.
void Parser::skip_to_close() {
  for (int depth = 0;; lexer_.next()) {
    switch (lexer_.token()) {
      case Token::open: ++depth; break;
      case Token::close:
        if (depth-- > 0) break;
        lexer_.next();
        return;
      case Token::end:
      case Token::semicolon:
      case Token::open_brace:
      case Token::close_brace: return;
      default: break;
    }
  }
}

// ---- statements in statements ----

void Parser::open_block(Frame::Kind kind) {
  scopes().open_level();
  frames_.push_back({kind, lexer_.offset()});
}

/// A statement inside of another has names of its own. It begins when `resume` is called next: not from here, so that statements in
/// statements need no stack.
void Parser::begin_inner(Frame::Kind kind, size_t offset) {
  scopes().open_level();
  frames_.push_back({kind, offset});
  inner_begins_ = true;
}

/// Goes on with the innermost statement that is not complete.
void Parser::resume() {
  if (std::exchange(inner_begins_, false)) return begin_statement();
  const Frame& frame = frames_.back();
  const size_t offset = frame.offset;
  switch (frame.kind) {
    case Frame::Kind::program:
      if (lexer_.token() == Token::close_brace) {
        fail(lexer_.offset(), "'}' without '{'");
        lexer_.next();
        return;
      }
      if (lexer_.token() == Token::end) return close_block();
      return begin_statement();
    case Frame::Kind::block:
    case Frame::Kind::function:
      if (lexer_.token() == Token::close_brace || lexer_.token() == Token::end) return close_block();
      return begin_statement();
    case Frame::Kind::if_:
      scopes().close_level();
      builder().else_();
      frames_.pop_back();
      if (take(Token::else_)) return begin_inner(Frame::Kind::else_, offset);
      builder().end_if();
      return;
    case Frame::Kind::else_:
      scopes().close_level();
      builder().end_if();
      break;
    case Frame::Kind::while_:
      scopes().close_level();
      builder().end_loop();
      break;
    case Frame::Kind::for_:
      scopes().close_level();
      end_for(offset);
      break;
  }
  frames_.pop_back();
}

void Parser::close_block() {
  const Frame::Kind kind = frames_.back().kind;
  frames_.pop_back();
  scopes().close_level();
  if (kind == Frame::Kind::program) return;
  const bool is_closed = take(Token::close_brace);
  if (!is_closed) fail(lexer_.offset(), "expected '}', found the end");
  if (kind != Frame::Kind::function) return;
  end_function();
  if (is_closed && !require(Token::semicolon)) skip_statement(lexer_.offset());
}

void Parser::begin_statement() {
  size_t offset = lexer_.offset();
  switch (lexer_.token()) {
    case Token::open_brace: lexer_.next(); return open_block(Frame::Kind::block);
    case Token::if_: return begin_if();
    case Token::while_: return begin_while();
    case Token::for_: return begin_for();
    default:
      if (!parse_simple_statement()) skip_statement(offset);
  }
}

bool Parser::parse_simple_statement() {
  switch (lexer_.token()) {
    case Token::semicolon: lexer_.next(); return true;
    case Token::return_: return parse_return();
    case Token::int_:
    case Token::val:
    case Token::var: return parse_declarations();
    case Token::break_:
    case Token::continue_: return parse_jump();
    case Token::show_graph: return show_graph();
    case Token::else_: return fail(lexer_.offset(), "'else' without 'if'");
    default: return !is_none(parse_expression()) && require(Token::semicolon);
  }
}

bool Parser::parse_return() {
  lexer_.next();
  const NodeId value = parse_expression();
  if (is_none(value) || !require(Token::semicolon)) return false;
  builder().ret(value);
  return true;
}

void Parser::declare(std::string_view name, size_t offset, NodeId value, bool fixed) {
  Symbol symbol = module_.symbol(name);
  const bool is_function = index(symbol) < defines_function_.size() && defines_function_[index(symbol)] && at_top();
  if (is_function) functions_.at(index(symbol)).reported = true;
  const bool is_new = scopes().define(symbol, i64, value);
  if (is_function || !is_new) fail(offset, "redefining name '" + std::string(name) + "'");
  if (!is_new) return;
  context_->fixed.resize(scopes().name_count() - 1);
  context_->fixed.push_back(fixed);
}

/// `int a = 1, b;`, `var a = 1;`, `val a = 1;`, `val f = { ... };`
bool Parser::parse_declarations() {
  Token kind = lexer_.token();
  lexer_.next();
  for (;;) {
    if (lexer_.token() != Token::name) return fail_name();
    std::string_view name = lexer_.text();
    size_t offset = lexer_.offset();
    lexer_.next();
    NodeId value;
    if (take(Token::assign)) {
      if (kind == Token::val && lexer_.token() == Token::open_brace) {
        if (in_head_) return fail_nested_function(offset);
        lexer_.next();
        return begin_function(name, offset);
      }
      value = parse_expression();
      if (is_none(value)) {
        declare(name, offset, builder().constant(0), false);  // so that it is not reported where it is used
        return false;
      }
    } else if (kind == Token::int_) {
      value = builder().constant(0);
    } else {
      declare(name, offset, builder().constant(0), false);
      return fail_expected("'='", lexer_.offset(), "'" + std::string(name) + "' needs a value: ");
    }
    declare(name, offset, value, kind == Token::val);
    if (!take(Token::comma)) return require(Token::semicolon);
  }
}

bool Parser::parse_jump() {
  bool leaves = lexer_.token() == Token::break_;
  size_t offset = lexer_.offset();
  lexer_.next();
  if (!builder().in_loop())
    fail(offset, leaves ? "'break' outside of a loop" : "'continue' outside of a loop");
  else
    leaves ? builder().break_() : builder().continue_();
  return require(Token::semicolon);
}

/// The graph as it is now, for Graphviz, with all scopes that are live.
bool Parser::show_graph() {
  lexer_.next();
  sea::DotOptions options;
  options.name = module_.name(context_->name);
  options.scopes = sea::drawn_scopes(builder());
  program_.shown += sea::print_dot(builder().graph(), options);
  return require(Token::semicolon);
}

// ---- conditions and loops ----

/// `( expression )`. After an error the condition is anything, so that the statement itself can be read.
NodeId Parser::parse_condition() {
  bool opened = require(Token::open);
  const NodeId value = parse_expression();
  if (!is_none(value) && (take(Token::close) || !opened || require(Token::close))) return value;
  skip_to_close();
  return builder().constant(0);
}

void Parser::begin_if() {
  size_t offset = lexer_.offset();
  lexer_.next();
  builder().if_(parse_condition());
  begin_inner(Frame::Kind::if_, offset);
}

void Parser::begin_while() {
  size_t offset = lexer_.offset();
  lexer_.next();
  builder().loop();
  builder().loop_while(parse_condition());
  begin_inner(Frame::Kind::while_, offset);
}

/// `for( start; condition; step ) statement`: the step is read when the statement is complete.
void Parser::begin_for() {
  lexer_.next();
  scopes().open_level();
  bool sound = require(Token::open);
  in_head_ = true;
  if (sound && !parse_simple_statement()) sound = false;
  in_head_ = false;
  builder().loop();
  NodeId condition = builder().constant(1);
  if (sound && lexer_.token() != Token::semicolon) condition = parse_expression();
  sound = sound && !is_none(condition);
  if (sound) sound = require(Token::semicolon);
  builder().loop_while(sound ? condition : builder().constant(0));
  size_t step = sound ? lexer_.offset() : no_step;
  skip_to_close();
  begin_inner(Frame::Kind::for_, step);
}

void Parser::end_for(size_t step) {
  builder().continue_here();
  if (step != no_step) {
    size_t behind = lexer_.offset();
    lexer_.go_to(step);
    if (lexer_.token() != Token::close && !is_none(parse_expression()) && lexer_.token() != Token::close) fail_expected("')'");
    lexer_.go_to(behind);
  }
  builder().end_loop();
  scopes().close_level();
}

}  // namespace braid::simple
