// Endless loops of parsed programs have an exit that is never taken: everything hangs on stop, and nothing else changes.
#include <gtest/gtest.h>

#include <cstdio>

#include "choices.h"
#include "front/simple/simple.h"
#include "generator.h"
#include "sea/add_exits.h"
#include "sea/control_blocks.h"
#include "sea/evaluate.h"
#include "sea/land.h"
#include "sea/print_text.h"
#include "text/print.h"

namespace braid::simple {
namespace {

class Exits {
 public:
  Exits(const std::string& text, Language language, bool peepholes) {
    SourceFile source("test.smp", text);
    ParseOptions options;
    options.language = language;
    options.peepholes = peepholes;
    Expected<Program> parsed = parse(module_, source, options);
    is_valid = parsed.has_value();
    if (is_valid) program = std::move(*parsed);
    has_effects_ = language == Language::simple;
  }

  void add() {
    for (FunctionGraph& f : program.functions) sea::add_exits(*f.graph, has_effects_);
  }
  std::string results() {
    sea::Evaluator evaluator;
    evaluator.limits.back_edges = 50;
    evaluator.limits.calls = 1000;
    evaluator.reset(program.main());
    for (const FunctionGraph& f : program.functions) evaluator.define(f.id, *f.graph);
    std::string all;
    for (int64_t argument : {0, 1, 10}) all += to_string(evaluator.run(argument)) + "\n";
    return all;
  }
  std::string landed() {
    std::string all;
    for (const FunctionGraph& f : program.functions) {
      sea::land(*f.graph, module_.function(f.id));
      all += text::to_text(module_.function(f.id));
    }
    return all;
  }
  uint32_t nodes() const {
    uint32_t count = 0;
    for (const FunctionGraph& f : program.functions) count += f.graph->live_count();
    return count;
  }
  std::string fault() const {
    for (const FunctionGraph& f : program.functions) {
      if (std::string wrong = f.graph->check(); !wrong.empty()) return wrong;
      if (std::string wrong = exit_fault(*f.graph); !wrong.empty()) return wrong;
    }
    return {};
  }

  bool is_valid = false;
  Program program;

 private:
  using NodeId = sea::NodeId;

  /// From everywhere control comes to an end of the function, runs out, or passes a `never`; whose other way out is an end.
  std::string exit_fault(const sea::Graph& graph) const {
    const sea::ControlBlocks blocks(graph);
    std::vector<bool> leads_out(blocks.size());
    for (uint32_t b = 0; b < blocks.size(); ++b) leads_out[b] = blocks.targets_of(b).empty();
    for (uint32_t k = 0; k < graph.size(); ++k) {
      const NodeId n = static_cast<NodeId>(k);
      if (graph.op(n) != sea::NodeOp::never) continue;
      leads_out[blocks.of(n)] = true;
      bool is_end = false;
      graph.for_each_use(n, [&](NodeId way, uint32_t) {
        if (graph.payload(way) != 1 || !graph.has_one_use(way)) return;
        const NodeId end = graph.first_use(way).user;
        const bool has_effect = graph.is(end, ir::Op::unreachable) && is_none(graph.input(end, 1)) != has_effects_;
        is_end = has_effect && graph.has_one_use(end) && graph.first_use(end).user == graph.stop;
      });
      if (!is_end) return "node " + std::to_string(k) + " does not lead to stop";
    }
    for (uint32_t round = 0; round < blocks.size(); ++round)
      for (uint32_t b = 0; b < blocks.size(); ++b)
        for (const sea::ControlBlocks::Target& target : blocks.targets_of(b))
          if (target.block != sea::ControlBlocks::nowhere && leads_out[target.block]) leads_out[b] = true;
    for (uint32_t b = 0; b < blocks.size(); ++b)
      if (!leads_out[b]) return "from node " + std::to_string(index(blocks.blocks[b].head)) + " no way leads out";
    return {};
  }

  ir::Module module_;
  bool has_effects_ = false;
};

TEST(SimpleExits, WhereTheyAreNeededAndNowhereElse) {
  const std::pair<const char*, const char*> cases[] = {
      {"while(1) {}", "never;"},
      {"while(1) { if(arg) return 1; }", "return 1;"},
      {"while(1) { if(arg) break; } return 2;", "return 2;"},
      {"if(arg) while(1) arg++; return 3;", "Stop[ return 3; never; ]"},
      {"while(arg) { while(1) arg++; } return arg;", "Stop[ return arg; never; ]"},
      {"while(1) { while(arg) arg--; }", "never;"},
      {"if(arg) { while(1) arg++; } else { while(1) arg--; }", "Stop[ never; never; ]"},
      {"while(arg<9) arg++; return arg;", "return Phi(Loop4,arg,(Phi_arg+1));"},
      {"arg++;", "Stop[ ]"},
  };
  for (const auto& [text, expected] : cases) {
    Exits exits(text, Language::simple, true);
    ASSERT_TRUE(exits.is_valid);
    exits.add();
    EXPECT_EQ(sea::print_text(exits.program.main()), expected) << text;
    EXPECT_EQ(exits.fault(), "") << text;
    const uint32_t nodes = exits.nodes();
    exits.add();
    EXPECT_EQ(exits.nodes(), nodes) << "one exit is enough: " << text;
  }
}

/// The exit takes the effect that is there: of the last call, of the phi where calls meet, or of what is above.
TEST(SimpleExits, TakeTheEffectThatIsThere) {
  auto effect_of = [](const char* statements) {
    Exits exits(std::string("val f = { int n -> return n; };") + statements, Language::simple, true);
    EXPECT_TRUE(exits.is_valid) << statements;
    exits.add();
    EXPECT_EQ(exits.fault(), "") << statements;
    const sea::Graph& graph = exits.program.main();
    const sea::NodeId end = graph.input(graph.stop, graph.input_count(graph.stop) - 1);
    EXPECT_TRUE(graph.is(end, ir::Op::unreachable)) << statements;
    const sea::NodeId effect = graph.input(end, 1);
    return graph.is(effect, ir::Op::call) ? "call " + sea::print_text(graph, graph.input(effect, 2))
           : graph.is(effect, ir::Op::phi) ? std::string("phi")
           : effect == graph.start         ? std::string("start")
                                           : std::string("something else");
  };
  EXPECT_EQ(effect_of("while(1) arg++;"), "start");
  EXPECT_EQ(effect_of("f(1); f(2); while(1) arg++;"), "call 2");
  EXPECT_EQ(effect_of("f(1); while(1) { f(2); f(3); }"), "call 3");
  EXPECT_EQ(effect_of("f(1); while(1) { if(arg) f(2); arg++; }"), "phi");
  EXPECT_EQ(effect_of("if(arg) f(1); while(1) arg++;"), "phi");
}

TEST(SimpleExits, NothingElseChanges) {
  uint64_t with_exits = 0, programs = 0;
  for (Language language : all_languages)
    for (uint64_t seed = 0; seed < 3'000; ++seed) {
      simple_testing::Choices choices(seed);
      const auto dialect = language == Language::simple8 ? simple_testing::Dialect::simple8 : simple_testing::Dialect::simple;
      simple_testing::Generator generator(choices, {.dialect = dialect, .statements = 8});
      std::string text = generator.program();
      // Random programs seldom have loops that are not left.
      for (size_t at = seed % 2 == 0 ? text.find("while(") : std::string::npos; at != std::string::npos; at = text.find("while(", at + 1))
        text.replace(at, text.find(')', at) - at, "while(1");
      const bool peepholes = seed % 5 != 0;
      Exits plain(text, language, peepholes), exits(text, language, peepholes);
      if (!plain.is_valid) continue;
      ++programs;
      exits.add();
      with_exits += exits.nodes() > plain.nodes();
      ASSERT_EQ(exits.fault(), "") << text;
      ASSERT_EQ(exits.results(), plain.results()) << text;
      ASSERT_EQ(exits.landed(), plain.landed()) << text;
    }
  std::printf("%llu of %llu programs with exits\n", static_cast<unsigned long long>(with_exits), static_cast<unsigned long long>(programs));
  EXPECT_GT(with_exits, 200u);
}

}  // namespace
}  // namespace braid::simple
