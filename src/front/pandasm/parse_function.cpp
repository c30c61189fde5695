// Functions: their instructions, labels and handlers.
#include <algorithm>
#include <optional>

#include "base/suggestion.h"
#include "front/pandasm/link.h"
#include "front/pandasm/literal.h"
#include "front/pandasm/parser.h"

namespace braid::pandasm {

namespace {

/// Parameters are numbered behind the other registers, of which the last is not known yet.
constexpr uint32_t parameter_bit = 1u << 31;
/// What a number can be, so that all of a frame have one.
constexpr uint32_t register_limit = 1u << 30;

/// The number of a register or parameter: `v12`, `a0`.
std::optional<uint32_t> register_number(std::string_view text, char letter) {
  if (text.size() < 2 || text[0] != letter || (text[1] == '0' && text.size() > 2)) return std::nullopt;
  uint64_t number = 0;
  for (char c : text.substr(1)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = std::min<uint64_t>(number * 10 + static_cast<uint64_t>(c - '0'), register_limit);
  }
  return static_cast<uint32_t>(number);
}

unsigned immediate_bits(char letter) {
  switch (letter) {
    case 'n': return 4;
    case 'b': return 8;
    case 'm': return 32;
    default: return 64;
  }
}

constexpr std::string_view line_directives[] = {".catch", ".catchall"};

}  // namespace

void Parser::parse_function() {
  Function function{};
  function.name = none_id<Symbol>;
  lexer_.next();
  function.offset = offset();
  bool ok = parse_type(function.result);
  function.offset = offset();
  ok = ok && parse_name(function.name, "the function's name") && parse_parameters(function) &&
       parse_attributes(function.attributes, Item::function);
  if (!ok) {
    while (!lexer_.ends_line() && !lexer_.is('{')) lexer_.next();
  }
  const size_t brace = lexer_.offset();
  function.has_body = open_body();
  for (std::string_view elsewhere : {"external", "native", "noimpl"})
    if (const Attribute* found = find_attribute(program_, function.attributes, elsewhere); found != nullptr && function.has_body)
      fail(brace, "a function that is " + std::string(elsewhere) + " has no body");
  if (function.has_body)
    parse_body(function);
  else if (ok && !end_line())
    lexer_.skip_line();
  if (ok) program_.functions.push_back(std::move(function));
}

bool Parser::parse_parameters(Function& function) {
  if (!expect('(')) return false;
  while (!lexer_.is(')')) {
    if (!function.parameters.empty() && !expect(',')) return false;
    Type type;
    const size_t first = lexer_.offset();
    if (!parse_type(type)) return false;
    if (type.is_void()) return fail(first, "a parameter cannot be void");
    const std::string name = "a" + std::to_string(function.parameters.size());
    if (lexer_.token() != Token::word || lexer_.text() != name) return expected("'" + name + "', the parameter's name");
    lexer_.next();
    function.parameters.push_back(type);
  }
  lexer_.next();
  if (function.parameters.size() >= register_limit) return fail(function.offset, "too many parameters");
  return true;
}

void Parser::parse_body(Function& function) {
  label_uses_.clear();
  for (skip_lines(); !lexer_.is('}') && !diagnostics_.full(); skip_lines()) {
    if (is_new_item()) {
      expected("'}' at the end of the function");
      break;
    }
    parse_line(function);
  }
  take('}');
  finish_body(function);
}

void Parser::parse_line(Function& function) {
  for (;;) {
    if (lexer_.token() != Token::word) {
      expected("an instruction");
      return lexer_.skip_line();
    }
    if (!lexer_.is_before(':')) break;
    if (!is_name(lexer_.text())) {
      fail_here("'" + std::string(lexer_.text()) + "' is not a name");
    } else {
      const Symbol label = symbol(lexer_.text());
      if (label_pc_.size() <= index(label)) label_pc_.resize(2 * size_t{index(label)} + 1, Catch::no_pc);
      if (label_pc_[index(label)] != Catch::no_pc)
        fail_here("the label '" + std::string(lexer_.text()) + "' is there already");
      label_pc_[index(label)] = static_cast<uint32_t>(function.code.size());
      function.labels.push_back({label, static_cast<uint32_t>(function.code.size())});
    }
    lexer_.next();
    lexer_.next();
    if (lexer_.ends_line() || lexer_.is('}')) {
      end_line();
      return;
    }
  }
  if (lexer_.text() == ".catch" || lexer_.text() == ".catchall") return parse_catch(function, lexer_.text() == ".catchall");
  if (!parse_instruction(function) || !end_line()) lexer_.skip_line();
}

bool Parser::parse_label_use(uint32_t& use) {
  if (lexer_.token() != Token::word) return expected("a label");
  use = static_cast<uint32_t>(label_uses_.size());
  label_uses_.push_back({symbol(lexer_.text()), offset()});
  lexer_.next();
  return true;
}

void Parser::parse_catch(Function& function, bool is_all) {
  Catch handler{};
  handler.is_all = is_all;
  handler.offset = offset();
  handler.handler_end = Catch::no_pc;
  lexer_.next();
  bool ok = is_all || (parse_type(handler.exception) && expect(','));
  ok = ok && parse_label_use(handler.begin) && expect(',') && parse_label_use(handler.end) && expect(',') &&
       parse_label_use(handler.handler);
  if (ok && take(',')) ok = parse_label_use(handler.handler_end);
  if (!ok || !end_line()) return lexer_.skip_line();
  function.catches.push_back(handler);
}

bool Parser::parse_instruction(Function& function) {
  const std::string_view text = lexer_.text();
  const std::optional<Opcode> opcode = find_opcode(text);
  if (!opcode) {
    std::vector<std::string_view> known(std::begin(line_directives), std::end(line_directives));
    for (uint32_t i = 0; i < opcode_count; ++i) known.push_back(info(static_cast<Opcode>(i)).text);
    return fail_here("no instruction is called '" + std::string(text) + "'" + did_you_mean(text, known));
  }
  Instruction instruction{};
  instruction.opcode = *opcode;
  instruction.offset = offset();
  lexer_.next();
  const OpcodeInfo& about = info(*opcode);
  for (uint32_t i = 0; i < about.operand_count(); ++i) {
    // A call may have no arguments, and then no comma.
    if (about.what(i) == 'V') {
      if (!parse_arguments(function, instruction)) return false;
      continue;
    }
    if (i != 0 && !expect(',')) return false;
    if (!parse_operand(function, instruction, about.what(i), about.holds(i))) return false;
  }
  function.code.push_back(instruction);
  return true;
}

/// `, v1, v2`: as many registers as there are.
bool Parser::parse_arguments(Function& function, Instruction& instruction) {
  while (lexer_.is(',')) {
    Lexer ahead = lexer_;
    ahead.next();
    if (ahead.token() == Token::word && !register_number(ahead.text(), 'v') && !register_number(ahead.text(), 'a'))
      return true;  // the place of the accumulator
    lexer_.next();
    if (instruction.register_count == Instruction::most_registers)
      return fail_here("a call has at most 4 registers; use the form with .range");
    if (!parse_register(function, instruction.registers[instruction.register_count])) return false;
    ++instruction.register_count;
  }
  return true;
}

bool Parser::parse_operand(Function& function, Instruction& instruction, char what, char holds) {
  switch (what) {
    case 'D': case 'S': case 'X': case 'R':
      return parse_register(function, instruction.registers[instruction.register_count++]);
    case 'L': return parse_label_use(instruction.name);
    case 'M': return parse_callee(function, instruction);
    case 'P': case 'A': {
      Symbol name = none_id<Symbol>;
      if (!parse_name(name, what == 'P' ? "a field" : "an array")) return false;
      instruction.name = index(name);
      return true;
    }
    case 'T': {
      Type type;
      if (!parse_type(type)) return false;
      instruction.name = static_cast<uint32_t>(function.types.size());
      function.types.push_back(type);
      return true;
    }
    case 'G': {
      if (lexer_.token() != Token::text) return expected("a text");
      size_t bad = 0;
      std::optional<std::string> text = unescape(lexer_.text(), bad);
      if (!text) return fail(lexer_.offset() + 1 + bad, "this escape means nothing");
      instruction.name = index(symbol(*text));
      lexer_.next();
      return true;
    }
    default: break;
  }
  if (lexer_.token() != Token::word) return expected("a number");
  std::optional<uint64_t> number =
      what == 'F' ? parse_real(lexer_.text(), holds == 'd') : parse_integer(lexer_.text());
  if (!number) return fail_here("'" + std::string(lexer_.text()) + "' is not a number");
  if (what == 'I') {
    const unsigned bits = immediate_bits(holds);
    number = narrow(*number, bits);
    if (!number) return fail_here(std::string(lexer_.text()) + " does not fit into " + std::to_string(bits) + " bits");
  }
  if (what == 'K' && *number > instruction.register_count)
    return fail_here("the accumulator cannot be argument " + std::string(lexer_.text()) + " of " +
                     std::to_string(instruction.register_count + 1));
  instruction.immediate = *number;
  lexer_.next();
  return true;
}

bool Parser::parse_callee(Function& function, Instruction& instruction) {
  FunctionName callee{none_id<Symbol>, false, {}};
  if (!parse_name(callee.name, "a function")) return false;
  std::string suffix;  // `X[][].ctor` makes an array of arrays
  while (lexer_.is('[')) {
    lexer_.next();
    if (!expect(']')) return false;
    suffix += "[]";
  }
  if (!suffix.empty()) {
    if (lexer_.token() == Token::word && lexer_.text().starts_with('.')) {
      suffix += lexer_.text();
      lexer_.next();
    }
    callee.name = symbol(std::string(program_.symbols.view(callee.name)) + suffix);
  }
  if (take(':')) {
    callee.has_signature = true;
    if (!expect('(')) return false;
    while (!lexer_.is(')')) {
      if (!callee.parameters.empty() && !expect(',')) return false;
      if (!parse_type(callee.parameters.emplace_back())) return false;
    }
    lexer_.next();
  }
  instruction.name = static_cast<uint32_t>(function.callees.size());
  function.callees.push_back(std::move(callee));
  return true;
}

bool Parser::parse_register(const Function& function, uint32_t& number) {
  if (lexer_.token() != Token::word) return expected("a register");
  if (std::optional<uint32_t> local = register_number(lexer_.text(), 'v')) {
    if (*local >= register_limit) return fail_here("the last register is v" + std::to_string(register_limit - 1));
    number = *local;
  } else if (std::optional<uint32_t> parameter = register_number(lexer_.text(), 'a')) {
    if (*parameter >= function.parameters.size())
      return fail_here("the function has " + std::to_string(function.parameters.size()) + " parameters");
    number = *parameter | parameter_bit;
  } else {
    return expected("a register");
  }
  lexer_.next();
  return true;
}

/// Now the last register and all labels are known.
void Parser::finish_body(Function& function) {
  auto is_label = [](const OpcodeInfo& about) {
    return about.operand_count() != 0 && about.what(about.operand_count() - 1) == 'L';
  };
  for (const Instruction& instruction : function.code)
    for (uint32_t i = 0; i < instruction.register_count; ++i)
      if (uint32_t number = instruction.registers[i]; (number & parameter_bit) == 0)
        function.local_count = std::max(function.local_count, number + 1);
  auto find_label = [&](uint32_t& use, bool is_target) {
    const LabelUse& label = label_uses_[use];
    const auto name = [&] { return "'" + std::string(program_.symbols.view(label.name)) + "'"; };
    use = index(label.name) < label_pc_.size() ? label_pc_[index(label.name)] : Catch::no_pc;
    if (use == Catch::no_pc)
      fail(label.offset, "the function has no label " + name());
    else if (is_target && use == function.code.size())
      fail(label.offset, "no instruction stands behind the label " + name());
  };
  for (Instruction& instruction : function.code) {
    for (uint32_t i = 0; i < instruction.register_count; ++i)
      if (uint32_t& number = instruction.registers[i]; (number & parameter_bit) != 0)
        number = function.local_count + (number & ~parameter_bit);
    if (is_label(info(instruction.opcode))) find_label(instruction.name, true);
  }
  for (Catch& handler : function.catches) {
    find_label(handler.begin, false);
    find_label(handler.end, false);
    find_label(handler.handler, true);
    if (handler.handler_end != Catch::no_pc) find_label(handler.handler_end, false);
  }
  for (const Label& label : function.labels) label_pc_[index(label.name)] = Catch::no_pc;
}

}  // namespace braid::pandasm
