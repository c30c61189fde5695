// Random Simple programs. Valid ones use every construct, shadow names, nest loops and leave them by every
// way, and mostly end; those that may be invalid are the same with names, keywords and jumps where they must
// not be, or with a few characters or words changed. Whether a program is valid, and what its error is, the
// tree says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "choices.h"
#include "tree.h"

namespace braid::simple_testing {

struct GeneratorOptions {
  Dialect dialect = Dialect::simple8;
  bool valid = true;
  uint32_t statements = 14;  ///< about so many at most
  uint32_t depth = 5;        ///< blocks in blocks
};

class Generator {
 public:
  Generator(Choices& choices, const GeneratorOptions& options) : choices_(choices), options_(options) { out_.reserve(1024); }
  /// The next program, in memory that the next call uses again.
  const std::string& program();

 private:
  struct Name {
    uint32_t level;
    char text[4];
    bool is_counter;  ///< what a loop waits for: not assigned by chance
  };
  struct Function {
    std::string name;
    uint32_t parameters;
  };

  uint32_t pick(uint32_t count) { return choices_.pick(count); }
  bool chance(uint32_t one_in) { return choices_.chance(one_in); }
  bool is_today() const { return options_.dialect == Dialect::simple; }
  bool errs(uint32_t one_in) { return !options_.valid && chance(one_in); }

  void line();
  void new_name(char (&text)[4]);
  const Name* any_name(bool assignable);
  void function(uint32_t number);
  void block_body(uint32_t depth, uint32_t most);
  void statement(uint32_t depth);
  void arm(uint32_t depth);
  void declaration(bool counter);
  void assignment();
  void if_statement(uint32_t depth);
  void related_statements();
  void choice_of_numbers();
  void operation_of_rounds();
  void choice_of_products();
  void while_statement(uint32_t depth);
  void counted_loop(uint32_t depth);
  void for_loop(uint32_t depth);
  void expression(uint32_t depth);
  void operand(uint32_t depth);
  void assigning_operand(uint32_t depth);
  void related_operands();
  void call(uint32_t depth);
  void spoil();

  Choices& choices_;
  GeneratorOptions options_;
  std::string out_;
  std::vector<Name> names_;
  std::vector<Function> functions_;
  uint32_t level_ = 0, loops_ = 0, statements_ = 0;
  bool in_function_ = false;
};

}  // namespace braid::simple_testing
