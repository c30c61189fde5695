#include "generator.h"

#include <cstring>

namespace braid::simple_testing {
namespace {

constexpr const char* words[] = {"int ",
                                 "if(",
                                 "else ",
                                 "while(",
                                 "break;",
                                 "continue;",
                                 "return ",
                                 "true",
                                 "false",
                                 "{",
                                 "}",
                                 "(",
                                 ")",
                                 ";",
                                 "=",
                                 "==",
                                 "!=",
                                 "<",
                                 "<=",
                                 ">",
                                 ">=",
                                 "+",
                                 "-",
                                 "*",
                                 "/",
                                 "arg",
                                 "a",
                                 "b1",
                                 "0",
                                 "1",
                                 "01",
                                 "9223372036854775808",
                                 "9223372036854775807",
                                 "//",
                                 "/*",
                                 "*/",
                                 "!",
                                 "#",
                                 "@",
                                 "for(",
                                 "val ",
                                 "?",
                                 ":",
                                 "++",
                                 "--",
                                 "+=",
                                 "->",
                                 "f0x1(",
                                 "a1b",
                                 "_",
                                 ",",
                                 "&",
                                 "\t",
                                 "int a=1;",
                                 ";;",
                                 ";x"};
constexpr const char* binary8[] = {"+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">="};
constexpr const char* binary_today[] = {
    "+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">=", "%", "&", "|", "^", "<<", ">>", ">>>", "&&", "||"};
constexpr const char* reserved[] = {"break", "continue", "else", "false", "if",
                                    "int",   "return",   "true", "while"};

}  // namespace

const std::string& Generator::program() {
  out_.clear();
  names_.clear();
  functions_.clear();
  level_ = loops_ = statements_ = 0;
  if (is_today()) {
    uint32_t count = chance(4) ? 1 + pick(3) : 0;
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t parameters = 1 + pick(3);
      functions_.push_back({"f" + std::to_string(i) + "x" + std::to_string(parameters), parameters});
    }
    for (uint32_t i = 0; i < count; ++i) function(i);
  }
  names_.push_back({0, "arg", false});
  block_body(0, 2 + pick(7));
  if (!chance(12)) {
    out_ += "return ";
    expression(3);
    out_ += ";\n";
  }
  if (is_today() && chance(6)) out_ += chance(2) ? "// the end" : "/* the\nend */";
  if (!options_.valid && chance(2)) spoil();
  return out_;
}

void Generator::line() { out_ += chance(6) ? ' ' : '\n'; }

/// A letter and perhaps a digit; sometimes that of an outer block, so that it is hidden.
void Generator::new_name(char (&text)[4]) {
  for (int attempt = 0;; ++attempt) {
    std::memset(text, 0, sizeof(text));
    const Name* outer = chance(4) ? any_name(false) : nullptr;
    if (outer != nullptr) {
      std::memcpy(text, outer->text, sizeof(text));
    } else {
      text[0] = static_cast<char>('a' + pick(26));
      if (attempt > 0 || chance(3)) text[1] = static_cast<char>('0' + pick(10));
    }
    bool taken = false;
    for (const Name& name : names_)
      taken = taken || (name.level == level_ && std::strcmp(name.text, text) == 0);
    if (!taken || attempt > 20 || errs(3)) return;
  }
}

const Generator::Name* Generator::any_name(bool assignable) {
  if (names_.empty()) return nullptr;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const Name& name =
        names_[names_.size() - 1 - pick(static_cast<uint32_t>(names_.size() < 200 ? names_.size() : 200))];
    bool hidden = false;
    if (assignable && name.is_counter) continue;
    for (size_t i = static_cast<size_t>(&name - names_.data()) + 1; i < names_.size(); ++i)
      hidden = hidden || (names_[i].is_counter && assignable && std::strcmp(names_[i].text, name.text) == 0);
    if (!hidden) return &name;
  }
  return assignable ? nullptr : &names_[0];
}

void Generator::function(uint32_t number) {
  const Function& f = functions_[number];
  std::vector<Name> outer = std::move(names_);
  names_.clear();
  in_function_ = true;
  out_ += "val " + f.name + " = {";
  for (uint32_t i = 0; i < f.parameters; ++i) {
    Name name{level_ + 1, {'p', static_cast<char>('0' + i), 0, 0}, false};
    names_.push_back(name);
    out_ += i == 0 ? " int " : ", int ";
    out_ += name.text;
  }
  out_ += " ->\n";
  // Recursion that ends: the first parameter goes down.
  ++level_;
  if (chance(2)) out_ += "if (p0 < 1) return p0;\n";
  block_body(options_.depth - 2, 1 + pick(4));
  --level_;
  out_ += "return ";
  expression(2);
  out_ += ";\n};\n";
  names_ = std::move(outer);
  in_function_ = false;
}

void Generator::block_body(uint32_t depth, uint32_t most) {
  ++level_;
  for (uint32_t i = 0; i < most && statements_ < options_.statements; ++i) {
    statement(depth);
    line();
  }
  while (!names_.empty() && names_.back().level == level_) names_.pop_back();
  --level_;
}

void Generator::statement(uint32_t depth) {
  ++statements_;
  bool deeper = depth < options_.depth;
  switch (pick(deeper ? 16 : 8)) {
    case 0:
    case 1:
    case 2: return assignment();
    case 3:
    case 4: return declaration(false);
    case 5:
      if (is_today() && chance(48))
        out_ += "#showGraph;";
      else
        out_ += chance(2) ? "; " : "{}";
      return;
    case 6:
      if (loops_ > 0 || errs(4)) {
        out_ += chance(2) ? "break;" : "continue;";
        return;
      }
      return assignment();
    case 7:
      if (!chance(4)) return assignment();
      out_ += "return ";
      expression(2);
      out_ += ';';
      return;
    case 8:
    case 9:
    case 10:
    case 11: return chance(24) ? related_statements() : if_statement(depth);
    case 12: return is_today() && chance(2) ? for_loop(depth) : while_statement(depth);
    case 13:
    case 14: return counted_loop(depth);
    default:
      out_ += "{ ";
      block_body(depth + 1, 1 + pick(4));
      out_ += '}';
  }
}

/// One arm of a condition, or a body: mostly a block.
void Generator::arm(uint32_t depth) {
  if (chance(3)) {
    switch (pick(3)) {
      case 0:
        if (loops_ > 0) {
          out_ += chance(2) ? " break;" : " continue;";
          return;
        }
        [[fallthrough]];
      case 1:
        out_ += ' ';
        if (errs(6)) return declaration(false);
        return assignment();
      default:
        out_ += " return ";
        expression(1);
        out_ += ';';
        return;
    }
  }
  out_ += " {\n";
  block_body(depth + 1, 1 + pick(3));
  out_ += '}';
}

void Generator::declaration(bool counter) {
  Name name{level_, {}, counter};
  new_name(name.text);
  out_ += "int ";
  if (!is_today() && errs(20))
    out_ += reserved[pick(std::size(reserved))];
  else
    out_ += name.text;
  if (is_today() && !counter && chance(12)) {
    out_.resize(out_.size() - std::strlen(name.text) - 4);
    name.is_counter = chance(2);
    out_ += name.is_counter ? "val " : "var ";
    out_ += name.text;
  } else if (is_today() && !counter && chance(5)) {
    if (chance(2)) {
      out_ += ';';
      names_.push_back(name);
      return;
    }
    Name second{level_, {}, false};
    names_.push_back(name);
    new_name(second.text);
    out_ += "=1, ";
    out_ += second.text;
    names_.back() = second;
    out_ += '=';
    expression(1);
    out_ += ';';
    names_.back() = name;
    names_.push_back(second);
    return;
  }
  out_ += '=';
  if (counter)
    out_ += chance(3) && !in_function_ ? "arg" : "0";
  else
    expression(3);
  out_ += ';';
  names_.push_back(name);
}

void Generator::assignment() {
  const Name* name = any_name(true);
  if (name == nullptr && !errs(2)) {
    out_ += "{}";
    return;
  }
  if (name == nullptr || errs(25))
    out_ += chance(2) ? "unknown" : reserved[pick(std::size(reserved))];
  else
    out_ += name->text;
  if (is_today() && chance(4)) {
    constexpr const char* updates[] = {
        "++;", "--;", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", ">>>="};
    uint32_t which = pick(std::size(updates));
    out_ += updates[which];
    if (which < 2) return;
  } else {
    out_ += chance(3) ? " = " : "=";
  }
  expression(3);
  out_ += ';';
}

void Generator::if_statement(uint32_t depth) {
  out_ += "if(";
  expression(2);
  out_ += ')';
  arm(depth);
  if (!chance(3)) return;
  out_ += " else";
  if (chance(4)) {
    out_ += ' ';
    if_statement(depth + 1);
  } else {
    arm(depth);
  }
}

/// What phis are made of that rewrites look for: chance alone hardly ever repeats an operation.
void Generator::related_statements() {
  switch (pick(4)) {
    case 0: return choice_of_products();
    case 1: return operation_of_rounds();
    default: return choice_of_numbers();
  }
}

/// A name that is one number or another, and some sums with it.
void Generator::choice_of_numbers() {
  const Name* name = any_name(true);
  const Name* other = any_name(false);
  if (name == nullptr || other == nullptr) return if_statement(options_.depth);
  const std::string text = name->text, term = other->text;
  const char sign = chance(3) ? '*' : '+';
  out_ += "{if(";
  expression(1);
  out_ += ") " + text + "=" + std::to_string(pick(9)) + "; else " + text + "=" + std::to_string(pick(9)) + ";\n";
  out_ += text + "=(" + text + sign + term + ")" + sign + std::to_string(pick(9)) + ";}";
}

/// A name that is one product or another, with a factor that they share up to its sign.
void Generator::choice_of_products() {
  const Name* name = any_name(true);
  const Name* other = any_name(false);
  const Name* last = any_name(false);
  if (name == nullptr || other == nullptr || last == nullptr) return if_statement(options_.depth);
  const std::string text = name->text, factor = other->text, one = last->text;
  const char* sign = chance(3) ? "" : "-";
  out_ += "if(";
  expression(1);
  out_ += ") " + text + "=" + sign + "(" + factor + "*" + one + "); else " + text + "=" + factor + "*";
  operand(0);
  out_ += ';';
}

/// A name to which the same is done before a loop and in each of its rounds.
void Generator::operation_of_rounds() {
  const Name* name = any_name(true);
  const Name* other = any_name(false);
  if (name == nullptr || other == nullptr) return if_statement(options_.depth);
  const std::string text = name->text, number = std::to_string(1 + pick(9));
  constexpr const char* signs[] = {"+", "/", "*", "<"};
  const std::string update = text + "=" + text + signs[pick(4)] + (chance(2) ? number : std::string(other->text)) + ";";
  const std::string bound = chance(2) ? "<" + std::to_string(pick(99)) : ">" + number;
  out_ += update + " while(" + text + bound + ") " + update;
}

void Generator::while_statement(uint32_t depth) {
  out_ += "while(";
  expression(2);
  out_ += ')';
  ++loops_;
  arm(depth);
  --loops_;
}

/// A loop that ends, unless its body returns to its head before it counts.
void Generator::counted_loop(uint32_t depth) {
  out_ += "{ ";
  ++level_;
  declaration(true);
  const std::string counter = names_.back().text;
  std::string bound = std::to_string(1 + pick(12));
  out_ += " while(" + counter + (chance(2) ? "<" : "<=") + bound + ") {\n";
  ++loops_;
  bool counts_first = chance(2);
  if (counts_first) out_ += counter + "=" + counter + "+1;\n";
  block_body(depth + 1, 1 + pick(4));
  if (!counts_first) out_ += counter + "=" + counter + "+1;\n";
  --loops_;
  out_ += "}\n";
  if (chance(2)) assignment();
  while (!names_.empty() && names_.back().level == level_) names_.pop_back();
  --level_;
  out_ += "}";
}

void Generator::for_loop(uint32_t depth) {
  ++level_;
  Name name{level_, {}, true};
  new_name(name.text);
  names_.push_back(name);
  std::string counter = name.text;
  out_ += "for(int " + counter + "=0; " + counter + "<" + std::to_string(pick(9)) + "; " + counter + "++)";
  ++loops_;
  arm(depth);
  --loops_;
  while (!names_.empty() && names_.back().level == level_) names_.pop_back();
  --level_;
}

void Generator::expression(uint32_t depth) {
  operand(depth);
  if (depth == 0) return;
  while (chance(2)) {
    if (is_today())
      out_ += binary_today[pick(std::size(binary_today))];
    else
      out_ += binary8[pick(std::size(binary8))];
    operand(depth - 1);
  }
  if (is_today() && depth > 1 && chance(14)) {
    out_ += " ? ";
    expression(depth - 1);
    out_ += " : ";
    expression(depth - 1);
  }
}

void Generator::operand(uint32_t depth) {
  if (chance(12)) out_ += is_today() ? (chance(2) ? "!" : " -") : "-";
  if (depth > 0 && chance(6)) {
    out_ += '(';
    expression(depth - 1);
    out_ += ')';
    return;
  }
  if (is_today() && !functions_.empty() && depth > 0 && chance(8)) return call(depth);
  if (is_today() && depth > 0 && chance(20)) return assigning_operand(depth);
  if (is_today() && depth > 1 && chance(16)) return related_operands();
  switch (pick(8)) {
    case 0:
    case 1: out_ += std::to_string(pick(10)); return;
    case 2:
      switch (pick(8)) {
        case 0: out_ += "true"; return;
        case 1: out_ += "false"; return;
        case 2: out_ += "9223372036854775807"; return;
        case 3: out_ += std::to_string(pick(1u << 31)); return;
        default: out_ += std::to_string(pick(100)); return;
      }
    default: break;
  }
  if (errs(30)) {
    out_ += chance(2) ? "unknown" : reserved[pick(std::size(reserved))];
    return;
  }
  const Name* name = any_name(false);
  out_ += name == nullptr ? "7" : name->text;
}

/// Operations on the same few names and numbers, as rewrite rules look for them: chance alone hardly ever repeats an operand.
void Generator::related_operands() {
  const Name* names[] = {any_name(false), any_name(false)};
  const std::string numbers[] = {std::to_string(pick(5)), chance(2) ? "63" : "(-" + std::to_string(pick(9)) + ")"};
  constexpr const char* operators[] = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>", "==", "!=", "<", "<="};
  const char* inner = operators[pick(std::size(operators))];
  auto term = [&] {
    uint32_t which = pick(7);
    if (chance(8)) out_ += " -";
    if (which < 5 && names[which % 2] != nullptr)
      out_ += names[which % 2]->text;
    else
      out_ += numbers[which % 2];
  };
  auto pair = [&] {
    out_ += chance(8) ? "-(" : chance(12) ? "!(" : "(";
    term();
    out_ += chance(3) ? operators[pick(std::size(operators))] : inner;
    term();
    out_ += ')';
  };
  out_ += '(';
  pair();
  out_ += operators[pick(std::size(operators))];
  chance(2) ? pair() : term();
  out_ += ')';
}

/// An assignment inside of an expression, or a name that is counted up or down.
void Generator::assigning_operand(uint32_t depth) {
  const Name* name = any_name(true);
  if (name == nullptr) {
    out_ += '3';
    return;
  }
  constexpr const char* steps[] = {"++", "--"};
  uint32_t which = pick(2);
  switch (pick(3)) {
    case 0:
      out_ += ' ';
      out_ += steps[which];
      out_ += name->text;
      break;
    case 1:
      out_ += name->text;
      out_ += steps[which];
      out_ += ' ';
      break;
    default:
      out_ += '(';
      out_ += name->text;
      out_ += which == 0 ? "=" : "+=";
      expression(depth - 1);
      out_ += ')';
  }
}

void Generator::call(uint32_t depth) {
  const Function& f = functions_[pick(static_cast<uint32_t>(functions_.size()))];
  uint32_t count = f.parameters + (errs(20) ? 1 : 0);
  out_ += f.name;
  out_ += '(';
  for (uint32_t i = 0; i < count; ++i) {
    if (i > 0) out_ += ", ";
    if (i == 0 && in_function_ && !chance(8))
      out_ += "p0-1";
    else
      expression(depth - 1);
  }
  out_ += ')';
}

/// Changes a few characters or words.
void Generator::spoil() {
  for (uint32_t round = 1 + pick(2); round > 0 && !out_.empty(); --round) {
    size_t at = (pick(256) * 256u + pick(256)) % out_.size();
    switch (pick(5)) {
      case 0: out_.erase(at, 1); break;
      case 1: out_.erase(at, 1 + pick(6)); break;
      case 2: out_.resize(at); break;
      case 3: out_.insert(at, words[pick(std::size(words))]); break;
      default: {
        size_t end = out_.find(' ', at);
        if (end == std::string::npos) end = at + 1;
        if (end - at > 12) end = at + 3;
        out_.replace(at, end - at, words[pick(std::size(words))]);
      }
    }
  }
}

}  // namespace braid::simple_testing
