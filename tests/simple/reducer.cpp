#include "reducer.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

namespace braid::simple_testing {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

struct Piece {
  size_t begin, end;
};

class Reducer {
 public:
  Reducer(std::string program, const std::function<bool(const std::string&)>& fails, size_t most)
      : best_(std::move(program)), fails_(fails), left_(most) {}

  std::string run() {
    bool smaller = true;
    while (smaller && left_ > 0) {
      smaller = drop_runs();
      smaller = drop_brackets() || smaller;
      smaller = simplify_words() || smaller;
      smaller = drop_blanks() || smaller;
    }
    return std::move(best_);
  }

 private:
  /// Takes the text if it is shorter, or as long and simpler, and the fault is still there.
  bool accept(std::string candidate) {
    if (left_ == 0 || candidate.size() > best_.size() || candidate == best_) return false;
    --left_;
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }
  std::string without(size_t begin, size_t end, std::string_view instead = {}) const {
    return best_.substr(0, begin) + std::string(instead) + best_.substr(end);
  }

  std::vector<Piece> tokens() const {
    std::vector<Piece> all;
    for (size_t i = 0; i < best_.size();) {
      size_t begin = i++;
      if (static_cast<unsigned char>(best_[begin]) <= 32) continue;
      if (is_word(best_[begin]))
        while (i < best_.size() && is_word(best_[i])) ++i;
      all.push_back({begin, i});
    }
    return all;
  }

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
  const std::function<bool(const std::string&)>& fails_;
  size_t left_;
};

}  // namespace

std::string reduce_program(std::string program, const std::function<bool(const std::string&)>& fails,
                           size_t most_questions) {
  return Reducer(std::move(program), fails, most_questions).run();
}

}  // namespace braid::simple_testing
