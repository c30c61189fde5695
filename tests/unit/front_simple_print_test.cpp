// The printed forms of graphs: table, Graphviz, JSON.
#include "sea/print_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "front/simple/simple.h"
#include "growth.h"
#include "small_stack.h"

namespace braid::simple {
namespace {

struct Parsed {
  explicit Parsed(const std::string& text, Language language = Language::simple8) {
    SourceFile source("test.smp", text);
    ParseOptions options;
    options.language = language;
    Expected<Program> parsed = parse(module, source, options);
    EXPECT_TRUE(parsed.has_value());
    program = std::move(*parsed);
  }
  const sea::Graph& graph() const { return program.main(); }
  ir::Module module;
  Program program;
};

constexpr const char* loop_text = "while(arg<10) { arg=arg+1; if(arg==6) break; } return arg;";

TEST(SeaPrint, Table) {
  Parsed parsed("int a=1; if(arg) a=arg+2; return a;");
  EXPECT_EQ(sea::print_table(parsed.graph()),
            R"(   2 Start                   [[     4    5  ]]  Ctrl
  11 #2                      [[    12       ]]  i64=2
   6 #1                      [[    14       ]]  i64=1
   5 arg        2            [[     7   12  ]]  i64

  12 Add        5   11       [[    14       ]]  i64

   4 $ctrl      2            [[     7       ]]  Ctrl

   7 If         4    5       [[     8    9  ]]  Ctrl
   9 False      7            [[    13       ]]  Ctrl
   8 True       7            [[    13       ]]  Ctrl

  13 Region     8    9       [[    14   15  ]]  Ctrl
  14 Phi_a     13   12    6  [[    15       ]]  i64

  15 Return    13 ____   14  [[     3       ]]  Ctrl

   3 Stop      15            [[             ]]  Ctrl
)");
}

/// Every node once, a value behind its inputs except for what goes round a loop.
TEST(SeaPrint, OrderOfNodes) {
  Parsed parsed(loop_text);
  const sea::Graph& g = parsed.graph();
  std::vector<sea::NodeId> order = sea::print_order(g);
  EXPECT_EQ(order.size(), g.live_count());
  std::vector<size_t> place(g.size());
  for (size_t i = 0; i < order.size(); ++i) place[index(order[i])] = i;
  for (sea::NodeId n : order)
    for (uint32_t i = 0; i < g.input_count(n); ++i) {
      if (is_none(g.input(n, i))) continue;
      bool back = i > 0 && (g.op(n) == sea::NodeOp::loop ||
                            (g.is(n, ir::Op::phi) && g.op(g.input(n, 0)) == sea::NodeOp::loop));
      EXPECT_TRUE(back || place[index(g.input(n, i))] < place[index(n)]) << g.number(n);
    }
}

TEST(SeaPrint, Dot) {
  Parsed parsed(loop_text);
  std::string dot = sea::print_dot(parsed.graph(), {.name = "main", .source = "a */ b"});
  EXPECT_NE(dot.find("digraph \"main\" {"), std::string::npos);
  EXPECT_NE(dot.find("/*\na * / b\n*/"), std::string::npos);
  EXPECT_NE(dot.find("n6 [label=\"6 Loop\", shape=box, style=filled, fillcolor=yellow"), std::string::npos);
  EXPECT_NE(dot.find("{ rank=same; n6; n8; }"), std::string::npos);
  EXPECT_NE(dot.find("n8 -> n6 [taillabel=0, style=dotted]"), std::string::npos);
  EXPECT_NE(dot.find("n6 -> n4 [taillabel=0, color=red, penwidth=2]"), std::string::npos);
  EXPECT_EQ(std::count(dot.begin(), dot.end(), '{'), std::count(dot.begin(), dot.end(), '}'));
  EXPECT_EQ(dot, sea::print_dot(parsed.graph(), {.name = "main", .source = "a */ b"}));
}

TEST(SeaPrint, EffectsAreToldApart) {
  Parsed parsed("val f = { int x -> return x; }; return f(arg) + f(2);", Language::simple);
  std::string dot = sea::print_dot(parsed.graph());
  EXPECT_NE(dot.find("Call_f"), std::string::npos);
  EXPECT_NE(dot.find("style=dashed, color=\"#0072b2\""), std::string::npos);
  sea::NamedGraph named{"main", &parsed.graph()};
  std::string json = sea::print_json(std::span(&named, 1));
  EXPECT_NE(json.find("\"kind\": \"effect\""), std::string::npos);
}

TEST(SeaPrint, ScopesAreClusters) {
  ir::Module module;
  sea::Graph graph(module);
  sea::NoPeepholes none;
  sea::Builder builder(graph, none, {});
  sea::NodeId arg = builder.parameter(module.symbol("arg"));
  builder.scopes().define(module.symbol("arg"), i64, arg);
  builder.scopes().open_level();
  builder.scopes().define(module.symbol("x"), i64, builder.constant(5));
  builder.scopes().open_level();
  builder.scopes().define(module.symbol("y"), i64, builder.binary(ir::Op::add, arg, arg));
  std::vector<sea::DrawnScope> scopes = sea::drawn_scopes(builder);
  ASSERT_EQ(scopes.size(), 1u);
  EXPECT_EQ(scopes[0].label, "now");
  const std::vector<sea::ScopeLevel>& levels = scopes[0].levels;
  ASSERT_EQ(levels.size(), 3u);
  ASSERT_EQ(levels[0].names.size(), 2u);
  EXPECT_EQ(levels[0].names[0].name, "$ctrl");
  EXPECT_EQ(levels[0].names[1].value, arg);
  EXPECT_EQ(levels[1].names[0].name, "x");
  EXPECT_EQ(levels[2].names[0].name, "y");
  std::string dot = sea::print_dot(graph, {.scopes = scopes});
  size_t outer = dot.find("subgraph cluster_scope0 {"), inner = dot.find("subgraph cluster_scope0_2 {");
  ASSERT_NE(outer, std::string::npos);
  ASSERT_NE(inner, std::string::npos);
  EXPECT_EQ(dot.substr(outer, inner - outer).find("  }\n"), std::string::npos)
      << "one cluster stands inside the other";
  EXPECT_NE(dot.find("s0_2_0 [shape=plaintext, label=\"y\"]"), std::string::npos);
  std::string value = "n" + std::to_string(graph.number(levels[2].names[0].value));
  EXPECT_NE(dot.find("s0_2_0 -> " + value), std::string::npos);
  EXPECT_NE(dot.find("    " + value + " ["), std::string::npos) << "what only a scope names is shown too";
}

/// What waits for the end of a loop or a condition is drawn, too, with the names that it knows and no others.
TEST(SeaPrint, AllLiveScopesAreDrawn) {
  for (bool single_region : {false, true}) {
    ir::Module module;
    sea::Graph graph(module);
    sea::NoPeepholes none;
    sea::Builder b(graph, none, {.single_region = single_region});
    sea::Scopes& scopes = b.scopes();
    auto labels = [&] {
      std::string all;
      for (const sea::DrawnScope& scope : sea::drawn_scopes(b)) {
        all += (all.empty() ? "" : ", ") + scope.label;
        for (const sea::ScopeLevel& level : scope.levels) {
          all += " |";
          for (const sea::ScopeName& name : level.names)
            all += " " + name.name + (is_none(name.value) ? "@" + std::to_string(name.head) : "");
        }
      }
      return all;
    };
    sea::NodeId arg = b.parameter(module.symbol("arg"));
    scopes.define(module.symbol("arg"), i64, arg);
    scopes.open_level();
    b.loop();
    b.loop_while(arg);
    scopes.open_level();
    scopes.define(module.symbol("x"), i64, b.constant(1));
    b.if_(arg);
    EXPECT_EQ(labels(),
              "now | $ctrl arg@1 | | x, loop 1: head | $ctrl arg |, loop 1: exit | $ctrl arg@1 |, if 1: else | $ctrl arg@1 | | x");
    scopes.open_level();
    scopes.define(module.symbol("y"), i64, b.constant(2));
    b.break_();
    scopes.close_level();
    b.else_();
    b.continue_();
    const std::string exits = single_region ? "loop 1: exit | $ctrl arg@1 |, loop 1: exit | $ctrl arg@1 |" : "loop 1: exit | $ctrl arg@1 |";
    EXPECT_EQ(labels(), "now | $ctrl arg@1 | | x, loop 1: head | $ctrl arg |, " + exits +
                            ", loop 1: continue | $ctrl arg@1 |, if 1: then | $ctrl arg@1 | | x");
    // An inner loop, which looks names up in the outer one.
    b.end_if();
    b.loop();
    b.loop_while(scopes.lookup(scopes.find(module.symbol("x"))));
    scopes.assign(scopes.find(module.symbol("arg")), b.constant(7));
    EXPECT_NE(labels().find("loop 2: head | $ctrl arg | | x"), std::string::npos) << labels();
    EXPECT_NE(labels().find("loop 1: head | $ctrl arg |,"), std::string::npos) << labels();
    const std::string dot = sea::print_dot(graph, {.scopes = sea::drawn_scopes(b)});
    EXPECT_EQ(std::count(dot.begin(), dot.end(), '{'), std::count(dot.begin(), dot.end(), '}'));
    EXPECT_NE(dot.find("s2_0_1 -> s1_0_1 [style=dotted, color=cornflowerblue];"), std::string::npos)
        << "what the exit knows of arg is what the head of the loop knows";
  }
}

TEST(SeaPrint, Json) {
  Parsed parsed("return arg/-9223372036854775807;");
  sea::NamedGraph named{"a \"name\"", &parsed.graph()};
  EXPECT_EQ(sea::print_json(std::span(&named, 1)), R"({
  "schema": "braid.sea",
  "version": 1,
  "functions": [
    {
      "name": "a \"name\"",
      "start": 2,
      "stop": 3,
      "nodes": [
        {"id": 2, "op": "start", "label": "Start", "role": "control", "type": "Ctrl", "inputs": []},
        {"id": 8, "op": "constant", "label": "#-9223372036854775807", "role": "value", "type": "i64=-9223372036854775807", "value": "-9223372036854775807", "inputs": []},
        {"id": 5, "op": "parameter", "label": "arg", "role": "value", "type": "i64", "number": 0, "inputs": [{"node": 2, "kind": "control"}]},
        {"id": 9, "op": "sdiv", "label": "Div", "role": "value", "type": "i64", "inputs": [{"node": 5, "kind": "value"}, {"node": 8, "kind": "value"}]},
        {"id": 4, "op": "projection", "label": "$ctrl", "role": "control", "type": "Ctrl", "number": 0, "inputs": [{"node": 2, "kind": "control"}]},
        {"id": 10, "op": "ret", "label": "Return", "role": "control", "type": "Ctrl", "inputs": [{"node": 4, "kind": "control"}, null, {"node": 9, "kind": "value"}]},
        {"id": 3, "op": "stop", "label": "Stop", "role": "control", "type": "Ctrl", "inputs": [{"node": 10, "kind": "control"}]}
      ]
    }
  ]
}
)");
}

TEST(SeaPrint, LargeGraphsGrowLinearlyAndNeedNoStack) {
  double ratio = growth_ratio(
      4'000,
      [](size_t size) {
        std::string text = "int v=1;";
        for (size_t i = 0; i < size; ++i) text += "if(arg<" + std::to_string(i) + ") v=v*3+arg;\n";
        return std::make_unique<Parsed>(text + "return v;");
      },
      [](std::unique_ptr<Parsed>& parsed) {
        run_on_small_stack([&] {
          EXPECT_FALSE(sea::print_table(parsed->graph()).empty());
          EXPECT_FALSE(sea::print_dot(parsed->graph()).empty());
          sea::NamedGraph named{"main", &parsed->graph()};
          EXPECT_FALSE(sea::print_json(std::span(&named, 1)).empty());
        });
      });
  EXPECT_LT(ratio, 3.0);
}

}  // namespace
}  // namespace braid::simple
