// Today's grammar into a tree. Errors are in this file's own words; tests compare where the first is.
#include <string>

#include "tree.h"

namespace braid::simple_testing {
namespace {

constexpr std::string_view reserved[] = {"break", "continue", "else", "false", "for", "if",
                                         "int",   "return",   "true", "val",   "var", "while"};
/// What begins with the same character stands together, the longer ones first.
constexpr std::string_view signs[] = {"(",  ")",  ";",   "==",   "=",    ">>>=", ">>>", ">>=", ">>", ">=", ">",  "<<=",
                                      "<<", "<=", "<",   "!=",   "!",   "+=",  "++", "+",  "->", "-=",
                                      "--", "-",  "*=",  "*",    "/=",   "/",   "%=",  "%",  "&=", "&&", "&",
                                      "|=", "||", "|",   "^=",   "^",    "{",   "}",   ",",  "?",  ":"};

/// Where the signs that begin with a character stand.
struct FirstSigns {
  uint8_t at[256];
};
constexpr FirstSigns first_signs = [] {
  FirstSigns table{};
  for (uint8_t& at : table.at) at = std::size(signs);
  for (size_t i = std::size(signs); i-- > 0;) table.at[static_cast<unsigned char>(signs[i][0])] = static_cast<uint8_t>(i);
  return table;
}();

/// Letters, digits and what is not ASCII.
struct CharactersOfWords {
  bool has[256];
};
constexpr CharactersOfWords words = [] {
  CharactersOfWords table{};
  for (int c = 0; c < 256; ++c)
    table.has[c] = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 128;
  return table;
}();

struct Binary {
  std::string_view sign;
  int strength;
  Kind kind;
};
constexpr Binary binaries[] = {{"*", 9, Kind::mul},          {"/", 9, Kind::div},
                               {"%", 9, Kind::mod},          {"+", 8, Kind::add},
                               {"-", 8, Kind::sub},          {"<<", 7, Kind::shift_left},
                               {">>", 7, Kind::shift_right}, {">>>", 7, Kind::shift_right_logical},
                               {"==", 6, Kind::equal},       {"!=", 6, Kind::not_equal},
                               {"<", 6, Kind::less},         {"<=", 6, Kind::less_equal},
                               {">", 6, Kind::greater},      {">=", 6, Kind::greater_equal},
                               {"&", 5, Kind::bit_and},      {"|", 5, Kind::bit_or},
                               {"^", 5, Kind::bit_xor},      {"&&", 4, Kind::and_then},
                               {"||", 3, Kind::or_else}};
constexpr int choice_strength = 2;

/// What each of the signs does with two operands; null for others.
struct BinarySigns {
  const Binary* at[std::size(signs) + 1];
};
constexpr BinarySigns binary_signs = [] {
  BinarySigns table{};
  for (size_t i = 0; i < std::size(signs); ++i)
    for (const Binary& binary : binaries)
      if (binary.sign == signs[i]) table.at[i] = &binary;
  return table;
}();

class Parser {
 public:
  Parser(std::string_view text, TreeProgram& out) : text_(text), out_(out) {}

  void run() {
    out_.clear();
    out_.functions.push_back({"main", 1, 1, -1});
    names_.push_back({"arg", 0, 0, false});
    advance();
    ++level_;
    int32_t first = list(true);
    if (!bad() && !ends()) error("unexpected " + std::string(token_));
    out_.functions[0].body = first;
    if (out_.undecided) return;
    const bool was_bad = bad();
    for (const Call& call : early_calls_) {
      const Mention& callee = mention(call.name, call.count);
      if (callee.defined && callee.count == call.count) continue;
      out_.early_calls.push_back(call.offset);
      if (was_bad) continue;
      if (!bad() || call.offset < out_.error_offset) {
        out_.error = "undefined, or with another number of arguments: " + std::string(call.name);
        out_.error_offset = call.offset;
      }
    }
  }

 private:
  enum class What : uint8_t { end, name, keyword, number, sign, bad };
  struct Name {
    std::string_view text;
    int level;
    uint32_t slot;
    bool fixed;
  };
  struct Mention {
    std::string_view name;
    uint32_t count;  ///< of its parameters, if it is defined
    size_t function;
    bool defined;
  };
  struct Call {
    std::string_view name;
    uint32_t count;
    size_t offset;
  };
  static constexpr int deepest = 300;

  // ---- tokens ----
  static bool digit(char c) { return c >= '0' && c <= '9'; }
  static bool in_word(char c) { return words.has[static_cast<unsigned char>(c)]; }
  void advance() {
    last_end_ = here_;
    sign_ = std::size(signs);
    for (;;) {
      while (here_ < text_.size() && static_cast<unsigned char>(text_[here_]) <= 32) ++here_;
      if (here_ >= text_.size() || text_[here_] != '/') break;
      if (text_.compare(here_, 2, "//") == 0) {
        while (here_ < text_.size() && text_[here_] != '\n') ++here_;
      } else if (text_.compare(here_, 2, "/*") == 0) {
        size_t end = text_.find("*/", here_ + 2);
        if (end == std::string_view::npos) {
          token_ = text_.substr(here_);
          here_ = text_.size();
          what_ = What::bad;
          return;
        }
        here_ = end + 2;
      } else {
        break;
      }
    }
    size_t from = here_;
    if (here_ >= text_.size()) {
      what_ = What::end;
    } else if (in_word(text_[here_])) {
      what_ = digit(text_[here_]) ? What::number : What::name;
      unsigned char all = 0;
      for (; here_ < text_.size() && in_word(text_[here_]); ++here_) all |= static_cast<unsigned char>(text_[here_]);
      if ((all & 128) != 0) out_.undecided = true;
    } else {
      what_ = What::bad;
      const char first = text_[here_];
      size_t at = first_signs.at[static_cast<unsigned char>(first)];
      for (; at < std::size(signs) && signs[at][0] == first && what_ == What::bad; ++at) {
        size_t same = 1;
        while (same < signs[at].size() && here_ + same < text_.size() && text_[here_ + same] == signs[at][same]) ++same;
        if (same < signs[at].size()) continue;
        what_ = What::sign;
        sign_ = at;
        here_ += signs[at].size();
      }
      if (what_ == What::bad && text_.compare(here_, 10, "#showGraph") == 0) {
        what_ = What::keyword;
        here_ += 10;
      } else if (what_ == What::bad) {
        ++here_;
      }
    }
    token_ = text_.substr(from, here_ - from);
    if (what_ == What::name && token_.size() > 1 && token_.size() < 9)
      for (std::string_view word : reserved)
        if (word[0] == token_[0] && word == token_) what_ = What::keyword;
  }
  bool ends() const { return what_ == What::end; }
  bool is(std::string_view token) const {
    return (what_ == What::sign || what_ == What::keyword) && token_[0] == token[0] && token_ == token;
  }
  bool take(std::string_view token) {
    if (!is(token)) return false;
    advance();
    return true;
  }

  // ---- errors ----
  bool bad() const { return !out_.error.empty() || out_.undecided; }
  size_t offset() const { return here_ - token_.size(); }
  bool error(std::string text, size_t at) {
    if (bad()) return false;
    out_.error = std::move(text);
    out_.error_offset = at;
    return false;
  }
  bool error(std::string text) { return error(std::move(text), offset()); }
  /// A semicolon is missing where the token before ends.
  bool expect(std::string_view token) {
    return take(token) || error("expected " + std::string(token), token == ";" && last_end_ > 0 ? last_end_ : offset());
  }
  struct Deeper {
    explicit Deeper(Parser& parser) : parser(parser) {
      if (++parser.depth_ > deepest) parser.out_.undecided = true;
    }
    ~Deeper() { --parser.depth_; }
    Parser& parser;
  };

  // ---- trees and names ----
  int32_t tree(Kind kind, int32_t a = -1, int32_t b = -1, int32_t c = -1, int64_t value = 0) {
    out_.trees.push_back({kind, Kind::count, a, b, c, -1, value});
    return static_cast<int32_t>(out_.trees.size()) - 1;
  }
  int32_t written(Kind form, int32_t at) {
    if (at >= 0) out_.trees[static_cast<size_t>(at)].form = form;
    return at;
  }
  int32_t number(int64_t value) { return tree(Kind::number, -1, -1, -1, value); }
  Name* find(std::string_view text) {
    for (size_t i = names_.size(); i-- > first_name_;)
      if (names_[i].text == text) return &names_[i];
    return nullptr;
  }
  bool define(std::string_view text, bool fixed, uint32_t& slot, size_t at) {
    for (size_t i = names_.size(); i-- > first_name_ && names_[i].level == level_;)
      if (names_[i].text == text) return error("redefined " + std::string(text), at);
    if (function_ == 0 && level_ == 1)
      for (const Mention& known : mentions_)
        if (known.defined && known.name == text) return error("redefined function " + std::string(text), at);
    slot = out_.functions[function_].slots++;
    names_.push_back({text, level_, slot, fixed});
    return true;
  }
  /// A value behind it may be wrong as well: the name stands first.
  void check_free(std::string_view text, size_t at) {
    uint32_t slot = 0;
    if (bad() || !define(text, false, slot, at)) return;
    names_.pop_back();
    --out_.functions[function_].slots;
  }
  void close_level() {
    while (names_.size() > first_name_ && names_.back().level == level_) names_.pop_back();
    --level_;
  }

  // ---- statements ----
  /// Statements up to a closing brace or the end; the level is the caller's.
  int32_t list(bool top) {
    Deeper deeper(*this);
    int32_t first = -1, last = -1;
    while (!bad() && !ends() && !is("}")) {
      int32_t one = statement(top);
      for (; one >= 0; one = out_.trees[static_cast<size_t>(one)].next) {
        if (last < 0)
          first = one;
        else
          out_.trees[static_cast<size_t>(last)].next = one;
        last = one;
      }
    }
    close_level();
    return first;
  }

  /// The first of one or more statements; -1 for none.
  int32_t statement(bool top) {
    Deeper deeper(*this);
    if (bad()) return -1;
    if (take("{")) {
      ++level_;
      int32_t first = list(false);
      expect("}");
      return tree(Kind::block, first);
    }
    if (take("if")) {
      if (!expect("(")) return -1;
      int32_t test = expression();
      if (!expect(")")) return -1;
      int32_t yes = inner(), no = -1;
      if (take("else")) no = inner();
      return tree(Kind::if_, test, yes, no);
    }
    if (take("while")) {
      if (!expect("(")) return -1;
      int32_t test = expression();
      if (!expect(")")) return -1;
      ++loops_;
      int32_t body = inner();
      --loops_;
      return tree(Kind::while_, test, body);
    }
    if (take("for")) return for_statement();
    return plain_statement(top);
  }

  int32_t inner() {
    ++level_;
    int32_t one = statement(false);
    close_level();
    return one < 0 ? -1 : tree(Kind::block, one);
  }

  int32_t for_statement() {
    if (!expect("(")) return -1;
    ++level_;
    int32_t first = plain_statement(false), test = -1, step = -1;
    if (is(";"))
      test = number(1);
    else
      test = expression();
    if (!expect(";")) return -1;
    if (!is(")")) step = tree(Kind::evaluate, expression());
    if (!expect(")")) return -1;
    ++loops_;
    int32_t body = inner();
    --loops_;
    close_level();
    int32_t loop = written(Kind::for_, tree(Kind::while_, test, body, step));
    if (first < 0) return loop;
    int32_t last = first;
    while (out_.trees[static_cast<size_t>(last)].next >= 0) last = out_.trees[static_cast<size_t>(last)].next;
    out_.trees[static_cast<size_t>(last)].next = loop;
    return tree(Kind::block, first);
  }

  int32_t plain_statement(bool top) {
    if (take(";")) return tree(Kind::empty);
    if (take("return")) {
      int32_t e = expression();
      expect(";");
      return tree(Kind::return_, e);
    }
    for (std::string_view kind : {"int", "val", "var"})
      if (take(kind)) return declarations(kind, top);
    for (bool breaks : {true, false}) {
      const size_t at = offset();
      if (!take(breaks ? "break" : "continue")) continue;
      if (loops_ == 0) error("outside of a loop", at);
      expect(";");
      return tree(breaks ? Kind::break_ : Kind::continue_);
    }
    if (take("#showGraph")) {
      expect(";");
      return written(Kind::show_graph, tree(Kind::empty));
    }
    int32_t e = expression();
    expect(";");
    return tree(Kind::evaluate, e);
  }

  int32_t declarations(std::string_view kind, bool top) {
    int32_t first = -1, last = -1;
    do {
      if (what_ != What::name) {
        error("expected a name");
        return -1;
      }
      std::string_view name = token_;
      const size_t at = offset();
      advance();
      int32_t value;
      bool is_empty = false;
      if (take("=")) {
        if (kind == "val" && take("{")) {
          define_function(name, top, at);
          break;
        }
        check_free(name, at);
        value = expression();
      } else if (kind == "int") {
        value = number(0);
        is_empty = true;
      } else {
        check_free(name, at);
        error("no value");
        return -1;
      }
      uint32_t slot = 0;
      if (bad() || !define(name, kind == "val", slot, at)) return -1;
      int32_t one = tree(Kind::declare, value, -1, -1, slot);
      if (is_empty) written(Kind::declare_empty, one);
      if (last < 0)
        first = one;
      else
        out_.trees[static_cast<size_t>(last)].next = one;
      last = one;
    } while (take(","));
    expect(";");
    return first;
  }

  // ---- functions ----
  Mention& mention(std::string_view name, uint32_t count) {
    for (Mention& known : mentions_)
      if (known.name == name) return known;
    out_.functions.push_back({std::string(name), count, 0, -1});
    mentions_.push_back({name, count, out_.functions.size() - 1, false});
    return mentions_.back();
  }

  void define_function(std::string_view name, bool top, size_t at) {
    if (!top || function_ != 0) error("a function inside of something", at);
    std::vector<std::string_view> parameters;
    size_t begin = here_ - token_.size();
    bool sound = false;
    do {
      if (!take("int") || what_ != What::name) break;
      parameters.push_back(token_);
      advance();
      sound = take("->");
    } while (!sound && take(","));
    if (!sound) {
      parameters.clear();
      here_ = begin;
      advance();
    }
    uint32_t count = static_cast<uint32_t>(parameters.size());
    if (name == "main" || find(name) != nullptr) error("the name is taken", at);
    Mention& self = mention(name, count);
    if (self.defined) error("defined twice", at);
    self.defined = true;
    self.count = count;
    if (bad()) return;
    size_t function = self.function, outer_first = first_name_;
    int outer_level = level_, outer_loops = loops_;
    first_name_ = names_.size();
    function_ = function;
    level_ = loops_ = 0;
    for (std::string_view parameter : parameters) {
      uint32_t slot;
      if (!define(parameter, false, slot, at)) return;
    }
    out_.functions[function].parameters = count;
    ++level_;
    int32_t body = list(false);
    out_.functions[function].body = body;
    expect("}");
    names_.resize(first_name_);
    first_name_ = outer_first;
    function_ = 0;
    level_ = outer_level;
    loops_ = outer_loops;
  }

  // ---- expressions ----
  int32_t expression() { return climb(0, true); }

  /// All operations of at least this strength. An assignment may begin only where a whole expression does.
  int32_t climb(int least, bool may_assign) {
    Deeper deeper(*this);
    if (bad()) return -1;
    int32_t left = operand(may_assign);
    while (!bad()) {
      const Binary* found = binary_signs.at[sign_];
      if (found != nullptr && found->strength >= least) {
        advance();
        int32_t right = climb(found->strength + 1, false);
        left = tree(found->kind, left, right);
      } else if (is("?") && choice_strength >= least) {
        advance();
        int32_t yes = climb(0, true);
        if (!expect(":")) return -1;
        int32_t no = climb(choice_strength, false);
        left = tree(Kind::choice, left, yes, no);
      } else {
        break;
      }
    }
    return left;
  }

  int32_t operand(bool may_assign) {
    Deeper deeper(*this);
    if (bad()) return -1;
    if (take("-")) return tree(Kind::negate, operand(false));
    if (take("!")) return tree(Kind::not_, operand(false));
    if (take("(")) {
      int32_t e = expression();
      expect(")");
      return e;
    }
    if (is("++") || is("--")) {
      bool up = is("++");
      advance();
      if (what_ != What::name) {
        error("expected a name");
        return -1;
      }
      std::string_view name = token_;
      const size_t at = offset();
      advance();
      return step(name, up, at);
    }
    if (take("true")) return number(1);
    if (take("false")) return number(0);
    if (what_ == What::number) return literal();
    if (what_ != What::name) {
      error("expected an expression");
      return -1;
    }
    std::string_view name = token_;
    const size_t at = offset();
    advance();
    if (take("(")) return call(name, at);
    if (is("++") || is("--")) {
      bool up = is("++");
      const int32_t changed = step(name, up, at);
      advance();
      return tree(up ? Kind::sub : Kind::add, changed, number(1));
    }
    if (what_ == What::sign && token_.back() == '=' && token_ != "==" && token_ != "<=" && token_ != ">=" &&
        token_ != "!=")
      return assignment(name, may_assign, at);
    return variable(name, at);
  }

  /// `name = e`, or `name + e` assigned to it for `+=` and the like; the name is read before `e`.
  int32_t assignment(std::string_view name, bool may_assign, size_t at) {
    if (!may_assign) error("only a name can be assigned");
    check_assignable(name, at);
    std::string_view sign = token_.substr(0, token_.size() - 1);
    advance();
    int32_t before = sign.empty() ? -1 : variable(name, at);
    int32_t value = climb(0, true);
    for (const Binary& binary : binaries)
      if (binary.sign == sign) value = tree(binary.kind, before, value);
    const int32_t assigned = assign(name, value);
    return sign.empty() ? assigned : written(Kind::update, assigned);
  }
  int32_t variable(std::string_view name, size_t at) {
    Name* known = find(name);
    if (known == nullptr) {
      error("undefined name " + std::string(name), at);
      return -1;
    }
    return tree(Kind::variable, -1, -1, -1, known->slot);
  }
  void check_assignable(std::string_view name, size_t at) {
    Name* known = find(name);
    if (known == nullptr || known->fixed) error(std::string(name) + " cannot be assigned", at);
  }
  int32_t assign(std::string_view name, int32_t value) {
    Name* known = find(name);
    return known == nullptr ? -1 : tree(Kind::assign, value, -1, -1, known->slot);
  }
  /// The name, one more or less, assigned to it.
  int32_t step(std::string_view name, bool up, size_t at) {
    check_assignable(name, at);
    int32_t sum = tree(up ? Kind::add : Kind::sub, variable(name, at), number(1));
    return written(up ? Kind::increment : Kind::decrement, assign(name, sum));
  }

  int32_t call(std::string_view name, size_t at) {
    int32_t first = -1, last = -1;
    uint32_t count = 0;
    if (!take(")")) {
      do {
        // A block around each argument: `next` of an expression may be in use already.
        int32_t argument = tree(Kind::evaluate, climb(0, true));
        if (last < 0)
          first = argument;
        else
          out_.trees[static_cast<size_t>(last)].next = argument;
        last = argument;
        ++count;
      } while (!bad() && take(","));
      expect(")");
    }
    if (bad()) out_.early_calls.push_back(at);
    Mention& callee = mention(name, count);
    if (find(name) != nullptr || (callee.defined && callee.count != count)) error(std::string(name) + " cannot be called so", at);
    if (!callee.defined) early_calls_.push_back({name, count, at});
    if (count > 16) out_.undecided = true;
    return tree(Kind::call, first, -1, -1, static_cast<int64_t>(callee.function));
  }

  int32_t literal() {
    uint64_t value = 0;
    bool sound = token_.size() == 1 || token_[0] != '0';
    for (char c : token_) {
      uint64_t d = static_cast<uint64_t>(c - '0');
      sound = sound && digit(c) && value <= (INT64_MAX - d) / 10;
      if (sound) value = value * 10 + d;
    }
    if (!sound) error("no number: " + std::string(token_));
    advance();
    return number(static_cast<int64_t>(value));
  }

  std::string_view text_;
  TreeProgram& out_;
  size_t here_ = 0, last_end_ = 0;
  std::string_view token_;
  size_t sign_ = std::size(signs);  ///< which of them the token is, or their number
  What what_ = What::end;
  std::vector<Name> names_;
  std::vector<Mention> mentions_;
  std::vector<Call> early_calls_;
  size_t first_name_ = 0, function_ = 0;
  int level_ = 0, loops_ = 0, depth_ = 0;
};

}  // namespace

void parse_simple(std::string_view text, TreeProgram& out) { Parser(text, out).run(); }

}  // namespace braid::simple_testing
