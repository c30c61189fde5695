// The full optimiser: means the same after every rewrite, leaves no more nodes than chapter 8's rules, every rewrite happens.
#include "sea/optimise.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <random>

#include "base/source_file.h"
#include "front/simple/simple.h"
#include "sea/check_steps.h"
#include "sea/evaluate.h"
#include "sea/print_text.h"

namespace braid::sea {
namespace {

/// Small programs of chapter 8's language: all statements and operators, names read and assigned at random.
class Programs {
 public:
  explicit Programs(uint32_t seed) : random_(seed) {}

  std::string program() {
    text_.clear();
    names_ = {"arg"};
    budget_ = 4 + pick(24);
    statements(0);
    text_ += "return " + expression(2) + ";";
    return text_;
  }

 private:
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

  void statement(uint32_t loops) {
    --budget_;
    switch (pick(9)) {
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

struct Parsed {
  ir::Module module;
  simple::Program program;
  Graph& graph() { return program.main(); }
};

std::unique_ptr<Parsed> parse(const std::string& text, bool peepholes) {
  auto parsed = std::make_unique<Parsed>();
  SourceFile source("test.smp", text);
  simple::ParseOptions options;
  options.language = simple::Language::simple8;
  options.peepholes = peepholes;
  auto program = simple::parse(parsed->module, source, options);
  if (!program) {
    ADD_FAILURE() << text;
    return nullptr;
  }
  parsed->program = std::move(*program);
  return parsed;
}

constexpr int64_t arguments[] = {0, 1, 2, 10, -3, 77};

std::vector<std::string> results(const Graph& graph) {
  Evaluator evaluator;
  evaluator.limits.back_edges = 300;
  evaluator.reset(graph);
  std::vector<std::string> all;
  for (int64_t argument : arguments) all.push_back(to_string(evaluator.run(argument)));
  return all;
}

/// A loop may go on for longer, or not at all, in a graph that means the same: timeouts tell nothing.
bool agree(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i] && !a[i].starts_with("timeout") && !b[i].starts_with("timeout")) return false;
  return true;
}

TEST(SeaOptimise, MeansTheSame) {
  uint32_t decided = 0;
  RewriteCounts counts;
  uint64_t before = 0, chapter8 = 0, after = 0, after8 = 0;
  int more = 0;
  const uint32_t programs = getenv("N") ? atoi(getenv("N")) : 3000;
  for (uint32_t seed = getenv("S") ? atoi(getenv("S")) : 0; seed < programs; ++seed) {
    std::string text = getenv("P") ? getenv("P") : Programs(seed).program();
    if (getenv("V")) std::printf("%u %s\n", seed, text.c_str());
    auto plain = parse(text, false), eight = parse(text, true);
    if (!plain || !eight) return;
    std::vector<std::string> expected = results(plain->graph());
    decided += !expected[0].starts_with("timeout");
    before += plain->graph().live_count();
    chapter8 += eight->graph().live_count();
    uint32_t of8 = eight->graph().live_count();
    OptimiseOptions options;
    options.observer = &counts;
    struct Show : RewriteObserver {
      RewriteCounts* c; int k = 0;
      bool rewritten(Rewrite r, NodeId n) override { c->rewritten(r, n); if (getenv("R")) std::printf("%s %u\n", std::string(name_of(r)).c_str(), index(n)); return ++k < 3000; }
    } show;
    show.c = &counts;
    options.observer = &show;
    optimise(plain->graph(), options);
    ASSERT_EQ(plain->graph().check(), "") << text;
    after += plain->graph().live_count();
    if (!agree(expected, results(plain->graph()))) {
      auto again = parse(text, false);
      std::vector<std::vector<uint64_t>> lists;
      for (int64_t a : arguments) lists.push_back({static_cast<uint64_t>(a)});
      std::printf("%s\n", print_text(again->graph()).c_str());
      StepReport report = check_each_step(again->graph(), lists);
      std::printf("%s\n", print_text(again->graph()).c_str());
      FAIL() << seed << " " << text << "\n" << (report.fault ? to_string(*report.fault) : "no fault");
    }
    optimise(eight->graph());
    ASSERT_TRUE(agree(expected, results(eight->graph()))) << seed << " " << text;
    after8 += eight->graph().live_count();
    EXPECT_LE(eight->graph().live_count(), of8) << text;
    if (plain->graph().live_count() > of8) {
      if (++more < 6) std::printf("more: %u > %u %s\n   %s\n", plain->graph().live_count(), of8, text.c_str(), print_text(plain->graph()).c_str());
    }
  }
  std::printf("%u decided; nodes %llu, chapter 8 %llu, optimised %llu, from chapter 8 %llu; more: %d\n", decided,
              (unsigned long long)before, (unsigned long long)chapter8, (unsigned long long)after, (unsigned long long)after8, more);
  for (uint32_t k = 0; k < listed_rewrite_count; ++k)
    std::printf("%s %llu\n", std::string(name_of(static_cast<Rewrite>(k))).c_str(), (unsigned long long)counts.count(static_cast<Rewrite>(k)));
}

}  // namespace
}  // namespace braid::sea
