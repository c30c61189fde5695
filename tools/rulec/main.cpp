// The rule compiler: rules in, C++ out. Runs on the building machine.
//
// usage: rulec --out=FOLDER FILE.rules...     writes rule_ids.inc, rule_table.inc, rule_matcher.inc and
//                                             rule_operands.inc
//        rulec --check FILE.rules...          only reads and checks
//        rulec --smt FILE.rules...            prints a query per rule and width for a solver: `unsat` is a
//        proof
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "rule.h"
#include "smt.h"

namespace braid::rulec {
namespace {

/// A file that does not change keeps its time, so that nothing is compiled again.
bool write(const std::filesystem::path& path, const std::string& text) {
  std::ifstream old(path, std::ios::binary);
  std::stringstream now;
  now << old.rdbuf();
  if (old && now.str() == text) return true;
  std::ofstream out(path, std::ios::binary);
  out << text;
  return out.good();
}

void print_queries(const std::vector<Rule>& rules) {
  for (const Rule& rule : rules)
    for (const Kinds& kinds : rule.assignments) {
      std::vector<std::string> definitions;
      std::string query = smt_query(rule, kinds, FloatFormat::full, Form::plain, definitions);
      std::printf("; %s:\n(push)\n", rule.text.c_str());
      for (const std::string& definition : definitions) std::fputs(definition.c_str(), stdout);
      std::printf("%s(check-sat)\n(pop)\n", query.c_str());
    }
}

int run(int argc, char** argv) {
  std::string folder;
  std::vector<std::string> files;
  bool check = false, smt = false;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word.starts_with("--out="))
      folder = word.substr(6);
    else if (word == "--check")
      check = true;
    else if (word == "--smt")
      smt = true;
    else
      files.push_back(word);
  }
  if (files.empty() || int{check} + int{smt} + int{!folder.empty()} != 1) {
    std::fputs("usage: rulec --out=FOLDER | --check | --smt FILE.rules...\n", stderr);
    return 2;
  }
  Errors errors;
  std::vector<Rule> rules = read_rules(files, errors);
  for (const std::string& text : errors.texts()) std::fprintf(stderr, "%s\n", text.c_str());
  if (!errors.empty()) return 1;
  if (smt) print_queries(rules);
  if (check || smt) return 0;
  const std::filesystem::path out(folder);
  bool written = write(out / "rule_ids.inc", emit_ids(rules)) &&
                 write(out / "rule_table.inc", emit_table(rules)) &&
                 write(out / "rule_matcher.inc", emit_matcher(rules)) &&
                 write(out / "rule_operands.inc", emit_operands(rules));
  if (!written) std::fprintf(stderr, "%s: error: cannot write\n", folder.c_str());
  return written ? 0 : 1;
}

}  // namespace
}  // namespace braid::rulec

int main(int argc, char** argv) { return braid::rulec::run(argc, argv); }
