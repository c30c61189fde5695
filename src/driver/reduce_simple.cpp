#include "driver/reduce_simple.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace braid::driver {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

struct Piece {
  size_t begin, end;
};

std::vector<Piece> tokens_of(std::string_view text) {
  std::vector<Piece> all;
  for (size_t i = 0; i < text.size();) {
    size_t begin = i++;
    if (static_cast<unsigned char>(text[begin]) <= 32) continue;
    if (is_word(text[begin]))
      while (i < text.size() && is_word(text[i])) ++i;
    all.push_back({begin, i});
  }
  return all;
}

class Reducer {
 public:
  Reducer(std::string program, const ReduceCheck& is_candidate, const ReduceCheck& check, const ReduceOptions& options)
      : best_(std::move(program)), is_candidate_(is_candidate), check_(check), options_(options) {}

  ReduceResult run(uint64_t checks_so_far) {
    result_.checks = checks_so_far;
    result_.unit = "tokens";
    result_.size_before = tokens().size();
    for (bool smaller = true; smaller && !result_.ended_early;) {
      smaller = drop_runs();
      smaller = drop_brackets() || smaller;
      smaller = simplify_words() || smaller;
      smaller = drop_blanks() || smaller;
    }
    result_.size_after = tokens().size();
    result_.text = std::move(best_);
    return std::move(result_);
  }

 private:
  /// Takes the text if it is shorter, or as long and simpler, and the check still holds.
  bool accept(std::string candidate) {
    if (result_.ended_early || candidate.size() > best_.size() || candidate == best_) return false;
    if (!is_candidate_(candidate) || rejected_.contains(candidate)) return false;
    if (options_.max_checks != 0 && result_.checks == options_.max_checks) {
      result_.ended_early = true;
      return false;
    }
    ++result_.checks;
    if (!check_(candidate)) {
      rejected_.insert(std::move(candidate));
      return false;
    }
    best_ = std::move(candidate);
    return true;
  }
  std::string without(size_t begin, size_t end, std::string_view instead = {}) const {
    return best_.substr(0, begin) + std::string(instead) + best_.substr(end);
  }

  std::vector<Piece> tokens() const { return tokens_of(best_); }

  /// Runs of tokens, long ones first: whole statements go before single signs.
  bool drop_runs() {
    bool any = false;
    for (size_t length = std::max<size_t>(1, tokens().size() / 2); length > 0;
         length = length > 24 ? length / 2 : length - 1) {
      for (size_t at = 0;;) {
        std::vector<Piece> all = tokens();
        if (at + length > all.size()) break;
        if (accept(without(all[at].begin, all[at + length - 1].end)))
          any = true;
        else
          ++at;
      }
    }
    return any;
  }

  /// A pair of brackets without what is inside, or what is inside without the brackets.
  bool drop_brackets() {
    bool any = false;
    for (size_t begin = 0; begin < best_.size(); ++begin) {
      char open = best_[begin];
      if (open != '(' && open != '{') continue;
      char close = open == '(' ? ')' : '}';
      size_t end = begin;
      int depth = 0;
      for (; end < best_.size(); ++end) {
        if (best_[end] == open) ++depth;
        if (best_[end] == close && --depth == 0) break;
      }
      if (end == best_.size()) continue;
      std::string inside = best_.substr(begin + 1, end - begin - 1);
      any = accept(without(begin, end + 1)) || accept(without(begin, end + 1, open == '{' ? "{}" : "1")) ||
            accept(without(begin, end + 1, inside)) || any;
    }
    return any;
  }

  bool simplify_words() {
    bool any = false;
    for (size_t at = 0; at < tokens().size(); ++at) {
      Piece piece = tokens()[at];
      std::string_view text = std::string_view(best_).substr(piece.begin, piece.end - piece.begin);
      for (std::string_view simple : {"0", "1", "arg", "a", "+"}) {
        if (text == simple) break;
        if (is_word(text[0]) == (simple == "+")) continue;
        if (!accept(without(piece.begin, piece.end, simple))) continue;
        any = true;
        break;
      }
    }
    return any;
  }

  bool drop_blanks() {
    bool any = false;
    for (size_t i = 0; i < best_.size(); ++i) {
      if (static_cast<unsigned char>(best_[i]) > 32) continue;
      while (i < best_.size() && accept(without(i, i + 1))) any = true;
    }
    return any;
  }

  std::string best_;
  const ReduceCheck& is_candidate_;
  const ReduceCheck& check_;
  ReduceOptions options_;
  std::unordered_set<std::string> rejected_;  ///< never iterated
  ReduceResult result_;
};

bool is_valid(const SourceFile& source, simple::Language language) {
  ir::Module module;
  simple::ParseOptions options;
  options.language = language;
  return simple::parse(module, source, options).has_value();
}

}  // namespace

ReduceResult reduce_simple_text(std::string program, const ReduceCheck& check, const ReduceOptions& options) {
  const ReduceCheck any = [](const std::string&) { return true; };
  return Reducer(std::move(program), any, check, options).run(0);
}

Expected<ReduceResult> reduce_simple(const SourceFile& source, const ReduceCheck& check, const ReduceOptions& options) {
  // What is offered ends with a line.
  std::string program(source.text());
  while (program.ends_with('\n')) program.pop_back();
  const ReduceCheck holds = [&](const std::string& text) { return check(text + '\n'); };
  if (!holds(program)) {
    Diagnostic error;
    error.file = source.name();
    error.message = "the check does not hold for this program";
    return error;
  }
  const bool stays_valid = is_valid(source, *options.language);
  const ReduceCheck is_candidate = [&](const std::string& text) {
    return !stays_valid || is_valid(SourceFile(source.name(), text + '\n'), *options.language);
  };
  ReduceResult result = Reducer(std::move(program), is_candidate, holds, options).run(1);
  result.text += '\n';
  return result;
}

}  // namespace braid::driver
