// Expressions, by the strength of their signs.
#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <utility>

#include "front/simple/parser.h"

namespace braid::simple {

using ir::Op;
using sea::NodeId;

namespace {

/// How tightly signs bind; 0 for what is none, or open. Those of two operands group to the left.
constexpr uint8_t strength_of_prefix = 10, strength_of_and = 4, strength_of_or = 3, strength_of_choice = 2, strength_of_assignment = 1;
constexpr std::array<uint8_t, token_count> strengths = [] {
  std::array<uint8_t, token_count> table{};
  auto set = [&](Token first, Token last, uint8_t strength) {
    for (size_t i = static_cast<size_t>(first); i <= static_cast<size_t>(last); ++i) table[i] = strength;
  };
  set(Token::times, Token::modulo, 9);
  set(Token::plus, Token::minus, 8);
  set(Token::shift_left, Token::shift_right_logical, 7);
  set(Token::equal, Token::greater_equal, 6);
  set(Token::and_, Token::xor_, 5);
  set(Token::and_and, Token::and_and, strength_of_and);
  set(Token::or_or, Token::or_or, strength_of_or);
  return table;
}();

/// What a sign of two operands does with them. `!=` is a comparison that is turned around.
struct Operation {
  Op op;
  bool swaps;  ///< the operands change places
};
constexpr std::array<Operation, token_count> operations = [] {
  std::array<Operation, token_count> table{};
  auto set = [&](Token token, Op op, bool swaps = false) { table[static_cast<size_t>(token)] = {op, swaps}; };
  set(Token::times, Op::mul);
  set(Token::over, Op::sdiv);
  set(Token::modulo, Op::srem);
  set(Token::plus, Op::add);
  set(Token::minus, Op::sub);
  set(Token::shift_left, Op::shl);
  set(Token::shift_right, Op::ashr);
  set(Token::shift_right_logical, Op::lshr);
  set(Token::equal, Op::eq);
  set(Token::not_equal, Op::eq);
  set(Token::less, Op::slt);
  set(Token::less_equal, Op::sle);
  set(Token::greater, Op::slt, true);
  set(Token::greater_equal, Op::sle, true);
  set(Token::and_, Op::and_);
  set(Token::or_, Op::or_);
  set(Token::xor_, Op::xor_);
  return table;
}();

/// The sign in `+=`, or that of `++`.
Token sign_in(Token token) {
  switch (token) {
    case Token::increment:
    case Token::plus_assign: return Token::plus;
    case Token::decrement:
    case Token::minus_assign: return Token::minus;
    case Token::times_assign: return Token::times;
    case Token::over_assign: return Token::over;
    case Token::modulo_assign: return Token::modulo;
    case Token::and_assign: return Token::and_;
    case Token::or_assign: return Token::or_;
    case Token::xor_assign: return Token::xor_;
    case Token::shift_left_assign: return Token::shift_left;
    case Token::shift_right_assign: return Token::shift_right;
    default: return Token::shift_right_logical;
  }
}

bool is_assignment(Token token) { return token >= Token::assign && token <= Token::shift_right_logical_assign; }
bool is_step(Token token) { return token == Token::increment || token == Token::decrement; }

}  // namespace

NodeId Parser::binary(Token token, NodeId a, NodeId b) {
  const Operation& operation = operations[static_cast<size_t>(token)];
  if (operation.swaps) std::swap(a, b);
  const NodeId value = builder().binary(operation.op, a, b);
  return token == Token::not_equal ? builder().is_zero(value) : value;
}

NodeId Parser::parse_expression() {
  assert(pending_.empty() && arguments_.empty());
  for (;;) {
    NodeId value = parse_operand();
    if (is_none(value)) return abandon_expression();
    Next next = Next::sign;
    while (next == Next::sign) {
      const Token token = lexer_.token();
      const uint8_t strength = strengths[static_cast<size_t>(token)];
      if (strength > strength_of_and) {
        lexer_.next();
        value = reduce(strength, value);
        pending_.emplace_back(Pending::Kind::binary, token, strength, value);
        next = Next::operand;
      } else {
        next = parse_sign(token, value);
      }
    }
    if (next == Next::nothing) return value;
    if (next == Next::error) return abandon_expression();
  }
}

/// The sides of conditions are closed, so that what follows stands where it belongs.
NodeId Parser::abandon_expression() {
  for (; !pending_.empty(); pending_.pop_back()) {
    const Pending::Kind kind = pending_.back().kind;
    if (kind == Pending::Kind::and_ || kind == Pending::Kind::or_ || kind == Pending::Kind::then || kind == Pending::Kind::otherwise)
      builder().end_if();
  }
  calls_.clear();
  arguments_.clear();
  return sea::no_node;
}

// ---- operands ----

/// What can stand before a value, then the value; none after an error.
NodeId Parser::parse_operand() {
  for (;;) {
    const Token token = lexer_.token();
    switch (token) {
      case Token::name: {
        const Name name{lexer_.text(), lexer_.offset(), known_symbol()};
        lexer_.next();
        const Token behind = lexer_.token();
        const uint32_t slot = scopes().find(name.symbol);
        const bool is_plain = behind != Token::open && !is_assignment(behind) && !is_step(behind);
        if (is_plain && slot != sea::Scopes::no_slot) return scopes().lookup(slot);
        NodeId value = sea::no_node;
        if (!parse_name(name, slot, value)) return sea::no_node;
        if (!is_none(value)) return value;
        break;
      }
      case Token::number: return parse_number();
      case Token::minus:
      case Token::not_:
        lexer_.next();
        pending_.push_back({Pending::Kind::prefix, token, strength_of_prefix});
        break;
      case Token::open:
        lexer_.next();
        pending_.push_back({Pending::Kind::parenthesis});
        break;
      case Token::increment:
      case Token::decrement: return parse_step(token);
      case Token::true_:
      case Token::false_: lexer_.next(); return builder().constant(token == Token::true_);
      case Token::open_brace:
        fail(lexer_.offset(), "a function is defined by 'val' at the top of the program");
        return sea::no_node;
      default:
        fail_expected("an expression");
        skip_misused_keyword();
        return sea::no_node;
    }
  }
}

bool Parser::begins_expression(Token token) {
  switch (token) {
    case Token::name:
    case Token::number:
    case Token::minus:
    case Token::not_:
    case Token::open:
    case Token::increment:
    case Token::decrement:
    case Token::true_:
    case Token::false_: return true;
    default: return false;
  }
}

/// `++` or `--` before a name.
NodeId Parser::parse_step(Token token) {
  lexer_.next();
  if (lexer_.token() != Token::name) {
    fail_expected("a name behind '" + std::string(spelling(token)) + "'");
    return sea::no_node;
  }
  const Name name{lexer_.text(), lexer_.offset(), known_symbol()};
  lexer_.next();
  const uint32_t slot = scopes().find(name.symbol);
  if (slot == sea::Scopes::no_slot) return report_undefined(name);
  if (!can_assign(slot, name)) return builder().constant(0);
  return assign(slot, binary(sign_in(token), scopes().lookup(slot), builder().constant(1)));
}

NodeId Parser::parse_number() {
  constexpr size_t always_fits = 18;
  const std::string_view digits = lexer_.text();
  int64_t number = 0;
  bool is_sound = digits.size() <= always_fits && (digits[0] != '0' || digits.size() == 1);
  for (size_t i = 0; is_sound && i < digits.size(); ++i) {
    const uint8_t digit = static_cast<uint8_t>(digits[i] - '0');
    is_sound = digit <= 9;
    number = number * 10 + digit;
  }
  if (!is_sound) number = parse_unusual_number(digits, lexer_.offset());
  lexer_.next();
  return builder().constant(number);
}

/// One that is an error, or very large.
int64_t Parser::parse_unusual_number(std::string_view digits, size_t offset) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (end != digits.data() + digits.size() && error == std::errc())
    fail(offset, "'" + std::string(digits) + "' is no number");
  else if (error != std::errc())
    fail(offset, "the number " + std::string(digits) + " is greater than 9223372036854775807");
  else if (digits.size() > 1 && digits[0] == '0')
    fail(offset, "a number cannot begin with 0");
  return number;
}

Symbol Parser::look_up_symbol() {
  const Symbol symbol = module_.symbols.find(lexer_.text());
  if (!is_none(symbol)) lexer_.remember(symbol);
  return symbol;
}

NodeId Parser::report_undefined(const Name& name) {
  uint32_t symbol = index(module_.symbol(name.text));
  if (std::find(undefined_.begin(), undefined_.end(), symbol) == undefined_.end()) {
    undefined_.push_back(symbol);
    bool is_function = functions_.contains(symbol);
    const std::string text(name.text);
    fail(name.offset, is_function ? "the function '" + text + "' can only be called" : "undefined name '" + text + "'");
  }
  return builder().constant(0);
}

bool Parser::can_assign(uint32_t slot, const Name& name) {
  if (slot >= context_->fixed.size() || !context_->fixed[slot]) return true;
  return fail(name.offset, "'" + std::string(name.text) + "' is a val and cannot be assigned");
}

NodeId Parser::assign(uint32_t slot, NodeId value) {
  scopes().assign(slot, value);
  return value;
}

/// A name with something behind it that makes it more than a value. `value` stays none if an operand comes next.
bool Parser::parse_name(const Name& name, uint32_t slot, NodeId& value) {
  const Token behind = lexer_.token();
  if (behind == Token::open) {
    lexer_.next();
    pending_.push_back({Pending::Kind::call});
    calls_.push_back({is_none(name.symbol) ? module_.symbol(name.text) : name.symbol, static_cast<uint32_t>(arguments_.size()), name.offset});
    if (take(Token::close)) value = finish_call();
    return true;
  }
  if (is_assignment(behind)) {
    const bool starts = pending_.empty() || pending_.back().strength <= strength_of_assignment;
    if (!starts) return fail(lexer_.offset(), "only a name can be assigned; write parentheses around the assignment");
    if (slot == sea::Scopes::no_slot) report_undefined(name);
    else if (!can_assign(slot, name)) slot = sea::Scopes::no_slot;
    lexer_.next();
    NodeId left = behind == Token::assign || slot == sea::Scopes::no_slot ? sea::no_node : scopes().lookup(slot);
    pending_.push_back({Pending::Kind::assign, behind, strength_of_assignment, left, slot});
    return true;
  }
  value = slot == sea::Scopes::no_slot ? report_undefined(name) : scopes().lookup(slot);
  if (!is_step(behind)) return true;
  if (slot != sea::Scopes::no_slot && can_assign(slot, name)) assign(slot, binary(sign_in(behind), value, builder().constant(1)));
  lexer_.next();
  return true;
}

// ---- what follows an operand ----

/// `&&`, `||`, what chooses, what closes, or the end.
Parser::Next Parser::parse_sign(Token token, NodeId& value) {
  if (token == Token::and_and || token == Token::or_or) {
    const bool is_and = token == Token::and_and;
    const uint8_t strength = is_and ? strength_of_and : strength_of_or;
    lexer_.next();
    value = reduce(strength, value);
    scopes().hold(value);
    builder().if_(value);
    if (!is_and) builder().else_();
    pending_.push_back({is_and ? Pending::Kind::and_ : Pending::Kind::or_, token, strength, value});
    return Next::operand;
  }
  if (token == Token::question) {
    lexer_.next();
    value = reduce(strength_of_choice + 1, value);  // choices group to the right
    builder().if_(value);
    pending_.push_back({Pending::Kind::then});
    return Next::operand;
  }
  value = reduce(strength_of_assignment, value);
  if (pending_.empty()) return Next::nothing;
  Pending& top = pending_.back();
  if (top.kind == Pending::Kind::then) {
    if (!require(Token::colon)) return Next::error;
    scopes().hold(value);
    builder().else_();
    top = {Pending::Kind::otherwise, token, strength_of_choice, value};
    return Next::operand;
  }
  if (top.kind == Pending::Kind::call) return parse_behind_argument(value);
  if (!require(Token::close)) return Next::error;
  pending_.pop_back();
  return Next::sign;
}

/// Completes what binds as tightly as this, or more tightly; stops at what is open.
NodeId Parser::reduce(uint8_t strength, NodeId value) {
  while (!pending_.empty() && pending_.back().strength >= strength) {
    const Pending& top = pending_.back();
    if (top.kind == Pending::Kind::binary) {
      const Token token = top.token;
      const NodeId left = top.left;
      pending_.pop_back();
      value = binary(token, left, value);
    } else {
      const Pending other = top;
      pending_.pop_back();
      value = complete(other, value);
    }
  }
  return value;
}

/// All but signs of two operands.
NodeId Parser::complete(const Pending& pending, NodeId value) {
  switch (pending.kind) {
    case Pending::Kind::prefix: return pending.token == Token::minus ? builder().unary(Op::neg, value) : builder().is_zero(value);
    case Pending::Kind::and_: {
      scopes().hold(value);
      builder().else_();
      return builder().end_if_with(value, builder().constant(0));
    }
    case Pending::Kind::or_:
    case Pending::Kind::otherwise: scopes().hold(value); return builder().end_if_with(pending.left, value);
    default: {
      assert(pending.kind == Pending::Kind::assign);
      if (pending.slot == sea::Scopes::no_slot) return value;
      if (pending.token != Token::assign) value = binary(sign_in(pending.token), pending.left, value);
      return assign(pending.slot, value);
    }
  }
}

// ---- calls ----

/// An argument is complete: the next one begins, or the call ends.
Parser::Next Parser::parse_behind_argument(NodeId& value) {
  arguments_.push_back(value);
  scopes().hold(value);
  if (take(Token::comma)) return Next::operand;
  if (!require(Token::close)) return Next::error;
  value = finish_call();
  return Next::sign;
}

/// The innermost one.
NodeId Parser::finish_call() {
  const Call call = calls_.back();
  calls_.pop_back();
  pending_.pop_back();
  uint32_t count = static_cast<uint32_t>(arguments_.size()) - call.first_argument;
  Function& callee = function(call.name, count, call.offset);
  const EarlyCall made{call.name, count, call.offset};
  NodeId value = sea::no_node;
  if (scopes().find(call.name) != sea::Scopes::no_slot) {
    if (!callee.reported) fail(call.offset, "'" + std::string(module_.name(call.name)) + "' is a variable and cannot be called");
    if (!callee.defined) callee.reported = true;
  } else {
    if (!callee.defined)
      early_calls_.push_back(made);
    else if (callee.parameters != count && !callee.reported)
      fail_count(made, callee.parameters);
    if (callee.parameters == count) value = builder().call(callee.id, std::span(arguments_).subspan(call.first_argument));
  }
  if (is_none(value)) value = builder().constant(0);
  arguments_.resize(call.first_argument);
  return value;
}

}  // namespace braid::simple
