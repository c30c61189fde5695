// Records, arrays, and what functions have in common with them.
#include <algorithm>

#include "base/suggestion.h"
#include "front/pandasm/literal.h"
#include "front/pandasm/pandasm.h"
#include "front/pandasm/parser.h"

namespace braid::pandasm {

namespace {
constexpr std::string_view primitive_names[] = {"void", "u1",  "i8",  "u8",  "i16", "u16", "i32",
                                                "u32",  "i64", "u64", "f32", "f64", "any"};
constexpr std::string_view directives[] = {".language", ".record", ".function", ".array"};

struct KnownAttribute {
  std::string_view name;
  uint8_t items;  ///< Parser::Item
  bool has_value = false;
};
constexpr uint8_t of_record = 1, of_field = 2, of_function = 4, of_all = 7;
constexpr KnownAttribute known_attributes[] = {
    {"external", of_all},           {"final", of_all},          {"static", of_field | of_function}, {"extends", of_record, true},
    {"access.record", of_record, true}, {"volatile", of_field}, {"readonly", of_field},             {"value", of_field, true},
    {"access.field", of_field, true},   {"native", of_function}, {"noimpl", of_function},           {"ctor", of_function},
    {"cctor", of_function},         {"varargs", of_function},   {"access.function", of_function, true}};
}  // namespace

std::string_view name(Primitive primitive) { return primitive_names[static_cast<size_t>(primitive)]; }

Expected<Program> parse(const SourceFile& source) { return Parser(source).parse(); }

Expected<Program> Parser::parse() {
  // Offsets of things are 32 bits.
  if (source_.size() >= 0xffffffffu) return source_.error(0, "the file is larger than 4 GiB");
  for (skip_lines(); lexer_.token() != Token::end && !diagnostics_.full(); skip_lines()) parse_item();
  if (diagnostics_.has_errors()) return std::move(diagnostics_);
  return std::move(program_);
}

void Parser::parse_item() {
  const std::string_view word = lexer_.text();
  if (lexer_.token() == Token::word && word == ".record") return parse_record();
  if (lexer_.token() == Token::word && word == ".function") return parse_function();
  if (lexer_.token() == Token::word && word == ".array") return parse_array();
  if (lexer_.token() == Token::word && word == ".language") return parse_language();
  fail_here("expected .record, .function or .array, found '" + std::string(word) + "'" + did_you_mean(word, directives));
  lexer_.skip_line();
}

void Parser::parse_language() {
  const size_t first = lexer_.offset();
  lexer_.next();
  Symbol language = none_id<Symbol>;
  if (!parse_name(language, "a language") || !end_line()) return lexer_.skip_line();
  if (!program_.records.empty() || !program_.functions.empty() || !program_.arrays.empty())
    fail(first, ".language stands before everything else");
  program_.language = language;
}

bool Parser::expected(std::string_view what) {
  std::string message = "expected " + std::string(what);
  if (lexer_.token() == Token::unclosed_text) return fail_here("the text is not closed in this line");
  if (lexer_.ends_line()) return fail(lexer_.end_of_last(), message);
  return fail_here(message + ", found '" + std::string(lexer_.text()) + "'");
}

bool Parser::expect(char sign) { return take(sign) || expected(std::string("'") + sign + "'"); }

bool Parser::end_line() {
  if (!lexer_.ends_line() && !lexer_.is('}')) return expected("the end of the line");
  if (lexer_.token() == Token::line) lexer_.next();
  return true;
}

/// `{`, on this line or a later one.
bool Parser::open_body() {
  const Lexer before = lexer_;
  skip_lines();
  if (take('{')) return true;
  lexer_ = before;
  return false;
}

bool Parser::parse_name(Symbol& name, std::string_view what) {
  if (lexer_.token() != Token::word) return expected(what);
  if (!is_name(lexer_.text())) return fail_here("'" + std::string(lexer_.text()) + "' is not a name");
  name = symbol(lexer_.text());
  lexer_.next();
  return true;
}

bool Parser::parse_type(Type& type) {
  if (lexer_.token() != Token::word) return expected("a type");
  const auto* found = std::find(std::begin(primitive_names), std::end(primitive_names), lexer_.text());
  type = {};
  if (found != std::end(primitive_names)) {
    type.primitive = static_cast<Primitive>(found - std::begin(primitive_names));
    lexer_.next();
  } else {
    type.primitive = Primitive::record;
    if (!parse_name(type.record, "a type")) return false;
  }
  while (lexer_.is('[')) {
    if (type.dimensions == 255) return fail_here("an array has at most 255 dimensions");
    lexer_.next();
    if (!expect(']')) return false;
    ++type.dimensions;
  }
  if (type.dimensions != 0 && type.primitive == Primitive::void_) return fail_here("an array of void");
  return true;
}

bool Parser::parse_attributes(std::vector<Attribute>& attributes, Item item) {
  if (!take('<')) return true;
  do {
    Attribute attribute{none_id<Symbol>, none_id<Symbol>, offset()};
    const std::string text(lexer_.text());
    if (!parse_name(attribute.key, "an attribute")) return false;
    std::vector<std::string_view> names;
    const KnownAttribute* known = nullptr;
    for (const KnownAttribute& one : known_attributes) {
      if ((one.items & item) == 0) continue;
      names.push_back(one.name);
      if (one.name == text) known = &one;
    }
    if (known == nullptr) return fail(attribute.offset, "there is no attribute '" + text + "' here" + did_you_mean(text, names));
    if (known->has_value != lexer_.is('='))
      return fail(attribute.offset, "the attribute '" + text + (known->has_value ? "' needs a value" : "' has no value"));
    if (take('=')) {
      if (lexer_.token() != Token::word && lexer_.token() != Token::text) return expected("a value");
      attribute.value = symbol(lexer_.text());
      lexer_.next();
    }
    for (const Attribute& other : attributes)
      if (other.key == attribute.key)
        return fail(attribute.offset, "the attribute '" + std::string(program_.symbols.view(other.key)) + "' is given twice");
    attributes.push_back(attribute);
  } while (take(','));
  return expect('>');
}

void Parser::parse_record() {
  Record record{none_id<Symbol>, {}, {}, false, 0};
  lexer_.next();
  record.offset = offset();
  bool ok = parse_name(record.name, "the record's name");
  while (ok && lexer_.is('[')) {  // a record for an array type
    lexer_.next();
    ok = expect(']');
    record.name = symbol(std::string(program_.symbols.view(record.name)) + "[]");
  }
  ok = ok && parse_attributes(record.attributes, Item::record);
  if (!ok) lexer_.skip_line();
  record.has_body = open_body();
  if (record.has_body)
    parse_fields(record);
  else if (ok && !end_line())
    lexer_.skip_line();
  if (!ok) return;
  if (is_record_.size() <= index(record.name)) is_record_.resize(index(record.name) + 1);
  if (is_record_[index(record.name)])
    fail(record.offset, "the record '" + std::string(program_.symbols.view(record.name)) + "' is there already");
  is_record_[index(record.name)] = true;
  program_.records.push_back(std::move(record));
}

void Parser::parse_fields(Record& record) {
  for (skip_lines(); !lexer_.is('}'); skip_lines()) {
    if (lexer_.token() == Token::end) {
      expected("'}'");
      return;
    }
    Field field{{}, none_id<Symbol>, {}, offset()};
    if (!parse_type(field.type) || !parse_name(field.name, "the field's name") || !parse_attributes(field.attributes, Item::field) ||
        !end_line()) {
      lexer_.skip_line();
      continue;
    }
    if (field.type.is_void()) fail(field.offset, "a field cannot be void");
    record.fields.push_back(std::move(field));
  }
  lexer_.next();
}

void Parser::parse_array() {
  ConstantArray array{none_id<Symbol>, false, {}, {}, 0};
  lexer_.next();
  array.offset = offset();
  uint64_t count = 0;
  if (!parse_name(array.name, "the array's name")) return lexer_.skip_line();
  array.has_element_type = lexer_.token() == Token::word;
  if (array.has_element_type) {
    if (!parse_type(array.element)) return lexer_.skip_line();
    std::optional<uint64_t> number;
    if (lexer_.token() == Token::word) number = parse_integer(lexer_.text());
    if (!number) {
      expected("the number of elements");
      return lexer_.skip_line();
    }
    count = *number;
    lexer_.next();
  }
  if (!open_body()) {
    expected("'{'");
    return lexer_.skip_line();
  }
  for (skip_lines(); !lexer_.is('}'); skip_lines()) {
    if (is_new_item()) {
      expected("'}' at the end of the array");
      return;
    }
    Type type = array.element;
    if ((!array.has_element_type && !parse_type(type)) || !parse_literal(type, array) ||
        (!array.has_element_type && !end_line()))
      lexer_.skip_line();
  }
  lexer_.next();
  if (array.has_element_type && array.literals.size() != count && !diagnostics_.has_errors())
    fail(array.offset, "the array says it has " + std::to_string(count) + " elements, and has " +
                           std::to_string(array.literals.size()));
  program_.arrays.push_back(std::move(array));
}

bool Parser::parse_literal(const Type& type, ConstantArray& array) {
  Literal literal{Literal::Form::integer, type, 0};
  if (lexer_.token() == Token::text) {
    size_t bad = 0;
    std::optional<std::string> text = unescape(lexer_.text(), bad);
    if (!text) return fail(lexer_.offset() + 1 + bad, "this escape means nothing");
    literal.form = Literal::Form::text;
    literal.bits = index(symbol(*text));
  } else if (lexer_.token() != Token::word) {
    return expected("a literal");
  } else {
    const bool is_real = type.primitive == Primitive::f32 || type.primitive == Primitive::f64;
    std::optional<uint64_t> bits =
        is_real ? parse_real(lexer_.text(), type.primitive == Primitive::f64) : parse_integer(lexer_.text());
    const unsigned width = integer_bits(type.primitive);
    // One that is bad stands for itself: the others are read on.
    if (!bits) fail_here("'" + std::string(lexer_.text()) + "' is not a number");
    else if (!is_real && !narrow(*bits, width))
      fail_here(std::string(lexer_.text()) + " does not fit into " + std::to_string(width) + " bits");
    literal.form = is_real ? Literal::Form::real : Literal::Form::integer;
    literal.bits = bits.value_or(0);
  }
  lexer_.next();
  array.literals.push_back(literal);
  return true;
}

}  // namespace braid::pandasm
