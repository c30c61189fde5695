// What ssa, cfg and analyze show, beyond the golden files: every program, every form, and the tables against
// the facts.
#include "driver/views.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "driver/compare.h"
#include "driver/diff.h"
#include "driver/trace.h"
#include "ir/graph_view.h"
#include "random_variable_programs.h"

namespace braid::driver {
namespace {

Session opened(const std::string& text) {
  Expected<Session> session = Session::open_valid(SourceFile("t.braid", text));
  EXPECT_TRUE(session) << (session ? "" : render(session.error())) << text;
  return std::move(*session);
}

std::string shown(const std::string& text, const SsaView& view) {
  Session session = opened(text);
  Expected<std::string> result = show_ssa(session, nullptr, view);
  return result ? *result : render(result.error());
}

size_t occurrences(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size()))
    ++count;
  return count;
}

constexpr const char* loop = R"(func @f(n: i64) -> i64 {
  var total: i64 zero
  var i: i64 zero
entry:
  set total, 0
  set i, %n
  jump head
head:
  %i = get i
  %more = sgt i64 %i, 0
  branch %more, body, done
body:
  %t = get total
  %t2 = add i64 %t, %i
  set total, %t2
  %i2 = sub i64 %i, 1
  set i, %i2
  jump head
done:
  %r = get total
  ret %r
}
)";

TEST(Views, AVariableThatIsNotThereIsAnError) {
  SsaView view;
  view.trace = "totla";
  EXPECT_EQ(shown(loop, view), "t.braid: error: there is no variable 'totla', did you mean 'total'?\n");
}

TEST(Views, ATraceNamesEveryMention) {
  for (ssa::Algorithm algorithm : ssa::all_algorithms) {
    SsaView view;
    view.construct.algorithm = algorithm;
    view.trace = "total";
    std::string table = shown(loop, view);
    EXPECT_EQ(occurrences(table, "| def total"), 3u) << table;  // two assignments and a phi
    EXPECT_EQ(occurrences(table, " use   |"), 2u) << table;
    EXPECT_EQ(occurrences(table, " φ use |"), 2u) << table;
  }
}

TEST(Views, ATraceNamesEveryQuestionWhetherAVariableIsDefined) {
  // Every read of it asks, also where the answer is known; so does is_defined.
  for (ssa::Algorithm algorithm : ssa::all_algorithms) {
    SsaView view;
    view.construct.algorithm = algorithm;
    view.trace = "y";
    std::string table = shown("func @f(c: i1) -> i64 {\n  var y: i64\nentry:\n  branch %c, a, b\na:\n  set y, 1\n  %v = get y\n"
                              "  jump b\nb:\n  %d = is_defined y\n  branch %d, e, g\ne:\n  %w = get y\n  ret %w\ng:\n  ret 0\n}\n",
                              view);
    std::string flags = table.substr(table.find("renaming of y? "));
    EXPECT_EQ(occurrences(flags, " use   |"), 3u) << table;
    EXPECT_EQ(occurrences(flags, " φ use |"), 2u) << table;
  }
}

TEST(Views, TablesOfLargeFunctionsStaySmall) {
  // A switch to many blocks that assign, which meet in one: W and F are long, rows are not.
  constexpr uint32_t count = 20'000;
  std::string text = "func @f(n: i64) -> i64 {\n  var x: i64 zero\nentry:\n  switch i64 %n, join, [", blocks;
  for (uint32_t i = 0; i < count; ++i) {
    std::string number = std::to_string(i);
    text += (i == 0 ? "" : ", ") + number + ": k" + number;
    blocks += "k" + number + ":\n  set x, " + number + "\n  jump join\n";
  }
  text += "]\n" + blocks + "join:\n  %r = get x\n  ret %r\n}\n";
  SsaView view;
  view.trace = "x";
  std::string table = shown(text, view);
  EXPECT_NE(table.find("k0 k1 k2 k3 k4 k5 k6 k7 k8 k9 k10 k11 and 19988 more | "), std::string::npos);
  EXPECT_LT(table.size(), count * 600);
  EXPECT_EQ(occurrences(table, " φ use "), count + 1);
}

TEST(Views, TheSeedStyleCountsDigits) {
  // From ten on, versions take the place of blanks, so that columns stay where they are.
  std::string text = "func @f() -> i64 {\n  var x: i64 zero\nentry:\n";
  for (int i = 0; i < 12; ++i) text += "  set x, " + std::to_string(i) + "\n";
  text += "  %r = get x\n  ret %r\n}\n";
  SsaView view;
  view.trace = "x";
  view.seed_style = true;
  std::string table = shown(text, view);
  EXPECT_NE(table.find("entry | def x9      | x8 then x9\n"), std::string::npos) << table;
  EXPECT_NE(table.find("entry | def x12     | x11 then x12\n"), std::string::npos) << table;
  EXPECT_NE(table.find("entry |    x12 use  | x12 updated into x11\n"), std::string::npos) << table;
}

/// The same function with its blocks, but for the first one, in another order.
std::string shuffled(const std::string& text, std::mt19937& random) {
  std::vector<std::string> parts = {""};  // up to the entry's end; then one per block; then what is behind the function
  std::istringstream lines(text);
  bool in_blocks = false;
  for (std::string line; std::getline(lines, line);) {
    bool is_label = !line.empty() && line.back() == ':' && line[0] != ' ';
    if ((is_label && std::exchange(in_blocks, true)) || line == "}") parts.emplace_back();
    parts.back() += line + "\n";
  }
  std::shuffle(parts.begin() + 1, parts.end() - 1, random);
  std::string out;
  for (const std::string& part : parts) out += part;
  return out;
}

TEST(Views, TheSeedStyleDoesNotDependOnTheOrderOfBlocks) {
  std::mt19937 random(3);
  SsaView view;
  view.seed_style = true;
  std::ifstream file(BRAID_SOURCE_DIR "/tests/files/ssa/seed_trace.braid");
  std::string seed((std::istreambuf_iterator<char>(file)), {});
  seed = seed.substr(seed.find("func"), seed.find("\n; expect") + 1 - seed.find("func")) + "extern @use(i64) -> void host\n";
  view.trace = "x";
  std::string table = shown(seed, view);
  EXPECT_EQ(occurrences(table, "\n"), 23u);  // two lines of heading, and all 21 rows
  for (int i = 0; i < 100; ++i) EXPECT_EQ(shown(shuffled(seed, random), view), table);

  view.trace = "v0";
  uint32_t moved = 0;
  for (uint32_t s = 0; s < 200; ++s) {
    std::string text = RandomVariableProgram(s).make(), other = shuffled(text, random);
    moved += text != other;
    std::string before = shown(text, view);
    ASSERT_EQ(shown(other, view), before) << text;
  }
  EXPECT_GE(moved, 100u);
}

TEST(Views, BlocksWithEqualNamesAreToldApart) {
  Session session = opened("func @f() -> void {\nb0 \"x\":\n  jump b1\nb1 \"x\":\n  ret\n}\n");
  CfgView view;
  std::string text = show_cfg(session, nullptr, view).value();
  EXPECT_EQ(text, "@f\nx\n  from:\n  to: b1\nb1\n  from: x\n  to:\n");
}

TEST(Views, OddNamesStayOneWordOnOneLine) {
  std::string longest(100, 'n');
  Session session = opened("func @\"new\\0aline\"() -> i64 {\n  var var.0 \"tab\\09 and \xc3\xa4\": i64 zero\nb0 \"\\00\\ff\xc3\xa4\\c2\\85\":\n"
                           "  set var.0, 1\n  jump b1\nb1 \"" + longest + "\":\n  %g = get var.0\n  ret %g\n}\n");
  CfgView view;
  view.shown.liveness = true;
  std::string cut = std::string(40, 'n') + "\xe2\x80\xa6";
  EXPECT_EQ(show_cfg(session, nullptr, view).value(),
            "@new\\0aline\n\\00\\ff\xc3\xa4\\c2\\85\n  from:\n  to: " + cut + "\n  live in:\n  live out: tab\\09\\20and\\20\xc3\xa4\n" + cut +
                "\n  from: \\00\\ff\xc3\xa4\\c2\\85\n  to:\n  live in: tab\\09\\20and\\20\xc3\xa4\n  live out:\n");
  SsaView trace;
  trace.trace = "tab\t and \xc3\xa4";
  std::string table = show_ssa(session, nullptr, trace).value();
  EXPECT_NE(table.find("renaming of tab\\09\\20and\\20\xc3\xa4 in @new\\0aline by cytron, pruned\n"), std::string::npos) << table;
  for (char c : table) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= ' ') << table;
}

TEST(Views, DotEscapesNames) {
  Session session = opened("func @\"a\\\"b\"() -> void {\nb0 \"x\\\"\\\\\":\n  ret\n}\n");
  CfgView view;
  view.form = CfgView::Form::dot;
  std::string dot = show_cfg(session, nullptr, view).value();
  EXPECT_NE(dot.find("digraph \"a\\\"b\" {"), std::string::npos) << dot;
  EXPECT_NE(dot.find("[label=\"x\\\"\\\\:\\l"), std::string::npos) << dot;
}

TEST(Views, DotShowsControlCharacters) {
  Session session = opened("func @f() -> void {\nb0 \"a\\00\\1b\\09\\7f~\":\n  ret\n}\n");
  CfgView view;
  view.form = CfgView::Form::dot;
  std::string dot = show_cfg(session, nullptr, view).value();
  EXPECT_NE(dot.find(R"([label="a\\x00\\x1b\\x09\\x7f~:\l)"), std::string::npos) << dot;
  for (char c : dot) EXPECT_TRUE(c == '\n' || (c >= ' ' && c != 0x7f)) << static_cast<int>(c);
}

TEST(Views, OnlyWhatIsShownIsFound) {
  Session session = opened(loop);
  const ir::Function& f = **session.function("f");
  FlowFacts none = FlowFacts::find(f, {}).value(), all = FlowFacts::find(f, all_facts).value();
  EXPECT_EQ(none.dominators.preorder().size(), 4u);
  EXPECT_EQ(none.frontiers.rows().row_count(), 0u);
  EXPECT_EQ(none.loops.size(), 0u);
  EXPECT_TRUE(none.live_things.empty());
  EXPECT_EQ(all.frontiers.rows().row_count(), 4u);
  EXPECT_EQ(all.loops.size(), 1u);
  EXPECT_EQ(all.live_things.size(), 3u);
}

/// Brackets balance outside of strings, and nothing stands behind the last one.
bool is_balanced(std::string_view json) {
  std::string open;
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    char c = json[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      open += c;
    } else if (c == '}' || c == ']') {
      if (open.empty() || open.back() != (c == '}' ? '{' : '[')) return false;
      open.pop_back();
    }
  }
  return open.empty() && !in_string;
}

TEST(Views, RandomProgramsInEveryForm) {
  size_t irreducible = 0, clusters = 0, rows = 0;
  for (uint32_t seed = 1000; seed < 1100; ++seed) {
    std::string text = RandomVariableProgram(seed).make();
    SCOPED_TRACE(text);
    Session session = opened(text);
    const ir::Function& f = **session.function("f");
    CfgView view;
    view.shown = *parse_shown_facts("dom,frontier,loops,live");
    std::string as_text = show_cfg(session, nullptr, view).value();
    EXPECT_EQ(occurrences(as_text, "\n  from:"), f.block_count());
    view.form = CfgView::Form::json;
    std::string json = show_cfg(session, nullptr, view).value();
    EXPECT_TRUE(is_balanced(json)) << json;
    EXPECT_EQ(occurrences(json, "\"reachable\":"), f.block_count());
    view.form = CfgView::Form::dot;
    std::string dot = show_cfg(session, nullptr, view).value();
    EXPECT_EQ(occurrences(dot, " [label=\""), f.block_count()) << dot;
    EXPECT_EQ(occurrences(dot, "{"), occurrences(dot, "}")) << dot;
    ir::BlockDominance dominance(f);
    EXPECT_EQ(occurrences(dot, "constraint=false"), dominance.tree().preorder().size() - 1) << dot;
    clusters += occurrences(dot, "subgraph cluster_");
    std::string analyses = show_analyses(session, nullptr).value();
    irreducible += occurrences(analyses, "the graph is not reducible");
    EXPECT_EQ(occurrences(analyses, "the graph is"), 1u);

    for (ssa::Algorithm algorithm : ssa::all_algorithms) {
      SsaView ssa;
      ssa.construct.algorithm = algorithm;
      ssa.trace = "v0";
      std::string table = shown(text, ssa);
      rows += occurrences(table, "\n");
      EXPECT_EQ(occurrences(table, "renaming of v0 "), 1u) << table;
      ssa.trace.clear();
      ssa.log_as_json = true;
      std::string log = shown(text, ssa);
      EXPECT_TRUE(is_balanced(log)) << log;
      EXPECT_TRUE(log.starts_with("{\n  \"schema\": \"braid.log\",\n  \"version\": 1,\n")) << log;
    }
  }
  printf("%zu irreducible, %zu loops, %zu lines of traces\n", irreducible, clusters, rows);
  EXPECT_GT(irreducible, 5u);
  EXPECT_GT(clusters, 100u);
  EXPECT_GT(rows, 3000u);
}

TEST(Views, LiveSetsSayWhatIsReadLater) {
  Session session = opened(R"(func @f(a: i64, b: i64, c: i1) -> i64 {
entry:
  %s = add i64 %a, 1
  %dead = add i64 %a, 2
  branch %c, left, join
left:
  %m = mul i64 %b, 3
  jump join
join:
  %p = phi i64 [entry: %s, left: %m]
  %r = add i64 %p, %s
  ret %r
}
)");
  FlowFacts facts = FlowFacts::find(**session.function("f"), all_facts).value();
  auto names = [&](std::span<const flow::Variable> things) {
    std::string out;
    for (flow::Variable v : things) out += facts.live_things[index(v)].name + " ";
    return out;
  };
  auto out_of = [&](uint32_t b) {
    std::vector<flow::Variable> things = facts.live_out(flow::Node{b});
    return names(things);
  };
  EXPECT_EQ(names(facts.live_in(flow::Node{0})), "");
  EXPECT_EQ(out_of(0), "%b %0 ");
  EXPECT_EQ(names(facts.live_in(flow::Node{1})), "%b %0 ");
  EXPECT_EQ(out_of(1), "%0 %3 ");
  EXPECT_EQ(names(facts.live_in(flow::Node{2})), "%0 ");
  EXPECT_EQ(out_of(2), "");
}

class CountingMeter : public MemoryMeter {
 public:
  void start() override { ++starts; }
  uint64_t stop() override { return 100 * starts; }
  uint64_t starts = 0;
};

TEST(Views, AComparisonCountsPhis) {
  // The phi of `x` at `join` reaches nothing; `y` is read only where it was assigned before.
  Session session = opened(R"(func @f(c: i1) -> i64 {
  var x: i64 zero
  var y: i64 zero
entry:
  set x, 1
  set y, 1
  branch %c, left, join
left:
  %l = get x
  set x, %l
  set y, 2
  %m = get y
  jump join
join:
  ret 0
}
)");
  CountingMeter meter;
  std::vector<ComparedConstruction> all = compare_constructions(**session.function("f"), &meter);
  ASSERT_EQ(all.size(), 5u);
  uint32_t phis[] = {2, 1, 0, 0, 0};
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].phis, phis[i]) << i;
    EXPECT_EQ(all[i].dead_phis, phis[i]) << i;
    EXPECT_EQ(all[i].peak_bytes, 100 * (i + 1));
    EXPECT_GT(all[i].milliseconds, 0);
  }
  std::string table = comparison_table(**session.function("f"), nullptr);
  EXPECT_NE(table.find("| unknown\n"), std::string::npos) << table;
  EXPECT_EQ(split_lines(table).size(), 8u) << table;
}

TEST(Views, PhisThatOnlyFeedEachOtherAreDead) {
  Session session = opened(R"(func @f(c: i1) -> i64 {
  var z: i64 zero
entry:
  set z, 1
  jump head
head:
  branch %c, left, right
left:
  set z, 2
  jump next
right:
  jump next
next:
  branch %c, head, done
done:
  ret 0
}
)");
  std::vector<ComparedConstruction> all = compare_constructions(**session.function("f"), nullptr);
  EXPECT_EQ(all[0].phis, 2u);
  EXPECT_EQ(all[0].dead_phis, 2u);
  EXPECT_EQ(all[2].phis, 0u);
}

}  // namespace
}  // namespace braid::driver
