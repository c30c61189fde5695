// What the parts of the parser share: tokens, errors, types and attributes.
#pragma once

#include <braid/expected.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/source_file.h"
#include "front/pandasm/lexer.h"
#include "front/pandasm/program.h"

namespace braid::pandasm {

class Parser {
 public:
  explicit Parser(const SourceFile& source) : source_(source), lexer_(source.text()) {}

  Expected<Program> parse();

 private:
  // parse.cpp
  void parse_item();
  void parse_language();
  void parse_record();
  void parse_fields(Record& record);
  /// The end, or a directive that starts something else: the brace is missing.
  bool is_new_item() const {
    return lexer_.token() == Token::end ||
           (lexer_.token() == Token::word &&
            (lexer_.text() == ".function" || lexer_.text() == ".record" || lexer_.text() == ".array"));
  }
  void parse_array();
  bool parse_literal(const Type& type, ConstantArray& array);
  enum Item : uint8_t { record = 1, field = 2, function = 4 };
  bool parse_attributes(std::vector<Attribute>& attributes, Item item);
  bool parse_type(Type& type);
  bool parse_name(Symbol& name, std::string_view what);
  bool open_body();

  // parse_function.cpp
  void parse_function();
  bool parse_parameters(Function& function);
  void parse_body(Function& function);
  void parse_line(Function& function);
  void parse_catch(Function& function, bool is_all);
  bool parse_instruction(Function& function);
  bool parse_operand(Function& function, Instruction& instruction, char what, char holds);
  bool parse_arguments(Function& function, Instruction& instruction);
  bool parse_callee(Function& function, Instruction& instruction);
  bool parse_register(const Function& function, uint32_t& number);
  bool parse_label_use(uint32_t& use);
  void finish_body(Function& function);

  bool fail(size_t offset, std::string message) {
    diagnostics_.add(source_.error(offset, std::move(message)));
    return false;
  }
  bool fail_here(std::string message) { return fail(lexer_.offset(), std::move(message)); }
  /// `expected …, found 'x'`.
  bool expected(std::string_view what);
  bool expect(char sign);
  bool take(char sign) {
    if (!lexer_.is(sign)) return false;
    lexer_.next();
    return true;
  }
  void skip_lines() {
    while (lexer_.token() == Token::line) lexer_.next();
  }
  /// Nothing more stands in this line; goes to the next one.
  bool end_line();
  uint32_t offset() const { return static_cast<uint32_t>(lexer_.offset()); }
  Symbol symbol(std::string_view text) { return program_.symbols.intern(text); }

  const SourceFile& source_;
  Lexer lexer_;
  Program program_;
  Diagnostics diagnostics_;
  std::vector<bool> is_record_;        ///< by symbol

  // Of the function that is being read: labels by name, and where they were used. A use is a number here until the end.
  struct LabelUse {
    Symbol name;
    uint32_t offset;
  };
  std::vector<LabelUse> label_uses_;
  std::vector<uint32_t> label_pc_;     ///< by symbol, Catch::no_pc if it is none
};

}  // namespace braid::pandasm
