// Small random programs of chapter 8's language: all statements and operators, names read and assigned at random.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace braid {

class Simple8Programs {
 public:
  explicit Simple8Programs(uint32_t seed) : random_(seed) {}

  std::string program() {
    text_.clear();
    names_ = {"arg"};
    budget_ = 4 + pick(24);
    statements(0);
    text_ += "return " + expression(2) + ";";
    return text_;
  }

  /// A sum or product in which a name that hangs on a condition stands twice, with others in between.
  std::string phi_twice() {
    const char* sign = pick(3) == 0 ? "*" : "+";
    std::vector<std::string> terms = {"x", "x"};
    static constexpr const char* others[] = {"arg", "arg/2", "(3<arg)", "arg*arg"};
    for (uint32_t count = 1 + pick(3); count > 0; --count) terms.push_back(others[pick(4)]);
    std::shuffle(terms.begin(), terms.end(), random_);
    std::string sum = terms[0];
    for (size_t i = 1; i < terms.size(); ++i) sum = "(" + sum + ")" + sign + terms[i];
    text_ = "int x=" + std::to_string(pick(5)) + "; " + (pick(4) == 0 ? "while" : "if") + "(arg" + (pick(2) == 0 ? "<3" : "") + ") {x=" +
            std::to_string(pick(5)) + ";} return " + sum + ";";
    return text_;
  }

  /// Sums and products of names that hold sums.
  std::string sums_of_names() {
    text_.clear();
    names_ = {"arg"};
    for (uint32_t count = 1 + pick(4); count > 0; --count) {
      const bool is_new = names_.size() < 3 && pick(3) != 0;
      const std::string target = is_new ? "v" + std::to_string(names_.size()) : name();
      text_ += (is_new ? "int " : "") + target + "=" + sum(2) + ";";
      if (is_new) names_.push_back(target);
    }
    text_ += "return " + sum(3) + ";";
    return text_;
  }

 private:
  std::string sum(uint32_t depth) {
    if (depth == 0 || pick(4) == 0) return pick(10) < 7 ? name() : std::to_string(pick(11));
    static constexpr const char* others[] = {"-", "*", "*", "/", "<", "=="};
    if (pick(10) == 0) return "(-" + sum(depth - 1) + ")";
    const std::string left = sum(depth - 1);
    return "(" + left + (pick(4) == 0 ? others[pick(6)] : "+") + sum(depth - 1) + ")";
  }
  uint32_t pick(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  std::string name() { return names_[pick(static_cast<uint32_t>(names_.size()))]; }

  std::string expression(uint32_t depth) {
    if (depth == 0 || pick(4) == 0) {
      switch (pick(5)) {
        case 0: return std::to_string(pick(4));
        case 1: return std::to_string(pick(100));
        default: return name();
      }
    }
    static constexpr const char* ops[] = {"+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">="};
    if (pick(8) == 0) return "(-" + expression(depth - 1) + ")";
    return "(" + expression(depth - 1) + ops[pick(10)] + expression(depth - 1) + ")";
  }

  void block(uint32_t loops) {
    size_t known = names_.size();
    text_ += "{";
    statements(loops);
    text_ += "}";
    names_.resize(known);
  }

  void statements(uint32_t loops) {
    uint32_t count = pick(5);
    for (uint32_t i = 0; i < count && budget_ > 0; ++i) statement(loops);
  }

  /// An arm that only sets one name, to a constant or by one operation: what phis are made of.
  void arm(const std::string& target, uint32_t kind) {
    std::string value = std::to_string(pick(5));
    text_ += "{" + target + "=" + (kind == 0 ? value : name() + (kind == 1 ? "+" : "*") + name()) + ";}";
  }

  void statement(uint32_t loops) {
    --budget_;
    switch (pick(10)) {
      case 0:
      case 1: {
        std::string fresh = "v" + std::to_string(names_.size());
        text_ += "int " + fresh + "=" + expression(2) + ";";
        names_.push_back(fresh);
        break;
      }
      case 2:
      case 3:
      case 4: text_ += name() + "=" + expression(2) + ";"; break;
      case 5:
      case 6:
        text_ += "if(" + expression(1) + ")";
        block(loops);
        if (pick(2) == 0) {
          text_ += "else";
          block(loops);
        }
        break;
      case 7:
        text_ += "while(" + expression(1) + ")";
        block(loops + 1);
        break;
      case 8: {
        std::string target = name();
        uint32_t kind = pick(3);
        text_ += "if(" + expression(1) + ")";
        arm(target, kind);
        text_ += "else";
        arm(target, kind);
        text_ += name() + "=(" + name() + "+" + target + ")+" + std::to_string(pick(5)) + ";";
        break;
      }
      default:
        if (loops > 0 && pick(2) == 0)
          text_ += pick(2) == 0 ? "break;" : "continue;";
        else if (pick(4) == 0)
          text_ += "return " + expression(1) + ";";
        else
          text_ += name() + "=" + expression(1) + ";";
    }
  }

  std::mt19937 random_;
  std::vector<std::string> names_;
  std::string text_;
  uint32_t budget_ = 0;
};

}  // namespace braid
