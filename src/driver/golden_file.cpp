#include "driver/golden_file.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/number_text.h"
#include "base/suggestion.h"
#include "driver/diff.h"

namespace braid::driver {
namespace {

constexpr std::array<std::string_view, 6> directives = {"test", "run", "output", "expect", "error:", "error-rule:"};
constexpr std::string_view kinds_of_test[] = {"print", "opt", "compact", "verify", "ssa", "cfg", "analyze", "warnings"};

std::string_view trim(std::string_view text) {
  size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string_view next_word(std::string_view& rest) {
  rest = trim(rest);
  size_t end = rest.find_first_of(" \t");
  std::string_view word = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : trim(rest.substr(end));
  return word;
}

bool skip(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

class Parser {
 public:
  explicit Parser(const SourceFile& source) : source_(source) {}

  Expected<GoldenFile> run() {
    std::vector<std::string_view> lines = split_lines(source_.text());
    for (std::string_view line : lines) {
      ++line_;
      std::string_view text = trim(line);
      if (in_expect_ && expected_line(line)) continue;
      in_expect_ = false;
      if (skip(text, ";"))
        comment(trim(text));
      else
        errors_in(text, line_);
    }
    if (errors_.has_errors()) return errors_;
    return std::move(file_);
  }

 private:
  void error(std::string message) {
    errors_.error(std::move(message), source_.name(), line_, 1, std::string(source_.line_text(line_)));
  }

  /// Blanks at the end count.
  bool expected_line(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    if (!skip(text, "; |")) return false;
    skip(text, " ");
    if (text.ends_with('\r')) text.remove_suffix(1);
    file_.expects.back().lines.emplace_back(text);
    return true;
  }

  void comment(std::string_view text) {
    std::string_view rest = text;
    std::string_view word = next_word(rest);
    if (word == "test") {
      test(rest);
    } else if (word == "run") {
      run_line(rest);
    } else if (word == "output") {
      if (file_.runs.empty())
        error("'output' without a 'run' before it");
      else
        file_.runs.back().output.emplace_back(rest);
    } else if (word == "expect") {
      if (!rest.empty()) error("'expect' stands alone; the text stands in lines that begin with '; |'");
      file_.expects.push_back({line_, {}});
      in_expect_ = true;
    } else if (word == "error:" || word == "error-rule:") {
      errors_in("; " + std::string(text), line_ + 1);
    } else if (word.starts_with('|')) {
      error("a line of expected text without 'expect' before it");
    } else if (word == "error" || word == "error-rule" || word == "expect:" || word == "run:" || word == "test:") {
      unknown(word);
    } else if (!word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-:") == std::string_view::npos) {
      // A comment may say anything; one that begins like a misspelt directive most likely is one.
      for (std::string_view known : directives)
        if (word.size() >= 3 && edit_distance(word, known) == 1) return unknown(word);
    } else {
      other_case(word, rest);
    }
  }

  /// `RUN` is no comment, nor is `Run @f(1) == 2`; `Run it twice` is one.
  void other_case(std::string_view word, std::string_view rest) {
    std::string lower(word);
    for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    if (lower == word || std::find(directives.begin(), directives.end(), lower) == directives.end()) return;
    bool is_sentence = word.substr(1) == std::string_view(lower).substr(1) && !rest.empty() && !rest.starts_with('@');
    if (!is_sentence || lower.ends_with(':')) error("'" + std::string(word) + "' is no directive; it is written '" + lower + "'");
  }

  void unknown(std::string_view word) {
    error("unknown directive '" + std::string(word) + "'" + did_you_mean(word, directives));
  }

  void test(std::string_view rest) {
    GoldenTest test;
    test.line = line_;
    std::string_view kind = next_word(rest);
    if (skip(kind, "ssa=")) {
      if (!constructors(kind, test)) return;
      kind = "ssa";
    }
    if (kind == "print") {
      test.shows = true;
    } else if (kind == "compact") {
      test.shows = true;
      test.passes = "compact";
    } else if (kind == "opt") {
      test.shows = true;
    } else if (kind == "ssa" || kind == "cfg" || kind == "analyze" || kind == "warnings") {
      using Subject = GoldenTest::Subject;
      test.shows = true;
      test.subject = kind == "ssa" ? Subject::ssa : kind == "cfg" ? Subject::cfg
                     : kind == "analyze" ? Subject::analyses : Subject::warnings;
    } else if (!kind.empty() && kind != "verify") {
      return error("unknown test '" + std::string(kind) + "'" + did_you_mean(kind, kinds_of_test));
    }
    bool warns = test.subject == GoldenTest::Subject::warnings;
    while (!rest.empty()) {
      std::string_view setting = next_word(rest);
      size_t equals = setting.find('=');
      std::string_view name = setting.substr(0, equals);
      std::string_view value = equals == std::string_view::npos ? std::string_view() : setting.substr(equals + 1);
      if (name == "passes" && kind == "opt" && !value.empty()) {
        test.passes = value;
      } else if (name == "steps" && kind == "compact" && parse_u64(value)) {
        test.passes.clear();
        test.steps = *parse_u64(value);
      } else if (name == "style" && test.shows && !warns && (value == "braid" || value == "julia")) {
        test.style = value == "julia" ? Style::julia : Style::braid;
      } else if (name == "function" && test.shows && !warns && skip(value, "@") && !value.empty()) {
        test.function = value;
      } else if (name == "print" && !test.also.empty() && ssa::find_algorithm(value)) {
        test.ssa.construct.algorithm = *ssa::find_algorithm(value);
      } else if (test.subject == GoldenTest::Subject::ssa ? ssa_setting(test.ssa, name, value)
                                                          : cfg_setting(test, name, value)) {
        continue;
      } else {
        return error("'" + std::string(setting) + "' is no setting of 'test" +
                     (kind.empty() ? "" : " " + std::string(kind)) + "'");
      }
    }
    if (kind == "opt" && test.passes.empty()) return error("'test opt' needs passes=");
    file_.tests.push_back(std::move(test));
  }

  /// The list in `test ssa=cytron,braun`.
  bool constructors(std::string_view list, GoldenTest& test) {
    for (size_t end = 0; end != std::string_view::npos; list.remove_prefix(end == std::string_view::npos ? 0 : end + 1)) {
      end = list.find(',');
      const std::string name(list.substr(0, end));
      std::optional<ssa::Algorithm> algorithm = ssa::find_algorithm(name);
      if (!algorithm) {
        error("no constructor is called '" + name + "'");
        return false;
      }
      test.also.push_back(*algorithm);
    }
    test.ssa.construct.algorithm = test.also[0];
    return true;
  }

  static bool ssa_setting(SsaView& view, std::string_view name, std::string_view value) {
    if (name == "algorithm") {
      std::optional<ssa::Algorithm> algorithm = ssa::find_algorithm(value);
      if (algorithm) view.construct.algorithm = *algorithm;
      return algorithm.has_value();
    }
    if (name == "prune") {
      std::optional<ssa::Prune> prune = ssa::find_prune(value);
      if (prune) view.construct.prune = *prune;
      return prune.has_value();
    }
    if (name == "trace") view.trace = value;
    view.seed_style |= name == "trace-style";
    view.log_as_json |= name == "log";
    return (name == "trace" && !value.empty()) || (name == "trace-style" && value == "seed") ||
           (name == "log" && value == "json");
  }

  static bool cfg_setting(GoldenTest& test, std::string_view name, std::string_view value) {
    if (test.subject != GoldenTest::Subject::cfg) return false;
    if (name == "show") {
      std::optional<ShownFacts> shown = parse_shown_facts(value);
      if (shown) test.cfg.shown = *shown;
      return shown.has_value();
    }
    if (name == "form" && value == "dot") test.cfg.form = CfgView::Form::dot;
    if (name == "form" && value == "json") test.cfg.form = CfgView::Form::json;
    return name == "form" && (value == "dot" || value == "json" || value == "text");
  }

  void run_line(std::string_view rest) {
    constexpr std::string_view form = "expected 'run @function(arguments) == value', or 'throws', 'traps', 'deopts'";
    GoldenRun run;
    run.line = line_;
    size_t open = rest.find('(');
    if (!rest.starts_with('@') || open == std::string_view::npos) return error(std::string(form));
    run.function = rest.substr(1, open - 1);
    size_t close = open, depth = 0;
    bool quoted = false;
    for (; close < rest.size(); ++close) {
      if (quoted) {
        if (rest[close] == '\\') ++close;
        else if (rest[close] == '"') quoted = false;
        continue;
      }
      if (rest[close] == '"') quoted = true;
      if (rest[close] == '(') ++depth;
      if (rest[close] == ')' && --depth == 0) break;
    }
    if (close >= rest.size()) return error("no ')' behind the arguments");
    run.arguments = split_arguments(rest.substr(open + 1, close - open - 1));
    rest = rest.substr(close + 1);
    std::string_view relation = next_word(rest);
    if (relation == "==") {
      run.outcome = GoldenRun::Outcome::returns;
      if (rest.empty()) return error("no value behind '=='; a function without one is '== void'");
    } else if (relation == "throws") {
      run.outcome = GoldenRun::Outcome::throws;
    } else if (relation == "traps") {
      run.outcome = GoldenRun::Outcome::traps;
    } else if (relation == "deopts") {
      run.outcome = GoldenRun::Outcome::deopts;
    } else {
      return error(std::string(form));
    }
    run.expected = rest;
    file_.runs.push_back(std::move(run));
  }

  /// The expectations in `; error: text ; error-rule: name`, which may stand behind code.
  void errors_in(std::string_view text, uint32_t where) {
    size_t at = std::min(text.find("; error: "), text.find("; error-rule: "));
    bool continues = false;  // an error-rule behind an error belongs to it
    while (at != std::string_view::npos) {
      std::string_view rest = text.substr(at + 2);
      bool is_rule = skip(rest, "error-rule: ");
      if (!is_rule) skip(rest, "error: ");
      size_t end = std::min(rest.find("; error: "), rest.find("; error-rule: "));
      std::string what(trim(rest.substr(0, end)));
      if (is_rule && continues && file_.errors.back().rule.empty())
        file_.errors.back().rule = what;
      else
        file_.errors.push_back({where, is_rule ? "" : what, is_rule ? what : "", line_});
      continues = true;
      text = rest;
      at = end;
    }
  }

  const SourceFile& source_;
  GoldenFile file_;
  Diagnostics errors_;
  uint32_t line_ = 0;
  bool in_expect_ = false;
};

void append_expected(std::string& out, std::string_view text) {
  for (std::string_view line : split_lines(text)) {
    out += line.empty() ? "; |" : "; | ";
    out += line;
    out += '\n';
  }
}

}  // namespace

std::string ExpectBlock::text() const {
  std::string text;
  for (const std::string& line : lines) {
    text += line;
    text += '\n';
  }
  return text;
}

std::vector<std::string> split_arguments(std::string_view text) {
  std::vector<std::string> pieces;
  if (trim(text).empty()) return pieces;
  size_t start = 0, depth = 0;
  bool quoted = false;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (quoted && i < text.size()) {
      if (text[i] == '\\') ++i;
      else if (text[i] == '"') quoted = false;
      continue;
    }
    if (i < text.size() && text[i] == '"') quoted = true;
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')' && depth > 0) --depth;
    if (i < text.size() && (text[i] != ',' || depth != 0)) continue;
    if (start > text.size()) break;
    pieces.emplace_back(trim(text.substr(start, i - start)));
    start = i + 1;
  }
  return pieces;
}

Expected<GoldenFile> parse_golden(const SourceFile& source) { return Parser(source).run(); }

std::string blessed(const SourceFile& source, const GoldenFile& file, const std::vector<std::string>& outputs) {
  std::string out;
  std::vector<std::string_view> lines = split_lines(source.text());
  size_t block = 0;
  for (uint32_t i = 0; i < lines.size(); ++i) {
    out += lines[i];
    out += '\n';
    if (block == std::min(file.expects.size(), outputs.size()) || file.expects[block].line != i + 1) continue;
    append_expected(out, outputs[block]);
    i += static_cast<uint32_t>(file.expects[block].lines.size());
    ++block;
  }
  for (; block < outputs.size(); ++block) {
    out += "; expect\n";
    append_expected(out, outputs[block]);
  }
  return out;
}

}  // namespace braid::driver
