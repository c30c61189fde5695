// Programs in Simple, checked after every single rewrite from the first node on: sound ones pass, and a rewrite that is wrong
// is named, wherever it is done.
#include "driver/step_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "choices.h"
#include "generator.h"
#include "sea/graph_pool.h"

namespace braid::driver {
namespace {

using simple::Language;

constexpr int64_t arguments[] = {0, 1, 10, -3};

SourceFile program(std::string text) { return SourceFile("test.smp", std::move(text)); }

StepCheck check(const SourceFile& source, Language language, const ReplayOptions& replay = {}) {
  simple::ParseOptions options;
  options.language = language;
  Expected<StepCheck> checked = check_each_step(source, options, arguments, replay);
  EXPECT_TRUE(checked) << source.text() << render(checked.error());
  return checked ? *checked : StepCheck{};
}

/// How a parse goes that ends after some rewrites.
simple::RewriteTrail trail_of(const SourceFile& source, Language language, uint64_t rewrites = simple::RewriteLimit::none) {
  ir::Module module;
  simple::ParseOptions options;
  options.language = language;
  options.limit.emplace().rewrites = rewrites;
  Expected<simple::Program> parsed = simple::parse(module, source, options);
  EXPECT_TRUE(parsed) << source.text();
  return parsed ? parsed->trail : simple::RewriteTrail{};
}

bool is_valid(const SourceFile& source, Language language) {
  ir::Module module;
  simple::ParseOptions options;
  options.language = language;
  return simple::parse(module, source, options).has_value();
}

TEST(StepCheck, NoRewriteOfRandomProgramsChangesAResult) {
  for (Language language : simple::all_languages) {
    uint64_t steps = 0;
    for (uint64_t seed = 0; seed < 600; ++seed) {
      simple_testing::Choices choices(seed);
      const auto dialect = language == Language::simple8 ? simple_testing::Dialect::simple8 : simple_testing::Dialect::simple;
      simple_testing::Generator generator(choices, {.dialect = dialect, .statements = 6});
      const SourceFile source = program(generator.program());
      if (!is_valid(source, language)) continue;
      const StepCheck checked = check(source, language);
      ASSERT_EQ(checked.fault, "") << source.text();
      ASSERT_EQ(checked.every, 1u);
      steps += checked.count;
    }
    std::printf("%s: %llu rewrites\n", std::string(name(language)).c_str(), static_cast<unsigned long long>(steps));
    EXPECT_GT(steps, 4'000u);
  }
}

/// Wherever the rewriting ends, control goes on in one way from each place.
TEST(StepCheck, EveryStepLeavesAWholeGraph) {
  uint64_t branches = 0;
  for (Language language : simple::all_languages)
    for (const char* text : {"if(1) arg=arg+2; else arg=7; while(0) arg=1; if(arg) { if(arg) arg=3; else arg=4; } return arg*1;",
                             "if(0) return 1; int b=arg==3; if(b) { if(b) return 2; return 3; } return arg+0;"}) {
      const SourceFile source = program(text);
      const uint64_t count = trail_of(source, language).rewrites;
      for (uint64_t step = 1; step <= count; ++step) {
        ir::Module module;
        simple::ParseOptions options;
        options.language = language;
        options.limit.emplace().rewrites = step;
        Expected<simple::Program> parsed = simple::parse(module, source, options);
        ASSERT_TRUE(parsed);
        const sea::Graph& graph = parsed->main();
        ASSERT_EQ(graph.check(), "");
        for (uint32_t k = 0; k < graph.size(); ++k) {
          const sea::NodeId n = static_cast<sea::NodeId>(k);
          const bool is_control = sea::is_region(graph.op(n)) || graph.op(n) == sea::NodeOp::projection;
          if (!is_control || graph.type(n).is_none()) continue;
          uint32_t takers = 0;
          graph.for_each_use(n, [&](sea::NodeId user, uint32_t number) {
            branches += graph.is(user, ir::Op::branch);
            takers += sea::is_region(graph.op(user)) || (number == 0 && (graph.is(user, ir::Op::branch) || graph.is(user, ir::Op::ret)));
          });
          EXPECT_LE(takers, 1u) << text << "\nstep " << step << ", node " << k;
        }
      }
    }
  EXPECT_GT(branches, 10u);
}

/// Makes a factor of the program another one at some rewrite, as a wrong one would.
class Spoiler final : public sea::RewriteObserver {
 public:
  static constexpr uint64_t factor = 1000003, wrong = 1000033;

  Spoiler(std::vector<sea::Graph*> graphs, uint64_t step, std::optional<sea::Rewrite> wrong_rewrite)
      : graphs_(std::move(graphs)), step_(step), wrong_(wrong_rewrite) {}

  bool rewritten(sea::Rewrite rewrite, sea::NodeId) override {
    if ((step_ > 0 && --step_ == 0) || rewrite == wrong_) spoil();
    return true;
  }
  void simplified_within(sea::Rewrite rule) override {
    if (rule == wrong_) spoil();
  }

 private:
  void spoil() {
    for (sea::Graph* graph : graphs_)
      for (uint32_t k = 0; k < graph->size(); ++k) {
        const sea::NodeId n = static_cast<sea::NodeId>(k);
        if (!graph->is(n, ir::Op::mul)) continue;
        const sea::NodeId last = graph->input(n, 1);
        if (!graph->is_constant(last) || graph->constant_value(last).bits != factor) continue;
        graph->set_input(n, 1, wrong_factor(*graph));
        return;
      }
  }
  /// One that is there already if possible: rules count what they make.
  static sea::NodeId wrong_factor(sea::Graph& graph) {
    for (uint32_t k = 0; k < graph.size(); ++k) {
      const sea::NodeId n = static_cast<sea::NodeId>(k);
      if (graph.is_constant(n) && graph.constant_value(n).bits == wrong) return n;
    }
    return graph.make_constant(i64, wrong);
  }

  std::vector<sea::Graph*> graphs_;
  uint64_t step_;
  std::optional<sea::Rewrite> wrong_;
};

/// Each parse has its graphs spoiled at the same place: at a rewrite of this number, or at each of this name.
ReplayOptions spoiled(uint64_t step, std::optional<sea::Rewrite> wrong = std::nullopt) {
  ReplayOptions replay;
  replay.parse = [step, wrong](ir::Module& module, const SourceFile& source, const simple::ParseOptions& given) {
    sea::GraphPool pool;
    std::vector<sea::Graph*> graphs;
    for (int i = 0; i < 3; ++i) {
      auto graph = std::make_unique<sea::Graph>(module);
      graphs.push_back(graph.get());
      pool.give(std::move(graph));
    }
    Spoiler spoiler(graphs, step, wrong);
    simple::ParseOptions options = given;
    options.pool = &pool;
    options.observer = &spoiler;
    return simple::parse(module, source, options);
  };
  return replay;
}

struct Planted {
  Language language;
  const char* text;
};
/// The factor comes first, and stays to the end.
constexpr Planted planted[] = {
    {Language::simple8,
     "int bad=arg*1000003; int a=1+2; int b=arg*1+0; if(a==3) b=b+(arg+1)+2; else b=7; while(arg<4) { arg=arg+1; if(arg==2) "
     "continue; a=a+arg+a; } int c=3; if(arg) c=4; c=c+1; if(1) return bad-(a+(b+c)); return 5/0;"},
    {Language::simple,
     "int bad=arg*1000003; int a=1+2; int b=arg*1+0; if(a==3) b=b+(arg+1)+2; else b=7; int z=0; while(arg<4) { arg=arg+1; if(arg==2) "
     "continue; a=a+arg+a; z=z*a; } int c=3; if(arg) c=4; c=c+1; if(z==0) return bad^(a+(b+c)); return 5/0;"},
    {Language::simple,
     "int bad=arg*1000003; val f={ int n -> int a=n*1+0; int z=0; while(z) z=z+1; return a+z; }; int d=f(arg*2)+0; "
     "val g={ int n, int m -> return n-m-m+(m+m); }; return (bad^d)+g(arg,d*1)*0;"},
};

TEST(StepCheck, AWrongRewriteIsNamedWhereverItIsDone) {
  for (const Planted& test : planted) {
    const SourceFile source = program(test.text);
    const uint64_t count = trail_of(source, test.language).rewrites;
    ASSERT_GT(count, 12u);
    uint64_t in_text = 0, behind = 0;
    for (uint64_t step = 1; step <= count; ++step) {
      const simple::RewriteTrail trail = trail_of(source, test.language, step);
      ASSERT_EQ(trail.rewrites, step);
      const StepCheck checked = check(source, test.language, spoiled(step));
      // Before the factor is there, nothing is spoiled.
      const bool has_factor = !trail.offset || *trail.offset > source.text().find("1000003") + 8;
      if (checked.fault.empty() && !has_factor) continue;
      ++(trail.offset ? in_text : behind);
      const std::string name(sea::name_of(trail.last));
      const std::string expected = "step " + std::to_string(step) + ", " + name + " at node " + std::to_string(trail.node);
      EXPECT_NE(checked.fault.find(expected), std::string::npos) << expected << "\n" << checked.fault;
      if (trail.offset) {
        const LineColumn at = source.line_column(*trail.offset);
        EXPECT_NE(checked.fault.find("when test.smp was read up to 1:" + std::to_string(at.column) + ": for "), std::string::npos)
            << checked.fault;
      }
    }
    EXPECT_GT(in_text, 6u) << test.text;
    EXPECT_EQ(behind > 2, test.language == Language::simple) << "steps of the optimiser";
  }
}

TEST(StepCheck, TheFunctionIsNamed) {
  const SourceFile source = program("val f = { int n -> int bad=n*1000003; return bad^(n+0); }; return f(arg)-0;");
  const StepCheck first = check(source, Language::simple, spoiled(1));
  EXPECT_TRUE(first.fault.starts_with("@f: step 1, add_zero at node ")) << first.fault;
  EXPECT_NE(first.fault.find(": for 1 the result was 1000002 and is 1000032"), std::string::npos) << first.fault;
  const StepCheck second = check(source, Language::simple, spoiled(trail_of(source, Language::simple).rewrites));
  EXPECT_TRUE(second.fault.empty() || second.fault.starts_with("@main: ")) << second.fault;
}

/// Notes the first rule that simplified what another one had made.
class InnerRules final : public sea::RewriteObserver {
 public:
  struct Inner {
    sea::Rewrite rule, outer;
  };
  bool rewritten(sea::Rewrite rewrite, sea::NodeId) override {
    seen_.push_back(rewrite);
    for (sea::Rewrite rule : waiting_) all.push_back({rule, rewrite});
    waiting_.clear();
    return true;
  }
  void simplified_within(sea::Rewrite rule) override {
    if (rule == sea::Rewrite::first_rule || std::ranges::find(seen_, rule) != seen_.end()) return;
    seen_.push_back(rule);
    waiting_.push_back(rule);
  }
  std::vector<Inner> all;  ///< each rule once, where it is done first

 private:
  std::vector<sea::Rewrite> seen_, waiting_;
};

/// What a rule makes is simplified by other rules before the rewrite is complete: of these, too, the right one is named.
TEST(StepCheck, ARuleInsideOfARewriteIsNamed) {
  uint64_t inside = 0, several = 0;
  for (uint64_t seed = 0; seed < 5'000 && (inside < 60 || several < 10); ++seed) {
    simple_testing::Choices choices(seed);
    simple_testing::Generator generator(choices, {.dialect = simple_testing::Dialect::simple, .statements = 6});
    std::string text = generator.program();
    if (text.find("val ") != std::string::npos || !is_valid(program(text), Language::simple)) continue;
    // Whatever it returns depends on the factor.
    for (size_t at = text.find("return"); at != std::string::npos; at = text.find("return", at + 1)) text.insert(at + 6, " badfactor ^ ");
    const SourceFile source = program("int badfactor = arg * 1000003, other = 1000033;" + text);
    InnerRules rules;
    ir::Module module;
    simple::ParseOptions options;
    options.observer = &rules;
    ASSERT_TRUE(simple::parse(module, source, options));
    for (const InnerRules::Inner& inner : rules.all) {
      const StepCheck checked = check(source, Language::simple, spoiled(0, inner.rule));
      if (checked.fault.empty()) continue;  // control does not come there
      const std::string expected = std::string(sea::name_of(inner.rule)) + " inside of " + std::string(sea::name_of(inner.outer));
      EXPECT_NE(checked.fault.find(", " + expected + " at node "), std::string::npos) << expected << "\n" << checked.fault << source.text();
      ++inside;
      several += rules.all.size() > 1;
    }
  }
  EXPECT_GE(inside, 60u);
  EXPECT_GE(several, 10u);
}

/// Ends a loop never, or returns from nowhere.
class ControlSpoiler final : public sea::RewriteObserver {
 public:
  ControlSpoiler(sea::Graph* graph, bool falls) : graph_(graph), falls_(falls) {}
  bool rewritten(sea::Rewrite rewrite, sea::NodeId) override {
    if (sea::name_of(rewrite) != "chapter8_sub_self") return true;
    for (uint32_t k = 0; k < graph_->size(); ++k) {
      const sea::NodeId n = static_cast<sea::NodeId>(k);
      if (!falls_ && graph_->is(n, ir::Op::branch)) graph_->set_input(n, 1, graph_->make_constant(i64, 1));
      if (falls_ && graph_->is(n, ir::Op::branch)) graph_->set_input(n, 1, graph_->make_constant(i64, 0));
    }
    return true;
  }

 private:
  sea::Graph* graph_;
  bool falls_;
};

TEST(StepCheck, TimeoutsAndFallingThroughAreResults) {
  for (bool falls : {false, true}) {
    ReplayOptions replay;
    replay.parse = [falls](ir::Module& module, const SourceFile& source, const simple::ParseOptions& given) {
      sea::GraphPool pool;
      auto graph = std::make_unique<sea::Graph>(module);
      ControlSpoiler spoiler(graph.get(), falls);
      pool.give(std::move(graph));
      simple::ParseOptions options = given;
      options.pool = &pool;
      options.observer = &spoiler;
      return simple::parse(module, source, options);
    };
    const SourceFile source = program(falls ? "if(arg) return 7; int x=arg-arg;" : "while(arg<5) arg=arg+1; return arg-arg;");
    const StepCheck checked = check(source, Language::simple8, replay);
    const std::string expected = falls ? "for 1 the result was 7 and is fallthrough" : "for 0 the result was 0 and is timeout";
    EXPECT_NE(checked.fault.find("chapter8_sub_self at node "), std::string::npos) << checked.fault;
    EXPECT_NE(checked.fault.find(expected), std::string::npos) << checked.fault;
  }
  // A loop that never ends says nothing, and a program may have no return at all.
  for (const char* text : {"while(1) arg=arg+0; return arg*1;", "int a=1+2;", "", "if(arg*1) return 1+1;"})
    for (Language language : simple::all_languages) EXPECT_EQ(check(program(text), language).fault, "") << text;
}

/// Terms that wait to be sorted are in a sum all the same, wherever the rewriting ends.
TEST(StepCheck, LongSumsOfChapter8) {
  std::string text;
  for (int i = 0; i < 90; ++i) text += "int v" + std::to_string(i) + "=arg*" + std::to_string(i + 3) + ";";
  text += "int s=0;";
  for (int i = 0; i < 90; ++i) text += "s=s+v" + std::to_string(i) + ";";
  const SourceFile source = program(text + "if(arg==1) s=s+v3; else s=s+v4; return s*2;");
  ReplayOptions replay;
  replay.most_nodes = 1;
  replay.least_looks = 200;
  EXPECT_EQ(check(source, Language::simple8, replay).fault, "");
  EXPECT_EQ(trail_of(source, Language::simple8).last, sea::Rewrite::chapter8_sum_sorted);
}

/// Large programs are not looked at after every rewrite, but the one that is wrong is found all the same.
TEST(StepCheck, LargeProgramsAreLookedAtNowAndThen) {
  std::string text = "int bad=arg*1000003;";
  for (int i = 0; i < 200; ++i) text += "arg=arg*1+" + std::to_string(i) + ";";
  const SourceFile source = program(text + "return bad^arg;");
  const uint64_t count = trail_of(source, Language::simple).rewrites;
  ASSERT_GT(count, 300u);
  for (uint64_t step : {uint64_t{3}, uint64_t{100}, count - 1}) {
    ReplayOptions replay = spoiled(step);
    replay.most_nodes = 1;
    replay.least_looks = 10;
    const StepCheck checked = check(source, Language::simple, replay);
    EXPECT_EQ(checked.every, (count + 9) / 10);
    EXPECT_NE(checked.fault.find("step " + std::to_string(step) + ", "), std::string::npos) << checked.fault;
  }
}

TEST(StepCheck, ErrorsOfTheProgramAreTold) {
  simple::ParseOptions options;
  const SourceFile source = program("return x;");
  EXPECT_FALSE(check_each_step(source, options, arguments));
}

}  // namespace
}  // namespace braid::driver
