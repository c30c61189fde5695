// Expressions, by the strength of their signs.
#include <algorithm>
#include <charconv>

#include "front/simple/parser.h"

namespace braid::simple {

using ir::Op;
using sea::NodeId;

namespace {

/// How tightly signs of two operands bind; 0 for what is none. They group to the left.
int strength_of(Token token) {
  if (token >= Token::times && token <= Token::modulo) return 9;
  if (token >= Token::plus && token <= Token::minus) return 8;
  if (token >= Token::shift_left && token <= Token::shift_right_logical) return 7;
  if (token >= Token::equal && token <= Token::greater_equal) return 6;
  if (token >= Token::and_ && token <= Token::xor_) return 5;
  if (token == Token::and_and) return 4;
  if (token == Token::or_or) return 3;
  return 0;
}
constexpr int strength_of_prefix = 10, strength_of_choice = 2, strength_of_assignment = 1;

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

}  // namespace

NodeId Parser::binary(Token token, NodeId a, NodeId b) {
  switch (token) {
    case Token::times: return builder().binary(Op::mul, a, b);
    case Token::over: return builder().binary(Op::sdiv, a, b);
    case Token::modulo: return builder().binary(Op::srem, a, b);
    case Token::plus: return builder().binary(Op::add, a, b);
    case Token::minus: return builder().binary(Op::sub, a, b);
    case Token::shift_left: return builder().binary(Op::shl, a, b);
    case Token::shift_right: return builder().binary(Op::ashr, a, b);
    case Token::shift_right_logical: return builder().binary(Op::lshr, a, b);
    case Token::equal: return builder().binary(Op::eq, a, b);
    case Token::not_equal: return builder().is_zero(builder().binary(Op::eq, a, b));
    case Token::less: return builder().binary(Op::slt, a, b);
    case Token::less_equal: return builder().binary(Op::sle, a, b);
    case Token::greater: return builder().binary(Op::slt, b, a);
    case Token::greater_equal: return builder().binary(Op::sle, b, a);
    case Token::and_: return builder().binary(Op::and_, a, b);
    case Token::or_: return builder().binary(Op::or_, a, b);
    default: return builder().binary(Op::xor_, a, b);
  }
}

bool Parser::parse_expression(NodeId& value) {
  size_t base = pending_.size(), first_argument = arguments_.size();
  bool more = true;
  while (more) {
    bool complete = false;
    if (!parse_operand(base, value, complete) || (complete && !parse_sign(base, value, more))) {
      // The sides of conditions are closed, so that what follows stands where it belongs.
      while (pending_.size() > base) {
        Pending top = pending_.back();
        pending_.pop_back();
        if (top.kind == Pending::Kind::and_ || top.kind == Pending::Kind::or_ || top.kind == Pending::Kind::then ||
            top.kind == Pending::Kind::otherwise)
          builder().end_if();
      }
      arguments_.resize(first_argument);
      return false;
    }
  }
  return true;
}

// ---- operands ----

/// What can stand before a value, then the value. Not complete: a call has begun, and its first argument comes next.
bool Parser::parse_operand(size_t base, NodeId& value, bool& complete) {
  size_t offset = lexer_.offset();
  Token token = lexer_.token();
  switch (token) {
    case Token::minus:
    case Token::not_:
      lexer_.next();
      pending_.push_back({.kind = Pending::Kind::prefix, .token = token});
      return true;
    case Token::open:
      lexer_.next();
      pending_.push_back({.kind = Pending::Kind::parenthesis});
      return true;
    case Token::increment:
    case Token::decrement: {
      lexer_.next();
      if (lexer_.token() != Token::name) return fail_expected("a name behind '" + std::string(spelling(token)) + "'");
      std::string_view name = lexer_.text();
      size_t name_offset = lexer_.offset();
      lexer_.next();
      uint32_t slot = find(name);
      if (slot == sea::Scopes::no_slot)
        value = report_undefined(name, name_offset);
      else if (can_assign(slot, name, name_offset))
        value = assign(slot, binary(sign_in(token), scopes().lookup(slot), builder().constant(1)));
      else
        value = builder().constant(0);
      complete = true;
      return true;
    }
    case Token::true_:
    case Token::false_:
      lexer_.next();
      value = builder().constant(token == Token::true_);
      complete = true;
      return true;
    case Token::number: complete = true; return parse_number(value);
    case Token::name: return parse_name(base, value, complete);
    case Token::open_brace: return fail(offset, "a function is defined by 'val' at the top of the program");
    default: return fail_expected("an expression");
  }
}

bool Parser::parse_number(NodeId& value) {
  std::string_view digits = lexer_.text();
  size_t offset = lexer_.offset();
  int64_t number = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  lexer_.next();
  value = builder().constant(number);
  if (end != digits.data() + digits.size() && error == std::errc())
    fail(offset, "'" + std::string(digits) + "' is no number");
  else if (error != std::errc())
    fail(offset, "the number " + std::string(digits) + " is greater than 9223372036854775807");
  else if (digits.size() > 1 && digits[0] == '0')
    fail(offset, "a number cannot begin with 0");
  return true;
}

uint32_t Parser::find(std::string_view name) const {
  Symbol symbol = module_.symbols.find(name);
  return is_none(symbol) ? sea::Scopes::no_slot : context_->builder->scopes().find(symbol);
}

NodeId Parser::report_undefined(std::string_view name, size_t offset) {
  uint32_t symbol = index(module_.symbol(name));
  if (std::find(undefined_.begin(), undefined_.end(), symbol) == undefined_.end()) {
    undefined_.push_back(symbol);
    bool is_function = functions_.contains(symbol);
    fail(offset, is_function ? "the function '" + std::string(name) + "' can only be called" : "undefined name '" + std::string(name) + "'");
  }
  return builder().constant(0);
}

bool Parser::can_assign(uint32_t slot, std::string_view name, size_t offset) {
  if (slot >= context_->fixed.size() || !context_->fixed[slot]) return true;
  return fail(offset, "'" + std::string(name) + "' is a val and cannot be assigned");
}

NodeId Parser::assign(uint32_t slot, NodeId value) {
  scopes().assign(slot, value);
  return value;
}

bool Parser::parse_name(size_t base, NodeId& value, bool& complete) {
  std::string_view name = lexer_.text();
  size_t offset = lexer_.offset();
  lexer_.next();
  Token token = lexer_.token();
  if (token == Token::open) {
    lexer_.next();
    pending_.push_back({.kind = Pending::Kind::call, .number = static_cast<uint32_t>(arguments_.size()),
                        .name = module_.symbol(name), .offset = offset});
    if (lexer_.token() != Token::close) return true;
    lexer_.next();
    Pending call = pending_.back();
    pending_.pop_back();
    value = finish_call(call);
    complete = true;
    return true;
  }
  uint32_t slot = find(name);
  complete = true;
  if (is_assignment(token)) {
    bool starts = pending_.size() == base || (pending_.back().kind != Pending::Kind::binary && pending_.back().kind != Pending::Kind::prefix);
    if (!starts) return fail(lexer_.offset(), "only a name can be assigned; write parentheses around the assignment");
    if (slot == sea::Scopes::no_slot) report_undefined(name, offset);
    else if (!can_assign(slot, name, offset)) slot = sea::Scopes::no_slot;
    lexer_.next();
    NodeId left = token == Token::assign || slot == sea::Scopes::no_slot ? sea::no_node : scopes().lookup(slot);
    pending_.push_back({.kind = Pending::Kind::assign, .token = token, .left = left, .number = slot});
    complete = false;
    return true;
  }
  if (slot == sea::Scopes::no_slot) {
    value = report_undefined(name, offset);
  } else {
    value = scopes().lookup(slot);
    if ((token == Token::increment || token == Token::decrement) && can_assign(slot, name, offset))
      assign(slot, binary(sign_in(token), value, builder().constant(1)));
  }
  if (token == Token::increment || token == Token::decrement) lexer_.next();
  return true;
}

// ---- what follows an operand ----

/// Signs of two operands, closing parentheses, or the end. `more` if an operand comes next.
bool Parser::parse_sign(size_t base, NodeId& value, bool& more) {
  for (;;) {
    Token token = lexer_.token();
    if (int strength = strength_of(token); strength > 0) {
      lexer_.next();
      reduce(base, strength, false, value);
      Pending::Kind kind = Pending::Kind::binary;
      if (token == Token::and_and || token == Token::or_or) {
        kind = token == Token::and_and ? Pending::Kind::and_ : Pending::Kind::or_;
        scopes().hold(value);
        builder().if_(value);
        if (token == Token::or_or) builder().else_();
      }
      pending_.push_back({.kind = kind, .token = token, .left = value});
      more = true;
      return true;
    }
    if (token == Token::question) {
      lexer_.next();
      reduce(base, strength_of_choice, true, value);
      builder().if_(value);
      pending_.push_back({.kind = Pending::Kind::then});
      more = true;
      return true;
    }
    reduce(base, 0, false, value);
    if (pending_.size() == base) {
      more = false;
      return true;
    }
    Pending& top = pending_.back();
    if (top.kind == Pending::Kind::then) {
      if (!require(Token::colon)) return false;
      scopes().hold(value);
      builder().else_();
      top.kind = Pending::Kind::otherwise;
      top.left = value;
      more = true;
      return true;
    }
    if (top.kind == Pending::Kind::call) {
      if (!close_call(value, more)) return false;
      if (more) return true;
      continue;
    }
    if (!require(Token::close)) return false;
    pending_.pop_back();
  }
}

/// Completes what binds more tightly than this, or as tightly unless signs of this strength group to the right; stops at
/// what is open.
void Parser::reduce(size_t base, int strength, bool right, NodeId& value) {
  while (pending_.size() > base) {
    const Pending& top = pending_.back();
    int of_top = 0;
    switch (top.kind) {
      case Pending::Kind::parenthesis:
      case Pending::Kind::call:
      case Pending::Kind::then: return;
      case Pending::Kind::prefix: of_top = strength_of_prefix; break;
      case Pending::Kind::binary:
      case Pending::Kind::and_:
      case Pending::Kind::or_: of_top = strength_of(top.token); break;
      case Pending::Kind::otherwise: of_top = strength_of_choice; break;
      default: of_top = strength_of_assignment; break;
    }
    if (of_top < strength || (right && of_top == strength)) return;
    Pending pending = top;
    pending_.pop_back();
    value = complete(pending, value);
  }
}

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
    case Pending::Kind::assign: {
      if (pending.number == sea::Scopes::no_slot) return value;
      if (pending.token != Token::assign) value = binary(sign_in(pending.token), pending.left, value);
      return assign(pending.number, value);
    }
    default: return binary(pending.token, pending.left, value);
  }
}

// ---- calls ----

/// An argument is complete: the next one begins, or the call ends.
bool Parser::close_call(NodeId& value, bool& more) {
  arguments_.push_back(value);
  scopes().hold(value);
  if (take(Token::comma)) {
    more = true;
    return true;
  }
  if (!require(Token::close)) return false;
  Pending call = pending_.back();
  pending_.pop_back();
  value = finish_call(call);
  more = false;
  return true;
}

NodeId Parser::finish_call(const Pending& call) {
  uint32_t count = static_cast<uint32_t>(arguments_.size()) - call.number;
  Function& callee = function(call.name, count, call.offset);
  std::string name(module_.name(call.name));
  NodeId value;
  if (scopes().find(call.name) != sea::Scopes::no_slot) {
    fail(call.offset, "'" + name + "' is a variable and cannot be called");
    value = builder().constant(0);
    callee.reported = true;
  } else if (callee.parameters != count) {
    fail(call.offset, "'" + name + "' takes " + std::to_string(callee.parameters) + (callee.parameters == 1 ? " argument" : " arguments") +
                          ", not " + std::to_string(count));
    value = builder().constant(0);
  } else {
    value = builder().call(callee.id, std::span(arguments_).subspan(call.number));
  }
  arguments_.resize(call.number);
  return value;
}

}  // namespace braid::simple
