// Chapter 8's grammar into a tree, with the original's quirks: operators group to the right, an empty
// statement is none if a letter follows it, keywords are names in expressions, declarations as a whole arm or
// body.
#include "tree.h"

namespace braid::simple_testing {
namespace {

constexpr std::string_view reserved[] = {"break", "continue", "else", "false", "if",
                                         "int",   "return",   "true", "while"};

class Parser {
 public:
  Parser(std::string_view text, TreeProgram& out) : text_(text), out_(out) {}

  void run() {
    out_.clear();
    out_.functions.push_back({"main", 1, 1, -1});
    names_.push_back({"arg", 0, 0});
    for (char c : text_) out_.undecided = out_.undecided || static_cast<unsigned char>(c) >= 128;
    int32_t first = -1;
    block(first);
    if (!bad() && here_ < text_.size()) error("Syntax error, unexpected " + next_token());
    out_.functions[0].body = first;
  }

 private:
  struct Name {
    std::string_view text;
    int level;
    uint32_t slot;
  };
  static constexpr int deepest = 400;

  // ---- characters ----
  static bool digit(char c) { return c >= '0' && c <= '9'; }
  static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
  bool at(size_t i, bool (*is)(char)) const { return i < text_.size() && is(text_[i]); }
  void blanks() {
    while (here_ < text_.size() && static_cast<unsigned char>(text_[here_]) <= 32) ++here_;
  }
  bool sign(std::string_view s) {
    blanks();
    if (here_ >= text_.size() || text_[here_] != s[0] || text_.compare(here_, s.size(), s) != 0) return false;
    here_ += s.size();
    return true;
  }
  bool word(std::string_view s) {
    if (!sign(s)) return false;
    if (!at(here_, letter) && !at(here_, digit)) return true;
    here_ -= s.size();
    return false;
  }
  std::string_view identifier() {
    blanks();
    size_t from = here_;
    if (!at(here_, letter)) return {};
    while (at(here_, letter) || at(here_, digit)) ++here_;
    return text_.substr(from, here_ - from);
  }
  std::string next_token() {
    if (here_ >= text_.size()) return "";
    size_t end = here_;
    if (at(here_, letter)) {
      while (at(end, letter) || at(end, digit)) ++end;
    } else if (at(here_, digit)) {
      while (at(end, digit)) ++end;
    } else {
      ++end;
    }
    return std::string(text_.substr(here_, end - here_));
  }

  // ---- errors ----
  bool bad() const { return !out_.error.empty() || out_.undecided; }
  bool error(std::string text) {
    if (!bad()) {
      out_.error = std::move(text);
      out_.error_offset = here_;
    }
    return false;
  }
  bool expect(std::string_view s) {
    if (sign(s)) return true;
    return error("Syntax error, expected " + std::string(s) + ": " + next_token());
  }

  // ---- trees ----
  int32_t tree(Kind kind, int32_t a = -1, int32_t b = -1, int32_t c = -1, int64_t value = 0) {
    out_.trees.push_back({kind, Kind::count, a, b, c, -1, value});
    return static_cast<int32_t>(out_.trees.size()) - 1;
  }
  const Name* find(std::string_view text) const {
    for (size_t i = names_.size(); i-- > 0;)
      if (names_[i].text == text) return &names_[i];
    return nullptr;
  }

  // ---- statements ----
  bool block(int32_t& first) {
    if (++depth_ > deepest) out_.undecided = true;
    ++level_;
    int32_t last = -1;
    first = -1;
    for (;;) {
      blanks();
      if (bad() || here_ >= text_.size() || text_[here_] == '}') break;
      int32_t one = -1;
      if (!statement(one)) break;
      if (last < 0)
        first = one;
      else
        out_.trees[static_cast<size_t>(last)].next = one;
      last = one;
    }
    while (!names_.empty() && names_.back().level == level_) names_.pop_back();
    --level_;
    --depth_;
    return !bad();
  }

  bool statement(int32_t& out) {
    if (++depth_ > deepest) {
      out_.undecided = true;
      return false;
    }
    bool fine = statement_inside(out);
    --depth_;
    return fine;
  }

  bool statement_inside(int32_t& out) {
    blanks();
    switch (here_ < text_.size() ? text_[here_] : '\0') {
      case 'r':
        if (!word("return")) break;
        int32_t e;
        if (!expression(e) || !expect(";")) return false;
        out = tree(Kind::return_, e);
        return true;
      case 'i':
        if (word("int")) return assignment(out, true);
        if (word("if")) return condition(out);
        break;
      case '{':
        ++here_;
        int32_t first;
        if (!block(first) || !expect("}")) return false;
        out = tree(Kind::block, first);
        return true;
      case 'w':
        if (word("while")) return loop(out);
        break;
      case 'b':
        if (word("break")) return jump(out, Kind::break_);
        break;
      case 'c':
        if (word("continue")) return jump(out, Kind::continue_);
        break;
      case '#':
        if (!word("#showGraph")) break;
        out = tree(Kind::empty);
        return expect(";");
      case ';':
        if (!word(";")) break;
        out = tree(Kind::empty);
        return true;
      default: break;
    }
    return assignment(out, false);
  }

  bool assignment(int32_t& out, bool declares) {
    std::string_view id = identifier();
    bool is_reserved = id.empty();
    for (std::string_view r : reserved) is_reserved = is_reserved || (id[0] == r[0] && id == r);
    if (is_reserved)
      return error("Expected an identifier, found '" + (id.empty() ? "null" : std::string(id)) + "'");
    int32_t e;
    if (!expect("=") || !expression(e) || !expect(";")) return false;
    const Name* known = find(id);
    if (declares) {
      for (size_t i = names_.size(); i-- > 0 && names_[i].level == level_;)
        if (names_[i].text == id) return error("Redefining name '" + std::string(id) + "'");
      names_.push_back({id, level_, out_.functions[0].slots++});
      out = tree(Kind::declare, e, -1, -1, names_.back().slot);
      return true;
    }
    if (known == nullptr) return error("Undefined name '" + std::string(id) + "'");
    out = tree(Kind::assign, e, -1, -1, known->slot);
    return true;
  }

  bool condition(int32_t& out) {
    int32_t test, yes = -1, no = -1;
    if (!expect("(") || !expression(test) || !expect(")")) return false;
    size_t known = names_.size();
    if (!statement(yes)) return false;
    bool defines = names_.size() != known;
    names_.resize(known);
    if (word("else") && !statement(no)) return false;
    defines = defines || names_.size() != known;
    if (defines) return error("Cannot define a new name on one arm of an if");
    out = tree(Kind::if_, test, yes, no);
    return true;
  }

  bool loop(int32_t& out) {
    int32_t test, body = -1;
    if (!expect("(") || !expression(test) || !expect(")")) return false;
    size_t known = names_.size();
    ++loops_;
    bool fine = statement(body);
    --loops_;
    if (!fine) return false;
    names_.resize(known);
    out = tree(Kind::while_, test, body);
    return true;
  }

  bool jump(int32_t& out, Kind kind) {
    if (loops_ == 0) return error("No active loop for a break or continue");
    out = tree(kind);
    return expect(";");
  }

  // ---- expressions: each rule takes the same rule again on its right ----
  bool expression(int32_t& out) {
    if (++depth_ > deepest) {
      out_.undecided = true;
      return false;
    }
    int32_t left, right;
    bool fine = sum(left);
    out = left;
    Kind kind = Kind::number;
    if (fine) {
      blanks();
      switch (here_ < text_.size() ? text_[here_] : '\0') {
        case '=': kind = sign("==") ? Kind::equal : kind; break;
        case '!': kind = sign("!=") ? Kind::not_equal : kind; break;
        case '<': kind = sign("<=") ? Kind::less_equal : (++here_, Kind::less); break;
        case '>': kind = sign(">=") ? Kind::greater_equal : (++here_, Kind::greater); break;
        default: break;
      }
      if (kind != Kind::number) {
        fine = expression(right);
        if (fine) out = tree(kind, left, right);
      }
    }
    --depth_;
    return fine;
  }
  bool sum(int32_t& out) {
    int32_t right;
    if (!product(out)) return false;
    bool plus = sign("+");
    if (!plus && !sign("-")) return true;
    if (++depth_ > deepest) {
      out_.undecided = true;
      return false;
    }
    if (!sum(right)) return false;
    --depth_;
    out = tree(plus ? Kind::add : Kind::sub, out, right);
    return true;
  }
  bool product(int32_t& out) {
    int32_t right;
    if (!factor(out)) return false;
    bool times = sign("*");
    if (!times && !sign("/")) return true;
    if (++depth_ > deepest) {
      out_.undecided = true;
      return false;
    }
    if (!product(right)) return false;
    --depth_;
    out = tree(times ? Kind::mul : Kind::div, out, right);
    return true;
  }
  bool factor(int32_t& out) {
    int minus = 0;
    while (sign("-")) ++minus;
    if (!primary(out)) return false;
    for (; minus > 0; --minus) out = tree(Kind::negate, out);
    return true;
  }
  bool primary(int32_t& out) {
    blanks();
    if (at(here_, digit)) return number(out);
    if (sign("(")) return expression(out) && expect(")");
    std::string_view id = identifier();
    if (id == "true" || id == "false") {
      out = tree(Kind::number, -1, -1, -1, id == "true");
      return true;
    }
    if (id.empty()) return error("Syntax error, expected an identifier or expression: " + next_token());
    const Name* known = find(id);
    if (known == nullptr) return error("Undefined name '" + std::string(id) + "'");
    out = tree(Kind::variable, -1, -1, -1, known->slot);
    return true;
  }
  bool number(int32_t& out) {
    size_t from = here_;
    uint64_t value = 0;
    bool large = false;
    for (; at(here_, digit); ++here_) {
      uint64_t d = static_cast<uint64_t>(text_[here_] - '0');
      if (value > (INT64_MAX - d) / 10) large = true;
      if (!large) value = value * 10 + d;
    }
    if (here_ - from > 1 && text_[from] == '0')
      return error("Syntax error: integer values cannot start with '0'");
    if (large) return error("For input string: \"" + std::string(text_.substr(from, here_ - from)) + "\"");
    out = tree(Kind::number, -1, -1, -1, static_cast<int64_t>(value));
    return true;
  }

  std::string_view text_;
  TreeProgram& out_;
  size_t here_ = 0;
  std::vector<Name> names_;
  int level_ = 0, loops_ = 0, depth_ = 0;
};

}  // namespace

void parse_simple8(std::string_view text, TreeProgram& out) { Parser(text, out).run(); }

}  // namespace braid::simple_testing
